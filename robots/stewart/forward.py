"""Forward geometry: the pose of given leg lengths near a known one, with a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robots.core.arrays import Array, Indices, Mask
from robots.core.pose import as_pose, rotation_exp, rotation_log
from robots.stewart.errors import PlatformError
from robots.stewart.platform import LEGS, Platform

MOST_ITERATIONS = 30
CONVERGED = 1e-10  # size of a correction, relative, that leaves an error of its square
LARGEST_TURN = 0.5  # [rad] of one iteration
SINGULAR = 1e10  # condition number of the scaled Jacobian
CHUNK = 2000  # poses certified at once
Numbers = NDArray[Any]  # float64 or complex128: the continuation works over the complex numbers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldPoses:
    """Poses that one set of leg lengths holds: one that was sought, or all there are.

    Args:
        T: T_base_platform of each. # (n, 4, 4)
        residual: largest error of a leg length. # (n,) [m]
        certified: whether a posture is proved to exist there. # (n,)
        iterations: of Newton; zero where all poses are sought.
        statement: what the number of poses rests on; empty where one was sought.
    """

    T: Array
    residual: Array
    certified: Mask
    iterations: int = 0
    statement: str = ""

    @property
    def proved(self) -> bool:
        """Whether there is a pose, and every one is certified."""
        return bool(len(self.T)) and bool(np.all(self.certified))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ForwardSolution:
    """Poses for a batch of lengths.

    Args:
        T: T_base_platform. # (..., 4, 4)
        residual: largest error of a leg length. # (...) [m]
        iterations: of Newton. # (...)
        certified: whether a posture is proved to exist there, and to be the only one near. # (...)
        kantorovich: the certificate's number, below 1 where it holds. # (...)
    """

    T: Array
    residual: Array
    iterations: Indices
    certified: Mask
    kantorovich: Array

    def held(self) -> list[HeldPoses]:
        """One entry per set of lengths, of a batch (N,)."""
        return [
            HeldPoses(
                T=self.T[k : k + 1],
                residual=self.residual[k : k + 1],
                certified=self.certified[k : k + 1],
                iterations=int(self.iterations[k]),
            )
            for k in range(len(self.T))
        ]


def forward(platform: Platform, lengths: ArrayLike, start: ArrayLike) -> ForwardSolution:
    """Newton on SE(3), all poses of a batch together.

    Args:
        platform: its limits are not considered.
        lengths: A to B. # (..., 6) [m]
        start: a pose near each. T_base_platform. # broadcastable to (..., 4, 4)

    Raises:
        PlatformError: lengths that are not positive and finite; a start where the platform is
            singular; lengths that no pose near the start has.
    """
    L = np.asarray(lengths, dtype=np.float64)
    _check_lengths(platform, L)
    first = as_pose(start, "The start of the forward geometry")
    batch = np.broadcast_shapes(L.shape[:-1], first.shape[:-2])
    flat = np.broadcast_to(L, (*batch, LEGS)).reshape(-1, LEGS)
    T = np.broadcast_to(first, (*batch, 4, 4)).reshape(-1, 4, 4).copy()
    _check_start(platform, T)
    T, iterations = _newton(platform, flat, T)
    residual = np.max(np.abs(_errors(platform, flat, T)), axis=-1)
    certified, kantorovich = _certificates(platform, flat, T)
    return ForwardSolution(
        T=T.reshape(*batch, 4, 4),
        residual=residual.reshape(batch),
        iterations=iterations.reshape(batch),
        certified=certified.reshape(batch),
        kantorovich=kantorovich.reshape(batch),
    )


def forward_along(platform: Platform, lengths: ArrayLike, start: ArrayLike) -> ForwardSolution:
    """Poses along a motion, each sought from the one before it, so the mode does not change.

    Args:
        platform: as in ``forward``.
        lengths: in order of time, close to each other. # (n, 6) [m]
        start: pose near the first. T_base_platform. # (4, 4)

    Raises:
        PlatformError: as ``forward``.
    """
    L = np.atleast_2d(np.asarray(lengths, dtype=np.float64))
    steps = []
    pose = as_pose(start, "The start of the forward geometry")
    for k, row in enumerate(L):
        try:
            steps.append(forward(platform, row, pose))
        except PlatformError as error:
            raise PlatformError(error.message, **{**error.facts, "index": k}) from error
        pose = steps[-1].T
    if not steps:
        return forward(platform, L.reshape(0, LEGS), pose)
    names = ("T", "residual", "iterations", "certified", "kantorovich")
    return ForwardSolution(**{n: np.stack([getattr(s, n) for s in steps]) for n in names})


def _check_lengths(platform: Platform, L: Array) -> None:
    if L.shape[-1:] != (LEGS,):
        raise PlatformError(
            f"The leg lengths have shape {L.shape}; give {LEGS} for each pose, positive "
            "and finite, in metres.",
            shape=L.shape,
        )
    flat = L.reshape(-1, LEGS)
    bad = np.argwhere(~(np.isfinite(flat) & (flat > 0.0)))
    if len(bad):
        k, leg = bad[0].tolist()
        which = f" of set {k + 1}" if len(flat) > 1 else ""
        raise PlatformError(
            f"Leg {platform.legs[leg].name!r}{which} is {1e3 * flat[k, leg]:g} mm long; a length "
            "must be positive and finite.",
            index=k,
            leg=platform.legs[leg].name,
            value=float(flat[k, leg]),
            unit="m",
        )


def _leg_vectors(platform: Platform, T: Array) -> tuple[Array, Array]:
    """A to B, and R·b, of every leg. Base frame. # (n, 6, 3) [m]."""
    arms = platform.platform_points @ np.swapaxes(T[:, :3, :3], -1, -2)
    return arms + T[:, None, :3, 3] - platform.base_points, arms


