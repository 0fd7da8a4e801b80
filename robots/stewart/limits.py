"""Pose limits as margins, positive inside: strokes, joints, interference, singularities.

Strokes and joint cones of every leg, legs against each other and against the plates, joints that
lock (type 1) and the side of the type 2 singularities on which the home pose lies. Pose checks,
workspaces and motions all read the same columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.stewart.platform import LegEnd, Platform, checked_poses, leg_vectors

# A universal joint loses its grip long before its forks line up: half a degree is taken as locked.
LOCKED_SINE = float(np.sin(np.radians(0.5)))
_SINGULAR_HOME = 1e-9  # smallest singular value below which home lies on no side


class Limit(Enum):
    """Kinds of limits; the value is what sentences call them."""

    SHORTEST = "shortest length"
    LONGEST = "longest length"
    BASE_CONE = "cone of the base joint"
    PLATFORM_CONE = "cone of the platform joint"
    LEGS = "clearance between legs"
    BASE_PLATE = "angle with the base plate"
    PLATFORM_PLATE = "angle with the platform plate"
    TYPE_1 = "type 1 singularity (a joint of the leg locks)"
    TYPE_2 = "type 2 singularity (the platform is no longer held)"
    CONDITION = "conditioning"


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitColumn:
    """One limit of one leg, pair of legs or platform.

    Args:
        limit: its kind.
        legs: indices of the legs concerned; none for the platform as a whole.
        names: of these legs.
        value: the limit itself, in ``unit``.
        unit: "m", "rad" or "1".
    """

    limit: Limit
    legs: tuple[int, ...]
    names: tuple[str, ...]
    value: float
    unit: str

    @property
    def where(self) -> str:
        """What the limit is about, for sentences."""
        if not self.names:
            return "the platform"
        return (
            f"leg {self.names[0]}" if len(self.names) == 1 else f"legs {' and '.join(self.names)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plate:
    """The plane through the joints at one end.

    Args:
        normal: towards the other end at home, in the frame that carries the joints. # (3,) unit
        at_base: whether it is the base's.
    """

    normal: Array
    at_base: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoseLimits:
    """Limits of a platform, ready to judge poses.

    Args:
        platform: whose they are.
        columns: one per limit that is finite.
        kept: their places among all that could be limits.
        side: sign of the determinant at home; zero when home is singular.
        plates: that legs must not pass.
        max_condition: limit of the condition number; infinite for none.
    """

    platform: Platform
    columns: tuple[LimitColumn, ...]
    kept: tuple[int, ...]
    side: float
    plates: tuple[Plate, ...]
    max_condition: float

    def margins(self, T: ArrayLike) -> Array:
        """How far inside each limit each pose is; negative outside.

        Args:
            T: T_base_platform. # (..., 4, 4)

        Returns:
            In the order and units of ``columns``. # (..., columns)
        """
        poses = checked_poses(self.platform, T)
        every = [
            *_leg_margins(self.platform, poses),
            leg_clearances(self.platform, poses),
            *(plate_angles(self.platform, poses, plate) for plate in self.plates),
            joint_sines(self.platform, poses) - LOCKED_SINE,
            self._singularity_margins(poses),
        ]
        return np.concatenate(every, axis=-1)[..., self.kept]

    def worst(self, T: ArrayLike) -> Array:
        """The smallest margin, which is negative where any limit is broken. # (...)."""
        return np.asarray(self.margins(T).min(axis=-1))

    def _singularity_margins(self, poses: Array) -> Array:
        """Signed smallest singular value, and what the conditioning leaves. # (..., 2)."""
        found = conditioning(self.platform, poses)
        left = found.smallest - found.largest / self.max_condition
        return np.stack([self.side * found.signed_smallest, left], axis=-1)


