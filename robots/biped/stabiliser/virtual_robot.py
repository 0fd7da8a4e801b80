"""The virtual robot: the leg without weight, whose tip is the centre of mass, moved by the fields.

It has the physical robot's joints and the centre of mass for a tip, so whatever moves the tip moves
the joints. A virtual mass at the tip, in a virtual viscous medium, feels the fields; the tip's
speed becomes joint speeds through a damped pseudo-inverse with weights for tasks and joints. Limits
of speed, acceleration and position of the joints are kept, and what a joint at its limit cannot
give is asked of the others. The source leaves the altitude of the centre of mass to the
pseudo-inverse; ``altitude_weight`` above zero holds it where it was.

Source: [GASTEBOIS17] §2.5.3-2.5.4, §2.5.12; eqs. (36)-(44) are the case of masses on the segments
(``robots.biped.posture.com_robot``). Here the tip is the centre of mass of the bodies as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from robots.biped.errors import BipedError
from robots.core.arrays import Array
from robots.core.equations.algebra import Functions, Vec3, dot, subtract
from robots.core.equations.dynamics import solve_symmetric
from robots.core.mechanism import Mechanism

Scalar = Any
Joints = Sequence[Scalar]

_SCALARS = 7  # leading numbers of ``VirtualNumbers``
_PER_JOINT = 5
_PASSES = 3  # through the pseudo-inverse: two joints may be at their limits


class VirtualNumbers(NamedTuple):
    """The virtual robot's constants as scalars; the last five have one number per joint."""

    period: Scalar  # [s]
    mass: Scalar  # [kg]
    damping: Scalar  # [N s/m]
    regularisation: Scalar  # λ² of the pseudo-inverse [m²]
    altitude_weight: Scalar
    altitude_gain: Scalar  # [1/s]
    posture_gain: Scalar  # [1/s]
    mobility: Joints
    q_min: Joints  # [rad]
    q_max: Joints  # [rad]
    max_speed: Joints  # [rad/s]
    max_acceleration: Joints  # [rad/s²]


class VirtualState(NamedTuple):
    """Joint positions and speeds of the virtual robot as scalars."""

    q: Joints
    qd: Joints


class VirtualTip(NamedTuple):
    """Centre of mass and its Jacobians by joint speeds and ground; world axes."""

    position: Vec3  # [m]
    jacobian: tuple[Joints, Joints, Joints]  # rows x, y, z [m/rad]
    carried: Vec3  # its speed when the joints are still [m/s]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VirtualRobot:
    """Gains of the virtual robot.

    The defaults were tuned by hand on BIP's leg of 23 kg, with the defaults of the fields.

    Args:
        mass: at the tip. [kg]
        damping: of the medium. [N s/m]
        regularisation: λ of the pseudo-inverse, in metres per radian. [m]
        altitude_weight: 0 leaves the altitude free, 1 holds it as firmly as the place. []
        altitude_gain: how fast an error of altitude is taken back. [1/s]
        posture_gain: how fast the joints go back to the start where the tip does not care. [1/s]
        mobility: weight of each joint in the pseudo-inverse; default the same for all. # (n,)
        max_speed: cap on joint speeds besides the mechanism's own. [rad/s]
        max_acceleration: cap on joint accelerations besides the mechanism's own. [rad/s²]

    Raises:
        BipedError: a constant out of its domain.
    """

    mass: float = 25.0
    damping: float = 80.0
    regularisation: float = 0.01
    altitude_weight: float = 0.0
    altitude_gain: float = 2.0
    posture_gain: float = 0.0
    mobility: tuple[float, ...] | None = None
    max_speed: float = 1.0
    max_acceleration: float = 2.0

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            may_be_zero = item.name in ("altitude_weight", "altitude_gain", "posture_gain")
            values = np.atleast_1d(np.asarray(1.0 if value is None else value, dtype=float))
            good = np.isfinite(values).all() and bool(
                (values >= 0.0).all() if may_be_zero else (values > 0.0).all()
            )
            if not good:
                bound = "zero or more" if may_be_zero else "above zero"
                raise BipedError(
                    f"The virtual robot's {item.name} is {value}; it must be finite and {bound}.",
                    field=item.name,
                    value=value,
                )

    def numbers(self, mechanism: Mechanism, period: float) -> Array:
        """The constants for one mechanism, flat; ``virtual_numbers`` reads them.

        Raises:
            BipedError: another number of mobilities than joints.
        """
        n = mechanism.dof
        mobility = np.ones(n) if self.mobility is None else np.asarray(self.mobility, dtype=float)
        if mobility.shape != (n,):
            raise BipedError(
                f"The virtual robot has {mobility.size} mobilities for {n} joints of "
                f"{mechanism.name}; give one per joint."
            )
        scalars = [period, self.mass, self.damping, self.regularisation**2]
        scalars += [self.altitude_weight, self.altitude_gain, self.posture_gain]
        speed = np.minimum(mechanism.max_speed, self.max_speed)
        acceleration = np.minimum(mechanism.max_acceleration, self.max_acceleration)
        limits = [mechanism.q_min, mechanism.q_max, speed, acceleration]
        return np.concatenate([scalars, mobility, *limits])


def virtual_size(n: int) -> int:
    """How many numbers ``VirtualRobot.numbers`` gives for n joints."""
    return _SCALARS + _PER_JOINT * n


def virtual_numbers(flat: Sequence[Scalar], n: int) -> VirtualNumbers:
    """The constants out of their flat form."""
    groups = [flat[k : k + n] for k in range(_SCALARS, virtual_size(n), n)]
    return VirtualNumbers(*flat[:_SCALARS], *groups)


