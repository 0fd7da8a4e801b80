"""Length, speed, acceleration and force of the six legs over time, with their limits."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reports.drawn_samples import decimated
from reports.figures.style import (
    BLUE,
    LIMIT,
    WIDTH,
    caption,
    draw_limits,
    figure_files,
    limit_text,
    write_limits,
)
from reports.stewart.motion import LegQuantity, PlatformMotion, leg_quantities

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = 1.35  # [in]
_ABOVE, _BELOW = 0.5, 0.75  # [in]


def draw_leg_figures(shown: PlatformMotion) -> dict[str, bytes]:
    """Name and content of every figure's files, PNG and SVG."""
    return figure_files(
        (quantity.key, partial(leg_figure, shown, quantity)) for quantity in leg_quantities(shown)
    )


def leg_figure(shown: PlatformMotion, quantity: LegQuantity) -> Figure:
    """One panel per leg, one above the other."""
    from matplotlib.figure import Figure

    legs = shown.platform.legs
    height = len(legs) * _PANEL + _ABOVE + _BELOW
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(len(legs), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.105, right=0.965, top=1 - _ABOVE / height, bottom=_BELOW / height, hspace=0.16
    )
    for leg, axis in enumerate(axes):
        curve = decimated(shown.samples.t, quantity.values[:, leg])
        axis.plot(curve.t, curve.values, color=BLUE)
        axis.set_ylabel(f"{legs[leg].name} [{quantity.unit}]")
        axis.margins(y=0.08)
        _draw_limits(axis, quantity, leg)
    axes[-1].set_xlim(0.0, shown.motion.duration)
    axes[-1].set_xlabel("time [s]")
    figure.align_ylabels(list(axes))
    caption(figure, f"{quantity.title}: {shown.title}", _note(shown, quantity))
    return figure


def _draw_limits(axis: Axes, quantity: LegQuantity, leg: int) -> None:
    """Limits beside the panel, and as dashed lines where they do not flatten the curve."""
    values, unit = quantity.values[:, leg], quantity.unit
    lower, upper = float(quantity.lower[leg]), float(quantity.upper[leg])
    draw_limits(axis, float(values.min()), float(values.max()), lower, upper)
    outside = values[(values < lower) | (values > upper)]
    if outside.size:
        t = axis.lines[0].get_xdata()
        y = np.asarray(axis.lines[0].get_ydata())
        axis.fill_between(
            *(t, np.clip(y, lower, upper), y), color=LIMIT, alpha=0.3, linewidth=0, zorder=1.5
        )
    write_limits(axis, limit_text(lower, upper, unit), broken=bool(outside.size))


def _note(shown: PlatformMotion, quantity: LegQuantity) -> str:
    low, high = float(quantity.values.min()), float(quantity.values.max())
    what = f"{shown.platform.name}, {shown.law}, {shown.motion.duration:.6g} s. "
    what += f"All legs: {low:.6g} to {high:.6g} {quantity.unit}."
    if quantity.key == "leg-force":
        what += " A positive force pushes the platform away from the base."
    return what
