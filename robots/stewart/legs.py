"""A leg as a serial mechanism: joint axes, joints at a pose in closed form, its chain.

The base triad is (e, s, u): e the universal joint's first axis, u the part of the home leg square
to it, s = u × e the second axis at home. On the platform, d points on from B as the leg does in
the middle of its cone, and r, square to it, is the axis of the end joint's other fork.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
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
    from_columns,
    numbers,
    scale,
    subtract,
)
from robots.core.equations.tree import matrix, vector
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.stewart.errors import PlatformError
from robots.stewart.platform import Leg, LegEnd, Platform, checked_poses

# Sine below which two directions count as parallel: no joint is built that near to its lock.
PARALLEL = 1e-6


class Turn(NamedTuple):
    """An angle by its cosine and sine."""

    c: Scalar
    s: Scalar


_End = tuple[tuple[Turn, Turn, Turn], tuple[Vec3, Vec3, Vec3]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegAxes:
    """One leg's points and directions.

    Args:
        base: A. Base frame. # (3,) [m]
        platform: B. Platform frame. # (3,) [m]
        triad: columns e, s, u. Base frame. # (3, 3)
        plate: columns r, d × r, d. Platform frame. # (3, 3)
        cardan: whether the end is a Cardan joint.
    """

    base: Array
    platform: Array
    triad: Array
    plate: Array
    cardan: bool


def leg_axes(platform: Platform, index: int) -> LegAxes:
    """Axes of one leg.

    Args:
        platform: with its home pose.
        index: 0 to 5.

    Raises:
        PlatformError: the leg has no length at home, lies along its first axis, or a Cardan end
            is locked there.
    """
    leg = platform.legs[index]
    triad = _triad(platform, leg)
    return LegAxes(
        base=leg.base,
        platform=leg.platform,
        triad=triad,
        plate=_plate(platform, leg, triad[:, 1]),
        cardan=leg.end is LegEnd.CARDAN,
    )


def _triad(platform: Platform, leg: Leg) -> Array:
    home = platform.home
    vector = home[:3, :3] @ leg.platform + home[:3, 3] - leg.base
    length = float(np.linalg.norm(vector))
    if length < PARALLEL:
        raise PlatformError(
            f"Leg {leg.name!r} has no length at home ({length:.3g} m): its points A and B are one; "
            "move the home pose.",
            leg=leg.name,
        )
    e = leg.first_axis
    square = vector - (vector @ e) * e
    sine = float(np.linalg.norm(square)) / length
    if sine < PARALLEL:
        raise PlatformError(
            f"Leg {leg.name!r} lies along the first axis of its universal joint at home "
            f"(sine {sine:.3g}): the joint is locked there; turn first_axis away from the leg.",
            leg=leg.name,
        )
    u = square / np.linalg.norm(square)
    return np.column_stack([e, np.cross(u, e), u])


def _plate(platform: Platform, leg: Leg, s: Array) -> Array:
    """Columns r, d × r, d; r is square to the leg's second axis at home too."""
    d = -leg.platform_direction
    r = np.cross(platform.home[:3, :3].T @ s, d)
    if np.linalg.norm(r) < PARALLEL:
        _check_unloaded(leg)
        r = np.cross(d, np.eye(3)[int(np.argmin(np.abs(d)))])
    r = r / np.linalg.norm(r)
    return np.column_stack([r, np.cross(d, r), d])


def _check_unloaded(leg: Leg) -> None:
    """Refuse a locked end joint, except a ball without bodies of its own: it cannot lock."""
    loaded = any(body.mass or body.inertia.any() for body in (leg.bodies.end_cross, leg.bodies.end))
    if leg.end is LegEnd.CARDAN or loaded:
        raise PlatformError(
            f"Leg {leg.name!r}: its end joint is locked at home, because platform_direction is "
            "parallel to the second axis of the universal joint; give the leg's own direction.",
            leg=leg.name,
        )


# ---------------------------------------------------------------------------- Leg joints at a pose
# Joint angles appear as cosine and sine only, so no angle is ever taken and turned back. The same
# equations run on recorded nodes and on arrays.
#
# Source: [STAICU09] §2 eqs. (10) and (15), solved leg by leg: the first three joints move B, the
# others only turn the platform about it, which makes the system block triangular.


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


# ----------------------------------------------------------------------- Leg as a serial mechanism
# Joint by joint, with the axis each one turns about or slides along:
#
# * spherical end: e, s, leg, then s, m, d: the ball as three crossed axes, m square to s and d;
# * Cardan end: e, s, leg, then the piston's own turn about the leg, p, r: p square to leg and r.
#
# e, s of the universal joint and r, d of the platform are in ``leg_axes``. At q = 0, stroke aside,
# all body frames coincide. Frames of ``LegBodies`` in this product:
#
# * cross: x = e, y = s, z = x × y, which is the leg itself where the leg is square to e;
# * cylinder and piston: z along the leg, y = s (a Cardan end's piston: y = p), x = y × z;
# * end cross: y = its axis in the piston (s or p), x = its other axis (m or r), z = x × y;
# * end: z = d, x = the axis it shares with the end cross.
#
# Source: [STAICU09] §2 eqs. (2)-(4), Fig. 2; its axes z1 … z6 are e, s, leg, s, m, d but for sign

