"""present(job): the fewest poses of the hexapod that serve all points, each with its plan.

The search knows joint limits, singularities and obstacles at the ends of lines. What it chooses is
planned in full; what a plan refuses is taken out of the search, which then chooses again.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from planner.findings import Finding, Severity
from planner.findings.point_findings import point_file_findings
from planner.findings.subjects import Point, Travel
from planner.job import Job
from planner.part_pose.moved import check_movable, visiting_order
from planner.part_pose.written_pose import WrittenPose
from planner.plan_types import Plan
from planner.planning import plan
from planner.presenting.candidates import PoseSource
from planner.presenting.cover import assigned, cover
from planner.presenting.coverage import Coverage, presenter_of
from planner.presenting.moves import moves_between
from planner.presenting.posed import only, posed
from planner.presenting.presentation import Presentation, PresentedPose
from planner.presenting.uncertainty import point_sigma, pose_covariance
from planner.progress import Progress, silent
from robots.core.arrays import Array, Indices, Mask
from robots.core.pose import inverse_pose, transform_directions, transform_points
from robots.stewart.platform import lengths

_SPREAD = 300  # poses over the workspace
_AIMED = 6  # unserved points at which poses are aimed
_ROUNDS = 12  # times the search may choose again
_UP = np.array([0.0, 0.0, 1.0])


def present(job: Job, progress: Progress = silent) -> Presentation:
    """Choose poses of the platform so that every point is served, and plan each.

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
    """Poses, what they serve, and the plans that say so."""

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
        home_served = _served(home)
        self._correct(0, home_served)
        plans = {0: home} if home_served.all() else self._settled()
        order = self._order(tuple(plans))
        poses = tuple(self._presented(k, plans[k]) for k in order)
        moved = moves_between(self.job, poses)
        names = self.job.points.names
        findings = (
            *self._unserved(home, poses),
            *moved.findings,
            *point_file_findings(self.job),
            *_of_plans(poses),
        )
        return Presentation(
            job=self.job,
            home_served=tuple(names[k] for k in np.nonzero(home_served)[0]),
            poses=poses,
            moves=moved.moves,
            findings=findings,
            tried=len(self.poses),
            planned=self.planned,
        )

    def _aims(self, points: Indices) -> tuple[Array, Array]:
        """Normals of unserved points at home, and the way from the part to the shoulder."""
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
            for place, k in enumerate(chosen):
                points = np.nonzero(share == place)[0]
                if points.size == 0:
                    continue
                plans[k] = self._plan(k, points)
                good = _served(plans[k])
                kept &= bool(good.all())
                self.margins[k, points[~good]] = 0.0
            if kept:
                break
        self.progress("poses chosen", _ROUNDS, _ROUNDS)
        return {k: self._trimmed(k, found) for k, found in plans.items() if _served(found).any()}

    def _trimmed(self, k: int, found: Plan) -> Plan:
        """A plan without the points that it does not serve."""
        good = _served(found)
        if good.all():
            return found
        names = [found.job.points.names[i] for i in np.nonzero(good)[0]]
        return self._plan(k, np.array([self.job.points.index(name) for name in names]))

    def _plan(self, k: int, points: Indices) -> Plan:
        self.planned += 1
        return plan(only(posed(self.job, self.poses[k]), points))

    def _correct(self, k: int, served: Mask) -> None:
        """What a plan of all points says of a pose."""
        self.margins[k] = np.where(served, self.margins[k], 0.0)

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

    def _unserved(self, home: Plan, poses: tuple[PresentedPose, ...]) -> list[Finding]:
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
        message=f"served by no pose of the presenter, of {tried} that were tried{at_home}",
        hint="move or turn the hexapod or the part on it, or raise most_poses in [presenter]",
    )


def _served(found: Plan) -> Mask:
    """Points that are reached, no finding of which or of the travel to which is an error."""
    subjects = {f.subject for f in found.finding_list if f.severity is Severity.ERROR}
    bad = {subject.point for subject in subjects}
    visited = [found.job.points.names[k] for k in visiting_order(found)]
    bad |= {name for one, name in pairwise(visited) if Travel(one, name) in subjects}
    return np.array([point.reachable and point.name not in bad for point in found.planned_points])


def _of_plans(poses: tuple[PresentedPose, ...]) -> list[Finding]:
    """Findings of the plans, those about a point that another pose serves left out."""
    return [finding for pose in poses for finding in pose.plan.finding_list]


def _distinct(normals: Array, points: Indices) -> Indices:
    """Some points whose normals differ, at most as many as poses are aimed at."""
    chosen: list[int] = []
    for k in points.tolist():
        if all(normals[k] @ normals[other] < 0.95 for other in chosen):
            chosen.append(k)
    return np.array(chosen[:_AIMED], dtype=np.int64)
