"""Integrals of absolute values of polynomials, root by root, so that no kink is in the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from robots.core.arrays import Array, Indices, Mask

_CELLS = 32
# An integral is as exact as the square of a root's error.
_STEPS = 20
_SETTLED = 1e-8
_NOISE = 1e-14  # of the largest height: what is lower at a border of cells is a root there
_INSIDE = 0.01  # of a cell


def absolute_integrals(legendre: Array) -> Array:
    """Integral of |p| over [-1, 1] for many polynomials.

    One root in each of 32 cells is found, and two; of three in one cell the area between two of
    them may be lost, which is less than the cell's width cubed.

    Args:
        legendre: their coefficients, lowest order first. # (h, order)

    Returns:
        # (h,)
    """
    powers = legendre @ _to_powers(legendre.shape[1])
    antiderivative = _antiderivatives(powers)
    u = np.linspace(-1.0, 1.0, _CELLS + 1)
    heights = powers @ np.vander(u, powers.shape[1], increasing=True).T
    areas = antiderivative @ np.vander(u, antiderivative.shape[1], increasing=True).T
    total = np.sum(np.abs(np.diff(areas, axis=1)), axis=1)
    cells = _cells(powers, u, heights)
    dip = _dips(powers, u, cells)
    np.add.at(total, dip.row, _gain(antiderivative[dip.row], dip.left, dip.bottom, dip.right))
    crossing, cell = np.nonzero(cells.below_left != cells.below_right)
    row = np.concatenate([crossing, dip.row, dip.row])
    left = np.concatenate([u[cell], dip.left, dip.bottom])
    right = np.concatenate([u[cell + 1], dip.bottom, dip.right])
    inset = np.where(cells.rooted[crossing, cell], _INSIDE * (u[1] - u[0]), 0.0)
    inset = np.concatenate([inset, np.zeros(2 * dip.row.size)])
    root = _root(powers[row], left + inset, right - inset)
    np.add.at(total, row, _gain(antiderivative[row], left, root, right))
    return np.asarray(total)


def _gain(antiderivative: Array, left: Array, middle: Array, right: Array) -> Array:
    """What is added when areas of two halves are counted by themselves. # (h,)."""
    before, at, after = (_horner(antiderivative, place) for place in (left, middle, right))
    return np.asarray(np.abs(at - before) + np.abs(after - at) - np.abs(after - before))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cells:
    """Signs at the ends of cells, just inside them where an end is a root. # (h, cells) each."""

    rooted: Mask
    below_left: Mask
    below_right: Mask


def _cells(powers: Array, u: Array, heights: Array) -> _Cells:
    low = np.abs(heights) <= _NOISE * np.max(np.abs(heights), axis=1, keepdims=True)
    rooted = low[:, :-1] | low[:, 1:]
    below_left, below_right = heights[:, :-1] < 0.0, heights[:, 1:] < 0.0
    row, cell = np.nonzero(rooted)
    step = _INSIDE * (u[1] - u[0])
    below_left[row, cell] = _horner(powers[row], u[cell] + step) < 0.0
    below_right[row, cell] = _horner(powers[row], u[cell + 1] - step) < 0.0
    return _Cells(rooted=rooted, below_left=below_left, below_right=below_right)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Dips:
    """Cells whose ends have the same sign and that hold an extremum of the other one. # (d,)."""

    row: Indices  # which polynomial
    left: Array
    bottom: Array
    right: Array


def _dips(powers: Array, u: Array, cells: _Cells) -> _Dips:
    derivatives = _derivatives(powers)
    slopes = derivatives @ np.vander(u, powers.shape[1] - 1, increasing=True).T
    side = np.where(cells.below_left, -1.0, 1.0)
    towards, away = slopes[:, :-1] * side < 0.0, slopes[:, 1:] * side > 0.0
    row, cell = np.nonzero((cells.below_left == cells.below_right) & towards & away)
    left, right = u[cell], u[cell + 1]
    bottom = _root(derivatives[row], left, right)
    through = _horner(powers[row], bottom) * side[row, cell] < 0.0
    return _Dips(row=row[through], left=left[through], bottom=bottom[through], right=right[through])


def _root(powers: Array, left: Array, right: Array) -> Array:
    """Newton's method kept between two places of different sign. # (h,)."""
    slopes = _derivatives(powers)
    falling = _horner(powers, left) >= 0.0
    low, high = left.copy(), right.copy()
    u = 0.5 * (low + high)
    for _ in range(_STEPS):
        value, slope = _horner(powers, u), _horner(slopes, u)
        beyond = (value < 0.0) == falling
        high, low = np.where(beyond, u, high), np.where(beyond, low, u)
        newton = u - value / np.where(slope != 0.0, slope, 1.0)
        inside = (newton >= low) & (newton <= high) & (slope != 0.0)
        before, u = u, np.where(inside, newton, 0.5 * (low + high))
        if np.all(np.abs(u - before) < _SETTLED):
            break
    return u


def _horner(powers: Array, u: Array) -> Array:
    value = powers[:, -1].copy()
    for k in range(powers.shape[1] - 2, -1, -1):
        value = value * u + powers[:, k]
    return value


def _derivatives(powers: Array) -> Array:
    return np.asarray(powers[:, 1:] * np.arange(1, powers.shape[1]))


def _antiderivatives(powers: Array) -> Array:
    zero = np.zeros((len(powers), 1))
    return np.concatenate([zero, powers / np.arange(1, powers.shape[1] + 1)], axis=1)


@cache
def _to_powers(order: int) -> Array:
    """What turns Legendre coefficients into powers. # (order, order)."""
    matrix = np.zeros((order, order))
    for k in range(order):
        unit = np.zeros(k + 1)
        unit[k] = 1.0
        matrix[k, : k + 1] = np.polynomial.legendre.leg2poly(unit)
    return matrix
