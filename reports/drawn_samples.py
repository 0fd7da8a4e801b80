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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnSamples:
    """What figures and pages show of a motion.

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
