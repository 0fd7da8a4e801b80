"""Islands: groups of postures that no travel leads out of, whatever its detour.

Past the part there is nearly always a way, over it. What separates postures for good is the robot,
whose upper arm does not pass through its own base, and what stands around it. Islands are therefore
told apart without the part, by straight joint motions on a few places each: they advise the choice
of postures and prove nothing.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from planner.clearance.checker import Checker
from robots.core.arrays import Array, Indices

_HUBS = 48  # postures far from one another
_NEAR = 4  # hubs that a posture is joined to
_PLACES = np.linspace(0.0, 1.0, 17)[1:-1]  # of a joint motion that are looked at


def islands(checker: Checker, q: Array, max_speed: Array, required: float) -> Indices:
    """Number the islands that postures lie on.

    Args:
        checker: of the robot in its cell without the part.
        q: postures that keep the clearance. # (m, n) [rad]
        max_speed: of the joints: distances between postures are times. # (n,) [rad/s]
        required: clearance. [m]

    Returns:
        Equal numbers for one island. # (m,)
    """
    if len(q) < 2:
        return np.zeros(len(q), dtype=np.int64)
    times = q / max_speed
    hubs = _apart(times, min(_HUBS, len(q)))
    gaps = np.max(np.abs(times[:, None] - times[hubs]), axis=2)
    nearest = np.argsort(gaps, axis=1, kind="stable")[:, :_NEAR]
    first, second = np.triu_indices(len(hubs), k=1)
    legs = np.concatenate(
        [
            np.stack([hubs[first], hubs[second]], axis=1),
            np.stack([np.repeat(np.arange(len(q)), nearest.shape[1]), hubs[nearest.ravel()]], 1),
        ]
    )
    joined = legs[_free(checker, q, legs, required)]
    lone = np.setdiff1d(np.arange(len(q)), joined)  # perhaps behind their nearest hubs only
    others = np.stack([np.repeat(lone, len(hubs)), np.tile(hubs, lone.size)], axis=1)
    joined = np.concatenate([joined, others[_free(checker, q, others, required)]])
    graph = coo_array((np.ones(len(joined)), joined.T), shape=(len(q), len(q)))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _apart(times: Array, count: int) -> Indices:
    """Postures chosen one by one, each the farthest from those before it. # (count,)."""
    chosen = [0]
    gap = np.max(np.abs(times - times[0]), axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(gap)))
        gap = np.minimum(gap, np.max(np.abs(times - times[chosen[-1]]), axis=1))
    return np.array(chosen)


def _free(checker: Checker, q: Array, legs: Indices, required: float) -> Indices:
    """Legs that touch nothing at the places looked at. # (k, 2) -> (f,)."""
    start, end = q[legs[:, 0], None], q[legs[:, 1], None]
    places = start + _PLACES[:, None] * (end - start)
    hit = checker.collides(places.reshape(-1, q.shape[1]), required)
    return np.flatnonzero(~np.any(hit.reshape(len(legs), _PLACES.size), axis=1))
