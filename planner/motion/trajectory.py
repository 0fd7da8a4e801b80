"""The whole motion in time: segments laid end to end, to be asked at any instant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from planner.motion.motions import Motions
from planner.plan import JUMP, Instants, Samples
from robots.core.arrays import Array, Indices
from robots.core.errors import MotionError
from robots.core.model import Model

Side = Literal["left", "right"]

_ROWS = 8192  # instants worked on at once: they stay in the processor's cache
_SPACED = 512  # segments whose rows are spaced at once
_SLIVER = 1e-9  # of a segment: no piece of a law
# Instants this near, relative to the time on the clock, are the same: rounding of sums of times.
_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stretch:
    """A run of segments that are motions of one batch.

    Args:
        motions: the batch.
        index: motion of each segment. # (m,)
        segment: place of each segment in the trajectory. # (m,)
    """

    motions: Motions
    index: Indices
    segment: Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotionState:
    """Joints at some instants. # (m, n) each [rad], [rad/s], [rad/s²]."""

    q: Array
    qd: Array
    qdd: Array


class Trajectory:
    """Segments in time; rests are segments that belong to no stretch and keep the joints.

    Args:
        model: of the robot, for torques and positions.
        starts: beginning of every segment. # (m,) [s]
        durations: # (m,) [s]
        stretches: which motions the segments are.
        rests: joints of the segments that rest, by segment; others NaN. # (m, n) [rad]
    """

    def __init__(
        self,
        model: Model,
        starts: Array,
        durations: Array,
        stretches: Sequence[Stretch],
        rests: Array,
    ) -> None:
        self.model = model
        self.starts = starts
        self.durations = durations
        self.stretches = tuple(stretches)
        self._rests = rests
        # Which stretch and which of its motions each segment is; -1 for a rest.
        self._stretch = np.full(starts.size, -1)
        self._motion = np.zeros(starts.size, dtype=np.int64)
        for number, stretch in enumerate(self.stretches):
            self._stretch[stretch.segment] = number
            self._motion[stretch.segment] = stretch.index
        # 1/T; a segment without duration stands still. [1/s]
        self._rates = 1.0 / np.where(durations > 0.0, durations, np.inf)

    @property
    def duration(self) -> float:
        """When the last segment ends. [s]."""
        return float(self.starts[-1] + self.durations[-1]) if self.starts.size else 0.0

    def segment_at(self, t: Array, side: Side = "right") -> Indices:
        """Segment that holds each instant; at a border the one after ("right") or before it.

        Raises:
            MotionError: there is no segment.
        """
        if self.starts.size == 0:
            raise MotionError("The plan has no motion, as no point is reached; see its findings.")
        moving = np.nonzero(self.durations > 0.0)[0]
        if moving.size == 0:
            return np.zeros(t.shape, dtype=np.int64)
        place = np.searchsorted(self.starts[moving], t + self._hair(t, side), side=side) - 1
        return np.asarray(moving[np.clip(place, 0, moving.size - 1)])

    def state(self, t: Array, side: Side = "right") -> MotionState:
        """Joints, speeds and accelerations at instants.

        Args:
            t: any order, clipped to the motion. # (m,) [s]
            side: which side of a switch of law or border of segments is meant.

        Raises:
            MotionError: there is no segment.
        """
        t = np.asarray(t, dtype=np.float64)
        return self.segment_state(self.segment_at(t, side), t, side)

    def segment_state(self, segment: Indices, t: Array, side: Side = "right") -> MotionState:
        """Joints at instants of given segments. # (m,) -> (m, n)."""
        n = self.model.dof
        state = MotionState(
            q=np.empty((t.size, n)), qd=np.empty((t.size, n)), qdd=np.empty((t.size, n))
        )
        for first in range(0, t.size, _ROWS):
            rows = slice(first, first + _ROWS)
            self._fill(state, rows, segment[rows], t[rows], side)
        return state

    def _fill(
        self, state: MotionState, rows: slice, segment: Indices, t: Array, side: Side
    ) -> None:
        """A block of instants; segments that belong to no stretch rest."""
        q, qd, qdd = state.q[rows], state.qd[rows], state.qdd[rows]
        q[:], qd[:], qdd[:] = self._rests[segment], 0.0, 0.0
        u = self._rates[segment]
        s = np.clip((t - self.starts[segment]) * u, 0.0, 1.0)
        seen = s + self._hair(t, side) * u
        for number, stretch in enumerate(self.stretches):
            mine = np.nonzero(self._stretch[segment] == number)[0]
            if mine.size == 0:
                continue
            index, rate = self._motion[segment[mine]], u[mine, None]
            law = stretch.motions.law_at(index, s[mine], seen[mine])
            path = stretch.motions.states(index, law)
            q[mine] = path.q
            qd[mine] = path.dq * rate
            qdd[mine] = path.ddq * (rate * rate)

    def sample_count(self, period: float) -> int:
        """How many samples there are: one every ``period`` seconds and one at the last instant."""
        total = self.duration
        count = int(np.floor(total / period + 1e-9)) + 1
        return count + int(total - min((count - 1) * period, total) > 1e-9 * period)

    def sample(self, period: float, first: int = 0, after: int | None = None) -> Samples:
        """The motion every ``period`` seconds and at its last instant.

        Args:
            period: [s]
            first: number of the first sample that is wanted.
            after: number of the sample after the last one; None for all that follow.
        """
        total, count = self.duration, self.sample_count(period)
        last = count if after is None else min(after, count)
        t: Array = np.minimum(np.arange(first, last) * period, total)
        if last == count:
            t[-1] = total
        return self.samples_at(
            Instants(t=t, segment=self.segment_at(t), before=np.zeros(t.size, dtype=bool))
        )

    def samples_at(self, instants: Instants) -> Samples:
        """Everything that is written of the motion."""
        t, segment = instants.t, instants.segment
        state = self.segment_state(segment, t)
        rows = np.flatnonzero(instants.before)
        if rows.size:
            left = self.segment_state(segment[rows], t[rows], "left")
            state.q[rows], state.qd[rows], state.qdd[rows] = left.q, left.qd, left.qdd
        tau, position = np.empty_like(state.q), np.empty((t.size, 3))
        for start in range(0, t.size, _ROWS):
            part = slice(start, start + _ROWS)
            tau[part] = (
                self.model.torques(state.q[part], state.qd[part], state.qdd[part])
                if self.model.mechanism.masses_known
                else np.nan
            )
            position[part] = self.model.forward(state.q[part])[:, :3, 3]
        return Samples(
            t=t, segment=segment, q=state.q, qd=state.qd, qdd=state.qdd, tau=tau, position=position
        )

    def spaced(self, bounds: Array) -> Instants:
        """Instants between which straight lines miss no column by more than its bound.

        A switch of law, or a border of segments, where a column jumps has two rows at one instant,
        the side before it first.

        Args:
            bounds: in the order of ``Samples.columns``; infinite for columns without one. # (C,)
        """
        moving = np.flatnonzero(self.durations > 0.0)
        parts = [
            self._spaced(moving[k : k + _SPACED], bounds) for k in range(0, moving.size, _SPACED)
        ]
        if not parts:
            return Instants(t=np.zeros(0), segment=moving, before=np.zeros(0, dtype=bool))
        t, segment, before = (
            np.concatenate([getattr(part[0], name) for part in parts])
            for name in ("t", "segment", "before")
        )
        # Where one block ends and the next one begins, a border is a border like any other.
        ends = np.cumsum([len(part[0].t) for part in parts])[:-1] - 1
        one = [
            bool(continuous(a[2], b[1], bounds[np.isfinite(bounds)])) for a, b in pairwise(parts)
        ]
        kept = np.delete(np.arange(t.size), ends[np.array(one, dtype=bool)])
        return Instants(
            t=np.maximum.accumulate(t[kept]), segment=segment[kept], before=before[kept]
        )

    def _spaced(self, segments: Indices, bounds: Array) -> tuple[Instants, Array, Array]:
        """Rows of some segments; the columns of the first and the last of them."""
        segment, first, last = self._pieces(segments)
        known = np.isfinite(bounds)

        def instants(piece: Indices, place: Array) -> Instants:
            s = np.where(place < 1.0, first[piece] + place * (last - first)[piece], last[piece])
            own = segment[piece]
            return Instants(
                t=self.starts[own] + s * self.durations[own], segment=own, before=place == 1.0
            )

        def columns(piece: Indices, place: Array) -> Array:
            return self.samples_at(instants(piece, place)).columns[:, known]

        rows = spaced_rows(columns, (last - first) * self.durations[segment], bounds[known])
        ends = np.flatnonzero(np.diff(rows.piece))
        one = continuous(rows.values[ends], rows.values[ends + 1], bounds[known])
        kept = np.delete(np.arange(rows.piece.size), ends[one])
        return instants(rows.piece[kept], rows.place[kept]), rows.values[0], rows.values[-1]

    def _pieces(self, segments: Indices) -> tuple[Indices, Array, Array]:
        """Smooth pieces of segments in order of time: segment, start and end in s. # (P,) each."""
        owner, start = [segments], [np.zeros(segments.size)]
        for number, stretch in enumerate(self.stretches):
            own = segments[self._stretch[segments] == number]
            pieces = stretch.motions.pieces
            index = np.repeat(self._motion[own], pieces)
            piece = np.tile(np.arange(pieces), own.size)
            owner.append(np.repeat(own, pieces))
            start.append(stretch.motions.law_state(index, piece, np.zeros(piece.size)).s)
        segment, first = np.concatenate(owner), np.concatenate(start)
        order = np.lexsort((first, segment))
        segment, first = segment[order], first[order]
        own = np.append(True, np.diff(segment) != 0)
        kept = own | ((np.diff(first, prepend=0.0) > _SLIVER) & (first < 1.0 - _SLIVER))
        segment, first = segment[kept], first[kept]
        following = np.append(np.diff(segment) == 0, False)
        return segment, first, np.where(following, np.append(first[1:], 1.0), 1.0)

    @staticmethod
    def _hair(t: Array, side: Side) -> Array:
        """A step to one side of instants, just above rounding. # (m,) [s]."""
        return np.asarray((-_ROUNDING if side == "left" else _ROUNDING) * np.abs(t))


