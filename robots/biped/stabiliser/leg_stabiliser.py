"""Postural stabiliser of [GASTEBOIS17] for one leg: set-points, gains, follower torques.

Measured tilt of the ground → support polygon along gravity → walls → forces on the centre of mass →
motion of the virtual robot → joint positions that the physical robot is to follow. State in, state
out: the stabiliser keeps nothing.

A centre of mass that is outside a wall has fallen. From then on no field acts, the virtual robot
brakes and stays where it is.

Source: [GASTEBOIS17] §2.5.4-2.5.11, Figure 27; decision 7 of sources.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.biped import Biped
from robots.biped.errors import BipedError, PostureError
from robots.biped.stabiliser.fields import (
    FieldNumbers,
    Fields,
    Point,
    PolygonFields,
    Wall,
    attraction,
    repulsion,
    walls_of,
)
from robots.biped.stabiliser.tilting_ground import (
    LEVEL,
    Tilt,
    ground_axes,
    leg_torques,
    on_tilting_ground,
    require_leg,
    seen_along_gravity,
    standing_points,
    tip_of,
)
from robots.biped.stabiliser.virtual_robot import (
    VirtualRobot,
    VirtualState,
    desired_speed,
    joint_speeds,
    virtual_numbers,
)
from robots.core.arrays import Array
from robots.core.equations.algebra import Functions, numbers
from robots.core.equations.tree import Tree, tree_of
from robots.core.kernels.cycles import BoundCall
from robots.core.mechanism import Mechanism
from robots.core.recording import Programme, Recorder, recording_functions
from robots.core.rounding import apart

Scalar = Any
PERIOD = 0.002  # [s] cycle of the source's controller
Joints = Sequence[Scalar]


@dataclass(frozen=True, slots=True, eq=False)
class StabiliserState:
    """Virtual robot at the end of a period: the physical robot's set-point.

    Args:
        q: joint positions. # (n,) [rad]
        qd: joint speeds. # (n,) [rad/s]
        fallen: 1 once the centre of mass was outside the polygon, else 0.
    """

    q: Array
    qd: Array
    fallen: float = 0.0


class StabiliserStep(NamedTuple):
    """Result of one step of the stabiliser, as scalars."""

    q: Sequence[Scalar]
    qd: Sequence[Scalar]
    fallen: Scalar


@dataclass(frozen=True, kw_only=True, eq=False)
class Stabiliser:
    """The stabiliser of one leg.

    Args:
        biped: a leg whose base is its foot.
        fields: gains of the walls and the attractor.
        virtual: gains of the virtual robot.
        posture: that the motion starts from, whose altitude may be held and which the joints may
            go back to; default the biped's own. # (n,) [rad]
        period: [s]

    Raises:
        BipedError: another kind of biped, or a period that is not above zero.
        PostureError: a joint of the posture outside its range.
    """

    biped: Biped
    fields: Fields = field(default_factory=Fields)
    virtual: VirtualRobot = field(default_factory=VirtualRobot)
    posture: Array | None = None
    period: float = PERIOD

    def __post_init__(self) -> None:
        if not (np.isfinite(self.period) and self.period > 0.0):
            raise BipedError(f"A control period of {self.period!r} s; it must be above zero.")
        require_leg(self.biped)
        PolygonFields(np.array(self.corners)[:, :2], self.fields)  # refuses what is no convex sole
        self._checked_posture()

    @property
    def dof(self) -> int:
        """Number of joints n."""
        return self.biped.mechanism.dof

    @cached_property
    def tree(self) -> Tree:
        """The leg on its tilting ground, as the equations see it."""
        return tree_of(on_tilting_ground(self.biped))

    @cached_property
    def corners(self) -> list[tuple[Scalar, Scalar, Scalar]]:
        """Corners of the sole, world axes, level ground."""
        return standing_points(self.biped)

    @cached_property
    def start(self) -> StabiliserState:
        """The state at rest in the posture."""
        return StabiliserState(self._checked_posture(), np.zeros(self.dof))

    @cached_property
    def settings(self) -> Array:
        """All gains in one row; ``equations`` reads them."""
        gains = self.fields.numbers(len(self.corners))
        q = self.start.q
        altitude = tip_of(self.tree, LEVEL, q.tolist(), numbers()).position[2]
        virtual = self.virtual.numbers(self.biped.mechanism, self.period)
        flat = [*gains.repulsion, *gains[1:], *self._target(), altitude, *q]
        return np.concatenate([flat, virtual])

    def step(
        self,
        state: StabiliserState,
        alpha: float,
        beta: float,
        *,
        rates: tuple[float, float] = (0.0, 0.0),
    ) -> StabiliserState:
        """One control period.

        Args:
            state: at its beginning; the first one is ``start``.
            alpha: measured roll of the ground. [rad]
            beta: measured pitch of the ground. [rad]
            rates: measured speeds of both, as a gyroscope gives them. [rad/s]
        """
        n, call = self.dof, self._call
        row, tilt = call.arguments[0], call.arguments[1]
        row[:n], row[n : 2 * n], row[2 * n] = state.q, state.qd, state.fallen
        tilt[0], tilt[1], tilt[2], tilt[3] = alpha, beta, *rates
        call.run()
        answer = call.result.copy()
        return StabiliserState(answer[:n], answer[n : 2 * n], float(answer[2 * n]))

    def equations(
        self, state: StabiliserStep, tilt: Tilt, settings: Sequence[Scalar], fn: Functions
    ) -> StabiliserStep:
        """The step over scalars; ``settings`` in the order of the property."""
        m, n = len(self.corners), self.dof
        gains = FieldNumbers(tuple(settings[:m]), *settings[m : m + 3])
        attractor, target = tuple(settings[m + 3 : m + 6]), m + 6
        altitude, rest = settings[target], settings[target + 1 : target + 1 + n]
        values = virtual_numbers(settings[target + 1 + n :], n)
        tip = tip_of(self.tree, tilt, state.q, fn)
        axes = ground_axes(tilt.angle, fn)
        *corners, aim = seen_along_gravity(
            axes, [*self.corners, (attractor[0], attractor[1], attractor[2])]
        )
        walls = walls_of(corners, fn)
        place = tip.position[:2]
        push, pull = repulsion(walls, gains, place, fn), attraction(aim, gains, place, fn)
        force = (push[0] + pull[0], push[1] + pull[1])
        fallen = _fallen(walls, place, state.fallen, fn)
        missing = altitude - tip.position[2]
        x, y, z = desired_speed(values, tip, state.qd, (force, missing))
        on = 1.0 - fallen
        # A fallen robot wants no speed, and no other posture than the one it has.
        kept = [q + on * (r - q) for q, r in zip(state.q, rest, strict=True)]
        goal = ((on * x, on * y, on * z), kept)
        speeds = joint_speeds(values, VirtualState(state.q, state.qd), tip, goal, fn)
        moved = [q + values.period * qd for q, qd in zip(state.q, speeds, strict=True)]
        return StabiliserStep(moved, speeds, fallen)

    def _checked_posture(self) -> Array:
        mechanism = self.biped.mechanism
        posture = self.biped.q_standing if self.posture is None else self.posture
        limits = np.array([mechanism.q_min, mechanism.q_max])
        return starting_posture(self.biped, np.asarray(posture), limits)

    def _target(self) -> Array:
        """Place of the attractor on the sole, world axes, level ground. # (3,) [m]."""
        sole: Array = np.array(self.corners)
        if self.fields.target is None:
            return np.asarray(sole.mean(axis=0))
        return np.array([*self.fields.target, sole[:, 2].mean()])

    @cached_property
    def programme(self) -> Programme:
        """The step as a programme of (state, tilt, settings)."""
        n = self.dof
        recorder = Recorder()
        state = recorder.argument("state", (2 * n + 1,))
        tilt = recorder.argument("tilt", (4,))
        settings = recorder.argument("settings", self.settings.shape)
        before = StabiliserStep(state[:n], state[n : 2 * n], state[2 * n])
        measured = Tilt((tilt[0], tilt[1]), (tilt[2], tilt[3]), (0.0, 0.0))
        after = self.equations(before, measured, settings, recording_functions())
        return recorder.programme("stabiliser", [*after.q, *after.qd, after.fallen], (2 * n + 1,))

    @cached_property
    def _call(self) -> BoundCall:
        call = BoundCall(self.programme)
        call.arguments[2][...] = self.settings
        return call