def pose_limits(platform: Platform, *, max_condition: float = np.inf) -> PoseLimits:
    """Limits of a platform.

    Args:
        platform: whose they are.
        max_condition: largest condition number of the scaled Jacobian that is accepted.
    """
    home = conditioning(platform, platform.home)
    side = float(np.sign(home.determinant)) if home.smallest > _SINGULAR_HOME else 0.0
    found = plates(platform)
    every = list(_columns(platform, found, max_condition))
    kept = tuple(k for k, column in enumerate(every) if _limits(column, side))
    return PoseLimits(
        platform=platform,
        columns=tuple(every[k] for k in kept),
        kept=kept,
        side=side,
        plates=found,
        max_condition=max_condition,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A limit that a pose breaks.

    Args:
        column: the limit.
        amount: by how much, above zero, in the column's unit.
        index: of the pose in the batch.
    """

    column: LimitColumn
    amount: float
    index: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        """The violation in words, in the units of people."""
        return f"{self.column.where}: {broken(self.column, self.amount)}."


def violations(
    platform: Platform, T: ArrayLike, *, max_condition: float = np.inf
) -> tuple[Violation, ...]:
    """All limits that poses break, pose by pose.

    Args:
        platform: its geometry and limits.
        T: T_base_platform. # (..., 4, 4)
        max_condition: as in ``pose_limits``.
    """
    limits = pose_limits(platform, max_condition=max_condition)
    margins = limits.margins(T)
    return tuple(
        Violation(
            column=limits.columns[place[-1]],
            amount=float(-margins[tuple(place)]),
            index=tuple(int(k) for k in place[:-1]),
        )
        for place in np.argwhere(margins < 0.0)
    )


def violations_by_pose(platform: Platform, T: Array) -> list[list[Violation]]:
    """The limits that each pose breaks. Args: T. # (N, 4, 4)."""
    found: list[list[Violation]] = [[] for _ in T]
    for one in violations(platform, T):
        found[one.index[0]].append(one)
    return found


def broken(column: LimitColumn, amount: float) -> str:
    """What is broken and by how much, in millimetres or degrees."""
    if column.unit == "m":
        return (
            f"{column.limit.value} {1e3 * column.value:.6g} mm is missed by {1e3 * amount:.4g} mm"
        )
    if column.unit == "rad":
        value, size = np.degrees(column.value), np.degrees(amount)
        return f"{column.limit.value} {value:.6g} deg is missed by {size:.4g} deg"
    return f"{column.limit.value} is missed by {amount:.4g}"


def _columns(
    platform: Platform, found: tuple[Plate, ...], max_condition: float
) -> Iterator[LimitColumn]:
    legs = platform.legs

    def of_legs(limit: Limit, values: list[float], unit: str) -> Iterator[LimitColumn]:
        for k, value in enumerate(values):
            yield LimitColumn(limit=limit, legs=(k,), names=(legs[k].name,), value=value, unit=unit)

    yield from of_legs(Limit.SHORTEST, [leg.min_length for leg in legs], "m")
    yield from of_legs(Limit.LONGEST, [leg.max_length for leg in legs], "m")
    yield from of_legs(Limit.BASE_CONE, [leg.base_cone for leg in legs], "rad")
    yield from of_legs(Limit.PLATFORM_CONE, [leg.platform_cone for leg in legs], "rad")
    for i, j in leg_pairs(platform):
        names = (legs[i].name, legs[j].name)
        yield LimitColumn(limit=Limit.LEGS, legs=(i, j), names=names, value=0.0, unit="m")
    for plate in found:
        limit = Limit.BASE_PLATE if plate.at_base else Limit.PLATFORM_PLATE
        yield from of_legs(limit, [0.0] * len(legs), "rad")
    yield from of_legs(Limit.TYPE_1, [LOCKED_SINE] * len(legs), "1")
    yield LimitColumn(limit=Limit.TYPE_2, legs=(), names=(), value=0.0, unit="1")
    yield LimitColumn(limit=Limit.CONDITION, legs=(), names=(), value=max_condition, unit="1")


def _limits(column: LimitColumn, side: float) -> bool:
    """Return whether it is a limit: a finite stroke, a real cone, a home that lies on a side."""
    match column.limit:
        case Limit.SHORTEST:
            return column.value > 0.0
        case Limit.BASE_CONE | Limit.PLATFORM_CONE:
            return column.value < np.pi
        case Limit.TYPE_2:
            return side != 0.0
        case _:
            return bool(np.isfinite(column.value))


def _leg_margins(platform: Platform, poses: Array) -> Iterator[Array]:
    legs = platform.legs
    across = leg_vectors(platform, poses)
    lengths = np.linalg.norm(across, axis=-1)
    yield lengths - [leg.min_length for leg in legs]
    yield np.array([leg.max_length for leg in legs]) - lengths
    u = across / lengths[..., None]
    yield np.array([leg.base_cone for leg in legs]) - _angle(
        u, np.array([leg.base_direction for leg in legs])
    )
    middle = np.array([leg.platform_direction for leg in legs])
    middle = middle @ np.swapaxes(poses[..., :3, :3], -1, -2)
    yield np.array([leg.platform_cone for leg in legs]) - _angle(-u, middle)


def _angle(a: Array, b: Array) -> Array:
    """Angle between unit vectors, exact at both ends. # (..., 3) -> (...) [rad]."""
    return np.asarray(
        2.0 * np.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    )


# ------------------------------------------------------------------------------------ Interference
# A leg is a capsule about the segment AB. Two legs that share a joint, or whose joints at one end
# are nearer than their radii, always touch there and are not watched, as in the product's other
# mechanisms. A plate is the plane through the joints at one end; a leg starts in it, so that not
# its distance counts but its angle with the plane: at zero it lies in the plate, below it passes
# through.

_FLAT = 1e-6  # thickness of joints over their breadth up to which they lie on a plate


def leg_pairs(platform: Platform) -> tuple[tuple[int, int], ...]:
    """Pairs of legs that must not touch; none for legs without radius."""
    found = []
    for i, j in combinations(range(len(platform.legs)), 2):
        one, other = platform.legs[i], platform.legs[j]
        reach = one.radius + other.radius
        apart = min(
            float(np.linalg.norm(one.base - other.base)),
            float(np.linalg.norm(one.platform - other.platform)),
        )
        if 0.0 < reach < apart:
            found.append((i, j))
    return tuple(found)


def leg_clearances(platform: Platform, T: ArrayLike) -> Array:
    """Distance between the surfaces of every watched pair; negative where they overlap.

    Args:
        platform: its geometry.
        T: T_base_platform. # (..., 4, 4)

    Returns:
        In the order of ``leg_pairs``. # (..., pairs) [m]
    """
    pairs = np.array(leg_pairs(platform), dtype=np.intp).reshape(-1, 2)
    across = leg_vectors(platform, T)
    A = platform.base_points
    i, j = pairs[:, 0], pairs[:, 1]
    gap = segment_distance(A[i], across[..., i, :], A[j], across[..., j, :])
    radii = np.array([leg.radius for leg in platform.legs])
    return np.asarray(gap - radii[i] - radii[j])


def segment_distance(p: Array, d: Array, q: Array, e: Array) -> Array:
    """Distance between the segments p + [0, 1]·d and q + [0, 1]·e, all # (..., 3) [m].

    The nearest points are inside both segments, or one of them is an end: the least of the inner
    solution and the four distances of an end from the other segment.
    """
    r = p - q
    a, b, c = _dot(d, d), _dot(d, e), _dot(e, e)
    f, g = _dot(d, r), _dot(e, r)
    area = a * c - b * b
    with np.errstate(divide="ignore", invalid="ignore"):
        s, t = (b * g - c * f) / area, (a * g - b * f) / area
    inside = (area > 1e-14 * a * c) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    s, t = np.where(inside, s, 0.0), np.where(inside, t, 0.0)
    crossing = _size(r + s[..., None] * d - t[..., None] * e)
    ends = [
        _point_distance(q, p, d),
        _point_distance(q + e, p, d),
        _point_distance(p, q, e),
        _point_distance(p + d, q, e),
    ]
    nearest = np.minimum.reduce(np.broadcast_arrays(*ends))
    return np.asarray(np.where(inside, np.minimum(crossing, nearest), nearest))


def plates(platform: Platform) -> tuple[Plate, ...]:
    """Base and platform plate, as far as the joints lie in a plane and all legs on its one side."""
    across = leg_vectors(platform, platform.home)
    inward = -across @ platform.home[:3, :3]  # in the platform frame, from B towards A
    found = []
    for points, legs, at_base in (
        (platform.base_points, across, True),
        (platform.platform_points, inward, False),
    ):
        _, sizes, axes = np.linalg.svd(points - points.mean(axis=0))
        sides = legs @ axes[2]
        if sizes[2] <= _FLAT * sizes[0] and (np.all(sides > 0.0) or np.all(sides < 0.0)):
            found.append(Plate(normal=axes[2] * np.sign(sides[0]), at_base=at_base))
    return tuple(found)


def plate_angles(platform: Platform, T: ArrayLike, plate: Plate) -> Array:
    """Angle between every leg and a plate; negative for a leg on the wrong side of it.

    # (..., 4, 4) -> (..., 6) [rad]
    """
    poses = checked_poses(platform, T)
    across = leg_vectors(platform, poses)
    normal = plate.normal if plate.at_base else -(poses[..., :3, :3] @ plate.normal)[..., None, :]
    return np.asarray(np.arcsin(np.clip(_dot(across, normal) / _size(across), -1.0, 1.0)))


def _point_distance(x: Array, p: Array, d: Array) -> Array:
    """Distance of points from the segments p + [0, 1]·d."""
    square = _dot(d, d)
    share = _dot(x - p, d) / np.where(square > 0.0, square, 1.0)
    return _size(x - p - np.clip(share, 0.0, 1.0)[..., None] * d)


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.sum(a * b, axis=-1))


