"""Integrals of power over smooth pieces: net work, and the positive part that drives deliver.

The positive part needs every zero of a polynomial. Zeros between places where the sign differs are
bracketed; a pair of zeros between two places of one sign is possible only where the bend of the
polynomial lets it come down to zero in between. Such cells are divided until they are decided, or
until what they could hide is negligible; what is left undecided is a bound, not a hope.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.proof.blocks import by_blocks
from planner.proof.chebyshev import (
    COUNT,
    basis,
    coefficients,
    derivative,
    integral,
    row_antiderivative,
    row_values,
)
from robots.core.arrays import Array, Indices, Mask

_GRID = 96
_PLACES: Array = np.cos(np.pi * np.arange(_GRID, -1, -1) / _GRID)
# A polynomial of degree below K is nowhere larger than this times its largest value on the grid
# (Ehlich and Zeller 1964).
_BETWEEN = 1.0 / float(np.cos(np.pi * COUNT / (2 * _GRID)))
_PARTS = 8  # that an undecided cell is divided into
_DIVISIONS = 8  # at most: cells are then 1e-9 wide
_NEGLIGIBLE = 1e-14  # of the sum of the coefficients: an area that no sum would show
_STEPS = 60  # of bisection, most of which Newton's method saves
_ROWS = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parts:
    """Integrals of the positive parts of functions over time. # (P, C) each.

    Args:
        value: the integrals.
        unsure: bound of what pairs of zeros that were not looked for could add to them.
    """

    value: Array
    unsure: Array


def integrals(values: Array, lengths: Array) -> Array:
    """Integrate functions known at the nodes over time. # (P, K, C), (P,) -> (P, C)."""
    return np.asarray(integral(coefficients(values)) * (0.5 * lengths)[:, None])


def positive_parts(values: Array, lengths: Array) -> Parts:
    """Integrate max(f, 0) over time: half of the integrals of f and |f|. # -> (P, C)."""
    found = by_blocks(lambda rows: _positive(values[rows], lengths[rows]), len(values), _ROWS)
    return Parts(value=found[:, 0], unsure=found[:, 1])


def _positive(values: Array, lengths: Array) -> Array:
    """Integrals and their bounds. # (P, 2, C)."""
    c = coefficients(values)
    absolute, unsure = _absolute(c)
    half = 0.5 * (0.5 * lengths)[:, None]
    return np.stack([(integral(c) + absolute) * half, unsure * half], axis=1)


def _absolute(c: Array) -> tuple[Array, Array]:
    """Integral of |f| over [-1, 1] and what it may lack. # (P, K, C) -> (P, C) each."""
    pieces, _, columns = c.shape
    rows = np.swapaxes(c, 1, 2).reshape(-1, COUNT)
    values = rows @ basis(_PLACES).T
    row, cell = np.nonzero((values[:, 1:] >= 0.0) != (values[:, :-1] >= 0.0))
    dips, unsure = _dips(rows, values)
    crossings = _cells(values, row, cell).joined(dips)
    zero = _zeros(rows, crossings)
    whole = row_antiderivative(rows)
    ends = row_values(whole, np.tile([-1.0, 1.0], (len(rows), 1)))
    total = _sign(values[:, -1]) * ends[:, 1] - _sign(values[:, 0]) * ends[:, 0]
    area = row_values(whole[crossings.row], zero[:, None])[:, 0]
    np.add.at(total, crossings.row, 2.0 * _sign(crossings.left) * area)
    return total.reshape(pieces, columns), unsure.reshape(pieces, columns)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cells:
    """Stretches of rows' functions. # (m,) each.

    Values at the ends are kept: two ways to evaluate a polynomial disagree about the sign of zero,
    and a sign must be the same for both cells that it lies between.
    """

    row: Indices
    low: Array
    high: Array
    left: Array
    right: Array

    def joined(self, other: _Cells) -> _Cells:
        return _Cells(
            row=np.concatenate([self.row, other.row]),
            low=np.concatenate([self.low, other.low]),
            high=np.concatenate([self.high, other.high]),
            left=np.concatenate([self.left, other.left]),
            right=np.concatenate([self.right, other.right]),
        )

    def take(self, chosen: Mask) -> _Cells:
        return _Cells(
            row=self.row[chosen],
            low=self.low[chosen],
            high=self.high[chosen],
            left=self.left[chosen],
            right=self.right[chosen],
        )

    def divided(self, rows: Array) -> _Cells:
        """Each cell in equal parts, one after another."""
        steps = np.arange(1, _PARTS) / _PARTS
        inner = self.low[:, None] + (self.high - self.low)[:, None] * steps
        values = row_values(rows[self.row], inner)
        low, high = np.column_stack([self.low, inner]), np.column_stack([inner, self.high])
        left = np.column_stack([self.left, values])
        right = np.column_stack([values, self.right])
        return _Cells(
            row=np.repeat(self.row, _PARTS),
            low=low.ravel(),
            high=high.ravel(),
            left=left.ravel(),
            right=right.ravel(),
        )


