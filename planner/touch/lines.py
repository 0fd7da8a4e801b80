"""Motions along probing lines: the ball runs straight to the surface and back, the stylus held.

The path q(λ) follows from the inverse geometry of one family; its derivatives are exact, so the
least time of a law is a maximum to be found, not a sum of steps (sources.md, decision 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.motion.extremes import Evaluate, Scope, highest
from planner.motion.motions import LawState, LawTable, along_path
from planner.reach.lines import Lines
from robots.core.arrays import Array, Indices, Mask
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import PathState, at_rest
from robots.core.motion.motion_law import motion_law

_GRID = 17  # places of a law where candidates are timed first
# Places of a line, not evenly spread, where a joint that moves somewhere moves at one at least.
_PLACES: Array = np.array([0.0, 0.11, 0.29, 0.52, 0.73, 0.91, 1.0])


class LineMotions:
    """A stretch of every line run through by a law, forth or back.

    Args:
        lines: geometry.
        law: its name, or one law per line.
        backward: whether the motion retracts, from the end of the line to its start.
        between: λ where each motion starts and ends; the whole line when None. # (k,) each
    """

    def __init__(
        self,
        lines: Lines,
        law: str | LawTable,
        *,
        backward: bool = False,
        between: tuple[Array, Array] | None = None,
    ) -> None:
        self.lines = lines
        self._shared = isinstance(law, str)
        self._table = LawTable([motion_law(law)]) if isinstance(law, str) else law
        k = len(lines)
        ends = (np.ones(k), np.zeros(k)) if backward else (np.zeros(k), np.ones(k))
        self._first, last = ends if between is None else between
        self._span = last - self._first

    @property
    def count(self) -> int:
        """Number of lines."""
        return len(self.lines)

    @property
    def pieces(self) -> int:
        """Pieces of the law."""
        return self._table.pieces

    @property
    def lengths(self) -> Array:
        """Way of the ball. # (k,) [m]."""
        whole = np.linalg.norm(self.lines.ends - self.lines.starts, axis=1)
        return np.asarray(whole * np.abs(self._span))

    def ends(self, rows: Indices) -> tuple[Array, Array]:
        """λ where some of the motions start and end. # (m,) each."""
        return self._first[rows], self._first[rows] + self._span[rows]

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Progress inside a piece of the law. # (m,) each."""
        return self._table.state(self._law(index), piece, x)

    def law_at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """Progress at s; at a switch the side after it, or that of ``seen``. # (m,) each."""
        return self._table.at(self._law(index), s, seen)

    def _law(self, index: Indices) -> Indices:
        return np.zeros_like(index) if self._shared else index

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints where the law is; joints at rest have no derivatives. # (m, n) each."""
        path = self.path_states(index, law)
        resting = self._resting[index]
        if not np.any(resting):
            return path
        return PathState(
            q=path.q, dq=np.where(resting, 0.0, path.dq), ddq=np.where(resting, 0.0, path.ddq)
        )

    @cached_property
    def _resting(self) -> Mask:
        """Joints that stand still along each line: their rates by λ bound what they move by."""
        count, places = self.count, len(_PLACES)
        index = np.repeat(np.arange(count), places)
        rates = self.lines.path(index, np.tile(_PLACES, count)).dq
        rates = np.abs(rates).reshape(count, places, rates.shape[1])
        return at_rest(np.max(rates, axis=1, initial=0.0))

    def path_states(self, index: Indices, law: LawState) -> PathState:
        """Joints where the law is, noise included: enough to find times. # (m, n) each."""
        span = self._span[index]
        path = self.lines.path(index, self._first[index] + span * law.r)
        span = span[:, None]
        return along_path(PathState(q=path.q, dq=span * path.dq, ddq=span * span * path.ddq), law)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LineTimes:
    """Least durations of lines, and what fixes them.

    Args:
        duration: # (k,) [s]
        column: of ``time_ratios`` that binds. # (k,)
        x: where it does, in its piece of the law. # (k,)
        names: of the joints.
    """

    duration: Array
    column: Indices
    x: Array
    names: tuple[str, ...]

    @property
    def bindings(self) -> tuple[str, ...]:
        """Names of the limits that bind."""
        return tuple(binding_name(self.names, column) for column in self.column.tolist())


