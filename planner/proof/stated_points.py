"""What a plan says of its points, against the motion that it plans.

A posture that brings the ball to the right place may still be another one than the motion takes
there: another branch, or a whole turn more. So the joints stated are compared with those of the
motion, the branch with the signs of these joints and with the name that the inverse gives them, the
margin with the joints all along the line.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from planner.plan import Plan, PlannedPoint, Segment, SegmentKind
from planner.proof.chebyshev import COUNT, basis, coefficients, derivative, row_values
from planner.proof.check import Check, check
from planner.proof.evidence import CheckGroup, Evidence, Passage
from planner.proof.resolved_motion import SmoothPieces
from robots.arm.errors import ArmFamilyError
from robots.arm.family import ArmFamily, arm_family
from robots.core.arrays import Array, Indices, Mask
from robots.core.chain_inverse.names import BranchNames
from robots.core.errors import InverseError
from robots.core.mechanism import Mechanism

if TYPE_CHECKING:
    from planner.motion.trajectory import Trajectory

POSTURE = 1e-9  # [rad or m]
MARGIN = 1e-7  # [rad or m]
KEPT = 1e-9  # [rad]
_GRID = 128
_PLACES: Array = np.cos(np.pi * np.arange(_GRID, -1, -1) / _GRID)
_TO_GRID: Array = np.matmul(basis(_PLACES), coefficients(np.eye(COUNT)[None])[0])
_BISECTIONS, _NEWTON = 8, 6
_LAST = 1.0 - 1e-9  # of a segment: what ends there is its last piece
_ONWARD = 1.2  # a polynomial on [-1, 1] is believed so far; its noise grows a million times
_EVEN = 1e-9  # of a sine or a reach: a sign that rounding decides is either


class StatedPoints(CheckGroup):
    """Visits, postures, branches, margins and clearances of the points.

    Args:
        evidence: the plan and forward geometry.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._plan, self._model = evidence.plan, evidence.model
        segments = self._plan.timeline
        self._point = np.array([s.point_index for s in segments], dtype=np.int64)
        self._lines = np.array([s.kind in _ON_LINE for s in segments], dtype=bool)
        shape = (len(self._plan.planned_points), evidence.model.dof)
        self._low, self._high = np.full(shape, np.inf), np.full(shape, -np.inf)
        self._whole = np.zeros(len(self._plan.planned_points), dtype=bool)  # to its very end
        self._rate = np.zeros(shape)  # of joints where the ball searches [rad/m or 1]

    def on_segments(self, passage: Passage) -> None:
        """Least and greatest joint values of the probing lines."""
        self._take(passage, self._lines, self._point)

    def on_misses(self, passage: Passage, points: Indices) -> None:
        """The same of searches that find nothing. Args: their point by segment. # (m,)."""
        self._take(passage, np.ones(points.size, dtype=bool), points)
        if self._plan.miss is None:
            return
        motion = passage.motion
        timeline, pieces = self._plan.miss.timeline, motion.pieces
        searching = np.array([s.kind is SegmentKind.SEARCH for s in timeline])
        own = np.flatnonzero(searching[pieces.segment])
        point = points[pieces.segment[own]]
        speeds = self._plan.placed.touch_speeds[point]
        fastest = np.max(np.abs(motion.qd[own]), axis=1, initial=0.0) / speeds[:, None]
        np.maximum.at(self._rate, point, fastest)
        self._extend(motion.q[own], pieces.take(own), point)

    def _extend(self, q: Array, pieces: SmoothPieces, point: Indices) -> None:
        """Joints at the ends of lines, which no motion comes to: searches, gone on with.

        Args:
            q: of pieces of searches, at their nodes. # (p, K, n)
            pieces: of the same.
            point: of each. # (p,)
        """
        placed, timeline = self._plan.placed, self._plan.miss.timeline if self._plan.miss else ()
        seconds = np.array([segment.duration for segment in timeline])[pieces.segment]
        rest = placed.depths[point] - placed.search_after[point]
        x = 1.0 + 2.0 * rest / (placed.touch_speeds[point] * pieces.length)
        last = np.flatnonzero((pieces.offset + pieces.length >= _LAST * seconds) & (x <= _ONWARD))
        ends = np.einsum("pk,pkn->pn", basis(x[last]), coefficients(q[last]))
        np.minimum.at(self._low, point[last], ends)
        np.maximum.at(self._high, point[last], ends)
        self._whole[point[last]] = True

    def _take(self, passage: Passage, lines: Mask, point: Indices) -> None:
        motion = passage.motion
        if len(motion.pieces) == 0:
            return
        own = np.flatnonzero(lines[motion.pieces.segment])
        points = point[motion.pieces.segment[own]]
        low, high = _extremes(motion.q[own])
        np.minimum.at(self._low, points, low)
        np.maximum.at(self._high, points, high)

    def checks(self) -> list[Check]:
        """Of everything that is stated of points."""
        plan = self._plan
        wrong = _wrong_visits(plan)
        visits = check("visits", float(wrong), 0.0, "1", _VISITS)
        if wrong:  # postures of visits that do not fit together cannot be told apart
            return [visits]
        turning = all(joint.kind.angular for joint in plan.job.mechanism.movable)
        unit = "rad" if turning else "rad or m"
        return [
            visits,
            check("point postures", self._postures(), POSTURE, unit, _POSTURES),
            check("branches", float(_wrong_branches(plan)), 0.0, "1", _BRANCHES),
            check("joint margins", self._margins(), MARGIN, unit, _MARGINS),
            check("joint margin kept", self._not_kept(), KEPT, "rad", _KEPT),
            check("point clearances", _clearances(plan), 0.0, "m", _CLEARANCES),
        ]

    def _postures(self) -> Array:
        """Joints stated along the line, less those of the motion. [rad or m]."""
        plan, found = self._plan, [np.zeros(0)]
        for timeline, trajectory, stated in self._stated():
            for (kind, end), names in stated.items():
                own = [s for s in timeline if s.kind is kind]
                if not own:
                    continue
                t = np.array([getattr(s, end) for s in own])
                q = trajectory.state(t, "right" if end == "start" else "left").q
                points = [plan.planned_points[s.point_index] for s in own]
                found += [
                    (q - np.array([getattr(one, name) for one in points])).ravel() for name in names
                ]
        return np.concatenate(found)

    def _stated(
        self,
    ) -> list[
        tuple[tuple[Segment, ...], Trajectory, dict[tuple[SegmentKind, str], tuple[str, ...]]]
    ]:
        """Where the joints stated are: at an end of the segments of a kind."""
        plan = self._plan
        stated: dict[tuple[SegmentKind, str], tuple[str, ...]] = {
            (SegmentKind.PROBE, "start"): ("q_clearance",)
        }
        if plan.miss is None:  # without a search all of its places are the contact
            at_rest = ("q_contact", "q_search_start", "q_search_end", "q_back_off")
            stated[SegmentKind.PROBE, "end"] = at_rest
            return [(plan.timeline, plan.trajectory, stated)]
        stated |= {
            (SegmentKind.SEARCH, "start"): ("q_search_start",),
            (SegmentKind.SEARCH, "end"): ("q_contact",),
            (SegmentKind.BACK_OFF, "end"): ("q_back_off",),
        }
        missed: dict[tuple[SegmentKind, str], tuple[str, ...]] = {
            (SegmentKind.SEARCH, "start"): ("q_search_start",),
            (SegmentKind.SEARCH, "end"): ("q_search_end",),
        }
        return [
            (plan.timeline, plan.trajectory, stated),
            (plan.miss.timeline, plan.miss.trajectory, missed),
        ]

    def _margins(self) -> Array:
        """Margins stated, less those along the line. # (...) [rad or m]."""
        mechanism = self._plan.job.mechanism
        names = [joint.name for joint in mechanism.movable]
        turning = np.array([joint.kind.angular for joint in mechanism.movable])
        found = [np.zeros(1)]
        for k, point in self._moving():
            margins = self._along(k)
            stated = point.joint_margin
            j = names.index(point.margin_joint) if point.margin_joint in names else -1
            if j < 0 or np.isnan(stated):
                found.append(np.array([np.nan]))
                continue
            # Another joint may have less only in another unit.
            others = margins[turning == turning[j]]
            least = float(np.min(others))
            off = np.array([_less(stated, margins[j]), _less(stated, least)])
            # No motion comes to the very end of a line with a search: there it may be less.
            unseen = self._unseen(k, j)
            found.append(np.where(off < 0.0, np.minimum(off + unseen, 0.0), off))
        return np.concatenate(found)

    def _unseen(self, k: int, joint: int) -> float:
        """What a joint may still move at the end of a line that no motion comes to. [rad or m].

        Between the miss and the line's end lies less than the stop; the joint's largest rate in the
        search is taken four times.
        """
        if self._plan.miss is None or self._whole[k]:
            return 0.0
        placed = self._plan.placed
        rest = float(placed.depths[k] - placed.search_after[k])
        return 4.0 * float(self._rate[k, joint]) * rest

    def _not_kept(self) -> Array:
        """What joints that turn lack of the job's margin, of a plan called feasible. [rad]."""
        plan = self._plan
        if not plan.feasible:
            return np.zeros(0)
        turning = np.array([joint.kind.angular for joint in plan.job.mechanism.movable])
        lacking = [
            plan.job.checks.joint_margin - self._along(k)[turning] for k, _ in self._moving()
        ]
        return np.asarray(np.maximum(np.concatenate([np.zeros(1), *lacking]), 0.0))

    def _along(self, k: int) -> Array:
        """Distance of every joint from its limits along a point's line. # (n,)."""
        mechanism = self._plan.job.mechanism
        below, above = self._low[k] - mechanism.q_min, mechanism.q_max - self._high[k]
        return np.asarray(np.minimum(below, above))

    def _moving(self) -> list[tuple[int, PlannedPoint]]:
        """Points whose line was looked at."""
        seen = np.isfinite(self._low).all(axis=1)
        return [(k, point) for k, point in enumerate(self._plan.planned_points) if seen[k]]


