"""What one joint does to vectors and bodies: the step between a link's frame and its parent's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robots.core.equations.algebra import (
    Mat3,
    Scalar,
    Vec3,
    add,
    apply,
    column,
    scale,
    transpose,
    turn,
    turn_back,
)
from robots.core.equations.functions import Functions
from robots.core.equations.inertia import Inertia
from robots.core.equations.tree import Link, Tree
from robots.core.mechanism import JointKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
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


def steps(tree: Tree, q: Sequence[Scalar], fn: Functions) -> list[Step]:
    """The step of every link at joint values q. # (n,) [rad or m]."""
    return [_step(link, q, fn) for link in tree.links]


def _step(link: Link, q: Sequence[Scalar], fn: Functions) -> Step:
    if link.kind is JointKind.REVOLUTE:
        angle = q[link.variable]
        return Step(rotation=link.rotation, c=fn.cos(angle), s=fn.sin(angle), origin=link.offset)
    origin = link.offset
    if link.kind is JointKind.PRISMATIC:
        origin = add(origin, scale(q[link.variable], column(link.rotation, 2)))
    return Step(rotation=link.rotation, c=1.0, s=0.0, origin=origin)
