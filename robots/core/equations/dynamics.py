"""Dynamics: Newton-Euler torques, base wrench, regressor, mass matrix, forward dynamics.

Written with the parameters at the joint origin (mass, first moment, tensor), which makes the result
linear in them: the regressor and the base parameters use this same function. The recursion of the
source is at the centre of mass; the two are equal.

Source: [LAMMARI12] §IV.3 eqs. (IV.7)-(IV.10), with V̇₀ = -g and ω₀ = 0, ω̇₀ = 0 (sources.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from robots.core.equations.algebra import (
    ZERO,
    Functions,
    Mat3,
    Scalar,
    Sym3,
    Vec3,
    add,
    apply,
    cross,
    scale,
)
from robots.core.equations.tree import Inertia, JointStep, Link, Tree, steps
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
    """Load of each link on its parent: force and moment at the link's origin, link axes."""

    moves: list[JointStep]
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
    tree: Tree, state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]], fn: Functions
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
    tree: Tree, moves: Sequence[JointStep], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[_Motion]:
    base = _Motion(w=ZERO, wd=ZERO, vd=scale(-1.0, tree.gravity), U=(ZERO, ZERO, ZERO))
    motions: list[_Motion] = []
    for link, move in zip(tree.links, moves, strict=True):
        parent = motions[link.parent] if link.parent >= 0 else base
        motions.append(_next_motion(link, move, parent, qd, qdd))
    return motions


def _next_motion(
    link: Link, move: JointStep, parent: _Motion, qd: Sequence[Scalar], qdd: Sequence[Scalar]
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


# ------------------------------------------------------------------------------------- Base wrench
# The recursion of Newton and Euler, taken one step further than the joint torques: down to the
# base. Motors' own inertia and friction act between neighbouring bodies and do not reach the
# ground.
#
# Source: [LAMMARI12] §IV.3 eqs. (IV.8), (IV.9)


def base_wrench(
    tree: Tree, state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]], fn: Functions
) -> list[Scalar]:
    """Force and moment that the ground exerts on the base, at the base origin, base axes.

    Args:
        tree: the mechanism; its base has no mass of its own.
        state: q [rad or m], qd [rad/s or m/s], qdd [rad/s² or m/s²], each (n,).
        fn: functions of the reading.

    Returns:
        Force, then moment. # (6,) [N, N m]
    """
    bodies = momentum_rates(tree, state, fn)
    carried = Carried(  # the base is the last one, at index -1
        moves=bodies.moves, forces=[*bodies.forces, ZERO], moments=[*bodies.moments, ZERO]
    )
    for i in range(len(tree.links) - 1, -1, -1):
        carried.hand_down(i, tree.links[i].parent)
    return [*carried.forces[-1], *carried.moments[-1]]


# --------------------------------------------------------------------------------------- Regressor
# The Newton-Euler recursion is linear in the ten parameters of each body, so a column is the
# recursion read with one parameter at one and all others at zero; the recorder shares what the
# readings have in common.

PARAMETERS = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")


def inertia_of(parameters: Sequence[Scalar]) -> Inertia:
    """A body from its ten parameters in the order of ``PARAMETERS``."""
    p = parameters
    return Inertia(mass=p[9], moment=(p[6], p[7], p[8]), tensor=Sym3(*p[:6]))


def parameters_of(body: Inertia) -> tuple[Scalar, ...]:
    """Ten parameters of a body in the order of ``PARAMETERS``."""
    return (*body.tensor, *body.moment, body.mass)


def regressor(
    tree: Tree, state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]], fn: Functions
) -> list[list[Scalar]]:
    """Y with τ = Y·φ, motors and friction left out; φ is ten parameters per link, in order.

    Args:
        tree: the mechanism; its own masses do not matter.
        state: (q, qd, qdd), each (n,).
        fn: functions of the reading.

    Returns:
        Y. # (n, 10·links)
    """
    bare = [
        replace(link, inertia=Inertia(), motor_inertia=0.0, coulomb=0.0, viscous=0.0)
        for link in tree.links
    ]
    columns: list[list[Scalar]] = []
    for index, link in enumerate(bare):
        for place in range(len(PARAMETERS)):
            unit = inertia_of([float(k == place) for k in range(len(PARAMETERS))])
            links = (*bare[:index], replace(link, inertia=unit), *bare[index + 1 :])
            columns.append(newton_euler(replace(tree, links=links), state, fn))
    return [list(row) for row in zip(*columns, strict=True)]


