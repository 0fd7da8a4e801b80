"""Inverse dynamics by virtual work: leg forces that move the platform as wanted.

Every leg's joint torques come from the core's recursion of Newton and Euler along its chain; what
they do on a virtual motion of the platform is handed on to its origin, where the platform's own
inertia waits; the six drives do the same work with f·δl.

Source: [STAICU09] §3 eqs. (19)-(20). Gravity points along -z0 here; the printed -9.81 m a_k0 u3
would have it along +z0 (sources.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robots.core.equations.algebra import (
    Functions,
    Mat3,
    Scalar,
    Vec3,
    add,
    apply,
    cross,
    scale,
    subtract,
    sym_apply,
    transpose,
)
from robots.core.equations.dynamics import newton_euler
from robots.core.equations.tree import Inertia, Tree
from robots.stewart.leg_posture import (
    LegPosture,
    TipMotion,
    joint_rates,
    pulled_back,
    tip_bias,
    turn_functions,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlateMotion:
    """Velocity and acceleration of the platform's origin and orientation, base axes."""

    v: Vec3
    w: Vec3
    vd: Vec3
    wd: Vec3

    def speed_at(self, lever: Vec3) -> TipMotion:
        """Velocity of a point of the platform and of its orientation."""
        return TipMotion(add(self.v, cross(self.w, lever)), self.w)

    def acceleration_at(self, lever: Vec3) -> TipMotion:
        """Acceleration likewise."""
        swept = cross(self.w, cross(self.w, lever))
        return TipMotion(add(self.vd, add(cross(self.wd, lever), swept)), self.wd)


@dataclass(frozen=True, slots=True, kw_only=True)
class Masses:
    """What moves: six legs as trees of the core, the platform's body, gravity in base axes."""

    trees: tuple[Tree, ...]
    plate: Inertia
    gravity: Vec3  # [m/s²]


@dataclass(frozen=True, slots=True, kw_only=True)
class LegMotion:
    """Joint speeds and accelerations of a leg. # (6,)."""

    qd: list[Scalar]
    qdd: list[Scalar]


def leg_motion(leg: LegPosture, motion: PlateMotion) -> LegMotion:
    """Joint speeds and accelerations that a motion of the platform asks of a leg."""
    qd = joint_rates(leg, motion.speed_at(leg.lever))
    bias, wanted = tip_bias(leg, qd), motion.acceleration_at(leg.lever)
    rest = TipMotion(subtract(wanted.linear, bias.linear), subtract(wanted.angular, bias.angular))
    return LegMotion(qd=qd, qdd=joint_rates(leg, rest))


def generalised_wrench(
    masses: Masses, R: Mat3, legs: Sequence[LegPosture], motion: PlateMotion, fn: Functions
) -> list[Scalar]:
    """Wrench at the platform's origin that this motion asks of the drives. # (6,) [N, N m]."""
    total = _plate_wrench(masses, R, motion)
    for leg, tree in zip(legs, masses.trees, strict=True):
        moved = leg_motion(leg, motion)
        tau = newton_euler(tree, (leg.values, moved.qd, moved.qdd), turn_functions(fn))
        force, moment = pulled_back(leg, tau)
        total = TipMotion(
            add(total.linear, force), add(total.angular, add(moment, cross(leg.lever, force)))
        )
    return [*total.linear, *total.angular]


def leg_lines(legs: Sequence[LegPosture]) -> list[list[Scalar]]:
    """Rows of the Jacobian: each leg's direction and its moment about the platform's origin.

    Source: [STAICU09] eq. (15), the row of v32 solved for
    """
    return [[*leg.n, *cross(leg.lever, leg.n)] for leg in legs]


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """Solution of a linear system.

    Args:
        values: the unknowns. # (n,)
        independence: least squared sine between a column and the span of those before it; zero
            where the system is singular.
    """

    values: list[Scalar]
    independence: Scalar


def solved(columns: Sequence[Sequence[Scalar]], right: Sequence[Scalar], fn: Functions) -> Solution:
    """Solution of a square system given by its columns, without choosing pivots.

    Modified Gram-Schmidt with the right side as one more column is as stable as Householder's
    method, and has no branch that a straight-line programme could not take.
    """
    n = len(columns)
    work = [list(column) for column in columns]
    rest = list(right)
    upper: list[list[Scalar]] = []
    found: list[Scalar] = []
    worst: Scalar = -1.0
    for k in range(n):
        square = _dot(work[k], work[k])
        worst = fn.maximum(worst, -(square / _dot(columns[k], columns[k])))
        inverse = 1.0 / fn.sqrt(square)
        unit = [inverse * entry for entry in work[k]]
        along = [_dot(unit, column) for column in (*work[k + 1 :], rest)]
        work[k + 1 :] = [_without(work[k + 1 + j], along[j], unit) for j in range(n - k - 1)]
        rest = _without(rest, along[-1], unit)
        upper.append([inverse, *along[:-1]])
        found.append(along[-1])
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            found[k] = found[k] - upper[k][j - k] * found[j]
        found[k] = found[k] * upper[k][0]
    return Solution(values=found, independence=-worst)


def _without(column: Sequence[Scalar], along: Scalar, unit: Sequence[Scalar]) -> list[Scalar]:
    return [a - along * b for a, b in zip(column, unit, strict=True)]


def _plate_wrench(masses: Masses, R: Mat3, motion: PlateMotion) -> TipMotion:
    """Rates of linear and angular momentum of the platform less its weight, at its origin."""
    body, back = masses.plate, transpose(R)
    w, wd = apply(back, motion.w), apply(back, motion.wd)
    a = apply(back, subtract(motion.vd, masses.gravity))
    turned = add(cross(wd, body.moment), cross(w, cross(w, body.moment)))
    force = add(scale(body.mass, a), turned)
    spin = add(sym_apply(body.tensor, wd), cross(w, sym_apply(body.tensor, w)))
    moment = add(spin, cross(body.moment, a))
    return TipMotion(apply(R, force), apply(R, moment))


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
