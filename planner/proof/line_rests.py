"""Rests of lines: what a search that finds nothing leaves of the way that the plan allows for.

The plan states margins and clearances of a line up to the deepest place that the ball may reach,
and the miss stops before it. No motion comes to the rest, so it is followed by forward geometry
from where the miss stops, as the lines are: the ball straight on, the orientation held (of five
joints that of the stylus), joints that no line moves locked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.plan import Miss, Plan, SegmentKind
from planner.proof.chebyshev import COUNT, NODES, coefficients
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model

ON_LINE = tuple(kind for kind in SegmentKind if kind is not SegmentKind.TRAVEL)
_NEGLIGIBLE = 1e-12  # [m] rest of a line that is none
_MOST = 64  # pieces of the rest of a line
_TAIL, _RESOLVED = 3, 1e-8  # last coefficients of joints that are resolved [rad or m]
_CORRECTIONS = 8
_SETTLED = 1e-10  # correction, and what it leaves [rad or m]
_LOST = 1e-11  # of the largest singular value: what no joint moves
_LOCKED = 1e-9  # of the fastest joint's speed: what is no faster on any line is locked
_STYLUS = 5  # joints that hold the stylus, and not its turn about itself


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LineRests:
    """Joints on the rests of lines, as polynomials; NaN where a rest cannot be followed.

    Args:
        point: of each piece. # (p,)
        stop: its segment in the miss, where the rest begins. # (p,)
        first, last: parts of the line's way that are behind where the piece begins and ends. # (p,)
        q: at ``NODES``. # (p, K, n) [rad or m]
    """

    point: Indices
    stop: Indices
    first: Array
    last: Array
    q: Array


def line_rests(plan: Plan, model: Model) -> LineRests:
    """Follow the lines of a plan from where its searches stop that find nothing."""
    miss: Miss | None = plan.miss
    timeline = () if miss is None else miss.timeline
    stop = np.array([i for i, s in enumerate(timeline) if s.kind is SegmentKind.STOP], np.int64)
    if miss is None or stop.size == 0:
        none = np.zeros(0, dtype=np.int64)
        empty = np.zeros((0, COUNT, model.dof))
        return LineRests(point=none, stop=none, first=np.zeros(0), last=np.zeros(0), q=empty)
    placed = plan.placed
    point = np.array([timeline[i].point_index for i in stop], dtype=np.int64)
    start = miss.trajectory.state(np.array([timeline[i].end for i in stop]), "left").q
    gone = placed.clearances[point] - model.forward(start)[:, :3, 3]
    first = np.sum(gone * placed.directions[point], axis=1) / placed.lengths[point]
    moving = moving_joints(plan)
    left = np.flatnonzero(~((1.0 - first) * placed.lengths[point] <= _NEGLIGIBLE))
    parts: list[tuple[Indices, Array, Array, Array]] = []
    pieces = 1
    while left.size or not parts:
        edges = first[left, None] + np.linspace(0.0, 1.0, pieces + 1) * (1.0 - first[left, None])
        inner = edges[:, :-1, None] + 0.5 * (NODES + 1.0) * np.diff(edges, axis=1)[..., None]
        own = point[left]
        ways = inner.reshape(left.size, pieces * COUNT).T[..., None] * placed.lengths[own, None]
        balls = placed.clearances[own] - ways * placed.directions[own]
        q = np.swapaxes(_followed(model, start[left], balls, moving), 0, 1)
        q = q.reshape(left.size, pieces, COUNT, model.dof)
        rough = np.max(np.abs(coefficients(q)[:, :, -_TAIL:]), axis=(1, 2, 3)) > _RESOLVED
        if pieces == _MOST:
            q[rough], rough = np.nan, np.zeros_like(rough)
        done = np.repeat(left[~rough], pieces)
        ends = edges[~rough]
        nodes = q[~rough].reshape(-1, COUNT, model.dof)
        parts.append((done, ends[:, :-1].ravel(), ends[:, 1:].ravel(), nodes))
        left, pieces = left[rough], 2 * pieces
    rows, begin, end, joints = (np.concatenate(column) for column in zip(*parts, strict=True))
    return LineRests(point=point[rows], stop=stop[rows], first=begin, last=end, q=joints)


def moving_joints(plan: Plan) -> Mask:
    """Which joints the lines of a plan move. # (n,)."""
    # An instant, as of a retract where the back-off went all the way, has the next motion's speed.
    own = [s for s in plan.timeline if s.kind in ON_LINE and s.duration > 0.0]
    if not own:
        return np.zeros(plan.job.mechanism.dof, dtype=np.bool_)
    t = np.array([s.start + part * s.duration for s in own for part in (0.25, 0.5, 0.75)])
    speeds = np.max(np.abs(plan.trajectory.state(t).qd), axis=0, initial=0.0)
    return np.asarray(speeds > _LOCKED * np.max(speeds, initial=0.0), dtype=np.bool_)


def _followed(model: Model, q: Array, balls: Array, moving: Mask) -> Array:
    """Joints that bring the ball to places one after another, their orientation held.

    Args:
        model: of the robot.
        q: where they start. # (p, n) [rad or m]
        balls: places near by. # (steps, p, 3) [m]
        moving: joints that are not locked. # (n,)

    Returns:
        NaN where the corrections do not settle. # (steps, p, n)
    """
    held = model.forward(q)[:, :3, :3]
    rows = 6 if np.count_nonzero(moving) > _STYLUS else 5
    found = np.full((len(balls), *q.shape), np.nan)
    for step, ball in enumerate(balls):
        for _ in range(_CORRECTIONS):
            T, J = model.forward(q), model.jacobian(q)
            R = T[:, :3, :3]
            turn = 0.5 * np.sum(np.cross(R, held, axis=1), axis=2)
            turn = np.einsum("pji,pj->pi", R, turn)
            twist = np.concatenate([ball - T[:, :3, 3], turn], axis=1)[:, :rows]
            J = np.concatenate([J[:, :3], np.einsum("pji,pjn->pin", R, J[:, 3:])], axis=1)
            usable = np.asarray(np.isfinite(J).all(axis=(1, 2)))
            J = np.where(usable[:, None, None], J[:, :rows] * moving, 0.0)
            move = np.einsum("pni,pi->pn", np.linalg.pinv(J, rcond=_LOST), twist)
            q = np.where(usable[:, None], q + move, np.nan)
            far = np.max(np.abs(np.concatenate([move, twist], axis=1)), axis=1, keepdims=True)
            if not np.any(far > _SETTLED):
                break
        q = np.where(far <= _SETTLED, q, np.nan)
        found[step] = q
    return found
