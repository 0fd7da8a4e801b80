"""Integrals of absolute values of polynomials, root by root, so that no kink is in the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_CELLS = 32
_STEPS = 12  # an integral is as exact as the square of a root's error


def absolute_integrals(legendre: Array) -> Array:
    """Integral of |p| over [-1, 1] for many polynomials.

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
    dip = _dips(powers, u, heights)
    gain = _gain(antiderivative[dip.row], dip.left, dip.bottom, dip.right)
    np.add.at(total, dip.row, gain)
    crossing, cell = np.nonzero((heights[:, :-1] < 0.0) != (heights[:, 1:] < 0.0))
    row = np.concatenate([crossing, dip.row, dip.row])
    left = np.concatenate([u[cell], dip.left, dip.bottom])
    right = np.concatenate([u[cell + 1], dip.bottom, dip.right])
    root = _root(powers[row], left, right)
    np.add.at(total, row, _gain(antiderivative[row], left, root, right))
    return np.asarray(total)


def _gain(antiderivative: Array, left: Array, middle: Array, right: Array) -> Array:
    """What is added when areas of two halves are counted by themselves. # (h,)."""
    before, at, after = (_horner(antiderivative, place) for place in (left, middle, right))
    return np.asarray(np.abs(at - before) + np.abs(after - at) - np.abs(after - before))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Dips:
    """Cells whose ends have the same sign and that hold an extremum of the other one."""

    row: Indices  # which polynomial
    left: Array
    bottom: Array
    right: Array


def _dips(powers: Array, u: Array, heights: Array) -> _Dips:
    derivatives = _derivatives(powers)
    slopes = derivatives @ np.vander(u, powers.shape[1] - 1, increasing=True).T
    a, b = heights[:, :-1], heights[:, 1:]
    side = np.where(a < 0.0, -1.0, 1.0)
    towards, away = slopes[:, :-1] * side < 0.0, slopes[:, 1:] * side > 0.0
    row, cell = np.nonzero(((a < 0.0) == (b < 0.0)) & towards & away)
    left, right = u[cell], u[cell + 1]
    bottom = _root(derivatives[row], left, right)
    through = _horner(powers[row], bottom) * side[row, cell] < 0.0
    return _Dips(
        row=row[through], left=left[through], bottom=bottom[through], right=right[through]
    )


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
        u = np.where(inside, newton, 0.5 * (low + high))
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
