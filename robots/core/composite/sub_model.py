"""Model of a sub-robot at one state, on its own base: what a composite needs of it.

The inertia matrix A and the Coriolis coefficients of the carried robot do not suffice: they are
those of a robot whose base stands still, and in the composite it does not. What the theorems sum
over the bodies of the carried robot is, without the sums, the inertia matrix of that robot on a
*free* base and its partial derivatives,

    [[inertia, momentum], [momentumᵀ, A]]   and   ∂/∂q of each block,

where ``inertia`` (ten numbers: mass, first moment, tensor) is the robot as one rigid body and
``momentum`` is the momentum about the base origin per joint speed. Nothing less will do, as each
block appears alone in the result; nothing more is needed. Per theorem:

- geometry, Jacobians (1-5): poses and motions of the links, with the rates of the motions for
  the derivative of a Jacobian;
- inertia (6-8): A, inertia, momentum; of the carrier A and the link's motion;
- Coriolis (9-11): the derivatives of the same;
- gravity (12, 13): the linear rows of momentum. The torque G alone, for one direction of gravity,
  does not suffice: the carrier turns that direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robots.core.arrays import freeze_field
from robots.core.equations.algebra import numbers
from robots.core.equations.kinematics import Frame, frames
from robots.core.equations.lagrange import lagrange
from robots.core.equations.tree import tree_of
from robots.core.errors import MechanismError, StateError
from robots.core.mechanism import BASE, JointKind, Mechanism
from robots.core.model import Lagrange, Model
from robots.core.recording import Node, recording_functions

BASE_LINK = ""  # name under which every sub-robot's own base is found among its links
Values = NDArray[Any]  # float64, or object when the entries are recorded nodes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubModel:
    """Values of a robot's models at a state; n joints, L links, base axes, SI.

    Derivatives have the variable they are taken by on the last axis.

    Args:
        joints: names of the variables, in the order of q.
        links: names of the links whose motion is kept.
        T: poses of the links in the base frame. # (..., L, 4, 4)
        motion: S of each link, its motion per joint speed taken at the base origin: (linear
            velocity of the body point there; angular velocity). # (..., L, 6, n)
        d_motion: ∂S/∂q. # (..., L, 6, n, n)
        mass_matrix: A, on a fixed base, motors included. # (..., n, n)
        d_A: ∂A/∂q. # (..., n, n, n)
        inertia: the robot as one rigid body, at the base origin. # (..., 6, 6)
        d_inertia: # (..., 6, 6, n)
        momentum: linear, and angular about the base origin, per joint speed. # (..., 6, n)
        d_momentum: # (..., 6, n, n)

    Raises:
        StateError: an array of another shape.
        MechanismError: two joints, or two links, of one name.
    """

    joints: tuple[str, ...]
    links: tuple[str, ...]
    T: Values
    motion: Values
    d_motion: Values
    mass_matrix: Values
    d_mass_matrix: Values
    inertia: Values
    d_inertia: Values
    momentum: Values
    d_momentum: Values

    def __post_init__(self) -> None:
        for names, what in ((self.joints, "joints"), (self.links, "links")):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise MechanismError(
                    f"Two {what} are called {twice[0]!r}; give one of the sub-robots a prefix "
                    "with renamed().",
                    names=tuple(twice),
                )
        lead = np.shape(self.mass_matrix)[:-2]
        for name, tail in _tails(len(self.joints), len(self.links)).items():
            array = np.array(getattr(self, name))
            if array.shape != (*lead, *tail):
                raise StateError(
                    f"{name} has shape {array.shape}; for {len(self.joints)} joints and "
                    f"{len(self.links)} links it must be {(*lead, *tail)}.",
                    field=name,
                    found=array.shape,
                    expected=(*lead, *tail),
                )
            freeze_field(self, name, array)

    @property
    def dof(self) -> int:
        """Number of joint variables n."""
        return len(self.joints)

    def index(self, link: str) -> int:
        """Place of a link in ``T``, ``motion`` and ``d_motion``.

        Raises:
            MechanismError: it is not among those kept.
        """
        if link not in self.links:
            known = ", ".join(repr(name) for name in self.links)
            raise MechanismError(f"There is no link {link!r}; there are {known}.", link=link)
        return self.links.index(link)

    def pose(self, link: str) -> Values:
        """Pose of a link in the base frame. # (..., 4, 4)."""
        return np.asarray(self.T[..., self.index(link), :, :])

    def jacobian(self, link: str, point: object = (0.0, 0.0, 0.0)) -> Values:
        """Geometric Jacobian at a point of a link, base axes, linear rows first. # (..., 6, n).

        Args:
            link: which link.
            point: in the link's frame, the centre of mass for instance. # (3,) [m]

        Source: [GASTEBOIS17] theorem 1, §6.2.1: J_v + Ṙ⊙t, here S_v + S_ω × t
        """
        J = self.motion[..., self.index(link), :, :].copy()
        J[..., :3, :] -= np.einsum("...ij,...jk->...ik", skew(self._at(link, point)), J[..., 3:, :])
        return J

    def jacobian_rate(self, link: str, point: object = (0.0, 0.0, 0.0)) -> Values:
        """∂J/∂q of the Jacobian at a point, the Hessian of the geometry. # (..., 6, n, n).

        Source: [GASTEBOIS17] theorem 9, eqs. (383), (384), (391): J̇ and R̈⊙t
        """
        rate = self.d_motion[..., self.index(link), :, :, :].copy()
        velocity = self.jacobian(link, point)[..., :3, :]
        turn = self.motion[..., self.index(link), 3:, :]
        arm = skew(self._at(link, point))
        rate[..., :3, :, :] -= np.einsum("...ij,...jkl->...ikl", arm, rate[..., 3:, :, :])
        rate[..., :3, :, :] += np.einsum(
            "...kij,...jl->...ikl", skew(np.swapaxes(turn, -1, -2)), velocity
        )
        return rate

    def gravity_torques(self, gravity: object) -> Values:
        """Joint torques that hold the robot still. # (..., n) [N m or N].

        Args:
            gravity: acceleration of gravity in base axes, perhaps one per state.
                # (3,) or (..., 3) [m/s²]

        Source: [GASTEBOIS17] eq. (233): G = -Σ J_vᵀ m g, where Σ m J_v is the linear momentum
        """
        g = np.asarray(gravity)
        return np.asarray(-np.einsum("...ij,...i->...j", self.momentum[..., :3, :], g))

    def lagrange(self, gravity: object) -> Lagrange:
        """The dynamic model: τ = A·qdd + Σ_{j<k} B·qd_j·qd_k + C·qd² + gravity.

        Args:
            gravity: acceleration of gravity in base axes. # (3,) or (..., 3) [m/s²]

        Source: [GASTEBOIS17] eq. (363), Christoffel symbols. Eqs. (229) and (230) print ∂a_ki/∂q_i
            for ∂a_ki/∂q_j in the second term.
        """
        d = self.d_mass_matrix
        twice = d + np.swapaxes(d, -1, -2) - np.moveaxis(d, -1, -3)  # (i, j, k): 2·c_jk,i
        pairs = np.triu(np.ones((self.dof, self.dof)), k=1)
        return Lagrange(
            A=self.mass_matrix,
            B=twice * pairs,
            C=np.asarray(0.5 * np.einsum("...ijj->...ij", twice)),
            gravity=self.gravity_torques(gravity),
        )

    def renamed(self, prefix: str) -> SubModel:
        """The same with ``prefix`` before every joint's and link's name; the base keeps its."""
        links = tuple(name if name == BASE_LINK else prefix + name for name in self.links)
        return self.with_values(joints=tuple(prefix + name for name in self.joints), links=links)

    def only(self, *links: str) -> SubModel:
        """The same with the motion of these links alone, and of the base."""
        kept = tuple(dict.fromkeys((BASE_LINK, *links)))
        places = [self.index(name) for name in kept]
        return self.with_values(
            links=kept,
            T=self.T[..., places, :, :],
            motion=self.motion[..., places, :, :],
            d_motion=self.d_motion[..., places, :, :, :],
        )

    def with_values(self, **changes: Any) -> SubModel:
        """The same with other values of some fields."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return SubModel(**(values | changes))

    def _at(self, link: str, point: object) -> Values:
        """Base coordinates of a point of a link. # (..., 3)."""
        T = self.pose(link)
        return np.asarray(
            T[..., :3, 3] + np.einsum("...ij,...j->...i", T[..., :3, :3], np.asarray(point))
        )


