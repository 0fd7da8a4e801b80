"""Time-optimal travels: joint paths as fast as the limits allow, as a batch of motions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.motion.motions import LawState, LawTable, along_path
from robots.core.arrays import Array, Indices
from robots.core.errors import OverloadError
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import PathState
from robots.core.motion.joint_path import JointPath, polynomial_state
from robots.core.motion.motion_law import TIME_OPTIMAL
from robots.core.motion.time_optimal import Traversal, time_optimal

_GAP = 1.0  # of r before a piece that begins at rest: its start is not the end of the one before
_ROUNDING = 1e-12  # relative: sums of products that proofs are made with


class TimeOptimalMotions:
    """Traversals as motions over s = t/T, and as paths over λ = s to be certified.

    The law of each is r(s), pieces of second degree; the path q(r) comes from its polynomials.

    Args:
        traversals: one per motion.
        limits: that they keep.
        model: of the robot, for the share of the efforts in what binds; None where none is limited.
    """

    law = TIME_OPTIMAL

    def __init__(
        self, traversals: Sequence[Traversal], limits: JointLimits, model: Model | None
    ) -> None:
        self.duration = np.array([one.duration for one in traversals])
        self.bindings = tuple(_binding(one, limits, model) for one in traversals)
        paths = [one.path for one in traversals]
        k, n = len(paths), limits.dof
        most = max((len(path.length) for path in paths), default=1)
        self._powers = np.zeros((k, most, n, paths[0].powers.shape[2] if paths else 1))
        self._start = np.full((k, most), np.inf)  # of the pieces, in r of the law
        self._length = np.zeros((k, most))
        self._slope = np.zeros((k, most, 2, n))  # q' at both ends of the pieces
        for row, path in enumerate(paths):
            p = np.arange(len(path.length))
            self._powers[row, p] = path.powers
            self._start[row, p] = path.starts + _GAP * (np.cumsum(path.stops) - 1)
            self._length[row, p] = path.length
            for end, place in enumerate((np.zeros(len(p)), path.length)):
                self._slope[row, p, end] = path.piece_state(p, place).dq
        self._table = _law_table(traversals, self._start)
        self.pieces = self._table.pieces
        # Rates where the arcs of the law begin, and when.
        self._clock, self._rate = np.zeros((2, k, self.pieces))
        for row, one in enumerate(traversals):
            m = len(one.seconds)
            self._clock[row, :m] = (np.cumsum(one.seconds) - one.seconds) / one.duration
            self._rate[row, :m] = one.rate * one.duration

    @property
    def count(self) -> int:
        """Number of motions."""
        return len(self.duration)

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Progress inside a piece of each law. # (m,) each."""
        return self._table.state(index, piece, x)

    def law_at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """Progress at s; at a switch the side after it, or that of ``seen``. # (m,) each."""
        return self._table.at(index, s, seen)

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints where the law is. # (m, n) each."""
        piece = _piece(self._start[index], law.r)
        place = np.clip(law.r - self._start[index, piece], 0.0, self._length[index, piece])
        return along_path(polynomial_state(self._powers[index, piece], place), law)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at s = λ, as a path. # (m, n)."""
        return self.states(index, self.law_at(index, lam)).q

    def spread(self, index: Indices, low: Array, high: Array) -> Array:
        """Proven bound of |q(λ) - q(middle)| for λ in [low, high]. # (m, n).

        Inside a piece of the path every joint's q' lies between those at its ends, and on an arc
        of the law the rate between those at its ends.
        """
        first, last = self.law_at(index, low), self.law_at(index, high)
        inside = (self._clock[index] > low[:, None]) & (self._clock[index] < high[:, None])
        rate = np.max(self._rate[index] * inside, axis=1, initial=0.0)
        rate = np.maximum(rate, np.maximum(first.dr, last.dr))
        one, other = (_piece(self._start[index], law.r) for law in (first, last))
        number = np.arange(self._start.shape[1])
        touched = (number >= one[:, None]) & (number <= other[:, None])
        slope = np.max(np.max(np.abs(self._slope[index]), axis=2) * touched[..., None], axis=1)
        # Within one piece the q' at both ends of the interval say more.
        ends = [
            np.abs(polynomial_state(self._powers[index, one], r - self._start[index, one]).dq)
            for r in (first.r, last.r)
        ]
        slope = np.where((one == other)[:, None], np.maximum(*ends), slope)
        bound = 0.5 * ((high - low) * rate)[:, None] * slope
        return np.asarray(bound * (1.0 + _ROUNDING) + _ROUNDING * 1e-3)

    def along(self, index: Indices, low: Array, high: Array) -> Array:
        """Zero: the spread is all that is known. # (m, n)."""
        del low, high
        return np.zeros((index.size, self._slope.shape[-1]))


