"""Plan of the postures to measure for a calibration: the most informative of many candidates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.errors import IdentificationError
from robots.core.identification.arm import IdentifiedArm, linearised, reading_spread, start_centres
from robots.core.identification.calibration import FitProblem, effects
from robots.core.identification.identifiability import (
    Dropped,
    candidates,
    identifiable,
    spread_centres,
)
from robots.core.identification.measurements import (
    ArmMeasurements,
    ArmNoise,
    MeasurementKind,
    whitening,
)
from robots.core.mechanism import Mechanism

DEFAULT_NOISE = ArmNoise(reading=1e-5)
RANDOM_DRAWS = 40
SEED = 1


class Criterion(Enum):
    """Criterion to be maximised."""

    DETERMINANT = "determinant"  # of the information on parameters: D-optimal
    SMALLEST = "smallest"  # its smallest eigenvalue: E-optimal


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Site:
    """Artefact in the arm's reach, and how it is measured.

    Args:
        kind: of the measurements.
        centres: of the spheres in the base frame; empty places ``spheres`` of them. # (S, 3) [m]
        spheres: how many to place.
        length: of the ball bar. [m]
        noise: of the measurements.
        criterion: D- or E-optimal.
        candidates: how many starts to look for postures from.
    """

    kind: MeasurementKind
    centres: Array | None = None
    spheres: int = 3
    length: float = 0.0
    noise: ArmNoise = DEFAULT_NOISE
    criterion: Criterion = Criterion.SMALLEST
    candidates: int = 2000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosturePlan:
    """Postures to measure.

    Args:
        measurements: postures, with the groups they belong to; nominal arm.
        centres: of the spheres, in the base frame, by name. [m]
        names: of the parameters that will be told.
        dropped: those that this kind of measurement does not tell.
        deviations: standard deviation to expect of each parameter. # (m,) [rad or m]
        worst: the largest of them as displacement of the ball: standard deviation times the RMS
            change of the ball centre per unit of the parameter. [m]
        random_median: the same for as many random candidates, median of the draws. [m]
        random_best: best of the draws. [m]
        draws: how many.
        condition: of the weighted equations, columns of length one.
        candidates: how many measurements there were to choose from.
    """

    measurements: ArmMeasurements
    centres: dict[str, Array]
    names: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    deviations: Array
    worst: float
    random_median: float
    random_best: float
    draws: int
    condition: float
    candidates: int

    @property
    def gain(self) -> float:
        """How many times smaller the worst deviation is than that of random postures."""
        return self.random_median / self.worst


def plan_postures(mechanism: Mechanism, count: int, site: Site) -> PosturePlan:
    """Choose ``count`` measurements (postures, or pairs of them) within limits.

    Raises:
        IdentificationError: too few for the unknowns, or more than there are candidates; a sphere
            or a bar that nothing reaches.
    """
    arm = IdentifiedArm(mechanism, site.kind)
    _check_site(site)
    centres = site.centres
    if site.kind is MeasurementKind.SPHERE and centres is None:
        centres = spread_centres(arm, site.spheres)
    offered = candidates(arm, site.candidates, centres=centres, length=site.length)
    told = identifiable(arm, offered)
    if not told.kept:
        raise IdentificationError(
            f"No error of {mechanism.name} can be told from measurements of kind "
            f"{site.kind.value}: in every posture offered they only change what is unknown anyway. "
            "Choose another --kind."
        )
    question = FitProblem(arm=arm, kept=told.kept, noise=site.noise)
    rows, scale, nuisance = _rows(question, offered)
    chosen = most_informative(rows, count, nuisance=nuisance, criterion=site.criterion)
    random = _random_worst(rows, count, nuisance)
    sigma = _deviations(rows[chosen], nuisance)
    flat = rows[chosen].reshape(-1, rows.shape[2])
    ordered = _in_order(offered.only(chosen))
    return PosturePlan(
        measurements=ordered,
        centres=_centres(arm, ordered),
        names=tuple(p.name for p in question.parameters),
        dropped=told.dropped,
        deviations=sigma / scale,
        worst=float(sigma.max()),
        random_median=float(np.median(random)),
        random_best=float(random.min()),
        draws=RANDOM_DRAWS,
        condition=float(np.linalg.cond(flat / np.linalg.norm(flat, axis=0))),
        candidates=offered.count,
    )


def _check_site(site: Site) -> None:
    if site.kind is MeasurementKind.LENGTH and not 0.0 < site.length < np.inf:
        raise IdentificationError(
            f"The length of the ball bar is {site.length:g} m; give its calibrated length."
        )
    if site.kind is MeasurementKind.SPHERE and site.centres is None and site.spheres < 1:
        raise IdentificationError(f"{site.spheres} spheres are requested; place at least one.")


def _rows(question: FitProblem, offered: ArmMeasurements) -> tuple[Array, Array, int]:
    """Weighted rows in metres of ball displacement, its scale, and how many are of centres."""
    model, none = question.arm.model, np.zeros(len(question.arm.parameters))
    W = whitening(reading_spread(model, offered, none), question.noise)
    system = linearised(model, offered, none, start_centres(model, offered, none))
    scale = effects(question, offered.q)
    nuisance = system.by_centres.shape[-1]
    rows = W @ system.columns(list(question.kept))
    return rows / np.concatenate([np.ones(nuisance), scale]), scale, nuisance


def _deviations(rows: Array, nuisance: int) -> Array:
    """Standard deviations of the wanted unknowns; infinite where they cannot be told. # (m,)."""
    flat = rows.reshape(-1, rows.shape[2])
    width = np.linalg.norm(flat, axis=0)
    if np.any(width == 0.0):
        return np.full(rows.shape[2] - nuisance, np.inf)
    _, s, Vt = np.linalg.svd(flat / width, full_matrices=False)
    if s[-1] < 1e-9 * s[0]:
        return np.full(rows.shape[2] - nuisance, np.inf)
    variance = np.sum((Vt / s[:, None]) ** 2, axis=0) / width**2
    return np.asarray(np.sqrt(variance[nuisance:]))


