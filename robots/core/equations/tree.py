"""Mechanism as the equations see it: a tree of links, joints and inertias with scalar constants.

``tree_of`` lifts a Mechanism's floats; a symbolic reading passes a ``lift`` that gives symbols, and
the base-parameter grouping returns a tree with other masses. The shape of the tree (parents, kinds)
is always plain Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from robots.core.arrays import Array
from robots.core.equations.algebra import (
    NO_TENSOR,
    ZERO,
    Functions,
    Mat3,
    Scalar,
    Sym3,
    Vec3,
    add,
    apply,
    column,
    dot,
    scale,
    sym_add,
    sym_rotate,
    sym_turn,
    transpose,
    turn,
    turn_back,
)
from robots.core.mechanism import JointKind, Mechanism

# ----------------------------------------------------------------------------- Inertial parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Inertia:
    """The ten parameters of a rigid body that enter the dynamics linearly.

    Args:
        mass: [kg]
        moment: first moment m·OG. [kg m]
        tensor: inertia at the origin. [kg m²]
    """

    mass: Scalar = 0.0
    moment: Vec3 = ZERO
    tensor: Sym3 = NO_TENSOR

    def plus(self, other: Inertia) -> Inertia:
        """Both bodies as one, in the same frame."""
        return Inertia(
            mass=self.mass + other.mass,
            moment=add(self.moment, other.moment),
            tensor=sym_add(self.tensor, other.tensor),
        )

    def turned(self, c: Scalar, s: Scalar) -> Inertia:
        """Seen from the frame before a rotation about z (cosine c, sine s)."""
        return Inertia(
            mass=self.mass, moment=turn(c, s, self.moment), tensor=sym_turn(c, s, self.tensor)
        )

    def rotated(self, R: Mat3) -> Inertia:
        """Seen from a frame in which this one has the orientation R."""
        return Inertia(
            mass=self.mass, moment=apply(R, self.moment), tensor=sym_rotate(R, self.tensor)
        )

    def shifted(self, p: Vec3) -> Inertia:
        """Taken at an origin from which this one's origin is at p (same axes).

        Huygens-Steiner on parameters at an origin: J + 2(p·h)E - (p hᵀ + h pᵀ) + m(p·p E - p pᵀ).
        Written with k = 2h + m p, so that each entry needs one product per axis pair.
        """
        h, m = self.moment, self.mass
        mp = scale(m, p)
        k = add(add(h, h), mp)
        # p kᵀ is symmetric up to p hᵀ - h pᵀ; the off-diagonal entries need h and h + m p.
        far = add(h, mp)
        px, py, pz = p[0] * k[0], p[1] * k[1], p[2] * k[2]
        t = self.tensor
        return Inertia(
            mass=m,
            moment=far,
            tensor=Sym3(
                t.xx + py + pz,
                t.xy - (p[0] * far[1] + p[1] * h[0]),
                t.xz - (p[0] * far[2] + p[2] * h[0]),
                t.yy + px + pz,
                t.yz - (p[1] * far[2] + p[2] * h[1]),
                t.zz + px + py,
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One joint and its body, with scalar constants.

    Args:
        parent: index of the parent link, -1 for the base.
        kind: revolute, prismatic or fixed, about or along z.
        variable: index in q, -1 when fixed.
        rotation: joint frame to parent frame at q = 0.
        offset: joint origin in the parent frame at q = 0. [m]
        inertia: the body's parameters at the joint origin.
        motor_inertia: [kg m² or kg]
        coulomb: [N m or N]
        viscous: [N m s or N s/m]
        parallel: whether the axis keeps the direction of the parent's axis, so that the two angles
            add up.
    """

    parent: int
    kind: JointKind
    variable: int
    rotation: Mat3
    offset: Vec3
    inertia: Inertia
    motor_inertia: Scalar = 0.0
    coulomb: Scalar = 0.0
    viscous: Scalar = 0.0
    parallel: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Links in topological order, with gravity and the tool frame."""

    links: tuple[Link, ...]
    gravity: Vec3  # base frame [m/s²]
    tool_link: int
    tool_rotation: Mat3
    tool_offset: Vec3  # [m]

    @property
    def dof(self) -> int:
        """Number of joint variables."""
        return sum(1 for link in self.links if link.variable >= 0)

    @property
    def moving(self) -> tuple[int, ...]:
        """Link index of each joint variable."""
        return tuple(i for i, link in enumerate(self.links) if link.variable >= 0)

    def path(self, index: int) -> tuple[int, ...]:
        """Links from the base to ``index``, both ends included."""
        chain: list[int] = []
        while index >= 0:
            chain.append(index)
            index = self.links[index].parent
        return tuple(reversed(chain))

    def moving_path(self, index: int) -> tuple[int, ...]:
        """Movable links from the base to ``index``."""
        return tuple(i for i in self.path(index) if self.links[i].variable >= 0)


def tree_of(mechanism: Mechanism) -> Tree:
    """The tree of a mechanism with its own numbers."""
    variable = 0
    links: list[Link] = []
    for joint in mechanism.joints:
        rotation = matrix(joint.placement[:3, :3])
        body = joint.body
        links.append(
            Link(
                parent=joint.parent,
                kind=joint.kind,
                variable=variable if joint.movable else -1,
                rotation=rotation,
                offset=vector(joint.placement[:3, 3]),
                inertia=Inertia(
                    mass=body.mass,
                    moment=vector(body.first_moment),
                    tensor=tensor(body.inertia_at_origin),
                ),
                motor_inertia=joint.motor_inertia,
                coulomb=joint.coulomb,
                viscous=joint.viscous,
                parallel=joint.parent >= 0 and rotation[2][2] == 1.0,
            )
        )
        variable += joint.movable
    return Tree(
        links=tuple(links),
        gravity=vector(mechanism.gravity),
        tool_link=mechanism.tool_joint,
        tool_rotation=matrix(mechanism.tool[:3, :3]),
        tool_offset=vector(mechanism.tool[:3, 3]),
    )


def vector(values: Array) -> Vec3:
    """Three floats as a vector."""
    return (float(values[0]), float(values[1]), float(values[2]))


def matrix(values: Array) -> Mat3:
    """A (3, 3) array as rows."""
    return (vector(values[0]), vector(values[1]), vector(values[2]))


def tensor(values: Array) -> Sym3:
    """A symmetric (3, 3) array as its six entries."""
    x, y, z = matrix(values)
    return Sym3(x[0], x[1], x[2], y[1], y[2], z[2])


# ------------------------------------------------------------------------------------- Joint steps


@dataclass(frozen=True, slots=True, kw_only=True)
class JointStep:
    """The moved joint: constant rotation, then the joint's own turn (c, s), at ``origin``."""

    rotation: Mat3
    c: Scalar
    s: Scalar
    origin: Vec3  # in the parent frame

    def to_parent(self, v: Vec3) -> Vec3:
        """Components in the parent frame of a vector given in the link frame."""
        return apply(self.rotation, turn(self.c, self.s, v))

    def to_link(self, v: Vec3) -> Vec3:
        """Components in the link frame of a vector given in the parent frame."""
        return turn_back(self.c, self.s, apply(transpose(self.rotation), v))

    def inertia_to_parent(self, body: Inertia) -> Inertia:
        """The body's parameters at the parent's origin, in the parent's axes."""
        return body.turned(self.c, self.s).rotated(self.rotation).shifted(self.origin)


