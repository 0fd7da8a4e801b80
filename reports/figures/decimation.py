"""Long series brought to what a figure can show, without losing a peak."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array

BUCKETS = 1200  # about one per pixel of a panel


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """What is drawn of a series. # (M,) each."""

    t: Array
    values: Array


def decimated(t: Array, values: Array, buckets: int = BUCKETS) -> Curve:
    """The least and the largest value of every bucket of samples, in order of time.

    The first and the last sample stay. A series of at most two samples per bucket stays whole.

    Args:
        t: ascending. # (N,) [s]
        values: # (N,)
        buckets: how many there are at most.
    """
    n, size = len(t), run_length(len(t), buckets)
    if size == 1:
        return Curve(t=t, values=values)
    starts = np.arange(0, n, size)
    filled = np.append(values, np.full(len(starts) * size - n, values[-1]))
    table = filled.reshape(-1, size)
    low, high = starts + np.argmin(table, axis=1), starts + np.argmax(table, axis=1)
    keep = np.unique(np.clip(np.concatenate([[0], low, high, [n - 1]]), 0, n - 1))
    return Curve(t=t[keep], values=values[keep])


def run_length(count: int, buckets: int) -> int:
    """How many of ``count`` samples share a bucket; 1 where all of them are drawn."""
    return -(-count // buckets) if count > 2 * buckets else 1
