"""A biped's motion as it is reported: samples, motors, findings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.findings import Finding
from planner.findings.biped_findings import motion_findings, unjudged_motors
from robots.biped.library import KnownDrives
from robots.biped.motion import BipedMotion
from robots.biped.motor_loads import MotorLoads, joint_reach, motor_loads
from robots.biped.scenarios.limit_remarks import limit_remarks, rate_remarks
from robots.biped.verdict import Stance
from robots.core.arrays import Array, Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShownMotion:
    """A motion with all that is told of it.

    Args:
        scenario: "squat", "tilt", "walk" or "push".
        motion: its samples and verdict.
        margin: of the point that the verdict is about. # (k,) [m]
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


def shown_motion(
    held: BipedMotion, known: KnownDrives, *, scenario: str, command: str
) -> ShownMotion:
    """The motion with its motors and findings, until it falls.

    Args:
        held: as the scenario gave it; of its remarks those are left out that a finding tells.
        known: drives of the robot.
        scenario: "squat", "tilt", "walk" or "push".
        command: that made it.
    """
    told = limit_remarks(held.biped, held.t, held.q) + rate_remarks(held.biped, held.qd, held.tau)
    motion = held.until_fall()
    motors = motor_loads(motion, known.drives) if known.drives else None
    findings = motion_findings(motion, motors, joint_reach(motion, known.drives))
    return ShownMotion(
        scenario=scenario,
        motion=replace(motion, remarks=tuple(r for r in motion.remarks if r not in told)),
        margin=motion.judged_margin(),
        motors=motors,
        findings=(*findings, *unjudged_motors(known)),
        command=command,
    )


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
