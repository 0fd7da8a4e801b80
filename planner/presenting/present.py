"""present(job): the fewest poses of the hexapod that measure all points, each with its plan.

The search knows joint limits, singularities and obstacles at the ends of lines. What it chooses is
planned in full; what a plan refuses is taken out of the search, which then chooses again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import ArrayLike

from planner.clearance.checker import Checker
from planner.clearance.links import Links
from planner.clearance.segments import segment_segment
from planner.findings import Finding, Severity
from planner.findings.finding import Point, PoseChange, Subject, Travel
from planner.findings.point_findings import point_file_findings
from planner.job import Job
from planner.job.elements import Presenter
from planner.job.part import examined
from planner.job.solids import Cell, Solid, SolidKind
from planner.motion.travel import travel_times
from planner.part_pose.moved import check_movable, moved, moved_points, visiting_order
from planner.part_pose.pose_space import PartClearance, WrittenPose
from planner.part_pose.rating import AdmissibleLines, possible_ways, worst_margin
from planner.plan import Plan, SegmentKind
from planner.planning import plan
from planner.presenting.presentation import (
    PlatformMove,
    Presentation,
    PresentedPose,
    Waiting,
    presenter_of,
)
from planner.progress import Progress, silent
from planner.reach.closed_form import ArmReach
from planner.reach.margins import joint_units
from planner.reach.placement import place
from planner.reach.reach import Reach
from planner.reach.robot import reach_of
from robots.core.arrays import Array, Indices, Mask
from robots.core.errors import MotionError
from robots.core.mechanism import Body
from robots.core.model import Model
from robots.core.pose import (
    inverse_pose,
    make_pose,
    rotation_exp,
    transform_directions,
    transform_points,
)
from robots.stewart.errors import PlatformError
from robots.stewart.limits import PoseLimits, pose_limits, violations
from robots.stewart.model import PlatformModel
from robots.stewart.motion import TimedMotion
from robots.stewart.motion_check import check_motion, motion_peaks
from robots.stewart.motion_time import MinimumTimeMotion, minimum_time_move
from robots.stewart.platform import Leg, Platform, leg_vectors, lengths

_SPREAD = 300  # poses over the workspace
_AIMED = 6  # unmeasurable points at which poses are aimed
_ROUNDS = 12  # times the search may choose again
_UP = np.array([0.0, 0.0, 1.0])
_WIDE = np.radians(10.0)  # margins beyond it are equally good [rad]


def present(job: Job, progress: Progress = silent) -> Presentation:
    """Choose poses of the platform so that every point is measurable, and plan each.

    Args:
        job: with a presenter, points in the part's frame.
        progress: told how far the work is.

    Raises:
        JobError: no presenter, or points in the base frame.
        RobotError: the robot cannot do such a job; a platform that is singular.
    """
    check_movable(job)
    return _Search(job, progress).run()


class _Search:
    """Poses, what they measure, and the plans that say so."""

    def __init__(self, job: Job, progress: Progress) -> None:
        self.job, self.presenter, self.progress = job, presenter_of(job), progress
        self.coverage = Coverage(job)
        self.planned = 0
        source = PoseSource(self.presenter.platform, self.presenter.seed)
        most = round(self.coverage.effort * _SPREAD)
        poses = np.concatenate([source.home(), _written(source.spread(most))])
        margins = self.coverage(poses).margins
        missing = np.nonzero(~np.any(margins > 0.0, axis=0))[0]
        aimed = _written(_some(source.aimed(*self._aims(missing)), most))
        self.poses = np.concatenate([poses, aimed])
        self.margins = np.concatenate([margins, self.coverage(aimed).margins])

    def run(self) -> Presentation:
        """Search, plan, order, move."""
        home = self._plan(0, np.arange(len(self.job.points)))
        measurable_at_home = _measurable(home)
        self._correct(0, measurable_at_home)
        plans = {0: home} if measurable_at_home.all() else self._settled()
        order = self._order(tuple(plans))
        poses = tuple(self._presented(k, plans[k]) for k in order)
        moved = moves_between(self.job, poses)
        names = self.job.points.names
        findings = (
            *self._unmeasurable(home, poses),
            *moved.findings,
            *point_file_findings(self.job),
            *_of_plans(poses),
        )
        return Presentation(
            job=self.job,
            measurable_at_home=tuple(names[k] for k in np.nonzero(measurable_at_home)[0]),
            poses=poses,
            moves=moved.moves,
            findings=findings,
            tried=len(self.poses),
            planned=self.planned,
        )

    def _aims(self, points: Indices) -> tuple[Array, Array]:
        """Normals of unmeasurable points at home, and the direction from part to shoulder."""
        placed = self.coverage.placed
        back = inverse_pose(self.presenter.T_base_hexapod)
        normals = transform_directions(back, placed.normals[_distinct(placed.normals, points)])
        middle = np.mean(placed.contacts, axis=0)
        way = -middle / max(float(np.linalg.norm(middle)), 1e-9) + _UP
        return normals, transform_directions(back, way[None] / np.linalg.norm(way))[0]

    def _settled(self) -> dict[int, Plan]:
        """Plans by pose, once the poses that are chosen keep what the search promised."""
        plans: dict[int, Plan] = {}
        for done in range(_ROUNDS):
            self.progress("poses chosen", done, _ROUNDS)
            chosen = cover(self.margins, self.presenter.most_poses)
            share = assigned(self.margins, chosen)
            plans, kept = {}, True
            for number, k in enumerate(chosen):
                points = np.nonzero(share == number)[0]
                if points.size == 0:
                    continue
                plans[k] = self._plan(k, points)
                good = _measurable(plans[k])
                kept &= bool(good.all())
                self.margins[k, points[~good]] = 0.0
            if kept:
                break
        self.progress("poses chosen", _ROUNDS, _ROUNDS)
        return {
            k: self._trimmed(k, found) for k, found in plans.items() if _measurable(found).any()
        }

    def _trimmed(self, k: int, found: Plan) -> Plan:
        """A plan without the points that it does not measure."""
        good = _measurable(found)
        if good.all():
            return found
        names = [found.job.points.names[i] for i in np.nonzero(good)[0]]
        return self._plan(k, np.array([self.job.points.index(name) for name in names]))

    def _plan(self, k: int, points: Indices) -> Plan:
        self.planned += 1
        return plan(only(posed(self.job, self.poses[k]), points))

    def _correct(self, k: int, measurable: Mask) -> None:
        """What a plan of all points says of a pose."""
        self.margins[k] = np.where(measurable, self.margins[k], 0.0)

    def _order(self, chosen: tuple[int, ...]) -> list[int]:
        """Poses one near after another, from home on."""
        left, here = list(chosen), self.presenter.platform.home
        order: list[int] = []
        while left:
            legs = lengths(self.presenter.platform, self.poses[left])
            away = np.max(np.abs(legs - lengths(self.presenter.platform, here)), axis=1)
            order.append(left.pop(int(np.argmin(away))))
            here = self.poses[order[-1]]
        return order

    def _presented(self, k: int, found: Plan) -> PresentedPose:
        presenter, T = self.presenter, self.poses[k]
        covariance = pose_covariance(presenter.platform, T, presenter.length_sigma)
        back = inverse_pose(presenter.T_base_hexapod)
        sigmas = point_sigma(
            covariance,
            T[:3, 3],
            transform_points(back, found.placed.surfaces),
            transform_directions(back, found.placed.normals),
        )
        return PresentedPose(
            T_hexapod_platform=T,
            T_base_part=presenter.T_base_part(T),
            lengths=lengths(presenter.platform, T),
            covariance=covariance,
            plan=found,
            sigmas=sigmas,
        )

    def _unmeasurable(self, home: Plan, poses: tuple[PresentedPose, ...]) -> list[Finding]:
        done = {name for pose in poses for name in pose.points}
        errors = [f for f in reversed(home.finding_list) if f.severity is Severity.ERROR]
        reasons = {f.subject.point: f for f in errors}
        missing = [name for name in self.job.points.names if name not in done]
        return [_missing(name, reasons.get(name), len(self.poses)) for name in missing]


def _written(poses: Array) -> Array:
    """Poses as short decimals, which a controller can be given. # (p, 4, 4)."""
    return np.array([WrittenPose.of(T).T for T in poses]).reshape(-1, 4, 4)


