"""Where the ball is and where the stylus points, by forward geometry alone."""

from __future__ import annotations

import numpy as np

from planner.job.job import Job
from planner.plan import Plan, Samples, SegmentKind
from planner.proof.check import Check, Locate, Location, Worst, check
from planner.proof.evidence import CheckGroup, Evidence, Passage, touches
from planner.proof.resolved_motion import blocks
from robots.core.arrays import Array, Indices

POSITION = 1e-9  # [m]
ANGLE = 1e-9  # [rad]
_ROWS = 16_384  # postures looked at at once
_BALL = "ball centre written with every sample, against forward geometry of its joints"
_ENDS = (
    "ball centre where the segments of every touch start and end, against clearance point, start "
    "of the search, contact and back-off"
)
_EXACT = 1e-9  # [m]; of a direction [1]
_WHAT = (
    "clearance point, search, back-off and line end of every point seen from its contact, and its "
    "stylus axis, against lengths, direction and axis that the job gives for it or its feature, or "
    "its normal, turned by the pose of the part"
)


class GeometryCheck(CheckGroup):
    """Placement, points, ends of the lines, everything between them, tip of the samples.

    Args:
        evidence: the plan and forward geometry.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        segments = evidence.plan.timeline
        self._point = np.array([s.point_index for s in segments], dtype=np.int64)
        probing = np.array([s.kind is not SegmentKind.TRAVEL for s in segments], dtype=bool)
        # A travel holds no line: point -1.
        self._line = np.where(probing, self._point, -1)
        self._off_line, self._off_axis, self._off_ball = Worst(), Worst(), Worst()

    def on_segments(self, passage: Passage) -> None:
        """Chebyshev's instants of probing, dwelling and retracting."""
        motion = passage.motion
        lines = self._line[motion.pieces.segment]
        size = max(1, _ROWS // motion.q.shape[1])
        for rows in blocks(len(lines), size):
            locate = self._evidence.in_pieces(motion.pieces.take(rows))
            self._on_lines(motion.q[rows], lines[rows], locate)

    def on_samples(self, samples: Samples) -> None:
        """Samples of the same, and where the ball is in all."""
        n = samples.q.shape[1]
        if len(self._line):
            locate = self._evidence.in_samples(samples)
            self._on_lines(samples.q.reshape(-1, 1, n), self._line[samples.segment], locate)
        ball = self._evidence.model.forward(samples.q)[:, :3, 3]
        self._off_ball.take(
            np.linalg.norm(samples.position - ball, axis=1), self._evidence.in_samples(samples)
        )

    def checks(self) -> list[Check]:
        """Of places and directions."""
        where = "at Chebyshev's instants and at every sample of probing, dwelling and retracting"
        return [
            *_placement(self._evidence.plan),
            placed_approach(self._evidence.plan),
            *_points(self._evidence),
            *self.on_lines(where),
            check("sample positions", self._off_ball, POSITION, "m", _BALL),
        ]

    def on_lines(self, where: str) -> list[Check]:
        """Ends of the segments of touches, and everything between them.

        Args:
            where: instants that were looked at, for a reader.
        """
        line = f"distance of the ball from the line from clearance point to its end, {where}"
        axis = f"angle between the stylus and the placed stylus axis, {where}"
        ends = _line_ends(self._evidence, self._point)
        return [
            check("line ends", ends, POSITION, "m", _ENDS),
            check("straight line", self._off_line, POSITION, "m", line),
            check("held axis", self._off_axis, ANGLE, "rad", axis),
        ]

    def _on_lines(self, q: Array, points: Indices, locate: Locate) -> None:
        """Distance from the line and angle to its axis. # (P, K, n), (P,)."""
        held = points >= 0
        rows = np.repeat(np.flatnonzero(held), q.shape[1])

        def locate_held(index: tuple[int, ...]) -> Location:
            return locate((int(rows[index[0]]),))

        own = np.repeat(points[held], q.shape[1])
        T = self._evidence.model.forward(q[held].reshape(-1, q.shape[2]))
        plan = self._evidence.plan
        self._off_axis.take(_angles(T[:, :3, 2], plan.placed.axes[own]), locate_held)
        self._off_line.take(_off_line(plan, own, T[:, :3, 3]), locate_held)


def _placement(plan: Plan) -> list[Check]:
    """Placed points taken back into the frame they were given in."""
    job, placed = plan.job, plan.placed
    given = np.asarray(job.points.positions)
    radius = job.probe.ball_radius if job.probe.compensated else 0.0
    touched = placed.contacts - radius * placed.normals
    normals = placed.normals
    if job.frame == "part":
        homogeneous = np.column_stack([touched, np.ones(len(touched))])
        touched = np.asarray(np.linalg.solve(job.part.T_base_part, homogeneous.T).T[:, :3])
        normals = normals @ job.part.T_base_part[:3, :3]
    size = np.maximum(1.0, np.linalg.norm(given, axis=1, keepdims=True))
    return [
        check(
            "placement",
            np.concatenate([(touched - given) / size, normals - job.points.normals]),
            POSITION,
            "m",
            "placed points and normals, moved back by the inverse pose of the part, against the "
            "job's own (metres; beyond 1 m from the origin, per metre)",
        )
    ]


def _points(evidence: Evidence) -> list[Check]:
    plan, placed = evidence.plan, evidence.plan.placed
    reached = [k for k, point in enumerate(plan.planned_points) if point.reachable]
    q = np.array(
        [[plan.planned_points[k].q_clearance, plan.planned_points[k].q_contact] for k in reached]
    )
    T = evidence.model.forward(q.reshape(len(reached), 2, evidence.model.dof))
    targets = np.stack([placed.clearances[reached], placed.contacts[reached]], axis=1)
    axes = np.repeat(placed.axes[reached][:, None], 2, axis=1)
    where = "joints at the clearance and contact point of every reached point"

    def locate(index: tuple[int, ...]) -> Location:
        return Location(point=plan.planned_points[reached[index[0]]].name)

    return [
        check(
            "point position",
            np.linalg.norm(T[..., :3, 3] - targets, axis=-1),
            POSITION,
            "m",
            f"forward geometry of the {where}, against the placed point",
            locate,
        ),
        check(
            "point axis",
            _angles(T[..., :3, 2], axes),
            ANGLE,
            "rad",
            f"stylus direction of the {where}, against the placed stylus axis",
            locate,
        ),
    ]


def _line_ends(evidence: Evidence, point: Indices) -> Array:
    """Where the ball is at both ends of the segments of touches, less where it should be. [m].

    Where a stop ends follows from its deceleration; ``TouchCheck`` looks at it.
    """
    plan, placed = evidence.plan, evidence.plan.placed
    missing = not any(s.kind is SegmentKind.PROBE for s in plan.timeline)
    off = [np.zeros(0)]
    for (kind, end), outside in _places(plan, missing=missing).items():
        rows = [i for i, s in enumerate(plan.timeline) if s.kind is kind]
        if not rows:
            continue
        t = np.array([getattr(plan.timeline[i], end) for i in rows])
        q = plan.trajectory.state(t, "right" if end == "start" else "left").q
        ball, own = evidence.model.forward(q)[:, :3, 3], point[rows]
        target = placed.contacts[own] + outside[own, None] * placed.directions[own]
        off.append(np.linalg.norm(ball - target, axis=1))
    return np.concatenate(off)


def _places(plan: Plan, *, missing: bool) -> dict[tuple[SegmentKind, str], Array]:
    """How far outside the contact segments start and end. # (k,) each [m]."""
    placed = plan.placed
    contact, away = np.zeros(len(placed)), placed.distances
    searching = plan.job.touch.searching
    first = placed.search_before if searching else contact
    found = {
        (SegmentKind.PROBE, "start"): away,
        (SegmentKind.PROBE, "end"): first,
        (SegmentKind.SEARCH, "start"): first,
        (SegmentKind.SEARCH, "end"): -placed.search_after if missing else contact,
        (SegmentKind.STOP, "start"): -placed.search_after if missing else contact,
        (SegmentKind.BACK_OFF, "end"): placed.back_off,
        (SegmentKind.RETRACT, "end"): away,
    }
    if not missing:
        found[SegmentKind.RETRACT, "start"] = placed.back_off if searching else contact
    return found


def _off_line(plan: Plan, points: Indices, ball: Array) -> Array:
    """Distance from the segment of line, its ends included. # (m,) [m]."""
    start, end = plan.placed.clearances[points], plan.placed.line_ends[points]
    along = end - start
    square = np.maximum(np.sum(along * along, axis=1), np.finfo(np.float64).tiny)
    part = np.clip(np.sum((ball - start) * along, axis=1) / square, 0.0, 1.0)
    return np.asarray(np.linalg.norm(ball - start - part[:, None] * along, axis=1))


def _angles(a: Array, b: Array) -> Array:
    """Angles between unit vectors, exact for small ones. # (...) [rad]."""
    sine = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.asarray(np.arctan2(sine, np.sum(a * b, axis=-1)))


def placed_approach(plan: Plan) -> Check:
    """Clearance points, lengths of the cycle and stylus axes."""
    job, placed = plan.job, plan.placed
    cycle = _cycle(plan)
    wanted = [_wanted(job, k) for k in range(len(placed))]
    distances = np.array([distance for distance, _, _ in wanted])[:, None]
    directions, axes = (np.array([each[i] for each in wanted]) for i in (1, 2))
    off = [
        placed.clearances - placed.contacts - distances * directions,
        placed.axes - axes,
        (placed.search_starts - placed.contacts) - cycle["before"][:, None] * directions,
        (placed.search_ends - placed.contacts) + cycle["after"][:, None] * directions,
        (placed.line_ends - placed.contacts) + cycle["depth"][:, None] * directions,
        (placed.back_offs - placed.contacts) - cycle["back"][:, None] * directions,
    ]
    return check("placed approach", np.concatenate(off), _EXACT, "m", _WHAT)


def _cycle(plan: Plan) -> dict[str, Array]:
    """Lengths of the cycle of every point, from the job's tables. # (k,) each [m].

    A line goes on beyond the search for as long as the ball needs to stop: its latency, then the
    deceleration of the job but at least 1 ms, or 20 ms where that is left to the joints.
    """
    rows = []
    for touch, distance in zip(touches(plan), plan.placed.distances.tolist(), strict=True):
        if touch.mode == "to-rest":
            rows.append((0.0, 0.0, 0.0, 0.0))
            continue
        v = touch.speed
        slowing = v * 0.020 / 2.0
        if touch.deceleration is not None:
            slowing = max(v**2 / touch.deceleration, v * 0.001) / 2.0
        before, back = touch.search_before, touch.back_off
        rows.append(
            (
                min(0.003, distance / 2.0) if before is None else before,
                touch.search_after,
                touch.search_after + touch.latency * v + slowing,
                min(0.002, distance) if back is None else back,
            )
        )
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return dict(zip(("before", "after", "depth", "back"), table.T, strict=True))


def _wanted(job: Job, k: int) -> tuple[float, Array, Array]:
    """Distance, direction and stylus axis of a point in the base frame, from the job's tables."""
    given = {key: getattr(job.approach, key) for key in ("distance", "direction", "axis")}
    for own in job.approach.features:
        if own.name == job.points.features[k]:
            given |= {key: v for key in given if (v := getattr(own, key)) is not None}
    R = job.part.T_base_part[:3, :3] if job.frame == "part" else np.eye(3)
    normal = R @ job.points.normals[k]
    along, against = (_vector(given[key]) for key in ("direction", "axis"))
    direction = normal if along is None else along
    axis = -normal if against is None else R @ against
    return given["distance"], direction, axis


def _vector(value: object) -> Array | None:
    """A direction of the job as a unit vector; None for the normal's."""
    if value is None or isinstance(value, str):
        return None
    vector = np.asarray(value, dtype=np.float64)
    return np.asarray(vector / np.sqrt(np.sum(vector * vector)))
