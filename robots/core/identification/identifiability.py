"""Identifiability: the parameters that a kind of measurement can determine at best.

The derivatives of many measurements are stacked and orthogonalised column by column, in the order
of preference, the sphere centres first. A column in the span of those before it is an error that
looks like theirs together: it is left out, and the relation says what it looks like. Several
columns may still be nearly dependent together; then the last of those is left out.

Source: rank by orthogonalisation (QR) of the observation matrix, as W. Khalil and E. Dombre do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices, Mask
from robots.core.errors import IdentificationError
from robots.core.geometric_errors import ErrorModel
from robots.core.identification.arm import IdentifiedArm, linearised, reach, start_centres
from robots.core.identification.measurements import ArmMeasurements, MeasurementKind
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import Mechanism
from robots.core.self_pairs import self_clearances

# Part of a unit column outside the span of those before it, below which it is dependent: an error
# of 1 mm then shows by 0.1 µm, which no arm reads. Shifts along axes that a calibration found to be
# parallel within a degree are such.
DEPENDENT = 1e-4
_TAKES_PART = 0.1  # of the largest share in a combination that hardly shows
_NO_EFFECT = DEPENDENT  # of the largest column, for the same reason
_SHOWN = 1e-6  # coefficients that are named
_STARTS = 300
_STEPS = 60
_LONGEST = 0.4  # of a step of one joint [rad or m]
_THERE = 1e-12  # of the reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A parameter that stays at its nominal value.

    Args:
        name: of the parameter.
        looks_like: other parameters, and how much of each one unit of this one looks like.
        moves_all: whether the sphere centres take part in what it looks like.
    """

    name: str
    looks_like: tuple[tuple[str, float], ...] = ()
    moves_all: bool = False

    @property
    def reason(self) -> str:
        """Why, for a reader."""
        if not self.looks_like and not self.moves_all:
            return "no effect on what is measured"
        terms = [f"{factor:+.3g} {name}" for name, factor in self.looks_like]
        if self.moves_all:
            terms.append("the spheres elsewhere")
        return f"looks like {', '.join(terms)}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Identifiable:
    """The parameters that can be told apart.

    Args:
        kept: places among the candidates of the arm, ascending.
        dropped: the others.
        smallest: ratio of smallest to largest singular value of their columns, scaled to one.
    """

    kept: tuple[int, ...]
    dropped: tuple[Dropped, ...]
    smallest: float


def identifiable(
    arm: IdentifiedArm, given: ArmMeasurements, sought: Sequence[int] | None = None
) -> Identifiable:
    """What any postures could tell with these spheres, lengths or points.

    Args:
        arm: nominal.
        given: the measurements, or candidates.
        sought: places among the candidates of the arm, preferred first; default all.
    """
    none = np.zeros(len(arm.parameters))
    ideal = like(arm, given, _STARTS * max(1, len(given.names) if len(given.names) < 10 else 1))
    centres = start_centres(arm.model, ideal, none)
    system = linearised(arm.model, ideal, none, centres)
    nuisance, J = np.concatenate(system.by_centres), np.concatenate(system.by_errors)
    chosen = list(range(len(none)) if sought is None else sought)
    return _sorted_out(J, nuisance, (chosen, arm.names))


def _sorted_out(
    J: Array, nuisance: Array, sought: tuple[list[int], tuple[str, ...]]
) -> Identifiable:
    widths = np.linalg.norm(J, axis=0)
    largest = float(widths.max(initial=0.0))
    basis = np.linalg.qr(nuisance)[0] if nuisance.shape[1] else np.zeros((len(J), 0))
    kept: list[int] = []
    dropped: list[int] = []
    silent: list[int] = []
    chosen, names = sought
    for place in chosen:
        if widths[place] <= _NO_EFFECT * largest:
            silent.append(place)
            continue
        rest = _outside(J[:, place] / widths[place], basis)
        size = float(np.linalg.norm(rest))
        if size <= DEPENDENT:
            dropped.append(place)
            continue
        kept.append(place)
        basis = np.column_stack([basis, rest / size])
    smallest, vague = _vague(J, nuisance, kept)
    while vague >= 0:
        kept.remove(vague)
        dropped.append(vague)
        smallest, vague = _vague(J, nuisance, kept)
    told = [Dropped(name=names[k]) for k in silent]
    told += [_relation(J, nuisance, (kept, k), names) for k in dropped]
    return Identifiable(kept=tuple(kept), dropped=tuple(told), smallest=smallest)


