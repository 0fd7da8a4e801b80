"""BipedMotion: what a scenario did, sample by sample, and what that asks of the motors."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from robots.biped.biped import Biped
from robots.biped.posture.support_polygon import signed_margin
from robots.biped.posture.verdict import Stance, StanceVerdict
from robots.core.arrays import Array, freeze_field
from robots.core.transmission.drives import Drives

_FEWEST = 2  # samples of a robot that has fallen from the start


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BipedMotion:
    """Samples of a scenario; k samples, n joints; world axes (x forward, y left, z up).

    Args:
        biped: whose motion.
        title: what is shown to a reader.
        t: instants, increasing. # (k,) [s]
        q: joint positions; qd, qdd their rates. # (k, n) [rad]
        qd: # (k, n) [rad/s]
        qdd: # (k, n) [rad/s²]
        tau: joint torques. # (k, n) [N m]
        T_world_base: pose of the mechanism's base. # (k, 4, 4)
        com: centre of mass. # (k, 3) [m]
        zmp: zero-moment point on the ground. # (k, 3) [m]
        support: corners of the support polygon of each sample, projected along gravity,
            counter-clockwise. # k of (m, 2) [m]
        margin: signed distance of the judged point to the polygon, positive inside. # (k,) [m]
        ground: tilt α (about x of the world's ground, roll) and β (pitch). # (k, 2) [rad]
        verdict: of the whole motion.
        curves: further curves by name, as "ground_pitch_rad" or "capture_x_m". # (k,)
        remarks: sentences for the reader: limits passed, places, amounts.
        remedy: what would do where the motion cannot be, with numbers; empty where it is not known.

    The samples after ``verdict.time`` of a fall are those of a robot that is held to the ground:
    no sole turns in them. ``until_fall`` is what has a meaning without a hand.
    """

    biped: Biped
    title: str
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    T_world_base: Array
    com: Array
    zmp: Array
    support: tuple[Array, ...]
    margin: Array
    ground: Array
    verdict: StanceVerdict
    curves: dict[str, Array] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    remedy: str = ""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, np.ndarray):
                freeze_field(self, item.name, value)

    def until_fall(self) -> BipedMotion:
        """The motion as far as the first sample after a fall; the whole of it without one."""
        if self.verdict.stance is not Stance.FALLEN:
            return self
        count = max(int(np.searchsorted(self.t, self.verdict.time)) + 1, _FEWEST)
        support = self.support[:count]
        changed: dict[str, Any] = {
            item.name: value[:count]
            for item in fields(self)
            if isinstance(value := getattr(self, item.name), np.ndarray)
        }
        pairs = zip(support, self.com[:count, :2], strict=True)
        least = min(float(signed_margin(corners, point)) for corners, point in pairs)
        return replace(
            self,
            support=support,
            verdict=replace(self.verdict, margin=least),
            curves={name: values[:count] for name, values in self.curves.items()},
            **changed,
        )

    def judged_margin(self) -> Array:
        """Margin of the point that the verdict is about. # (k,) [m].

        A robot that falls is judged by its centre of mass, all others by the zero-moment point.
        """
        if self.verdict.stance is not Stance.FALLEN:
            return self.margin
        pairs = zip(self.support, self.com[:, :2], strict=True)
        return np.array([float(signed_margin(corners, point)) for corners, point in pairs])


# --- loads of its motors -------------------------------------------------------------------------


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
