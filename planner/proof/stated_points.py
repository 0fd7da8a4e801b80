"""What a plan says of its points, against the motion that it plans.

A posture that brings the ball to the right place may still be another one than the motion takes
there: another branch, or a whole turn more. So the joints stated are compared with those of the
motion, the branch with the signs of these joints and with the name that the inverse gives them, the
margin with the joints all along the line.
"""

from __future__ import annotations

from itertools import combinations, groupby
from typing import TYPE_CHECKING

import numpy as np

from planner.plan import Plan, PlannedPoint, Segment, SegmentKind
from planner.proof.chebyshev import COUNT, NODES, basis, coefficients, derivative, row_values
from planner.proof.check import Check, check
from planner.proof.evidence import CheckGroup, Evidence, Passage
from planner.proof.line_rests import ON_LINE, moving_joints
from robots.arm.errors import ArmFamilyError
from robots.arm.family import ArmFamily, arm_family
from robots.arm.inverse import task_jacobian
from robots.core.arrays import Array, Indices, Mask
from robots.core.errors import InverseError
from robots.core.inverse.task import column_scale, scale_length
from robots.core.mechanism import Mechanism
from robots.core.model import Model

if TYPE_CHECKING:
    from planner.motion.trajectory import Trajectory

POSTURE = 1e-9  # [rad or m]
MARGIN = 1e-7  # [rad or m]
KEPT = 1e-9  # [rad]
SINGULARITY = 1e-7
_GRID = 128
_PLACES: Array = np.cos(np.pi * np.arange(_GRID, -1, -1) / _GRID)
_TO_GRID: Array = np.matmul(basis(_PLACES), coefficients(np.eye(COUNT)[None])[0])
_BISECTIONS, _NEWTON = 8, 6
_TASK = 5  # joints that bring a ball to a place along a direction
_DEEPEST = 12  # halvings of a piece
_TAIL, _RESOLVED = 3, 1e-8  # last coefficients of a measure that is resolved
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
        self._lines = np.array([s.kind in ON_LINE for s in segments], dtype=bool)
        shape = (len(self._plan.planned_points), evidence.model.dof)
        self._low, self._high = np.full(shape, np.inf), np.full(shape, -np.inf)
        self._singularities = _Singularities(self._plan, evidence.model)
        self._regular = np.full((shape[0], self._singularities.joints.size), np.inf)
        self._widen(evidence.rests.point, evidence.rests.q)
        self._near(evidence.rests.point, evidence.rests.q)

    def on_segments(self, passage: Passage) -> None:
        """Least and greatest joint values of the probing lines."""
        self._take(passage, self._lines, self._point)
        if self._plan.miss is None:
            self._retract(passage, self._plan.timeline, self._point)

    def on_misses(self, passage: Passage, points: Indices) -> None:
        """The same of searches that find nothing. Args: their point by segment. # (m,)."""
        self._take(passage, np.ones(points.size, dtype=bool), points)
        if self._plan.miss is not None:
            self._retract(passage, self._plan.miss.timeline, points)

    def _retract(self, passage: Passage, timeline: tuple[Segment, ...], points: Indices) -> None:
        """Distance from singularities along lines: a retract runs the whole of its line."""
        motion = passage.motion
        retracts = np.array([s.kind is SegmentKind.RETRACT for s in timeline], dtype=bool)
        own = np.flatnonzero(retracts[motion.pieces.segment])
        self._near(points[motion.pieces.segment[own]], motion.q[own])

    def _near(self, points: Indices, q: Array) -> None:
        np.minimum.at(self._regular, points, self._singularities.least(q))

    def _take(self, passage: Passage, lines: Mask, point: Indices) -> None:
        motion = passage.motion
        if len(motion.pieces) == 0:
            return
        own = np.flatnonzero(lines[motion.pieces.segment])
        self._widen(point[motion.pieces.segment[own]], motion.q[own])

    def _widen(self, points: Indices, q: Array) -> None:
        """Take in polynomials of joints on the lines of points. # (P,), (P, K, n)."""
        low, high = _extremes(q)
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
            check("singularity margins", self._singular(), SINGULARITY, "1", _SINGULAR),
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
        joints = self._plan.job.mechanism.movable
        numbers = {joint.name: j for j, joint in enumerate(joints)}
        turning = np.array([joint.kind.angular for joint in joints])
        points = [point for _, point in self._moving()]
        stated = np.array([point.joint_margin for point in points])
        own = np.array([numbers.get(point.margin_joint, -1) for point in points], dtype=np.int64)
        # Another joint may have less only in another unit.
        along = self._along()
        alike = turning == turning[own][:, None]
        least = np.min(np.where(alike, along, np.inf), axis=1, initial=np.inf)
        found = [_less(stated, along[np.arange(len(own)), own]), _less(stated, least)]
        return np.where(own < 0, np.nan, found)

    def _not_kept(self) -> Array:
        """What joints that turn lack of the job's margin, of a plan called feasible. [rad]."""
        plan = self._plan
        if not plan.feasible:
            return np.zeros(0)
        turning = [joint.kind.angular for joint in plan.job.mechanism.movable]
        return np.maximum(plan.job.checks.joint_margin - self._along()[:, turning], 0.0)

    def _singular(self) -> Array:
        """Distances from a singularity stated, less those along the lines. # (p,)."""
        seen = self._moving()
        stated = np.array([point.singularity_margin for _, point in seen])
        along = self._regular[[k for k, _ in seen]]
        # Five joints hold the stylus only where no six hold the turn about it, too.
        six = self._singularities.joints > _TASK
        six &= np.max(along, axis=0, initial=0.0) > _EVEN
        along = along[:, six] if np.any(six) else along
        return np.asarray(np.min(np.abs(stated[:, None] - along), axis=1))

    def _along(self) -> Array:
        """Distances of every joint from its limits along the lines of points. # (p, n)."""
        mechanism = self._plan.job.mechanism
        rows = [k for k, _ in self._moving()]
        below, above = self._low[rows] - mechanism.q_min, mechanism.q_max - self._high[rows]
        return np.asarray(np.minimum(below, above))

    def _moving(self) -> list[tuple[int, PlannedPoint]]:
        """Points whose line was looked at; NaN, which fails, where one cannot be followed."""
        seen = (self._low != np.inf).all(axis=1)
        return [(k, point) for k, point in enumerate(self._plan.planned_points) if seen[k]]


