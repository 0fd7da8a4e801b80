"""Grouping of inertial parameters: what a joint cannot tell apart moves to its parent.

A revolute joint cannot feel the axisymmetric part of its body (mass on the axis, first moment along
it, the isotropic part YY of the tensor normal to it): from the parent that part looks fixed. A
prismatic joint never turns its body: the whole tensor looks fixed to the parent. The grouped tree
has the same motion and torques with fewer numbers, which is worth a third of the arithmetic.

Source: W. Khalil and E. Dombre, base inertial parameters; the augmented bodies of [LIEGEOIS80] §3.1
are the part of it that moves masses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from robots.core.equations.algebra import NO_TENSOR, Sym3
from robots.core.equations.inertia import Inertia
from robots.core.equations.tree import Link, Tree
from robots.core.mechanism import JointKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A body as what its joint feels and what only the parent can feel."""

    felt: Inertia
    passed: Inertia


def split(kind: JointKind, body: Inertia) -> Split:
    """Part of the body that stays with a joint of this kind, and part that moves to its parent."""
    if kind is JointKind.FIXED:
        return Split(felt=Inertia(), passed=body)
    t = body.tensor
    if kind is JointKind.PRISMATIC:
        return Split(felt=replace(body, tensor=NO_TENSOR), passed=Inertia(tensor=t))
    hx, hy, hz = body.moment
    return Split(
        felt=Inertia(moment=(hx, hy, 0.0), tensor=Sym3(t.xx - t.yy, t.xy, t.xz, 0.0, t.yz, t.zz)),
        passed=Inertia(
            mass=body.mass,
            moment=(0.0, 0.0, hz),
            tensor=Sym3(t.yy, 0.0, 0.0, t.yy, 0.0, 0.0),
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
