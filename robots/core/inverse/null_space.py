"""Secondary objectives of a redundant robot, followed with the motion that a task leaves free.

A gain times an objective's gradient is the ``wish`` of the first- and second-order models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask, freeze_fields
from robots.core.equations.algebra import numbers
from robots.core.equations.kinematics import frames, geometric_jacobian
from robots.core.equations.tree import tree_of
from robots.core.errors import InverseError
from robots.core.inverse.pseudo_inverse import checked_matrix
from robots.core.inverse.task import Task
from robots.core.model import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPoint:
    """A point of the robot that should keep clear of obstacles.

    Args:
        joint: name of the joint that carries it.
        offset: coordinates in that joint's frame. # (3,) [m]
    """

    joint: str
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


def manipulability(model: Model, task: Task, q: ArrayLike) -> Objective:
    """√det(JJᵀ) of the task Jacobian: away from singularities.

    Raises:
        InverseError: the task has more coordinates than the mechanism has joints.

    Source: [COURSE-JAC] modèle cinématique inverse, objectif 1
    """
    posture = np.asarray(q, dtype=np.float64)
    slopes = task_jacobian_derivative(model, task, posture)
    return manipulability_objective(task.jacobian(model, posture), slopes)


def joint_limit_distance(model: Model, q: ArrayLike) -> Objective:
    """Towards mid-range of every joint that has two limits.

    Source: [COURSE-JAC] modèle cinématique inverse, objectif 2
    """
    mechanism = model.mechanism
    return joint_limit_objective(q, mechanism.q_min, mechanism.q_max)


def obstacle_distance(
    model: Model, q: ArrayLike, points: Sequence[BodyPoint], obstacles: ArrayLike
) -> Objective:
    """Smallest distance between points of the robot and points of obstacles.

    Args:
        model: of the mechanism.
        q: # (..., n) [rad or m]
        points: of the robot, at least one.
        obstacles: base coordinates. # (O, 3) [m]

    Raises:
        MechanismError: no joint of that name.
        InverseError: no point, or obstacles of a wrong shape.

    Source: [COURSE-JAC] modèle cinématique inverse, objectif 3
    """
    if not points:
        raise InverseError("There is no point of the robot to keep clear; give at least one.")
    posture = np.asarray(q, dtype=np.float64)
    placed = [_body_point(model, posture, point) for point in points]
    return obstacle_objective(
        np.stack([column[..., 0] for column in placed], axis=-2),
        np.stack([column[..., 1:] for column in placed], axis=-3),
        np.asarray(obstacles, dtype=np.float64),
    )


def _body_point(model: Model, q: Array, point: BodyPoint) -> Array:
    """Position in the first column, linear Jacobian in the others. # (..., 3, 1 + n)."""
    tree, link = tree_of(model.mechanism), model.mechanism.index(point.joint)
    placed = frames(tree, list(np.moveaxis(q, -1, 0)), numbers())
    position = placed[link].point(point.offset)
    jacobian = geometric_jacobian(tree, placed, link, position)
    columns = [position, *(column[:3] for column in jacobian)]
    batch = q.shape[:-1]
    flat = [np.broadcast_to(x, batch) for column in columns for x in column]
    return np.moveaxis(np.stack(flat, axis=-1).reshape(*batch, len(columns), 3), -1, -2)


# ------------------------------------------------------------------------ Objectives of a Jacobian
# Each is to be maximised: a gain times its gradient is the secondary joint velocity of ``project``.

# Relative gap below which a singular value is zero, and two distances are equal.
_TIE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Objective:
    """Value and slope of an objective.

    Args:
        value: to be maximised. # (...)
        gradient: derivative with respect to q; where it does not exist, zero or one-sided as the
            function says. # (..., n)
        differentiable: whether the gradient exists. # (...)
    """

    value: Array
    gradient: Array
    differentiable: Mask

    def __post_init__(self) -> None:
        freeze_fields(self, "value", "gradient", "differentiable")


