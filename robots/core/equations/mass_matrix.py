"""Joint-space mass matrix by composite bodies.

Each link's subtree is one rigid body when the other joints are still; accelerating joint j by one
unit costs the force and moment of that body, felt by every joint between j and the base.

Source: [LAMMARI12] §IV.2 eq. (IV.3) defines A(q); the composite-body road is Walker and Orin's.
"""

from __future__ import annotations

from collections.abc import Sequence

from robots.core.equations.algebra import Scalar, Vec3, add, cross
from robots.core.equations.functions import Functions
from robots.core.equations.inertia import Inertia
from robots.core.equations.joints import Step, steps
from robots.core.equations.tree import Tree
from robots.core.mechanism import JointKind


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


def composite_bodies(tree: Tree, moves: Sequence[Step]) -> list[Inertia]:
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
    tree: Tree, moves: Sequence[Step], j: int, effort: tuple[Vec3, Vec3], A: list[list[Scalar]]
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