def _less(stated: Array, found: Array) -> Array:
    """Differences; of two infinite values none. # (m,) each."""
    with np.errstate(invalid="ignore"):
        return np.where(stated == found, 0.0, stated - found)


def _extremes(q: Array) -> tuple[Array, Array]:
    """Least and greatest values of polynomials known at the nodes. # (P, K, n) -> (P, n) each."""
    grid = np.matmul(_TO_GRID, q)
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


# ----------------------------------------------------------------------------------- Singularities


class _Singularities:
    """How far postures are from singularities, 0 to 1, as points state it.

    Of a measuring arm the least of its own measures, or of a bent stylus its determinant over the
    two larger ones; else that of the square system of the joints
    that hold the tool, by the norms of its matrix and of the inverse, in units of the robot. Which
    joints of more than are needed the planner locks is seen by what no line moves; where that
    leaves a choice, each is measured.

    Args:
        plan: for the joints that its lines move.
        model: of the robot.

    Attributes:
        joints: of each system that is measured. # (choices,)
    """

    def __init__(self, plan: Plan, model: Model) -> None:
        mechanism, n = model.mechanism, model.dof
        self._model, self._family = model, None
        self._columns: list[list[int]] = []
        self._length = scale_length(mechanism)
        self._units = column_scale(mechanism, self._length)
        try:
            self._family = arm_family(mechanism)
        except ArmFamilyError:
            moving = set(np.flatnonzero(moving_joints(plan)).tolist())
            self._columns = [
                list(own)
                for rows in (6, 5)
                for own in combinations(range(n), rows)
                if moving <= set(own)
            ]
        by_joints = self._family is None and n >= _TASK and self._columns
        self.joints = np.array([len(own) for own in self._columns] if by_joints else [n])

    def least(self, q: Array) -> Array:
        """Least distance along polynomials of joints. # (P, K, n) -> (P, choices)."""
        found = np.full((len(q), self.joints.size), np.inf)
        c, row = coefficients(q), np.arange(len(q))
        low, high = -np.ones(len(q)), np.ones(len(q))
        depth = 0
        while row.size:
            x = low[:, None] + 0.5 * (high - low)[:, None] * (NODES + 1.0)
            places = np.einsum("pxk,pkn->pxn", basis(x), c[row])
            values = self._measures(places.reshape(-1, q.shape[2]))
            columns = values.reshape(len(row), COUNT, values[0].size)
            rough = np.max(np.abs(coefficients(columns)[:, -_TAIL:]), axis=(1, 2)) > _RESOLVED
            if depth == _DEEPEST:
                columns[rough], rough = np.nan, np.zeros_like(rough)
            bottom, top = _extremes(columns[~rough])
            size = np.minimum(np.abs(bottom), np.abs(top))
            size = np.where((bottom < 0.0) & (top > 0.0), 0.0, size)
            size = np.min(size.reshape(len(size), *values.shape[1:]), axis=2)
            if self._family is not None and not self._family.closed_form:
                size = np.tan(np.arcsin(np.minimum(size, np.sqrt(0.5))))
            np.minimum.at(found, row[~rough], size)
            middle = 0.5 * (low + high)[rough]
            low, high = np.append(low[rough], middle), np.append(middle, high[rough])
            row, depth = np.tile(row[rough], 2), depth + 1
        return found

    def _measures(self, q: Array) -> Array:
        """Signed: a measure changes its sign at a singularity. # (m, n) -> (m, choices, ...)."""
        family = self._family
        if family is not None:
            theta = q + family.offsets
            shoulder, elbow = family.radius(theta) / family.reach, np.cos(theta[:, 2])
            wrist = family.wrist_sine(theta)
            if family.closed_form:
                return np.stack([shoulder, elbow, wrist], axis=1)[:, None]
            size = family.upper_arm * family.forearm * family.reach
            tool = np.linalg.det(task_jacobian(self._model, q)) / size
            pairs = np.stack([shoulder * elbow, elbow * wrist, wrist * shoulder], axis=1)
            # What the determinant has beside two of the three, as a sine: without a pole.
            return np.asarray((tool[:, None] / np.hypot(tool[:, None], pairs))[:, None])
        J = self._model.jacobian(q) * self._units
        if len(self._units) < _TASK:  # three axes that slide
            values = np.linalg.svd(J[:, :3], compute_uv=False)
            return np.asarray((values[:, -1] / values[:, 0])[:, None, None])
        R = self._model.forward(q)[:, :3, :3]
        J = np.concatenate([J[:, :3] / self._length, np.swapaxes(R, 1, 2) @ J[:, 3:]], axis=1)
        if not self._columns:  # more joints move than hold a tool: no line is what it should be
            return np.full((len(q), 1, 1), np.nan)
        conditions = [_conditions(J[:, : len(own), own]) for own in self._columns]
        return np.stack(conditions, axis=1)[..., None]


