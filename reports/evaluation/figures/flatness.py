"""Whiskers: residuals of a flat feature stand on the plane, magnified and seen aslant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parts.evaluation import FeatureResult
from reports.evaluation.figures.views import magnification, main_view
from reports.evaluation.kept import kept_rows
from reports.evaluation.scale import DeviationScale, rounded_up
from reports.figures.beside import write_beside
from reports.figures.style import GREEN, INK, QUIET, WIDTH, caption
from reports.scene.labels import label
from robots.core.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_LOWEST, _HIGHEST = 2.6, 4.8  # of the picture [in]
_ROUND_IT = 1.0  # title and note [in]
_TALL = 0.22  # of the width: the longest whisker
_ASLANT = np.array([0.42, 0.34])  # where a step into the picture is drawn
_NAMED = 40
_ALONG = 12  # places of a whisker that no name should cover


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
    height = _height(np.concatenate([tips, _plane(flat)]))
    figure = Figure(figsize=(WIDTH, height))
    axis = figure.add_axes((0.02, 0.55 / height, 0.96, 1.0 - _ROUND_IT / height))
    axis.fill(*_plane(flat).T, color=QUIET, alpha=0.12, linewidth=0.8)
    colours = scale.hexadecimal(heights)
    for foot, tip, colour in zip(feet, tips, colours, strict=True):
        axis.plot(*np.array([foot, tip]).T, color=INK, linewidth=3.0, solid_capstyle="butt")
        axis.plot(*np.array([foot, tip]).T, color=colour, linewidth=2.0, solid_capstyle="butt")
    axis.scatter(tips[:, 0], tips[:, 1], s=26, c=colours, edgecolors=INK, linewidths=0.6, zorder=4)
    _mark_contacts(axis, one, tips)
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.08)
    axis.set_axis_off()
    if len(points) <= _NAMED:
        whiskers = np.concatenate(np.linspace(feet, tips, _ALONG))
        write_beside(axis, tips, _names(one, heights), size=6.5, others=whiskers)
    caption(figure, f"Flatness: {label(one.name)}", _note(one, factor))
    return figure


def _aslant(flat: Array) -> Array:
    """Places of the plane in the slanted picture. # (k, 2) -> (k, 2) [mm]."""
    return np.stack([flat[:, 0] + _ASLANT[0] * flat[:, 1], _ASLANT[1] * flat[:, 1]], axis=-1)


def _plane(flat: Array) -> Array:
    """Corners of the plane as it is drawn. # (4, 2) [mm]."""
    low, high = flat.min(axis=0), flat.max(axis=0)
    return _aslant(np.array([low, (high[0], low[1]), high, (low[0], high[1])]))


def _height(drawn: Array) -> float:
    """Height of a picture that what is drawn fills. [in]."""
    wide, tall = np.ptp(drawn, axis=0)
    needed = 1.25 * WIDTH * tall / max(wide, 1e-9) + _ROUND_IT
    return float(np.clip(needed, _LOWEST, _HIGHEST))


def _names(one: FeatureResult, heights: Array) -> list[str]:
    """What is written beside the points: name and height. [µm]."""
    return [
        f"{label(name, 12)} {1e6 * height:+.3g}".replace("-", "−")
        for name, height in zip(one.deviations.names, heights.tolist(), strict=True)
    ]


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