# ---------------------------------------------------------------------------------- Spacing of rows
# Straight lines between the rows of a motion miss no column by more than a bound. Between two rows
# at a distance h the straight line misses a column f by at most h²/8·max |f''|. The rows of a
# smooth piece lie where equal parts of the integral of √(|f''| / 8·bound) end, taken of the column
# that asks for most: close together where the motion bends, far apart where it does not. The second
# derivatives are second differences at a few places of the piece. What they do not see, such as a
# kink, shows midway between two rows, which are then halved.

_CELLS = 12  # of a piece, between the places where it is asked
_PLACES: Array = np.linspace(0.0, 1.0, _CELLS + 1)
_SAFETY = 0.8  # of the bound: what second differences, or the middle between two rows, may not see
_LEAST = 0.25  # of the densest cell's density: a zero of f'' is a place, not a cell
_TINY = 1e-9  # lines in a cell of a motion that is straight
_SAME = 0.01  # of the bound: sides of a switch that are no further apart are one row

# Columns at places of pieces. (piece (r,), place (r,)) -> (r, C)
Columns = Callable[[Indices, Array], Array]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PieceRows:
    """Rows of smooth pieces that follow each other.

    Args:
        piece: of each row. # (r,)
        place: in the piece; the last row of a piece means the side before what follows. # (r,)
        values: columns. # (r, C)
    """

    piece: Indices
    place: Array
    values: Array