def _errors(platform: Platform, L: Array, T: Array) -> Array:
    vectors, _ = _leg_vectors(platform, T)
    return np.asarray(np.linalg.norm(vectors, axis=-1) - L)


def _size(platform: Platform) -> float:
    """A length that makes turns and shifts comparable. [m]."""
    return float(np.max(np.linalg.norm(platform.platform_points, axis=-1)))


def _matrix(vectors: Array, arms: Array, size: float) -> Array:
    """Gradient of half the squared lengths by (shift / size, turn), over size. # (n, 6, 6)."""
    return np.concatenate([vectors, np.cross(arms, vectors) / size], axis=-1)


def _check_start(platform: Platform, T: Array) -> None:
    vectors, arms = _leg_vectors(platform, T)
    M = _matrix(vectors, arms, _size(platform))
    condition = np.linalg.cond(M)
    if np.any(~(condition < SINGULAR)):
        k = int(np.argmax(~(condition < SINGULAR)))
        raise PlatformError(
            f"Forward geometry of {platform.name!r}: start {k + 1} is singular (condition "
            f"{condition[k]:.1e}, limit {SINGULAR:.0e}): from there the lengths do not tell the "
            "way. Start from a pose a little aside.",
            index=k,
            condition=float(condition[k]),
        )


def _newton(platform: Platform, L: Array, T: Array) -> tuple[Array, Indices]:
    size = _size(platform)
    iterations = np.zeros(len(T), dtype=np.int64)
    active = np.arange(len(T))
    for _ in range(MOST_ITERATIONS):
        if len(active) == 0:
            return T, iterations
        vectors, arms = _leg_vectors(platform, T[active])
        defect = 0.5 * (L[active] ** 2 - np.sum(vectors * vectors, axis=-1))
        step = _solved(_matrix(vectors, arms, size), defect)
        shift, turn = step[:, :3], step[:, 3:] / size
        amount = np.linalg.norm(turn, axis=-1) + np.linalg.norm(shift, axis=-1) / size
        damping = np.minimum(1.0, LARGEST_TURN / np.maximum(amount, 1e-300))[:, None]
        T[active, :3, :3] = rotation_exp(damping * turn) @ T[active, :3, :3]
        T[active, :3, 3] += damping * shift
        iterations[active] += 1
        active = active[amount > CONVERGED]
    if len(active):
        _fail(platform, L, T, active)
    return T, iterations


