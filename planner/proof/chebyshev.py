"""Functions on [-1, 1] known at Chebyshev's instants: coefficients, derivatives, integrals.

The instants are zeros of T_K, so no end of a piece is ever asked for: which side of a switch is
meant cannot matter. Differentiating the interpolant is the finite difference of the highest order
that K values allow, one-sided towards the ends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array

COUNT = 24  # K: a quintic law along a curved path is resolved to rounding in one or two pieces
_ANGLES = (2.0 * np.arange(COUNT) + 1.0) * np.pi / (2 * COUNT)
NODES: Array = np.cos(_ANGLES)[::-1].copy()
# Extremes of T_K lie between the nodes, where an interpolant departs most from its function.
WITNESSES: Array = np.cos(np.pi * np.array([22, 19, 16, 13, 11, 8, 5, 2]) / COUNT)
_ORDERS = np.arange(COUNT)


def basis(x: ArrayLike) -> Array:
    """T_0 ... T_(K-1) at x, by T_(n+1) = 2 x T_n - T_(n-1). # (...) -> (..., K)."""
    places = np.asarray(x, dtype=np.float64)
    rows = np.empty((COUNT, *places.shape))
    rows[0], rows[1] = 1.0, places
    twice = 2.0 * places
    for n in range(2, COUNT):
        np.multiply(twice, rows[n - 1], out=rows[n])
        rows[n] -= rows[n - 2]
    return np.moveaxis(rows, 0, -1)


def coefficients(values: Array) -> Array:
    """Coefficients of the interpolant of values at ``NODES``. # (P, K, C) -> (P, K, C)."""
    weights = np.full(COUNT, 2.0 / COUNT)
    weights[0] = 1.0 / COUNT
    return np.asarray(np.matmul(weights[:, None] * basis(NODES).T, values))


def derivative(c: Array) -> Array:
    """Coefficients of the derivative by x. # (P, K, C) -> (P, K, C)."""
    matrix = np.zeros((COUNT, COUNT))
    for n in range(COUNT):
        matrix[n, n + 1 :: 2] = 2.0 * np.arange(n + 1, COUNT, 2)
    matrix[0] /= 2.0
    return np.asarray(np.matmul(matrix, c))


def integral(c: Array) -> Array:
    """Integral over [-1, 1] (Fejér's rule). # (P, K, C) -> (P, C)."""
    even = np.zeros(COUNT)
    even[::2] = 2.0 / (1.0 - _ORDERS[::2] ** 2.0)
    return np.asarray(np.einsum("k,pkc->pc", even, c))


def at_ends(c: Array) -> tuple[Array, Array]:
    """Values at -1 and at 1. # (P, K, C) -> (P, C) each."""
    signs = np.where(_ORDERS % 2 == 0, 1.0, -1.0)
    return np.asarray(np.einsum("k,pkc->pc", signs, c)), np.asarray(np.sum(c, axis=1))


def row_values(c: Array, x: Array) -> Array:
    """Each row's own function at its own places, by Clenshaw. # (R, K), (R, m) -> (R, m)."""
    twice = 2.0 * x
    columns = np.ascontiguousarray(c.T)[:, :, None]
    later, last, new = np.zeros_like(x), np.zeros_like(x), np.empty_like(x)
    for k in range(len(columns) - 1, 0, -1):
        np.multiply(twice, last, out=new)
        new -= later
        new += columns[k]
        later, last, new = last, new, later
    return np.asarray(columns[0] + x * last - later)


def row_antiderivative(c: Array) -> Array:
    """Coefficients of each row's integral from some fixed place. # (R, K) -> (R, K + 1)."""
    padded = np.pad(c, ((0, 0), (0, 2)))
    a = np.zeros((c.shape[0], COUNT + 1))
    orders = np.arange(1, COUNT + 1)
    a[:, 1:] = (padded[:, :COUNT] - padded[:, 2:]) / (2.0 * orders)
    a[:, 1] += 0.5 * c[:, 0]
    return a


def bend_bound(c: Array) -> Array:
    """Bound of the second derivative: |T_n''| is at most n²(n²-1)/3. # (R, K) -> (R,)."""
    n = _ORDERS.astype(np.float64)
    return np.asarray(np.abs(c) @ (n * n * (n * n - 1.0) / 3.0))