def steps(tree: Tree, q: Sequence[Scalar], fn: Functions) -> list[JointStep]:
    """The step of every link at joint values q. # (n,) [rad or m]."""
    return [_step(link, q, fn) for link in tree.links]


def _step(link: Link, q: Sequence[Scalar], fn: Functions) -> JointStep:
    if link.kind is JointKind.REVOLUTE:
        angle = q[link.variable]
        return JointStep(
            rotation=link.rotation, c=fn.cos(angle), s=fn.sin(angle), origin=link.offset
        )
    origin = link.offset
    if link.kind is JointKind.PRISMATIC:
        origin = add(origin, scale(q[link.variable], column(link.rotation, 2)))
    return JointStep(rotation=link.rotation, c=1.0, s=0.0, origin=origin)


def kinetic_energy(body: Inertia, v: Vec3, w: Vec3) -> Scalar:
    """Kinetic energy of a body whose origin moves with v and which turns with w, in its frame."""
    t = body.tensor
    spin = (
        t.xx * w[0] * w[0]
        + t.yy * w[1] * w[1]
        + t.zz * w[2] * w[2]
        + (t.xy * w[0] * w[1] + t.xz * w[0] * w[2] + t.yz * w[1] * w[2]) * 2.0
    )
    h = body.moment
    coupled = (
        v[0] * (w[1] * h[2] - w[2] * h[1])
        + v[1] * (w[2] * h[0] - w[0] * h[2])
        + v[2] * (w[0] * h[1] - w[1] * h[0])
    )
    return (body.mass * dot(v, v) + spin) * 0.5 + coupled


# --------------------------------------------------------------------- Grouped inertial parameters
# A revolute joint cannot feel the axisymmetric part of its body (mass on the axis, first moment
# along it, the isotropic part YY of the tensor normal to it): from the parent that part looks
# fixed. A prismatic joint never turns its body: the whole tensor looks fixed to the parent. The
# grouped tree has the same motion and torques with fewer numbers, which is worth a third of the
# arithmetic.
#
# Source: W. Khalil and E. Dombre, base inertial parameters; the augmented bodies of [LIEGEOIS80]
# §3.1 are the part of it that moves masses.


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSplit:
    """A body as what its joint feels and what only the parent can feel."""

    felt: Inertia
    passed: Inertia


def split(kind: JointKind, body: Inertia) -> ParameterSplit:
    """Part of the body that stays with a joint of this kind, and part that moves to its parent."""
    if kind is JointKind.FIXED:
        return ParameterSplit(felt=Inertia(), passed=body)
    t = body.tensor
    if kind is JointKind.PRISMATIC:
        return ParameterSplit(felt=replace(body, tensor=NO_TENSOR), passed=Inertia(tensor=t))
    hx, hy, hz = body.moment
    return ParameterSplit(
        felt=Inertia(moment=(hx, hy, 0.0), tensor=Sym3(t.xx - t.yy, t.xy, t.xz, 0.0, t.yz, t.zz)),
        passed=Inertia(
            mass=body.mass, moment=(0.0, 0.0, hz), tensor=Sym3(t.yy, 0.0, 0.0, t.yy, 0.0, 0.0)
        ),
    )


def to_parent(link: Link, part: Inertia) -> Inertia:
    """The passed part in the parent's frame: its joint's motion does not change it."""
    return part.rotated(link.rotation).shifted(link.offset)


def grouped(tree: Tree) -> Tree:
    """The tree with every body grouped towards the base; torques and motion are unchanged.

    Energies of the passed parts on the base are dropped: they are constant.
    """
    bodies = [link.inertia for link in tree.links]
    for index in range(len(tree.links) - 1, -1, -1):
        link = tree.links[index]
        parts = split(link.kind, bodies[index])
        bodies[index] = parts.felt
        if link.parent >= 0:
            bodies[link.parent] = bodies[link.parent].plus(to_parent(link, parts.passed))
    links = tuple(
        replace(link, inertia=body) for link, body in zip(tree.links, bodies, strict=True)
    )
    return replace(tree, links=links)
