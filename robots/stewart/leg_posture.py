"""A leg's joints at a pose of the platform, in closed form, and what they hand on.

Joint angles appear as cosine and sine only, so no angle is ever taken and turned back. The same
equations run on recorded nodes and on arrays.

Source: [STAICU09] §2 eqs. (10) and (15), solved leg by leg: the first three joints move B, the
others only turn the platform about it, which makes the system block triangular.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from robots.core.equations.algebra import (
    ZERO,
    Functions,
    Mat3,
    Scalar,
    Vec3,
    add,
    apply,
    column,
    cross,
    dot,
    scale,
    subtract,
)
from robots.core.equations.tree import matrix, vector
from robots.stewart.leg_axes import LegAxes


class Turn(NamedTuple):
    """An angle by its cosine and sine."""

    c: Scalar
    s: Scalar


class TipMotion(NamedTuple):
    """Velocity or acceleration of B and of the platform's orientation, base axes."""

    linear: Vec3
    angular: Vec3


@dataclass(frozen=True, slots=True, kw_only=True)
class LegPosture:
    """One leg at one pose; directions in base axes.

    Args:
        values: five angles as ``Turn`` and the stroke, in the order of the chain. # (6,)
        axes: axis of every joint. # (6, 3)
        length: A to B. [m]
        lever: from the platform's origin to B. [m]
        x: second axis × leg.
        c: cosine of the universal joint's second angle.
    """

    values: tuple[Scalar, ...]
    axes: tuple[Vec3, ...]
    length: Scalar
    lever: Vec3
    x: Vec3
    c: Scalar

    @property
    def n(self) -> Vec3:
        """The leg's direction, from A to B."""
        return self.axes[2]


def turn_functions(fn: Functions) -> Functions:
    """Functions whose sine and cosine read a ``Turn``: what the core's equations are given."""
    return replace(fn, cos=lambda turn: turn.c, sin=lambda turn: turn.s)


def leg_posture(leg: LegAxes, R: Mat3, t: Vec3, fn: Functions) -> LegPosture:
    """Joints of a leg at the pose (R, t) of the platform, base frame."""
    lever = apply(R, vector(leg.platform))
    span = subtract(add(t, lever), vector(leg.base))
    length = fn.sqrt(dot(span, span))
    n = scale(1.0 / length, span)
    triad = matrix(leg.triad)
    e, s0, u0 = (column(triad, k) for k in range(3))
    ahead, aside = dot(n, u0), dot(n, s0)
    c2 = fn.sqrt(ahead * ahead + aside * aside)
    first, second = Turn(ahead / c2, -aside / c2), Turn(c2, dot(n, e))
    s = add(scale(first.c, s0), scale(first.s, u0))
    x = cross(s, n)
    plate = matrix(leg.plate)
    r, d = apply(R, column(plate, 0)), apply(R, column(plate, 2))
    end = _cardan if leg.cardan else _ball
    turns, axes = end((x, s, n), r, d, fn)
    return LegPosture(
        values=(first, second, length, *turns),
        axes=(e, s, n, *axes),
        length=length,
        lever=lever,
        x=x,
        c=c2,
    )


_End = tuple[tuple[Turn, Turn, Turn], tuple[Vec3, Vec3, Vec3]]


def _ball(leg: Mat3, r: Vec3, d: Vec3, fn: Functions) -> _End:
    """Angles about s, m = s × d and d, and these axes."""
    x, s, n = leg
    m = cross(s, d)
    size = fn.sqrt(dot(m, m))
    m = scale(1.0 / size, m)
    turns = (
        Turn(dot(m, x), -dot(m, n)),
        Turn(size, -dot(d, s)),
        Turn(dot(r, m), dot(r, cross(d, m))),
    )
    return turns, (s, m, d)


def _cardan(leg: Mat3, r: Vec3, d: Vec3, fn: Functions) -> _End:
    """Angles about the leg, p = leg × r and r, and these axes."""
    x, s, n = leg
    p = cross(n, r)
    size = fn.sqrt(dot(p, p))
    p = scale(1.0 / size, p)
    turns = (
        Turn(dot(p, s), -dot(p, x)),
        Turn(size, -dot(r, n)),
        Turn(dot(d, cross(r, p)), -dot(d, p)),
    )
    return turns, (n, p, r)


def joint_rates(leg: LegPosture, tip: TipMotion) -> list[Scalar]:
    """Joint speeds that give B and the platform this motion. # (6,) [rad/s or m/s]."""
    reach = leg.length
    first = -dot(tip.linear, leg.axes[1]) / (reach * leg.c)
    second = dot(tip.linear, leg.x) / reach
    e, s = leg.axes[:2]
    rest = subtract(tip.angular, add(scale(first, e), scale(second, s)))
    a, b, c = leg.axes[3:]
    volume = dot(a, cross(b, c))
    return [
        first,
        second,
        dot(tip.linear, leg.n),
        dot(rest, cross(b, c)) / volume,
        dot(rest, b),
        dot(rest, cross(a, b)) / volume,
    ]


def tip_bias(leg: LegPosture, rates: Sequence[Scalar]) -> TipMotion:
    """Acceleration of B and of the platform at zero joint accelerations.

    Source: [STAICU09] eq. (17), the terms in products of two speeds (corrected, sources.md)
    """
    w, wd = ZERO, ZERO
    linear = ZERO
    for k, axis in enumerate(leg.axes):
        if k == 2:
            span, slide = scale(leg.length, leg.n), scale(rates[2], leg.n)
            swept = cross(w, span)
            coriolis = cross(w, slide)
            linear = add(add(cross(wd, span), cross(w, swept)), add(coriolis, coriolis))
            continue
        own = scale(rates[k], axis)
        wd = add(wd, cross(w, own))
        w = add(w, own)
    return TipMotion(linear, wd)


def pulled_back(leg: LegPosture, tau: Sequence[Scalar]) -> TipMotion:
    """Force and moment at B that do on every platform motion what ``tau`` does on the joints'.

    The transpose of ``joint_rates``. # (6,) [N m or N]
    """
    a, b, c = leg.axes[3:]
    volume = dot(a, cross(b, c))
    # An end without bodies carries nothing: zeros fold here, and its lock does no harm.
    moment = add(
        scale(tau[4], b),
        add(scale(tau[3] / volume, cross(b, c)), scale(tau[5] / volume, cross(a, b))),
    )
    e, s = leg.axes[:2]
    first = (tau[0] - dot(e, moment)) / (leg.length * leg.c)
    second = (tau[1] - dot(s, moment)) / leg.length
    force = add(scale(tau[2], leg.n), subtract(scale(second, leg.x), scale(first, s)))
    return TipMotion(force, moment)
