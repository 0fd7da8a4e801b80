"""Moves of the platform from pose to pose, in least time under the limits of its legs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from planner.findings import Finding, Severity
from planner.findings.subjects import PoseChange, Subject
from planner.job import Job
from planner.part_pose.room import PartClearance
from planner.presenting.coverage import presenter_of
from planner.presenting.posed import carried_points
from planner.presenting.presentation import PlatformMove, PresentedPose
from planner.presenting.waiting import Bystander, waiting
from robots.core.arrays import Array
from robots.core.errors import MotionError
from robots.core.mechanism import Body
from robots.stewart.errors import PlatformError
from robots.stewart.model import PlatformModel
from robots.stewart.motion import TimedMotion
from robots.stewart.motion_check import check_motion, motion_peaks
from robots.stewart.motion_time import MinimumTimeMotion, minimum_time_move
from robots.stewart.platform import Platform

LAW = "quintic"  # starts and stops without a jump of acceleration: kind to a clamped part
_INSTANTS = 65  # of a move at which the part's room among obstacles is looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Moves between poses, and what is wrong with them."""

    moves: tuple[PlatformMove, ...]
    findings: tuple[Finding, ...]


def moves_between(job: Job, poses: tuple[PresentedPose, ...]) -> Moved:
    """The moves of the platform, and where the arm waits meanwhile.

    Args:
        job: with a presenter.
        poses: in their order.
    """
    if len(poses) < 2:
        return Moved(moves=(), findings=())
    platform = loaded(job)
    mover, bystander = _Mover(job, PlatformModel(platform)), Bystander(job)
    moves: list[PlatformMove] = []
    findings: list[Finding] = []
    for number, (one, other) in enumerate(pairwise(poses), start=1):
        subject = PoseChange(number, number + 1)
        found = mover.way(one.T_hexapod_platform, other.T_hexapod_platform)
        if isinstance(found, str):
            findings.append(_blocked(subject, found))
            found = ()
        motions = tuple(least.motion for least in found)
        rest = waiting(bystander, one.plan, other.plan, motions) if motions else None
        if motions and rest is None:
            findings.append(_nowhere(subject))
        moves.append(
            PlatformMove(
                motions=motions,
                bindings=tuple(str(least.binding) for least in found),
                peaks=tuple(motion_peaks(mover.model, motion) for motion in motions),
                waiting=rest,
            )
        )
    return Moved(moves=tuple(moves), findings=tuple(findings))


def loaded(job: Job) -> Platform:
    """The platform of a job with the part's mass on it, and gravity as the robot feels it.

    The part counts as a point mass in the middle of its box.
    """
    presenter = presenter_of(job)
    platform, body = presenter.platform, presenter.platform.body
    gravity = presenter.T_base_hexapod[:3, :3].T @ job.mechanism.gravity
    mass = presenter.part_mass
    points = carried_points(job)
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    whole = body.mass + mass
    if mass > 0.0:
        tensor = mass * (np.dot(middle, middle) * np.eye(3) - np.outer(middle, middle))
        body = Body(
            mass=whole,
            com=(body.first_moment + mass * middle) / whole,
            inertia=body.inertia_at_origin + tensor,
            at="origin",
        )
    return replace(platform, body=body, gravity=gravity)


class _Mover:
    """Finds moves of a loaded platform."""

    def __init__(self, job: Job, model: PlatformModel) -> None:
        self.job, self.model = job, model
        self._room = PartClearance(job)

    def way(self, start: Array, end: Array) -> tuple[MinimumTimeMotion, ...] | str:
        """Straight, or by way of home; why neither does."""
        straight = self._move(start, end)
        if not isinstance(straight, str):
            return (straight,)
        home = self.model.platform.home
        ends = (start, home, end)
        if any(np.array_equal(pose, home) for pose in (start, end)):
            return straight
        halves = [self._move(a, b) for a, b in pairwise(ends)]
        good = tuple(half for half in halves if not isinstance(half, str))
        return good if len(good) == len(halves) else straight

    def _move(self, start: Array, end: Array) -> MinimumTimeMotion | str:
        """A move in its least time; why there is none."""
        try:
            found = minimum_time_move(self.model, start, end, LAW)
            report = check_motion(self.model, found.motion)
        except (PlatformError, MotionError) as error:
            return error.message
        if not report.feasible:
            return report.problems[0].sentence
        if not report.proof.holds:
            return "a limit of the platform is grazed all along the move"
        return found if self._free(found.motion) else "the part meets an obstacle on the way"

    def _free(self, motion: TimedMotion) -> bool:
        T = motion.course.state(np.linspace(0.0, 1.0, _INSTANTS)).T
        return bool(np.all(self._room.free(presenter_of(self.job).T_base_part(T))))


def _blocked(subject: Subject, why: str) -> Finding:
    return Finding(
        code="P141",
        severity=Severity.ERROR,
        subject=subject,
        message=f"the platform cannot move there, straight or by way of home: {why}",
        hint="try another seed in [presenter], or raise most_poses",
    )


def _nowhere(subject: Subject) -> Finding:
    return Finding(
        code="P142",
        severity=Severity.ERROR,
        subject=subject,
        message="no posture was found in which the arm is proven clear while the platform moves",
        hint="enlarge distance_mm in [approach], or lower clearance_mm",
    )
