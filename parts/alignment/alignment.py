"""Alignment of a part: its pose, convergence and residuals at the measured points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import AlignmentError
from robots.core.arrays import Array, freeze_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """Certificate of an iterative fit: how far the answer can still be from the minimum.

    Args:
        iterations: linear systems solved.
        step: length of the Gauss-Newton step that is left at the answer: what one more iteration
            would still move, rotations taken at the points' lever. [m]
        least_curvature: smallest eigenvalue of the true second derivative of the mean square
            residual, differentiated numerically, beside its largest; above zero the answer is a
            strict local minimum and not a saddle.
    """

    iterations: int
    step: float
    least_curvature: float

    @property
    def strict_minimum(self) -> bool:
        """Whether every small motion away from the answer makes the fit worse."""
        return self.least_curvature > 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alignment:
    """Pose of the part in the base frame.

    Args:
        T_base_part: maps part coordinates into the base frame. # (4, 4)
        residuals: what the measured points still miss: signed along the surface's normal (out of
            the material is positive), or distances where point pairs are fitted. # (k,) [m]
        rms: weighted root mean square of the residuals. [m]
        condition: largest over smallest singular value of the constraints, rotations taken at the
            points' lever: 1 is ideal; the error of the worst-held motion grows in proportion.
        method: "fixed", "3-2-1", "best-fit-points", "best-fit-surface" or "rps".
        convergence: certificate, for iterative fits.
    """

    T_base_part: Array
    residuals: Array
    rms: float
    condition: float
    method: str
    convergence: Convergence | None = None

    def __post_init__(self) -> None:
        freeze_fields(self, "T_base_part", "residuals", dtype=np.float64)

    @property
    def T_part_base(self) -> Array:
        """The inverse: maps base coordinates into the part frame. # (4, 4)."""
        return inverse(self.T_base_part)


def weighted_rms(residuals: Array, weights: Array) -> float:
    """Root of the weighted mean square. Args: residuals # (k,); weights # (k,) above zero."""
    return float(np.sqrt(np.sum(weights * residuals**2) / np.sum(weights)))


def fixed(
    translation: ArrayLike,
    rotation_zyx_angles: ArrayLike = (0.0, 0.0, 0.0),
    *,
    nominal: ArrayLike | None = None,
    measured: ArrayLike | None = None,
) -> Alignment:
    """T_base_part = Trans(t) · Rz(φ)·Ry(γ)·Rx(α).

    Args:
        translation: of the part's origin in the base frame. # (3,) [m]
        rotation_zyx_angles: (φ, γ, α): the part turns about the base's fixed axes x, then y, then
            z, by α, γ, φ. # (3,) [rad]
        nominal: points of the part that were measured, to state residuals. # (k, 3) [m]
        measured: the same points in the base frame. # (k, 3) [m]

    Raises:
        AlignmentError: numbers that are not finite, or points of other shapes.

    Source: [LAMMARI12] §VI.6. The text then maps points by the inverse, T_0^P, which is what its
        tables VI.8 hold; T_P^0 is right (erratum).
    """
    offset = vectors(np.atleast_2d(translation), "translation", 1)[0]
    angles = vectors(np.atleast_2d(rotation_zyx_angles), "angles", 1)[0]
    T = pose_of(rotation_zyx(angles), offset)
    if nominal is None or measured is None:
        return Alignment(
            T_base_part=T, residuals=np.zeros(0), rms=0.0, condition=1.0, method="fixed"
        )
    parts = vectors(nominal, "nominal points")
    seen = vectors(measured, "measured points", len(parts))
    residuals = np.linalg.norm(move_points(T, parts) - seen, axis=1)
    rms = weighted_rms(residuals, checked_weights(None, len(parts)))
    return Alignment(T_base_part=T, residuals=residuals, rms=rms, condition=1.0, method="fixed")


def vectors(values: ArrayLike, what: str, count: int | None = None) -> Array:
    """Rows of three finite numbers, copied. # (k, 3).

    Args:
        values: to check.
        what: subject of the error sentence, plural.
        count: rows expected; any, but not none, where it is left out.

    Raises:
        AlignmentError: another shape, or a value that is not finite.
    """
    rows = np.array(values, dtype=np.float64)
    expected = ("k" if count is None else count, 3)
    if rows.ndim != 2 or rows.shape[1] != 3 or len(rows) != (count or len(rows)) or not len(rows):
        raise AlignmentError(
            f"The {what} have shape {rows.shape}; expected {expected}, with k at least 1.",
            found=rows.shape,
            expected=expected,
        )
    for row in np.flatnonzero(~np.isfinite(rows).all(axis=1))[:1].tolist():
        raise AlignmentError(
            f"Row {row + 1} of the {what} is {rows[row].tolist()}; expected finite numbers.",
            row=row,
            found=rows[row].tolist(),
        )
    return rows


