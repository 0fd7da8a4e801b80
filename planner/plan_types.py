"""What a plan is made of: points, segments, joints, totals, samples."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from planner.findings import Finding, Severity
from planner.findings.unchecked import (
    Surrounding,
    Unchecked,
    surroundings,
    unchecked_aspects,
)
from planner.job import Job
from planner.placement import PlacedPoints
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    from planner.trajectory import Trajectory


class SegmentKind(Enum):
    """What the robot does during a segment."""

    PROBE = "probe"  # clearance point to contact (search end)
    DWELL = "dwell"  # at rest there, for the reading
    RETRACT = "retract"  # back to the clearance point
    TRAVEL = "travel"  # to the next clearance point


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentClearance:
    """How near a motion comes to what it must keep away from, between samples too.

    Args:
        certified: proven: nothing comes nearer. [m]
        seen: least distance that was found; the truth lies between the two. [m]
        moving: body that comes near; empty where nothing does.
        against: what it comes near to.
        place: where on the moving body, base frame. [m]
        at: how far along the path, from 0 to 1.
    """

    certified: float
    seen: float
    moving: str
    against: str
    place: tuple[float, float, float]
    at: float

    @property
    def pair(self) -> str:
        """Both for a reader, such as "forearm - table"; empty where nothing comes near."""
        return f"{self.moving} - {self.against}" if self.moving else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One motion, with its place in time.

    Args:
        kind: what it is.
        point: name of the point it serves; a travel serves the point it goes to.
        point_index: of that point in the job.
        law: name of the motion law; "rest" for a dwell.
        start: [s]
        duration: [s]
        binding: which limit fixes the duration, such as "q5 acceleration"; empty for none.
        clearance: how near it comes to the cell and to itself; None where no pair of bodies has a
            distance to state: a robot without capsules beside the surface that it probes.
    """

    kind: SegmentKind
    point: str
    point_index: int
    law: str
    start: float
    duration: float
    binding: str
    clearance: SegmentClearance | None = None

    @property
    def end(self) -> float:
        """When it is over. [s]."""
        return self.start + self.duration


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlannedPoint:
    """One probe point and how it is reached.

    Args:
        name: as in the job.
        reachable: whether it is part of the motion.
        branch: name of the inverse family; empty when not reachable.
        q_clearance: joints at the clearance point; NaN when not reachable. # (n,) [rad]
        q_contact: joints at contact. # (n,) [rad]
        joint_margin: least distance to a joint limit along the whole line; NaN when none. [rad]
        margin_joint: name of the joint that has it.
        singularity_margin: least distance from a singularity along the line, 0 to 1.
        min_clearance: least distance to obstacles; None where none has been measured. [m]
    """

    name: str
    reachable: bool
    branch: str
    q_clearance: Array
    q_contact: Array
    joint_margin: float
    margin_joint: str
    singularity_margin: float
    min_clearance: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JointLoad:
    """What one joint goes through; peaks are of absolute value over the exact motion.

    Args:
        name: of the joint.
        peak_velocity: [rad/s]
        peak_acceleration: [rad/s²]
        peak_torque: [N m]
        rms_torque: over the whole duration. [N m]
        peak_power: [W]
        energy: that its drive delivers; nothing is recovered. [J]
        net_work: delivered less taken back. [J]
    """

    name: str
    peak_velocity: float
    peak_acceleration: float
    peak_torque: float
    rms_torque: float
    peak_power: float
    energy: float
    net_work: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The whole motion.

    Args:
        duration: [s]
        energy: that the drives deliver, nothing recovered. [J]
        net_work: the drives' work, equal to the change of energy where there is no friction. [J]
        peak_power: largest total power. [W]
        min_power: smallest total power, negative where the arm drives its motors. [W]
    """

    duration: float
    energy: float
    net_work: float
    peak_power: float
    min_power: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """The motion at regular instants; at a switch of law the side after it is meant.

    Args:
        t: [s] # (N,)
        segment: index of the segment each sample lies in. # (N,)
        q: # (N, n) [rad]
        qd: # (N, n) [rad/s]
        qdd: # (N, n) [rad/s²]
        tau: # (N, n) [N m]
        position: ball centre, base frame. # (N, 3) [m]
    """

    t: Array
    segment: Indices
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    position: Array

    @property
    def power(self) -> Array:
        """Total power of the joints. # (N,) [W]."""
        return np.asarray(np.sum(self.tau * self.qd, axis=1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """A job with its motion.

    Args:
        job: what was asked.
        placed: its points before the robot.
        points: one per probe point, in the job's order.
        segments: in order of time.
        trajectory: the exact motion, to be asked at any instant.
        joints: loads of each joint.
        totals: of the whole motion.
        findings: everything a reader should know: faults of the points that others follow from,
            then the worst first.
    """

    job: Job
    placed: PlacedPoints
    points: tuple[PlannedPoint, ...]
    segments: tuple[Segment, ...]
    trajectory: Trajectory
    joints: tuple[JointLoad, ...]
    totals: Totals
    findings: tuple[Finding, ...]

    @property
    def nearest(self) -> tuple[SegmentClearance, Segment] | None:
        """The least proven clearance of all motions, and which it is; None where none was checked.

        Reports, the terminal and batches tell this one number.
        """
        checked = [(s.clearance, s) for s in self.segments if s.clearance is not None]
        return min(checked, key=lambda both: both[0].certified, default=None)

    @property
    def feasible(self) -> bool:
        """Whether no finding is an error; ``unchecked`` says what none could be found about."""
        return all(finding.severity is not Severity.ERROR for finding in self.findings)

    @property
    def unchecked(self) -> tuple[Unchecked, ...]:
        """What job and robot say too little about to be checked; a verdict names it first."""
        return unchecked_aspects(self.job)

    @property
    def surroundings(self) -> tuple[Surrounding, ...]:
        """What clearances were measured to."""
        return surroundings(self.job)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Names of the points that no motion touches, in the job's order."""
        return tuple(point.name for point in self.points if not point.reachable)

    @property
    def motion_errors(self) -> tuple[Finding, ...]:
        """Errors that concern motions of the plan, not points left out of them."""
        return tuple(
            finding
            for finding in self.findings
            if finding.severity is Severity.ERROR and not finding.left_out
        )

    @property
    def motion_proven(self) -> bool:
        """Whether every motion passed every check there was; points may be left out."""
        required = self.job.checks.clearance
        clear = all(
            segment.clearance is None or segment.clearance.certified >= required
            for segment in self.segments
        )
        return clear and not self.motion_errors