def _some(poses: Array, most: int) -> Array:
    """At most so many poses, evenly taken."""
    if len(poses) <= most:
        return poses
    return np.asarray(poses[np.linspace(0, len(poses) - 1, most).round().astype(np.int64)])


def _missing(name: str, reason: Finding | None, tried: int) -> Finding:
    at_home = "" if reason is None else f"; at home {reason.code}: {reason.message}"
    return Finding(
        code="P140",
        severity=Severity.ERROR,
        subject=Point(name),
        message=f"measurable in no pose of the presenter, of {tried} that were tried{at_home}",
        hint="move or turn the hexapod or the part on it, or raise most_poses in [presenter]",
    )


def _measurable(found: Plan) -> Mask:
    """Points that are reached, no finding of which or of the travel to which is an error."""
    subjects = {f.subject for f in found.finding_list if f.severity is Severity.ERROR}
    bad = {subject.point for subject in subjects}
    visited = [found.job.points.names[k] for k in visiting_order(found)]
    bad |= {name for one, name in pairwise(visited) if Travel(one, name) in subjects}
    return np.array([point.reachable and point.name not in bad for point in found.planned_points])


def _of_plans(poses: tuple[PresentedPose, ...]) -> list[Finding]:
    """Findings of the plans, those about a point that another pose measures left out."""
    return [finding for pose in poses for finding in pose.plan.finding_list]


