"""What was measured to calibrate an arm: postures, and what is known about the ball there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from robots.core.arrays import Array, Indices, frozen
from robots.core.identification.errors import IdentificationError


class MeasurementKind(Enum):
    """What is known about the ball centre."""

    SPHERE = "sphere"  # it is at the same unknown place in all postures of a group
    LENGTH = "length"  # its two places of a group are a known distance apart
    POINT = "point"  # its coordinates in the base frame

    @property
    def block(self) -> int:
        """Numbers that one measurement gives."""
        return 1 if self is MeasurementKind.LENGTH else 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArmMeasurements:
    """Joint readings and what is known about the ball centre (origin of the tool frame).

    Args:
        kind: what is known.
        q: joint readings, one row per posture. # (N, n) [rad or m]
        groups: sphere or pair of every posture; not looked at for points. # (N,)
        lengths: of every pair, in the order of ``names``. # (pairs,) [m]
        points: ball centres in the base frame. # (N, 3) [m]

    Raises:
        IdentificationError: shapes that do not fit, a number that is not finite, a pair that has
            not two postures, a length that is not positive.
    """

    kind: MeasurementKind
    q: Array
    groups: tuple[str, ...] = ()
    lengths: Array = field(default_factory=lambda: np.zeros(0))
    points: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def __post_init__(self) -> None:
        q = _read_only(self.q, "joint readings")
        if q.ndim != 2 or not len(q):
            raise IdentificationError(
                f"Joint readings have shape {q.shape}; give one row of joint values per posture.",
                found=q.shape,
            )
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "groups", tuple(self.groups))
        object.__setattr__(self, "lengths", _read_only(self.lengths, "lengths"))
        object.__setattr__(self, "points", _read_only(self.points, "points"))
        _CHECKS[self.kind](self)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of spheres or pairs, in the order in which they first appear."""
        return tuple(dict.fromkeys(self.groups))

    @property
    def group_index(self) -> Indices:
        """Place in ``names`` of every posture's group. # (N,)."""
        place = {name: index for index, name in enumerate(self.names)}
        return np.array([place[name] for name in self.groups], dtype=np.int64)

    @property
    def pairs(self) -> Indices:
        """The two rows of every pair. # (pairs, 2)."""
        rows = np.argsort(self.group_index, kind="stable")
        return np.asarray(rows.reshape(-1, 2), dtype=np.int64)

    @property
    def rows_of_blocks(self) -> Indices:
        """Rows of every measurement: one, or the two of a pair. # (blocks, 1 or 2)."""
        if self.kind is MeasurementKind.LENGTH:
            return self.pairs
        return np.arange(len(self.q))[:, None]

    @property
    def count(self) -> int:
        """How many measurements: postures, or pairs of them."""
        return len(self.rows_of_blocks)

    def labels(self) -> tuple[str, ...]:
        """What to call every measurement."""
        if self.kind is MeasurementKind.LENGTH:
            return tuple(f"pair {name}" for name in self.names)
        if self.kind is MeasurementKind.POINT:
            return tuple(f"posture {row + 1}" for row in range(len(self.q)))
        rows = enumerate(self.groups, start=1)
        return tuple(f"posture {row} on sphere {name}" for row, name in rows)

    def only(self, blocks: Sequence[int] | Indices) -> ArmMeasurements:
        """Some of the measurements, by their places."""
        chosen = np.asarray(blocks, dtype=np.int64)
        rows = np.sort(self.rows_of_blocks[chosen].ravel())
        groups = tuple(self.groups[row] for row in rows) if self.groups else ()
        kept = tuple(dict.fromkeys(groups))
        paired = self.kind is MeasurementKind.LENGTH
        lengths = [self.lengths[self.names.index(name)] for name in kept] if paired else []
        return ArmMeasurements(
            kind=self.kind,
            q=self.q[rows],
            groups=groups,
            lengths=np.array(lengths, dtype=np.float64),
            points=self.points[rows] if self.kind is MeasurementKind.POINT else self.points,
        )


def _check_spheres(given: ArmMeasurements) -> None:
    _check_groups(given, "sphere")


def _check_pairs(given: ArmMeasurements) -> None:
    _check_groups(given, "pair")
    for name, count in zip(given.names, np.bincount(given.group_index), strict=True):
        if count != 2:
            raise IdentificationError(
                f"Pair {name!r} has {count} postures; a length is measured between two.",
                pair=name,
                found=int(count),
            )
    if given.lengths.shape != (len(given.names),) or np.any(given.lengths <= 0.0):
        raise IdentificationError(
            f"{len(given.names)} pairs have lengths {given.lengths.tolist()} m; give each pair "
            "one length above zero.",
        )


def _check_points(given: ArmMeasurements) -> None:
    if given.points.shape != (len(given.q), 3):
        raise IdentificationError(
            f"{len(given.q)} postures have points of shape {given.points.shape}; give x, y, z of "
            "the ball centre for each.",
            found=given.points.shape,
        )


def _check_groups(given: ArmMeasurements, what: str) -> None:
    if len(given.groups) != len(given.q):
        raise IdentificationError(
            f"{len(given.q)} postures have {len(given.groups)} names of their {what}; "
            f"name the {what} of each posture.",
            found=len(given.groups),
        )


_CHECKS = {
    MeasurementKind.SPHERE: _check_spheres,
    MeasurementKind.LENGTH: _check_pairs,
    MeasurementKind.POINT: _check_points,
}


def _read_only(value: object, what: str) -> Array:
    array = np.array(value, dtype=np.float64)
    if not np.all(np.isfinite(array)):
        row = int(np.argwhere(~np.isfinite(array))[0][0]) + 1
        raise IdentificationError(
            f"The {what} hold a value in row {row} that is not finite; measure it again.", row=row
        )
    return frozen(array)