def _outside(column: Array, basis: Array) -> Array:
    """Part of a column outside the span of orthonormal ones."""
    for _ in range(2):  # twice is enough for orthogonality to rounding
        column = column - basis @ (basis.T @ column)
    return column


def _vague(J: Array, nuisance: Array, kept: list[int]) -> tuple[float, int]:
    """How little shows of some combination, and which parameter to leave out; -1 when none."""
    A = np.column_stack([nuisance, J[:, kept]])
    if not kept:
        return 1.0, -1
    _, s, Vt = np.linalg.svd(A / np.linalg.norm(A, axis=0), full_matrices=False)
    ratio = float(s[-1] / s[0])
    share = np.abs(Vt[-1][nuisance.shape[1] :])
    if ratio > DEPENDENT or not np.any(share):
        return ratio, -1
    return ratio, kept[int(np.flatnonzero(share > _TAKES_PART * share.max())[-1])]


def _relation(
    J: Array, nuisance: Array, columns: tuple[list[int], int], names: tuple[str, ...]
) -> Dropped:
    """What one unit of a dependent parameter looks like, by the kept ones before it."""
    kept, place = columns
    A = np.column_stack([nuisance, J[:, kept]])
    widths = np.linalg.norm(A, axis=0)
    found = np.linalg.lstsq(A / widths, J[:, place], rcond=None)[0]
    share = np.abs(found) > _SHOWN * np.linalg.norm(J[:, place])
    count = nuisance.shape[1]
    terms = [
        (names[k], float(found[count + n] / widths[count + n]))
        for n, k in enumerate(kept)
        if share[count + n]
    ]
    return Dropped(
        name=names[place], looks_like=tuple(terms), moves_all=bool(np.any(share[:count]))
    )


# ---------------------------------------------------------------------------- Typical measurements
# They say what any measurement of this kind tells at best, and which postures there are to choose
# from. The nominal arm satisfies them exactly.

_LOOKED_AT = 100  # postures whose ball may be a place for a sphere
_TRIALS = 16  # postures tried for each


def like(arm: IdentifiedArm, given: ArmMeasurements, count: int) -> ArmMeasurements:
    """The measurements' own postures moved to be exact, and more of the same kind.

    Args:
        arm: whose nominal self makes them.
        given: measurements that were made.
        count: how many starts more; what does not reach its target is left out.
    """
    if given.kind is MeasurementKind.POINT:
        return exact_points(arm, np.concatenate([given.q, _samples(arm, count)]))
    if given.kind is MeasurementKind.LENGTH:
        more = _bars(arm, given.lengths[np.arange(count) % len(given.lengths)])
        return _paired(arm, np.concatenate([given.q[given.pairs], more]))
    centres = start_centres(arm.model, given, np.zeros(len(arm.parameters)))
    own = reaching_postures(arm.model, centres[given.group_index], given.q, reach(arm.nominal))
    q, which = _at_spheres(arm, centres, count)
    return ArmMeasurements(
        kind=MeasurementKind.SPHERE,
        q=np.concatenate([own.q[own.there], q]),
        groups=_named(np.concatenate([given.group_index[own.there], which])),
    )


def exact_points(arm: IdentifiedArm, q: Array) -> ArmMeasurements:
    """Points where the nominal arm sees them."""
    return ArmMeasurements(kind=MeasurementKind.POINT, q=q, points=_positions(arm, q))


