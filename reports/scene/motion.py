"""The instants at which a motion is shown: few where it is even, many where it bends.

Between two neighbours joints go evenly in time. An interval is halved until, a quarter, a half and
three quarters along it, the ball is where it should be, its way is straight, and every joint is
right; but not to less than a 240th of a second, four times what a screen shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reports.scene.model import SceneMotion
from robots.core.arrays import Array
from robots.core.mechanism import JointKind

if TYPE_CHECKING:
    from planner.motion.trajectory import Trajectory
    from planner.plan import Plan


CHORD = 0.5e-3  # of the ball and of sliding joints [m]
TURN = np.radians(1.0)
SHORTEST = 1.0 / 240.0  # [s]
MOST = 40_000  # instants
# Between neighbours a turn must have one shorter way, whoever interpolates.
_QUARTER = np.pi / 2.0
_INNER = np.array([0.25, 0.5, 0.75])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Errors:
    """Of intervals: distances [m], turns [rad], whole turns between the ends [rad]. # (m,)."""

    chord: Array
    turn: Array
    whole: Array

    @property
    def score(self) -> Array:
        """Above 1 where the interval is too coarse."""
        return np.asarray(np.maximum(self.chord / CHORD, self.turn / TURN))


def scene_motion(plan: Plan, most: int = MOST) -> SceneMotion | None:
    """The motion of a plan to be shown; None where no point is reached.

    Args:
        plan: with its trajectory.
        most: instants at most; the worst intervals are halved first when they do not suffice.
    """
    if not plan.timeline:
        return None
    trajectory = plan.trajectory
    borders = _borders(trajectory)
    kept = borders if len(borders) <= most else _thinned(borders, most)
    t = _halved(trajectory, kept, most)
    errors = _errors(trajectory, t[:-1], t[1:])
    return SceneMotion(
        t=t,
        q=trajectory.state(t).q,
        borders=kept,
        deviation=float(errors.chord.max(initial=0.0)),
        turn=float(errors.turn.max(initial=0.0)),
    )


def _borders(trajectory: Trajectory) -> Array:
    """Instants where segments begin or end, each once."""
    t = np.unique(np.append(trajectory.starts, trajectory.duration))
    # Sums of times may miss each other by rounding.
    apart = np.append(True, np.diff(t) > 1e-9)
    t = t[apart]
    return np.asarray(t) if len(t) > 1 else np.array([0.0, max(trajectory.duration, 1e-3)])


def _thinned(t: Array, most: int) -> Array:
    chosen = np.unique(np.linspace(0, len(t) - 1, most).round().astype(np.int64))
    return np.asarray(t[chosen])


def _halved(trajectory: Trajectory, t: Array, most: int) -> Array:
    """The instants with as many between them as the motion needs, or may have."""
    starts, ends, count, found = t[:-1], t[1:], len(t), [t]
    while starts.size and count < most:
        errors = _errors(trajectory, starts, ends)
        wanted = (errors.score > 1.0) & (ends - starts > SHORTEST) | (errors.whole > _QUARTER)
        rows = np.nonzero(wanted)[0]
        if rows.size > most - count:
            urgency = np.maximum(errors.score, errors.whole / _QUARTER)[rows]
            rows = np.sort(rows[np.argsort(-urgency, kind="stable")[: most - count]])
        middles = (starts[rows] + ends[rows]) / 2.0
        found.append(middles)
        count += rows.size
        starts, ends = (
            np.concatenate([starts[rows], middles]),
            np.concatenate([middles, ends[rows]]),
        )
    return np.asarray(np.sort(np.concatenate(found)))


def _errors(trajectory: Trajectory, starts: Array, ends: Array) -> _Errors:
    """What goes wrong between instants when joints go evenly from one to the next."""
    share = np.concatenate([[0.0], _INNER, [1.0]])
    t = starts[:, None] + (ends - starts)[:, None] * share
    q = trajectory.state(t.ravel()).q.reshape(*t.shape, -1)
    first, last = q[:, :1], q[:, -1:]
    even = first + (last - first) * share[:, None]
    ball, shown = (trajectory.model.forward(each)[..., :3, 3] for each in (q, even))
    angular = np.array([j.kind is JointKind.REVOLUTE for j in trajectory.model.mechanism.movable])
    gaps, steps = np.abs(q - even), np.abs(last - first)[:, 0]
    slides = np.where(angular, 0.0, gaps).max(axis=(1, 2))
    away = np.linalg.norm(ball - shown, axis=-1).max(axis=1)
    return _Errors(
        chord=np.maximum(np.maximum(away, slides), _bends(ball)),
        turn=np.where(angular, gaps, 0.0).max(axis=(1, 2)),
        whole=np.where(angular, steps, 0.0).max(axis=1),
    )


def _bends(ball: Array) -> Array:
    """How far places are from the straight line between first and last. # (m, s, 3) -> (m,)."""
    along = ball[:, -1:] - ball[:, :1]
    square = np.sum(along * along, axis=-1)
    rest = ball - ball[:, :1]
    share = np.sum(rest * along, axis=-1) / np.where(square > 0.0, square, 1.0)
    share = np.clip(share, 0.0, 1.0)[..., None]
    return np.asarray(np.linalg.norm(rest - share * along, axis=-1).max(axis=1))
