"""Moves of the platform from pose to pose, in least time under the limits of its legs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from planner.clearance.checker import Checker
from planner.clearance.links import Links
from planner.clearance.segments import segment_segment
from planner.findings import Finding, Severity
from planner.findings.finding import PoseChange, Subject
from planner.job import Job
from planner.job.solids import Cell, Solid, SolidKind
from planner.motion.travel import travel_times
from planner.part_pose.pose_space import PartClearance
from planner.plan import Plan, SegmentKind
from planner.presenting.coverage import carried_points, halton, hexapod_solids
from planner.presenting.presentation import PlatformMove, PresentedPose, Waiting, presenter_of
from robots.core.arrays import Array, Mask
from robots.core.errors import MotionError
from robots.core.mechanism import Body
from robots.core.model import Model
from robots.core.pose import inverse_pose, transform_points
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
        found = mover.path(one.T_hexapod_platform, other.T_hexapod_platform)
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

    def path(self, start: Array, end: Array) -> tuple[MinimumTimeMotion, ...] | str:
        """Straight, or via home; why neither does."""
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
        return found if self._free(found.motion) else "the part meets an obstacle on the path"

    def _free(self, motion: TimedMotion) -> bool:
        T = motion.course.state(np.linspace(0.0, 1.0, _INSTANTS)).T
        return bool(np.all(self._room.free(presenter_of(self.job).T_base_part(T))))


def _blocked(subject: Subject, why: str) -> Finding:
    return Finding(
        code="P141",
        severity=Severity.ERROR,
        subject=subject,
        message=f"the platform cannot move there, directly or via home: {why}",
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


# ----------------------------------------------------------------------------------------- Waiting
# Between two instants at which distances are taken exactly, nothing that the platform carries goes
# farther than the course's greatest speed allows; that much is taken off the distance.

_WAITING_INSTANTS = 257  # of a move at which distances are taken
_PLACES = 128  # of a joint motion that is proven
_DRAWN = 128  # postures drawn at random, where those of the plans do not do
_NOTHING = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64))


class Bystander:
    """Judges postures of an arm that stands by while the platform moves.

    Args:
        job: with a presenter.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.presenter = job, presenter_of(job)
        self.model = Model(job.mechanism, "numpy")
        self.limits = job.joint_limits()
        self._links = Links(job.mechanism) if job.mechanism.capsules else None
        solid = _carried(job)
        self._carried = Checker(self.model, Cell(solids=(solid,)))
        points = solid.mesh.vertices
        self._radius = float(np.max(np.linalg.norm(points, axis=1)))

    def clearance(self, q: Array, motion: TimedMotion) -> float:
        """Proven clearance of a posture during a move; inf for an arm without capsules. [m]."""
        if self._links is None:
            return np.inf
        moving = self._links.carriers >= 0
        axes = self._links.axes(self._links.transforms(q[None]))[0][moving]
        T = motion.course.state(np.linspace(0.0, 1.0, _WAITING_INSTANTS)).T
        gap = min(self._to_carried(axes, T, moving), self._to_legs(axes, T, moving))
        return gap - self._between(motion)

    def _between(self, motion: TimedMotion) -> float:
        """How far anything that the platform moves goes in half an interval. [m]."""
        bound = motion.course.speed_bound()
        return (bound.linear + bound.angular * self._radius) / (2.0 * (_WAITING_INSTANTS - 1))

    def _to_carried(self, axes: Array, T: Array, moving: Mask) -> float:
        there = inverse_pose(self.presenter.T_base_hexapod @ T)
        R, t = there[:, None, :3, :3], there[:, None, :3, 3]
        starts = (R @ axes[:, :3, None])[..., 0] + t
        ends = (R @ (axes[:, :3] + axes[:, 3:])[..., None])[..., 0] + t
        count = starts.shape[0] * starts.shape[1]
        excluded = (np.zeros(count + 1, dtype=np.int64), _NOTHING[1])
        found = self._carried.segments(starts.reshape(-1, 3), ends.reshape(-1, 3), excluded)
        radii = self._links.radii[moving] if self._links is not None else np.zeros(0)
        return float(np.min(found.reshape(len(T), -1) - radii))

    def _to_legs(self, axes: Array, T: Array, moving: Mask) -> float:
        radii = self._links.radii[moving] if self._links is not None else np.zeros(0)
        back = inverse_pose(self.presenter.T_base_hexapod)
        starts = transform_points(back, axes[:, :3])
        spans = axes[:, 3:] @ back[:3, :3].T
        least = np.inf
        for leg in self.presenter.platform.legs:
            tips = T[:, :3, :3] @ leg.platform + T[:, :3, 3]
            for start, span, radius in zip(starts, spans, radii, strict=True):
                a, u, p = tuple(start.tolist()), tuple(span.tolist()), tuple(leg.base.tolist())
                for tip in tips - leg.base:
                    square, _ = segment_segment(a, u, p, tuple(tip.tolist()))
                    least = min(least, np.sqrt(square) - radius - leg.radius)
        return float(least)


