"""Forward geometry: the pose that given leg lengths hold, near a known one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Indices, Mask
from robots.core.pose import as_pose, rotation_exp
from robots.stewart.certificate import certify
from robots.stewart.errors import PlatformError
from robots.stewart.modes.study import parameters_of_pose, quadratic_forms, scaled_geometry
from robots.stewart.platform import LEGS, Platform

MOST_ITERATIONS = 30
CONVERGED = 1e-10  # size of a correction, relative, that leaves an error of its square
LARGEST_TURN = 0.5  # [rad] of one iteration
SINGULAR = 1e10  # condition number of the scaled Jacobian
CHUNK = 2000  # poses certified at once


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