def directions(values: ArrayLike, what: str, count: int) -> Array:
    """Rows of unit vectors; each given vector is brought to length one. # (k, 3).

    Raises:
        AlignmentError: as for ``vectors``, or a vector without length.
    """
    rows = vectors(values, what, count)
    lengths = np.linalg.norm(rows, axis=1)
    for row in np.flatnonzero(lengths < 1e-9)[:1].tolist():
        raise AlignmentError(
            f"Row {row + 1} of the {what} has length {lengths[row]:g}; expected a direction.",
            row=row,
        )
    return np.asarray(rows / lengths[:, None])


def checked_weights(values: ArrayLike | None, count: int) -> Array:
    """Weights of the squared residuals, none of them negative; all 1 where left out. # (k,).

    Raises:
        AlignmentError: another count, negative, not finite, or all zero.
    """
    if values is None:
        return np.ones(count)
    weights = np.array(values, dtype=np.float64)
    if weights.shape != (count,):
        raise AlignmentError(
            f"There are {count} points but the weights have shape {weights.shape}; give one each.",
            found=weights.shape,
            expected=(count,),
        )
    if not np.isfinite(weights).all() or weights.min() < 0.0 or not weights.any():
        raise AlignmentError(
            f"The weights {weights.tolist()} cannot be used; expected finite numbers, not negative "
            "and not all zero.",
            found=weights.tolist(),
        )
    return weights


# ----------------------------------------------------------------------------------- Rigid motions
# ``T_base_part`` maps part coordinates into the base frame. The full set of conventions is stated
# in ``robots.core.pose``; ``parts`` knows no robot, so it has its own few lines.

_ROUNDING = 1e-16  # cos(π/2) in doubles is 6e-17: a right angle is meant
_SMALL_ANGLE = 1e-8  # [rad] below it, sin a / a is 1 in doubles


def rotation_zyx(angles: ArrayLike) -> Array:
    """Rz(φ)·Ry(γ)·Rx(α): three turns about fixed axes in the order x, y, z; roll-pitch-yaw.

    Args:
        angles: (φ, γ, α) about z, y, x. # (3,) [rad]

    Source: [LAMMARI12] §VI.6
    """
    (cz, cy, cx), (sz, sy, sx) = _clean(np.cos(angles)), _clean(np.sin(angles))
    Rz = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    Ry = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    Rx = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    return np.asarray(Rz @ Ry @ Rx)


def rotation_of(vector: Array) -> Array:
    """Rotation by |vector| about vector (Rodrigues). # (3,) [rad] -> (3, 3)."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < _SMALL_ANGLE:
        return np.asarray(np.eye(3) + K + 0.5 * K @ K)
    half = np.sin(0.5 * angle) / angle
    return np.asarray(np.eye(3) + np.sin(angle) / angle * K + 2.0 * half**2 * K @ K)


def pose_of(R: Array, t: Array) -> Array:
    """Homogeneous transform of a rotation and a translation. # (4, 4)."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, t
    return T


def inverse(T: Array) -> Array:
    """T_part_base of T_base_part, by transposition. # (4, 4)."""
    R = T[:3, :3]
    return pose_of(R.T, -R.T @ T[:3, 3])


def move_points(T: Array, points: Array) -> Array:
    """Points of the moved frame in the fixed one. # (..., 3) [m]."""
    return np.asarray(points @ T[:3, :3].T + T[:3, 3])


def rotate(T: Array, directions: Array) -> Array:
    """Directions of the moved frame in the fixed one. # (..., 3)."""
    return np.asarray(directions @ T[:3, :3].T)


def orthonormal(R: Array) -> Array:
    """The rotation nearest to a product of many: rounding must not build up. # (3, 3)."""
    U, _, Vt = np.linalg.svd(R)
    return np.asarray(U @ Vt)


def _clean(values: Array) -> Array:
    return np.where(np.abs(values) <= _ROUNDING, 0.0, values)