def manipulability_objective(J: ArrayLike, dJ_dq: ArrayLike) -> Objective:
    """Manipulability w = √det(JJᵀ), with ∂w/∂q_k = w·trace(J⁺ ∂J/∂q_k).

    The gradient uses w·J⁺ formed from products of singular values, so that nothing is divided by
    one that vanishes. At a singularity (w = 0) w has a kink and the gradient is set to zero.

    Args:
        J: # (..., m, n), m ≤ n
        dJ_dq: ∂J_ij/∂q_k. # (..., m, n, n), k last

    Raises:
        InverseError: not finite, of the wrong shape, or more rows than columns (w is always 0).

    Source: [COURSE-JAC] modèle cinématique inverse, objectif 1
    """
    matrix = checked_matrix(J)
    m, n = matrix.shape[-2:]
    slopes = checked_matrix(dJ_dq, "dJ_dq")
    if m > n:
        raise InverseError(
            f"J has {m} rows and {n} columns, so √det(JJᵀ) is 0 everywhere. Use the Jacobian of a "
            f"task with at most {n} coordinates.",
            rows=m,
            columns=n,
        )
    _check_tail(slopes, (m, n, n), "dJ_dq")
    U, s, Vt = np.linalg.svd(matrix, full_matrices=False)
    scaled = np.einsum("...ri,...r,...jr->...ij", Vt, _products_of_others(s), U)  # w·J⁺
    regular = s[..., -1] > _TIE * s[..., 0]
    gradient = np.einsum("...ij,...jik->...k", scaled, slopes)
    return Objective(
        value=np.prod(s, axis=-1),
        gradient=np.where(regular[..., None], gradient, 0.0),
        differentiable=regular,
    )


def joint_limit_objective(q: ArrayLike, q_min: ArrayLike, q_max: ArrayLike) -> Objective:
    """Distance from the joint limits, -(1/2n) Σ ((q - q̄)/(q_max - q_min))²: zero at mid-range.

    The divisor is the full range, so a joint at its limit contributes -1/(8n). A joint with an
    infinite limit contributes nothing.

    Args:
        q: # (..., n) [rad or m]
        q_min: # (n,) [rad or m]
        q_max: # (n,) [rad or m]

    Raises:
        InverseError: q not finite, lengths that differ, a limit NaN, or q_min ≥ q_max.

    Source: [COURSE-JAC] modèle cinématique inverse, objectif 2 (the slide's square and range read
        as above; sources.md)
    """
    q, low, high = (np.asarray(value, dtype=np.float64) for value in (q, q_min, q_max))
    _check_limits(q, low, high)
    n = q.shape[-1]
    bounded = np.isfinite(low) & np.isfinite(high)
    low, high = np.where(bounded, low, 0.0), np.where(bounded, high, 1.0)
    offset = np.where(bounded, (q - 0.5 * (low + high)) / (high - low), 0.0)
    return Objective(
        value=-np.sum(offset**2, axis=-1) / (2 * n),
        gradient=-offset / (high - low) / n,
        differentiable=np.ones(q.shape[:-1], dtype=np.bool_),
    )


