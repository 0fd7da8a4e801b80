"""The whole motion in time: segments laid end to end, to be asked at any instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.motions import Motions
from planner.plan_types import Samples
from robots.core.errors import MotionError
from robots.core.model import Model

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Side = Literal["left", "right"]

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
        q, qd, qdd = np.array(self._rests[segment]), np.zeros((t.size, n)), np.zeros((t.size, n))
        for stretch in self.stretches:
            owner = np.full(self.starts.size, -1)
            owner[stretch.segment] = stretch.index
            rows = np.nonzero(owner[segment] >= 0)[0]
            if rows.size == 0:
                continue
            where, T = segment[rows], self.durations[segment[rows]]
            safe = np.where(T > 0.0, T, 1.0)
            s = np.clip((t[rows] - self.starts[where]) / safe, 0.0, 1.0)
            seen = s + self._hair(t[rows], side) / safe
            index = owner[where]
            path = stretch.motions.states(index, stretch.motions.law_at(index, s, seen))
            q[rows] = path.q
            qd[rows] = np.where(T[:, None] > 0.0, path.dq / safe[:, None], 0.0)
            qdd[rows] = np.where(T[:, None] > 0.0, path.ddq / (safe * safe)[:, None], 0.0)
        return MotionState(q=q, qd=qd, qdd=qdd)

    def sample(self, period: float) -> Samples:
        """The motion every ``period`` seconds and at its last instant."""
        total = self.duration
        count = int(np.floor(total / period + 1e-9)) + 1
        t: Array = np.minimum(np.arange(count) * period, total)
        if total - t[-1] > 1e-9 * period:
            t = np.append(t, np.float64(total))
        t[-1] = total
        segment = self.segment_at(t)
        state = self.segment_state(segment, t)
        return Samples(
            t=t,
            segment=segment,
            q=state.q,
            qd=state.qd,
            qdd=state.qdd,
            tau=self.model.torques(state.q, state.qd, state.qdd),
            position=self.model.forward(state.q)[:, :3, 3],
        )

    @staticmethod
    def _hair(t: Array, side: Side) -> Array:
        """A step to one side of instants, just above rounding. # (m,) [s]."""
        return np.asarray((-_ROUNDING if side == "left" else _ROUNDING) * np.abs(t))