def _random_worst(rows: Array, count: int, nuisance: int) -> Array:
    """Worst deviation of random choices of the same size. # (draws,)."""
    rng = np.random.default_rng(SEED)
    draws = (rng.choice(len(rows), size=count, replace=False) for _ in range(RANDOM_DRAWS))
    return np.array([_deviations(rows[draw], nuisance).max() for draw in draws])


def _centres(arm: IdentifiedArm, chosen: ArmMeasurements) -> dict[str, Array]:
    """Where the spheres of the chosen postures are."""
    found = start_centres(arm.model, chosen, np.zeros(len(arm.parameters)))
    return dict(zip(chosen.names, found, strict=True)) if len(found) else {}


def _in_order(chosen: ArmMeasurements) -> ArmMeasurements:
    """Sphere by sphere, or pair by pair, numbered from one."""
    if chosen.kind is MeasurementKind.POINT:
        return chosen
    order = np.argsort(chosen.group_index, kind="stable")
    numbered = np.sort(chosen.group_index) + 1
    names = tuple(str(k) for k in numbered.tolist())
    return replace(chosen, q=chosen.q[order], groups=names)


# --------------------------------------------------------------------------------- Optimal designs
# The best one is added until there are enough, then each is exchanged for a better one while that
# helps: a local optimum. Only the rows of the observation matrix are looked at, so that it serves
# any robot.

# Information that every unknown has beforehand, as of one reading a thousand times too coarse:
# without it the determinant is zero until there are as many equations as unknowns.
PRIOR = 1e-6
MOST_EXCHANGES = 400
TRIED = 20  # candidates with the largest determinant that E-optimal exchanges look at
_GAIN = 1e-9