def _less(stated: float, found: float) -> float:
    """A difference; of two infinite margins none."""
    return 0.0 if stated == found else stated - found


def _extremes(q: Array) -> tuple[Array, Array]:
    """Least and greatest values of polynomials known at the nodes. # (P, K, n) -> (P, n) each."""
    grid = np.einsum("gk,pkn->pgn", _TO_GRID, q)
    c = coefficients(q)
    return -_highest(-c, -grid), _highest(c, grid)


def _highest(c: Array, grid: Array) -> Array:
    """Top of each polynomial, by Newton's method from its highest place on the grid. # (P, n)."""
    pieces, _, n = c.shape
    at = np.argmax(grid, axis=1).ravel()
    rows = np.swapaxes(c, 1, 2).reshape(-1, COUNT)
    slopes = derivative(rows[:, :, None])
    bends = derivative(slopes)[:, :, 0]
    slopes = slopes[:, :, 0]
    low, high = _PLACES[np.maximum(at - 1, 0)], _PLACES[np.minimum(at + 1, _GRID)]
    x = _PLACES[at]
    for _ in range(_NEWTON):
        slope, bend = row_values(slopes, x[:, None])[:, 0], row_values(bends, x[:, None])[:, 0]
        step = np.where(bend < 0.0, slope / np.where(bend < 0.0, bend, -1.0), 0.0)
        x = np.clip(x - step, low, high)
    top = row_values(rows, x[:, None])[:, 0].reshape(pieces, n)
    return np.asarray(np.maximum(top, np.max(grid, axis=1)))


