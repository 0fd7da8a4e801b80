"""Where the ball is and where the stylus points, by forward geometry alone."""

from __future__ import annotations

import numpy as np

from planner.job import Job
from planner.plan import Plan, Samples, SegmentKind
from planner.proof.check import Check, Locate, Location, Worst, check
from planner.proof.evidence import CheckGroup, Evidence, Passage
from planner.proof.survey import blocks
from robots.core.arrays import Array, Indices

POSITION = 1e-9  # [m]
ANGLE = 1e-9  # [rad]
_ROWS = 16_384  # postures looked at at once
_BALL = "ball centre written with every sample, against forward geometry of its joints"
_ENDS = (
    "ball centre where probing and retracting start and end, against clearance point and search end"
)
_EXACT = 1e-9  # [m]; of a direction [1]
_WHAT = (
    "clearance point and search end of every point seen from its contact, and its stylus axis, "
    "against distance, direction and axis that the job gives for it or its feature, or its normal, "
    "turned by the pose of the part"
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
        line = f"distance of the ball from the line from clearance point to search end, {where}"
        axis = f"angle between the stylus and the placed stylus axis, {where}"
        ends = _line_ends(self._evidence, self._point)
        return [
            *_placement(self._evidence.plan),
            placed_approach(self._evidence.plan),
            *_points(self._evidence),
            check("line ends", ends, POSITION, "m", _ENDS),
            check("straight line", self._off_line, POSITION, "m", line),
            check("held axis", self._off_axis, ANGLE, "rad", axis),
            check("sample positions", self._off_ball, POSITION, "m", _BALL),
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
    plan = evidence.plan
    kinds = [s.kind for s in plan.timeline]
    rows = [i for i, k in enumerate(kinds) if k in (SegmentKind.PROBE, SegmentKind.RETRACT)]
    if not rows:
        return np.zeros(0)
    start = np.array([plan.timeline[i].start for i in rows])
    end = np.array([plan.timeline[i].end for i in rows])
    probe = np.array([kinds[i] is SegmentKind.PROBE for i in rows])[:, None]
    away = plan.placed.clearances[point[rows]]
    deep = plan.placed.search_ends[point[rows]]
    first = evidence.model.forward(plan.trajectory.state(start, "right").q)[:, :3, 3]
    last = evidence.model.forward(plan.trajectory.state(end, "left").q)[:, :3, 3]
    off = [first - np.where(probe, away, deep), last - np.where(probe, deep, away)]
    return np.asarray(np.linalg.norm(np.concatenate(off), axis=1))


def _off_line(plan: Plan, points: Indices, ball: Array) -> Array:
    """Distance from the segment of line, its ends included. # (m,) [m]."""
    start, end = plan.placed.clearances[points], plan.placed.search_ends[points]
    along = end - start
    square = np.maximum(np.sum(along * along, axis=1), np.finfo(np.float64).tiny)
    part = np.clip(np.sum((ball - start) * along, axis=1) / square, 0.0, 1.0)
    return np.asarray(np.linalg.norm(ball - start - part[:, None] * along, axis=1))


def _angles(a: Array, b: Array) -> Array:
    """Angles between unit vectors, exact for small ones. # (...) [rad]."""
    sine = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.asarray(np.arctan2(sine, np.sum(a * b, axis=-1)))


def placed_approach(plan: Plan) -> Check:
    """Clearance points, search ends and stylus axes."""
    job, placed = plan.job, plan.placed
    wanted = [_wanted(job, k) for k in range(len(placed))]
    distances = np.array([distance for distance, _, _ in wanted])[:, None]
    directions, axes = (np.array([each[i] for each in wanted]) for i in (1, 2))
    off = [
        placed.clearances - placed.contacts - distances * directions,
        placed.search_ends - placed.contacts + job.approach.overtravel * directions,
        placed.axes - axes,
    ]
    return check("placed approach", np.concatenate(off), _EXACT, "m", _WHAT)


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