def most_informative(
    rows: Array, count: int, *, nuisance: int = 0, criterion: Criterion = Criterion.DETERMINANT
) -> Indices:
    """Places of the chosen measurements, ascending.

    Args:
        rows: derivatives of each measurement's numbers, weighted, columns in comparable units,
            nuisance columns first. # (N, k, unknowns)
        count: how many to choose.
        nuisance: how many columns are unknown but not wanted.
        criterion: D- or E-optimal.

    Raises:
        IdentificationError: a count that is not possible.
    """
    least = -(-rows.shape[2] // rows.shape[1])
    if not least <= count <= len(rows):
        raise IdentificationError(
            f"{count} measurements cannot be chosen of {len(rows)} candidates for "
            f"{rows.shape[2]} unknowns; choose from {least} up to {len(rows)}.",
            count=count,
            least=least,
        )
    rows = rows / np.sqrt(np.mean(np.sum(rows * rows, axis=-1)))
    chosen: list[int] = []
    while len(chosen) < count:
        chosen.append(int(np.argmax(_gains(rows, chosen))))
    chosen = _exchanged(rows, chosen)
    if criterion is Criterion.SMALLEST:
        chosen = _evened(rows, chosen, nuisance)
    return np.array(sorted(chosen), dtype=np.int64)


def information(rows: Array, nuisance: int) -> Array:
    """Information on the wanted unknowns, the others eliminated. Args: rows. # (N, k, unknowns)."""
    M = _matrix(rows)
    A, B, C = M[:nuisance, :nuisance], M[:nuisance, nuisance:], M[nuisance:, nuisance:]
    return np.asarray(C - B.T @ np.linalg.solve(A, B)) if nuisance else C


def _matrix(rows: Array) -> Array:
    flat = rows.reshape(-1, rows.shape[2])
    return np.asarray(flat.T @ flat + PRIOR * np.eye(rows.shape[2]))


def _gains(rows: Array, chosen: list[int]) -> Array:
    """Logarithm of the factor on the determinant by adding each candidate. # (N,)."""
    # det(M + GᵀG) = det M · det(1 + G M⁻¹ Gᵀ), with M = L Lᵀ
    spread = rows @ np.linalg.inv(np.linalg.cholesky(_matrix(rows[chosen]))).T
    gains = np.linalg.slogdet(np.eye(rows.shape[1]) + spread @ np.swapaxes(spread, -1, -2))[1]
    gains[chosen] = -np.inf
    return np.asarray(gains)


def _exchanged(rows: Array, chosen: list[int]) -> list[int]:
    """Each measurement in turn against the best that could take its place."""
    settled, place = 0, 0
    for _ in range(MOST_EXCHANGES):
        if settled == len(chosen) or len(chosen) == len(rows):
            break
        others = [*chosen[:place], *chosen[place + 1 :]]
        gains = _gains(rows, others)
        best = int(np.argmax(gains))
        settled = settled + 1 if gains[best] <= gains[chosen[place]] + _GAIN else 0
        if settled == 0:
            chosen = [*chosen[:place], best, *chosen[place + 1 :]]
        place = (place + 1) % len(chosen)
    return chosen


def _evened(rows: Array, chosen: list[int], nuisance: int) -> list[int]:
    """The same, judged by the smallest eigenvalue among the candidates that tell most."""
    least, settled, place = _smallest(rows[chosen], nuisance), 0, 0
    for _ in range(MOST_EXCHANGES):
        if settled == len(chosen):
            break
        others = [*chosen[:place], *chosen[place + 1 :]]
        tried = np.argsort(_gains(rows, others))[::-1][:TRIED]
        values = [_smallest(rows[[*others, int(k)]], nuisance) for k in tried]
        best = int(np.argmax(values))
        settled = settled + 1 if values[best] <= least * (1.0 + _GAIN) else 0
        if settled == 0:
            least = values[best]
            chosen = [*chosen[:place], int(tried[best]), *chosen[place + 1 :]]
        place = (place + 1) % len(chosen)
    return chosen


def _smallest(rows: Array, nuisance: int) -> float:
    return float(np.linalg.eigvalsh(information(rows, nuisance))[0])
