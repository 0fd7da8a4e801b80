"""All travels of a plan as one batch: most go straight, some go around."""

from __future__ import annotations

import numpy as np

from planner.detours.motions import LAW, DetourMotions
from planner.motion.law_table import LawState
from planner.motion.travel import TravelMotions
from robots.core.arrays import Array, Indices
from robots.core.motion.joint_motion import PathState


class MixedTravels:
    """Straight travels, some of which give way to detours.

    Args:
        straight: all travels as straight joint motions.
        detours: those that go around.
        travels: which ones these are. # (detours,)
    """

    def __init__(self, straight: TravelMotions, detours: DetourMotions, travels: Indices) -> None:
        self._straight, self._detours = straight, detours
        self._row = np.full(straight.count, -1, dtype=np.int64)
        self._row[travels] = np.arange(travels.size)
        self.pieces = max(straight.pieces, detours.pieces if travels.size else 1)

    @property
    def count(self) -> int:
        """Number of travels."""
        return self._straight.count

    @property
    def duration(self) -> Array:
        """Least times. # (k,) [s]."""
        duration = self._straight.duration
        around = self._row >= 0
        duration[around] = self._detours.duration[self._row[around]]
        return duration

    @property
    def bindings(self) -> tuple[str, ...]:
        """Limits that fix each duration; empty where nothing moves."""
        around = self._detours.bindings
        return tuple(
            around[row] if row >= 0 else binding
            for row, binding in zip(self._row, self._straight.bindings, strict=True)
        )

    def law_name(self, travel: int, straight: str) -> str:
        """Name of a travel's law, where straight ones have the name given."""
        return LAW if self._row[travel] >= 0 else straight

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Progress inside a piece; a motion with fewer pieces ends with empty ones. # (m,)."""
        around = self._row[index] >= 0
        state = LawState(
            s=np.ones(x.size), r=np.ones(x.size), dr=np.zeros(x.size), ddr=np.zeros(x.size)
        )
        mine = np.nonzero(~around & (piece < self._straight.pieces))[0]
        _fill(state, mine, self._straight.law_state(index[mine], piece[mine], x[mine]))
        mine = np.nonzero(around & (piece < self._detours.pieces))[0]
        row = self._row[index[mine]]
        _fill(state, mine, self._detours.law_state(row, piece[mine], x[mine]))
        return state

    def law_at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """Progress at s; at a switch the side after it, or that of ``seen``. # (m,)."""
        straight = self._straight.law_at(index, s, seen)
        state = LawState(s=s, r=straight.r.copy(), dr=straight.dr.copy(), ddr=straight.ddr.copy())
        mine = np.nonzero(self._row[index] >= 0)[0]
        found = self._detours.law_at(self._row[index[mine]], s[mine])
        state.r[mine], state.dr[mine], state.ddr[mine] = found.r, found.dr, found.ddr
        return state

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints where the law is. # (m, n) each."""
        state = self._straight.states(index, law)
        mine = np.nonzero(self._row[index] >= 0)[0]
        if mine.size:
            part = LawState(s=law.s[mine], r=law.r[mine], dr=law.dr[mine], ddr=law.ddr[mine])
            found = self._detours.states(self._row[index[mine]], part)
            state.q[mine], state.dq[mine], state.ddq[mine] = found.q, found.dq, found.ddq
        return state

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints of the travels as paths, to be certified. # (m, n)."""
        q = self._straight.starts[index] + self._straight.displacements[index] * lam[:, None]
        mine = np.nonzero(self._row[index] >= 0)[0]
        q[mine] = self._detours.joints(self._row[index[mine]], lam[mine])
        return np.asarray(q)

    def spread(self, index: Indices, low: Array, high: Array) -> Array:
        """Proven bound of |q(λ) - q(middle)| for λ in [low, high]. # (m, n)."""
        half = 0.5 * (high - low)[:, None] * (1.0 + 1e-9)  # rounding
        bound = np.abs(self._straight.displacements[index]) * half
        mine = np.nonzero(self._row[index] >= 0)[0]
        bound[mine] = self._detours.spread(self._row[index[mine]], low[mine], high[mine])
        return np.asarray(bound)


def _fill(state: LawState, rows: Indices, part: LawState) -> None:
    state.s[rows], state.r[rows] = part.s, part.r
    state.dr[rows], state.ddr[rows] = part.dr, part.ddr