def _tails(n: int, links: int) -> dict[str, tuple[int, ...]]:
    """Shape of every array for one state."""
    return {
        "T": (links, 4, 4),
        "motion": (links, 6, n),
        "d_motion": (links, 6, n, n),
        "mass_matrix": (n, n),
        "d_mass_matrix": (n, n, n),
        "inertia": (6, 6),
        "d_inertia": (6, 6, n),
        "momentum": (6, n),
        "d_momentum": (6, n, n),
    }


# ---------------------------------------------------------------- Model of a robot on its own base
# A and the Coriolis coefficients come from the robot's Lagrange model as it is. The blocks that a
# free base adds (see ``sub_model``) are sums over the subtree that each joint carries, written with
# the joints' motions S: a motion of a joint that comes before turns all that comes after, so every
# derivative is a cross product and nothing is differentiated numerically.


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
    """Kinematic structure as masks of 0 and 1; n variables, L links, the base last."""

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


# --------------------------------------------------------------------------------- Spatial vectors
# A motion is (linear velocity of the body point at the frame's origin; angular velocity), a
# momentum is (linear; angular about the frame's origin): linear rows first, as in every Jacobian
# here. The functions only add and multiply, so the arrays may hold numbers or recorded nodes.


def skew(v: Values) -> Values:
    """Matrix of the cross product v ×. # (..., 3) -> (..., 3, 3)."""
    matrix = np.zeros((*v.shape, 3), dtype=v.dtype)
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    matrix[..., 0, 1], matrix[..., 0, 2], matrix[..., 1, 2] = -z, y, -x
    matrix[..., 1, 0], matrix[..., 2, 0], matrix[..., 2, 1] = z, -y, x
    return matrix


