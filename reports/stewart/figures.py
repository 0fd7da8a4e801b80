"""Length, speed, acceleration and force of the six legs over time, with their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.drawn_samples import decimated
from reports.figures.style import (
    BLUE,
    FORMATS,
    LIMIT,
    LIMIT_DASHES,
    QUIET,
    WIDTH,
    caption,
    house_style,
    rendered,
)
from reports.stewart.motion import LegQuantity, PlatformMotion, leg_quantities

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = 1.35  # [in]
_ABOVE, _BELOW = 0.5, 0.75  # [in]
_NEAR = 1.2  # a limit is drawn where it is no farther than this many heights of the curve


def draw_leg_figures(shown: PlatformMotion) -> dict[str, bytes]:
    """Name and content of every figure's files, PNG and SVG."""
    files: dict[str, bytes] = {}
    with house_style():
        for quantity in leg_quantities(shown):
            figure = leg_figure(shown, quantity)
            files |= {f"{quantity.key}.{form}": rendered(figure, form) for form in FORMATS}
    return files


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
    low, high = float(values.min()), float(values.max())
    for limit, distance in ((lower, low - lower), (upper, upper - high)):
        if distance <= _NEAR * (high - low):
            axis.axhline(limit, color=LIMIT, linewidth=1.0, linestyle=LIMIT_DASHES)
    outside = values[(values < lower) | (values > upper)]
    if outside.size:
        t = axis.lines[0].get_xdata()
        y = np.asarray(axis.lines[0].get_ydata())
        axis.fill_between(
            *(t, np.clip(y, lower, upper), y), color=LIMIT, alpha=0.3, linewidth=0, zorder=1.5
        )
    axis.text(
        *(1.008, 0.5, _limit_text(lower, upper, unit)),
        transform=axis.transAxes,
        rotation=90.0,
        va="center",
        fontsize=7.0,
        color=LIMIT if outside.size else QUIET,
    )


def _limit_text(lower: float, upper: float, unit: str) -> str:
    if np.isinf(lower) and np.isinf(upper):
        return ""
    if lower == -upper:
        return f"limit ±{upper:.4g} {unit}"
    return f"limits {lower:.4g} to {upper:.4g} {unit}"


def _note(shown: PlatformMotion, quantity: LegQuantity) -> str:
    low, high = float(quantity.values.min()), float(quantity.values.max())
    what = f"{shown.platform.name}, {shown.law}, {shown.motion.duration:.6g} s. "
    what += f"All legs: {low:.6g} to {high:.6g} {quantity.unit}."
    if quantity.key == "leg-force":
        what += " A positive force pushes the platform away from the base."
    return what
