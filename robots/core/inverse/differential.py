"""Inverse models of first and second order: joint speeds and accelerations for a task.

What could not be produced is part of the answer: at a singularity, or for a demand that
contradicts itself, the pseudo-inverse gives the nearest the mechanism can do.

Source: [LAMMARI12] §III.3 eqs. (III.11)-(III.13), §III.5 eq. (III.16); [COURSE-JAC] modèle
cinématique inverse. Deviation: §III.5 and the annex hold a probe direction by asking ω = 0 of a 6×5
Jacobian, which errs by up to 1.1 %; here the task has five coordinates (sources.md, decision 5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Counts, Mask, freeze_fields
from robots.core.inverse.damped import (
    DampedInverse,
    adaptive_damped_inverse,
    damped_inverse,
    null_projector,
    project,
)
from robots.core.inverse.greville import pseudo_inverse
from robots.core.inverse.scaling import scale_length, without_rounding
from robots.core.inverse.task import Task
from robots.core.model import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Damping:
    """Damped least squares, for passing near singularities.

    Args:
        maximum: k at the singularity, above zero. [unit of J]
        threshold: smallest singular value below which damping starts; k is the same everywhere
            when None. [unit of J]
    """

    maximum: float
    threshold: float | None = None

    def inverse(self, J: Array) -> DampedInverse:
        """J* of every matrix of a batch. # (..., m, n)."""
        if self.threshold is None:
            return damped_inverse(J, self.maximum)
        return adaptive_damped_inverse(J, threshold=self.threshold, maximum=self.maximum)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointRates:
    """Joint speeds or accelerations, and how far they fall short.

    Args:
        value: q̇ or q̈. # (..., n) [rad or m per s or s²]
        residual: what was asked for less what is produced, in the task's own terms.
            # (..., rate_size)
        rank: of the task Jacobian. # (...)
        full_rank: largest rank that a Jacobian of this shape has.
        damping: k that was used, 0 where none. # (...)
        demand: size of what was asked for. # (...)
    """

    value: Array
    residual: Array
    rank: Counts
    full_rank: int
    damping: Array
    demand: Array

    def __post_init__(self) -> None:
        freeze_fields(self, "value", "residual", "rank", "damping", "demand")

    @property
    def missing(self) -> Array:
        """Size of the residual. # (...)."""
        return np.asarray(np.linalg.norm(self.residual, axis=-1))

    @property
    def solved(self) -> Mask:
        """Whether the demand is met: what the pseudo-inverse leaves is rounding. # (...)."""
        return np.asarray(self.missing <= _TOLERANCE * (1.0 + self.demand))


# Of the demand, plus one.
_TOLERANCE = 1e-9


def joint_velocities(
    model: Model,
    task: Task,
    q: ArrayLike,
    rate: ArrayLike,
    *,
    wish: ArrayLike | None = None,
    damping: Damping | None = None,
) -> JointRates:
    """Joint speeds for a task rate: q̇ = J⁺ẋ + (I - J⁺J)·wish.

    Among speeds that do the task equally well these have the least norm, metres and radians being
    taken as they are.

    Args:
        model: of the mechanism.
        task: what of the tool counts.
        q: # (..., n) [rad or m]
        rate: ẋ in the task's own terms, see ``Task.twist``. # (..., rate_size)
        wish: speeds to follow as far as the task allows. # (..., n)
        damping: use J* instead of J⁺ for the task.

    Raises:
        InverseError: a rate of a wrong length, values that are not finite.
    """
    posture = np.asarray(q, dtype=np.float64)
    R = model.forward(posture)[..., :3, :3]
    demand = task.twist(R, np.asarray(rate, dtype=np.float64))
    found = _inverted(model, task, posture, demand, (wish, damping))
    made = task.rate(R, model.velocity(posture, found.value))
    return _with_residual(found, np.asarray(rate), made)