def _distinct(normals: Array, points: Indices) -> Indices:
    """Some points whose normals differ, at most as many as poses are aimed at."""
    chosen: list[int] = []
    for k in points.tolist():
        if all(normals[k] @ normals[other] < 0.95 for other in chosen):
            chosen.append(k)
    return np.array(chosen[:_AIMED], dtype=np.int64)


def cover(margins: Array, most: int) -> tuple[int, ...]:
    """Poses by which as many points as possible are measurable, as few of them as can be found.

    Args:
        margins: of every point by every pose; 0 where it is not measurable. # (p, k) [rad]
        most: poses that may be used.
    """
    measurable = margins > 0.0
    worth = np.minimum(margins, _WIDE)
    chosen = _greedy(measurable, worth, most)
    while len(chosen) > 1:
        fewer = _exchanged(measurable, worth, chosen)
        if fewer is None:
            break
        chosen = fewer
    return tuple(_wider(measurable, worth, chosen))


def assigned(margins: Array, chosen: tuple[int, ...]) -> Indices:
    """Which of the chosen poses measures each point: that with the largest margin, -1 for none.

    Args:
        margins: as for ``cover``. # (p, k) [rad]
        chosen: poses.
    """
    if not chosen:
        return np.full(margins.shape[1], -1, dtype=np.int64)
    rows = np.array(chosen)
    best = np.argmax(np.minimum(margins[rows], _WIDE), axis=0)
    return np.where(np.any(margins[rows] > 0.0, axis=0), best, -1)


def _greedy(measurable: Mask, worth: Array, most: int) -> list[int]:
    """Pose after pose, each the one that measures the most of what is left."""
    left = np.ones(measurable.shape[1], dtype=bool)
    chosen: list[int] = []
    while len(chosen) < most:
        gains = np.sum(measurable & left, axis=1)
        if not gains.size or gains.max() == 0:
            break
        pick = _best(gains == gains.max(), np.sum(np.where(left, worth, 0.0), axis=1))
        chosen.append(pick)
        left &= ~measurable[pick]
    return chosen


