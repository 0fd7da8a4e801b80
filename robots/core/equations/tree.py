"""The mechanism as the equations see it: links with constants that are scalars.

``tree_of`` lifts a Mechanism's floats; a symbolic reading passes a ``lift`` that gives symbols, and
the base-parameter grouping returns a tree with other masses. The shape of the tree (parents, kinds)
is always plain Python.
"""

from __future__ import annotations

from dataclasses import dataclass

from robots.core.arrays import Array
from robots.core.equations.algebra import Mat3, Scalar, Sym3, Vec3
from robots.core.equations.inertia import Inertia
from robots.core.mechanism import JointKind, Mechanism


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