def _conditions(A: Array) -> Array:
    """Rows over the norms of square matrices and their inverses, by the determinants' signs."""
    sign = np.sign(np.linalg.det(A))
    inverse = np.linalg.inv(np.where((sign == 0.0)[:, None, None], np.eye(A.shape[1]), A))
    return np.asarray(
        sign * A.shape[1] / np.linalg.norm(A, axis=(1, 2)) / np.linalg.norm(inverse, axis=(1, 2))
    )


# ------------------------------------------------------------------ Visits, branches and clearances


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
    from robots.core.chain_inverse.names import BranchNames

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
    found: list[tuple[float | None, float | None]] = []
    for segment in plan.timeline:
        if segment.kind is SegmentKind.PROBE:
            stated = plan.planned_points[segment.point_index].min_clearance
            line = None if segment.clearance is None else segment.clearance.certified
            if stated is not None or line is not None:
                found.append((stated, line))
    points, lines = np.array(found, dtype=np.float64).reshape(-1, 2).T  # None is NaN
    return _less(points, lines)


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
    "least distance to a joint limit stated of every point, against the joints all along its line, "
    "to the deepest place that the ball may reach"
)
_KEPT = "margin of the job less that of every turning joint along the lines, of a feasible plan"
_SINGULAR = (
    "least distance from a singularity stated of every point, against that of the joints all along "
    "its line, to the deepest place that the ball may reach"
)
_CLEARANCES = "clearance stated of every point, against that of its probing line"
