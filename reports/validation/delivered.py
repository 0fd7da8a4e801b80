"""Integrals of power: net work, and the positive part that drives must deliver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reports.validation.blocks import by_blocks
from reports.validation.chebyshev import (
    COUNT,
    basis,
    coefficients,
    derivative,
    integral,
    row_antiderivative,
    row_values,
)

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_GRID = 96
_PLACES: Array = np.cos(np.pi * np.arange(_GRID, -1, -1) / _GRID)
_NEWTON = 6
_ROWS = 256


def integrals(values: Array, lengths: Array) -> Array:
    """Integral over time of functions known at the nodes. # (P, K, C), (P,) -> (P, C)."""
    return np.asarray(integral(coefficients(values)) * (0.5 * lengths)[:, None])


def positive_parts(values: Array, lengths: Array) -> Array:
    """Integral over time of max(f, 0): half of the integrals of f and |f|. # -> (P, C)."""
    return by_blocks(lambda rows: _positive(values[rows], lengths[rows]), len(values), _ROWS)


def _positive(values: Array, lengths: Array) -> Array:
    c = coefficients(values)
    return np.asarray(0.5 * (integral(c) + _absolute(c)) * (0.5 * lengths)[:, None])


def _absolute(c: Array) -> Array:
    """Integral of |f| over [-1, 1]: f's antiderivative between its zeros. # (P, K, C) -> (P, C)."""
    pieces, _, columns = c.shape
    values = np.matmul(basis(_PLACES), c)
    rows = np.swapaxes(c, 1, 2).reshape(-1, COUNT)
    values = np.swapaxes(values, 1, 2).reshape(-1, _GRID + 1)
    whole = row_antiderivative(rows)
    ends = row_values(whole, np.tile([-1.0, 1.0], (len(rows), 1)))
    signs = np.where(values >= 0.0, 1.0, -1.0)
    total = signs[:, -1] * ends[:, 1] - signs[:, 0] * ends[:, 0]
    row, cell = np.nonzero(signs[:, 1:] != signs[:, :-1])
    zero = _zeros(rows[row], cell, (values[row, cell], values[row, cell + 1]))
    np.add.at(total, row, 2.0 * signs[row, cell] * row_values(whole[row], zero[:, None])[:, 0])
    return np.asarray(total.reshape(pieces, columns))


def _zeros(c: Array, cell: Indices, ends: tuple[Array, Array]) -> Array:
    """The zero of each row in its cell: a secant, then Newton kept inside. # (R,)."""
    low, high = _PLACES[cell], _PLACES[cell + 1]
    left, right = np.abs(ends[0]), np.abs(ends[1])
    x = low + (high - low) * left / (left + right)
    slopes = derivative(c[:, :, None])[:, :, 0]
    for _ in range(_NEWTON):
        slope = row_values(slopes, x[:, None])[:, 0]
        value = row_values(c, x[:, None])[:, 0]
        step = np.where(slope != 0.0, value / np.where(slope != 0.0, slope, 1.0), 0.0)
        x = np.clip(x - step, low, high)
    return np.asarray(x)
