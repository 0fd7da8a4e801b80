"""Measurements for the calibration of an arm: postures, ball positions, noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from robots.core.arrays import Array, Indices, frozen
from robots.core.errors import IdentificationError


class MeasurementKind(Enum):
    """Kind of measurement of the ball centre."""

    SPHERE = "sphere"  # it is at the same unknown place in all postures of a group
    LENGTH = "length"  # its two places of a group are a known distance apart
    POINT = "point"  # its coordinates in the base frame

    @property
    def block(self) -> int:
        """Numbers that one measurement gives."""
        return 1 if self is MeasurementKind.LENGTH else 3


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
            "one length above zero."
        )


def _check_points(given: ArmMeasurements) -> None:
    if given.points.shape != (len(given.q), 3):
        raise IdentificationError(
            f"{len(given.q)} postures have points of shape {given.points.shape}; give x, y, z of "
            "the ball centre for each.",
            found=given.points.shape,
        )


_CHECKS = {
    MeasurementKind.SPHERE: _check_spheres,
    MeasurementKind.LENGTH: _check_pairs,
    MeasurementKind.POINT: _check_points,
}


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


def _check_groups(given: ArmMeasurements, what: str) -> None:
    if len(given.groups) != len(given.q):
        raise IdentificationError(
            f"{len(given.q)} postures have {len(given.groups)} names of their {what}; "
            f"name the {what} of each posture.",
            found=len(given.groups),
        )


def _read_only(value: object, what: str) -> Array:
    array = np.array(value, dtype=np.float64)
    if not np.all(np.isfinite(array)):
        row = int(np.argwhere(~np.isfinite(array))[0][0]) + 1
        raise IdentificationError(
            f"The {what} hold a value in row {row} that is not finite; measure it again.", row=row
        )
    return frozen(array)


# ------------------------------------------------------------------------------------------- Noise

_FLATTEST = 1e-10  # ratio of the variances of one measurement, below which it would have none


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmNoise:
    """Standard deviations.

    Args:
        encoder: of every joint reading. [rad or m]
        reading: of the ball centre in its seat, of a measured point per axis, or of a length. [m]
    """

    encoder: float = 0.0
    reading: float = 0.0

    def __post_init__(self) -> None:
        if not (0.0 <= self.encoder < np.inf and 0.0 <= self.reading < np.inf):
            raise IdentificationError(
                f"Noise is encoder {self.encoder!r} and reading {self.reading!r}; standard "
                "deviations are finite numbers, zero or more."
            )
        if self.encoder == 0.0 == self.reading:
            raise IdentificationError(
                "Noise is zero in both encoder and reading; give one of them, or no noise at all."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """Standard deviations of the parameters about their nominal values.

    Args:
        angle: of every angle. [rad]
        length: of every length. [m]
    """

    angle: float
    length: float

    def __post_init__(self) -> None:
        if not (0.0 < self.angle < np.inf and 0.0 < self.length < np.inf):
            raise IdentificationError(
                f"The prior is {self.angle!r} rad and {self.length!r} m; standard deviations "
                "beforehand are finite numbers above zero."
            )


def whitening(spread: Array, noise: ArmNoise | None) -> Array:
    """W of every measurement, with WᵀW the inverse covariance of its numbers.

    Args:
        spread: change of the residual per joint reading. # (B, k, readings)
        noise: none gives the identity.

    Returns:
        # (B, k, k) [1/m]

    Raises:
        IdentificationError: a posture where encoder noise alone leaves a direction without any.
    """
    size = spread.shape[1]
    if noise is None:
        return np.broadcast_to(np.eye(size), (len(spread), size, size))
    covariance = noise.encoder**2 * spread @ np.swapaxes(spread, -1, -2)
    covariance = covariance + noise.reading**2 * np.eye(size)
    values = np.linalg.eigvalsh(covariance)
    flat = ~(values[:, 0] > _FLATTEST * values[:, -1])
    if np.any(flat):
        raise IdentificationError(
            f"Measurement {int(np.argmax(flat)) + 1} would have no noise at all in one direction "
            "(a singular posture); give the noise of the reading too.",
            measurement=int(np.argmax(flat)) + 1,
        )
    return np.linalg.inv(np.linalg.cholesky(covariance))
