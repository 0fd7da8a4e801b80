"""Many motions of one kind at once: geometry in s = t/T, durations beside it.

A motion is a path run through by a law. Everything exact (peaks, energies) is asked of whole
batches, because a job has thousands of motions of the same kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.motion.joint_motion import PathState
from robots.core.motion.motion_law import MotionLaw, Side


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


# --------------------------------------------------------------------------------------- Law table
# An exact maximum is looked for piece by piece, so that a jump of acceleration between two pieces
# is seen from both of its sides without being asked for.

_DEGREE = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LawState:
    """Progress r and its derivatives by s = t/T."""

    s: Array  # (m,)
    r: Array  # (m,)
    dr: Array  # (m,)
    ddr: Array  # (m,)


class LawTable:
    """The laws of a list of motions.

    Args:
        laws: one per motion.
    """

    def __init__(self, laws: Sequence[MotionLaw]) -> None:
        self.pieces = max((len(law.pieces) for law in laws), default=1)
        shape = (len(laws), self.pieces)
        self._start = np.ones(shape)
        self._end = np.ones(shape)
        self._origin = np.ones(shape)
        self._coefficients = np.zeros((*shape, _DEGREE + 1))
        self._symmetric = np.array([len(law.pieces) == 1 for law in laws], dtype=bool)
        for row, law in enumerate(laws):
            start = 0.0
            for column, piece in enumerate(law.pieces):
                self._start[row, column], self._end[row, column] = start, piece.end
                self._origin[row, column] = piece.origin
                self._coefficients[row, column, : len(piece.coefficients)] = piece.coefficients
                start = piece.end
            # A law with fewer pieces ends with empty ones, at rest at s = 1.
            self._coefficients[row, len(law.pieces) :, 0] = 1.0

    @classmethod
    def polynomials(cls, ends: Array, origins: Array, coefficients: Array) -> LawTable:
        """Laws by their pieces, which need not be symmetric in time.

        Args:
            ends: of the pieces, the last of each motion 1. # (k, p)
            origins: that the powers of each piece are counted from. # (k, p)
            coefficients: in rising powers. # (k, p, 1 to 6)
        """
        table = cls(())
        table.pieces = ends.shape[1]
        table._start = np.concatenate([np.zeros((len(ends), 1)), ends[:, :-1]], axis=1)
        table._end, table._origin = ends, origins
        table._coefficients = np.zeros((*ends.shape, _DEGREE + 1))
        table._coefficients[..., : coefficients.shape[2]] = coefficients
        table._symmetric = np.zeros(len(ends), dtype=bool)
        return table

    @property
    def count(self) -> int:
        """Number of laws."""
        return len(self._end)

    def state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Inside a piece of each motion's law: x = 0 at its start, 1 at its end. # (m,) each."""
        start, end = self._start[index, piece], self._end[index, piece]
        return self._at(index, piece, start + (end - start) * x)

    def at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """At s of each motion; at a switch the piece after it is meant.

        Args:
            index: of the motions. # (m,)
            s: # (m,)
            seen: places a hair beside s that choose the piece instead, for one side of a switch.
        """
        chosen = s if seen is None else seen
        piece = np.sum(chosen[:, None] >= self._end[index], axis=1)
        return self._at(index, np.minimum(piece, self._last[index]), s)

    @cached_property
    def _last(self) -> Indices:
        """The last piece of each law that is not empty. # (k,)."""
        return np.asarray(np.maximum(np.sum(self._start < 1.0, axis=1) - 1, 0))

    def _at(self, index: Indices, piece: Indices, s: Array) -> LawState:
        # A law of one piece is symmetric: from its nearer end its rate is a product, where from the
        # other end a difference would leave noise of either sign.
        mirrored = self._symmetric[index] & (piece == 0) & (s > 0.5)
        x = np.where(mirrored, 1.0 - s, s - self._origin[index, piece])
        c = self._coefficients[index, piece]
        r, dr, ddr = c[:, -1].copy(), np.zeros_like(x), np.zeros_like(x)
        for k in range(_DEGREE - 1, -1, -1):  # Horner for a polynomial and two derivatives
            ddr = ddr * x + 2.0 * dr
            dr = dr * x + r
            r = r * x + c[:, k]
        r, ddr = np.where(mirrored, 1.0 - r, r), np.where(mirrored, -ddr, ddr)
        return LawState(s=s, r=r, dr=dr, ddr=ddr)
