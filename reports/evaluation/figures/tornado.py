"""Tornado chart of the budget: the largest source on top, over all points and at the worst."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.evaluation.shown import UncertaintySubject
from reports.evaluation.uncertainty_tables import budget
from reports.figures.style import BLUE, ORANGE, QUIET, WIDTH, caption
from reports.scene.labels import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW, _FRAME = 0.3, 1.9  # heights [in]
_MOST = 20  # sources; the others are one


def tornado_figure(shown: UncertaintySubject) -> Figure:
    """What every source alone would give, along the normal."""
    from matplotlib.figure import Figure

    names, variances = budget(shown)
    order = np.argsort(-variances.sum(axis=1), kind="stable")
    kept, rest = order[:_MOST], order[_MOST:]
    rows = [variances[k] for k in kept] + ([variances[rest].sum(axis=0)] if rest.size else [])
    labels = [names[k] for k in kept] + (["all others"] if rest.size else [])
    everywhere = 1e6 * np.sqrt([row.mean() for row in rows])
    there = 1e6 * np.sqrt([row[shown.worst] for row in rows])
    height = _FRAME + _ROW * len(rows)
    figure = Figure(figsize=(WIDTH, height))
    axis = figure.add_axes((0.2, 1.0 / height, 0.76, (height - 1.55) / height))
    places = np.arange(len(rows))
    worst = shown.points[shown.worst]
    at_worst = f"worst point {label(worst.name, 16)}"
    axis.barh(places - 0.19, everywhere, 0.34, color=BLUE, label="all points (rms)")
    axis.barh(places + 0.19, there, 0.34, color=ORANGE, hatch="//", edgecolor="w", label=at_worst)
    share = 100.0 * np.array([row[shown.worst] for row in rows]) / (worst.budget.total or 1.0)
    for place, length, part in zip(places, np.maximum(everywhere, there), share, strict=True):
        axis.text(length, float(place), f"  {part:.1f} %", va="center", fontsize=7.5, color=QUIET)
    axis.set_yticks(places, labels)
    axis.invert_yaxis()
    axis.margins(x=0.12)
    axis.set_xlabel("standard deviation along the normal [µm]")
    axis.legend(loc="lower right")
    note = (
        "To first order: what each source would give alone. Per cent: share of the variance at the "
        f"worst point, whose standard deviation is {1e6 * worst.sigma_first_order:.3g} µm."
    )
    caption(figure, f"Uncertainty budget: {label(shown.job.name)}", note)
    return figure
