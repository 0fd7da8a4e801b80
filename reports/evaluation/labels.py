"""The part with its measured features numbered as in the tables, in the colours of verdicts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from parts.evaluation.results import FeatureResult
from parts.evaluation.tolerance import Conformance
from parts.features.recognition import FormFeature, form_features
from parts.geometry import Geometry
from reports.evaluation.subject import EvaluationSubject
from reports.evaluation.tables import labels_of
from reports.figures.style import INK, WIDTH, caption
from reports.part.picture import PartView, part_views
from reports.visible_text import label
from robots.core.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OTHERS = (0.90, 0.91, 0.92)  # that are not measured
_MEASURED = (0.66, 0.78, 0.90)
_VERDICTS = {
    Conformance.FAIL: (0.93, 0.50, 0.22),
    Conformance.UNDECIDED: (0.96, 0.80, 0.38),
    Conformance.PASS: (0.52, 0.78, 0.66),
}
_WHOLE = ("facets", "freeform")  # which say nothing of where a feature lies
_FACING = 0.1  # cosine to the eye: what faces away more is not seen
_FRAME, _NOTE = 0.6, 0.35  # above and below the picture [in]


def labelled_part(shown: EvaluationSubject) -> Figure:
    """Two views of the part; without its geometry, its points along their main direction."""
    from matplotlib.figure import Figure

    geometry = shown.job.geometry
    note = (
        "Numbers: labels of the tables. Orange: out of tolerance; yellow: undecided; green: within "
        "it; blue: measured without one."
    )
    title = f"Measured features: {label(shown.job.name)}"
    if geometry is None:
        figure = Figure(figsize=(WIDTH, 4.6))
        _draw_points(figure.add_axes((0.08, 0.16, 0.88, 0.68)), shown)
        caption(figure, title, note)
        return figure
    forms = form_features(geometry)
    owners = {one.name: _owners(one, geometry, forms) for one in shown.evaluation.features}
    colours = np.tile(_OTHERS, (len(forms), 1))
    for one in shown.evaluation.features:
        for number in owners[one.name]:
            if forms[number].kind not in _WHOLE:
                colours[number] = _colour(one)
    views = part_views(geometry, forms, colours)
    tall = max(view.pixels.shape[0] / view.pixels.shape[1] for view in views)
    height = 0.5 * WIDTH * float(np.clip(tall, 0.4, 1.4)) + _FRAME + _NOTE
    figure = Figure(figsize=(WIDTH, height))
    for place, view in enumerate(views):
        low = _NOTE / height
        axes = figure.add_axes((0.5 * place + 0.01, low, 0.48, 1.0 - _FRAME / height - low))
        axes.imshow(view.pixels, interpolation="none")
        axes.axis("off")
        axes.set_title(view.title, fontsize=8)
        _number(axes, view, shown, owners, forms)
    caption(figure, title, note)
    return figure


def _number(
    axes: Axes,
    view: PartView,
    shown: EvaluationSubject,
    owners: dict[str, list[int]],
    forms: tuple[FormFeature, ...],
) -> None:
    """Numbers on the features that this view shows."""
    seen = view.label_places({number for some in owners.values() for number in some})
    numbers = labels_of(shown.evaluation)
    taken: list[tuple[float, float]] = []
    for one in shown.evaluation.features:
        of = owners[one.name]
        if any(forms[number].kind in _WHOLE for number in of):
            if float((one.deviations.normals @ view.towards).max()) < _FACING:
                continue
            middle = np.append(one.deviations.nominal.mean(axis=0), 1.0)
            column, row = (view.projection @ middle).tolist()
        else:
            places = [seen[number] for number in of if number in seen]
            if not places:
                continue
            row, column = (float(value) for value in places[0])
        while any(np.hypot(row - r, column - c) < _apart(view) for r, c in taken):
            row += 0.5 * _apart(view)  # features of one place, such as sections of a bore
        taken.append((row, column))
        _write(axes, column, row, numbers[one.name], _colour(one))


def _apart(view: PartView) -> float:
    return 0.035 * float(max(view.pixels.shape[:2]))


def _write(axes: Axes, x: float, y: float, number: str, ground: tuple[float, ...]) -> None:
    axes.text(
        x,
        y,
        number,
        ha="center",
        va="center",
        fontsize=7,
        weight="bold",
        color=INK,
        bbox={"boxstyle": "circle,pad=0.25", "facecolor": ground, "edgecolor": INK, "lw": 0.7},
    )


def _owners(one: FeatureResult, geometry: Geometry, forms: tuple[FormFeature, ...]) -> list[int]:
    """Recognised features that a measured one lies on, the one with most of its points first."""
    of = np.full(len(geometry.mesh), -1)
    for number, form in enumerate(forms):
        of[form.triangles] = number
    numbers = of[geometry.closest(one.deviations.nominal).triangles]
    return [number for number, _ in Counter(numbers[numbers >= 0].tolist()).most_common()]


def _colour(one: FeatureResult) -> tuple[float, float, float]:
    verdicts = {item.verdict for item in one.characteristics}
    return next((_VERDICTS[told] for told in _VERDICTS if told in verdicts), _MEASURED)


def _draw_points(axes: Axes, shown: EvaluationSubject) -> None:
    points = shown.evaluation.points.nominal
    centred = points - points.mean(axis=0)
    flat: Array = 1e3 * centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    numbers = labels_of(shown.evaluation)
    row_of = {name: row for row, name in enumerate(shown.evaluation.points.names)}
    for one in shown.evaluation.features:
        own = flat[[row_of[name] for name in one.deviations.names]]
        axes.scatter(own[:, 0], own[:, 1], s=9.0, color=[_colour(one)], edgecolors=INK, lw=0.3)
        x, y = own.mean(axis=0).tolist()
        _write(axes, x, y, numbers[one.name], _colour(one))
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.09)
    axes.set_xlabel("[mm]")