def _solved(M: Array, defect: Array) -> Array:
    try:
        step = np.linalg.solve(M, defect[..., None])[..., 0]
    except np.linalg.LinAlgError:  # exactly singular on the way: the shortest step that helps most
        step = (np.linalg.pinv(M) @ defect[..., None])[..., 0]
    return np.asarray(step)


def _fail(platform: Platform, L: Array, T: Array, active: Indices) -> None:
    k = int(active[0])
    errors = _errors(platform, L[k : k + 1], T[k : k + 1])[0]
    vectors, arms = _leg_vectors(platform, T[k : k + 1])
    condition = float(np.linalg.cond(_matrix(vectors, arms, _size(platform)))[0])
    worst = int(np.argmax(np.abs(errors)))
    which = f"Set {k + 1}" if len(T) > 1 else "It"
    raise PlatformError(
        f"Forward geometry of {platform.name!r}: no pose found for {len(active)} of {len(T)} sets "
        f"of lengths in {MOST_ITERATIONS} iterations. {which} is left with "
        f"{1e3 * errors[worst]:+.3g} mm in leg {platform.legs[worst].name!r} (length "
        f"{1e3 * L[k, worst]:.6g} mm), condition {condition:.1e}. "
        "No pose near the start has these lengths, or it is singular; start nearer, or list "
        "the assembly modes.",
        index=k,
        leg=platform.legs[worst].name,
        residual=float(errors[worst]),
        condition=condition,
    )


def _certificates(platform: Platform, L: Array, T: Array) -> tuple[Mask, Array]:
    holds, kantorovich = np.zeros(len(T), dtype=bool), np.full(len(T), np.inf)
    for k in range(0, len(T), CHUNK):
        part = slice(k, k + CHUNK)
        scaled = scaled_geometry(platform.base_points, platform.platform_points, L[part])
        x = parameters_of_pose(T[part], scaled)
        proof = certify(quadratic_forms(scaled.legs), x)
        holds[part], kantorovich[part] = proof.holds, proof.kantorovich
    return holds, kantorovich


# ------------------------------------------------------------------------------------- Certificate
# Theorem (Newton-Kantorovich, with an approximate inverse). Let F be the eight quadratic equations
# of ``modes.study`` with |q| = 1, x any point and C any regular 8 × 8 matrix. If
#
#     |C F(x)| ≤ η,     ‖1 − C F'(x)‖ ≤ δ < 1,     ‖C (F'(y) − F'(z))‖ ≤ K |y − z| for all y, z
#
# and (1 − δ)² > 2 K η, then F has exactly one zero within ρ of x, it lies within r of x, where
#
#     r, ρ = ((1 − δ) ∓ √((1 − δ)² − 2 K η)) / K,
#
# and F' is regular there. (y ↦ y − C F(y) maps the ball of radius r into itself and contracts it.)
#
# The bound K is not a sample: row k of C (F'(y) − F'(z)) is 2 (y − z)ᵀ S_k with the constant
# matrices S_k = Σ_j C_kj Q_j, so its Frobenius norm is at most 2 √λ |y − z|, λ the largest
# eigenvalue of Σ_k S_kᴴ S_k. It holds on the whole space, not near x only. η, δ and K are enlarged
# by bounds of what rounding can have done to them: what is proved is about the platform whose
# points, about their middle, and lengths are the double precision numbers used. The same holds over
# the complex numbers, with the same bounds.

