"""What a motion asks of the motors, through the transmissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from robots.biped.motion import BipedMotion
from robots.core.arrays import Array

if TYPE_CHECKING:
    from reports.biped.shown_motion import MotorLoads
    from robots.core.transmission.drives import Drives


def motor_loads(motion: BipedMotion, drives: Drives) -> MotorLoads:
    """Position, speed and torque of every motor; NaN at samples that a transmission cannot take.

    Args:
        motion: joint torques include what the mechanism's ``motor_inertia`` takes.
        drives: of the same robot; its joints may stand in another order.
    """
    from reports.biped.shown_motion import MotorLoads

    order = drive_order(motion, drives)
    added = np.array([joint.motor_inertia for joint in motion.biped.mechanism.movable])
    bare = motion.tau - added * motion.qdd  # the drives bring their rotors themselves
    q, qd, qdd, tau = (x[:, order] for x in (motion.q, motion.qd, motion.qdd, bare))
    reached = drives.within_range(q).all(axis=1)

    def where_reached(values: Array) -> Array:
        whole = np.full((len(motion.t), len(drives.motors)), np.nan)
        whole[reached] = values
        return whole

    q, qd, qdd, tau = (x[reached] for x in (q, qd, qdd, tau))
    return MotorLoads(
        names=drives.motors,
        position=where_reached(drives.motor_position(q)),
        speed=where_reached(drives.motor_speed(q, qd)),
        torque=where_reached(drives.drive_torque(q, qd, qdd, tau)),
        max_speed=drives.max_speed,
        max_torque=drives.max_torque,
    )


def drive_order(motion: BipedMotion, drives: Drives) -> list[int]:
    """Columns of the motion's joints in the order of the drives."""
    names = [joint.name for joint in motion.biped.mechanism.movable]
    return [names.index(name) for name in drives.joints]