def obstacle_objective(
    points: ArrayLike, point_jacobians: ArrayLike, obstacles: ArrayLike
) -> Objective:
    """Smallest distance between points of the robot and points of obstacles, min |p - o|.

    In contact (distance 0) the gradient is zero. Where two pairs are equally close, it is that of
    one of them, and not a derivative.

    Args:
        points: on the robot. # (..., P, 3) [m]
        point_jacobians: linear Jacobian of each point. # (..., P, 3, n) [m/rad or 1]
        obstacles: points of obstacles, such as centres of spheres, same axes. # (..., O, 3) [m]

    Raises:
        InverseError: not finite, or of the wrong shape.

    Source: [COURSE-JAC] modèle cinématique inverse, objectif 3 (the slide calls the obstacle's
        point p and the arm's o; the distance is the same)
    """
    p, o = checked_matrix(points, "points"), checked_matrix(obstacles, "obstacles")
    J = checked_matrix(point_jacobians, "point_jacobians")
    _check_tail(p, (p.shape[-2], 3), "points")
    _check_tail(o, (o.shape[-2], 3), "obstacles")
    _check_tail(J, (p.shape[-2], 3, J.shape[-1]), "point_jacobians")
    gaps = p[..., :, None, :] - o[..., None, :, :]  # (..., P, O, 3)
    distances = np.linalg.norm(gaps, axis=-1)
    flat = distances.reshape(*distances.shape[:-2], -1)
    pair = np.argmin(flat, axis=-1)
    value = np.take_along_axis(flat, pair[..., None], axis=-1)[..., 0]
    gap = np.take_along_axis(gaps.reshape(*flat.shape, 3), pair[..., None, None], axis=-2)[
        ..., 0, :
    ]
    nearest = np.take_along_axis(
        np.broadcast_to(J, (*pair.shape, *J.shape[-3:])),
        (pair // o.shape[-2])[..., None, None, None],
        axis=-3,
    )[..., 0, :, :]
    away = gap / np.where(value > 0.0, value, 1.0)[..., None]
    rivals = np.sum(flat <= value[..., None] * (1.0 + _TIE), axis=-1)
    return Objective(
        value=value,
        gradient=np.einsum("...i,...ij->...j", away, nearest),
        differentiable=(value > 0.0) & (rivals == 1),
    )


def _products_of_others(s: Array) -> Array:
    """For each singular value, the product of all others. # (..., m)."""
    count = s.shape[-1]
    kept = np.where(np.eye(count, dtype=np.bool_), 1.0, s[..., None, :])
    return np.asarray(np.prod(kept, axis=-1))


def _check_tail(array: Array, tail: tuple[int, ...], what: str) -> None:
    if array.shape[-len(tail) :] != tail:
        raise InverseError(
            f"{what} has shape {array.shape}; its last axes must be {tail}.",
            shape=array.shape,
            expected=tail,
        )


def _check_limits(q: Array, low: Array, high: Array) -> None:
    if q.ndim == 0 or low.shape != (q.shape[-1],) or high.shape != (q.shape[-1],):
        raise InverseError(
            f"q has shape {q.shape} but the limits have {low.shape} and {high.shape}; give one "
            "lower and one upper limit per joint.",
            shapes=(q.shape, low.shape, high.shape),
        )
    if not np.all(np.isfinite(q)):
        raise InverseError("q holds a value that is not finite.")
    wrong = np.flatnonzero(~(low < high))
    if wrong.size:
        j = int(wrong[0])
        raise InverseError(
            f"Joint {j} has limits {low[j]:g} and {high[j]:g}; the lower must be below the upper.",
            joint=j,
        )


# ---------------------------------------------------------------------- Derivative of the Jacobian
# A joint nearer to the base carries the axis and the tool point of every joint after it along; one
# that is further out only moves the tool point. So ∂J/∂q needs nothing but the columns of J.


def jacobian_derivative(J: Array) -> Array:
    """Derivative of the geometric Jacobian at the tool, base axes.

    With columns (v; ω) in the order of the tree: ∂ω_j/∂q_k = ω_k × ω_j for k < j, else 0, and
    ∂v_j/∂q_k = ω_min(j,k) × v_max(j,k).

    Args:
        J: # (..., 6, n)

    Returns:
        ∂J_ij/∂q_k. # (..., 6, n, n), k last
    """
    n = J.shape[-1]
    v, w = np.swapaxes(J[..., :3, :], -1, -2), np.swapaxes(J[..., 3:, :], -1, -2)
    turned_v = np.cross(
        w[..., None, :, :], v[..., :, None, :]
    )  # ω_k × v_j at [j, k] (..., n, n, 3)
    turned_w = np.cross(w[..., None, :, :], w[..., :, None, :])
    nearer = np.tri(n, dtype=np.bool_)[:, :, None]  # [j, k] with k ≤ j
    linear = np.where(nearer, turned_v, np.swapaxes(turned_v, -3, -2))
    angular = np.where(nearer, turned_w, 0.0)
    return np.moveaxis(np.concatenate([linear, angular], axis=-1), -1, -3)


def task_jacobian_derivative(model: Model, task: Task, q: Array) -> Array:
    """Derivative of the task Jacobian. # (..., n) -> (..., m, n, n), k last.

    The rows of a direction turn with the tool: ∂(x·ω_j)/∂q_k = x·(∂ω_j/∂q_k - ω_k × ω_j).
    """
    J = model.jacobian(q)
    slopes = jacobian_derivative(J)
    if task.has_axis:
        w = np.swapaxes(J[..., 3:, :], -1, -2)
        carried = np.cross(w[..., None, :, :], w[..., :, None, :])
        slopes = slopes.copy()
        slopes[..., 3:, :, :] -= np.moveaxis(carried, -1, -3)
    S = task.selection(model.forward(q)[..., :3, :3])
    return np.asarray(np.einsum("...ri,...ijk->...rjk", S, slopes))