def candidates(
    arm: IdentifiedArm, count: int, *, centres: Array | None = None, length: float = 0.0
) -> ArmMeasurements:
    """Measurements to choose from, within limits and without collision of the arm with itself.

    Args:
        arm: nominal.
        count: of starts; fewer measurements come out.
        centres: of the spheres, in the base frame; none places one. # (S, 3) [m]
        length: of the ball bar. [m]

    Raises:
        IdentificationError: nothing reaches.
    """
    if arm.kind is MeasurementKind.POINT:
        q = _samples(arm, count)
        return exact_points(arm, q[_free(arm, q)])
    if arm.kind is MeasurementKind.LENGTH:
        pairs = _bars(arm, np.full(count, length))
        free = _free(arm, pairs.reshape(-1, arm.nominal.dof)).reshape(-1, 2)
        if not np.any(np.all(free, axis=1)):
            raise IdentificationError(
                f"No two postures of {arm.nominal.name!r} were found {length:g} m apart; take a "
                f"bar shorter than its reach, {reach(arm.nominal):.3g} m.",
                length=length,
            )
        return _paired(arm, pairs[np.all(free, axis=1)])
    places = spread_centres(arm, 1) if centres is None else np.asarray(centres, dtype=np.float64)
    q, which = _at_spheres(arm, places, count)
    free = _free(arm, q)
    for index, place in enumerate(places):
        if not np.any(which[free] == index):
            raise IdentificationError(
                f"No posture of {arm.nominal.name!r} within its limits was found with its ball at "
                f"sphere {index + 1}, {place.tolist()} m, base frame; place it elsewhere. The arm "
                f"reaches {reach(arm.nominal):.3g} m at most.",
                sphere=index + 1,
                centre=place.tolist(),
            )
    return ArmMeasurements(kind=MeasurementKind.SPHERE, q=q[free], groups=_named(which[free]))


def spread_centres(arm: IdentifiedArm, count: int) -> Array:
    """Places for spheres, far from each other, that many postures reach. # (count, 3) [m].

    Raises:
        IdentificationError: more than there are places.
    """
    q = _samples(arm, _LOOKED_AT)
    places = _positions(arm, q[_free(arm, q)])
    # Above its foot; neither near the border, where few postures reach, nor inside its column.
    ratio = np.linalg.norm(places, axis=-1) / reach(arm.nominal)
    inner = (np.abs(ratio - 0.5) < 0.2) & (places @ arm.nominal.gravity <= 0.0)
    places = places[inner] if np.count_nonzero(inner) >= count else places
    postures, which = _at_spheres(arm, places, _TRIALS * len(places))
    found = np.bincount(which[_free(arm, postures)], minlength=len(places))
    places, found = places[found * 2 >= found.max()], found[found * 2 >= found.max()]
    if len(places) < count:
        raise IdentificationError(
            f"{count} places for spheres were requested, but only {len(places)} that many postures "
            f"of {arm.nominal.name!r} reach were found; ask for fewer, or say where they stand.",
            found=len(places),
        )
    chosen = [int(np.argmax(found))]
    while len(chosen) < count:
        gaps = np.linalg.norm(places[:, None] - places[chosen], axis=-1).min(axis=1)
        chosen.append(int(np.argmax(gaps)))
    return np.asarray(places[chosen])


def _at_spheres(arm: IdentifiedArm, centres: Array, count: int) -> tuple[Array, Indices]:
    """Postures within the limits with the ball at a centre, and the place of the centre."""
    which = np.arange(count, dtype=np.int64) % len(centres)
    found = reaching_postures(arm.model, centres[which], _samples(arm, count), reach(arm.nominal))
    return found.q[found.there], which[found.there]


def _bars(arm: IdentifiedArm, lengths: Array) -> Array:
    """Pairs of postures whose balls are ``lengths`` apart, in all directions. # (pairs, 2, n)."""
    count = len(lengths)
    first = _samples(arm, count)
    u = np.random.default_rng(1).normal(size=(count, 3))
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    targets = _positions(arm, first) + lengths[:, None] * u
    second = reaching_postures(
        arm.model, targets, _samples(arm, count, skip=count), reach(arm.nominal)
    )
    return np.stack([first, second.q], axis=1)[second.there]