def traversals(
    paths: Sequence[JointPath], limits: JointLimits, model: Model | None
) -> list[Traversal | None]:
    """Time-optimal traversals; None of a path on which an effort limit cannot be kept at rest."""
    try:
        return list(time_optimal(paths, limits, model))
    except OverloadError:
        if len(paths) == 1:
            return [None]
    return [one for path in paths for one in traversals([path], limits, model)]


def _piece(starts: Array, r: Array) -> Indices:
    """The piece that holds r; at a border the one after it. # (m, p), (m,) -> (m,)."""
    return np.asarray(np.maximum(np.sum(r[:, None] >= starts, axis=1) - 1, 0))


def _law_table(motions: Sequence[Traversal], starts: Array) -> LawTable:
    """The arcs as pieces of a law; a motion with fewer ends with empty ones."""
    most = max((len(one.seconds) for one in motions), default=1)
    ends = np.ones((len(motions), most))
    origins = np.ones((len(motions), most))
    coefficients = np.zeros((len(motions), most, 3))
    for row, one in enumerate(motions):
        m, T = len(one.seconds), one.duration
        clock = np.concatenate([[0.0], np.cumsum(one.seconds)])
        clock /= clock[-1]
        ends[row, :m] = clock[1:]
        start = starts[row, one.piece] + one.place
        # From the slower end: near rest the other form is a difference that leaves only noise.
        late = one.push < 0.0
        rate = np.where(late, np.maximum(one.rate + one.push * one.seconds, 0.0), one.rate)
        rate[late & (rate <= _REST * np.max(one.rate))] = 0.0
        gone = one.seconds * (one.rate + 0.5 * one.push * one.seconds)
        origins[row, :m] = np.where(late, clock[1:], clock[:-1])
        coefficients[row, :m, 0] = np.where(late, start + gone, start)
        coefficients[row, :m, 1] = T * rate
        coefficients[row, :m, 2] = 0.5 * T * T * one.push
        coefficients[row, m:, 0] = coefficients[row, m - 1, 0]
    return LawTable.polynomials(ends, origins, coefficients)


_REST = 1e-12  # of the largest rate: what rounding leaves at the end


def _binding(one: Traversal, limits: JointLimits, model: Model | None) -> str:
    """The limit that the motion is nearest to for the longest time."""
    half = 0.5 * one.seconds
    place = one.place + half * (one.rate + 0.5 * half * one.push)
    rate = (one.rate + half * one.push)[:, None]
    path = one.path.piece_state(one.piece, place)
    qd, qdd = path.dq * rate, path.ddq * rate * rate + path.dq * one.push[:, None]
    shares = [np.abs(qd) / limits.max_speed, np.abs(qdd) / limits.max_acceleration]
    kinds = ["velocity", "acceleration"]
    if model is not None:
        shares.append(np.abs(model.torques(path.q, qd, qdd)) / limits.max_effort)
        kinds.append("torque")
    names = [f"{name} {kind}" for kind in kinds for name in limits.names]
    nearest = np.argmax(np.concatenate(shares, axis=1), axis=1)
    return names[int(np.argmax(np.bincount(nearest, weights=one.seconds)))]
