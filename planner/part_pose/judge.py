"""What poses of the part are worth, many at once: points served, worst margin, time.

Margins and line times are those of a grid along each line, branches those of the quickest visit in
a fixed order; a plan of the best few poses has the last word.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from planner.clearance.checker import Checker
from planner.job import Job
from planner.job.solids import Cell, SolidKind
from planner.motion.probing_lines import LineMotions, rough_line_times
from planner.motion.travel import travel_times
from planner.part_pose.moved import moved_points
from planner.part_pose.quickest import LineCandidates, Visits, quickest, tabled
from planner.part_pose.room import PartClearance
from planner.part_pose.ways import AdmissibleLines, possible_ways
from planner.plan_types import PlacedPoints
from planner.reach.arm_reach import ArmReach
from planner.reach.margins import Margins, joint_units
from planner.reach.placement import place
from planner.reach.reach import some_points
from planner.reach.robot import reach_of
from robots.core.arrays import Array, Indices
from robots.core.model import Model
from robots.core.pose import inverse_pose

_MOST = 48  # points that stand for all the others in a search
_NUMERICAL = 0.03  # part of the poses that are tried where the inverse is a numerical search
_ROWS = 4096  # points judged at a time
_TIE_BREAK = 1e-7  # as in planner.order.chooser [s]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """What poses are worth.

    Args:
        points: how many are served. # (p,)
        joint: least distance to a joint limit, that of a sliding joint over the robot's size; inf
            where no point is served. # (p,) [rad]
        singularity: least distance from a singularity, 0 to 1. # (p,)
        time: of lines, retracts and travel. # (p,) [s]
    """

    points: Array
    joint: Array
    singularity: Array
    time: Array

    @property
    def margin(self) -> Array:
        """Worst margin: see ``worst_margin``. # (p,) [rad]."""
        return worst_margin(self.joint, self.singularity)

    def take(self, rows: Indices) -> Scores:
        """Scores of some of the poses, in the order given."""
        return Scores(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})

    @staticmethod
    def joined(parts: list[Scores]) -> Scores:
        """Scores of all poses, one list after another."""
        return Scores(
            **{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Scores)}
        )


def worst_margin(joint: Array, singularity: Array) -> Array:
    """Angle to the nearest joint limit or singularity, 0 where no point is served. # (p,) [rad].

    The margins of elbow and wrist are the sine of an angle that vanishes at the singularity, that
    of the shoulder vanishes at a like rate: the arcsine makes an angle of all three.
    """
    angle = np.arcsin(np.clip(singularity, 0.0, 1.0))
    return np.where(np.isfinite(joint), np.minimum(joint, angle), 0.0)


class PoseRating:
    """Judges poses of one job's part.

    Args:
        job: with points in the part's frame.
        order: every point once, in the order in which they are visited. # (points,)
    """

    def __init__(self, job: Job, order: Indices | None = None) -> None:
        self.job = job
        self.reach = reach_of(job)
        self.limits = job.joint_limits()
        placed = place(job)
        self.placed = _spread(placed if order is None else some_points(placed, order), _MOST)
        self._room = PartClearance(job)
        self._obstacles = _obstacles(self.reach.model, job)
        self._units = joint_units(job.mechanism)
        self._back = inverse_pose(job.part.T_base_part)

    @property
    def points(self) -> int:
        """How many points are judged."""
        return len(self.placed)

    @property
    def effort(self) -> float:
        """How much a search may ask of it: 1 for a closed form, little for a numerical search."""
        return 1.0 if isinstance(self.reach, ArmReach) else _NUMERICAL

    def __call__(self, poses: Array) -> Scores:
        """Judge poses. # (p, 4, 4)."""
        size = max(1, _ROWS // self.points)
        parts = [self._block(poses[k : k + size]) for k in range(0, max(len(poses), 1), size)]
        return Scores.joined(parts)

    def _block(self, poses: Array) -> Scores:
        placed = moved_points(self.placed, self.job, poses @ self._back)
        found = self._ways(placed)
        motions = LineMotions(found.lines, self.job.approach.law)
        cost = 2.0 * rough_line_times(motions, self.limits) + self._lean(found.lines.q_starts)
        table = tabled(found.point, len(placed)).reshape(len(poses), self.points, -1)
        visits = quickest(
            LineCandidates(table=table, q=found.lines.q_starts, cost=cost), self._travel
        )
        scores = _scores(visits, found.margins, self._units)
        return replace(scores, points=np.where(self._room.free(poses), scores.points, 0.0))

    def _ways(self, placed: PlacedPoints) -> AdmissibleLines:
        """Ways that keep their limits and, at both ends of the line, clear of obstacles."""
        found = possible_ways(self.reach, placed, self.job.checks.joint_margin)
        if self._obstacles is None or not found.point.size:
            return found
        ends = found.lines.joints(np.arange(found.point.size), np.ones(found.point.size))
        required, check = self.job.checks.clearance, self._obstacles.collides
        clear = ~(check(found.lines.q_starts, required) | check(ends, required))
        return found.take(np.nonzero(clear)[0])

    def _lean(self, q: Array) -> Array:
        """Decides between equals as a plan does: for postures near mid range. # (c,) [s]."""
        mechanism = self.job.mechanism
        low, high = mechanism.q_min, mechanism.q_max
        bounded = np.isfinite(low) & np.isfinite(high) & (high > low)
        middle = np.where(bounded, (low + high) / 2.0, 0.0)
        half = np.where(bounded, (high - low) / 2.0, np.inf)
        return np.asarray(_TIE_BREAK * np.mean(np.abs(q - middle) / half, axis=1))

    def _travel(self, starts: Array, ends: Array) -> Array:
        return travel_times(starts, ends, self.limits, self.job.travel.law)


def _scores(visits: Visits, margins: Margins, units: Array) -> Scores:
    served = visits.chosen >= 0
    joint = singularity = np.full(served.shape, np.inf)
    if margins.singularity.size:
        limit = np.min(margins.limit / units, axis=1)
        joint = np.where(served, limit[visits.chosen], np.inf)
        singularity = np.where(served, margins.singularity[visits.chosen], np.inf)
    return Scores(
        points=np.sum(served, axis=1).astype(np.float64),
        joint=np.min(joint, axis=1, initial=np.inf),
        singularity=np.min(singularity, axis=1, initial=np.inf),
        time=visits.time,
    )


def _obstacles(model: Model, job: Job) -> Checker | None:
    """What tells postures that meet an obstacle; the part, which moves, is left to the plans."""
    still = tuple(solid for solid in job.cell.solids if solid.kind is not SolidKind.PART)
    return Checker(model, Cell(solids=still)) if still and model.mechanism.capsules else None


def _spread(placed: PlacedPoints, most: int) -> PlacedPoints:
    """At most so many points, each as far as possible from those before, in their order."""
    if len(placed) <= most:
        return placed
    size = max(float(np.max(np.ptp(placed.contacts, axis=0))), 1e-9)
    places = np.concatenate([placed.contacts / size, 0.5 * placed.normals], axis=1)
    chosen = [int(np.argmax(np.linalg.norm(places - places.mean(axis=0), axis=1)))]
    distance = np.linalg.norm(places - places[chosen[0]], axis=1)
    while len(chosen) < most:
        chosen.append(int(np.argmax(distance)))
        distance = np.minimum(distance, np.linalg.norm(places - places[chosen[-1]], axis=1))
    return some_points(placed, np.sort(np.array(chosen)))
