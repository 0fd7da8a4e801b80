"""Dry friction jumps where a joint turns back: pieces are cut there, so that they are smooth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reports.validation.chebyshev import NODES, coefficients, row_values

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_STILL = 1e-9  # of a joint's fastest speed in a piece: what turns no faster is not cut
_BISECTIONS = 55


def sides(qd: Array) -> Array:
    """Sign of each joint's speed in a piece, zero where it is at rest. # (P, n)."""
    largest = np.take_along_axis(qd, np.argmax(np.abs(qd), axis=1)[:, None, :], axis=1)[:, 0]
    return np.asarray(np.sign(largest))


def turns(qd: Array, coulomb: Array) -> Mask:
    """Joints with dry friction that change direction inside a piece. # (P, n)."""
    least = _STILL * np.max(np.abs(qd), axis=1)
    both = (np.max(qd, axis=1) > least) & (np.min(qd, axis=1) < -least)
    return np.asarray(both & (coulomb > 0.0))


def cutting_places(qd: Array, turning: Mask) -> Array:
    """The middle, or where the first joint with dry friction turns. # (P,)."""
    x = np.zeros(len(qd))
    rows = np.nonzero(np.any(turning, axis=1))[0]
    joints = np.argmax(turning[rows], axis=1)
    c = coefficients(qd[rows])[np.arange(rows.size), :, joints]
    signs = np.sign(qd[rows, :, joints])
    at = np.argmax(signs[:, 1:] != signs[:, :-1], axis=1)
    low, high, before = NODES[at], NODES[at + 1], signs[np.arange(rows.size), at]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        left = np.sign(row_values(c, middle[:, None])[:, 0]) == before
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    x[rows] = 0.5 * (low + high)
    return x