# ------------------------------------------------------------------------------------- Mass matrix
# Each link's subtree is one rigid body when the other joints are still; accelerating joint j by one
# unit costs the force and moment of that body, felt by every joint between j and the base.
#
# Source: [LAMMARI12] §IV.2 eq. (IV.3) defines A(q); the composite-body road is Walker and Orin's.


def mass_matrix(tree: Tree, q: Sequence[Scalar], fn: Functions) -> list[list[Scalar]]:
    """A(q), symmetric, motors' inertia included. # (n, n) [kg m², kg m or kg]."""
    moves = steps(tree, q, fn)
    composite = composite_bodies(tree, moves)
    A: list[list[Scalar]] = [[0.0] * tree.dof for _ in range(tree.dof)]
    for j in tree.moving:
        link = tree.links[j]
        effort = _unit_effort(link.kind, composite[j])
        A[link.variable][link.variable] = _along(link.kind, effort) + link.motor_inertia
        _spread(tree, moves, j, effort, A)
    return A


def composite_bodies(tree: Tree, moves: Sequence[JointStep]) -> list[Inertia]:
    """Parameters of every link's subtree as one body, at the link's origin, in its frame."""
    composite = [link.inertia for link in tree.links]
    for i in range(len(tree.links) - 1, -1, -1):
        parent = tree.links[i].parent
        if parent >= 0:
            composite[parent] = composite[parent].plus(moves[i].inertia_to_parent(composite[i]))
    return composite


def _unit_effort(kind: JointKind, body: Inertia) -> tuple[Vec3, Vec3]:
    """Force and moment that give the body a unit acceleration of its joint."""
    h, J = body.moment, body.tensor
    if kind is JointKind.REVOLUTE:
        return (-h[1], h[0], 0.0), (J.xz, J.yz, J.zz)
    return (0.0, 0.0, body.mass), (h[1], -h[0], 0.0)


def _along(kind: JointKind, effort: tuple[Vec3, Vec3]) -> Scalar:
    """What a joint of this kind feels of a force and a moment."""
    force, moment = effort
    return moment[2] if kind is JointKind.REVOLUTE else force[2]


def _spread(
    tree: Tree, moves: Sequence[JointStep], j: int, effort: tuple[Vec3, Vec3], A: list[list[Scalar]]
) -> None:
    """Carry the effort of joint j to the base and write its column, and the mirror of it."""
    column = tree.links[j].variable
    force, moment = effort
    i = j
    while tree.links[i].parent >= 0:
        force = moves[i].to_parent(force)
        moment = add(moves[i].to_parent(moment), cross(moves[i].origin, force))
        i = tree.links[i].parent
        link = tree.links[i]
        if link.variable >= 0:
            felt = _along(link.kind, (force, moment))
            A[link.variable][column] = felt
            A[column][link.variable] = felt


# -------------------------------------------------------------------------------- Forward dynamics
# With few degrees of freedom the composite-body matrix and one symmetric elimination cost less than
# the articulated-body recursion, and zeros of a branched tree fold away by themselves.


def forward_dynamics(
    tree: Tree, state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]], fn: Functions
) -> list[Scalar]:
    """Accelerations qdd for ``state`` = (q, qd, tau), each (n,). # (n,) [rad/s² or m/s²]."""
    q, qd, tau = state
    A = mass_matrix(tree, q, fn)
    bias = newton_euler(tree, (q, qd, [0.0] * tree.dof), fn)
    return solve_symmetric(A, [t - b for t, b in zip(tau, bias, strict=True)])


def solve_symmetric(A: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """Solution of A·x = b for a symmetric positive definite A, by LDLᵀ from the last row up.

    Starting at the tip keeps the zeros of a tree: joints on different branches never fill in.
    """
    n = len(b)
    work = [list(row[: i + 1]) for i, row in enumerate(A)]
    factors: list[list[Scalar]] = [[] for _ in range(n)]
    inverse: list[Scalar] = [0.0] * n
    x = list(b)
    for k in range(n - 1, -1, -1):
        inverse[k] = 1.0 / work[k][k]
        factors[k] = [work[k][i] * inverse[k] for i in range(k)]
        for i in range(k):
            for j in range(i + 1):
                work[i][j] = work[i][j] - factors[k][i] * work[k][j]
            x[i] = x[i] - factors[k][i] * x[k]
    for k in range(n):
        x[k] = x[k] * inverse[k]
        for i in range(k):
            x[k] = x[k] - factors[k][i] * x[i]
    return x
