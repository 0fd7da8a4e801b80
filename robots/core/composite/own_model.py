"""A sub-robot's own model at a state: the robot alone, on its own base, gravity left open.

A and the Coriolis coefficients come from the robot's Lagrange model as it is. The blocks that a
free base adds (see ``sub_model``) are sums over the subtree that each joint carries, written with
the joints' motions S: a motion of a joint that comes before turns all that comes after, so every
derivative is a cross product and nothing is differentiated numerically.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robots.core.composite.spatial import (
    Values,
    congruent,
    momentum_cross,
    momentum_transform,
    motion_cross,
    product,
    skew,
)
from robots.core.composite.sub_model import BASE_LINK, SubModel
from robots.core.equations.functions import numbers
from robots.core.equations.lagrange import lagrange
from robots.core.equations.transforms import Frame, frames
from robots.core.equations.tree import tree_of
from robots.core.errors import StateError
from robots.core.mechanism import BASE, JointKind, Mechanism
from robots.core.model import Model
from robots.core.recording import Node, recording_functions


def sub_model(model: Model, q: object) -> SubModel:
    """The values that a robot's models deliver at a state, or at each state of a batch.

    Args:
        model: of the sub-robot.
        q: # (..., n) [rad or m]

    Raises:
        StateError: a wrong number of joint values, or one that is not finite.

    Source: [GASTEBOIS17] theorems 1, 6, 9 for the sums; figure 56 for what a sub-robot must give
    """
    state = np.asarray(q, dtype=np.float64)
    n = model.dof
    if state.ndim == 0 or state.shape[-1] != n or not np.isfinite(state).all():
        raise StateError(
            f"{model.mechanism.name}: q has shape {state.shape}; give {n} finite joint values on "
            "the last axis.",
            found=state.shape,
            expected=n,
        )
    if not n:
        return _rigid(model.mechanism, state.shape[:-1])
    known = model.lagrange(state)
    T = model.transforms(state)
    return _with_free_base(model.mechanism, T, known.A, inertia_rate(known.B, known.C))


def recorded_sub_model(mechanism: Mechanism, q: Sequence[Node]) -> SubModel:
    """The same over recorded nodes, so that a whole composite becomes one programme.

    Args:
        mechanism: of the sub-robot.
        q: one node per variable.
    """
    tree, n = tree_of(mechanism), mechanism.dof
    placed = frames(tree, q, recording_functions())
    found, T = lagrange(tree, placed), _poses(placed, object)
    A, B, C = (
        np.array(values, dtype=object).reshape(shape)
        for values, shape in ((found.A, (n, n)), (found.B, (n, n, n)), (found.C, (n, n)))
    )
    return _with_free_base(mechanism, T, A, inertia_rate(B, C))


def inertia_rate(B: Values, C: Values) -> Values:
    """∂A/∂q from the Coriolis and centrifugal coefficients that a robot's model delivers.

    Args:
        B: filled for j < k. # (..., n, n, n)
        C: # (..., n, n)

    Returns:
        ∂a_ij/∂q_k = c_jk,i + c_ik,j. # (..., n, n, n)

    Source: [GASTEBOIS17] eq. (363), solved for the derivative
    """
    half = 0.5 * B
    symbols = half + np.swapaxes(half, -1, -2) + C[..., :, :, None] * np.eye(C.shape[-1])
    return np.asarray(symbols + np.swapaxes(symbols, -3, -2))


def _rigid(mechanism: Mechanism, lead: tuple[int, ...]) -> SubModel:
    """A robot without joints: a base body, or a load."""
    fixed = _poses(frames(tree_of(mechanism), (), numbers()), float)
    T = np.zeros((*lead, *fixed.shape)) + fixed
    return _with_free_base(mechanism, T, np.zeros((*lead, 0, 0)), np.zeros((*lead, 0, 0, 0)))


def _poses(placed: Sequence[Frame], kind: type) -> Values:
    """Frames as matrices. # (L, 4, 4)."""
    T: Values = np.zeros((len(placed), 4, 4), dtype=kind)
    for pose, frame in zip(T, placed, strict=True):
        pose[:3, :3], pose[:3, 3], pose[3, 3] = frame.rotation, frame.origin, 1.0
    return T


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Shape:
    """Who carries whom. Masks are 0 or 1; n variables, L links, the base last."""

    moving: tuple[int, ...]  # link of each variable
    carries: Values  # variable j moves link l # (n, L + 1)

    @property
    def before(self) -> Values:
        """Variable k moves the axis of j, j itself included. # (k, j)."""
        return np.asarray(self.carries[:, self.moving])