def _fallen(walls: Sequence[Wall], place: Point, before: Scalar, fn: Functions) -> Scalar:
    """1 once the centre of mass is outside a wall, or was before."""
    fallen = before
    for wall in walls:
        fallen = fn.maximum(fallen, -fn.sign(wall.distance(place)))
    return fallen


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """Gains of the follower; errors decay as a second-order system, the same for all joints.

    Args:
        frequency: natural frequency of an error. [rad/s]
        damping: its damping ratio. []
        torque_limits: greatest torques; default the mechanism's own. Zero lets the leg swing
            freely. # (n,) [N m]

    Raises:
        BipedError: a gain or a limit below zero.
    """

    frequency: float = 40.0
    damping: float = 1.0
    torque_limits: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        limits = self.torque_limits or ()
        named = [("frequency", self.frequency), ("damping", self.damping)]
        for name, value in (*named, *(("torque limit", limit) for limit in limits)):
            if not value >= 0.0:
                raise BipedError(f"The follower's {name} is {value!r}; it must be zero or more.")

    def numbers(self, mechanism: Mechanism) -> Array:
        """Stiffness, damping and torque limits in one row.

        Raises:
            BipedError: another number of limits than joints.
        """
        limits = mechanism.max_effort if self.torque_limits is None else self.torque_limits
        if len(limits) != mechanism.dof:
            raise BipedError(
                f"The follower has {len(limits)} torque limits for {mechanism.dof} joints."
            )
        stiffness = self.frequency**2
        return np.array([stiffness, 2.0 * self.damping * self.frequency, *limits])


