"""Scenario: the ground tilts under a leg on its foot, or a robot on two, and comes back."""

from __future__ import annotations

import numpy as np

from robots.biped.biped import Biped
from robots.biped.motion import BipedMotion
from robots.biped.scenarios.two_feet_tilt import TwoFeetTilt, lowered_posture
from robots.biped.stabiliser.gains import ON_TWO_FEET, Gains
from robots.biped.stabiliser.ground_motion import ThereAndBack
from robots.biped.stabiliser.leg_motion import motion_of
from robots.biped.stabiliser.leg_simulation import LegSimulation
from robots.biped.stabiliser.step import Stabiliser
from robots.biped.walking.legged_robot import LeggedRobot
from robots.core.arrays import Array
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
