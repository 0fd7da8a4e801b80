"""Energies, centre of mass and its Jacobian.

Source: [LAMMARI12] eq. (IV.3) (kinetic energy); [LIEGEOIS80] §2.3.1 (potential energy, with P^j in
place of the printed U_ji)
"""

from __future__ import annotations

from collections.abc import Sequence

from robots.core.equations.algebra import (
    ZERO,
    Scalar,
    Vec3,
    add,
    apply,
    cross,
    dot,
    scale,
    subtract,
)
from robots.core.equations.functions import Functions
from robots.core.equations.inertia import kinetic_energy as body_kinetic_energy
from robots.core.equations.joints import steps
from robots.core.equations.transforms import Frame
from robots.core.equations.tree import Tree
from robots.core.mechanism import JointKind


def kinetic_energy(tree: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], fn: Functions) -> Scalar:
    """Kinetic energy of bodies and motors. [J]."""
    moves = steps(tree, q, fn)
    speeds: list[tuple[Vec3, Vec3]] = []
    total: Scalar = 0.0
    for link, move in zip(tree.links, moves, strict=True):
        v, w = speeds[link.parent] if link.parent >= 0 else (ZERO, ZERO)
        v, w = move.to_link(add(v, cross(w, move.origin))), move.to_link(w)
        if link.variable >= 0:
            speed = qd[link.variable]
            if link.kind is JointKind.REVOLUTE:
                w = (w[0], w[1], w[2] + speed)
            else:
                v = (v[0], v[1], v[2] + speed)
            total = total + link.motor_inertia * 0.5 * (speed * speed)
        speeds.append((v, w))
        total = total + body_kinetic_energy(link.inertia, v, w)
    return total


def potential_energy(tree: Tree, placed: Sequence[Frame]) -> Scalar:
    """Potential energy, zero for masses at the base origin. [J]."""
    return -dot(tree.gravity, _subtree_moments(tree, placed)[-1])


def center_of_mass(tree: Tree, placed: Sequence[Frame]) -> Vec3:
    """Centre of mass of all bodies, base frame. [m]."""
    total = sum(link.inertia.mass for link in tree.links)
    return scale(1.0 / total, _subtree_moments(tree, placed)[-1])


def center_of_mass_jacobian(tree: Tree, placed: Sequence[Frame]) -> list[Vec3]:
    """Velocity of the centre of mass per unit of each joint speed, base axes. # (n, 3)."""
    moments = _subtree_moments(tree, placed)
    masses = _subtree_masses(tree)
    columns: list[Vec3] = [ZERO] * tree.dof
    for index in tree.moving:
        link, frame = tree.links[index], placed[index]
        if link.kind is JointKind.REVOLUTE:
            swept = cross(frame.z, subtract(moments[index], scale(masses[index], frame.origin)))
        else:
            swept = scale(masses[index], frame.z)
        columns[link.variable] = scale(1.0 / masses[-1], swept)
    return columns


def _subtree_masses(tree: Tree) -> list[Scalar]:
    """Mass carried by each link, itself included; the last entry is the whole."""
    masses = [link.inertia.mass for link in tree.links] + [0.0]
    for index in range(len(tree.links) - 1, -1, -1):
        parent = tree.links[index].parent
        masses[parent] = masses[parent] + masses[index]
    return masses


def _subtree_moments(tree: Tree, placed: Sequence[Frame]) -> list[Vec3]:
    """First moments about the base origin of each subtree; the last entry is the whole."""
    moments = [
        add(scale(link.inertia.mass, frame.origin), apply(frame.rotation, link.inertia.moment))
        for link, frame in zip(tree.links, placed, strict=True)
    ]
    moments.append(ZERO)
    for index in range(len(tree.links) - 1, -1, -1):
        parent = tree.links[index].parent
        moments[parent] = add(moments[parent], moments[index])
    return moments
