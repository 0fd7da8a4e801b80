"""Detours for travels that cannot go straight: over the plane, around the cube, or searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from planner.clearance.results import BodyPair
from planner.detours.corners import rounded
from planner.detours.free_ways import FreePaths
from planner.detours.motions import DetourMotions
from planner.detours.over import Ends, Tries, around_cube, over_plane
from planner.detours.rounded import without_repeats
from planner.detours.route import DetourKind, TravelSpace
from planner.job.settings import Travel
from planner.progress import Progress, silent
from robots.core.arrays import Array, Indices

STAGE = "detours"
_PLACES = 65  # of a straight travel where its deepest contact is looked for


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blocked:
    """A travel for which no way was found.

    Args:
        travel: its number in the request.
        motions: how many a search looked at; 0 where none was allowed or an end collides.
        end: whether one of its ends keeps too little clearance itself.
        pair: what meets on the straight way, or at the end; None where nothing is seen to.
        clearance: how near it comes there, negative for a depth. [m]
        place: where. Base frame. # (3,) [m]
    """

    travel: int
    motions: int
    end: bool
    pair: BodyPair | None
    clearance: float
    place: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Detours:
    """What was found for a batch of travels.

    Args:
        travels: numbers in the request of those with a detour, rising. # (f,)
        ways: by which way each goes.
        routes: its postures between which it moves straight, ends included. # (w, n) each [rad]
        motions: rounded and timed, proven to keep the clearance; also paths to be certified.
        blocked: the others.
    """

    travels: Indices
    ways: tuple[DetourKind, ...]
    routes: tuple[Array, ...]
    motions: DetourMotions
    blocked: tuple[Blocked, ...]

    def renumbered(self, rows: Indices) -> Detours:
        """The same for a longer list of travels, of which the request was some.

        Args:
            rows: number of every travel of the request in that list. # (k,)
        """
        return replace(
            self,
            travels=rows[self.travels],
            blocked=tuple(replace(item, travel=int(rows[item.travel])) for item in self.blocked),
        )


def find_detours(
    room: TravelSpace, starts: Array, ends: Array, travel: Travel, *, progress: Progress = silent
) -> Detours:
    """Ways around for travels whose straight joint motion does not keep its clearance.

    Args:
        room: the robot, its limits and the clearance to keep.
        starts: clearance postures that they leave. # (k, n) [rad]
        ends: clearance postures that they go to. # (k, n) [rad]
        travel: clearance plane, cube, what detours are allowed, seed.
        progress: told how many travels are settled.
    """
    finder = _Finder(room, Ends(starts=starts, ends=ends), travel)
    finder.by_rule()
    waiting = finder.waiting()
    done = len(starts) - waiting.size
    for number, k in enumerate(waiting):
        progress(STAGE, done + number, len(starts))
        finder.one(int(k))
    progress(STAGE, len(starts), len(starts))
    return finder.result()


class _Finder:
    """One request."""

    def __init__(self, room: TravelSpace, travels: Ends, travel: Travel) -> None:
        self.room, self.travels, self.travel = room, travels, travel
        self.found: dict[int, tuple[DetourKind, Array]] = {}
        self.blocked: dict[int, Blocked] = {}
        self.free = FreePaths(room, travel.seed)
        clear = ~np.stack(
            [room.checker.collides(q, room.required) for q in (travels.starts, travels.ends)]
        )
        for k in np.nonzero(~np.all(clear, axis=0))[0]:
            self.blocked[int(k)] = self._blocked(int(k), 0, end=True)

    def waiting(self) -> Indices:
        """Travels that are not settled."""
        settled = self.found.keys() | self.blocked.keys()
        rows = [k for k in range(len(self.travels.starts)) if k not in settled]
        return np.array(rows, dtype=np.int64)

    def by_rule(self) -> None:
        """Over the plane and around the cube, all travels at once."""
        rows = self.waiting()
        if rows.size == 0 or self.travel.detour == "none":
            return
        tries = self._tries(self.travels.take(rows))
        for way, attempt in tries:
            open_ = np.array([int(k) not in self.found for k in rows])
            good = open_ & attempt.possible
            good[good] = np.all(self.room.inside(attempt.routes[good]), axis=1)
            good[good] = self.room.routes_keep(attempt.routes[good])
            for place in np.nonzero(good)[0]:
                self.found[int(rows[place])] = (way, without_repeats(attempt.routes[place]))
            if len(self.found) == rows.size:
                return

    def _tries(self, travels: Ends) -> Iterator[tuple[DetourKind, Tries]]:
        model, plane = self.room.model, self.travel.clearance_plane
        ways: list[Iterator[tuple[DetourKind, Tries]]] = []
        if plane is not None:
            ways.append((DetourKind.PLANE, t) for t in over_plane(model, travels, plane))
        part = self.room.cell.part
        offset = self.travel.clearance_cube
        if offset is not None and part is not None:
            corners = part.mesh.vertices
            low, high = corners.min(axis=0) - offset, corners.max(axis=0) + offset
            ways.append((DetourKind.CUBE, t) for t in around_cube(model, travels, low, high))
        return chain(*ways)

    def one(self, k: int) -> None:
        """By a way that follows no rule, where the job allows it."""
        if self.travel.detour != "auto":
            self.blocked[k] = self._blocked(k, 0, end=False)
            return
        found = self.free.find(self.travels.starts[k], self.travels.ends[k])
        if len(found.route):
            self.found[k] = (found.way, found.route)
        else:
            self.blocked[k] = self._blocked(k, found.motions, end=False)

    def _blocked(self, k: int, motions: int, *, end: bool) -> Blocked:
        """What is in the way: the deepest contact on the straight way, or at its ends."""
        start, goal = self.travels.starts[k], self.travels.ends[k]
        shares = np.linspace(0.0, 1.0, 2 if end else _PLACES)[:, None]
        nearest = self.room.checker.nearest(start + shares * (goal - start))
        worst = int(np.argmin(nearest.value))
        pair = int(nearest.pair[worst])
        return Blocked(
            travel=k,
            motions=motions,
            end=end,
            pair=self.room.checker.pairs[pair] if pair >= 0 else None,
            clearance=float(nearest.value[worst]),
            place=nearest.place[worst],
        )

    def result(self) -> Detours:
        """All that was found."""
        travels = sorted(self.found)
        ways = tuple(self.found[k][0] for k in travels)
        routes = tuple(self.found[k][1] for k in travels)
        return Detours(
            travels=np.array(travels, dtype=np.int64),
            ways=ways,
            routes=routes,
            motions=rounded(self.room, routes),
            blocked=tuple(self.blocked[k] for k in sorted(self.blocked)),
        )
