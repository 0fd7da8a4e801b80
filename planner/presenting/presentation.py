"""Result of presenting a part: poses of the platform, each with its plan, and the moves between.

The arm and the platform take turns: while one moves the other is at rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.errors import JobError
from planner.findings import Finding, Severity
from planner.job import Job
from planner.job.elements import Presenter
from planner.plan import Plan
from robots.core.arrays import Array
from robots.stewart.motion import TimedMotion
from robots.stewart.motion_check import MotionPeaks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PresentedPose:
    """One pose of the platform and what is measured in it.

    Args:
        T_hexapod_platform: the pose. # (4, 4)
        T_base_part: the part before the robot. # (4, 4)
        lengths: of the legs. # (6,) [m]
        covariance: of the pose, see ``uncertainty.pose_covariance``. # (6, 6)
        plan: of the points that are measured here; an ordinary plan of an ordinary job.
        sigmas: standard deviation that the pose gives to each of them, along its normal.
            # (points,) [m]
    """

    T_hexapod_platform: Array
    T_base_part: Array
    lengths: Array
    covariance: Array
    plan: Plan
    sigmas: Array

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the points that are measured here."""
        return self.plan.job.points.names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Waiting:
    """Posture of the arm while the platform moves.

    Args:
        q: posture. # (n,) [rad]
        retreats: whether it has left its last clearance posture for it.
        clearance: proven for the whole move, to the part and the hexapod; inf where there is
            nothing to be near. [m]
        before: time of the arm's travel there. [s]
        after: time of its travel to the next plan's first clearance posture. [s]
    """

    q: Array
    retreats: bool
    clearance: float
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlatformMove:
    """The platform goes from one pose to the next.

    Args:
        motions: one, or two via home.
        bindings: what fixes the duration of each.
        peaks: what each takes from the legs.
        waiting: where the arm is meanwhile; None where no posture was found to be clear.
    """

    motions: tuple[TimedMotion, ...]
    bindings: tuple[str, ...]
    peaks: tuple[MotionPeaks, ...]
    waiting: Waiting | None

    @property
    def duration(self) -> float:
        """Of the platform's motion and of the arm's travels before and after. [s]."""
        arm = 0.0 if self.waiting is None else self.waiting.before + self.waiting.after
        return arm + sum(motion.duration for motion in self.motions)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Presentation:
    """A job whose part is presented by a hexapod.

    Args:
        job: what was asked.
        measurable_at_home: points that are measurable with the platform at home.
        poses: in the order in which they are taken; the first one is taken before the job starts.
        moves: between them, one fewer than poses.
        findings: points that no pose measures, moves that cannot be made; those of the plans too.
        tried: number of poses that were judged.
        planned: number of poses that were planned.
    """

    job: Job
    measurable_at_home: tuple[str, ...]
    poses: tuple[PresentedPose, ...]
    moves: tuple[PlatformMove, ...]
    findings: tuple[Finding, ...]
    tried: int
    planned: int

    @property
    def measurable(self) -> tuple[str, ...]:
        """Points that are measured in some pose."""
        return tuple(name for pose in self.poses for name in pose.points)

    @property
    def feasible(self) -> bool:
        """Whether every point is measurable and no finding is an error."""
        errors = any(finding.severity is Severity.ERROR for finding in self.findings)
        return not errors and len(self.measurable) == len(self.job.points)

    @property
    def duration(self) -> float:
        """Of all plans and the moves between. [s]."""
        plans = sum(pose.plan.totals.duration for pose in self.poses)
        return plans + sum(move.duration for move in self.moves)


def presenter_of(job: Job) -> Presenter:
    """The presenter of a job.

    Raises:
        JobError: it has none.
    """
    if job.presenter is None:
        raise JobError(
            f"The job {job.name!r} has no [presenter]; add the table with platform and pose, or "
            "use `palpeur plan`.",
            key="presenter",
        )
    return job.presenter