def joint_accelerations(
    model: Model,
    task: Task,
    motion: tuple[ArrayLike, ArrayLike],
    acceleration: ArrayLike,
    *,
    wish: ArrayLike | None = None,
    damping: Damping | None = None,
) -> JointRates:
    """Joint accelerations for a task acceleration: q̈ = J⁺(ẍ - J̇q̇) + (I - J⁺J)·wish.

    For a direction, the acceleration is ä of the tool's unit z axis. Its angular acceleration
    follows from ä = ω̇×a + ω×(ω×a): normal to a it is a×ä + (ω·a)·ȧ, where the tool's spin ω·a
    is the one that q̇ gives. The component of ä along a, -|ȧ|², is fixed by the speeds.

    Args:
        model: of the mechanism.
        task: what of the tool counts.
        motion: q and q̇. # (..., n), (..., n)
        acceleration: ẍ in the task's own terms. # (..., rate_size)
        wish: accelerations to follow as far as the task allows. # (..., n)
        damping: use J* instead of J⁺ for the task.

    Raises:
        InverseError: an acceleration of a wrong length, values that are not finite.
    """
    q, qd = (np.asarray(value, dtype=np.float64) for value in motion)
    R = model.forward(q)[..., :3, :3]
    demand = task.twist(R, np.asarray(acceleration, dtype=np.float64))
    spin = _spin(task, R, model.velocity(q, qd))
    missing = demand + spin - model.bias_acceleration(q, qd)
    found = _inverted(model, task, q, missing, (wish, damping))
    made = _axis_acceleration(task, R, (q, qd, found.value), model)
    return _with_residual(found, np.asarray(acceleration), made)


def joint_velocities_of_twist(model: Model, q: Array, twist: Array, task: Task) -> JointRates:
    """Joint speeds for a tool twist, as far as the task counts it.

    Args:
        model: of the mechanism.
        q: # (N, n) [rad or m]
        twist: linear, then angular velocity of the tool, base axes. # (N, 6) [m/s, rad/s]
        task: what of the tool counts.
    """
    rate = task.rate(model.forward(q)[..., :3, :3], twist)
    return joint_velocities(model, task, q, rate)


def joint_accelerations_of_twist(
    model: Model, q: Array, qd: Array, twist_rate: Array, task: Task
) -> JointRates:
    """Joint accelerations for a tool's acceleration, as far as the task counts it.

    Args:
        model: of the mechanism.
        q: # (N, n) [rad or m]
        qd: # (N, n) [rad/s or m/s]
        twist_rate: linear, then angular acceleration of the tool, base axes.
            # (N, 6) [m/s², rad/s²]
        task: what of the tool counts.
    """
    R = model.forward(q)[..., :3, :3]
    rate = np.array(task.rate(R, twist_rate))
    if task.has_axis:  # ä of the axis holds ω×(ω×a) as well
        w = model.velocity(q, qd)[..., 3:]
        rate[..., -3:] += np.cross(w, np.cross(w, R[..., 2]))
    return joint_accelerations(model, task, (q, qd), rate)


def _inverted(
    model: Model,
    task: Task,
    q: Array,
    twist: Array,
    how: tuple[ArrayLike | None, Damping | None],
) -> JointRates:
    wish, damping = how
    mechanism = model.mechanism
    S = task.selection(model.forward(q)[..., :3, :3])
    demand = (S @ twist[..., None])[..., 0]
    matrix = without_rounding(S @ model.jacobian(q), task, mechanism, scale_length(mechanism))
    free = np.zeros(model.dof) if wish is None else np.asarray(wish, dtype=np.float64)
    if damping is None:
        value = project(matrix, demand, free)
        used = np.zeros(value.shape[:-1])
    else:
        inverse = damping.inverse(matrix)
        value = (inverse.inverse @ demand[..., None] + null_projector(matrix) @ free[..., None])[
            ..., 0
        ]
        used = np.broadcast_to(inverse.damping, value.shape[:-1])
    rank = np.broadcast_to(pseudo_inverse(matrix).rank, value.shape[:-1])
    full = min(matrix.shape[-2:])
    size = np.linalg.norm(demand, axis=-1)
    return JointRates(
        value=value, residual=demand, rank=rank, full_rank=full, damping=used, demand=size
    )


def _with_residual(found: JointRates, demand: Array, made: Array) -> JointRates:
    return replace(found, residual=demand - made, demand=np.linalg.norm(demand, axis=-1))


def _spin(task: Task, R: Array, twist: Array) -> Array:
    """(ω·a)·ȧ as an angular acceleration: what a turning tool adds to its axis's. # (..., 6)."""
    added = np.zeros(twist.shape)
    if task.has_axis:
        a, w = R[..., 2], twist[..., 3:]
        added[..., 3:] = np.sum(w * a, axis=-1, keepdims=True) * np.cross(w, a)
    return added


def _axis_acceleration(
    task: Task, R: Array, motion: tuple[Array, Array, Array], model: Model
) -> Array:
    """Task acceleration of a motion, in the task's own terms. # (..., rate_size)."""
    rates = model.acceleration(*motion)
    made = task.rate(R, rates)
    if task.has_axis:
        w = model.velocity(motion[0], motion[1])[..., 3:]
        made = made.copy()
        made[..., -3:] += np.cross(w, np.cross(w, R[..., 2]))
    return made
