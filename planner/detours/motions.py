"""Detours as motions: exact states at any time, durations known in closed form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.detours.rounded import PEAK, RoundedMotion
from planner.motion.law_table import LawState
from robots.core.arrays import Array, Indices
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import PathState, at_rest

LAW = "rounded"
"""Name of the law of detours: changes of velocity with a smooth bump of acceleration."""

_SLIVER = 1e-11  # of a motion
_ROUNDING = 1e-12  # relative: sums of products that proofs are made with


class DetourMotions:
    """Motions with round corners, from rest to rest; also paths over s = t/T to be certified.

    Args:
        motions: pieces of each; none where nothing moves.
        rests: joints of motions that do not move. # (k, n) [rad]
        limits: of the joints.
    """

    def __init__(self, motions: Sequence[RoundedMotion], rests: Array, limits: JointLimits) -> None:
        k, n = rests.shape
        motions = [_without_slivers(pieces) for pieces in motions]
        self.pieces = max((len(pieces.duration) for pieces in motions), default=1) or 1
        self._limits = limits
        self._length = np.zeros((k, self.pieces))  # [s]
        self._q = np.repeat(rests[:, None], self.pieces, axis=1)
        self._before = np.zeros((k, self.pieces, n))
        self._after = np.zeros((k, self.pieces, n))
        for row, pieces in enumerate(motions):
            p = len(pieces.duration)
            self._length[row, :p] = pieces.duration
            self._q[row, :p], self._before[row, :p] = pieces.q, pieces.before
            self._after[row, :p] = pieces.after
        ends = np.cumsum(self._length, axis=1)
        # A joint may rest on some legs only: what no more than noise could move it by is no speed.
        whole = ends[:, -1, None, None]
        self._before = np.where(at_rest(self._before * whole), 0.0, self._before)
        self._after = np.where(at_rest(self._after * whole), 0.0, self._after)
        self.duration = ends[:, -1]
        """Least durations. # (k,) [s]."""
        scale = np.where(self.duration > 0.0, self.duration, 1.0)[:, None]
        # Empty pieces lie at the end, where s = 1. # (k, pieces)
        still = (self.duration == 0.0)[:, None]
        self._end = np.where((ends == self.duration[:, None]) | still, 1.0, ends / scale)
        self._start = np.concatenate([np.zeros((k, 1)), self._end[:, :-1]], axis=1)
        self._last = np.maximum(np.sum(self._length > 0.0, axis=1) - 1, 0)

    @property
    def count(self) -> int:
        """Number of motions."""
        return len(self.duration)

    @property
    def bindings(self) -> tuple[str, ...]:
        """The limit that each motion is at for the longest time; empty where nothing moves."""
        change = (self._after - self._before) / np.where(self._length > 0, self._length, np.inf)[
            ..., None
        ]
        by_speed = np.abs(self._before) / self._limits.max_speed
        by_acceleration = PEAK * np.abs(change) / self._limits.max_acceleration
        held = np.all(self._before == self._after, axis=2)
        shares = np.where(held[..., None], by_speed, by_acceleration)
        k, n = self.count, self._limits.dof
        column = np.argmax(shares, axis=2) + np.where(held, 0, n)
        total = np.zeros((k, 2 * n))
        np.add.at(total, (np.arange(k)[:, None], column), self._length)
        kinds = [f"{name} velocity" for name in self._limits.names]
        kinds += [f"{name} acceleration" for name in self._limits.names]
        return tuple(
            kinds[int(np.argmax(row))] if moves else ""
            for row, moves in zip(total, self.duration > 0.0, strict=True)
        )

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Place inside a piece; the law itself is r = s. # (m,) each."""
        start, end = self._start[index, piece], self._end[index, piece]
        return _identity(start + (end - start) * x)

    def law_at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """At s; both sides of every border of pieces are alike. # (m,) each."""
        del index, seen
        return _identity(s)

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints and derivatives by s. # (m, n) each."""
        piece = self._piece(index, law.r)
        tau, T = self._length[index, piece], self.duration[index]
        t = (law.r - self._start[index, piece]) * T
        u = np.clip(t / np.where(tau > 0.0, tau, 1.0), 0.0, 1.0)[:, None]
        before, change = self._before[index, piece], self._change(index, piece)
        length = tau[:, None]
        q = self._q[index, piece] + length * u * (before + change * u * u * (1.0 - 0.5 * u))
        # From the nearer end: near rest the other form is a difference that leaves only noise.
        w = 1.0 - u
        rising, falling = u * u * (3.0 - 2.0 * u), w * w * (3.0 - 2.0 * w)
        after = self._after[index, piece]
        speed = np.where(u < 0.5, before + change * rising, after - change * falling)
        bump = 6.0 * u * (1.0 - u) / np.where(length > 0.0, length, 1.0)
        T = T[:, None]
        return PathState(q=q, dq=T * speed, ddq=T * T * change * bump)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at s = λ, as a path. # (m, n)."""
        return self.states(index, _identity(lam)).q

    def spread(self, index: Indices, low: Array, high: Array) -> Array:
        """Proven bound of |q(λ) - q(middle)| for λ in [low, high]. # (m, n).

        Inside a piece every joint's speed lies between those at its ends, so the largest speed of
        an interval is at its ends or at a border of pieces.
        """
        ends = np.maximum(self._speed(index, low), self._speed(index, high))
        start = self._start[index]
        inside = (start > low[:, None]) & (start < high[:, None])
        borders = np.max(np.abs(self._before[index]) * inside[..., None], axis=1)
        half = 0.5 * (high - low) * self.duration[index]
        bound = half[:, None] * np.maximum(ends, borders)
        return np.asarray(bound * (1.0 + _ROUNDING) + _ROUNDING * 1e-3)

    def take(self, chosen: Indices) -> DetourMotions:
        """Some of the motions, in the order given."""
        motions = [
            RoundedMotion(
                duration=self._length[k],
                q=self._q[k],
                before=self._before[k],
                after=self._after[k],
            )
            for k in chosen
        ]
        return DetourMotions(motions, self._q[chosen, 0], self._limits)

    def _speed(self, index: Indices, s: Array) -> Array:
        """|dq/dt| at s. # (m, n)."""
        T = np.where(self.duration[index] > 0.0, self.duration[index], 1.0)
        return np.asarray(np.abs(self.states(index, _identity(s)).dq) / T[:, None])

    def _piece(self, index: Indices, s: Array) -> Indices:
        piece = np.sum(s[:, None] >= self._end[index], axis=1)
        return np.asarray(np.minimum(piece, self._last[index]))

    def _change(self, index: Indices, piece: Indices) -> Array:
        return np.asarray(self._after[index, piece] - self._before[index, piece])


def _without_slivers(pieces: RoundedMotion) -> RoundedMotion:
    """The motion without pieces that rounding made: too short to move anything by more than noise.

    What is left of two corners that meet is a change of speed by 1e-13 in 1e-13 s, whose
    acceleration is a figure without meaning.
    """
    kept = pieces.duration > _SLIVER * np.sum(pieces.duration)
    if np.all(kept):
        return pieces
    return RoundedMotion(
        duration=pieces.duration[kept],
        q=pieces.q[kept],
        before=pieces.before[kept],
        after=pieces.after[kept],
    )


def _identity(s: Array) -> LawState:
    return LawState(s=s, r=s, dr=np.ones_like(s), ddr=np.zeros_like(s))
