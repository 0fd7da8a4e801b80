"""Islands: groups of postures that no travel leads out of, whatever its detour.

Past the part there is nearly always a way, over it. What separates postures for good is the robot,
whose upper arm does not pass through its own base, and what stands around it. Islands are therefore
told apart without the part, by straight joint motions that are proven. Postures that only a winding
way joins count as two islands: they advise the choice of postures and prove nothing.
"""

from __future__ import annotations

import numpy as np

from parts.geometry.mesh import connected
from planner.clearance.certify import keeps
from planner.clearance.checker import Checker
from planner.clearance.paths import StraightPaths
from robots.core.arrays import Array, Indices

_HUBS = 48  # postures far from one another
_NEAR = 8  # hubs that a posture may be joined to
_PLACES = np.linspace(0.0, 1.0, 17)[1:-1]  # of a joint motion that are looked at first


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
    nearest = hubs[np.argsort(gaps, axis=1, kind="stable")]
    joined = [
        _proven(checker, q, hubs[np.stack(np.triu_indices(len(hubs), k=1), axis=1)], required)
    ]
    alone = np.arange(len(q))
    for k in range(min(_NEAR, len(hubs))):
        legs = np.stack([alone, nearest[alone, k]], axis=1)
        joined.append(_proven(checker, q, legs, required))
        alone = np.setdiff1d(alone, joined[-1][:, 0])
    return connected(len(q), *np.concatenate(joined).T)


def _apart(times: Array, count: int) -> Indices:
    """Postures chosen one by one, each the farthest from those before it. # (count,)."""
    chosen = [0]
    gap = np.max(np.abs(times - times[0]), axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(gap)))
        gap = np.minimum(gap, np.max(np.abs(times - times[chosen[-1]]), axis=1))
    return np.array(chosen)


def _proven(checker: Checker, q: Array, legs: Indices, required: float) -> Indices:
    """Legs that keep the clearance; most others collide at one of a few places. # (f, 2)."""
    start, end = q[legs[:, 0], None], q[legs[:, 1], None]
    places = start + _PLACES[:, None] * (end - start)
    hit = checker.collides(places.reshape(-1, q.shape[1]), required)
    legs = legs[~np.any(hit.reshape(len(legs), _PLACES.size), axis=1)]
    return legs[keeps(checker, StraightPaths(q[legs[:, 0]], q[legs[:, 1]]), required)]
