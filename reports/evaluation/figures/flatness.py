"""Whiskers: residuals of a flat feature stand on the plane, magnified and seen aslant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parts.evaluation import FeatureResult
from reports.evaluation.figures.views import magnification, main_view
from reports.evaluation.kept import kept_rows
from reports.evaluation.scale import DeviationScale, rounded_up
from reports.figures.style import GREEN, INK, QUIET, WIDTH, caption
from reports.scene.labels import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

_HEIGHT = 4.8  # [in]
_TALL = 0.22  # of the width: the longest whisker
_ASLANT = np.array([0.42, 0.34])  # where a step into the picture is drawn
_NAMED = 40


def flatness_figure(one: FeatureResult) -> Figure:
    """The whiskers of a plane.

    Args:
        one: with a fit.
    """
    from matplotlib.figure import Figure

    fit = one.fit
    if fit is None:
        raise ValueError(f"{one.name!r} has no fit")
    points = one.deviations.measured
    heights = np.asarray(fit.shape.distance(points))
    view = main_view(points, fit.shape.normal(points))
    flat = 1e3 * view.flat(points)
    factor = magnification(float(np.abs(heights).max()), _TALL * 1e-3 * float(np.ptp(flat[:, 0])))
    feet = _aslant(flat)
    tips = feet + np.stack([np.zeros(len(heights)), 1e3 * factor * heights], axis=-1)
    scale = DeviationScale(reach=rounded_up(max(float(np.abs(heights).max()), 1e-9)), limits=())
    figure = Figure(figsize=(WIDTH, _HEIGHT))
    axis = figure.add_axes((0.02, 0.55 / _HEIGHT, 0.96, 1.0 - 1.0 / _HEIGHT))
    _draw_plane(axis, flat)
    colours = scale.hexadecimal(heights)
    for foot, tip, colour in zip(feet, tips, colours, strict=True):
        axis.plot(*np.array([foot, tip]).T, color=INK, linewidth=3.0, solid_capstyle="butt")
        axis.plot(*np.array([foot, tip]).T, color=colour, linewidth=2.0, solid_capstyle="butt")
    axis.scatter(tips[:, 0], tips[:, 1], s=26, c=colours, edgecolors=INK, linewidths=0.6, zorder=4)
    _mark_contacts(axis, one, tips)
    if len(points) <= _NAMED:
        for name, (x, y), height in zip(
            one.deviations.names, tips.tolist(), heights.tolist(), strict=True
        ):
            told = f"{label(name, 12)} {1e6 * height:+.3g}".replace("-", "−")
            axis.annotate(told, (x, y), (4, 4), textcoords="offset points", fontsize=6.5)
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.08)
    axis.set_axis_off()
    caption(figure, f"Flatness: {label(one.name)}", _note(one, factor))
    return figure


def _aslant(flat: Array) -> Array:
    """Places of the plane in the slanted picture. # (k, 2) -> (k, 2) [mm]."""
    return np.stack([flat[:, 0] + _ASLANT[0] * flat[:, 1], _ASLANT[1] * flat[:, 1]], axis=-1)


def _draw_plane(axis: Axes, flat: Array) -> None:
    low, high = flat.min(axis=0), flat.max(axis=0)
    corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
    axis.fill(*_aslant(corners).T, color=QUIET, alpha=0.12, linewidth=0.8)


def _mark_contacts(axis: Axes, one: FeatureResult, tips: Array) -> None:
    """Squares around the points that hold the minimum zone."""
    if one.zone is None:
        return
    x, y = tips[kept_rows(one)][one.zone.contacts].T
    axis.scatter(x, y, s=90, marker="s", facecolors="none", edgecolors=GREEN, zorder=5)


def _note(one: FeatureResult, factor: float) -> str:
    squares = "–" if one.form_error is None else f"{1e6 * one.form_error:.3g} µm"
    zone = "not sought" if one.zone_error is None else f"{1e6 * one.zone_error:.3g} µm"
    return (
        f"Heights over the least-squares plane in µm, drawn {factor:g} times as long as they are. "
        f"Form by least squares {squares}, by minimum zone {zone}; green squares hold the zone."
    )
