"""Momentum of a whole mechanism about its centre of mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robots.core.equations.algebra import (
    ZERO,
    Scalar,
    Vec3,
    add,
    cross,
    scale,
    subtract,
    sym_apply,
)
from robots.core.equations.functions import Functions
from robots.core.equations.inertia import Inertia
from robots.core.equations.joints import Step, steps
from robots.core.equations.tree import Link, Tree
from robots.core.mechanism import JointKind


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

    def at_parent(self, move: Step) -> _Momentum:
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
    link: Link, move: Step, parent: tuple[Vec3, Vec3], qd: Sequence[Scalar]
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
