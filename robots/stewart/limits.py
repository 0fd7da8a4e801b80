"""Everything a pose must respect, as margins that are positive inside: one column per limit.

Strokes and joint cones of every leg, legs against each other and against the plates, joints that
lock (type 1) and the side of the type 2 singularities on which the home pose lies. Pose checks,
workspaces and motions all read the same columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.stewart.interference import Plate, leg_clearances, leg_pairs, plate_angles, plates
from robots.stewart.inverse import checked_poses, leg_vectors
from robots.stewart.platform import Platform
from robots.stewart.singularity import conditioning, joint_sines

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
class Column:
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
    columns: tuple[Column, ...]
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

    column: Column
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


def broken(column: Column, amount: float) -> str:
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
) -> Iterator[Column]:
    legs = platform.legs

    def of_legs(limit: Limit, values: list[float], unit: str) -> Iterator[Column]:
        for k, value in enumerate(values):
            yield Column(limit=limit, legs=(k,), names=(legs[k].name,), value=value, unit=unit)

    yield from of_legs(Limit.SHORTEST, [leg.min_length for leg in legs], "m")
    yield from of_legs(Limit.LONGEST, [leg.max_length for leg in legs], "m")
    yield from of_legs(Limit.BASE_CONE, [leg.base_cone for leg in legs], "rad")
    yield from of_legs(Limit.PLATFORM_CONE, [leg.platform_cone for leg in legs], "rad")
    for i, j in leg_pairs(platform):
        names = (legs[i].name, legs[j].name)
        yield Column(limit=Limit.LEGS, legs=(i, j), names=names, value=0.0, unit="m")
    for plate in found:
        limit = Limit.BASE_PLATE if plate.at_base else Limit.PLATFORM_PLATE
        yield from of_legs(limit, [0.0] * len(legs), "rad")
    yield from of_legs(Limit.TYPE_1, [LOCKED_SINE] * len(legs), "1")
    yield Column(limit=Limit.TYPE_2, legs=(), names=(), value=0.0, unit="1")
    yield Column(limit=Limit.CONDITION, legs=(), names=(), value=max_condition, unit="1")


def _limits(column: Column, side: float) -> bool:
    """Whether it is a limit: a finite stroke, a real cone, a home that lies on a side."""
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
