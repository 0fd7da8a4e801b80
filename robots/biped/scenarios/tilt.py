"""Tilting ground, there and back, under a leg on its foot or a robot on two feet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robots.biped.biped import Biped
from robots.biped.errors import BipedError
from robots.biped.motion import BipedMotion
from robots.biped.posture.balance import tip_angle
from robots.biped.posture.ground import WAYS, ground_axes
from robots.biped.posture.support_polygon import SupportPolygon, supports_on_tilts
from robots.biped.posture.verdict import Stance, StanceVerdict, motion_verdict
from robots.biped.scenarios.scenario import (
    Loads,
    base_over_feet,
    loads_of,
    scenario_motion,
    standing_feet,
    standing_support,
    standing_torques,
)
from robots.biped.stabiliser.leg_simulation import LegSimulation, motion_of
from robots.biped.stabiliser.leg_stabiliser import ON_TWO_FEET, Gains, Stabiliser, starting_posture
from robots.biped.stabiliser.tilting_ground import ThereAndBack, less_tilt
from robots.biped.stabiliser.two_feet_stabiliser import PERIOD, TwoFeet, TwoFeetStabiliser
from robots.biped.walking.free_base import FreeBase, FreeState, rates_of
from robots.biped.walking.legged_robot import LeggedRobot
from robots.core.arrays import Array, Indices
from robots.core.transmission.drives import Drives


def tilt(
    biped: Biped,
    alpha: float,
    beta: float,
    duration: float = 7.0,
    stabilised: bool = True,
    *,
    posture: Array | None = None,
    gains: Gains | None = None,
    drives: Drives | None = None,
) -> BipedMotion:
    """The ground goes from level to (α, β) and back by the quintic law; the robot stays upright.

    A leg is simulated with its drives by forward dynamics. A robot on two feet follows its
    stabiliser exactly, and the full dynamics tell what that asks for.

    Args:
        biped: a leg whose base is its foot, such as bip-leg, or a robot on two BIP legs.
        alpha: roll. [rad]
        beta: pitch; positive lowers the front. [rad]
        duration: time of each way. [s]
        stabilised: False holds the starting posture.
        posture: at the start; default the biped's own, and on two feet the one with the pelvis
            60 mm lower: straight legs cannot stretch further. # (n,) [rad]
        gains: of the fields, the virtual robot and the follower; the defaults are for BIP.
        drives: whose rotors are added to the joints' inertia, as they are in the posture at the
            start; without them the leg has its ``motor_inertia`` alone. On two feet they do not
            count.

    Returns:
        A sample every 20 ms, one for ten control cycles.

    Raises:
        PostureError: a joint of the posture outside its range.
        BipedError: another kind of biped, or a gain out of its domain.

    Source: [GASTEBOIS17] §2.5.12: (0, 0) → (10, 20) deg → (0, 0), 7 s each way
    """
    ground = ThereAndBack(alpha=alpha, beta=beta, each_way=duration)
    how = "with the stabiliser" if stabilised else "in a frozen posture"
    title = (
        f"{biped.name} on a ground that tilts to roll {np.degrees(alpha):g}, pitch "
        f"{np.degrees(beta):g} deg, {how}"
    )
    if len(biped.feet) > 1:
        robot = LeggedRobot(biped=biped)
        start = lowered_posture(robot) if posture is None else posture
        return TwoFeetTilt(
            robot=robot,
            ground=ground,
            stabilised=stabilised,
            posture=start,
            gains=gains or ON_TWO_FEET,
        ).motion(title)
    simulation = _simulation(biped, posture, gains or Gains(), drives)
    return motion_of(simulation, simulation.run(ground, stabilised=stabilised), title=title)


def _simulation(
    biped: Biped, posture: Array | None, gains: Gains, drives: Drives | None
) -> LegSimulation:
    stabiliser = Stabiliser(
        biped=biped, fields=gains.fields, virtual=gains.virtual, posture=posture
    )
    rotors = None
    if drives is not None:
        rotors = np.diagonal(drives.reflected_inertia(stabiliser.start.q)).copy()
    return LegSimulation(stabiliser=stabiliser, follower=gains.follower, rotor_inertia=rotors)


# ---------------------------------------------------------------------------------------- Two feet
# The stabiliser is kinematic: its set-points are followed exactly. What that asks of the ground and
# of the joints, the motion of the ground included, is that of the full dynamics in time.

LOWERING = 0.06  # [m] of the pelvis from stretched legs, as before a walk
_EVERY = 2  # control periods in a sample
_FEWEST = 20  # control periods in a way of the ground
_AT_LIMIT = 2e-3  # [rad]


def lowered_posture(robot: LeggedRobot, lowering: float = LOWERING) -> Array:
    """Upright, the feet where the robot stands, the knees bent. # (n,) [rad].

    Args:
        robot: on two legs.
        lowering: of the pelvis, from where it is in the zero posture. [m]

    Raises:
        PostureError: legs that cannot be that short.
    """
    origin = robot.biped.T_world_base[:3, 3] - np.array([0.0, 0.0, lowering])
    return np.asarray(robot.postures(origin, robot.ankles).q)


@dataclass(frozen=True, kw_only=True, eq=False)
class TwoFeetTilt:
    """The scenario, before it is told.

    Args:
        robot: on two BIP legs.
        ground: how it tilts.
        stabilised: False holds the starting posture.
        posture: at the start. # (n,) [rad]
        gains: of fields and virtual robot.

    Raises:
        PostureError: with the stabiliser, a joint of the posture past its stop.
        BipedError: a posture that moves the feet against each other; gains that do not fit.
    """

    robot: LeggedRobot
    ground: ThereAndBack
    stabilised: bool
    posture: Array
    gains: Gains

    def __post_init__(self) -> None:
        starting_posture(self.biped, self.posture, _no_limits(self.biped))
        base_over_feet(self.biped, np.array([self.biped.q_standing, self.posture]))

    @property
    def biped(self) -> Biped:
        """Whose motion."""
        return self.robot.biped

    def motion(self, title: str) -> BipedMotion:
        """A sample for every 20 ms."""
        free, rows = FreeBase(biped=self.biped), self._rows
        whole = rates_of(self.t, free.coordinates(self.q, self.base))
        state = FreeState(x=whole.x[rows], xd=whole.xd[rows], xdd=whole.xdd[rows])
        axes = ground_axes(self.tilts[rows, :2])
        loads = _loads(free, state, axes)
        supports = supports_on_tilts(self.support.corners, axes)
        t = self.t[rows]
        verdict = motion_verdict(t, loads.com, loads.zmp, supports)
        return scenario_motion(
            free,
            loads,
            standing_torques(free, loads, axes),
            title=title,
            t=t,
            T_world_base=self.base[rows],
            support=supports,
            verdict=verdict,
            curves=_curves(loads, supports),
            remarks=(*self._remarks(loads.com[0]), *self._limits(verdict)),
            ground=self.tilts[rows, :2],
            remedy=less_tilt(t, self.tilts[rows], verdict),
        )

    @cached_property
    def t(self) -> Array:
        """Control instants. # (k,) [s]."""
        way = max(round(self.ground.each_way / PERIOD), _FEWEST)
        return np.asarray(np.arange(2 * way + 1) * (self.ground.each_way / way), dtype=np.float64)

    @cached_property
    def tilts(self) -> Array:
        """α, β, their speeds and accelerations. # (k, 6)."""
        return self.ground.samples(self.t)

    @cached_property
    def q(self) -> Array:
        """Set-points. # (k, n) [rad]."""
        if not self.stabilised:
            return np.tile(self.posture, (len(self.t), 1))
        stabiliser = TwoFeetStabiliser(
            chain=TwoFeet(robot=self.robot, T_ground_feet=standing_feet(self.biped)),
            corners=self.support.corners,
            posture=self.posture,
            gains=self.gains,
            period=float(self.t[1]),
        )
        return stabiliser.postures(self.tilts)

    @cached_property
    def base(self) -> Array:
        """Pose of the base in the world. # (k, 4, 4)."""
        turned = np.tile(np.eye(4), (len(self.t), 1, 1))
        turned[:, :3, :3] = ground_axes(self.tilts[:, :2])
        return np.asarray(turned @ base_over_feet(self.biped, self.q))

    @cached_property
    def support(self) -> SupportPolygon:
        """On level ground."""
        return standing_support(self.biped)

    @property
    def _rows(self) -> Indices:
        rows = np.arange(0, len(self.t), _EVERY)
        return rows if rows[-1] == len(self.t) - 1 else np.append(rows, len(self.t) - 1)

    def _remarks(self, com: Array) -> tuple[str, ...]:
        """How the posture at the start would do, by its centre of mass. # (3,) [m]."""
        said = []
        if self.support.signed_margin(com) >= 0.0:
            tips = (
                f"{way} {np.degrees(tip_angle(com, self.support, there)):.2f}"
                for way, there in WAYS.items()
            )
            said.append(
                f"Held, the posture at the start falls when level ground tilts by: "
                f"{', '.join(tips)} deg."
            )
        if self.stabilised:
            said.append(
                "The set-points of the stabiliser are taken to be followed exactly; the "
                "zero-moment point and the torques are those of the full dynamics. Each foot bears "
                "the part of the load that the ZMP's place between them asks for."
            )
        return tuple(said)

    def _limits(self, verdict: StanceVerdict) -> tuple[str, ...]:
        """Joints that the stabiliser brought to their limits; until the fall, if there is one."""
        if not self.stabilised:
            return ()
        before = self.t <= (verdict.time if verdict.stance is Stance.FALLEN else np.inf)
        low, high = np.asarray(self.biped.q_stops)
        said = []
        for number, joint in enumerate(self.biped.mechanism.movable):
            for limit in (low[number], high[number]):
                there = np.abs(self.q[before, number] - limit) < _AT_LIMIT
                if there.any():
                    since = self.t[int(np.argmax(there))]
                    said.append(
                        f"Joint {joint.name} is at its limit of {np.degrees(limit):.1f} deg from "
                        f"{since:.2f} s."
                    )
        return tuple(said)


def _loads(free: FreeBase, state: FreeState, axes: Array) -> Loads:
    try:
        return loads_of(free, state, axes)
    except BipedError as cause:
        raise BipedError(
            f"The ground tilts so fast that the feet leave it; give it more time. {cause}"
        ) from cause


def _no_limits(biped: Biped) -> Array:
    return np.outer([-np.inf, np.inf], np.ones(biped.mechanism.dof))


def _curves(loads: Loads, supports: list[SupportPolygon]) -> dict[str, Array]:
    pairs = zip(supports, loads.com, loads.zmp, strict=True)
    margins = np.array([polygon.signed_margin([com, zmp]) for polygon, com, zmp in pairs])
    return {"com_margin_m": margins[:, 0], "zmp_margin_m": margins[:, 1]}
