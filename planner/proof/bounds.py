"""Bounds of columns over the whole motion, gathered part by part, with where they are reached."""

from __future__ import annotations

import numpy as np

from planner.proof.check import Location
from planner.proof.evidence import Evidence
from planner.proof.peaks import Peaks
from planner.proof.smooth_pieces import SmoothPieces
from robots.core.arrays import Array


class ColumnBounds:
    """Highest values of some columns and of their negatives, and where they are.

    Args:
        columns: how many.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.upper, self.value = np.full((2, 2 * columns), -np.inf)
        self._segment = np.full(2 * columns, -1)
        self._instant = np.full(2 * columns, np.nan)

    @property
    def sizes(self) -> Array:
        """Bound of the size of each column, zero where nothing was taken in. # (columns,)."""
        up, down = np.split(np.where(np.isneginf(self.upper), 0.0, self.upper), 2)
        return np.asarray(np.maximum(np.maximum(up, down), 0.0))

    def take(self, found: Peaks, pieces: SmoothPieces) -> None:
        """Take in the peaks of some pieces."""
        if len(pieces):
            better = ~(found.value <= self.value)
            own = found.piece[better]
            x = 0.5 * (found.x[better] + 1.0)
            self._segment[better] = pieces.segment[own]
            self._instant[better] = pieces.start[own] + pieces.length[own] * x
        self.upper = np.maximum(self.upper, found.upper)
        self.value = np.maximum(self.value, found.value)

    def location(self, evidence: Evidence, column: int) -> Location:
        """Where the size of a column is largest; columns come joint by joint."""
        k = column if self.value[column] >= self.value[column + self.columns] else -1
        k = column + self.columns if k < 0 else k
        n = evidence.model.dof
        joint = evidence.joint(column % n) if column < (self.columns // n) * n else ""
        segment = int(self._segment[k])
        if segment < 0:
            return Location(joint=joint)
        return evidence.on_segment(segment, float(self._instant[k]), joint)