def _paired(arm: IdentifiedArm, pairs: Array) -> ArmMeasurements:
    """Pairs of postures with the lengths that the nominal arm sees. Args: pairs. # (B, 2, n)."""
    p = _positions(arm, pairs)
    return ArmMeasurements(
        kind=MeasurementKind.LENGTH,
        q=pairs.reshape(-1, arm.nominal.dof),
        groups=_named(np.repeat(np.arange(len(pairs)), 2)),
        lengths=np.linalg.norm(p[:, 1] - p[:, 0], axis=-1),
    )


def _named(which: Indices) -> tuple[str, ...]:
    return tuple(str(index + 1) for index in which.tolist())


def _positions(arm: IdentifiedArm, q: Array) -> Array:
    return arm.model.positions(q, np.zeros(len(arm.parameters)))


def _samples(arm: IdentifiedArm, count: int, skip: int = 1) -> Array:
    """Postures within the limits; mid-range, which is often singular, is left out."""
    return joint_samples(arm.nominal, count, slide=reach(arm.nominal), skip=skip)


def _free(arm: IdentifiedArm, q: Array) -> Mask:
    """Return whether the arm keeps clear of itself, as far as its file knows. # (N,)."""
    if not len(q) or not arm.nominal.self_pairs:
        return np.ones(len(q), dtype=np.bool_)
    gaps = self_clearances(arm.nominal, arm.nominal.self_pairs, q)
    return np.asarray(gaps.min(axis=1) > 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReachingPostures:
    """Postures at their targets.

    Args:
        q: # (N, n) [rad or m]
        there: whether the ball is at its target, and the joints within their limits. # (N,)
    """

    q: Array
    there: Mask


def reaching_postures(
    model: ErrorModel, targets: Array, starts: Array, size: float
) -> ReachingPostures:
    """From each start by damped steps to its target; what does not get there is marked.

    Args:
        model: of the arm; its nominal self is looked at.
        targets: ball centres in the base frame. # (N, 3) [m]
        starts: # (N, n) [rad or m]
        size: reach of the arm, which scales the tolerance. [m]
    """
    none = np.zeros(len(model.parameters))
    q = np.array(starts, dtype=np.float64)
    for _ in range(_STEPS):
        gap = targets - model.positions(q, none)
        distance = np.linalg.norm(gap, axis=-1)
        if np.all(distance < _THERE * size):
            break
        J = model.reading_sensitivities(q, none)
        Jt = np.swapaxes(J, -1, -2)
        damping = 1e-12 * size**2 + 0.01 * distance**2
        square = J @ Jt + damping[:, None, None] * np.eye(3)
        step = (Jt @ np.linalg.solve(square, gap[..., None]))[..., 0]
        longest = np.max(np.abs(step), axis=-1, keepdims=True)
        q = q + step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300))
    gap = np.linalg.norm(targets - model.positions(q, none), axis=-1)
    mechanism = model.mechanism
    q = _unwound(mechanism, q)
    inside = np.all((q >= mechanism.q_min) & (q <= mechanism.q_max), axis=-1)
    return ReachingPostures(q=q, there=(gap < 10.0 * _THERE * size) & inside)


def _unwound(mechanism: Mechanism, q: Array) -> Array:
    """Angles out of limits by whole turns nearer to the middle of their range."""
    angular = np.array([joint.kind.angular for joint in mechanism.movable])
    bounded = angular & np.isfinite(mechanism.q_min) & np.isfinite(mechanism.q_max)
    low, high = (np.where(bounded, end, 0.0) for end in (mechanism.q_min, mechanism.q_max))
    middle = 0.5 * (low + high)
    out = (q < mechanism.q_min) | (q > mechanism.q_max)
    turns = np.where(bounded & out, np.round((q - middle) / (2.0 * np.pi)), 0.0)
    return np.asarray(q - 2.0 * np.pi * turns)
