"""Ways that follow no rule: lifted just enough, along earlier detours, or searched at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.detours.leading import tips_of
from planner.detours.over import Ends, over_height
from planner.detours.roadmap import Roadmap
from planner.detours.route import DetourKind, TravelSpace
from planner.detours.search import GridTest, SearchEffort, search
from planner.detours.shortening import route_time, shortened
from robots.core.arrays import Array

_Ways = list[tuple[DetourKind, Array]]

# Near both ends first, then everywhere, then finer; narrow gaps need the last. Motions, [m], [rad].
_EFFORTS = (
    SearchEffort(motions=400, step=0.02, beyond=1.0, seeds=2),
    SearchEffort(motions=1500, step=0.02, beyond=np.inf, seeds=1),
    SearchEffort(motions=1500, step=0.005, beyond=np.inf, seeds=1),
)
_LIFTS = (0.05, 0.1, 0.2, 0.4, 0.8)  # [m] above the higher end
# A detour that takes no more than this beside the straight travel is taken without a search.
_GOOD_RATIO, _GOOD_MORE = 1.25, 0.1  # [s]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Free:
    """What was found for one travel.

    Args:
        way: by which way it goes.
        route: postures, ends included, every leg proven; none where no way was found. # (w, n)
        motions: how many a search looked at.
    """

    way: DetourKind
    route: Array
    motions: int


class FreePaths:
    """Ways of travels one after another; later ones learn from earlier ones.

    Args:
        room: what travel may use.
        seed: of everything drawn at random.
    """

    def __init__(self, room: TravelSpace, seed: int) -> None:
        self._room, self._seed = room, seed
        self._roadmap = Roadmap(room)
        self._vain: list[tuple[Array, Array, int]] = []

    def find(self, start: Array, end: Array) -> Free:
        """The fastest of what is found between two postures. # (n,) each [rad]."""
        lifted, known = self._lifted(start, end), self._roadmap.route(start, end)
        found = self._shortest([(DetourKind.LIFTED, lifted), (DetourKind.EARLIER, known)])
        looked = 0 if found else self._as_before(start, end)
        if not looked and (not found or self._time(found) > self._good(start, end)):
            ways, looked = self._searched(start, end)
            found = self._shortest([*found, *((DetourKind.SEARCHED, way) for way in ways)])
            if not found:
                self._vain.append((start, end, looked))
        if not found:
            return Free(way=DetourKind.SEARCHED, route=np.zeros((0, start.size)), motions=looked)
        way, route = found[0]
        self._roadmap.add(route)
        return Free(way=way, route=route, motions=looked)

    def _as_before(self, start: Array, end: Array) -> int:
        """Motions looked at in vain between two postures that go straight to these; else 0.

        The same search again would hardly find what it did not find there.
        """
        here = np.stack([start, end])
        for one, other, looked in self._vain:
            for there in (np.stack([one, other]), np.stack([other, one])):
                if np.all(self._room.legs_keep(here, there)):
                    return looked
        return 0

    def _good(self, start: Array, end: Array) -> float:
        """What a detour may take for no better one to be searched. [s]."""
        straight = route_time(np.stack([start, end]), self._room.limits)
        return _GOOD_RATIO * straight + _GOOD_MORE

    def _time(self, found: _Ways) -> float:
        return route_time(found[0][1], self._room.limits)

    def _shortest(self, found: _Ways) -> _Ways:
        """The fastest way once each is shortened, as a list of one; none of none."""
        short = [(w, shortened(self._room, r, seed=self._seed)) for w, r in found if len(r)]
        return sorted(short, key=lambda way: route_time(way[1], self._room.limits))[:1]

    def _lifted(self, start: Array, end: Array) -> Array:
        """Over a plane of its own height, the lowest that serves; empty where none does."""
        model, count = self._room.model, len(_LIFTS)
        travels = Ends(
            starts=np.repeat(start[None], count, axis=0), ends=np.repeat(end[None], count, axis=0)
        )
        top = float(np.max(tips_of(model, np.stack([start, end])).position[:, 2]))
        for tries in over_height(model, travels, top + np.array(_LIFTS)):
            good = tries.possible & np.all(self._room.inside(tries.routes), axis=1)
            good[good] = self._room.routes_keep(tries.routes[good])
            if np.any(good):
                return np.asarray(tries.routes[int(np.argmax(good))])
        return np.zeros((0, start.size))

    def _searched(self, start: Array, end: Array) -> tuple[list[Array], int]:
        """Ways whose every leg is proven, and how many motions were looked at for them."""
        room, looked = self._room, 0
        spare = room.checker.nearest(np.stack([start, end])).value.min() - room.required
        for effort in _EFFORTS:
            # With half a step more clearance than required a motion on the grid is nearly proven.
            clearance = room.required + min(0.5 * effort.step, 0.5 * float(spare))
            free = GridTest(room, effort.step, clearance)
            ways = []
            for seed in range(self._seed, self._seed + effort.seeds):
                found = search(room, start, end, free, effort, seed=max(1, seed))
                looked += found.motions
                if len(found.route) and np.all(room.legs_keep(found.route[:-1], found.route[1:])):
                    ways.append(found.route)
            if ways:
                return ways, looked
        return [], looked
