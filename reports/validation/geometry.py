"""Where the ball is and where the stylus points, by forward geometry alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.plan_types import Plan, SegmentKind
from reports.validation.blocks import by_blocks
from reports.validation.check import Check, check
from reports.validation.evidence import Evidence

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

POSITION = 1e-9  # [m]
ANGLE = 1e-9  # [rad]
_ROWS = 16_384  # postures looked at at once


def geometry_checks(evidence: Evidence) -> list[Check]:
    """Placement, points, ends of the lines, everything between them, tip of the samples."""
    return [
        *_placement(evidence.plan),
        *_points(evidence),
        *_lines(evidence),
        check(
            "sample positions",
            evidence.samples.position - evidence.model.forward(evidence.samples.q)[:, :3, 3],
            POSITION,
            "m",
            "ball centre written with every sample, against forward geometry of its joints",
        ),
    ]


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
    reached = [k for k, point in enumerate(plan.points) if point.reachable]
    q = np.array([[plan.points[k].q_clearance, plan.points[k].q_contact] for k in reached])
    T = evidence.model.forward(q.reshape(len(reached), 2, evidence.model.dof))
    targets = np.stack([placed.clearances[reached], placed.contacts[reached]], axis=1)
    axes = np.repeat(placed.axes[reached][:, None], 2, axis=1)
    where = "joints at the clearance and contact point of every reached point"
    return [
        check(
            "point position",
            np.linalg.norm(T[..., :3, 3] - targets, axis=-1),
            POSITION,
            "m",
            f"forward geometry of the {where}, against the placed point",
        ),
        check(
            "point axis",
            _angles(T[..., :3, 2], axes),
            ANGLE,
            "rad",
            f"stylus direction of the {where}, against the inward normal",
        ),
    ]


def _lines(evidence: Evidence) -> list[Check]:
    """Resolved instants and samples of probing, ends of the lines included."""
    plan, motion, samples = evidence.plan, evidence.motion, evidence.samples
    n, count = evidence.model.dof, motion.q.shape[1]
    point = np.array([s.point_index for s in plan.segments], dtype=np.int64)
    probing = np.array([s.kind is not SegmentKind.TRAVEL for s in plan.segments], dtype=bool)
    # A travel holds no line: point -1.
    point_of = np.where(probing, point, -1)
    nodes = _off_lines(evidence, motion.q, point_of[motion.pieces.segment], count)
    drawn = _off_lines(evidence, samples.q.reshape(-1, 1, n), point_of[samples.segment], 1)
    off = np.concatenate([nodes, drawn])
    where = "at Chebyshev's instants and at every sample of probing, dwelling and retracting"
    return [
        check("line ends", _line_ends(evidence, point), POSITION, "m", _ENDS),
        check(
            "straight line",
            off[:, 0],
            POSITION,
            "m",
            f"distance of the ball from the line from clearance point to search end, {where}",
        ),
        check(
            "held axis",
            off[:, 1],
            ANGLE,
            "rad",
            f"angle between the stylus and the inward normal, {where}",
        ),
    ]


def _off_lines(evidence: Evidence, q: Array, points: Indices, count: int) -> Array:
    """Distance from the line [m] and angle to its axis [rad]. # (P, count, n) -> (m, 2)."""
    held = np.nonzero(points >= 0)[0]
    plan = evidence.plan

    def some(rows: slice) -> Array:
        T = evidence.model.forward(q[held[rows]].reshape(-1, q.shape[2]))
        own = np.repeat(points[held[rows]], count)
        angles = _angles(T[:, :3, 2], plan.placed.axes[own])
        return np.stack([_off_line(plan, own, T[:, :3, 3]), angles], axis=1)

    return by_blocks(some, len(held), _ROWS // count)


_ENDS = (
    "ball centre where probing and retracting start and end, against clearance point and search end"
)


def _line_ends(evidence: Evidence, point: Indices) -> Array:
    plan = evidence.plan
    kinds = [s.kind for s in plan.segments]
    rows = [i for i, k in enumerate(kinds) if k in (SegmentKind.PROBE, SegmentKind.RETRACT)]
    if not rows:
        return np.zeros(0)
    start = np.array([plan.segments[i].start for i in rows])
    end = np.array([plan.segments[i].end for i in rows])
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