# Bound of the relative rounding error of a sum of products as they occur here: at most 30
# operations in a row and the scaling of the data before them, times the unit roundoff.
ROUNDING = 64 * 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoseCertificate:
    """The outcome for a batch of points; distances are in the space of the Study parameters.

    Args:
        holds: whether the theorem's condition is met. # (...) bool
        kantorovich: 2 K η / (1 − δ)², less than 1 where it is met. # (...)
        radius: r: the zero is no further than this; infinite where nothing is proved. # (...)
        alone: ρ: no other zero is nearer than this; 0 where nothing is proved. # (...)
    """

    holds: Numbers
    kantorovich: Numbers
    radius: Numbers
    alone: Numbers


def with_unit(forms: Numbers) -> Numbers:
    """The seven forms with |q|² as the eighth; F's constant is then −1 in the last row."""
    Q = np.zeros((*forms.shape[:-3], UNKNOWNS, UNKNOWNS, UNKNOWNS), dtype=forms.dtype)
    Q[..., :7, :, :] = forms
    Q[..., 7, :4, :4] = np.eye(4)
    return Q


def newton_step(Q: Numbers, x: Numbers) -> Numbers:
    """Newton's correction of x for the eight equations. # (..., 8)."""
    gradients = (Q @ x[..., None, :, None])[..., 0]
    F = (gradients @ x[..., None])[..., 0]
    F[..., 7] -= 1.0
    return -np.linalg.solve(2.0 * gradients, F[..., None])[..., 0]


def certify(forms: Numbers, x: Numbers) -> PoseCertificate:
    """Apply the theorem at points x with C ≈ F'(x)⁻¹; a singular F'(x) proves nothing.

    Args:
        forms: of ``quadratic_forms``. # (..., 7, 8, 8)
        x: |q| ≈ 1. # (..., 8), real or complex
    """
    Q = with_unit(forms)
    gradients = (Q @ x[..., None, :, None])[..., 0]
    J = 2.0 * gradients
    F = (gradients @ x[..., None])[..., 0]
    F[..., 7] -= 1.0
    C = _inverse(J)
    eta, delta, K = _constants(Q, x, F, C)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        room = np.where(delta < 1.0, 1.0 - delta, 0.0)
        kantorovich = np.where(room > 0.0, 2.0 * K * eta / room**2, np.inf)
        holds = np.isfinite(kantorovich) & (kantorovich < 1.0)
        root = room * np.sqrt(np.where(holds, 1.0 - kantorovich, 0.0))
        # r as 2η / (…) does not cancel
        radius = np.where(holds, 2.0 * eta / (room + root) * (1.0 + 1e-12), np.inf)
        alone = np.where(holds, (room + root) / K * (1.0 - 1e-12), 0.0)
    return PoseCertificate(holds=holds, kantorovich=kantorovich, radius=radius, alone=alone)


def lipschitz_bound(Q: Numbers, C: Numbers) -> Numbers:
    """K with ‖C (F'(y) − F'(z))‖ ≤ K |y − z| for all y and z. # (...)."""
    S = (C @ Q.reshape(*Q.shape[:-2], -1)).reshape(*C.shape, UNKNOWNS)
    gram = np.sum(np.conj(np.swapaxes(S, -1, -2)) @ S, axis=-3)
    finite = np.all(np.isfinite(gram), axis=(-2, -1))
    gram = np.where(finite[..., None, None], gram, np.eye(UNKNOWNS))
    largest = np.maximum(np.linalg.eigvalsh(gram)[..., -1], 0.0)
    spread = _spread(Q).reshape(*Q.shape[:-2], -1)
    sizes = np.linalg.norm(C, axis=(-2, -1)) * np.linalg.norm(spread, axis=(-2, -1))
    return np.where(finite, 2.0 * (np.sqrt(largest) * (1.0 + 1e-8) + ROUNDING * sizes), np.inf)