def rough_line_times(motions: LineMotions, limits: JointLimits) -> LineTimes:
    """Least times on a grid, a few per cent short at most: for choosing, and to start from."""
    k, grid = motions.count, np.linspace(0.0, 1.0, _GRID)
    index = np.repeat(np.arange(k), _GRID)
    path = motions.path_states(index, motions.law_at(index, np.tile(grid, k)))
    by_speed = np.abs(path.dq) / limits.max_speed
    by_acceleration = np.sqrt(np.abs(path.ddq) / limits.max_acceleration)
    worst = np.concatenate([by_speed, by_acceleration], axis=1)
    worst[np.isnan(worst)] = np.inf  # a line that is lost on the way
    worst = worst.reshape(k, _GRID * worst.shape[1])
    most = np.argmax(worst, axis=1) if k else np.zeros(0, dtype=np.int64)
    place, column = np.divmod(most, 2 * limits.max_speed.size)
    return LineTimes(
        duration=np.max(worst, axis=1, initial=0.0),
        names=limits.names,
        column=column,
        x=grid[place],
    )


def least_line_times(
    motions: LineMotions,
    limits: JointLimits,
    ball_speed: float | Array = np.inf,
    *,
    points: int = 0,
) -> LineTimes:
    """Least duration of every line under speed and acceleration limits, exactly.

    T² is the largest over joints and s of (q'/KV)² and |q''|/KA, NaN for a line that is lost on
    its way. A retract to rest takes as long as its line, because the named laws are symmetric in
    time; laws that arrive with a speed, or stop from one, are not. A linear law jumps in speed at
    its ends; as in the source, accelerations of the law itself are then not counted.

    Args:
        motions: lines and their law.
        limits: of the joints.
        ball_speed: largest speed of the ball, of all or of each. [m/s]
        points: of the first grid; see ``highest``.

    Source: sources.md, decision 4
    """
    n = limits.max_speed.size
    ratios = time_ratios(motions, limits, ball_speed)
    found = highest(
        ratios, motions.count, motions.pieces, Scope.MOTION, magnitudes=2 * n, points=points
    )
    every = np.arange(motions.count)
    which = np.argmax(found.value, axis=1) if motions.count else every
    return LineTimes(
        duration=np.sqrt(np.max(found.value, axis=1, initial=0.0)),
        names=limits.names,
        column=which,
        x=found.x[every, which] if motions.count else np.zeros(0),
    )


def time_ratios(
    motions: LineMotions, limits: JointLimits, ball_speed: float | Array = np.inf
) -> Evaluate:
    """Squares of the durations that the limits ask for: joints' speeds, accelerations, the ball's.

    Accelerations keep their sign. A ball that is not limited has no column.
    """
    limited = bool(np.any(np.isfinite(ball_speed)))
    reach = motions.lengths / ball_speed if limited else np.zeros(0)

    def ratios(index: Indices, piece: Indices, x: Array) -> Array:
        law = motions.law_state(index, piece, x)
        path = motions.path_states(index, law)
        by_speed = path.dq / limits.max_speed
        columns = [by_speed * by_speed, path.ddq / limits.max_acceleration]
        if limited:
            columns.append(np.square(reach[index] * law.dr)[:, None])
        return np.concatenate(columns, axis=1)

    return ratios


def ball_column(limits: JointLimits) -> int:
    """The column of ratios that is the ball's: behind the speeds and accelerations of joints."""
    return 2 * limits.max_speed.size


def binding_name(names: Sequence[str], column: int) -> str:
    """The limit that a column of ratios stands for: speeds, accelerations, then the ball's."""
    n = len(names)
    if column == 2 * n:
        return "positioning speed"
    return f"{names[column % n]} {'velocity' if column < n else 'acceleration'}"