def _wrong_visits(plan: Plan) -> int:
    """Points, visits and segments that do not fit together."""
    names = [point.name for point in plan.planned_points]
    wrong = sum(s.point != names[s.point_index] for s in plan.timeline)
    runs = [(k, list(own)) for k, own in groupby(plan.timeline, key=lambda s: s.point_index)]
    visited = [k for k, _ in runs]
    reached = [k for k, point in enumerate(plan.planned_points) if point.reachable]
    wrong += len(visited) - len(set(visited)) + len(set(visited) ^ set(reached))
    searching = plan.job.touch.searching
    for number, (_, own) in enumerate(runs):
        kinds = [s.kind for s in own]
        whole = [*([SegmentKind.TRAVEL] if number > 0 else []), *_CYCLE[searching]]
        if SegmentKind.DWELL in kinds:  # for a reading: where the ball has stopped, nowhere else
            stopped = SegmentKind.STOP if searching else SegmentKind.PROBE
            whole.insert(whole.index(stopped) + 1, SegmentKind.DWELL)
        wrong += kinds != whole
    wrong += (plan.miss is not None) != (searching and bool(runs))
    if plan.miss is not None:
        missed = groupby(plan.miss.timeline, key=lambda s: s.point_index)
        kinds_of = [(k, [s.kind for s in own]) for k, own in missed]
        wrong += [k for k, _ in kinds_of] != visited
        wrong += sum(kinds != _MISS for _, kinds in kinds_of)
    if plan.feasible:
        wrong += len(plan.planned_points) - len(reached)
    return int(wrong)