def _size(a: Array) -> Array:
    return np.asarray(np.linalg.norm(a, axis=-1))


# ----------------------------------------------------------------------------------- Singularities
# With J the map from the platform's velocity to the legs' speeds:
#
# * type 1: a leg can no longer be told where to go: its universal joint, or its Cardan end, is
#   stretched along its own fork. (Its length never vanishes within a stroke.)
# * type 2: det J = 0; the platform can move although all drives stand, and no force holds it.
#
# J mixes lengths and angles. Here moments are taken about the centroid of the platform's joints and
# divided by a characteristic length, their mean square distance from it, so that the result depends
# neither on the platform frame nor on the unit of length.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Conditioning:
    """Numbers of the scaled Jacobian, which has no unit.

    Args:
        determinant: zero at a type 2 singularity, of another sign beyond it. # (...)
        smallest: smallest singular value, zero there as well. # (...)
        largest: largest singular value. # (...)
    """

    determinant: Array
    smallest: Array
    largest: Array

    @property
    def condition(self) -> Array:
        """Condition number: 1 at best, infinite at a type 2 singularity. # (...)."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.largest / self.smallest)

    @property
    def signed_smallest(self) -> Array:
        """The smallest singular value with the determinant's sign: continuous. # (...)."""
        return np.asarray(self.smallest * np.sign(self.determinant))


