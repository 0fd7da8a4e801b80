"""Loads of the motors in a motion, through the transmissions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.biped.motion import BipedMotion
from robots.core.arrays import Array
from robots.core.transmission.drives import Drives


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotorLoads:
    """Position, speed and torque of the motors at the samples of a motion; k samples, m motors.

    Args:
        names: of the motors.
        position: turns from the zero posture; NaN where the transmission does not reach.
            # (k, m) [rad]
        speed: # (k, m) [rad/s]
        torque: rotor inertia included. # (k, m) [N m]
        max_speed: infinite for none. # (m,) [rad/s]
        max_torque: # (m,) [N m]
    """

    names: tuple[str, ...]
    position: Array
    speed: Array
    torque: Array
    max_speed: Array
    max_torque: Array


def motor_loads(motion: BipedMotion, drives: Drives) -> MotorLoads:
    """Position, speed and torque of every motor; NaN at samples that a transmission cannot take.

    Args:
        motion: joint torques include what the mechanism's ``motor_inertia`` takes.
        drives: of the same robot; its joints may stand in another order.
    """
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


def joint_reach(motion: BipedMotion, drives: Drives | None) -> Array:
    """Range of every joint that its limits and its transmission leave. # (2, n) [rad]."""
    mechanism = motion.biped.mechanism
    reach = np.array([mechanism.q_min, mechanism.q_max])
    if drives is None:
        return reach
    order = drive_order(motion, drives)
    low, high = drives.joint_range.T
    reach[0, order] = np.maximum(reach[0, order], low)
    reach[1, order] = np.minimum(reach[1, order], high)
    return reach


def drive_order(motion: BipedMotion, drives: Drives) -> list[int]:
    """Columns of the motion's joints in the order of the drives."""
    names = [joint.name for joint in motion.biped.mechanism.movable]
    return [names.index(name) for name in drives.joints]