def waiting(
    bystander: Bystander, before: Plan, after: Plan, motions: tuple[TimedMotion, ...]
) -> Waiting | None:
    """Where the arm waits: at its last clearance posture, or a clear one that costs little time.

    Args:
        bystander: of the job.
        before: plan that is over.
        after: plan that comes next.
        motions: of the platform, between them.

    Returns:
        None where no posture was found.
    """
    job = bystander.job
    required = job.checks.clearance
    last, first = _rest(before, -1), _rest(after, 0)
    checkers = [Checker(bystander.model, plan.job.cell) for plan in (before, after)]
    postures = np.stack(list(_postures(job, before, after)))
    ends = np.broadcast_to(last, postures.shape), np.broadcast_to(first, postures.shape)
    to = travel_times(ends[0], postures, bystander.limits, job.travel.law)
    back = travel_times(postures, ends[1], bystander.limits, job.travel.law)
    for k in np.argsort(to + back, kind="stable"):
        q = postures[k]
        if not _clear_way(checkers[0], last, q, required):
            continue
        if not _clear_way(checkers[1], q, first, required):
            continue
        gap = min(bystander.clearance(q, motion) for motion in motions)
        if gap >= required:
            return Waiting(
                q=q,
                retreats=not np.array_equal(q, last),
                clearance=gap,
                before=float(to[k]),
                after=float(back[k]),
            )
    return None


def _rest(plan: Plan, side: int) -> Array:
    """The posture in which a plan starts (0) or ends (-1)."""
    probes = [s for s in plan.timeline if s.kind is SegmentKind.PROBE]
    return plan.planned_points[probes[side].point_index].q_clearance


def _postures(job: Job, before: Plan, after: Plan) -> Iterator[Array]:
    """Postures to wait in: the last one, the next one, others of the plans, then any."""
    yield _rest(before, -1)
    yield _rest(after, 0)
    for plan in (before, after):
        yield from (p.q_clearance for p in plan.planned_points if p.reachable)
    low = np.maximum(job.mechanism.q_min + job.checks.joint_margin, -np.pi)
    high = np.minimum(job.mechanism.q_max - job.checks.joint_margin, np.pi)
    yield from low + halton(_DRAWN, low.size, presenter_of(job).seed) * (high - low)


def _clear_way(checker: Checker, start: Array, end: Array, required: float) -> bool:
    """Return whether the straight joint motion is proven to keep its clearance."""
    if checker.empty:
        return True
    middles = (np.arange(_PLACES) + 0.5) / _PLACES
    q = start + middles[:, None] * (end - start)
    spread = np.tile(np.abs(end - start) / (2 * _PLACES), (_PLACES, 1))
    if np.any(checker.collides(q[:: _PLACES // 8], required)):
        return False
    found = checker.bounds(q, spread, np.full(_PLACES, required))
    return bool(np.all(found.lower >= required))


def _carried(job: Job) -> Solid:
    """Part and plate as one skin, in the platform's frame."""
    from parts.geometry import TriangleMesh

    presenter = presenter_of(job)
    at_origin = hexapod_solids(presenter, presenter.platform.home)[0]
    back = inverse_pose(presenter.T_base_hexapod @ presenter.platform.home)
    vertices = [transform_points(back, at_origin.mesh.vertices)]
    faces = [at_origin.mesh.faces]
    if job.geometry is not None:
        vertices.append(carried_points(job))
        faces.append(job.geometry.mesh.faces + len(vertices[0]))
    mesh = TriangleMesh(vertices=np.concatenate(vertices), faces=np.concatenate(faces))
    return Solid(name="carried", kind=SolidKind.PART, mesh=mesh, closed=True)