def _exchanged(measurable: Mask, worth: Array, chosen: list[int]) -> list[int] | None:
    """One pose fewer for the same points: one left out, or two replaced by one; None: neither."""
    reached = np.any(measurable[chosen], axis=0)
    for out in (*combinations(chosen, 1), *combinations(chosen, 2)):
        kept = [k for k in chosen if k not in out]
        need = reached & ~np.any(measurable[kept], axis=0)
        if not need.any():
            return kept
        able = np.all(measurable[:, need], axis=1)
        if len(out) == 2 and able.any():
            return [*kept, _best(able, np.sum(worth[:, need], axis=1))]
    return None


def _wider(measurable: Mask, worth: Array, chosen: list[int]) -> list[int]:
    """Each pose exchanged for the one with the largest margins at what only it measures."""
    chosen = list(chosen)
    reached = (
        np.any(measurable[chosen], axis=0) if chosen else np.zeros(measurable.shape[1], dtype=bool)
    )
    for number in range(len(chosen)):
        others = chosen[:number] + chosen[number + 1 :]
        need = reached & ~np.any(measurable[others], axis=0)
        able = np.all(measurable[:, need], axis=1)
        least = np.min(np.where(need, worth, np.inf), axis=1)
        chosen[number] = _best(able, np.minimum(least, _WIDE) + 1e-3 * np.mean(worth, axis=1))
    return chosen


def _best(able: Mask, worth: Array) -> int:
    """The pose of the largest worth among the able; the first of equals."""
    return int(np.argmax(np.where(able, worth, -np.inf)))


# ------------------------------------------------------------------------------------- Uncertainty
# Small errors of length dl = J V move the platform by V = J⁻¹ dl, so independent errors of standard
# deviation sigma give the pose the covariance sigma² (Jᵀ J)⁻¹.

_SINGULAR = 1e-12  # ratio of singular values below which a pose has no covariance


def pose_covariance(platform: Platform, T: ArrayLike, sigma: float) -> Array:
    """Covariance of the pose of a platform from errors of its legs' lengths.

    Args:
        platform: its geometry.
        T: T_hexapod_platform. # (4, 4)
        sigma: standard deviation of each leg's length, independent. [m]

    Returns:
        Of the platform frame's origin, then of the small rotation about it; axes of the hexapod's
        base. # (6, 6) [m², m rad, rad²]

    Raises:
        PlatformError: a singular pose.
    """
    pose = np.asarray(T, dtype=np.float64)
    across = leg_vectors(platform, pose)
    unit = across / np.linalg.norm(across, axis=-1, keepdims=True)
    arms = platform.platform_points @ pose[:3, :3].T
    size = float(np.max(np.linalg.norm(arms, axis=1)))
    scale = np.array([1.0, 1.0, 1.0, size, size, size])
    jacobian = np.concatenate([unit, np.cross(arms, unit) / size], axis=1)
    values = np.linalg.svd(jacobian, compute_uv=False)
    if values[-1] <= _SINGULAR * values[0]:
        raise PlatformError(
            f"Platform {platform.name!r}: the pose is singular, so the legs do not hold it and its "
            "uncertainty has no bound; choose another pose.",
            smallest=float(values[-1]),
        )
    inverse = np.linalg.inv(jacobian) / scale[:, None]
    return np.asarray(sigma**2 * (inverse @ inverse.T))


def point_sigma(covariance: Array, origin: Array, points: Array, normals: Array) -> Array:
    """Standard deviation of points along their normals, from the pose of what carries them.

    Args:
        covariance: as ``pose_covariance`` gives it. # (6, 6)
        origin: of the platform frame. Hexapod frame. # (3,) [m]
        points: Hexapod frame. # (k, 3) [m]
        normals: likewise. # (k, 3) unit

    Returns:
        # (k,) [m]
    """
    along = np.concatenate([normals, np.cross(points - origin, normals)], axis=1)
    variance = np.einsum("ki,ij,kj->k", along, covariance, along)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


# --------------------------------------------------------------------------- Moves of the presenter

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
    for one in (before, after):
        yield from (p.q_clearance for p in one.planned_points if p.reachable)
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


