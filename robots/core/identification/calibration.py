"""Calibration of a serial arm from spheres, lengths or points, with outliers and validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import IdentificationError, NotIdentifiableError
from robots.core.geometric_errors import GeometricParameter
from robots.core.identification.arm import (
    IdentifiedArm,
    linearised,
    reach,
    reading_spread,
    residuals,
    start_centres,
)
from robots.core.identification.identifiability import Dropped, Identifiable, identifiable
from robots.core.identification.measurements import ArmMeasurements, ArmNoise, Prior, whitening
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
    _check_requested(arm, told, parameters)
    question = FitProblem(arm=arm, kept=told.kept, noise=noise, prior=prior)
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
        validation=validate(question, given),
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
    question = FitProblem(arm=IdentifiedArm(mechanism, given.kind), kept=())
    centres = start_centres(question.arm.model, given, question.errors(np.zeros(0)))
    return misfit_of(distances(question, given, np.zeros(0), centres))


def observability(question: FitProblem, given: ArmMeasurements) -> float:
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


def effects(question: FitProblem, q: Array) -> Array:
    """Change of the ball centre per unit of each parameter, RMS over postures. [m/rad or 1]."""
    J = question.arm.model.sensitivities(q)[..., list(question.kept)]
    return np.asarray(np.sqrt(np.mean(np.sum(J * J, axis=-2), axis=0)))


def _covariance(question: FitProblem, found: ParameterFit) -> Array:
    count = found.centres.size
    inverse = np.linalg.inv(found.information)[count:, count:]
    if question.noise is not None:
        return np.asarray(inverse)
    freedom = _freedom(found)
    variance = float(found.residual @ found.residual) / freedom if freedom > 0 else np.nan
    return np.asarray(variance * inverse)


def _freedom(found: ParameterFit) -> int:
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


def _check_requested(arm: IdentifiedArm, told: Identifiable, names: Sequence[str] | None) -> None:
    if names is not None and told.dropped:
        reasons = "; ".join(f"{d.name} {d.reason}" for d in told.dropped)
        raise NotIdentifiableError(
            f"Not all requested parameters can be distinguished by {arm.kind.value} measurements: "
            f"{reasons}. Leave {'it' if len(told.dropped) == 1 else 'them'} out.",
            parameters=tuple(d.name for d in told.dropped),
        )
    if not told.kept:
        raise NotIdentifiableError(
            f"{arm.kind.value.capitalize()} measurements determine no parameter of "
            f"{arm.nominal.name!r}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """Deviation of computed from measured: root mean square and maximum. [m]."""

    rms: float
    largest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationMisfit:
    """Misfit of measurements that the parameters were not found from.

    Args:
        before: of the nominal arm.
        after: of the calibrated arm.
        folds: how many times a part was kept out; each measurement was, once.
    """

    before: Misfit
    after: Misfit
    folds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementOutlier:
    """A measurement that contradicts the others.

    Args:
        block: its place among the measurements.
        label: what it is.
        misfit: with the parameters found without it. [m]
        ratio: its distance in standard deviations over the limit; above one.
    """

    block: int
    label: str
    misfit: float
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArmCalibration:
    """The corrections found, with how well they are known.

    Args:
        parameters: those that were found.
        values: true less nominal value of each. # (m,) [rad or m]
        covariance: of ``values``; from the noise where it was given, else from the residuals, NaN
            where none are left over. # (m, m)
        dropped: parameters that stay nominal, and why.
        mechanism: the arm with the corrections.
        centres: of the spheres, in the base frame, by name. [m]
        before: misfit of the nominal arm.
        after: misfit of the calibrated arm, with the measurements it was found from.
        validation: with measurements it was not found from; absent where there are too few.
        outliers: worst first.
        condition: of the weighted equations with columns of length one.
        observability: geometric mean of the singular values over √measurements, columns by the
            change of the ball centre that a parameter makes: Borm and Menq's index.
        chi_squared: weighted sum of squares; it should be near ``freedom`` when noise was given.
        freedom: equations less unknowns.
        iterations: of the search.
        count: measurements used.
    """

    parameters: tuple[GeometricParameter, ...]
    values: Array
    covariance: Array
    dropped: tuple[Dropped, ...]
    mechanism: Mechanism
    centres: dict[str, Array]
    before: Misfit
    after: Misfit
    validation: ValidationMisfit | None
    outliers: tuple[MeasurementOutlier, ...]
    condition: float
    observability: float
    chi_squared: float
    freedom: int
    iterations: int
    count: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters that were found."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def deviations(self) -> Array:
        """Standard deviations of ``values``. # (m,) [rad or m]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def improved(self) -> bool:
        """Whether the calibrated arm does better, with measurements kept out where there are."""
        if self.validation is None:
            return self.after.rms < self.before.rms
        return self.validation.after.rms < self.validation.before.rms