def _wrong_branches(plan: Plan) -> int:
    """Reached points whose branch is not that of the posture they state."""
    mechanism = plan.job.mechanism
    reached = [point for point in plan.planned_points if point.reachable]
    try:
        family = arm_family(mechanism)
    except ArmFamilyError:
        return sum(not _named_by_joints(mechanism, point) for point in reached) + _wrong_names(
            mechanism, reached
        )
    return sum(
        not _in_family(family, point) or point.inverse_branch != point.branch for point in reached
    )


def _named_by_joints(mechanism: Mechanism, point: PlannedPoint) -> bool:
    return point.branch == _signs(mechanism, point.q_clearance)


def _wrong_names(mechanism: Mechanism, reached: list[PlannedPoint]) -> int:
    """Points whose posture the inverse names otherwise than they state."""
    stated = [point for point in reached if point.inverse_branch]
    try:
        names = BranchNames(mechanism, "numpy") if stated else None
    except InverseError:
        names = None
    if names is None:
        return len(stated)
    return sum(point.inverse_branch != names.of(point.q_clearance) for point in stated)


def _signs(mechanism: Mechanism, q: Array) -> str:
    """Which half turn each turning joint is in, as branches without closed form are named."""
    signs = " ".join(
        f"{joint.name}{'+' if np.floor(value / np.pi) % 2 == 0 else '-'}"
        for joint, value in zip(mechanism.movable, q.tolist(), strict=True)
        if joint.kind.angular
    )
    return signs or "only posture"  # of axes that slide


def _in_family(family: ArmFamily, point: PlannedPoint) -> bool:
    """Whether a posture of a measuring arm has the signs of its branch's name."""
    theta = point.q_clearance + family.offsets
    values = {
        "shoulder": float(family.radius(theta)) / family.reach,
        "elbow": float(np.cos(theta[2])),
        "wrist": float(family.wrist_sine(theta)),
    }
    allowed = [""]
    for name, value in values.items():
        signs = "+-" if abs(value) <= _EVEN else "+" if value > 0.0 else "-"
        allowed = [f"{before} {name}{sign}" for before in allowed for sign in signs]
    return point.branch in {name.strip() for name in allowed}


def _clearances(plan: Plan) -> Array:
    """Points' clearances, less those of their lines; NaN where one of the two is not stated."""
    found = [np.zeros(0)]
    for segment in plan.timeline:
        if segment.kind is SegmentKind.PROBE:
            stated = plan.planned_points[segment.point_index].min_clearance
            line = None if segment.clearance is None else segment.clearance.certified
            if stated is None and line is None:
                continue
            both = [np.nan if one is None else one for one in (stated, line)]
            found.append(np.array([_less(both[0], both[1])]))
    return np.concatenate(found)


_ON_LINE = tuple(kind for kind in SegmentKind if kind is not SegmentKind.TRAVEL)
_CYCLE = {
    False: [SegmentKind.PROBE, SegmentKind.RETRACT],
    True: [
        SegmentKind.PROBE,
        SegmentKind.SEARCH,
        SegmentKind.STOP,
        SegmentKind.BACK_OFF,
        SegmentKind.RETRACT,
    ],
}
_MISS = [SegmentKind.SEARCH, SegmentKind.STOP, SegmentKind.RETRACT]
_VISITS = (
    "points that are reached and not visited, or visited and not reached; visits twice, without a "
    "motion of the cycle, its miss or travel before it, or with a rest elsewhere than where the "
    "ball has stopped; segments of another point than their name says; points that a plan called "
    "feasible does not reach"
)
_POSTURES = (
    "joints stated at clearance point, contact and the ends of search and back-off of every "
    "reached point, against those of the motion where the ball is there"
)
_BRANCHES = "reached points whose branch is another than their joints and the inverse say"
_MARGINS = (
    "least distance to a joint limit stated of every point, against the joints all along its line"
)
_KEPT = "margin of the job less that of every turning joint along the lines, of a feasible plan"
_CLEARANCES = "clearance stated of every point, against that of its probing line"