def _cells(values: Array, row: Indices, cell: Indices) -> _Cells:
    """Cells of the grid."""
    return _Cells(
        row=row,
        low=_PLACES[cell],
        high=_PLACES[cell + 1],
        left=values[row, cell],
        right=values[row, cell + 1],
    )


def _sign(values: Array) -> Array:
    return np.where(values >= 0.0, 1.0, -1.0)


def _dips(rows: Array, values: Array) -> tuple[_Cells, Array]:
    """Cells with one zero each, out of cells whose ends have one sign; and what may be missed.

    Args:
        rows: coefficients of the functions. # (R, K)
        values: on the grid. # (R, grid)
    """
    bend = _BETWEEN * np.max(np.abs(_second_derivative(rows) @ basis(_PLACES).T), axis=1)
    size = np.abs(values)
    # Between two places h apart a function comes down by at most h²/8 times its bend.
    reach = 0.125 * np.diff(_PLACES) ** 2 * bend[:, None]
    alike = (values[:, 1:] >= 0.0) == (values[:, :-1] >= 0.0)
    row, cell = np.nonzero(alike & (np.minimum(size[:, 1:], size[:, :-1]) < reach))
    doubtful = _cells(values, row, cell)
    found = doubtful.take(np.zeros(row.size, dtype=bool))
    unsure = np.zeros(len(rows))
    negligible = _NEGLIGIBLE * np.sum(np.abs(rows), axis=1)
    for _ in range(_DIVISIONS):
        if doubtful.row.size == 0:
            break
        parts = doubtful.divided(rows)
        crossing = (parts.left >= 0.0) != (parts.right >= 0.0)
        found = found.joined(parts.take(crossing))
        h = parts.high - parts.low
        depth = 0.125 * h * h * bend[parts.row]
        doubt = ~crossing & (np.minimum(np.abs(parts.left), np.abs(parts.right)) < depth)
        small = doubt & (h * depth <= negligible[parts.row])
        np.add.at(unsure, parts.row[small], (h * depth)[small])
        doubtful = parts.take(doubt & ~small)
    h = doubtful.high - doubtful.low
    np.add.at(unsure, doubtful.row, 0.125 * h**3 * bend[doubtful.row])
    return found, 2.0 * unsure


def _zeros(rows: Array, cells: _Cells) -> Array:
    """The zero of each cell's function: Newton's method kept in a bracket. # (m,)."""
    c, low, high = rows[cells.row], cells.low.copy(), cells.high.copy()
    slopes = derivative(c[:, :, None])[:, :, 0]
    rising = cells.left < 0.0
    x = 0.5 * (low + high)
    for _ in range(_STEPS):
        value = row_values(c, x[:, None])[:, 0]
        slope = row_values(slopes, x[:, None])[:, 0]
        beyond = (value >= 0.0) == rising
        high, low = np.where(beyond, x, high), np.where(beyond, low, x)
        step = value / np.where(slope != 0.0, slope, 1.0)
        inside = (slope != 0.0) & (x - step >= low) & (x - step <= high)
        before, x = x, np.where(inside, x - step, 0.5 * (low + high))
        if np.all(np.abs(x - before) <= np.finfo(np.float64).eps):
            break
    return np.asarray(x)


def _second_derivative(rows: Array) -> Array:
    return np.asarray(derivative(derivative(rows[:, :, None]))[:, :, 0])