# --------------------------------------------------------------------------------------------- Fit

# Readings good to 1e-5 m would leave some combination of parameters open by a metre.
LARGEST_CONDITION = 1e5
_TAKES_PART = 0.1  # of the largest share in the combination that is open


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FitProblem:
    """Unknowns and measurements of an identification.

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
class ParameterFit:
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


def fit(question: FitProblem, given: ArmMeasurements) -> ParameterFit:
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
            residual=np.concatenate([r, beforehand @ x]), jacobian=np.concatenate([J, beforehand])
        )

    start = np.concatenate([centres.ravel(), np.zeros(len(question.kept))])
    condition = _checked_condition(question, system_at(start).jacobian, given)
    size = reach(question.arm.nominal) * float(np.abs(W).max())
    found = solve_least_squares(system_at, start, size)
    return _fit(question, given, found, condition)


def _fit(
    question: FitProblem, given: ArmMeasurements, found: LeastSquaresSolution, condition: float
) -> ParameterFit:
    count = found.x.size - len(question.kept)
    values, centres = found.x[count:], found.x[:count].reshape(-1, 3)
    J, r = found.system.jacobian, found.system.residual
    rows = given.count * given.kind.block
    return ParameterFit(
        values=values,
        centres=centres,
        jacobian=J[:rows],
        residual=r[:rows],
        information=J.T @ J,
        misfit=distances(question, given, values, centres),
        condition=condition,
        iterations=found.iterations,
    )


def distances(question: FitProblem, given: ArmMeasurements, values: Array, centres: Array) -> Array:
    """Distance of computed from measured of every measurement. # (B,) [m]."""
    r = residuals(question.arm.model, given, question.errors(values), centres)
    return np.asarray(np.linalg.norm(r, axis=-1))


def misfit_of(distance: Array) -> Misfit:
    """Root mean square and largest of distances."""
    rms = float(np.sqrt(np.mean(distance**2)))
    return Misfit(rms=rms, largest=float(distance.max()))


def _prior_rows(question: FitProblem, centres: int) -> Array:
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


def _check_count(question: FitProblem, given: ArmMeasurements, centres: int) -> None:
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


