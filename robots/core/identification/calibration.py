"""Calibration of a serial arm: geometric parameters from spheres, lengths or points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from robots.core.arrays import Array
from robots.core.identification.arm import IdentifiedArm
from robots.core.identification.equations import linearised, start_centres
from robots.core.identification.errors import IdentificationError, NotIdentifiableError
from robots.core.identification.fitted import Fit, Question, distances, fit, misfit_of
from robots.core.identification.identifiable import Identifiable, identifiable
from robots.core.identification.measurements import ArmMeasurements
from robots.core.identification.noise import ArmNoise, Prior
from robots.core.identification.outliers import outliers
from robots.core.identification.result import ArmCalibration, Misfit
from robots.core.identification.validation import validated
from robots.core.mechanism import Mechanism


def calibrate(
    mechanism: Mechanism,
    given: ArmMeasurements,
    *,
    noise: ArmNoise | None = None,
    prior: Prior | None = None,
    parameters: Sequence[str] | None = None,
    drop_outliers: bool = False,
) -> ArmCalibration:
    """Find the errors of the geometric parameters that the measurements tell.

    Least squares by Gauss and Newton over the parameters and the unknown centres of spheres. With
    the noise given, encoder errors spread to each measurement through the arm's own Jacobian, and
    the residuals are weighted with the inverse of what arrives.

    Args:
        mechanism: nominal arm; the origin of its tool frame is the ball centre.
        given: the measurements.
        noise: of them; without it every number has the same weight.
        prior: how far the parameters may be off; makes weak measurements usable.
        parameters: names of those sought; default all that this kind of measurement tells.
        drop_outliers: leave measurements that contradict the others out; they are still listed.

    Raises:
        NotIdentifiableError: parameters asked for, or the measurements as taken, cannot be told
            apart; the message names them.
        IdentificationError: measurements that do not belong to the arm, or do not settle.

    Source: the observation equations of [LAMMARI12] chapter VI's arm; QR for what is identifiable.
    """
    found = _calibrated(mechanism, given, noise, prior, parameters)
    if not (drop_outliers and found.outliers):
        return found
    contradicting = {outlier.block for outlier in found.outliers}
    left = given.only([block for block in range(given.count) if block not in contradicting])
    again = _calibrated(mechanism, left, noise, prior, parameters)
    return replace(again, outliers=found.outliers)


def _calibrated(
    mechanism: Mechanism,
    given: ArmMeasurements,
    noise: ArmNoise | None,
    prior: Prior | None,
    parameters: Sequence[str] | None,
) -> ArmCalibration:
    _check_joints(mechanism, given)
    arm = IdentifiedArm(mechanism, given.kind)
    told = identifiable(arm, given, _places(arm, parameters))
    _check_asked(arm, told, parameters)
    question = Question(arm=arm, kept=told.kept, noise=noise, prior=prior)
    found = fit(question, given)
    none = np.zeros(len(arm.parameters))
    nominal = distances(
        question, given, np.zeros(len(told.kept)), start_centres(arm.model, given, none)
    )
    centres = found.centres
    return ArmCalibration(
        parameters=question.parameters,
        values=found.values,
        covariance=_covariance(question, found),
        dropped=told.dropped,
        mechanism=arm.corrected(question.errors(found.values)),
        centres=dict(zip(given.names, centres, strict=True)) if len(centres) else {},
        before=misfit_of(nominal),
        after=misfit_of(found.misfit),
        validation=validated(question, given),
        outliers=outliers(question, given, found),
        condition=found.condition,
        observability=observability(question, given),
        chi_squared=float(found.residual @ found.residual),
        freedom=_freedom(found),
        iterations=found.iterations,
        count=given.count,
    )


def nominal_misfit(mechanism: Mechanism, given: ArmMeasurements) -> Misfit:
    """Misfit of an arm as it is: spheres about the mean of their postures."""
    _check_joints(mechanism, given)
    question = Question(arm=IdentifiedArm(mechanism, given.kind), kept=())
    centres = start_centres(question.arm.model, given, question.errors(np.zeros(0)))
    return misfit_of(distances(question, given, np.zeros(0), centres))


def observability(question: Question, given: ArmMeasurements) -> float:
    """Geometric mean of the singular values over √measurements, sphere centres eliminated.

    Columns are scaled by the change of the ball centre that a parameter makes, so it is a number.
    """
    model, none = question.arm.model, np.zeros(len(question.arm.parameters))
    system = linearised(model, given, none, start_centres(model, given, none))
    kept = list(question.kept)
    J, nuisance = np.concatenate(system.by_errors)[:, kept], np.concatenate(system.by_centres)
    if nuisance.shape[1]:
        basis = np.linalg.qr(nuisance)[0]
        J = J - basis @ (basis.T @ J)
    s = np.linalg.svd(J / effects(question, given.q), compute_uv=False)
    if len(J) < len(kept) or s[-1] <= 0.0:
        return 0.0
    return float(np.exp(np.mean(np.log(s))) / np.sqrt(given.count))


def effects(question: Question, q: Array) -> Array:
    """Change of the ball centre per unit of each parameter, RMS over postures. [m/rad or 1]."""
    J = question.arm.model.sensitivities(q)[..., list(question.kept)]
    return np.asarray(np.sqrt(np.mean(np.sum(J * J, axis=-2), axis=0)))


def _covariance(question: Question, found: Fit) -> Array:
    count = found.centres.size
    inverse = np.linalg.inv(found.information)[count:, count:]
    if question.noise is not None:
        return np.asarray(inverse)
    freedom = _freedom(found)
    variance = float(found.residual @ found.residual) / freedom if freedom > 0 else np.nan
    return np.asarray(variance * inverse)


def _freedom(found: Fit) -> int:
    return int(found.residual.size - found.jacobian.shape[1])


def _check_joints(mechanism: Mechanism, given: ArmMeasurements) -> None:
    if given.q.shape[1] != mechanism.dof or mechanism.dof == 0:
        raise IdentificationError(
            f"The measurements have {given.q.shape[1]} joint values per posture; "
            f"{mechanism.name!r} has {mechanism.dof} joint variables.",
            found=given.q.shape[1],
            expected=mechanism.dof,
        )


def _places(arm: IdentifiedArm, names: Sequence[str] | None) -> tuple[int, ...]:
    """Places of the parameters asked for among the candidates, in the order of preference."""
    if names is None:
        return tuple(range(len(arm.names)))
    for name in names:
        if name not in arm.names:
            close = get_close_matches(name, arm.names, n=1)
            advice = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(arm.names)}."
            raise IdentificationError(
                f"{arm.nominal.name!r} has no parameter {name!r}; {advice}", parameter=name
            )
    if not names:
        raise IdentificationError("No parameter is sought; name at least one.")
    return tuple(k for k, name in enumerate(arm.names) if name in set(names))


def _check_asked(arm: IdentifiedArm, told: Identifiable, names: Sequence[str] | None) -> None:
    if names is not None and told.dropped:
        reasons = "; ".join(f"{d.name} {d.reason}" for d in told.dropped)
        raise NotIdentifiableError(
            f"Not all parameters asked for can be told apart by {arm.kind.value} measurements: "
            f"{reasons}. Leave {'it' if len(told.dropped) == 1 else 'them'} out.",
            parameters=tuple(d.name for d in told.dropped),
        )
    if not told.kept:
        raise NotIdentifiableError(
            f"{arm.kind.value.capitalize()} measurements tell no parameter of {arm.nominal.name!r}."
        )
