"""Uncertainty of every characteristic, propagated from draws of the point errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from parts.errors import EvaluationError, FitError
from parts.evaluation.association import FeaturePoints, Measurable, NominalFeature, sizes_of
from parts.evaluation.characteristics import location_of, measurement_of
from parts.evaluation.comparison import AlignmentTask, Comparison, DatumFrame, aligned_to
from parts.evaluation.outliers import LINEAR_KINDS, LinearFit, linear_fit
from parts.evaluation.results import Characteristic
from parts.evaluation.tolerance import (
    FORM_KINDS,
    Material,
    ToleranceSpec,
    Uncertainty,
    system_text,
)
from parts.fits.fit_result import Fitted
from parts.fits.fitting import FIT_KINDS
from parts.fits.repeated_fits import repeated_fits
from parts.fits.zone import is_reversed
from robots.core.arrays import Array, Indices


def add_uncertainties(
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
    row_of = {name: row for row, name in enumerate(deviations.names)}
    places = {
        name: np.array([row_of[point] for point in subject.deviations.names], dtype=np.int64)
        for name, subject in comparison.subjects.items()
    }
    own = aligned_errors(comparison.task.alignment, deviations.measured, deviations.normals, rows)
    frames = {"": _Again(subjects=comparison.subjects, errors=own, places=places)}
    for name, frame in comparison.frames.items():
        R, t = frame.T_part_aligned[:3, :3], frame.T_part_aligned[:3, 3]
        left = aligned_errors(
            frame.task, deviations.measured @ R.T + t, deviations.normals, rows @ R.T
        )
        frames[name] = _Again(subjects=frame.subjects, errors=left, places=places, frame=frame)
    return comparison.with_characteristics(
        tuple(
            _with_uncertainty(item, frames[system_text(item.datums)], coverage)
            for item in comparison.characteristics
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Again:
    """Draws that are measured again in one frame, each feature only when it is asked for.

    Args:
        subjects: features in this frame.
        errors: after the alignment has followed them. # (draws, n, 3) [m]
        places: rows of the points of each feature.
        frame: of datums; None for the alignment's.
        drawn: the first draws of each feature, as many as were asked for; None where a draw holds
            no such feature.
    """

    subjects: Mapping[str, FeaturePoints]
    errors: Array
    places: Mapping[str, Indices]
    frame: DatumFrame | None = None
    drawn: dict[str, list[Measurable | None]] = field(default_factory=dict)

    def errors_of(self, feature: str) -> Array:
        """Errors of the points of a feature. # (draws, k, 3) [m]."""
        return np.asarray(self.errors[:, self.places[feature]])

    def values(self, item: Characteristic, count: int) -> Array:
        """A characteristic of the first draws; NaN where one has none. # (count,) [m]."""
        count = min(count, len(self.errors))
        names = list(self.features(item))
        rows = zip(*(self._measured(name, count) for name in names), strict=True)
        return np.array([self.value(item, dict(zip(names, row, strict=True))) for row in rows])

    def features(self, item: Characteristic) -> dict[str, FeaturePoints]:
        """Features that a characteristic depends on, by name, as they were measured."""
        datum = [item.datum] if item.datum else []
        return {name: self.subjects[name] for name in (item.feature, *datum, *self._shifting)}

    def value(self, item: Characteristic, subjects: Mapping[str, Measurable | None]) -> float:
        """What is compared with the stated tolerance, all by least squares; NaN for none. [m].

        What a size departs from its limit widens a zone as much. What a datum's clearance loses
        costs a position at most as much.
        """
        known = {name: one for name, one in subjects.items() if one is not None}
        if len(known) < len(subjects):
            return float("nan")
        held = None if self.frame is None else self.frame.held
        datum = known[item.datum] if item.datum else None
        try:
            found = measurement_of(_spec_of(item), known[item.feature], datum, held).value
        except EvaluationError:
            return float("nan")
        if item.material:
            found -= _departure(known[item.feature], item.material)
        return found - sum(_departure(known[name], "M") for name in self._shifting)

    @property
    def _shifting(self) -> tuple[str, ...]:
        """Features of the datums that a clearance lets shift."""
        if self.frame is None:
            return ()
        labels = {one.datum.name for one in self.frame.clearances}
        singles = [single for one in self.frame.task.datums for single in one.singles]
        return tuple(one.feature for one in singles if one.label in labels)

    def _measured(self, feature: str, count: int) -> list[Measurable | None]:
        known = self.drawn.setdefault(feature, [])
        if len(known) < count:
            errors = self.errors[len(known) : count][:, self.places[feature]]
            known += repeat_measurement(self.subjects[feature], errors)
        return known[:count]


