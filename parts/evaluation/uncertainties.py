"""Uncertainties of all characteristics of a comparison, from draws of the points' errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from parts.evaluation.association import Measurable
from parts.evaluation.characteristics import measurement_of
from parts.evaluation.comparison import Comparison
from parts.evaluation.errors import EvaluationError
from parts.evaluation.propagation import (
    CHECKS,
    REFITS,
    agree,
    checked_errors,
    first_order_values,
    uncertainty_of,
)
from parts.evaluation.realigned import realigned
from parts.evaluation.redrawn import redrawn
from parts.evaluation.results import Characteristic
from robots.core.arrays import Array, Indices


def with_uncertainties(
    comparison: Comparison, errors: Array, *, coverage: float = 0.95
) -> Comparison:
    """The same comparison, of which every characteristic knows its uncertainty.

    Every draw is one measurement of the whole part: what its points share stays shared, so an
    error that is a rigid motion of all of them is no error of form. To first order every draw is
    evaluated; the first ones are also measured again, fits and all, and where the two disagree
    those alone count. Form errors follow their least-squares features, in place of the zones.

    Args:
        comparison: of the measured points.
        errors: measured less true, in the order of the points, in the axes in which they were
            measured. # (draws, n, 3) [m]
        coverage: probability of the intervals.

    Raises:
        EvaluationError: draws of another shape, too few of them, not finite.
    """
    deviations = comparison.deviations
    rows = checked_errors(errors, len(deviations)) @ comparison.T_part_measured[:3, :3].T
    rows = realigned(comparison.task.alignment, deviations.measured, deviations.normals, rows)
    row_of = {name: row for row, name in enumerate(deviations.names)}
    places = {
        name: np.array([row_of[point] for point in subject.deviations.names], dtype=np.int64)
        for name, subject in comparison.subjects.items()
    }
    again = _Again(comparison=comparison, errors=rows, places=places)
    return comparison.with_characteristics(
        tuple(_with_uncertainty(item, again, coverage) for item in comparison.characteristics)
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Again:
    """Draws that are measured again, each feature only when it is asked for.

    Args:
        comparison: of the measured points.
        errors: after the alignment has followed them. # (draws, n, 3) [m]
        places: rows of the points of each feature.
        drawn: the first draws of each feature, as many as were asked for; None where a draw holds
            no such feature.
    """

    comparison: Comparison
    errors: Array
    places: Mapping[str, Indices]
    drawn: dict[str, list[Measurable | None]] = field(default_factory=dict)

    def errors_of(self, feature: str) -> Array:
        """Errors of the points of a feature. # (draws, k, 3) [m]."""
        return np.asarray(self.errors[:, self.places[feature]])

    def values(self, item: Characteristic, count: int) -> Array:
        """A characteristic of the first draws; NaN where one has none. # (count,) [m]."""
        count = min(count, len(self.errors))
        subjects = self._measured(item.feature, count)
        data = self._measured(item.datum, count) if item.datum else [None] * count
        pairs = zip(subjects, data, strict=True)
        return np.array([_value(item, subject, datum) for subject, datum in pairs])

    def _measured(self, feature: str, count: int) -> list[Measurable | None]:
        known = self.drawn.setdefault(feature, [])
        if len(known) < count:
            errors = self.errors[len(known) : count][:, self.places[feature]]
            known += redrawn(self.comparison.subjects[feature], errors)
        return known[:count]


def _value(item: Characteristic, subject: Measurable | None, datum: Measurable | None) -> float:
    if subject is None or (item.datum and datum is None):
        return float("nan")
    try:
        return measurement_of(item.kind, subject, datum).value
    except EvaluationError:
        return float("nan")


def _with_uncertainty(item: Characteristic, again: _Again, coverage: float) -> Characteristic:
    subject = again.comparison.subjects[item.feature]
    linear = None
    if not item.datum:
        errors = again.errors_of(item.feature)[:, subject.kept]
        linear = first_order_values(item.kind, subject, errors)
    values = again.values(item, REFITS if linear is None else CHECKS)
    if linear is not None and not agree(linear, values):
        values, linear = again.values(item, REFITS), None
    value = item.measured if item.least_squares is None else item.least_squares
    try:
        return item.with_uncertainty(uncertainty_of(value, linear, values, coverage))
    except EvaluationError:
        return item
