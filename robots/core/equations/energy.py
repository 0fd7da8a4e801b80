"""Energies, centre of mass with its Jacobian, and momentum of a whole mechanism.

Source: [LAMMARI12] eq. (IV.3) (kinetic energy); [LIEGEOIS80] §2.3.1 (potential energy, with P^j in
place of the printed U_ji)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robots.core.equations.algebra import (
    ZERO,
    Functions,
    Scalar,
    Vec3,
    add,
    apply,
    cross,
    dot,
    scale,
    subtract,
    sym_apply,
)
from robots.core.equations.tree import Inertia, JointStep, Link, Tree, steps
from robots.core.equations.tree import kinetic_energy as body_kinetic_energy
from robots.core.mechanism import JointKind

if TYPE_CHECKING:
    from robots.core.equations.kinematics import Frame


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


# ---------------------------------------------------------------------------------------- Momentum


@dataclass(frozen=True, slots=True, kw_only=True)
class _Momentum:
    """Mass, first moment, linear and angular momentum about a frame's origin, in its axes."""

    mass: Scalar = 0.0
    moment: Vec3 = ZERO
    linear: Vec3 = ZERO
    angular: Vec3 = ZERO

    def plus(self, other: _Momentum) -> _Momentum:
        return _Momentum(
            mass=self.mass + other.mass,
            moment=add(self.moment, other.moment),
            linear=add(self.linear, other.linear),
            angular=add(self.angular, other.angular),
        )

    def at_parent(self, move: JointStep) -> _Momentum:
        linear = move.to_parent(self.linear)
        return _Momentum(
            mass=self.mass,
            moment=add(move.to_parent(self.moment), scale(self.mass, move.origin)),
            linear=linear,
            angular=add(move.to_parent(self.angular), cross(move.origin, linear)),
        )


def centroidal_momentum(
    tree: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], fn: Functions
) -> list[Scalar]:
    """Linear momentum, and angular momentum about the centre of mass, base axes.

    Its rate is the wrench under the base, taken at the centre of mass, less the weight. Rotors are
    left out: `motor_inertia` is an inertia seen at a joint, without a direction in space.

    Args:
        tree: the mechanism.
        q: [rad or m]. # (n,)
        qd: [rad/s or m/s]. # (n,)
        fn: functions of the reading.

    Returns:
        Linear, then angular. # (6,) [kg m/s, kg m²/s]
    """
    moves = steps(tree, q, fn)
    speeds: list[tuple[Vec3, Vec3]] = []
    for link, move in zip(tree.links, moves, strict=True):
        parent = speeds[link.parent] if link.parent >= 0 else (ZERO, ZERO)
        speeds.append(_speed(link, move, parent, qd))
    found = [_own(link.inertia, *s) for link, s in zip(tree.links, speeds, strict=True)]
    found.append(_Momentum())  # the base, at index -1
    for i in range(len(tree.links) - 1, -1, -1):
        parent_index = tree.links[i].parent
        found[parent_index] = found[parent_index].plus(found[i].at_parent(moves[i]))
    whole = found[-1]
    com = scale(1.0 / whole.mass, whole.moment)
    return [*whole.linear, *subtract(whole.angular, cross(com, whole.linear))]


def _speed(
    link: Link, move: JointStep, parent: tuple[Vec3, Vec3], qd: Sequence[Scalar]
) -> tuple[Vec3, Vec3]:
    """Velocity of the link's origin and its angular velocity, in link axes."""
    v, w = parent
    v, w = move.to_link(add(v, cross(w, move.origin))), move.to_link(w)
    if link.kind is JointKind.REVOLUTE:
        w = (w[0], w[1], w[2] + qd[link.variable])
    elif link.kind is JointKind.PRISMATIC:
        v = (v[0], v[1], v[2] + qd[link.variable])
    return v, w


def _own(body: Inertia, v: Vec3, w: Vec3) -> _Momentum:
    return _Momentum(
        mass=body.mass,
        moment=body.moment,
        linear=add(scale(body.mass, v), cross(w, body.moment)),
        angular=add(sym_apply(body.tensor, w), cross(body.moment, v)),
    )