def _spec_of(item: Characteristic) -> ToleranceSpec:
    """The tolerance that asks for a characteristic; how wide it is does not matter."""
    return ToleranceSpec(
        feature=item.feature,
        kind=item.kind,
        value=1.0,
        datum=item.datum,
        datums=item.datums,
        projected=item.projected,
    )


def _departure(subject: Measurable, material: Material) -> float:
    """Least-squares diameter or width, in the direction in which it widens a zone. [m]."""
    if subject.fit is None:
        return float("nan")
    sizes = sizes_of(subject.fit.shape)
    size = sizes.get("width", sizes.get("diameter", float("nan")))
    return size if is_reversed(subject.fit.shape) == (material == "M") else -size


def _with_uncertainty(item: Characteristic, again: _Again, coverage: float) -> Characteristic:
    subject = again.subjects[item.feature]
    linear = None
    plain = not (
        item.datum or item.material or item.projected or (again.frame and again.frame.clearances)
    )
    if plain:
        errors = again.errors_of(item.feature)[:, subject.kept]
        linear = first_order_values(item.kind, subject, errors)
    values = again.values(item, REFITS if linear is None else CHECKS)
    if linear is not None and not agree(linear, values):
        values, linear = again.values(item, REFITS), None
    value = item.measured if item.least_squares is None else item.least_squares
    if not plain:
        value = again.value(item, again.features(item))
    try:
        return item.with_uncertainty(uncertainty_of(value, linear, values, coverage))
    except EvaluationError:
        return item


# ------------------------------------------------------------------------------------- Propagation

REFITS = 200  # draws that are fitted again: σ to 5 %, where first order does not hold
_FEWEST = 100
_ROUNDING = 1e-13  # [m]
_STEP = 1e-6  # [m] either way: rounding and curvature are then both far below a nanometre
CHECKS = 40  # draws that tell whether it holds
_LINEAR = 0.1  # of σ: what first order may differ from fitting again, root mean square


def first_order_values(kind: str, subject: FeaturePoints, errors: Array) -> Array | None:
    """A characteristic of many draws by the derivatives of its fit; None where it has none.

    Args:
        kind: of the tolerance.
        subject: the feature.
        errors: of the points that the fit rests on, part axes. # (draws, k, 3) [m]
    """
    if kind == "profile":
        along = np.einsum("dki,ki->dk", errors, subject.deviations.normals[subject.kept])
        return np.asarray(2.0 * np.abs(subject.profile + along).max(axis=1))
    if subject.fit is None or subject.fit.kind not in LINEAR_KINDS:
        return None
    linear = linear_fit(subject.fit, subject.points)
    if kind in FORM_KINDS:
        return linear.forms(errors)
    if kind == "diameter":
        return linear.drawn("diameter", errors)[:, 0]
    return _positions(subject, linear, errors) if kind == "position" else None


def _positions(subject: FeaturePoints, linear: LinearFit, errors: Array) -> Array | None:
    if subject.nominal.shape is None:
        return None
    nominal = location_of(subject.nominal.shape, subject.targets)
    if subject.nominal.kind == "plane":
        heights = (subject.points + errors - nominal.point) @ nominal.direction
        return np.asarray(2.0 * np.abs(heights).max(axis=1))
    if "centre" in linear.slopes:
        away = linear.drawn("centre", errors) - nominal.point
        return np.asarray(2.0 * np.linalg.norm(away, axis=1))
    return _axis_positions(subject, linear, errors)