# ----------------------------------------------------------------------------------------- Coverage
# Measurable points for many poses of the platform at once. Joint limits, singularities and the ends
# of a line against obstacles are looked at; a plan of the poses that are chosen has the last word.

_ROWS = 4096  # points judged at a time
_NUMERICAL = 0.05  # part of the poses that are tried where the inverse is a numerical search
PLATE = "hexapod platform"
_THINNEST = 1e-3  # of what has no radius [m]
_SIDES = 8  # of the prism about a leg


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointCoverage:
    """Measurable points in poses of the platform.

    Args:
        margins: best worst margin of every point by its ways, the angle to the nearest joint limit
            or singularity; 0 where the point is not measurable. # (p, k) [rad]
        measurable: # (p, k)
    """

    margins: Array
    measurable: Mask


class Coverage:
    """Judges poses of one job's platform.

    Args:
        job: with a presenter.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.presenter = job, presenter_of(job)
        self.reach: Reach = reach_of(job)
        self.placed = place(job)
        self._room = PartClearance(job)
        self._units = joint_units(job.mechanism)
        self._back = inverse_pose(job.part.T_base_part)
        still = tuple(s for s in job.cell.solids if s.kind is not SolidKind.PART)
        watched = bool(still) and bool(job.mechanism.capsules)
        self._obstacles = Checker(self.reach.model, Cell(solids=still)) if watched else None

    @property
    def effort(self) -> float:
        """How much a search may ask of it: 1 for a closed form, little for a numerical search."""
        return 1.0 if isinstance(self.reach, ArmReach) else _NUMERICAL

    def __call__(self, poses: Array) -> PointCoverage:
        """Judge poses T_hexapod_platform. # (p, 4, 4)."""
        size = max(1, _ROWS // len(self.placed))
        parts = [self._block(poses[k : k + size]) for k in range(0, len(poses), size)]
        margins = np.concatenate([np.zeros((0, len(self.placed))), *parts])
        return PointCoverage(margins=margins, measurable=margins > 0.0)

    def _block(self, poses: Array) -> Array:
        parts = self.presenter.T_base_part(poses)
        placed = moved_points(self.placed, parts @ self._back)
        found = self._clear(possible_ways(self.reach, placed, self.job.checks.joint_margin))
        best = np.zeros(len(placed))
        if found.point.size:
            joint = np.min(found.margins.limit / self._units, axis=1)
            worth = worst_margin(joint, found.margins.singularity)
            np.maximum.at(best, found.point, worth)
        return np.where(self._room.free(parts)[:, None], best.reshape(len(poses), -1), 0.0)

    def _clear(self, found: AdmissibleLines) -> AdmissibleLines:
        """Ways that keep clear of obstacles at both ends of the line."""
        if self._obstacles is None or not found.point.size:
            return found
        ends = found.lines.joints(np.arange(found.point.size), np.ones(found.point.size))
        required, check = self.job.checks.clearance, self._obstacles.collides
        clear = ~(check(found.lines.q_starts, required) | check(ends, required))
        return found.take(np.nonzero(clear)[0])


# --- Candidates ----------------------------------------------------------------------------------
# Every pose that is returned keeps the platform's strokes, cones, clearances and singularities.

_STEPS = 256  # along each axis, in search of the end of the workspace
_WIDEST = 2.0  # times the width of the base: no workspace is wider about home
_MOST_TURN = np.pi / 2
_SAMPLED = 16  # times as many as are wanted: the box is larger than the workspace
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
_AIMS = (1.0, 0.75, 0.5, 0.25)  # parts of the largest tilt
_SHIFTS = 12  # translations tried with each tilt
_SPARE = 1e-3  # of the least margin, relative to home: a pose is not taken on the very limit


class PoseSource:
    """Draws poses of a platform.

    Args:
        platform: its geometry and limits.
        seed: of what is drawn.

    Raises:
        PlatformError: its home pose breaks one of its own limits.
    """

    def __init__(self, platform: Platform, seed: int) -> None:
        self.platform, self._seed = platform, seed
        self._limits: PoseLimits = pose_limits(platform)
        broken = violations(platform, platform.home)
        if broken:
            raise PlatformError(
                f"Platform {platform.name!r}: its home pose breaks a limit: {broken[0].sentence} "
                "Correct the home pose or the limit in the platform file.",
                platform=platform.name,
            )
        home = np.minimum(self._limits.margins(platform.home), 1.0)
        self._floor = _SPARE * np.maximum(home, 0.0)
        self._spans = self._box()

    def allowed(self, poses: Array) -> Array:
        """Those of some poses that keep every limit. # (p, 4, 4) -> (q, 4, 4)."""
        inside = np.all(self._limits.margins(poses) >= self._floor, axis=-1)
        return np.asarray(poses[inside])

    def home(self) -> Array:
        """The home pose. # (1, 4, 4)."""
        return self.platform.home[None]

    def spread(self, count: int) -> Array:
        """Poses over the workspace about home, by a Halton sequence. # (at most count, 4, 4)."""
        low, high = self._spans
        units = halton(_SAMPLED * count, 6, self._seed)
        return self.allowed(self._moved(low + units * (high - low)))[:count]

    def aimed(self, normals: Array, towards: Array) -> Array:
        """Poses tilted so that normals turn towards a direction, as far as the limits let them.

        Args:
            normals: at home, hexapod frame. # (k, 3) unit
            towards: hexapod frame. # (3,) unit
        """
        axes = np.cross(normals, towards)
        sizes = np.linalg.norm(axes, axis=1)
        low, high = self._spans
        shifts = low[:3] + halton(_SHIFTS, 3, self._seed) * (high - low)[:3]
        shifts = np.concatenate([np.zeros((1, 3)), 0.5 * shifts])
        moves: list[Array] = []
        for axis in axes[sizes > 1e-6] / sizes[sizes > 1e-6, None]:
            reach = _farthest(self._inside, np.concatenate([np.zeros(3), axis]), _MOST_TURN)
            for part in _AIMS:
                turn = np.tile(part * reach * axis, (len(shifts), 1))
                moves.append(np.concatenate([shifts, turn], axis=1))
        return self.allowed(self._moved(np.concatenate([np.zeros((0, 6)), *moves])))

    def _box(self) -> tuple[Array, Array]:
        """Least and greatest moves along and about each axis alone that keep the limits. # (6,)."""
        size = float(np.max(np.ptp(self.platform.base_points, axis=0)))
        most = np.array([_WIDEST * size] * 3 + [_MOST_TURN] * 3)
        axes = np.eye(6)
        low = [-_farthest(self._inside, -axes[k], most[k]) for k in range(6)]
        high = [_farthest(self._inside, axes[k], most[k]) for k in range(6)]
        return np.array(low), np.array(high)

    def _inside(self, moves: Array) -> Mask:
        margins = self._limits.margins(self._moved(moves))
        return np.asarray(np.all(margins >= self._floor, axis=-1))

    def _moved(self, moves: Array) -> Array:
        """Home, shifted and turned about its own origin, hexapod axes. # (m, 6) -> (m, 4, 4)."""
        home = self.platform.home
        R = rotation_exp(moves[:, 3:]) @ home[:3, :3]
        return np.asarray(make_pose(R, home[:3, 3] + moves[:, :3]))


def halton(count: int, dimensions: int, seed: int) -> Array:
    """A Halton sequence, shifted at random in the unit cube. # (count, dimensions <= 20)."""
    index = np.arange(1, count + 1)
    columns = [_radical_inverse(index, base) for base in _PRIMES[:dimensions]]
    shift = np.random.default_rng(seed).random(dimensions)
    return np.asarray((np.stack(columns, axis=1) + shift) % 1.0)


def _radical_inverse(index: Indices, base: int) -> Array:
    """Digits of whole numbers mirrored about the point. # (m,) -> (m,)."""
    left, digit, total = index.copy(), 1.0, np.zeros(index.size)
    while np.any(left):
        digit /= base
        total += digit * (left % base)
        left //= base
    return total


def _farthest(inside: Callable[[Array], Mask], direction: Array, most: float) -> float:
    """How far home may go along a move before a limit is met, to a step."""
    sizes = np.linspace(0.0, most, _STEPS + 1)
    good = inside(sizes[:, None] * direction)
    stops = np.nonzero(~good)[0]
    return float(sizes[max(stops[0] - 1, 0)] if stops.size else most)


def posed(job: Job, T_hexapod_platform: Array) -> Job:
    """The job with the platform in a pose: an ordinary job, the hexapod among its obstacles.

    Args:
        job: with a presenter.
        T_hexapod_platform: the pose. # (4, 4)
    """
    presenter = presenter_of(job)
    there = moved(job, presenter.T_base_part(T_hexapod_platform))
    solids = (*there.cell.solids, *hexapod_solids(presenter, T_hexapod_platform))
    return replace(there, cell=Cell(solids=solids), presenter=None, point_source=None)


def only(job: Job, points: Indices) -> Job:
    """The job with some of its points; lists that are visited in one order keep it.

    Args:
        job: whose points are in the part's frame.
        points: indices, rising. # (k,)
    """
    some = job.points.take(points)
    lists = (tuple(n for n in names if n in some.names) for names in job.travel.locked)
    locked = tuple(names for names in lists if len(names) > 1)
    return replace(
        job,
        points=some,
        travel=replace(job.travel, locked=locked),
        surface=examined(job.geometry, some, job.part, job.frame, job.probe),
    )


def hexapod_solids(presenter: Presenter, T_hexapod_platform: Array) -> tuple[Solid, ...]:
    """Legs and plate of the platform as obstacles, base frame of the robot.

    The plate is the hull of the platform's joints, as thick as a leg, below them; a leg is a prism
    about its capsule, without the rounded ends.
    """
    platform, T_base = presenter.platform, presenter.T_base_hexapod
    thick = 2.0 * max(*(leg.radius for leg in platform.legs), _THINNEST)
    points = platform.platform_points
    plate = np.concatenate([points, points - [0.0, 0.0, thick]])
    solids = [_solid(PLATE, transform_points(T_base @ T_hexapod_platform, plate))]
    for leg in platform.legs:
        end = transform_points(T_hexapod_platform, leg.platform[None])[0]
        ring = np.concatenate(list(_rings(leg, end)))
        solids.append(_solid(f"hexapod leg {leg.name}", transform_points(T_base, ring)))
    return tuple(solids)


def _rings(leg: Leg, end: Array) -> Iterator[Array]:
    """Corners about both ends of a leg; the prism holds the cylinder. # (sides, 3) [m]."""
    along = (end - leg.base) / np.linalg.norm(end - leg.base)
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    side /= np.linalg.norm(side)
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    radius = max(leg.radius, _THINNEST) / np.cos(np.pi / _SIDES)
    round_ = np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * np.cross(along, side)
    yield leg.base + radius * round_
    yield end + radius * round_


def _solid(name: str, points: Array) -> Solid:
    """The convex hull of points as an obstacle."""
    from scipy.spatial import ConvexHull

    from parts.geometry import TriangleMesh

    hull = ConvexHull(points)
    faces = np.array(hull.simplices, dtype=np.int64)
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.sum(normals * hull.equations[:, :3], axis=1) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    used, compact = np.unique(faces, return_inverse=True)
    mesh = TriangleMesh(vertices=points[used], faces=compact.reshape(faces.shape))
    return Solid(name=name, kind=SolidKind.OBSTACLE, mesh=mesh, closed=True)


def carried_points(job: Job) -> Array:
    """Vertices of the part's skin on the platform; its points where there is no geometry.

    Returns:
        Platform frame. # (v, 3) [m]
    """
    T = presenter_of(job).T_platform_part
    given = job.points.positions if job.geometry is None else job.geometry.mesh.vertices
    return transform_points(T, given)