# --- Gains ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gains:
    """Gains by what they belong to.

    Args:
        fields: walls and attractor.
        virtual: virtual robot.
        follower: drives of the physical robot.
    """

    fields: Fields = field(default_factory=Fields)
    virtual: VirtualRobot = field(default_factory=VirtualRobot)
    follower: Follower = field(default_factory=Follower)


# With twice the joints that the centre of mass asks for, they go back to where they were.
ON_TWO_FEET = Gains(virtual=VirtualRobot(posture_gain=0.5))


# --- Follower ------------------------------------------------------------------------------------
# Computed torque on the measured tilt of the ground and its speed: gravity and the motion of leg
# and ground are fed forward; the ground's acceleration is not known to it and remains a
# disturbance.


class Reference(NamedTuple):
    """Reference of the joints at one instant, as scalars."""

    q: Joints  # [rad]
    qd: Joints  # [rad/s]
    qdd: Joints  # [rad/s²]


def follower_torques(
    tree: Tree,
    tilt: Tilt,
    state: tuple[Joints, Joints],
    goal: tuple[Reference, Sequence[Scalar]],
    fn: Functions,
) -> list[Scalar]:
    """Torques of one cycle, within their limits. # (n,) [N m].

    Args:
        tree: the leg on its ground.
        tilt: of the ground; its acceleration is not looked at.
        state: measured joint positions and speeds.
        goal: the reference, and the gains as ``Follower.numbers`` gives them.
        fn: functions of the scalars.
    """
    reference, (stiffness, damping, *limits) = goal
    wanted = [
        qdd + stiffness * (q_goal - q) + damping * (qd_goal - qd)
        for q_goal, qd_goal, qdd, q, qd in zip(*reference, *state, strict=True)
    ]
    measured = Tilt(tilt.angle, tilt.speed, (0.0, 0.0))
    tau = leg_torques(tree, measured, (*state, wanted), fn)
    return [
        -fn.maximum(-fn.maximum(x, -limit), -limit) for x, limit in zip(tau, limits, strict=True)
    ]


def starting_posture(biped: Biped, posture: ArrayLike, limits: Array) -> Array:
    """A posture whose joints are all within their limits. # (n,) [rad].

    Args:
        biped: whose posture.
        posture: # (n,) [rad]
        limits: lower and upper ones. # (2, n) [rad]

    Raises:
        BipedError: another number of joints, or angles that are not finite.
        PostureError: a joint past its limit.
    """
    mechanism = biped.mechanism
    q = np.array(posture, dtype=float)
    if q.shape != (mechanism.dof,) or not np.isfinite(q).all():
        raise BipedError(
            f"A posture of {mechanism.name} has shape {q.shape}; give {mechanism.dof} finite "
            "angles in radians."
        )
    for joint, value, low, high in zip(mechanism.movable, q, *limits, strict=True):
        if not low <= value <= high:
            limit = float(low if value < low else high)
            start, end = apart(float(np.degrees(value)), float(np.degrees(limit)), 3)
            raise PostureError(
                f"Joint {joint.name!r} of {mechanism.name} starts at {start} deg, past its limit "
                f"of {end} deg; start inside.",
                joint=joint.name,
                value=float(value),
                limit=limit,
                unit="rad",
            )
    return q
