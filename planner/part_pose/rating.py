"""Rate poses of the part, many at once: points measured, worst margin, time.

Margins and line times are those of a grid along each line, branches those of the quickest visit in
a fixed order; a plan of the best few poses has the last word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from planner.clearance.checker import Checker
from planner.job import Job
from planner.job.solids import Cell, SolidKind
from planner.motion.travel import travel_times
from planner.part_pose.moved import moved_points
from planner.part_pose.pose_space import PartClearance
from planner.plan import PlacedPoints
from planner.reach.closed_form import ArmReach
from planner.reach.lines import ArmLines, Lines
from planner.reach.margins import Margins, joint_units, rough_margins
from planner.reach.placement import place
from planner.reach.reach import Reach, some_points
from planner.reach.robot import reach_of
from planner.touch.lines import LineMotions, rough_line_times
from robots.arm.inverse import ROUNDING, alternatives
from robots.core.arrays import Array, Indices
from robots.core.model import Model
from robots.core.pose import inverse_pose

_MOST, _FEW = 48, 24  # points that stand for all the others in a search; in a numerical one
_NUMERICAL = 0.12  # part of the poses that are tried where the inverse is a numerical search
_ROWS = 4096  # points judged at a time
_TIE_BREAK = 1e-7  # as in planner.order.chooser [s]
Travel = Callable[[Array, Array], Array]  # (..., n), (..., n) -> (...) [s]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """Scores of poses.

    Args:
        points: how many are measurable. # (p,)
        joint: least distance to a joint limit, that of a sliding joint over the robot's size; inf
            where no point is measurable. # (p,) [rad]
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
    """Angle to the nearest joint limit or singularity, 0 where nothing is measurable. # (p,) [rad].

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
        self.reach = reach_of(job, rough=True)
        self.limits = job.joint_limits()
        placed = place(job)
        most = _MOST if self.effort == 1.0 else _FEW
        self.placed = _spread(placed if order is None else some_points(placed, order), most)
        self._room = PartClearance(job)
        # A small arm is often in its own way; one in closed form is left as it was always rated.
        self._obstacles = _obstacles(self.reach.model, job, itself=self.effort < 1.0)
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
        placed = moved_points(self.placed, poses @ self._back)
        found = self._ways(placed)
        motions = LineMotions(found.lines, self.job.approach.law)
        cost = 2.0 * rough_line_times(motions, self.limits).duration + self._lean(
            found.lines.q_starts
        )
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
    measurable = visits.chosen >= 0
    joint = singularity = np.full(measurable.shape, np.inf)
    if margins.singularity.size:
        limit = np.min(margins.limit / units, axis=1)
        joint = np.where(measurable, limit[visits.chosen], np.inf)
        singularity = np.where(measurable, margins.singularity[visits.chosen], np.inf)
    return Scores(
        points=np.sum(measurable, axis=1).astype(np.float64),
        joint=np.min(joint, axis=1, initial=np.inf),
        singularity=np.min(singularity, axis=1, initial=np.inf),
        time=visits.time,
    )


def _obstacles(model: Model, job: Job, *, itself: bool) -> Checker | None:
    """What tells postures that meet an obstacle; the part, which moves, is left to the plans.

    Args:
        model: of the robot.
        job: with a cell.
        itself: whether the robot's own links matter where there is no obstacle.
    """
    still = tuple(solid for solid in job.cell.solids if solid.kind is not SolidKind.PART)
    matters = still or (itself and model.mechanism.self_pairs)
    return Checker(model, Cell(solids=still)) if matters and model.mechanism.capsules else None


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AdmissibleLines:
    """Lines that keep the required margins.

    Args:
        lines: geometry.
        point: index of the point of each one, rising. # (c,)
        margins: on a grid along each line.
    """

    lines: Lines
    point: Indices
    margins: Margins

    def take(self, rows: Indices) -> AdmissibleLines:
        """Some of the lines, in the order given."""
        return AdmissibleLines(
            lines=self.lines.take(rows), point=self.point[rows], margins=self.margins.take(rows)
        )


def possible_ways(reach: Reach, placed: PlacedPoints, required: float) -> AdmissibleLines:
    """Branches at points that are not approached from inside.

    Args:
        reach: of the robot.
        placed: the points.
        required: joint margin that the job asks for. [rad]
    """
    if isinstance(reach, ArmReach):
        found = _arm_ways(reach, placed, required)
    else:
        found = _all(reach, placed)
    outside = placed.approach_cosines > 0.0
    return found.take(np.nonzero(found.margins.keep(required) & outside[found.point])[0])


def _all(reach: Reach, placed: PlacedPoints) -> AdmissibleLines:
    found = reach.candidates(placed)
    return AdmissibleLines(lines=found.lines, point=found.point, margins=found.margins)


def _arm_ways(reach: ArmReach, placed: PlacedPoints, required: float) -> AdmissibleLines:
    """Lines of the families that keep their limits at the clearance point: a fifth of all."""
    inverse = reach.inverse
    start = inverse.solve(placed.clearances, placed.axes)
    end = inverse.solve(placed.line_ends, placed.axes)
    point, family = np.nonzero(start.solved & end.solved)
    ways = alternatives(inverse.model.mechanism, start.q[point, family])
    inside = np.min(ways.margin, axis=1, initial=np.inf) >= required - ROUNDING
    row = ways.row[inside]
    lines = ArmLines(
        inverse=inverse,
        starts=placed.clearances[point[row]],
        ends=placed.line_ends[point[row]],
        axes=placed.axes[point[row]],
        families=family[row],
        q_starts=ways.q[inside],
    )
    return AdmissibleLines(lines=lines, point=point[row], margins=rough_margins(lines))


# --- Quickest ------------------------------------------------------------------------------------
# The same dynamic programming as in ``planner.order.chooser``, with one more dimension.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LineCandidates:
    """Branches at the points of many visits.

    Args:
        table: candidates of each visit and point, -1 where there are no more. # (p, k, c)
        q: joints of every candidate at its clearance point. # (rows, n)
        cost: of serving a point by a candidate. # (rows,) [s]
    """

    table: Indices
    q: Array
    cost: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visits:
    """The quickest visits.

    Args:
        chosen: candidate of each point, -1 where there is none. # (p, k)
        time: of each visit, points without a candidate left out. # (p,) [s]
    """

    chosen: Indices
    time: Array


def tabled(visit: Indices, visits: int) -> Indices:
    """Indices of candidates by visit; -1 fills up. # (visits, most of one).

    Args:
        visit: of each candidate, rising. # (rows,)
        visits: how many there are.
    """
    counts = np.bincount(visit, minlength=visits)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    table = np.full((visits, max(int(np.max(counts, initial=0)), 1)), -1, dtype=np.int64)
    table[visit, np.arange(visit.size) - first[visit]] = np.arange(visit.size)
    return table


def quickest(ways: LineCandidates, travel: Travel) -> Visits:
    """Branches of least total time, points visited in their own order."""
    visits, points, width = ways.table.shape
    if not ways.cost.size:
        return Visits(chosen=np.full((visits, points), -1), time=np.zeros(visits))
    total = np.zeros((visits, width))
    reached = np.zeros((visits, width), dtype=bool)
    before = np.zeros((visits, width), dtype=np.int64)
    steps = np.tile(np.arange(width), (visits, points, 1))
    for k in range(points):
        layer = ways.table[:, k]
        here = layer >= 0
        measurable = np.any(here, axis=1)
        arrive, step = _arrivals(ways, travel, before, layer, np.where(reached, total, np.inf))
        fresh = ~np.any(reached, axis=1)
        arrive = np.where(fresh[:, None], 0.0, arrive) + np.where(here, ways.cost[layer], np.inf)
        total = np.where(measurable[:, None], arrive, total)
        before = np.where(measurable[:, None], layer, before)
        reached = np.where(measurable[:, None], here, reached)
        steps[:, k] = np.where(measurable[:, None] & ~fresh[:, None], step, steps[:, k])
    return _traced(ways.table, steps, np.where(reached, total, np.inf))


def _arrivals(
    ways: LineCandidates, travel: Travel, before: Indices, layer: Indices, total: Array
) -> tuple[Array, Indices]:
    """Least time at each candidate of a layer, and the candidate before it. # (p, c) each."""
    arrive = total[:, :, None] + travel(ways.q[before][:, :, None], ways.q[layer][:, None])
    step = np.argmin(arrive, axis=1)
    return np.take_along_axis(arrive, step[:, None], axis=1)[:, 0], step


def _traced(table: Indices, steps: Indices, total: Array) -> Visits:
    """Follow the best ends back to the first point."""
    visits, points, _ = table.shape
    rows = np.arange(visits)
    column = np.argmin(total, axis=1)
    time = total[rows, column]
    chosen = np.full((visits, points), -1, dtype=np.int64)
    for k in range(points - 1, -1, -1):
        measurable = np.any(table[:, k] >= 0, axis=1)
        chosen[:, k] = np.where(measurable, table[rows, k, column], -1)
        column = np.where(measurable, steps[rows, k, column], column)
    return Visits(chosen=chosen, time=np.where(np.isfinite(time), time, 0.0))