def momentum_transform(T: Values) -> Values:
    """Momenta of a frame placed at T, as its parent frame sees them. # (..., 4, 4) -> (..., 6, 6).

    An inertia goes along as X·I·Xᵀ.
    """
    R = T[..., :3, :3]
    X = np.zeros((*T.shape[:-2], 6, 6), dtype=T.dtype)
    X[..., :3, :3] = X[..., 3:, 3:] = R
    X[..., 3:, :3] = product(skew(T[..., :3, 3]), R)
    return X


def motion_transform(T: Values) -> Values:
    """Motions of a frame placed at T, as its parent frame sees them. # (..., 4, 4) -> (..., 6, 6).

    Its transpose is the inverse of ``momentum_transform``, so that power does not change.
    """
    R = T[..., :3, :3]
    X = np.zeros((*T.shape[:-2], 6, 6), dtype=T.dtype)
    X[..., :3, :3] = X[..., 3:, 3:] = R
    X[..., :3, 3:] = product(skew(T[..., :3, 3]), R)
    return X


def momentum_cross(S: Values) -> Values:
    """Rates of fixed-in-body momenta per joint speed, one matrix per column of S.

    # (..., 6, n) -> (..., n, 6, 6)
    """
    V = np.swapaxes(S, -1, -2)
    turn, slide = skew(V[..., 3:]), skew(V[..., :3])
    X = np.zeros((*V.shape, 6), dtype=S.dtype)
    X[..., :3, :3] = X[..., 3:, 3:] = turn
    X[..., 3:, :3] = slide
    return X


def motion_cross(S: Values) -> Values:
    """Rates of fixed-in-body motions per joint speed. # (..., 6, n) -> (..., n, 6, 6)."""
    return -np.swapaxes(momentum_cross(S), -1, -2)


def product(a: Values, b: Values) -> Values:
    """Matrix product of the last two axes. # (..., i, j) · (..., j, k)."""
    return np.asarray(np.einsum("...ij,...jk->...ik", a, b))


def congruent(X: Values, I: Values) -> Values:
    """X·I·Xᵀ. # (..., i, j), (..., j, j) -> (..., i, i)."""
    return product(product(X, I), np.swapaxes(X, -1, -2))


def inverse_pose(T: Values) -> Values:
    """Pose of the parent frame in the frame placed at T. # (..., 4, 4).

    Source: [GASTEBOIS17] §6.1 eq. (250), (281)
    """
    found = np.zeros(T.shape, dtype=T.dtype)
    R = np.swapaxes(T[..., :3, :3], -1, -2)
    found[..., :3, :3] = R
    found[..., :3, 3] = -np.einsum("...ij,...j->...i", R, T[..., :3, 3])
    found[..., 3, 3] = 1.0
    return found
