"""Few postures out of many for each point: none twice, every branch before a second of any."""

from __future__ import annotations

import numpy as np

from planner.reach.serial_task import SerialTask
from robots.core.arrays import Array, Indices, Mask


def distinct(task: SerialTask, point: Indices, q: Array, apart: float) -> Indices:
    """Rows that differ from every earlier one of their point, whole turns aside.

    Args:
        task: for the joints' units and kinds.
        point: rising. # (m,)
        q: # (m, n) [rad or m]
        apart: least difference of some joint, in joint units.
    """
    first = np.searchsorted(point, point)
    rank = np.arange(point.size) - first
    kept = np.ones(point.size, dtype=np.bool_)
    for back in range(1, int(np.max(rank, initial=0)) + 1):
        # Row by row against the one ``back`` places before it, of the same point.
        rows = np.nonzero(rank >= back)[0]
        away = np.abs(q[rows] - q[rows - back])
        turned = np.abs(away - 2.0 * np.pi * np.round(away / (2.0 * np.pi)))
        away = np.where(task.angular, turned, away) / task.units
        kept[rows[np.max(away, axis=1) < apart]] = False
    return np.nonzero(kept)[0]


def signatures(task: SerialTask, q: Array) -> Indices:
    """Which joints turn to the positive side, as bits: a coarse name of the branch. # (m,)."""
    bits = 1 << np.arange(q.shape[1], dtype=np.int64)
    return np.asarray(np.sum((task.angular & positive(q)) * bits, axis=1))


def positive(q: Array) -> Mask:
    """Angles in [0, π), whole turns aside. # (..., n)."""
    return np.asarray(np.floor(q / np.pi).astype(np.int64) % 2 == 0)


def spread(point: Indices, signature: Indices, value: Array, most: int) -> Indices:
    """At most so many rows of each point: the best of every signature, then the second best.

    Args:
        point: # (m,)
        signature: of the branch. # (m,)
        value: higher is better. # (m,)
        most: per point.

    Returns:
        Rows, by point and then best first.
    """
    order = np.lexsort((-value, signature, point))
    turn = _places(point[order], signature[order])
    order = order[np.lexsort((-value[order], turn, point[order]))]
    place = _places(point[order], np.zeros_like(point))
    return order[place < most]


def _places(*keys: Indices) -> Indices:
    """Place of each row in its run of equal keys. # (m,)."""
    m = keys[0].size
    new = np.ones(m, dtype=np.bool_)
    new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    starts = np.nonzero(new)[0]
    return np.arange(m) - starts[np.cumsum(new) - 1] if m else np.zeros(0, dtype=np.int64)