def _axis_positions(subject: FeaturePoints, linear: LinearFit, errors: Array) -> Array | None:
    if subject.nominal.shape is None or subject.fit is None:
        return None
    nominal = location_of(subject.nominal.shape, subject.targets)
    found = location_of(subject.fit.shape, subject.points)
    base = "apex" if "apex" in linear.slopes else "point"
    bases, axes = linear.drawn(base, errors), linear.drawn("axis", errors)
    farthest = []
    for end in found.ends:
        along = float((end - linear.values[base]) @ linear.values["axis"])
        offset = bases + along * axes - nominal.point
        beside = offset - (offset @ nominal.direction)[:, None] * nominal.direction
        farthest.append(np.linalg.norm(beside, axis=1))
    return np.asarray(2.0 * np.max(farthest, axis=0))


def checked_errors(errors: Array, points: int) -> Array:
    """Draws of the points' errors.

    Raises:
        EvaluationError: another shape, too few draws, or a value that is not finite.
    """
    rows = np.asarray(errors, dtype=np.float64)
    if rows.ndim != 3 or rows.shape[1:] != (points, 3) or not np.isfinite(rows).all():
        raise EvaluationError(
            f"The draws of the points' errors have shape {rows.shape}; expected (draws, {points}, "
            "3), finite [m].",
            value=rows.shape,
            limit=(points, 3),
        )
    if len(rows) < _FEWEST:
        raise EvaluationError(
            f"{len(rows)} draws do not hold an interval; give at least {_FEWEST}.",
            value=len(rows),
            limit=_FEWEST,
        )
    return rows


def agree(linear: Array, refitted: Array) -> bool:
    """Return whether first order gives, draw by draw, what measuring again gives.

    Args:
        linear: of all draws, by first order. # (draws,) [m]
        refitted: of the first draws, each measured again. # (r,) [m]
    """
    some = np.isfinite(refitted)
    if not some.all():
        return False
    gap = float(np.sqrt(np.mean((linear[: len(refitted)] - refitted) ** 2)))
    return gap <= _LINEAR * float(np.std(refitted)) + _ROUNDING


def uncertainty_of(
    value: float, linear: Array | None, refitted: Array, coverage: float
) -> Uncertainty:
    """Uncertainty of a value from its draws: all by first order, or those measured again.

    Args:
        value: as measured. [m]
        linear: of all draws, by first order; None where that does not hold. # (draws,) [m]
        refitted: of some draws, each measured again. # (r,) [m]
        coverage: probability of the interval.

    Raises:
        EvaluationError: hardly a draw could be measured again.
    """
    values = refitted[np.isfinite(refitted)] if linear is None else linear
    if len(values) < 2:
        raise EvaluationError(
            "No draw could be evaluated: the errors are so large that the points hold no such "
            "feature any more.",
            value=len(values),
            limit=2,
        )
    mean = float(np.mean(values))
    standard = float(np.std(values, ddof=1))
    # the values are of a measurement that already has its noise: only their scatter is doubt
    expanded = float(np.quantile(np.abs(values - mean), coverage))
    return Uncertainty(
        standard=standard,
        expanded=expanded,
        coverage=coverage,
        draws=len(values),
        shift=mean - value,
        first_order=float("nan") if linear is None else standard,
    )


# ----------------------------------------------------------------- Errors removed by the alignment


def aligned_errors(task: AlignmentTask, points: Array, normals: Array, errors: Array) -> Array:
    """Errors of the points after the alignment has followed them.

    A measurement that is aligned to its own points loses that part of their errors that is a rigid
    motion in the alignment's own sense: what is left are the errors less this motion.

    Args:
        task: the alignment.
        points: aligned, in the part frame. # (n, 3) [m]
        normals: of the surface where the points meet it, unit. # (n, 3)
        errors: # (draws, n, 3) [m]
    """
    if task.method == "none":
        return errors
    centre = points.mean(axis=0)
    arms = points - centre
    if task.method == "datums":
        twists = _held_by_datums(task, points, centre, errors)
    elif task.method == "rps" and task.targets is not None:
        rows = task.target_rows
        twists = _held_by_squares(
            task.method, task.targets.weights, arms[rows], task.targets.directions, errors[:, rows]
        )
    else:
        twists = _held_by_squares(task.method, task.weights, arms, normals, errors)
    moves = twists[:, None, :3] + np.cross(twists[:, None, 3:], arms)
    return np.asarray(errors - moves)