def _checked_condition(question: FitProblem, J: Array, given: ArmMeasurements) -> float:
    width = np.linalg.norm(J, axis=0)
    _, s, Vt = np.linalg.svd(J / np.where(width > 0.0, width, 1.0), full_matrices=False)
    condition = float(s[0] / s[-1]) if s[-1] > 0.0 else np.inf
    if condition > LARGEST_CONDITION:
        count = J.shape[1] - len(question.kept)
        free = Vt[s * LARGEST_CONDITION < s[0]][:, count:]
        names = _open(free, [p.name for p in question.parameters])
        rank = int(np.sum(s * LARGEST_CONDITION >= s[0]))
        raise NotIdentifiableError(
            f"These {given.count} {given.kind.value} measurements distinguish {rank} of "
            f"{J.shape[1]} unknowns (condition {condition:.1e}, limit "
            f"{LARGEST_CONDITION:.0e}); they do not distinguish {', '.join(names)}. Measure more "
            "postures in which these act differently (--plan proposes some), or seek fewer "
            "parameters.",
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


# ---------------------------------------------------------------------------------------- Outliers
# A residual is judged against its own standard deviation, which is smaller where the measurement
# has drawn the parameters towards itself. The worst is taken out and the rest fitted again, since
# one large error makes good neighbours look bad.

FALSE_ALARMS = 0.01  # probability of one among all measurements, were the noise normal
MOST = 0.1  # of the measurements; beyond it the model is wrong, not the measurements
_UNKNOWN = 1.5  # times the limit where the noise is not known, and so differs between postures
_FREE = 1e-6  # share of a measurement that the parameters do not follow, at least


def outliers(
    question: FitProblem, given: ArmMeasurements, first: ParameterFit
) -> tuple[MeasurementOutlier, ...]:
    """Contradicting measurements, worst first.

    Args:
        question: what was sought.
        given: all measurements.
        first: the fit to all of them.
    """
    left = np.arange(given.count)
    taken: list[tuple[int, float]] = []
    found, part = first, given
    while len(taken) < max(1, int(MOST * given.count)):
        ratio = _ratios(question, part, found)
        worst = int(np.argmax(ratio))
        if not ratio[worst] > 1.0:
            break
        taken.append((int(left[worst]), float(ratio[worst])))
        left = np.delete(left, worst)
        part = given.only(left)
        try:
            found = fit(question, part)
        except NotIdentifiableError:
            break
    misfit = _misfits(question, given, found, part)
    labels = given.labels()
    listed = [
        MeasurementOutlier(
            block=block, label=labels[block], misfit=float(misfit[block]), ratio=ratio
        )
        for block, ratio in taken
    ]
    return tuple(sorted(listed, key=lambda outlier: -outlier.ratio))


def _ratios(question: FitProblem, given: ArmMeasurements, found: ParameterFit) -> Array:
    """Distance of every measurement in standard deviations, over the limit. # (B,)."""
    k = given.kind.block
    J = found.jacobian.reshape(given.count, k, -1)
    inverse = np.linalg.inv(found.information)
    free = np.eye(k) - J @ inverse @ np.swapaxes(J, -1, -2)
    values, vectors = np.linalg.eigh(free)
    along = (np.swapaxes(vectors, -1, -2) @ found.residual.reshape(-1, k, 1))[..., 0]
    usable = values > _FREE
    squares = np.sum(np.where(usable, along**2 / np.where(usable, values, 1.0), 0.0), axis=1)
    middle = float(np.median(squares)) / _chi_squared(0.5, k)
    # Known noise is not made smaller by a lucky fit, but larger by one that is not.
    variance = _UNKNOWN**2 * middle if question.noise is None else max(1.0, middle)
    limit = variance * _chi_squared(1.0 - FALSE_ALARMS / given.count, k)
    floor = np.finfo(float).eps ** 2 * float(np.abs(found.jacobian).max()) ** 2
    return np.asarray(np.sqrt(squares / (limit + 1e4 * floor)))


def _chi_squared(probability: float, freedom: int) -> float:
    """The value that chi² stays below with a probability."""
    from scipy.special import gammaincinv  # scipy.stats would take seconds to import

    return 2.0 * float(gammaincinv(0.5 * freedom, probability))


def _misfits(
    question: FitProblem, given: ArmMeasurements, found: ParameterFit, part: ArmMeasurements
) -> Array:
    """Distances of all measurements with what the others say."""
    centres = found.centres
    if len(centres):
        model = question.arm.model
        every = start_centres(model, given, question.errors(found.values))
        known = dict(zip(part.names, centres, strict=True))
        centres = np.array(
            [known.get(name, mean) for name, mean in zip(given.names, every, strict=True)]
        )
    return distances(question, given, found.values, centres)


# -------------------------------------------------------------------------------------- Validation

FOLDS = 5


def validate(question: FitProblem, given: ArmMeasurements) -> ValidationMisfit | None:
    """Keep out every fifth measurement, five times; absent where the rest would be too few."""
    blocks = np.arange(given.count)
    before, after = [], []
    for fold in range(FOLDS):
        out = blocks % FOLDS == fold
        if not np.any(out) or np.all(out):
            return None
        train, test = given.only(blocks[~out]), given.only(blocks[out])
        if not set(test.names) <= set(train.names) and not len(test.lengths):
            return None
        try:
            found = fit(question, train)
        except NotIdentifiableError:
            return None
        model, none = question.arm.model, np.zeros(len(question.arm.parameters))
        nominal = start_centres(model, train, none)
        before.append(
            _validation_misfits(question, (train, test), np.zeros_like(found.values), nominal)
        )
        after.append(_validation_misfits(question, (train, test), found.values, found.centres))
    return ValidationMisfit(
        before=misfit_of(np.concatenate(before)),
        after=misfit_of(np.concatenate(after)),
        folds=FOLDS,
    )


def _validation_misfits(
    question: FitProblem,
    parts: tuple[ArmMeasurements, ArmMeasurements],
    values: Array,
    centres: Array,
) -> Array:
    """Distances in the part kept out, with the centres of the other."""
    train, test = parts
    if len(centres):
        centres = centres[[train.names.index(name) for name in test.names]]
    return distances(question, test, values, centres)


# ----------------------------------------------------------------------------- Damped Gauss-Newton

MOST_ITERATIONS = 100
CONVERGED = 1e-13  # step of all columns together, in proportion to the residual they can make


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class System:
    """Weighted residuals and their derivatives at one place."""

    residual: Array  # (rows,)
    jacobian: Array  # (rows, unknowns)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeastSquaresSolution:
    """The least-squares answer."""

    x: Array  # (unknowns,)
    system: System  # there
    iterations: int


def solve_least_squares(
    system_at: Callable[[Array], System], x: Array, size: float
) -> LeastSquaresSolution:
    """Minimise the sum of squares.

    Args:
        system_at: residuals and derivatives.
        x: where the search starts. # (unknowns,)
        size: a residual that counts as large, in the unit of the weighted residuals; the search
            ends when a step changes no residual by more than 1e-13 of it.

    Raises:
        IdentificationError: it does not settle.
    """
    damping = 0.0
    here = system_at(x)
    change = np.inf
    for iteration in range(1, MOST_ITERATIONS + 1):
        width = np.linalg.norm(here.jacobian, axis=0)
        width = np.where(width > 0.0, width, 1.0)
        rows = np.concatenate([here.jacobian / width, np.sqrt(damping) * np.eye(len(x))])
        target = np.concatenate([-here.residual, np.zeros(len(x))])
        scaled = np.linalg.lstsq(rows, target, rcond=None)[0]
        change = float(np.max(np.abs(scaled), initial=0.0)) / np.sqrt(len(here.residual))
        trial = system_at(x + scaled / width)
        better = np.linalg.norm(trial.residual) <= np.linalg.norm(here.residual) * (1.0 + 1e-9)
        if change <= CONVERGED * size:
            return LeastSquaresSolution(x=x + scaled / width, system=trial, iterations=iteration)
        if better:
            x, here, damping = x + scaled / width, trial, 0.1 * damping
        elif change <= 1e3 * CONVERGED * size:
            return LeastSquaresSolution(x=x, system=here, iterations=iteration)
        else:
            damping = max(10.0 * damping, 1e-6)
    raise IdentificationError(
        f"The calibration does not settle in {MOST_ITERATIONS} iterations: the last step still "
        f"changes residuals by {change / size:.2g} of the reach of the arm. Do readings, groups "
        "and units belong together?",
        change=change,
    )
