"""Ellipsoids of uncertainty on the points, from above and from the side, magnified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.evaluation.figures.views import magnification
from reports.evaluation.shown import UncertaintySubject
from reports.figures.style import BLUE, INK, ORANGE, WIDTH, caption
from reports.scene.labels import label
from robots.core.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_HEIGHT = 4.6  # [in]
_DRAWN = 0.07  # of the points' extent: the longest half axis
_NAMED = 30
_MOST = 2000  # ellipses that are drawn
_VIEWS = (((0, 1), "x", "y", "from above"), ((0, 2), "x", "z", "from the side"))


def ellipsoid_figure(shown: UncertaintySubject) -> Figure:
    """Ellipsoids of one standard deviation in two views, base frame."""
    from matplotlib.figure import Figure

    centres = 1e3 * shown.measuring.surfaces
    longest = max(float(np.linalg.norm(p.axes, axis=0).max()) for p in shown.points)
    extent = float(np.linalg.norm(np.ptp(centres, axis=0)))
    factor = magnification(1e3 * longest, _DRAWN * max(extent, 1.0))
    figure = Figure(figsize=(WIDTH, _HEIGHT))
    for place, (pair, x, y, words) in enumerate(_VIEWS):
        axis = figure.add_axes((0.08 + 0.5 * place, 0.85 / _HEIGHT, 0.4, 1.0 - 1.6 / _HEIGHT))
        _draw(axis, shown, centres[:, pair], pair, factor)
        axis.set_title(words)
        axis.set_xlabel(f"{x} [mm]")
        axis.set_ylabel(f"{y} [mm]")
    note = (
        f"One standard deviation, drawn {factor:g} times as large as it is; base frame. The "
        f"longest half axis is {1e6 * longest:.3g} µm. Red: sigma along the normals."
    )
    caption(figure, f"Uncertainty ellipsoids: {label(shown.job.name)}", note)
    return figure


def _draw(
    axis: Axes, shown: UncertaintySubject, centres: Array, pair: tuple[int, int], factor: float
) -> None:
    from matplotlib.patches import Ellipse

    for k, point in enumerate(shown.points[:_MOST]):
        values, vectors = np.linalg.eigh(point.covariance[np.ix_(pair, pair)])
        halves = 1e3 * factor * np.sqrt(np.maximum(values, 0.0))
        turn = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))
        size = (2.0 * float(halves[1]), 2.0 * float(halves[0]))
        axis.add_patch(
            Ellipse(tuple(centres[k]), *size, angle=turn, facecolor=f"{BLUE}40", edgecolor=BLUE)
        )
        out = shown.measuring.normals[k][list(pair)] * 1e3 * factor * point.sigma_normal
        axis.plot(*np.array([centres[k] - out, centres[k] + out]).T, color=ORANGE, linewidth=1.0)
    axis.scatter(centres[:, 0], centres[:, 1], s=4, color=INK, zorder=3)
    if len(shown.points) <= _NAMED:
        for point, (x, y) in zip(shown.points, centres.tolist(), strict=True):
            axis.annotate(
                label(point.name, 12), (x, y), (5, 5), textcoords="offset points", fontsize=6.5
            )
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.12)
