"""Which figures there are, with their titles and what they show in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from parts.evaluation import FeatureResult
from reports.evaluation.figures.deviation_map import deviation_map
from reports.evaluation.figures.ellipsoids import ellipsoid_figure
from reports.evaluation.figures.flatness import flatness_figure
from reports.evaluation.figures.histogram import histogram_figure
from reports.evaluation.figures.roundness import roundness_figure
from reports.evaluation.figures.tornado import tornado_figure
from reports.evaluation.figures.whiskers import whisker_figure
from reports.evaluation.shown import EvaluationSubject, UncertaintySubject
from reports.figures.style import FORMATS, house_style, rendered

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_FEATURES = 24  # that are drawn: those with the largest deviations
_ROUND = ("circle3d", "cylinder", "cone")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationFigure:
    """A figure that can be drawn.

    Args:
        key: name of its files, safe.
        title: for readers; may hold the name of a feature, untrusted.
        words: what is seen, for who does not see it.
        draw: makes it.
    """

    key: str
    title: str
    words: str
    draw: Callable[[], Figure]


def evaluation_drawings(shown: EvaluationSubject) -> tuple[EvaluationFigure, ...]:
    """Map of all deviations, then one figure per feature, then those of the uncertainty."""
    points = shown.evaluation.points
    worst = f"{1e3 * points.profile[points.worst]:.4f} mm at {points.names[points.worst]}"
    overview = EvaluationFigure(
        key="deviations",
        title="Deviations",
        words=f"{len(points)} points in the colours of their deviations, the largest {worst}.",
        draw=partial(deviation_map, shown),
    )
    more = () if shown.uncertainty is None else uncertainty_drawings(shown.uncertainty)
    return (overview, *_features(shown), *more)


def uncertainty_drawings(shown: UncertaintySubject) -> tuple[EvaluationFigure, ...]:
    """Ellipsoids, budget, draws; none where no point is reached."""
    return tuple(_of_uncertainty(shown)) if shown.points else ()


def rendered_drawings(drawings: Sequence[EvaluationFigure]) -> dict[str, bytes]:
    """Name and content of every figure's files, PNG and SVG."""
    files: dict[str, bytes] = {}
    with house_style():
        for one in drawings:
            figure = one.draw()
            files |= {f"{one.key}.{form}": rendered(figure, form) for form in FORMATS}
    return files


def _of_uncertainty(shown: UncertaintySubject) -> Iterator[EvaluationFigure]:
    worst = shown.points[shown.worst]
    told = f"{1e6 * worst.sigma_normal:.3g} µm along the normal at {worst.name}"
    yield EvaluationFigure(
        key="ellipsoids",
        title="Uncertainty ellipsoids",
        words=f"Ellipsoids of one standard deviation on {len(shown.points)} points; {told}.",
        draw=partial(ellipsoid_figure, shown),
    )
    if worst.budget.names:
        yield EvaluationFigure(
            key="budget",
            title="Uncertainty budget",
            words=f"Sources by what they give alone, the largest is {worst.budget.largest}.",
            draw=partial(tornado_figure, shown),
        )
    if shown.draws is not None:
        yield EvaluationFigure(
            key="draws",
            title="Monte Carlo draws",
            words=f"Histogram of {shown.draws.samples} draws of {worst.name}; {told}.",
            draw=partial(histogram_figure, shown),
        )


def _features(shown: EvaluationSubject) -> Iterator[EvaluationFigure]:
    found = shown.evaluation.features
    far = [float(np.abs(one.deviations.profile).max(initial=0.0)) for one in found]
    chosen = sorted(np.argsort(-np.array(far), kind="stable")[:MOST_FEATURES].tolist())
    for number in chosen:
        one = found[number]
        limit = _limit(shown, one)
        what, draw = _figure(one, limit)
        yield EvaluationFigure(
            key=f"feature-{number + 1}",
            title=f"{what} of {one.name}",
            words=f"{what} of {one.name}: {len(one.deviations)} points, the largest deviation "
            f"{1e3 * far[number]:.4f} mm.",
            draw=draw,
        )


def _figure(one: FeatureResult, limit: float) -> tuple[str, Callable[[], Figure]]:
    """What shows a feature best."""
    if one.fit is not None and one.kind == "plane":
        return "Flatness", partial(flatness_figure, one)
    if one.fit is not None and one.kind in _ROUND:
        return "Roundness", partial(roundness_figure, one)
    return "Deviations", partial(whisker_figure, one, limit)


def _limit(shown: EvaluationSubject, one: FeatureResult) -> float:
    rows = shown.evaluation.points.rows_of(one.name)
    return float(shown.limits[rows[0]]) if rows.size else float("nan")