def desired_speed(
    values: VirtualNumbers, tip: VirtualTip, qd: Joints, pull: tuple[tuple[Scalar, Scalar], Scalar]
) -> Vec3:
    """What the joints are to add to the tip's speed in the next period. # [m/s].

    The virtual mass has the tip's speed v in the world, that of the ground included. m·v' = F - d·v
    is stepped as v⁺ = (v + F·T/m) / (1 + d·T/m), stable for any damping. So a ground that carries
    the centre of mass away is countered at once, and the fields need not yield for it.

    Args:
        values: constants.
        tip: the centre of mass.
        qd: joint speeds now.
        pull: force of the fields, and altitude that is missing. [N], [m]
    """
    ratio = values.period / values.mass
    slowed = 1.0 + values.damping * ratio
    force, missing = pull
    now = (_along(row, qd) + v for row, v in zip(tip.jacobian[:2], tip.carried[:2], strict=True))
    x, y = ((v + ratio * f) / slowed for v, f in zip(now, force, strict=True))
    return subtract((x, y, values.altitude_gain * missing), tip.carried)


def joint_speeds(
    values: VirtualNumbers,
    state: VirtualState,
    tip: VirtualTip,
    goal: tuple[Vec3, Joints],
    fn: Functions,
) -> list[Scalar]:
    """Joint speeds of the next period, within all limits. # (n,) [rad/s].

    A pass through the pseudo-inverse is cut to the limits of speed and position; the next one asks
    what is missing of the joints that were not cut. The change of speed is then scaled as a whole
    to the limits of acceleration: joint by joint they would bend the way of the tip.

    Args:
        values: constants.
        state: of the joints.
        tip: the centre of mass.
        goal: what the joints are to add to its speed, and the joint positions that
            ``posture_gain`` goes back to. [m/s], # (n,) [rad]
        fn: functions of the scalars.
    """
    wanted, rest = goal
    bounds = [_speed_bounds(values, state, j, fn) for j in range(len(rest))]
    speeds = [values.posture_gain * (r - q) for r, q in zip(rest, state.q, strict=True)]
    able = list(values.mobility)
    for _ in range(_PASSES):
        free = _through_inverse(values, tip, (wanted, speeds), able)
        speeds = [_between(x, *bound, fn) for x, bound in zip(free, bounds, strict=True)]
        cut = [fn.sign(x - c) for x, c in zip(free, speeds, strict=True)]
        able = [w * (1.0 - s * s) for w, s in zip(able, cut, strict=True)]
    return _accelerated(values, state, (speeds, bounds), fn)


def _accelerated(
    values: VirtualNumbers,
    state: VirtualState,
    goal: tuple[Joints, Sequence[tuple[Scalar, Scalar]]],
    fn: Functions,
) -> list[Scalar]:
    """The way from the present speeds to others that one period allows."""
    changes = [goal - now for goal, now in zip(goal[0], state.qd, strict=True)]
    steps = [a * values.period for a in values.max_acceleration]
    excess: Scalar = 1.0
    for change, step in zip(changes, steps, strict=True):
        excess = fn.maximum(excess, fn.maximum(change, -change) / step)
    scaled = [now + change / excess for now, change in zip(state.qd, changes, strict=True)]
    # A joint that must brake for its limit does so at its own full acceleration.
    return [
        _between(_between(x, *bound, fn), now - step, now + step, fn)
        for x, bound, now, step in zip(scaled, goal[1], state.qd, steps, strict=True)
    ]


def _through_inverse(
    values: VirtualNumbers, tip: VirtualTip, goal: tuple[Vec3, Joints], mobility: Joints
) -> list[Scalar]:
    """qd0 + W·Jᵀ·(J·W·Jᵀ + λ²·1)⁻¹·(v - J·qd0), the third row weighted for altitude."""
    wanted, qd0 = goal
    weights = (1.0, 1.0, values.altitude_weight)
    rows = [[w * x for x in row] for w, row in zip(weights, tip.jacobian, strict=True)]
    missing = [w * v - _along(row, qd0) for w, v, row in zip(weights, wanted, rows, strict=True)]
    weighted = [[w * x for w, x in zip(mobility, row, strict=True)] for row in rows]
    square = [[_along(a, b) for b in weighted[: i + 1]] for i, a in enumerate(rows)]
    for k in range(3):
        square[k][k] = square[k][k] + values.regularisation
    pull = solve_symmetric(square, missing)
    return [
        start + dot((x, y, z), (pull[0], pull[1], pull[2]))
        for start, x, y, z in zip(qd0, *weighted, strict=True)
    ]


def _speed_bounds(
    values: VirtualNumbers, state: VirtualState, j: int, fn: Functions
) -> tuple[Scalar, Scalar]:
    """Least and greatest speed that keep the limits of speed and position of joint j.

    √(c² + 2·a·x) - c with c = a·T is the speed from which braking by a at most ends before the
    limit at distance x, whatever the period: x shrinks by less than itself in every one.
    """
    step = values.max_acceleration[j] * values.period
    top = values.max_speed[j]

    def braking(room: Scalar) -> Scalar:
        reach = 2.0 * values.max_acceleration[j] * fn.maximum(room, 0.0)
        return _least(top, fn.sqrt(step * step + reach) - step, fn)

    return -braking(state.q[j] - values.q_min[j]), braking(values.q_max[j] - state.q[j])


def _between(x: Scalar, low: Scalar, high: Scalar, fn: Functions) -> Scalar:
    return fn.maximum(_least(x, high, fn), low)


def _least(a: Scalar, b: Scalar, fn: Functions) -> Scalar:
    return -fn.maximum(-a, -b)


def _along(row: Joints, qd: Joints) -> Scalar:
    total: Scalar = 0.0
    for x, speed in zip(row, qd, strict=True):
        total = total + x * speed
    return total
