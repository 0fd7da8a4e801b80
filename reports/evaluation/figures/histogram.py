"""Histogram of the draws of the worst point, with its interval and the curve of first order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.evaluation.shown import UncertaintySubject
from reports.figures.style import BLUE, INK, LIMIT, LIMIT_DASHES, WIDTH, caption
from reports.scene.labels import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEIGHT = 3.9  # [in]
_BARS = (12, 80)


def histogram_figure(shown: UncertaintySubject) -> Figure:
    """The draws along the normal.

    Args:
        shown: with draws.
    """
    from matplotlib.figure import Figure

    if shown.draws is None:
        raise ValueError("there are no draws")
    point, along = shown.points[shown.worst], 1e6 * shown.draws.along
    bars = int(np.clip(np.sqrt(len(along)) / 2.0, *_BARS))
    figure = Figure(figsize=(WIDTH, _HEIGHT))
    axis = figure.add_axes((0.1, 0.95 / _HEIGHT, 0.88, 1.0 - 1.5 / _HEIGHT))
    axis.hist(along, bins=bars, density=True, color=BLUE, alpha=0.55, label="draws")
    sigma = 1e6 * point.sigma_first_order
    if sigma > 0.0:
        x = np.linspace(min(along.min(), -4 * sigma), max(along.max(), 4 * sigma), 400)
        curve = np.exp(-0.5 * (x / sigma) ** 2) / (sigma * np.sqrt(2.0 * np.pi))
        axis.plot(x, curve, color=INK, label="first order")
    for number, end in enumerate(shown.draws.interval):
        name = f"{100.0 * point.coverage:g} % interval" if number == 0 else None
        axis.axvline(1e6 * end, color=LIMIT, linestyle=LIMIT_DASHES, label=name)
    axis.set_xlabel("deviation along the normal, measured less true [µm]")
    axis.set_ylabel("density [1/µm]")
    axis.legend(loc="upper right")
    low, high = (1e6 * end for end in shown.draws.interval)
    note = (
        f"{len(along):,} draws; standard deviation {1e6 * shown.draws.sigma_normal:.4g} µm, to "
        f"first order {sigma:.4g} µm; interval {low:.4g} to {high:.4g} µm."
    )
    caption(figure, f"Monte Carlo draws: {label(point.name)}", note.replace("-", "−"))
    return figure
