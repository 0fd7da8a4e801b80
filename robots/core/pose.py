"""Poses and orientations, and every frame convention of the product, stated once.

* ``T_base_probe`` maps probe coordinates into the base frame: p_base = T_base_probe · p_probe. Its
  columns are the probe's axes and origin seen from the base; T_a_c = T_a_b · T_b_c.
* A rotation matrix R = [s n a] has the moved frame's axes as columns (the sources' s, n, a).
* Angles are in radians and right-handed; lengths are in metres.
* ``rotation_zyx_deg = [a, b, c]`` in a file means Rz(a)·Ry(b)·Rx(c). That is roll-pitch-yaw,
  [LAMMARI12] (II.15): yaw α = a, pitch β = b, roll γ = c; each about an axis of the fixed frame
  when read from right to left.
* Euler ZXZ is Rz(ψ)·Rx(θ)·Rz(φ), [LAMMARI12] (II.11), each about a moving axis. (The source's
  text lets φ turn about the fixed Z0; its equation, rightly, does not.)
* Angular velocity ω is that of the moved frame, in coordinates of the fixed one: Ṙ = skew(ω)·R.
  Six-vectors hold the linear part first, then the angular part.
* Every function takes any leading batch axes and broadcasts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask
from robots.core.errors import PoseError
from robots.core.rounding import apart_digits

# Largest entry of |RᵀR − I| that a rotation may have; matrices printed with 10 digits still pass.
ORTHONORMALITY_LIMIT = 1e-9
_LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])


def make_pose(
    rotation: ArrayLike | None = None, translation: ArrayLike | None = None, what: str = "A pose"
) -> Array:
    """Pose from a rotation and a translation; what is left out is the identity.

    Args:
        rotation: the moved frame's axes as columns. # (..., 3, 3)
        translation: the moved frame's origin. # (..., 3) [m]
        what: subject of the error sentence.

    Raises:
        PoseError: not a rotation, or a value that is not finite.
    """
    R = as_rotation(np.eye(3) if rotation is None else rotation, f"{what}'s rotation")
    p = as_finite(np.zeros(3) if translation is None else translation, (3,), f"{what}'s origin")
    T = np.zeros((*np.broadcast_shapes(R.shape[:-2], p.shape[:-1]), 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, p, 1.0
    return T


def as_pose(T: ArrayLike, what: str = "A pose", *, limit: float = ORTHONORMALITY_LIMIT) -> Array:
    """Check that matrices are rigid transforms.

    Args:
        T: any batch. # (..., 4, 4)
        what: subject of the error sentence.
        limit: largest entry of |RᵀR − I| that is accepted.

    Raises:
        PoseError: wrong shape, not finite, last row other than (0, 0, 0, 1), or a rotation part
            that is not one; then with the deviation, the limit and the nearest rotation.
    """
    M = as_finite(T, (4, 4), what)
    if np.any(M[..., 3, :] != _LAST_ROW):
        rows = M[..., 3, :].reshape(-1, 4)
        row = rows[np.any(rows != _LAST_ROW, axis=-1)][0].tolist()
        raise PoseError(
            f"{what} has last row {row}; a rigid transform's is (0, 0, 0, 1). "
            "Is the matrix transposed?",
            row=row,
        )
    as_rotation(M[..., :3, :3], f"{what}'s rotation", limit=limit)
    return M


def inverse_pose(T: ArrayLike) -> Array:
    """T_b_a from T_a_b, by transposition: exact for what ``as_pose`` accepts. # (..., 4, 4).

    Raises:
        PoseError: not a rigid transform.
    """
    M = as_pose(T)
    Rt = np.swapaxes(M[..., :3, :3], -1, -2)
    inverse = np.zeros_like(M)
    inverse[..., :3, :3], inverse[..., 3, 3] = Rt, 1.0
    inverse[..., :3, 3] = 0.0 - (Rt @ M[..., :3, 3, None])[..., 0]
    return inverse


def compose(*poses: ArrayLike) -> Array:
    """Product of a chain of poses, T_a_b · T_b_c · …; the identity when it is empty.

    Raises:
        PoseError: one of them is not a rigid transform; the message says which.
    """
    checked = (as_pose(T, f"Pose {place}") for place, T in enumerate(poses, start=1))
    return reduce(np.matmul, checked, np.eye(4))


def transform_points(T: ArrayLike, points: ArrayLike) -> Array:
    """Points of the moved frame in the fixed one: R·p + t. Args: points. # (..., 3) [m].

    Raises:
        PoseError: not a rigid transform, or points that are not finite.
    """
    M = as_pose(T)
    return _turned(M, as_finite(points, (3,), "A point")) + M[..., :3, 3]


def transform_directions(T: ArrayLike, directions: ArrayLike) -> Array:
    """Directions (normals, velocities) of the moved frame in the fixed one: R·d. # (..., 3).

    Raises:
        PoseError: not a rigid transform, or directions that are not finite.
    """
    M = as_pose(T)
    return _turned(M, as_finite(directions, (3,), "A direction"))


def _turned(M: Array, vectors: Array) -> Array:
    return np.asarray((M[..., :3, :3] @ vectors[..., None])[..., 0])


# -------------------------------------------------------------------------------------- Orientation

# A vector shorter than this has no direction worth the name, whatever its unit.
SHORTEST_DIRECTION = 1e-12
_QUARTER_TURN = np.pi / 2
_SNAP_ULP = 4.0  # rounding of "degrees to radians", with margin
# Beyond this many quarter turns four units in the last place are no longer a tiny angle.
_MAX_QUARTERS = 2.0**20
_COS_OF_QUARTER = np.array([1.0, 0.0, -1.0, 0.0])
_SIN_OF_QUARTER = np.array([0.0, 1.0, 0.0, -1.0])


def as_finite(value: ArrayLike, tail: tuple[int, ...], what: str) -> Array:
    """Convert to an array of floats whose last axes are ``tail``.

    Raises:
        PoseError: other trailing axes, or an entry that is not finite.
    """
    array = np.asarray(value, dtype=np.float64)
    if array.shape[array.ndim - len(tail) :] != tail or array.ndim < len(tail):
        raise PoseError(
            f"{what} has shape {array.shape}; its last axes must be {tail}.",
            found=array.shape,
            expected=tail,
        )
    if not np.all(np.isfinite(array)):
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise PoseError(
            f"{what} holds {array[index]} at index {index}; every entry must be finite.",
            index=index,
            value=float(array[index]),
        )
    return array


@overload
def exact_cos_sin(angle: float) -> tuple[float, float]: ...


@overload
def exact_cos_sin(angle: Array) -> tuple[Array, Array]: ...


def exact_cos_sin(angle: float | Array) -> tuple[float, float] | tuple[Array, Array]:
    """Cosine and sine that are exactly 0 or ±1 at multiples of a quarter turn.

    Structure constants of robots are such angles; cos(π/2) = 6e-17 in place of 0 would keep dead
    terms alive in every recorded equation. An angle within 4 units in the last place of a multiple
    of π/2 is taken as that multiple.

    Args:
        angle: one angle or any batch of them. [rad]

    Raises:
        PoseError: an angle that is not finite.
    """
    angles = as_finite(angle, (), "An angle")
    quarters = np.rint(angles / _QUARTER_TURN)
    off = np.abs(angles - quarters * _QUARTER_TURN)
    snap = (off <= _SNAP_ULP * np.spacing(np.abs(angles))) & (np.abs(quarters) < _MAX_QUARTERS)
    index = np.where(snap, quarters, 0.0).astype(np.int64) % 4
    cos = np.where(snap, _COS_OF_QUARTER[index], np.cos(angles))
    sin = np.where(snap, _SIN_OF_QUARTER[index], np.sin(angles))
    return (float(cos), float(sin)) if angles.ndim == 0 else (cos, sin)


@overload
def exact_cos_sin_deg(angle_deg: float) -> tuple[float, float]: ...


@overload
def exact_cos_sin_deg(angle_deg: Array) -> tuple[Array, Array]: ...


def exact_cos_sin_deg(angle_deg: float | Array) -> tuple[float, float] | tuple[Array, Array]:
    """``exact_cos_sin`` of an angle in degrees, reduced to its quadrant without rounding.

    Args:
        angle_deg: one angle or any batch of them. [deg]

    Raises:
        PoseError: an angle that is not finite.
    """
    angles = as_finite(angle_deg, (), "An angle")
    within_turn = np.fmod(angles, 360.0)
    quarters = np.rint(within_turn / 90.0)
    rest = within_turn - 90.0 * quarters
    rest = np.where(np.abs(rest) <= _SNAP_ULP * np.spacing(np.abs(within_turn)), 0.0, rest)
    c, s = np.cos(np.deg2rad(rest)), np.sin(np.deg2rad(rest))
    index = quarters.astype(np.int64) % 4
    cq, sq = _COS_OF_QUARTER[index], _SIN_OF_QUARTER[index]
    cos, sin = cq * c - sq * s + 0.0, sq * c + cq * s + 0.0  # + 0.0 turns -0.0 into 0.0
    return (float(cos), float(sin)) if angles.ndim == 0 else (cos, sin)


def rotation_x(angle: ArrayLike) -> Array:
    """Rotation about x. Args: angle, any batch shape. [rad] # (..., 3, 3)."""
    return _elementary(angle, 0)


