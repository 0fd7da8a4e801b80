"""The highest values of polynomials over many pieces, proven, and where they are.

A polynomial of degree below K that is known on the M+1 extremes of T_M is nowhere higher than
1/cos(πK/2M) times its largest known value (Ehlich and Zeller 1964). Pieces that this leaves in
the race are zoomed into; between two places h apart it rises at most h²/8 times its bend.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.proof.chebyshev import COUNT, basis, bend_bound, coefficients, row_values
from planner.proof.check import Location
from planner.proof.evidence import Evidence
from planner.proof.resolved_motion import SmoothPieces, blocks, by_blocks
from robots.core.arrays import Array, Indices

OVER = 2e-7  # what a limit or a reported peak may be passed by, relative
# Values at the nodes of some pieces, by their numbers: (p,) or a slice -> (p, K, C).
Values = Callable[[Any], Array]
_GRID = 128
_PLACES: Array = np.cos(np.pi * np.arange(_GRID, -1, -1) / _GRID)
_TO_GRID: Array = np.matmul(basis(_PLACES), coefficients(np.eye(COUNT)[None])[0]).T.copy()
_BETWEEN = 1.0 / np.cos(np.pi * COUNT / (2 * _GRID)) - 1.0
_ZOOM = 9
_ZOOMS = 6
_ROWS = 256  # pieces whose grids are held in memory at once


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Peaks:
    """Of each column over all pieces, then of each column's negative.

    Args:
        upper: nowhere exceeded; -inf where the value to beat is not. # (2C,)
        value: highest one found; -inf likewise. # (2C,)
        piece: that holds it. # (2C,)
        x: its place there. # (2C,)
    """

    upper: Array
    value: Array
    piece: Indices
    x: Array


def peaks(values: Values, count: int, beat: Array | None = None) -> Peaks:
    """Highest and lowest value of every column.

    Args:
        values: of the pieces at their nodes.
        count: of pieces.
        beat: values of columns and negatives; pieces that stay below are not looked at. # (2C,)
    """
    seen = by_blocks(lambda rows: _seen(values(rows)), count, _ROWS)
    columns = seen.shape[1]
    beat = np.full(2 * columns, -np.inf) if beat is None else beat
    largest = np.maximum(seen[..., 0], seen[..., 2])
    signs = [
        _one_sign(
            lambda rows, sign=sign: sign * values(rows),  # type: ignore[misc]
            (seen[..., 2 * k], seen[..., 2 * k + 1], largest),
            beat[k * columns : (k + 1) * columns],
        )
        for k, sign in enumerate((1.0, -1.0))
    ]
    return Peaks(
        upper=np.concatenate([one.upper for one in signs]),
        value=np.concatenate([one.value for one in signs]),
        piece=np.concatenate([one.piece for one in signs]),
        x=np.concatenate([one.x for one in signs]),
    )


def _seen(values: Array) -> Array:
    """Highest on the grid and its place, then of the negative. # (p, K, C) -> (p, C, 4)."""
    columns = np.ascontiguousarray(np.swapaxes(values, 1, 2))
    grid = np.matmul(columns.reshape(-1, COUNT), _TO_GRID)
    rows, top, bottom = np.arange(len(grid)), np.argmax(grid, axis=1), np.argmin(grid, axis=1)
    found = np.stack([grid[rows, top], top, -grid[rows, bottom], bottom], axis=-1)
    return found.reshape(*columns.shape[:2], 4)


def _one_sign(values: Values, seen: tuple[Array, Array, Array], beat: Array) -> Peaks:
    best, at, largest = seen
    columns = best.shape[1]
    # What is not a number is in the race, too, so that it is not passed over.
    racing = ~(best + _BETWEEN * largest < np.maximum(np.max(best, axis=0, initial=-np.inf), beat))
    rows = np.nonzero(np.any(racing, axis=1))[0]
    row, column = np.nonzero(racing[rows])
    upper, highest = np.full((2, columns), -np.inf)
    winner, x = np.zeros(columns, dtype=np.int64), np.zeros(columns)
    if rows.size == 0:
        return Peaks(upper=upper, value=highest, piece=winner, x=x)
    c = np.concatenate(
        [
            coefficients(values(rows[part]))[row[own] - part.start, :, column[own]]
            for part in blocks(len(rows), _ROWS)
            for own in [(row >= part.start) & (row < part.stop)]
        ]
    )
    piece = rows[row]
    value, place, slack = _zoomed(c, at[piece, column].astype(np.int64))
    with np.errstate(invalid="ignore"):
        np.maximum.at(upper, column, value + slack)
    order = np.argsort(value, kind="stable")
    highest[column[order]] = value[order]  # the last written is the highest
    winner[column[order]], x[column[order]] = piece[order], place[order]
    return Peaks(upper=upper, value=highest, piece=winner, x=x)


def _zoomed(c: Array, at: Indices) -> tuple[Array, Array, Array]:
    """Value and place of each row's top near a place of the grid, and what may be above it."""
    low = _PLACES[np.maximum(at - 1, 0)]
    high = _PLACES[np.minimum(at + 1, _GRID)]
    rows, steps = np.arange(len(at)), np.linspace(0.0, 1.0, _ZOOM)
    top, place = np.zeros(len(at)), np.zeros(len(at))
    for _ in range(_ZOOMS):
        x = low[:, None] + (high - low)[:, None] * steps
        values = row_values(c, x)
        k = np.argmax(values, axis=1)
        top, place = values[rows, k], x[rows, k]
        low, high = x[rows, np.maximum(k - 1, 0)], x[rows, np.minimum(k + 1, _ZOOM - 1)]
    step = 0.5 * (high - low)
    return top, place, np.asarray(step * step / 8.0 * bend_bound(c))


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
