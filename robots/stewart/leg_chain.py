"""A leg as a serial mechanism of the model core, from its base point A to the platform.

Joint by joint, with the axis each one turns about or slides along:

* spherical end: e, s, leg, then s, m, d: the ball as three crossed axes, m square to s and d;
* Cardan end: e, s, leg, then the piston's own turn about the leg, p, r: p square to leg and r.

e, s of the universal joint and r, d of the platform are in ``leg_axes``. At q = 0, stroke aside,
all body frames coincide. Frames of ``LegBodies`` in this product:

* cross: x = e, y = s, z = x × y, which is the leg itself where the leg is square to e;
* cylinder and piston: z along the leg, y = s (a Cardan end's piston: y = p), x = y × z;
* end cross: y = its axis in the piston (s or p), x = its other axis (m or r), z = x × y;
* end: z = d, x = the axis it shares with the end cross.

Source: [STAICU09] §2 eqs. (2)-(4), Fig. 2; its axes z1 … z6 are e, s, leg, s, m, d but for sign
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.equations.algebra import Vec3, from_columns, numbers
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.stewart.inverse import checked_poses
from robots.stewart.leg_axes import LegAxes, leg_axes
from robots.stewart.leg_posture import Turn, leg_posture
from robots.stewart.platform import Leg, Platform

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
        mass=body.mass,
        com=turn.T @ body.com,
        inertia=turn.T @ body.inertia @ turn,
        at=body.at,
    )


def _tool(axes: LegAxes, turn: Array) -> Array:
    """Platform frame in the last joint's frame."""
    tool = np.eye(4)
    tool[:3, :3] = turn.T @ axes.plate.T
    tool[:3, 3] = -tool[:3, :3] @ axes.platform
    return tool