def characteristic_length(platform: Platform) -> float:
    """Root of the mean square distance of the platform's joints from their centroid. [m]."""
    points = platform.platform_points
    return float(np.sqrt(np.mean(np.sum((points - points.mean(axis=0)) ** 2, axis=-1))))


def scaled_jacobian(platform: Platform, T: ArrayLike) -> Array:
    """Rows (u, b × u / c) of every leg: its direction and its moment about the joints' centroid.

    Args:
        platform: its geometry.
        T: T_base_platform. # (..., 4, 4)

    Returns:
        # (..., 6, 6), no unit
    """
    poses = checked_poses(platform, T)
    across = leg_vectors(platform, poses)
    u = across / np.linalg.norm(across, axis=-1, keepdims=True)
    points = platform.platform_points
    arms = (points - points.mean(axis=0)) @ np.swapaxes(poses[..., :3, :3], -1, -2)
    moments = np.cross(arms, u) / characteristic_length(platform)
    return np.concatenate([u, moments], axis=-1)


def conditioning(platform: Platform, T: ArrayLike) -> Conditioning:
    """Type 2: how well leg forces hold the platform at each pose. Args: T. # (..., 4, 4)."""
    J = scaled_jacobian(platform, T)
    sizes = np.asarray(np.linalg.svd(J, compute_uv=False), dtype=np.float64)
    return Conditioning(
        determinant=np.asarray(np.linalg.det(J)),
        smallest=np.asarray(sizes[..., -1]),
        largest=np.asarray(sizes[..., 0]),
    )


def joint_sines(platform: Platform, T: ArrayLike) -> Array:
    """Type 1: sine of the angle between a leg and the fork that would lock one of its joints.

    At the base that is the universal joint's first axis; at a Cardan end its axis on the platform,
    where it counts when it is nearer. # (..., 4, 4) -> (..., 6)
    """
    poses = checked_poses(platform, T)
    across = leg_vectors(platform, poses)
    u = across / np.linalg.norm(across, axis=-1, keepdims=True)
    first = np.array([leg.first_axis for leg in platform.legs])
    sines = np.linalg.norm(np.cross(u, first), axis=-1)
    forks = _end_forks(platform)
    at_end = np.linalg.norm(np.cross(u, forks @ np.swapaxes(poses[..., :3, :3], -1, -2)), axis=-1)
    cardan = np.array([leg.end is LegEnd.CARDAN for leg in platform.legs])
    return np.asarray(np.where(cardan, np.minimum(sines, at_end), sines))


def _end_forks(platform: Platform) -> Array:
    """Axis of every Cardan end on the platform; zero for balls. Platform frame. # (6, 3)."""
    from robots.stewart.legs import leg_axes

    return np.array(
        [
            leg_axes(platform, k).plate[:, 0] if leg.end is LegEnd.CARDAN else np.zeros(3)
            for k, leg in enumerate(platform.legs)
        ]
    )