STROKE = 2  # the joint that the drive moves
# Joint frames in body axes: the joint's z is the body's x, y or z, the others follow in a circle.
_TURNS: dict[str, Array] = {
    "x": np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "y": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    "z": np.eye(3),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """Body axis of every joint, its name, and the joint that carries each body."""

    axes: str
    names: tuple[str, ...]
    carriers: tuple[int, ...]  # of cross, cylinder, piston, end cross, end


SPHERICAL = _Order(
    axes="xyzyxz",
    names=("first", "second", "stroke", "ball 1", "ball 2", "ball 3"),
    carriers=(0, 1, 2, 3, 4),
)
CARDAN = _Order(
    axes="xyzzyx",
    names=("first", "second", "stroke", "turn", "cardan 1", "cardan 2"),
    carriers=(0, 1, 3, 4, 5),
)


def leg_chain(platform: Platform, index: int) -> Mechanism:
    """One leg as a mechanism of six joints; its tool frame is the platform's frame.

    Args:
        platform: whose leg it is.
        index: 0 to 5.

    Raises:
        PlatformError: the leg is degenerate at home.
    """
    leg, axes = platform.legs[index], leg_axes(platform, index)
    order = CARDAN if axes.cardan else SPHERICAL
    return Mechanism(
        name=f"{platform.name} leg {leg.name}",
        joints=tuple(_joint(leg, axes, order, k) for k in range(len(order.axes))),
        source=platform.source,
        gravity=platform.gravity,
        tool=_tool(axes, _TURNS[order.axes[-1]]),
    )


def joint_values(platform: Platform, index: int, T: ArrayLike) -> Array:
    """Joint values of one leg at a pose, exact; angles in (-π, π].

    Args:
        platform: whose leg it is.
        index: 0 to 5.
        T: T_base_platform. # (..., 4, 4)

    Returns:
        q of ``leg_chain``. # (..., 6) [rad or m]

    Raises:
        PlatformError: the leg is degenerate at home; T is not finite or of another shape.
    """
    poses = checked_poses(platform, T)
    x, y, z, t = (_components(poses[..., :3, k]) for k in range(4))
    posture = leg_posture(leg_axes(platform, index), from_columns(x, y, z), t, numbers())
    values = [np.arctan2(q.s, q.c) if isinstance(q, Turn) else q for q in posture.values]
    return np.stack(np.broadcast_arrays(*values), axis=-1)


def body_links(axes: LegAxes) -> tuple[int, ...]:
    """Joint that carries cross, cylinder, piston, end cross and end. # (5,)."""
    return (CARDAN if axes.cardan else SPHERICAL).carriers


def _components(vectors: Array) -> Vec3:
    return (vectors[..., 0], vectors[..., 1], vectors[..., 2])


def _joint(leg: Leg, axes: LegAxes, order: _Order, k: int) -> Joint:
    turn = _TURNS[order.axes[k]]
    placement = np.eye(4)
    if k == 0:
        placement[:3, :3] = axes.triad @ turn
        placement[:3, 3] = axes.base
    else:
        placement[:3, :3] = _TURNS[order.axes[k - 1]].T @ turn
    stroke = k == STROKE
    return Joint(
        name=order.names[k],
        kind=JointKind.PRISMATIC if stroke else JointKind.REVOLUTE,
        parent=k - 1,
        placement=placement,
        q_min=leg.min_length if stroke else -np.inf,
        q_max=leg.max_length if stroke else np.inf,
        max_speed=leg.max_speed if stroke else np.inf,
        max_acceleration=leg.max_acceleration if stroke else np.inf,
        max_effort=leg.max_force if stroke else np.inf,
        coulomb=leg.coulomb if stroke else 0.0,
        viscous=leg.viscous if stroke else 0.0,
        body=_body(leg, order, k, turn),
    )


def _body(leg: Leg, order: _Order, k: int, turn: Array) -> Body:
    """The body of joint k in the joint's own axes; joint and body frames share their origin."""
    if k not in order.carriers:
        return Body()
    given = leg.bodies
    bodies = (given.cross, given.cylinder, given.piston, given.end_cross, given.end)
    body = bodies[order.carriers.index(k)]
    return Body(
        mass=body.mass, com=turn.T @ body.com, inertia=turn.T @ body.inertia @ turn, at=body.at
    )


def _tool(axes: LegAxes, turn: Array) -> Array:
    """Platform frame in the last joint's frame."""
    tool = np.eye(4)
    tool[:3, :3] = turn.T @ axes.plate.T
    tool[:3, 3] = -tool[:3, :3] @ axes.platform
    return tool
