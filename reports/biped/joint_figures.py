"""Position, speed and torque of joints and motors over time, with their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.biped.shown_motion import JointQuantity, ReportedMotion
from reports.content.numbers import told
from reports.figures.decimation import decimated
from reports.figures.style import BLUE, LIMIT, LIMIT_DASHES, QUIET, WIDTH, caption

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = 1.15  # [in]
_ABOVE, _BELOW = 0.5, 0.75  # [in]
_ONE_COLUMN = 6  # more panels than this stand in two columns
_NEAR = 1.2  # a limit is drawn where it is no farther than this many heights of the curve


def quantity_figure(shown: ReportedMotion, quantity: JointQuantity) -> Figure:
    """One panel per joint or motor."""
    from matplotlib.figure import Figure

    count = len(quantity.names)
    columns = 1 if count <= _ONE_COLUMN else 2
    lines = -(-count // columns)
    height = lines * _PANEL + _ABOVE + _BELOW
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(lines, columns, sharex=True, squeeze=False).T.ravel()
    figure.subplots_adjust(
        **{"left": 0.105, "right": 0.965, "top": 1 - _ABOVE / height, "bottom": _BELOW / height},
        hspace=0.2,
        wspace=0.34,
    )
    for k, axis in enumerate(axes[:count]):
        _draw(axis, shown, quantity, k)
    for axis in axes[count:]:
        axis.remove()
    for axis in axes[[k for k in range(count) if k % lines == lines - 1 or k == count - 1]]:
        axis.set_xlabel("time [s]")
        axis.tick_params(labelbottom=True)
    figure.align_ylabels(list(axes[:count]))
    low, high = float(np.nanmin(quantity.values)), float(np.nanmax(quantity.values))
    note = f"{shown.motion.biped.name}. All: {told(low, 6)} to {told(high, 6)} {quantity.unit}."
    caption(figure, f"{quantity.title}: {shown.motion.title}", note)
    return figure


def _draw(axis: Axes, shown: ReportedMotion, quantity: JointQuantity, k: int) -> None:
    values, unit = quantity.values[:, k], quantity.unit
    known = np.isfinite(values)
    lower, upper = float(quantity.lower[k]), float(quantity.upper[k])
    axis.set_ylabel(f"{quantity.names[k]}\n[{unit}]", fontsize=8.0)
    axis.set_xlim(shown.motion.t[0], shown.motion.t[-1])
    if not known.any():
        return
    curve = decimated(shown.motion.t[known], values[known])
    axis.plot(curve.t, curve.values, color=BLUE)
    axis.margins(y=0.08)
    low, high = float(curve.values.min()), float(curve.values.max())
    for limit, distance in ((lower, low - lower), (upper, upper - high)):
        if distance <= _NEAR * (high - low):
            axis.axhline(limit, color=LIMIT, linewidth=1.0, linestyle=LIMIT_DASHES)
    broken = low < lower or high > upper
    if broken:
        inside = np.clip(curve.values, lower, upper)
        axis.fill_between(
            curve.t, curve.values, inside, color=LIMIT, alpha=0.3, linewidth=0.0, zorder=1.5
        )
    axis.text(
        *(1.01, 0.5, _limits(lower, upper, unit)),
        transform=axis.transAxes,
        rotation=90.0,
        va="center",
        fontsize=6.5,
        color=LIMIT if broken else QUIET,
    )


def _limits(lower: float, upper: float, unit: str) -> str:
    if np.isinf(lower) and np.isinf(upper):
        return "no limit"
    if lower == -upper:
        return f"±{upper:.4g} {unit}"
    return f"{lower:.4g} to {upper:.4g} {unit}"
