"""Fitting the parameters to measurements: the search itself, once the columns are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.geometric_errors import GeometricParameter
from robots.core.identification.arm import IdentifiedArm, reach
from robots.core.identification.equations import (
    linearised,
    reading_spread,
    residuals,
    start_centres,
)
from robots.core.identification.errors import IdentificationError, NotIdentifiableError
from robots.core.identification.least_squares import Settled, System, settle
from robots.core.identification.measurements import ArmMeasurements
from robots.core.identification.noise import ArmNoise, Prior, whitening
from robots.core.identification.result import Misfit

# Readings good to 1e-5 m would leave some combination of parameters open by a metre.
LARGEST_CONDITION = 1e5
_TAKES_PART = 0.1  # of the largest share in the combination that is open


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """What is to be found, and from what.

    Args:
        arm: nominal.
        kept: places of the parameters sought among the candidates of the arm.
        noise: of the measurements; without it every number has the same weight.
        prior: how far the parameters may be off; none leaves them free.
    """

    arm: IdentifiedArm
    kept: tuple[int, ...]
    noise: ArmNoise | None = None
    prior: Prior | None = None

    def errors(self, values: Array) -> Array:
        """All candidates' errors from those that are sought. # (P,)."""
        full = np.zeros(len(self.arm.parameters))
        full[list(self.kept)] = values
        return full

    @property
    def parameters(self) -> tuple[GeometricParameter, ...]:
        """Those that are sought."""
        return tuple(self.arm.parameters[k] for k in self.kept)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """Parameters and sphere centres that fit.

    Args:
        values: of the parameters. # (m,) [rad or m]
        centres: # (S, 3) [m]
        jacobian: weighted, centres first, without the prior's rows. # (rows, 3 S + m)
        residual: weighted, likewise. # (rows,)
        information: JᵀJ with the prior. # (3 S + m, 3 S + m)
        misfit: distance of computed from measured of every measurement. # (B,) [m]
        condition: of the weighted equations at the start, columns of length one.
        iterations: of the search.
    """

    values: Array
    centres: Array
    jacobian: Array
    residual: Array
    information: Array
    misfit: Array
    condition: float
    iterations: int


def fit(question: Question, given: ArmMeasurements) -> Fit:
    """Find the parameters.

    Raises:
        NotIdentifiableError: the measurements do not tell the parameters apart.
        IdentificationError: fewer equations than unknowns; a search that does not settle.
    """
    model = question.arm.model
    none = np.zeros(len(question.arm.parameters))
    centres = start_centres(model, given, none)
    W = whitening(reading_spread(model, given, none), question.noise)
    count = centres.size
    beforehand = _prior_rows(question, count)
    _check_count(question, given, count)

    def system_at(x: Array) -> System:
        errors = question.errors(x[count:])
        found = linearised(model, given, errors, x[:count].reshape(-1, 3))
        J = np.concatenate(W @ found.columns(list(question.kept)))
        r = (W @ found.residual[..., None]).ravel()
        return System(
            residual=np.concatenate([r, beforehand @ x]),
            jacobian=np.concatenate([J, beforehand]),
        )

    start = np.concatenate([centres.ravel(), np.zeros(len(question.kept))])
    condition = _checked_condition(question, system_at(start).jacobian, given)
    size = reach(question.arm.nominal) * float(np.abs(W).max())
    found = settle(system_at, start, size)
    return _fit(question, given, found, condition)


def _fit(question: Question, given: ArmMeasurements, found: Settled, condition: float) -> Fit:
    count = found.x.size - len(question.kept)
    values, centres = found.x[count:], found.x[:count].reshape(-1, 3)
    J, r = found.system.jacobian, found.system.residual
    rows = given.count * given.kind.block
    return Fit(
        values=values,
        centres=centres,
        jacobian=J[:rows],
        residual=r[:rows],
        information=J.T @ J,
        misfit=distances(question, given, values, centres),
        condition=condition,
        iterations=found.iterations,
    )


def distances(question: Question, given: ArmMeasurements, values: Array, centres: Array) -> Array:
    """Distance of computed from measured of every measurement. # (B,) [m]."""
    r = residuals(question.arm.model, given, question.errors(values), centres)
    return np.asarray(np.linalg.norm(r, axis=-1))


def misfit_of(distance: Array) -> Misfit:
    """Root mean square and largest of distances."""
    rms = float(np.sqrt(np.mean(distance**2)))
    return Misfit(rms=rms, largest=float(distance.max()))


def _prior_rows(question: Question, centres: int) -> Array:
    """One equation per parameter: its value over its standard deviation beforehand is zero."""
    m = len(question.kept)
    if question.prior is None:
        return np.zeros((0, centres + m))
    if question.noise is None:
        raise IdentificationError(
            "A prior has to be weighed against the noise of the measurements; give the noise too."
        )
    prior = question.prior
    sigma = [prior.angle if p.unit == "rad" else prior.length for p in question.parameters]
    return np.hstack([np.zeros((m, centres)), np.diag(1.0 / np.array(sigma))])


def _check_count(question: Question, given: ArmMeasurements, centres: int) -> None:
    equations, unknowns = given.count * given.kind.block, len(question.kept) + centres
    if equations < unknowns and question.prior is None:
        least = -(-unknowns // given.kind.block)
        raise NotIdentifiableError(
            f"{given.count} {given.kind.value} measurements give {equations} equations for "
            f"{unknowns} unknowns ({len(question.kept)} parameters and {centres} coordinates of "
            f"spheres); measure at least {least}, better {3 * least}.",
            found=given.count,
            least=least,
        )


def _checked_condition(question: Question, J: Array, given: ArmMeasurements) -> float:
    width = np.linalg.norm(J, axis=0)
    _, s, Vt = np.linalg.svd(J / np.where(width > 0.0, width, 1.0), full_matrices=False)
    condition = float(s[0] / s[-1]) if s[-1] > 0.0 else np.inf
    if condition > LARGEST_CONDITION:
        count = J.shape[1] - len(question.kept)
        free = Vt[s * LARGEST_CONDITION < s[0]][:, count:]
        names = _open(free, [p.name for p in question.parameters])
        rank = int(np.sum(s * LARGEST_CONDITION >= s[0]))
        raise NotIdentifiableError(
            f"These {given.count} {given.kind.value} measurements tell {rank} of {J.shape[1]} "
            f"unknowns apart (condition {condition:.1e}, limit {LARGEST_CONDITION:.0e}); they do "
            f"not tell apart {', '.join(names)}. Measure more postures in which these act "
            "differently (--plan proposes some), or seek fewer parameters.",
            rank=rank,
            condition=condition,
            parameters=names,
        )
    return condition


def _open(free: Array, names: Sequence[str]) -> list[str]:
    """Parameters that take part in combinations that stay open."""
    share = np.linalg.norm(free, axis=0)
    part = share > _TAKES_PART * share.max(initial=0.0)
    return [name for name, takes in zip(names, part, strict=True) if takes]
