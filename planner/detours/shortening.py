"""A searched way made short: corners left out, cut off and pulled tight, every change proven."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.detours.rounded import PEAK, direct_time, without_repeats
from planner.detours.route import TravelSpace
from robots.core.arrays import Array
from robots.core.motion.joint_limits import JointLimits

_CUTS = 16  # shortcuts that are tried at once
_ROUNDS = 10
_POOR = 2  # rounds without gain before the end
_PULLS = np.array([1.0, 0.75, 0.5, 0.25, 0.1])  # of the way from a corner to its neighbours' leg
_WORTH = 1e-3  # [s] a change that gains less is none


def route_time(route: Array, limits: JointLimits) -> float:
    """What a way takes, nearly: its legs at full speed and half of each change of velocity. [s]."""
    legs = np.diff(without_repeats(route), axis=0)
    if len(legs) == 0:
        return 0.0
    times = direct_time(legs, limits)
    velocity = np.zeros((len(legs) + 2, legs.shape[1]))
    velocity[1:-1] = legs / times[:, None]
    change = np.max(np.abs(np.diff(velocity, axis=0)) / limits.max_acceleration, axis=1)
    return float(np.sum(times) + 0.5 * PEAK * np.sum(change))


def shortened(room: TravelSpace, route: Array, *, seed: int) -> Array:
    """A shorter way between the same ends whose every leg is proven.

    Args:
        room: what travel may use.
        route: legs that keep the clearance. # (w, n) [rad]
        seed: of the places where shortcuts are tried.
    """
    generator = np.random.default_rng(seed)
    route = _fewest(room, without_repeats(route))
    poor = 0
    for _ in range(_ROUNDS):
        before = route_time(route, room.limits)
        if len(route) < 3 or poor == _POOR:
            break
        route = _pulled(room, _cut(room, route, generator))
        poor += before - route_time(route, room.limits) < _WORTH
    return _fewest(room, route)


def _fewest(room: TravelSpace, route: Array) -> Array:
    """The way of least time through some of the corners, by all legs between two of them."""
    w = len(route)
    if w < 3:
        return route
    first, last = np.triu_indices(w, k=1)
    kept = last == first + 1
    kept[~kept] = room.legs_keep(route[first[~kept]], route[last[~kept]])
    # A corner costs about as long as getting up to speed.
    rest = PEAK * float(np.max(room.limits.max_speed / room.limits.max_acceleration))
    cost = direct_time(route[last] - route[first], room.limits) + 0.5 * rest
    best, before = np.full(w, np.inf), np.zeros(w, dtype=np.int64)
    best[0] = 0.0
    for leg in np.nonzero(kept)[0]:  # in order of their first corner
        total = best[first[leg]] + cost[leg]
        if total < best[last[leg]]:
            best[last[leg]], before[last[leg]] = total, first[leg]
    chosen = [w - 1]
    while chosen[-1] > 0:
        chosen.append(int(before[chosen[-1]]))
    return route[chosen[::-1]]


@dataclass(frozen=True, slots=True)
class _Change:
    """A new middle of a way: the corners from ``first`` to ``last`` give way to ``middle``."""

    first: int
    last: int
    middle: Array

    def made(self, route: Array) -> Array:
        return np.concatenate([route[: self.first], self.middle, route[self.last :]])

    def legs(self, route: Array) -> Array:
        """The new legs' corners. # (m, n)."""
        return np.concatenate(
            [route[self.first - 1 : self.first], self.middle, route[self.last : self.last + 1]]
        )


def _best(room: TravelSpace, route: Array, changes: list[_Change]) -> Array:
    """The way with the best of the changes that are proven; as it was where none gains."""
    now = route_time(route, room.limits)
    ways = [change.made(route) for change in changes]
    gains = [now - route_time(way, room.limits) for way in ways]
    worth = [
        k for k, way in enumerate(ways) if gains[k] > _WORTH and np.all(room.inside(way[1:-1]))
    ]
    if not worth:
        return route
    corners = [changes[k].legs(route) for k in worth]
    kept = room.legs_keep(
        np.concatenate([c[:-1] for c in corners]), np.concatenate([c[1:] for c in corners])
    )
    edges = np.cumsum([0, *(len(c) - 1 for c in corners)])
    good = [k for place, k in enumerate(worth) if np.all(kept[edges[place] : edges[place + 1]])]
    if not good:
        return route
    return ways[max(good, key=lambda k: (gains[k], -k))]


def _cut(room: TravelSpace, route: Array, generator: np.random.Generator) -> Array:
    """Shortcuts between two places on different legs, drawn at random."""
    legs = len(route) - 1
    changes = []
    for a, b in generator.uniform(0.0, legs, (_CUTS, 2)):
        low, high = min(a, b), max(a, b)
        i, j = int(low), int(high)
        if i < j:
            middle = [
                route[k] + (x - k) * (route[k + 1] - route[k]) for k, x in ((i, low), (j, high))
            ]
            changes.append(_Change(i + 1, j + 1, np.array(middle)))
    return _best(room, route, changes)


def _pulled(room: TravelSpace, route: Array) -> Array:
    """Each corner in turn moved towards the leg between its neighbours, as far as is proven."""
    corner = 1
    while corner < len(route) - 1:
        before, here, after = route[corner - 1], route[corner], route[corner + 1]
        times = direct_time(np.array([here - before, after - here]), room.limits)
        share = times[0] / max(float(np.sum(times)), 1e-12)
        foot = before + share * (after - before)
        changes = [
            _Change(corner, corner + 1, (here + pull * (foot - here))[None]) for pull in _PULLS
        ]
        changes[0] = _Change(corner, corner + 1, np.zeros((0, here.size)))
        shorter = _best(room, route, changes)
        corner += 1 if len(shorter) == len(route) else 0
        route = shorter
    return route
