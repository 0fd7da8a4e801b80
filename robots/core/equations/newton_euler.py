"""Joint torques of a given motion, by the recursion of Newton and Euler.

Written with the parameters at the joint origin (mass, first moment, tensor), which makes the result
linear in them: the regressor and the base parameters use this same function. The recursion of the
source is at the centre of mass; the two are equal.

Source: [LAMMARI12] §IV.3 eqs. (IV.7)-(IV.10), with V̇₀ = -g and ω₀ = 0, ω̇₀ = 0 (sources.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robots.core.equations.algebra import (
    ZERO,
    Mat3,
    Scalar,
    Vec3,
    add,
    apply,
    cross,
    scale,
)
from robots.core.equations.functions import Functions
from robots.core.equations.inertia import Inertia
from robots.core.equations.joints import Step, steps
from robots.core.equations.tree import Link, Tree
from robots.core.mechanism import JointKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrench:
    """Force and moment that the mechanism exerts on its environment at the tool's origin.

    Components in the tool frame. [N], [N m]
    """

    force: Vec3
    moment: Vec3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Motion:
    """Velocity and acceleration of a link in its own frame; ``U`` = ω̇^ + ω^·ω^."""

    w: Vec3
    wd: Vec3
    vd: Vec3
    U: Mat3


def newton_euler(
    tree: Tree,
    state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]],
    fn: Functions,
    wrench: Wrench | None = None,
) -> list[Scalar]:
    """Joint torques (forces) τ for positions, speeds and accelerations ``state`` = (q, qd, qdd).

    Args:
        tree: the mechanism.
        state: q [rad or m], qd [rad/s or m/s], qdd [rad/s² or m/s²], each (n,).
        fn: functions of the reading.
        wrench: exerted by the tool on its environment.

    Returns:
        τ. # (n,) [N m or N]
    """
    _, qd, qdd = state
    carried = momentum_rates(tree, state, fn)
    forces, moments = carried.forces, carried.moments
    if wrench is not None:
        _load(tree, wrench, forces, moments)
    tau: list[Scalar] = [0.0] * tree.dof
    for i in range(len(tree.links) - 1, -1, -1):
        link = tree.links[i]
        if link.variable >= 0:
            along = moments[i][2] if link.kind is JointKind.REVOLUTE else forces[i][2]
            tau[link.variable] = along + _drive(link, qd, qdd, fn)
        if link.parent >= 0:
            carried.hand_down(i, link.parent)
    return tau


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What each link asks of its parent: force and moment at the link's origin, link axes."""

    moves: list[Step]
    forces: list[Vec3]
    moments: list[Vec3]

    def hand_down(self, i: int, parent: int) -> None:
        """Add what link ``i`` asks to what ``parent`` asks."""
        force = self.moves[i].to_parent(self.forces[i])
        moment = self.moves[i].to_parent(self.moments[i])
        moment = add(moment, cross(self.moves[i].origin, force))
        self.forces[parent] = add(self.forces[parent], force)
        self.moments[parent] = add(self.moments[parent], moment)


def momentum_rates(
    tree: Tree,
    state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]],
    fn: Functions,
) -> Carried:
    """Rate of momentum of each body on its own, less its weight; nothing is handed down yet."""
    q, qd, qdd = state
    moves = steps(tree, q, fn)
    motions = _forward(tree, moves, qd, qdd)
    return Carried(
        moves=moves,
        forces=[_force(link.inertia, m) for link, m in zip(tree.links, motions, strict=True)],
        moments=[_moment(link.inertia, m) for link, m in zip(tree.links, motions, strict=True)],
    )


def _forward(
    tree: Tree, moves: Sequence[Step], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[_Motion]:
    base = _Motion(w=ZERO, wd=ZERO, vd=scale(-1.0, tree.gravity), U=(ZERO, ZERO, ZERO))
    motions: list[_Motion] = []
    for link, move in zip(tree.links, moves, strict=True):
        parent = motions[link.parent] if link.parent >= 0 else base
        motions.append(_next_motion(link, move, parent, qd, qdd))
    return motions


def _next_motion(
    link: Link, move: Step, parent: _Motion, qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> _Motion:
    w, wd = move.to_link(parent.w), move.to_link(parent.wd)
    vd = move.to_link(add(parent.vd, apply(parent.U, move.origin)))
    if link.kind is JointKind.REVOLUTE:
        v, a = qd[link.variable], qdd[link.variable]
        wd = (wd[0] + w[1] * v, wd[1] - w[0] * v, wd[2] + a)
        w = (w[0], w[1], w[2] + v)
    elif link.kind is JointKind.PRISMATIC:
        v, a = qd[link.variable], qdd[link.variable]
        twice = v + v
        vd = (vd[0] + w[1] * twice, vd[1] - w[0] * twice, vd[2] + a)
    return _Motion(w=w, wd=wd, vd=vd, U=_acceleration_matrix(w, wd))


def _acceleration_matrix(w: Vec3, wd: Vec3) -> Mat3:
    """ω̇^ + ω^·ω^: acceleration of a point of the link per distance from its origin."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return (
        (-(yy + zz), xy - wd[2], xz + wd[1]),
        (xy + wd[2], -(xx + zz), yz - wd[0]),
        (xz - wd[1], yz + wd[0], -(xx + yy)),
    )


def _force(body: Inertia, motion: _Motion) -> Vec3:
    """Rate of linear momentum. Source: [LAMMARI12] eq. (IV.8), at the origin."""
    return add(scale(body.mass, motion.vd), apply(motion.U, body.moment))


def _moment(body: Inertia, motion: _Motion) -> Vec3:
    """Rate of angular momentum about the origin: J ω̇ + ω × J ω + h × V̇.

    J enters through the entries of U that are computed anyway, which saves the product J ω.
    """
    J, U, wd, w = body.tensor, motion.U, motion.wd, motion.w
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    spin = (
        J.xx * wd[0] + (J.zz - J.yy) * (w[1] * w[2])
        - J.xy * U[2][0] + J.xz * U[1][0] + J.yz * (yy - zz),
        J.yy * wd[1] + (J.xx - J.zz) * (w[0] * w[2])
        - J.yz * U[0][1] + J.xy * U[2][1] + J.xz * (zz - xx),
        J.zz * wd[2] + (J.yy - J.xx) * (w[0] * w[1])
        - J.xz * U[1][2] + J.yz * U[0][2] + J.xy * (xx - yy),
    )  # fmt: skip
    return add(spin, cross(body.moment, motion.vd))


def _load(tree: Tree, wrench: Wrench, forces: list[Vec3], moments: list[Vec3]) -> None:
    """Add the tool's wrench to the link that carries it."""
    force = apply(tree.tool_rotation, wrench.force)
    moment = add(apply(tree.tool_rotation, wrench.moment), cross(tree.tool_offset, force))
    forces[tree.tool_link] = add(forces[tree.tool_link], force)
    moments[tree.tool_link] = add(moments[tree.tool_link], moment)


def _drive(link: Link, qd: Sequence[Scalar], qdd: Sequence[Scalar], fn: Functions) -> Scalar:
    """Dry and viscous friction and the motor's own inertia. Source: [LAMMARI12] eq. (IV.10)."""
    v, a = qd[link.variable], qdd[link.variable]
    dry = link.coulomb * fn.sign(v) if link.coulomb != 0.0 else 0.0
    return link.motor_inertia * a + link.viscous * v + dry