def _constants(Q: Numbers, x: Numbers, F: Numbers, C: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """η, δ and K, each with its share of rounding."""
    size_C, size_x = np.abs(C), np.abs(x)
    size_J = (_spread(Q) @ size_x[..., None, :, None])[..., 0]
    size_F = (size_J @ size_x[..., None])[..., 0] + 1.0
    eta = np.linalg.norm((C @ F[..., None])[..., 0], axis=-1)
    eta = eta + 2.0 * ROUNDING * np.linalg.norm((size_C @ size_F[..., None])[..., 0], axis=-1)
    J = 2.0 * (Q @ x[..., None, :, None])[..., 0]
    delta = np.linalg.norm(np.eye(UNKNOWNS) - C @ J, axis=(-2, -1))
    delta = delta + 4.0 * ROUNDING * np.linalg.norm(size_C @ size_J, axis=(-2, -1))
    return eta, delta, lipschitz_bound(Q, C)


def _spread(Q: Numbers) -> Numbers:
    """Sizes of the terms that the entries of the forms are sums of. # (..., 8, 8, 8).

    The entries of D are all the sums and differences of a's and b's components, so the largest of
    them bounds the terms of each; L² is what DᵀD − Q has left.
    """
    D = Q[..., 4:, :4]
    Dt = np.swapaxes(D, -1, -2)
    largest = np.max(np.abs(D), axis=(-2, -1), keepdims=True)
    square = np.max(np.abs(Dt @ D - Q[..., :4, :4]), axis=(-2, -1), keepdims=True)
    sizes = np.abs(Q)
    sizes[..., :4, :4] = 4.0 * largest**2 + square
    sizes[..., 4:, :4] = sizes[..., :4, 4:] = largest
    return sizes


def _inverse(J: Numbers) -> Numbers:
    """Inverse of every matrix of a batch; infinite entries where one is exactly singular."""
    try:
        return np.linalg.inv(J)
    except np.linalg.LinAlgError:
        singular = np.linalg.matrix_rank(J) < UNKNOWNS
        C = np.linalg.inv(np.where(singular[..., None, None], np.eye(UNKNOWNS), J))
        return np.where(singular[..., None, None], np.nan, C)


# ------------------------------------------------------------------------------ Study's parameters
# A pose is a pair of quaternions x = (q, g), up to a common factor: R·v = q v q̄ / |q|² and the
# translation is p = g q̄ / |q|². Multiplying p + R·b − a by q gives g + q b − a q, so a leg of
# length L from a to b is the quadratic form
#
#     f(x) = |g + q b − a q|² − L² |q|² = xᵀ Q x,    Q = [[DᵀD − L²·1, Dᵀ], [D, 1]],  D·q = q b − a
#     q.
#
# Six legs, the Study quadric q·g = 0 and one normalisation make the square system. Over the complex
# numbers |·|² stands for the sum of squares, without conjugation. A generic platform has 40
# solutions with |q|² ≠ 0 (Wampler 1996; Husty 1996), and Dietmaier's (1998) has all 40 real.

UNKNOWNS = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegGeometry:
    """Geometry of the legs in the polynomials; complex along the homotopy between platforms.

    Args:
        base: points A, centred. # (6, 3) [scale]
        platform: points B, centred. # (6, 3) [scale]
        squares: L², of the legs. # (6,) [scale²]
    """

    base: Numbers
    platform: Numbers
    squares: Numbers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScaledGeometry:
    """A real platform in its own unit of length, both frames moved to the middle of the points.

    Args:
        legs: centred and scaled.
        base_centre: in the base frame. # (3,) [m]
        platform_centre: in the platform frame. # (3,) [m]
        scale: unit of length. [m]
    """

    legs: LegGeometry
    base_centre: Array
    platform_centre: Array
    scale: float


def scaled_geometry(base: Array, platform: Array, lengths: Array) -> ScaledGeometry:
    """Centre and scale a platform, so that q and g are of the same size.

    Args:
        base: points A. # (6, 3) [m]
        platform: points B. # (6, 3) [m]
        lengths: of the legs; one unit of length serves a whole batch. # (..., 6) [m]
    """
    base_centre, platform_centre = base.mean(axis=0), platform.mean(axis=0)
    A, B = base - base_centre, platform - platform_centre
    mean_squares = [np.mean(np.sum(A * A, -1)), np.mean(np.sum(B * B, -1)), np.mean(lengths**2)]
    scale = float(np.sqrt(np.mean(mean_squares)))
    legs = LegGeometry(base=A / scale, platform=B / scale, squares=(lengths / scale) ** 2)
    return ScaledGeometry(
        legs=legs, base_centre=base_centre, platform_centre=platform_centre, scale=scale
    )


def leg_matrices(base: Numbers, platform: Numbers) -> Numbers:
    """D of every leg: D·q = q b − a q. # (..., 4, 4)."""
    return _product_by(platform, side=-1.0) - _product_by(base, side=1.0)


def _product_by(v: Numbers, *, side: float) -> Numbers:
    """Matrix of q ↦ v q (side 1) or q ↦ q v (side −1) for the pure quaternion v. # (..., 4, 4)."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    M = np.zeros((*v.shape[:-1], 4, 4), dtype=v.dtype)
    M[..., 0, 1:], M[..., 1:, 0] = -v, v
    M[..., 1, 2], M[..., 1, 3], M[..., 2, 3] = -side * z, side * y, -side * x
    M[..., 2, 1], M[..., 3, 1], M[..., 3, 2] = side * z, -side * y, side * x
    return M


def study_quadric() -> Array:
    """Q of q·g. # (8, 8)."""
    Q = np.zeros((UNKNOWNS, UNKNOWNS))
    Q[:4, 4:] = Q[4:, :4] = 0.5 * np.eye(4)
    return Q


def quadratic_forms(legs: LegGeometry) -> Numbers:
    """Q of the six legs and, last, of the Study quadric; ``squares`` may be a batch.

    # (..., 7, 8, 8).
    """
    D = leg_matrices(legs.base, legs.platform)
    Dt = np.swapaxes(D, -1, -2)
    Q = np.zeros((*legs.squares.shape[:-1], 7, UNKNOWNS, UNKNOWNS), dtype=D.dtype)
    Q[..., :6, :4, :4] = Dt @ D - legs.squares[..., None, None] * np.eye(4)
    Q[..., :6, :4, 4:], Q[..., :6, 4:, :4], Q[..., :6, 4:, 4:] = Dt, D, np.eye(4)
    Q[..., 6, :, :] = study_quadric()
    return Q


def parameters_of_pose(T: Array, scaled: ScaledGeometry) -> Array:
    """Study parameters with |q| = 1 of poses T_base_platform. # (..., 8)."""
    R = T[..., :3, :3]
    p = T[..., :3, 3] + R @ scaled.platform_centre - scaled.base_centre
    turn = rotation_log(R)
    half = 0.5 * np.linalg.norm(turn, axis=-1, keepdims=True)
    q = np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * turn], axis=-1)
    g = (_product_by(p / scaled.scale, side=1.0) @ q[..., None])[..., 0]
    return np.concatenate([q, g], axis=-1)


def pose_of_parameters(x: Array, scaled: ScaledGeometry) -> Array:
    """Poses T_base_platform of real Study parameters. # (..., 4, 4)."""
    q, g = x[..., :4], x[..., 4:]
    norm = np.sum(q * q, axis=-1)[..., None]
    w, v = q[..., :1], q[..., 1:]
    T = np.zeros((*x.shape[:-1], 4, 4))
    cross = _product_by(v, side=1.0)[..., 1:, 1:]
    eye = np.eye(3)
    T[..., :3, :3] = eye + 2.0 * (w[..., None] * cross + cross @ cross) / norm[..., None]
    p = (w * g[..., 1:] - g[..., :1] * v - np.cross(g[..., 1:], v)) / norm * scaled.scale
    T[..., :3, 3] = p + scaled.base_centre - T[..., :3, :3] @ scaled.platform_centre
    T[..., 3, 3] = 1.0
    return T
