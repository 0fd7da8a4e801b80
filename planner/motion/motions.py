"""Many motions of one kind at once: geometry in s = t/T, durations beside it.

A motion is a path run through by a law. Everything exact (peaks, energies) is asked of whole
batches, because a job has thousands of motions of the same kind.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from planner.motion.law_table import LawState
from robots.core.arrays import Array, Indices
from robots.core.motion.joint_motion import PathState
from robots.core.motion.motion_law import Side


class Motions(Protocol):
    """A batch of motions, numbered from 0."""

    @property
    def count(self) -> int:
        """How many there are."""

    @property
    def pieces(self) -> int:
        """Pieces of their laws."""

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Progress inside a piece of the law. # (m,) each."""

    def law_at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """Progress at s; at a switch the side after it, or that of ``seen``. # (m,) each."""

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints where the law is. # (m, n) each."""


def along_path(path: PathState, law: LawState) -> PathState:
    """Chain rule: derivatives by the path parameter r, and the law r(s), make derivatives by s."""
    dr, ddr = law.dr[:, None], law.ddr[:, None]
    return PathState(q=path.q, dq=path.dq * dr, ddq=path.ddq * dr * dr + path.dq * ddr)


class OneMotion:
    """One motion of a batch as a path, for the time scaling of the core.

    Args:
        motions: the batch.
        index: of the motion.
    """

    def __init__(self, motions: Motions, index: int) -> None:
        self._motions = motions
        self._index = index

    @property
    def breaks(self) -> tuple[float, ...]:
        """Instants s where the law switches."""
        pieces = np.arange(self._motions.pieces)
        index = np.full(pieces.size, self._index)
        starts = self._motions.law_state(index, pieces, np.zeros(pieces.size)).s
        return tuple(float(s) for s in np.unique(starts) if 0.0 < s < 1.0)

    def state(self, s: Array, side: Side = "right") -> PathState:
        """Joints and derivatives by s. # (m,) -> (m, n) each."""
        flat = np.atleast_1d(np.asarray(s, dtype=np.float64))
        # The side of a switch is chosen by looking a hair before it.
        seen = np.nextafter(flat, -1.0) if side == "left" else flat
        index = np.full(flat.size, self._index)
        found = self._motions.states(index, self._motions.law_at(index, flat, seen))
        shape = (*np.shape(s), found.q.shape[1])
        return PathState(
            q=found.q.reshape(shape), dq=found.dq.reshape(shape), ddq=found.ddq.reshape(shape)
        )
