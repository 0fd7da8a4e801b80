"""Dry friction jumps where a joint turns back: pieces are cut there, so that they are smooth."""

from __future__ import annotations

import numpy as np

from planner.proof.chebyshev import NODES, at_ends, coefficients, row_values
from robots.core.arrays import Array, Mask

_STILL = 1e-9  # of a joint's fastest speed in a piece: what turns no faster is not cut
_AT_REST = 1e-6  # likewise, at the ends of a piece
_BISECTIONS = 55
_PLACES: Array = np.concatenate([[-1.0], NODES, [1.0]])


def sides(qd: Array) -> Array:
    """Sign of each joint's speed in a piece, zero where it is at rest. # (P, n)."""
    largest = np.take_along_axis(qd, np.argmax(np.abs(qd), axis=1)[:, None, :], axis=1)[:, 0]
    return np.asarray(np.sign(largest))


def turns(qd: Array, coulomb: Array) -> Mask:
    """Joints with dry friction that change direction inside a piece. # (P, n)."""
    least = _STILL * np.max(np.abs(qd), axis=1)
    values = _with_ends(qd)
    both = (np.max(values, axis=1) > least) & (np.min(values, axis=1) < -least)
    return np.asarray(both & (coulomb > 0.0))


def _with_ends(qd: Array) -> Array:
    """Speeds at ``_PLACES``: joints may turn before the first node. # (P, K + 2, n).

    An end that is all but at rest has the sign of rounding and counts as what it is next to.
    """
    first, last = at_ends(coefficients(qd))
    small = _AT_REST * np.max(np.abs(qd), axis=1)
    first = np.where(np.abs(first) <= small, qd[:, 0], first)
    last = np.where(np.abs(last) <= small, qd[:, -1], last)
    return np.concatenate([first[:, None], qd, last[:, None]], axis=1)


def cutting_places(qd: Array, turning: Mask) -> Array:
    """The middle, or where the first joint with dry friction turns. # (P,)."""
    x = np.zeros(len(qd))
    rows = np.nonzero(np.any(turning, axis=1))[0]
    joints = np.argmax(turning[rows], axis=1)
    c = coefficients(qd[rows])[np.arange(rows.size), :, joints]
    values = _with_ends(qd[rows])[np.arange(rows.size), :, joints]
    signs = np.sign(values)
    at = np.argmax(signs[:, 1:] != signs[:, :-1], axis=1)
    low, high, before = _PLACES[at], _PLACES[at + 1], signs[np.arange(rows.size), at]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        left = np.sign(row_values(c, middle[:, None])[:, 0]) == before
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    x[rows] = 0.5 * (low + high)
    return x
