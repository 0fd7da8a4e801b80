"""Deviations of a feature's points side by side, with the limits of its profile tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parts.evaluation import FeatureResult
from reports.figures.style import BLUE, LIMIT, LIMIT_DASHES, ORANGE, QUIET, WIDTH, caption
from reports.scene.labels import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEIGHT = 3.6  # [in]
_NAMED = 30


def whisker_figure(one: FeatureResult, limit: float) -> Figure:
    """The deviations of any feature.

    Args:
        one: the feature.
        limit: largest deviation that its profile tolerance leaves; NaN without. [m]
    """
    from matplotlib.figure import Figure

    values = 1e3 * one.deviations.profile
    places = np.arange(len(values))
    figure = Figure(figsize=(WIDTH, _HEIGHT))
    axis = figure.add_axes((0.1, 0.95 / _HEIGHT, 0.88, 1.0 - 1.45 / _HEIGHT))
    with np.errstate(invalid="ignore"):
        outside = np.abs(values) > 1e3 * limit
    axis.vlines(places, 0.0, values, color=QUIET, linewidth=0.8)
    for chosen, mark, colour in ((~outside, "o", BLUE), (outside, "X", ORANGE)):
        axis.plot(places[chosen], values[chosen], mark, color=colour, markersize=5)
    axis.axhline(0.0, color=QUIET, linewidth=0.8)
    if np.isfinite(limit):
        for sign in (-1.0, 1.0):
            axis.axhline(sign * 1e3 * limit, color=LIMIT, linestyle=LIMIT_DASHES, linewidth=1.1)
    if len(values) <= _NAMED:
        names = [label(name, 10) for name in one.deviations.names]
        axis.set_xticks(places, names, rotation=45 if max(map(len, names)) > 4 else 0)
    axis.set_ylabel("deviation [mm]")
    told = f"Limits ±{1e3 * limit:g} mm." if np.isfinite(limit) else "No profile tolerance."
    note = f"{len(values)} points in the order of the job; positive out of the material. {told}"
    caption(figure, f"Deviations: {label(one.name)}", note)
    return figure
