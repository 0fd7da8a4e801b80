"""Probing lines: the ball runs straight to the surface and back, the stylus held.

The path q(λ) follows from the inverse geometry of one family; its derivatives are exact, so the
least time of a law is a maximum to be found, not a sum of steps (sources.md, decision 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.motion.extremes import Scope, highest
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
    """Lines run through by one law, forth or back.

    Args:
        lines: geometry.
        law_name: of the motion law.
        backward: whether the motion retracts, from the end to the start.
    """

    def __init__(self, lines: Lines, law_name: str, *, backward: bool = False) -> None:
        self.lines = lines
        self.backward = backward
        self.law = motion_law(law_name)
        self._table = LawTable([self.law])

    @property
    def count(self) -> int:
        """Number of lines."""
        return len(self.lines)

    @property
    def pieces(self) -> int:
        """Pieces of the law."""
        return self._table.pieces

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Progress inside a piece of the law. # (m,) each."""
        return self._table.state(np.zeros_like(index), piece, x)

    def law_at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """Progress at s; at a switch the side after it, or that of ``seen``. # (m,) each."""
        return self._table.at(np.zeros_like(index), s, seen)

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
        lam = 1.0 - law.r if self.backward else law.r
        path = self.lines.path(index, lam)
        if self.backward:
            path = PathState(q=path.q, dq=-path.dq, ddq=path.ddq)
        return along_path(path, law)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LineTimes:
    """Least durations of lines and what binds them."""

    duration: Array  # (k,) [s]
    bindings: tuple[str, ...]


def rough_line_times(motions: LineMotions, limits: JointLimits) -> Array:
    """Least durations on a grid, a few per cent short at most: for choosing. # (k,) [s]."""
    k, grid = motions.count, np.linspace(0.0, 1.0, _GRID)
    index = np.repeat(np.arange(k), _GRID)
    path = motions.path_states(index, motions.law_at(index, np.tile(grid, k)))
    by_speed = np.abs(path.dq) / limits.max_speed
    by_acceleration = np.sqrt(np.abs(path.ddq) / limits.max_acceleration)
    worst = np.max(np.maximum(by_speed, by_acceleration), axis=1, initial=0.0)
    worst = np.where(np.isnan(worst), np.inf, worst)  # a line that is lost on the way
    return np.asarray(np.max(worst.reshape(k, _GRID), axis=1, initial=0.0))


def least_line_times(motions: LineMotions, limits: JointLimits) -> LineTimes:
    """Least duration of every line under speed and acceleration limits, exactly.

    T² is the largest over joints and s of (q'/KV)² and |q''|/KA. A retract takes as long as its
    line, because every law is symmetric in time. A linear law jumps in speed at its ends; as in the
    source, accelerations of the law itself are then not counted.

    Source: sources.md, decision 4
    """
    n = limits.max_speed.size

    def ratios(index: Indices, piece: Indices, x: Array) -> Array:
        path = motions.path_states(index, motions.law_state(index, piece, x))
        by_speed = path.dq / limits.max_speed
        return np.concatenate([by_speed * by_speed, path.ddq / limits.max_acceleration], axis=1)

    found = highest(ratios, motions.count, motions.pieces, Scope.MOTION, magnitudes=2 * n)
    which = np.argmax(found.value, axis=1) if motions.count else np.zeros(0, dtype=np.int64)
    return LineTimes(
        duration=np.sqrt(np.max(found.value, axis=1, initial=0.0)),
        bindings=tuple(_binding(limits.names, int(k), n) for k in which),
    )


def _binding(names: Sequence[str], column: int, n: int) -> str:
    return f"{names[column % n]} {'velocity' if column < n else 'acceleration'}"
