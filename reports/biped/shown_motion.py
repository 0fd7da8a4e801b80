"""A biped's motion as it is reported: samples, motors, findings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.findings import Finding
from robots.biped.motion import BipedMotion
from robots.biped.verdict import Stance
from robots.core.arrays import Array, Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotorLoads:
    """What the motors do at the samples of a motion; k samples, m motors.

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShownMotion:
    """A motion with all that is told of it.

    Args:
        scenario: "squat", "tilt", "walk" or "push".
        motion: its samples and verdict.
        margin: of ``judged_margin``. # (k,) [m]
        motors: None where the robot's drives are not known.
        findings: in the order of their codes.
        command: that made it.
    """

    scenario: str
    motion: BipedMotion
    margin: Array
    motors: MotorLoads | None
    findings: tuple[Finding, ...]
    command: str

    @property
    def feasible(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.severity.value == "error" for finding in self.findings)

    @property
    def stands(self) -> bool:
        """Whether the robot stands all the time."""
        return self.motion.verdict.stance is Stance.STANDING

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.motion.t[-1] - self.motion.t[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Quantity:
    """One quantity of all joints, or of all motors, over time.

    Args:
        key: for files and anchors.
        title: for readers.
        unit: of values and limits.
        names: of the joints or motors.
        values: # (k, n)
        lower: limits; infinite where there are none. # (n,)
        upper: # (n,)
    """

    key: str
    title: str
    unit: str
    names: tuple[str, ...]
    values: Array
    lower: Array
    upper: Array

    @property
    def size(self) -> Array:
        """Absolute values; zero where there is none. # (k, n)."""
        return np.abs(np.nan_to_num(self.values))


def judged_margin(motion: BipedMotion) -> Array:
    """Margin of the point that the verdict is about. # (k,) [m].

    A robot that falls is judged by its centre of mass, all others by the zero-moment point.
    """
    from robots.biped.posture.margin import signed_margin

    if motion.verdict.stance is not Stance.FALLEN:
        return motion.margin
    pairs = zip(motion.support, motion.com[:, :2], strict=True)
    return np.array([float(signed_margin(corners, point)) for corners, point in pairs])


def quantities(shown: ShownMotion) -> tuple[Quantity, ...]:
    """Position, speed and torque of joints, speed and torque of motors, in readers' units."""
    motion, mechanism = shown.motion, shown.motion.biped.mechanism
    names = tuple(joint.name for joint in mechanism.movable)
    degrees = 180.0 / np.pi
    position = Quantity(
        key="joint-position",
        title="Joint positions",
        unit="deg",
        names=names,
        values=degrees * motion.q,
        lower=degrees * mechanism.q_min,
        upper=degrees * mechanism.q_max,
    )
    joints = (
        _both_ways("joint-speed", "rad/s", names, (motion.qd, mechanism.max_speed)),
        _both_ways("joint-torque", "N m", names, (motion.tau, mechanism.max_effort)),
    )
    motors = shown.motors
    if motors is None:
        return (position, *joints)
    return (
        position,
        *joints,
        _both_ways("motor-speed", "rad/s", motors.names, (motors.speed, motors.max_speed)),
        _both_ways("motor-torque", "N m", motors.names, (motors.torque, motors.max_torque)),
    )


def poses_of(motion: BipedMotion, rows: Indices) -> Array:
    """Poses of base and links in the world at some samples. # -> (k, 1 + links, 4, 4).

    Args:
        motion: whose samples.
        rows: which ones. # (k,) whole numbers
    """
    from robots.core.model import Model

    base = motion.T_world_base[rows]
    links = Model(motion.biped.mechanism, "numpy").transforms(motion.q[rows])
    return np.concatenate([base[:, None], base[:, None] @ links], axis=1)


def _both_ways(
    key: str, unit: str, names: tuple[str, ...], values_and_limit: tuple[Array, Array]
) -> Quantity:
    """A quantity whose limit holds for either sign."""
    values, limit = values_and_limit
    return Quantity(
        key=key,
        title=f"{key.replace('-', ' ').capitalize()}s",
        unit=unit,
        names=names,
        values=values,
        lower=-limit,
        upper=limit,
    )