def rotation_y(angle: ArrayLike) -> Array:
    """Rotation about y. Args: angle, any batch shape. [rad] # (..., 3, 3)."""
    return _elementary(angle, 1)


def rotation_z(angle: ArrayLike) -> Array:
    """Rotation about z. Args: angle, any batch shape. [rad] # (..., 3, 3)."""
    return _elementary(angle, 2)


def _elementary(angle: ArrayLike, axis: int) -> Array:
    c, s = exact_cos_sin(np.asarray(angle, dtype=np.float64))
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((*np.shape(c), 3, 3))
    R[..., axis, axis] = 1.0
    R[..., j, j] = R[..., k, k] = c
    R[..., j, k] = np.subtract(0.0, s)  # not -s: no negative zeros in printed matrices
    R[..., k, j] = s
    return R


def skew(vector: ArrayLike) -> Array:
    """Matrix S of the cross product: S @ w = v × w.

    Args:
        vector: any batch of 3-vectors. # (..., 3)
    """
    v = as_finite(vector, (3,), "A vector")
    S = np.zeros((*v.shape, 3))
    S[..., 2, 1], S[..., 0, 2], S[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    return S - np.swapaxes(S, -1, -2)


def unit_direction(vector: ArrayLike, what: str = "A direction") -> Array:
    """Scale vectors to length one.

    Args:
        vector: any batch of 3-vectors. # (..., 3)
        what: subject of the error sentence.

    Raises:
        PoseError: a vector that is not finite, or too short to have a direction.
    """
    v = as_finite(vector, (3,), what)
    largest = np.max(np.abs(v), axis=-1, keepdims=True)
    if np.any(largest < SHORTEST_DIRECTION):
        index = tuple(int(i) for i in np.argwhere(largest[..., 0] < SHORTEST_DIRECTION)[0])
        raise PoseError(
            f"{what} is {v[index].tolist()}: its length is below {SHORTEST_DIRECTION:g}, so it "
            "points nowhere; give a vector of non-zero length.",
            index=index,
            value=v[index].tolist(),
            limit=SHORTEST_DIRECTION,
        )
    scaled = v / largest  # keeps the squares inside the floating-point range
    return np.asarray(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


def orthonormality_deviation(R: ArrayLike) -> Array:
    """Largest entry of |RᵀR − I|, per matrix. # (...)."""
    return np.asarray(_beside_identity(as_finite(R, (3, 3), "A rotation")).max(axis=(-1, -2)))


def _beside_identity(M: Array) -> Array:
    """|MᵀM − I|, entry by entry. # (..., 3, 3)."""
    return np.asarray(np.abs(np.swapaxes(M, -1, -2) @ M - np.eye(3)))


def nearest_rotation(matrix: ArrayLike) -> Array:
    """Rotation closest to a matrix in the sense of least squares of the entries.

    Args:
        matrix: nearly a rotation, any batch. # (..., 3, 3)

    Raises:
        PoseError: a matrix so far from a rotation that no single one is nearest.
    """
    M = as_finite(matrix, (3, 3), "A matrix")
    U, sigma, Vt = np.linalg.svd(M)
    hand = np.sign(np.linalg.det(U) * np.linalg.det(Vt))
    # The minimiser is unique exactly when this sum is above zero.
    if np.any(sigma[..., 1] + hand * sigma[..., 2] <= 1e-12 * sigma[..., 0]):
        raise PoseError(
            f"No single rotation is nearest to a matrix with singular values {sigma.tolist()}; "
            "give three axes that are not in one plane or line.",
            singular_values=sigma.tolist(),
        )
    U[..., :, 2] *= hand[..., None]
    return np.asarray(U @ Vt)


def as_rotation(
    R: ArrayLike, what: str = "A rotation", *, limit: float = ORTHONORMALITY_LIMIT
) -> Array:
    """Check that matrices are rotations: orthonormal and right-handed.

    Args:
        R: any batch of matrices. # (..., 3, 3)
        what: subject of the error sentence.
        limit: largest entry of |RᵀR − I| that is accepted.

    Raises:
        PoseError: with the deviation and the limit; ``facts["nearest"]`` holds the nearest
            rotation, when there is one.
    """
    M = as_finite(R, (3, 3), what)
    if not M.size:
        return M
    deviation = float(_beside_identity(M).max())
    if deviation > limit:
        found, allowed = apart_digits(deviation, limit, 3)
        raise PoseError(
            f"{what} is not orthonormal: an entry of RᵀR − I is {found}, the limit is "
            f"{allowed}; nearest_rotation() gives the closest rotation if the axes were rounded.",
            deviation=deviation,
            limit=limit,
            nearest=_nearest_or_nothing(M),
        )
    if np.any(np.linalg.det(M) < 0.0):
        raise PoseError(
            f"{what} is left-handed: its determinant is -1, a rotation's is +1; "
            "reverse one axis or exchange two.",
            determinant=-1.0,
        )
    return M


def _nearest_or_nothing(M: Array) -> list[object]:
    try:
        return list(nearest_rotation(M).tolist())
    except PoseError:
        return []


# ---------------------------------------------------------------------------------- Axis and angle
# The axis is recovered from the unit quaternion's outer product, whose best column stays well
# conditioned at every angle; the usual division by sin α fails at 0 and at π.

# Below this |w| the sense of a half turn is rounding noise, and a rule decides it.
_HALF_TURN = 1e-15
# Below this sine the cross product of two unit vectors is rounding noise.
_PARALLEL = 2e-12  # twice the shortest direction: the largest entry of the cross product is longer


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AxisAngle:
    """A turn by ``angle`` about ``axis``.

    Args:
        axis: unit vectors; z where the angle is zero. # (..., 3)
        angle: between 0 and π. # (...) [rad]
    """

    axis: Array
    angle: Array

    @property
    def vector(self) -> Array:
        """Rotation vector: axis times angle. # (..., 3) [rad]."""
        return self.axis * self.angle[..., None]

    @property
    def rotation(self) -> Array:
        """The turn as a matrix. # (..., 3, 3)."""
        return rotation_about(self.axis, self.angle)


def rotation_about(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Rotation by an angle about an axis; ``rot(U, α)`` of the sources.

    Args:
        axis: directions of any length above zero; batch axes broadcast with the angle's. # (..., 3)
        angle: any sign and size. # (...) [rad]

    Raises:
        PoseError: an axis without direction, a value that is not finite.

    Source: [LAMMARI12] §V.4 eq. (V.11)
    """
    U = unit_direction(axis, "A rotation axis")
    c, s = exact_cos_sin(np.asarray(angle, dtype=np.float64))
    cos, sin = np.asarray(c)[..., None, None], np.asarray(s)[..., None, None]
    outer = U[..., :, None] * U[..., None, :]
    # (1 − cos)·UUᵀ, not UUᵀ − cos·UUᵀ: a small turn keeps all its digits.
    return np.asarray(cos * np.eye(3) + sin * skew(U) + (1.0 - cos) * outer)


def rotation_exp(vector: ArrayLike) -> Array:
    """Rotation of a rotation vector (axis times angle); smooth at zero.

    Args:
        vector: any batch. # (..., 3) [rad]
    """
    w = as_finite(vector, (3,), "A rotation vector")
    turns = np.linalg.norm(w, axis=-1)[..., None, None] / np.pi
    W = skew(w)
    # sin(α)/α and (1 − cos α)/α² through sinc, which has no hole at zero.
    return np.asarray(np.eye(3) + np.sinc(turns) * W + 0.5 * np.sinc(turns / 2) ** 2 * (W @ W))


def rotation_log(R: ArrayLike) -> Array:
    """Rotation vector of a rotation, of length 0 to π. # (..., 3) [rad].

    Raises:
        PoseError: not a rotation.
    """
    return axis_angle(R).vector


def axis_angle(R: ArrayLike) -> AxisAngle:
    """Axis and angle of rotations, exact at zero and at a half turn.

    (V.13) divides by sin α, which is zero at α = 0 and α = π. Here the axis comes from the
    antisymmetric part of R for small turns and from its symmetric part for large ones. Where the
    angle is zero the axis is z; at a half turn, where ±U turn alike, the largest component of U is
    positive.

    Args:
        R: any batch. # (..., 3, 3)

    Raises:
        PoseError: not a rotation.

    Source: [LAMMARI12] §V.4 eq. (V.13), made robust
    """
    quaternion = _quaternion(as_rotation(R))
    w, v = quaternion[..., 0], quaternion[..., 1:]
    largest = np.take_along_axis(v, np.argmax(np.abs(v), axis=-1)[..., None], axis=-1)[..., 0]
    sign = np.where(np.abs(w) > _HALF_TURN, np.sign(w), np.where(largest < 0.0, -1.0, 1.0))
    v = v * sign[..., None]
    length = np.linalg.norm(v, axis=-1)
    still = length == 0.0
    axis = np.where(still[..., None], [0.0, 0.0, 1.0], v / np.where(still, 1.0, length)[..., None])
    angle = np.minimum(2.0 * np.arctan2(length, np.abs(w)), np.pi)
    return AxisAngle(axis=axis, angle=np.asarray(angle))


def _quaternion(R: Array) -> Array:
    """Unit quaternions (w, x, y, z), from the column of 4·q·qᵀ with the largest diagonal entry."""
    diagonal = np.diagonal(R, axis1=-2, axis2=-1)
    trace = diagonal.sum(axis=-1)
    K = np.zeros((*R.shape[:-2], 4, 4))
    K[..., 1:, 1:] = R + np.swapaxes(R, -1, -2)
    K[..., 0, 0] = 1.0 + trace
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        K[..., i + 1, i + 1] = 1.0 + 2.0 * diagonal[..., i] - trace
        K[..., 0, i + 1] = K[..., i + 1, 0] = R[..., k, j] - R[..., j, k]
    best = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    column = np.take_along_axis(K, best[..., None, None], axis=-1)[..., 0]
    return np.asarray(column / np.linalg.norm(column, axis=-1, keepdims=True))


def turn_between(start: ArrayLike, end: ArrayLike) -> AxisAngle:
    """Smallest turn that brings one direction onto another; it has no spin about the direction.

    For a probe only the axis counts: this is the turn that a five-axis arm makes. Opposite
    directions have no smallest turn; the axis is then ``start × e`` with e the base axis most
    nearly normal to ``start``.

    Args:
        start: directions before, any length above zero. # (..., 3)
        end: directions after, in the same frame. # (..., 3)

    Raises:
        PoseError: a vector without direction.
    """
    a, b = np.broadcast_arrays(unit_direction(start), unit_direction(end))
    cross = np.cross(a, b)
    sine = np.linalg.norm(cross, axis=-1)
    parallel = (sine < _PARALLEL)[..., None]
    seed = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
    axis = unit_direction(np.where(parallel, np.cross(a, seed), cross))
    # Near a half turn the cross product is small and not quite normal to a: make it so.
    axis = unit_direction(axis - np.sum(axis * a, axis=-1, keepdims=True) * a)
    return AxisAngle(axis=axis, angle=np.asarray(np.arctan2(sine, np.sum(a * b, axis=-1))))


# ------------------------------------------------------------------------------------ Three angles
# Angles stand in the order of the product of rotations: (ψ, θ, φ) for ZXZ, (α, β, γ) for ZYX, so
# yaw α comes first and roll γ last.

# Below this sin θ (ZXZ) or cos β (ZYX) the first and last axes are one line, up to rounding of R.
SINGULAR_LIMIT = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrientationAngles:
    """The two sets of angles that give one orientation.

    Args:
        angles: the usual solution: θ in [0, π] for ZXZ, β in [-π/2, π/2] for ZYX. # (..., 3) [rad]
        alternative: the other solution; the first angle differs by a half turn. # (..., 3) [rad]
        singular: where first and last angle turn about one line and only their sum or difference
            is defined. # (...)
        convention: what fixes the free angle there.
    """

    angles: Array
    alternative: Array
    singular: Mask
    convention: str


def rotation_zxz(angles: ArrayLike) -> Array:
    """Rz(ψ)·Rx(θ)·Rz(φ). Args: angles (ψ, θ, φ). # (..., 3) [rad].

    The source's text lets φ turn about Z0; its own product, and this one, turn φ about the moving
    z axis.

    Source: [LAMMARI12] §II.4.1 eq. (II.11), erratum
    """
    a = as_finite(angles, (3,), "A set of ZXZ angles")
    return rotation_z(a[..., 0]) @ rotation_x(a[..., 1]) @ rotation_z(a[..., 2])


def rotation_zyx(angles: ArrayLike) -> Array:
    """Rz(α)·Ry(β)·Rx(γ), roll-pitch-yaw. Args: angles (α, β, γ). # (..., 3) [rad].

    Source: [LAMMARI12] §II.4.2 eq. (II.15)
    """
    a = as_finite(angles, (3,), "A set of ZYX angles")
    return rotation_z(a[..., 0]) @ rotation_y(a[..., 1]) @ rotation_x(a[..., 2])


def angles_zxz(R: ArrayLike) -> OrientationAngles:
    """Euler ZXZ angles of rotations, both solutions; φ = 0 where sin θ = 0.

    Args:
        R: any batch. # (..., 3, 3)

    Raises:
        PoseError: not a rotation.

    Source: [LAMMARI12] §II.4.1 eqs. (II.13)-(II.14); ``angles`` is its ψ′, which has θ in [0, π]
    """
    M = as_rotation(R)
    s, n, a = M[..., 0], M[..., 1], M[..., 2]
    singular = np.hypot(a[..., 0], a[..., 1]) < SINGULAR_LIMIT
    psi = np.where(
        singular, np.arctan2(s[..., 1], s[..., 0]), np.arctan2(a[..., 0], 0.0 - a[..., 1])
    )
    c, si = np.cos(psi), np.sin(psi)
    theta = np.arctan2(a[..., 0] * si - a[..., 1] * c, a[..., 2])
    phi = np.arctan2(-n[..., 0] * c - n[..., 1] * si, s[..., 0] * c + s[..., 1] * si)
    angles = np.stack([psi, np.abs(theta), np.where(singular, 0.0, phi)], axis=-1)
    return OrientationAngles(
        angles=angles,
        alternative=_wrapped(angles * [1.0, -1.0, 1.0] + [np.pi, 0.0, np.pi]),
        singular=np.asarray(singular),
        convention="φ = 0 where sin θ = 0",
    )


def angles_zyx(R: ArrayLike) -> OrientationAngles:
    """Roll-pitch-yaw angles (α, β, γ) of rotations, both solutions; γ = 0 where cos β = 0.

    Args:
        R: any batch. # (..., 3, 3)

    Raises:
        PoseError: not a rotation.

    Source: [LAMMARI12] §II.4.2 eqs. (II.16)-(II.17)
    """
    M = as_rotation(R)
    s, n, a = M[..., 0], M[..., 1], M[..., 2]
    singular = np.hypot(s[..., 0], s[..., 1]) < SINGULAR_LIMIT
    alpha = np.where(
        singular, np.arctan2(0.0 - n[..., 0], n[..., 1]), np.arctan2(s[..., 1], s[..., 0])
    )
    c, si = np.cos(alpha), np.sin(alpha)
    beta = np.arctan2(-s[..., 2], s[..., 0] * c + s[..., 1] * si)
    gamma = np.arctan2(a[..., 0] * si - a[..., 1] * c, n[..., 1] * c - n[..., 0] * si)
    angles = np.stack([alpha, beta, np.where(singular, 0.0, gamma)], axis=-1)
    return OrientationAngles(
        angles=angles,
        alternative=_wrapped(angles * [1.0, -1.0, 1.0] + np.pi),
        singular=np.asarray(singular),
        convention="γ = 0 where cos β = 0",
    )


def rate_matrix_zxz(angles: ArrayLike) -> Array:
    """E with ω = E·(ψ̇, θ̇, φ̇), ω in the fixed frame; det E = -sin θ. # (..., 3, 3).

    Source: [COURSE-JAC] analytic Jacobian; [LAMMARI12] §II.4.1
    """
    a = as_finite(angles, (3,), "A set of ZXZ angles")
    node = rotation_z(a[..., 0])
    last = node @ rotation_x(a[..., 1])
    return _columns(node[..., 0], last[..., 2])


def rate_matrix_zyx(angles: ArrayLike) -> Array:
    """E with ω = E·(α̇, β̇, γ̇), ω in the fixed frame; det E = -cos β. # (..., 3, 3).

    Source: [COURSE-JAC] analytic Jacobian; [LAMMARI12] §II.4.2
    """
    a = as_finite(angles, (3,), "A set of ZYX angles")
    node = rotation_z(a[..., 0])
    last = node @ rotation_y(a[..., 1])
    return _columns(node[..., 1], last[..., 0])


def inverse_rate_matrix(E: ArrayLike) -> Array:
    """Inverse of a rate matrix: angle rates = E⁻¹·ω.

    Args:
        E: from ``rate_matrix_zxz`` or ``rate_matrix_zyx``, any batch. # (..., 3, 3)

    Raises:
        PoseError: the angle set is singular there: sin θ = 0 (ZXZ) or cos β = 0 (ZYX).
    """
    M = as_finite(E, (3, 3), "A rate matrix")
    smallest = float(np.min(np.abs(np.linalg.det(M)), initial=np.inf))
    if smallest < SINGULAR_LIMIT:
        found, limit = apart_digits(smallest, SINGULAR_LIMIT, 3)
        raise PoseError(
            f"The angle set is singular: |det E| = {found}, the limit is {limit}. Its first and "
            "last axes are one line (sin θ = 0 for ZXZ, "
            "cos β = 0 for ZYX), so no angle rates give every ω; use the geometric Jacobian or "
            "the other angle set.",
            determinant=smallest,
            limit=SINGULAR_LIMIT,
        )
    return np.asarray(np.linalg.inv(M), dtype=np.float64)


def _columns(second: Array, third: Array) -> Array:
    first = np.broadcast_to([0.0, 0.0, 1.0], second.shape)
    return np.stack([first, second, third], axis=-1)


def _wrapped(angles: Array) -> Array:
    """Angles brought into (-π, π]."""
    wrapped = angles - 2.0 * np.pi * np.ceil((angles - np.pi) / (2.0 * np.pi))
    return np.asarray(wrapped)
