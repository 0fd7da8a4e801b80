"""Which postures to measure for a calibration, and what that gains over random ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robots.core.arrays import Array
from robots.core.identification.arm import IdentifiedArm
from robots.core.identification.calibration import effects
from robots.core.identification.design import Criterion, most_informative
from robots.core.identification.equations import linearised, reading_spread, start_centres
from robots.core.identification.errors import IdentificationError
from robots.core.identification.fitted import Question
from robots.core.identification.identifiable import Dropped, identifiable
from robots.core.identification.measurements import ArmMeasurements, MeasurementKind
from robots.core.identification.noise import ArmNoise, whitening
from robots.core.identification.typical import candidates, spread_centres
from robots.core.mechanism import Mechanism

DEFAULT_NOISE = ArmNoise(reading=1e-5)
RANDOM_DRAWS = 40
SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Site:
    """What stands in the arm's reach, and how it is measured.

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
    question = Question(arm=arm, kept=told.kept, noise=site.noise)
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
        raise IdentificationError(f"{site.spheres} spheres are asked for; place at least one.")


def _rows(question: Question, offered: ArmMeasurements) -> tuple[Array, Array, int]:
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
