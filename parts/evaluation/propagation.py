"""From errors of the points to uncertainties of what is measured on them."""

from __future__ import annotations

import numpy as np

from parts.evaluation.association import Subject
from parts.evaluation.errors import EvaluationError
from parts.evaluation.linearised import LINEAR_KINDS, LinearFit, linear_fit
from parts.evaluation.places import place_of
from parts.evaluation.tolerance import FORM_KINDS
from parts.evaluation.verdict import Uncertainty
from robots.core.arrays import Array

REFITS = 200  # draws that are fitted again: σ to 5 %, where first order does not hold
_FEWEST = 100
_ROUNDING = 1e-13  # [m]
CHECKS = 40  # draws that tell whether it holds
_LINEAR = 0.1  # of σ: what first order may differ from fitting again, root mean square


def first_order_values(kind: str, subject: Subject, errors: Array) -> Array | None:
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


def _positions(subject: Subject, linear: LinearFit, errors: Array) -> Array | None:
    if subject.nominal.shape is None:
        return None
    nominal = place_of(subject.nominal.shape, subject.targets)
    if subject.nominal.kind == "plane":
        heights = (subject.points + errors - nominal.point) @ nominal.direction
        return np.asarray(2.0 * np.abs(heights).max(axis=1))
    if "centre" in linear.slopes:
        away = linear.drawn("centre", errors) - nominal.point
        return np.asarray(2.0 * np.linalg.norm(away, axis=1))
    return _axis_positions(subject, linear, errors)


def _axis_positions(subject: Subject, linear: LinearFit, errors: Array) -> Array | None:
    if subject.nominal.shape is None or subject.fit is None:
        return None
    nominal = place_of(subject.nominal.shape, subject.targets)
    found = place_of(subject.fit.shape, subject.points)
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
    """Whether first order gives, draw by draw, what measuring again gives.

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
