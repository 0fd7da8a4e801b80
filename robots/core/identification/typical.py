"""Measurements that could be made: many postures at the same spheres, pairs or points.

They say what any measurement of this kind tells at best, and which postures there are to choose
from. The nominal arm satisfies them exactly.
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array, Indices, Mask
from robots.core.identification.arm import IdentifiedArm, reach
from robots.core.identification.equations import start_centres
from robots.core.identification.errors import IdentificationError
from robots.core.identification.measurements import ArmMeasurements, MeasurementKind
from robots.core.identification.reaching import reached
from robots.core.joint_samples import joint_samples
from robots.core.self_pairs import self_clearances

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
    own = reached(arm.model, centres[given.group_index], given.q, reach(arm.nominal))
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
            f"{count} places for spheres were asked for, but only {len(places)} that many postures "
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
    found = reached(arm.model, centres[which], _samples(arm, count), reach(arm.nominal))
    return found.q[found.there], which[found.there]


def _bars(arm: IdentifiedArm, lengths: Array) -> Array:
    """Pairs of postures whose balls are ``lengths`` apart, in all directions. # (pairs, 2, n)."""
    count = len(lengths)
    first = _samples(arm, count)
    u = np.random.default_rng(1).normal(size=(count, 3))
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    targets = _positions(arm, first) + lengths[:, None] * u
    second = reached(arm.model, targets, _samples(arm, count, skip=count), reach(arm.nominal))
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
    """Whether the arm keeps clear of itself, as far as its file knows. # (N,)."""
    if not len(q) or not arm.nominal.self_pairs:
        return np.ones(len(q), dtype=np.bool_)
    gaps = self_clearances(arm.nominal, arm.nominal.self_pairs, q)
    return np.asarray(gaps.min(axis=1) > 0.0)