def _shape(mechanism: Mechanism) -> _Shape:
    joints = mechanism.joints
    moving = tuple(i for i, joint in enumerate(joints) if joint.movable)
    carries = np.zeros((len(moving), len(joints) + 1))
    for link in range(len(joints)):
        joint = link
        while joint != BASE:
            if joint in moving:
                carries[moving.index(joint), link] = 1.0
            joint = joints[joint].parent
    return _Shape(moving=moving, carries=carries)


def _with_free_base(mechanism: Mechanism, T: Values, A: Values, dA: Values) -> SubModel:
    """Add the blocks of the free base to the model on a fixed base."""
    shape = _shape(mechanism)
    before = shape.before
    S = _axes(mechanism, T, shape)
    bodies = congruent(momentum_transform(T), _bodies(mechanism))
    carried = np.einsum("nl,...lij->...nij", shape.carries[:, :-1], bodies)
    momentum = np.einsum("...nij,...jn->...in", carried, S)
    turned = product(momentum_cross(S), carried)
    d_inertia = turned + np.swapaxes(turned, -1, -2)
    after = before.T * (1.0 - np.eye(len(before)))  # variable k is carried by j: (k, j)
    d_momentum = np.einsum("kj,...kab,...bj->...ajk", before, momentum_cross(S), momentum)
    d_momentum = d_momentum + np.einsum("kj,...kab,...bj->...ajk", after, d_inertia, S)
    d_axes = np.einsum("kj,...kab,...bj->...ajk", before, motion_cross(S), S)
    path = shape.carries.T  # (L + 1, n)
    return SubModel(
        joints=tuple(joint.name for joint in mechanism.movable),
        links=(*(joint.name for joint in mechanism.joints), BASE_LINK),
        T=np.concatenate([T, _base_pose(T)], axis=-3),
        motion=np.einsum("ln,...in->...lin", path, S),
        d_motion=np.einsum("lj,lk,...ajk->...lajk", path, path, d_axes),
        mass_matrix=A,
        d_mass_matrix=dA,
        inertia=bodies.sum(axis=-3),
        d_inertia=np.moveaxis(d_inertia, -3, -1),
        momentum=momentum,
        d_momentum=d_momentum,
    )


def _axes(mechanism: Mechanism, T: Values, shape: _Shape) -> Values:
    """Motion per speed of each joint, at the base origin. # (..., 6, n)."""
    frame = T[..., shape.moving, :, :]
    z, origin = frame[..., :3, 2], frame[..., :3, 3]
    angular = np.array([joint.kind is JointKind.REVOLUTE for joint in mechanism.movable], float)
    arm = np.einsum("...ij,...j->...i", skew(origin), z)
    turn = angular[:, None]
    S = np.concatenate([arm * turn + z * (1.0 - turn), z * turn], axis=-1)
    return np.asarray(np.swapaxes(S, -1, -2))


def _bodies(mechanism: Mechanism) -> Values:
    """Each body's inertia in its own joint frame. # (L, 6, 6)."""
    found = np.zeros((len(mechanism.joints), 6, 6))
    for I, joint in zip(found, mechanism.joints, strict=True):
        moment = skew(joint.body.first_moment)
        I[:3, :3] = joint.body.mass * np.eye(3)
        I[:3, 3:], I[3:, :3] = -moment, moment
        I[3:, 3:] = joint.body.inertia_at_origin
    return found


def _base_pose(T: Values) -> Values:
    """The base's own pose, once per state. # (..., 1, 4, 4)."""
    lead: tuple[Any, ...] = T.shape[:-3]
    return np.broadcast_to(np.eye(4), (*lead, 1, 4, 4)).astype(T.dtype)