def _held_by_squares(
    method: str, weights: Array | None, arms: Array, normals: Array, errors: Array
) -> Array:
    """Shifts and turns of least squares. # (draws, 6)."""
    roots = np.ones(len(arms)) if weights is None else np.sqrt(weights)
    if method == "points":
        axes = np.broadcast_to(np.eye(3), (len(arms), 3, 3))
        rows = np.concatenate([axes, np.cross(arms[:, None, :], axes)], axis=2)
        A = (roots[:, None, None] * rows).reshape(-1, 6)
        b = (roots[:, None] * errors).reshape(len(errors), -1)
    else:
        A = roots[:, None] * np.hstack([normals, np.cross(arms, normals)])
        b = roots * np.einsum("dki,ki->dk", errors, normals)
    return np.asarray(b @ np.linalg.pinv(A).T)


def _held_by_datums(task: AlignmentTask, points: Array, centre: Array, errors: Array) -> Array:
    """Shifts and turns of the part for errors along the normals of its datums. # (draws, 6).

    Each datum point is displaced either way; what the alignment follows is linear in that but for
    the third power.
    """
    twists = np.zeros((len(errors), 6))
    for datum in task.nominal_datums:
        for row, normal in zip(datum.rows.tolist(), datum.normals, strict=True):
            slope = np.zeros(6)
            for side in (1.0, -1.0):
                moved = points.copy()
                moved[row] += side * _STEP * normal
                T = aligned_to(task, moved, whole=False).alignment.T_base_part
                R = T[:3, :3]
                turn = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
                shift = T[:3, 3] + R @ centre - centre
                slope += side * np.concatenate([shift, turn]) / (2.0 * _STEP)
            twists += np.outer(errors[:, row] @ normal, slope)
    return twists


# --------------------------------------------------------------------------- Repeated measurements


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RepeatedFeature:
    """One of these measurements.

    Args:
        of: the feature as it was measured.
        errors: of its points, more than it already has. # (n, 3) [m]
        fit: None where the feature has none.
    """

    of: FeaturePoints
    errors: Array
    fit: Fitted | None

    def __len__(self) -> int:
        """Points of the feature, those that were dropped included."""
        return len(self.of)

    @property
    def name(self) -> str:
        """Of the feature."""
        return self.of.name

    @property
    def nominal(self) -> NominalFeature:
        """As it should be."""
        return self.of.nominal

    @property
    def refusal(self) -> str:
        """Why there is no fit."""
        return self.of.refusal

    @property
    def points(self) -> Array:
        """That the fit rests on. # (k, 3) [m]."""
        return self.of.points + self.errors[self.of.kept]

    @property
    def targets(self) -> Array:
        """Where these should be. # (k, 3) [m]."""
        return self.of.targets

    @property
    def names(self) -> tuple[str, ...]:
        """Of these points."""
        return self.of.names

    @property
    def profile(self) -> Array:
        """Deviations of these points: their errors count along the normals. # (k,) [m]."""
        kept = self.of.kept
        along = np.einsum("ij,ij->i", self.errors[kept], self.of.deviations.normals[kept])
        return np.asarray(self.of.profile + along)


def repeat_measurement(subject: FeaturePoints, errors: Array) -> list[Measurable | None]:
    """Measure a feature again with each draw of its points' errors.

    The fits are made together; where that leaves a doubt, one is made on its own. None stands for
    a draw whose points hold no such feature.

    Args:
        subject: as it was measured.
        errors: more than its points already have. # (d, n, 3) [m]
    """
    if subject.fit is None:
        return [RepeatedFeature(of=subject, errors=some, fit=None) for some in errors]
    if subject.fit.kind not in FIT_KINDS:
        return [_alone(subject, some) for some in errors]
    sets = subject.points + errors[:, subject.kept]
    normals = subject.deviations.normals[subject.kept]
    found = repeated_fits(subject.fit.kind, subject.fit.shape, sets, normals)
    return [
        _alone(subject, some) if fit is None else RepeatedFeature(of=subject, errors=some, fit=fit)
        for fit, some in zip(found, errors, strict=True)
    ]


def _alone(subject: FeaturePoints, errors: Array) -> FeaturePoints | None:
    try:
        return subject.redrawn(subject.deviations.measured + errors)
    except FitError:
        return None
