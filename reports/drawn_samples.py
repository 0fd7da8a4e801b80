"""Samples that are drawn: all of a short motion; of a long one those that hold its extremes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.motion.sampled_motion import SampledMotion
from planner.plan import Samples
from robots.core.arrays import Array, Indices

WHOLE = 100_000  # samples up to which all are kept
_BUCKETS = 1_200  # about one per pixel of a panel
_NAMES = ("t", "segment", "q", "qd", "qdd", "tau", "position")
BUCKETS = 1200  # about one per pixel of a panel


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnSamples:
    """Samples of a motion for figures and pages.

    Args:
        samples: kept ones, in order of time.
        count: of the whole motion.
        run: samples of the motion that share a bucket, of which those with the least and the
            largest value of every column are kept; 1 where all are kept.
    """

    samples: Samples
    count: int
    run: int


def drawn_samples(motion: SampledMotion, buckets: int = _BUCKETS) -> DrawnSamples:
    """Choose what is drawn; no column of joints, torques, powers or positions loses a peak.

    Args:
        motion: all samples.
        buckets: how many there are at most.
    """
    count = motion.count
    run = 1 if count <= WHOLE else -(-count // buckets)
    parts: list[list[Array]] = [[] for _ in _NAMES]
    first = 0
    for block in motion.blocks():
        size = len(block.t)
        keep = np.arange(size) if run == 1 else _kept(block, first, run, count)
        for part, name in zip(parts, _NAMES, strict=True):
            part.append(getattr(block, name)[keep])
        first += size
    columns: dict[str, Any] = {
        name: np.concatenate(part) for name, part in zip(_NAMES, parts, strict=True)
    }
    return DrawnSamples(samples=Samples(**columns), count=count, run=run)


def _kept(block: Samples, first: int, run: int, count: int) -> Indices:
    """Rows of a block with an extreme of their bucket, or an end of the motion.

    A bucket that two blocks share keeps the extremes of both its parts.
    """
    power = block.tau * block.qd
    total = np.sum(power, axis=1, keepdims=True)
    table = np.concatenate([block.q, block.qd, block.qdd, block.tau, power, total], axis=1)
    table = np.concatenate([table, block.position], axis=1)
    size = len(block.t)
    bucket = (first + np.arange(size)) // run
    edges = np.flatnonzero(np.diff(bucket, prepend=-1, append=-1))
    keep = [0] if first == 0 else []
    keep += [size - 1] if first + size == count else []
    for start, after in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        rows = table[start:after]
        keep += (start + np.argmin(rows, axis=0)).tolist()
        keep += (start + np.argmax(rows, axis=0)).tolist()
    return np.unique(np.array(keep, dtype=np.int64))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """Samples of a series that are drawn. # (M,) each."""

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