def spaced_rows(columns: Columns, seconds: Array, bounds: Array) -> PieceRows:
    """Choose rows of pieces; every piece has one at either end.

    Args:
        columns: of the motion.
        seconds: lengths of the pieces. # (P,) [s]
        bounds: of what straight lines may miss, above zero. # (C,)
    """
    count = len(seconds)
    asked = columns(np.repeat(np.arange(count), _CELLS + 1), np.tile(_PLACES, count))
    rows = _equidistributed(asked.reshape(count, _CELLS + 1, -1), bounds)
    piece, place = rows
    values = columns(piece, place)
    unsure = np.flatnonzero(np.diff(piece) == 0)  # lines, by the row before them
    while unsure.size:
        before, after = place[unsure], place[unsure + 1]
        middle = 0.5 * (before + after)
        found = columns(piece[unsure], middle)
        off = np.abs(found - 0.5 * (values[unsure] + values[unsure + 1]))
        wide = (after - before) * seconds[piece[unsure]] > JUMP
        bad = np.flatnonzero(np.any(off > _SAFETY * bounds, axis=1) & wide)
        at = unsure[bad] + 1
        place = np.insert(place, at, middle[bad])
        piece = np.insert(piece, at, piece[unsure[bad]])
        values = np.insert(values, at, found[bad], axis=0)
        first = unsure[bad] + np.arange(bad.size)  # each insertion shifts the later ones
        unsure = np.sort(np.concatenate([first, first + 1]))
    return PieceRows(piece=piece, place=place, values=values)


def continuous(before: Array, after: Array, bounds: Array) -> bool | Array:
    """Return whether both sides of a switch are one row. # (..., C) each -> (...)."""
    return np.asarray(np.all(np.abs(after - before) <= _SAME * bounds, axis=-1))


def _equidistributed(values: Array, bounds: Array) -> tuple[Indices, Array]:
    """Pieces and places of rows. Args: values, at ``_PLACES`` of every piece. # (P, K, C)."""
    bends = np.abs(np.diff(values, n=2, axis=1))  # f''·(length of a cell)²
    worst = np.max(bends / (8.0 * _SAFETY * bounds), axis=2, initial=0.0)
    inside = np.maximum(worst[:, 1:], worst[:, :-1])
    lines = np.sqrt(np.column_stack([worst[:, 0], inside, worst[:, -1]]))  # of each cell
    lines = np.maximum(lines, _LEAST * np.max(lines, axis=1, keepdims=True)) + _TINY
    reached = np.concatenate([np.zeros((len(lines), 1)), np.cumsum(lines, axis=1)], axis=1)
    count = np.ceil(reached[:, -1]).astype(np.int64)
    piece = np.repeat(np.arange(len(count)), count + 1)
    first = np.cumsum(count + 1) - (count + 1)
    part = (np.arange(piece.size) - first[piece]) / count[piece]
    # The pieces lie side by side on one axis, so that one call inverts all of them.
    axis = reached / reached[:, -1:] + 2.0 * np.arange(len(count))[:, None]
    place = np.interp(part + 2.0 * piece, axis.ravel(), np.tile(_PLACES, len(count)))
    place[first], place[first + count] = 0.0, 1.0
    return piece, place
