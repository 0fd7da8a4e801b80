"""Which candidates are near to each other in time of travel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.order.joint_times import JointTimes
from robots.core.arrays import Array, Indices, Mask

NEIGHBOURS = 10
OUTSIDE = 5  # more of them, of other groups
_LOOKED_AT = (40, 400)  # nearest ones among which those of other groups are looked for
_ALL_LOOKED_AT = 800_000  # of all candidates together, within these
_SAMPLES = 64  # candidates whose surroundings are measured, to scale the joints
_ROWS = 4096  # candidates asked for at a time


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Near:
    """Near candidates of other points, the nearest first.

    Args:
        candidate: -1 where there are no more. # (C, K)
        seconds: of direct travel. # (C, K) [s]
        beyond: no candidate that is not listed is nearer than this. # (C,) [s]
    """

    candidate: Indices
    seconds: Array
    beyond: Array

    @classmethod
    def none(cls, count: int) -> Near:
        """No list, where none is asked for."""
        return cls(
            candidate=np.full((count, 1), -1, dtype=np.int64),
            seconds=np.full((count, 1), np.inf),
            beyond=np.zeros(count),
        )


def nearest(times: JointTimes, point: Indices, group: Indices) -> Near:
    """Near candidates of every candidate.

    Args:
        times: of the candidates.
        point: that each one serves. # (C,)
        group: that each one belongs to; every one's list goes beyond its group. # (C,)
    """
    grouped = bool(group.size) and bool(np.any(group != group[0]))
    looked_at = int(np.clip(_ALL_LOOKED_AT // max(1, point.size), *_LOOKED_AT))
    count = min(point.size, looked_at if grouped else NEIGHBOURS + 4)
    found, radius, unit = _ranked(times, count)
    rows = np.arange(point.size)[:, None]
    seconds = times.between(rows, found)
    seconds[point[found] == point[:, None]] = np.inf
    if count == point.size:
        beyond = np.full(point.size, np.inf)
    else:
        beyond = np.min(times.alone(radius[:, None] * unit), axis=1)
    rank = np.argsort(seconds, axis=1, kind="stable")
    found = np.take_along_axis(found, rank, axis=1)
    seconds = np.take_along_axis(seconds, rank, axis=1)
    kept = np.isfinite(seconds)
    if grouped:
        kept &= _both_sides(group[found] == group[:, None], kept)
    else:
        kept[:, NEIGHBOURS:] = False
    beyond = np.minimum(beyond, np.min(seconds, axis=1, where=~kept, initial=np.inf))
    return _packed(found, seconds, kept, beyond)


def _packed(found: Indices, seconds: Array, kept: Mask, beyond: Array) -> Near:
    """Lists without the ones that are not kept."""
    width = max(1, int(np.max(np.sum(kept, axis=1), initial=1)))
    rank = np.argsort(~kept, axis=1, kind="stable")[:, :width]
    kept = np.take_along_axis(kept, rank, axis=1)
    return Near(
        candidate=np.where(kept, np.take_along_axis(found, rank, axis=1), -1),
        seconds=np.where(kept, np.take_along_axis(seconds, rank, axis=1), np.inf),
        beyond=beyond,
    )


def _both_sides(inside: Mask, kept: Mask) -> Mask:
    """The first of the own group and the first of the others."""
    own, other = np.cumsum(inside & kept, axis=1), np.cumsum(~inside & kept, axis=1)
    return np.asarray(np.where(inside, own <= NEIGHBOURS, other <= OUTSIDE))


def _ranked(times: JointTimes, count: int) -> tuple[Indices, Array, Array]:
    """Nearest by the largest displacement in units that take about the same time.

    Returns:
        Candidates # (C, count), displacement of the last of them # (C,), unit of each joint # (n,).
    """
    from scipy.spatial import cKDTree

    unit = times.range_of(_typical(times))
    scaled = times.scaled[:, : times.joints] / unit
    tree = cKDTree(scaled)
    found, radius = [], []
    for low in range(0, len(scaled), _ROWS):
        distance, index = tree.query(scaled[low : low + _ROWS], k=[*range(1, count + 1)], p=np.inf)
        found.append(index)
        radius.append(distance[:, -1])
    return np.concatenate(found).astype(np.int64), np.concatenate(radius), unit


def _typical(times: JointTimes) -> float:
    """Seconds to a candidate that is near, but not among the nearest."""
    total = len(times.scaled)
    sample = np.arange(0, total, max(1, total // _SAMPLES))
    seconds = np.sort(times.between(sample[:, None], np.arange(total)), axis=1)
    typical = float(np.median(seconds[:, min(NEIGHBOURS, total - 1)]))
    return typical if typical > 0.0 else 1.0
