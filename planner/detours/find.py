"""Detours for travels that cannot go straight: over the plane, around the cube, or searched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

import numpy as np

from planner.clearance.certify import keeps
from planner.clearance.checker import Checker
from planner.clearance.surroundings import BodyPair
from planner.detours.motions import (
    WIDEST,
    DetourKind,
    DetourMotions,
    Legs,
    RoundedMotion,
    TravelSpace,
    direct_time,
    without_repeats,
)
from planner.detours.search import GridTest, SearchEffort, route_time, search, shortened
from planner.job import Job
from planner.job.settings import Travel
from planner.progress import Progress, silent
from planner.reach.margins import required_margins
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits

STAGE = "detours"
_PLACES = 65  # of a straight travel where its deepest contact is looked for
# Parts of a corner's legs that its rounding may take; at 0 the motion stops there.
_CUTS = (WIDEST, 0.25, 0.12, 0.06, 0.03, 0.015, 0.0)
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
_NEAREST = 24  # corners that an end is joined to
# What a stylus that turns on its way may need beyond the plane or cube. [m]
_HIGHER = (0.0, 0.05, 0.1, 0.2)
_BACK = (0.03, 0.06, 0.12)  # [m] along the stylus, out of a bore
_FACES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]], float)
_TOP = 2
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])  # of the axes beside each one
# ----------------------------------------------------------------------------------------- Leading
# Newton steps from the posture itself, in a few stages along the way, work for every robot and stay
# on its branch. A robot with joints to spare moves them as little as it can.
_STAGES = 4
_STEPS = 6  # Newton steps in each stage
_DAMPING = 1e-5  # [m] or [rad] per radian: far below the Jacobian of any posture worth leading to
_DAMPED = _DAMPING**2 * np.eye(6)
_ARRIVED = 1e-7  # [m] and [rad]: what is left where a posture counts as found
_LARGEST_STEP = 0.3  # [rad or m] of any joint; a longer one has left the branch
# Postures of a way that differ by no more are one: apart they are by what leading leaves, or by
# rounding. A leg of 1e-15 rad leads anywhere, and its corners would be changes of acceleration in
# nanoseconds, all but at rest.
_ONE = 1e-6  # [rad or m]


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
class Way:
    """A way that keeps the clearance.

    Args:
        kind: by which rule it goes.
        route: postures between which it moves straight, ends included. # (w, n) [rad]
    """

    kind: DetourKind
    route: Array


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

    @classmethod
    def of(cls, room: TravelSpace, outcomes: Mapping[int, Way | Blocked]) -> Detours:
        """What became of travels, the ways rounded and timed.

        Args:
            room: what travel may use.
            outcomes: by number of the travel.
        """
        numbers = sorted(outcomes)
        ways = [(k, one) for k in numbers if isinstance(one := outcomes[k], Way)]
        routes = tuple(way.route for _, way in ways)
        return cls(
            travels=np.array([k for k, _ in ways], dtype=np.int64),
            ways=tuple(way.kind for _, way in ways),
            routes=routes,
            motions=rounded(room, routes),
            blocked=tuple(
                replace(one, travel=k) for k in numbers if isinstance(one := outcomes[k], Blocked)
            ),
        )


def find_ways(
    room: TravelSpace,
    starts: Array,
    ends: Array,
    travel: Travel,
    free: FreePaths,
    *,
    progress: Progress = silent,
) -> dict[int, Way | Blocked]:
    """Ways around for travels whose straight joint motion does not keep its clearance, by number.

    Args:
        room: the robot, its limits and the clearance to keep.
        starts: clearance postures that they leave. # (k, n) [rad]
        ends: clearance postures that they go to. # (k, n) [rad]
        travel: clearance plane, cube, what detours are allowed.
        free: ways that follow no rule, with what earlier requests have taught.
        progress: told how many travels are settled.
    """
    finder = _Finder(room, Ends(starts=starts, ends=ends), travel, free)
    finder.by_rule()
    waiting = finder.waiting()
    done = len(starts) - waiting.size
    for number, k in enumerate(waiting):
        progress(STAGE, done + number, len(starts))
        finder.one(int(k))
    progress(STAGE, len(starts), len(starts))
    return {**finder.found, **finder.blocked}


class _Finder:
    """One request."""

    def __init__(self, room: TravelSpace, travels: Ends, travel: Travel, free: FreePaths) -> None:
        self.room, self.travels, self.travel, self.free = room, travels, travel, free
        self.found: dict[int, Way] = {}
        self.blocked: dict[int, Blocked] = {}
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
                route = without_repeats(attempt.routes[place])
                self.found[int(rows[place])] = Way(kind=way, route=route)
            if len(self.found) == rows.size:
                return

    def _tries(self, travels: Ends) -> Iterator[tuple[DetourKind, Tries]]:
        model, plane = self.room.model, self.travel.clearance_plane
        ways: list[Iterator[tuple[DetourKind, Tries]]] = []
        if plane is not None:
            ways.append((DetourKind.PLANE, t) for t in over_plane(model, travels, plane))
            ways.append((DetourKind.PLANE, t) for t in drawn_back(model, travels, plane))
        part = self.room.cell.part
        offset = self.travel.clearance_cube
        if offset is not None and part is not None:
            corners = part.mesh.vertices
            low, high = corners.min(axis=0) - offset, corners.max(axis=0) + offset
            ways.append((DetourKind.CUBE, t) for t in around_cube(model, travels, low, high))
            top = float(high[_TOP])
            ways.append((DetourKind.CUBE, t) for t in drawn_back(model, travels, top))
        return chain(*ways)

    def one(self, k: int) -> None:
        """By a way that follows no rule, where the job allows it."""
        if self.travel.detour != "auto":
            self.blocked[k] = self._blocked(k, 0, end=False)
            return
        found = self.free.find(self.travels.starts[k], self.travels.ends[k])
        if len(found.route):
            self.found[k] = Way(kind=found.way, route=found.route)
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


def rounded(room: TravelSpace, routes: Sequence[Array]) -> DetourMotions:
    """Motions along ways whose legs keep the clearance, each proven to keep it too.

    The more of its legs a corner takes the faster it is; each takes as much as is proven. Where the
    whole motion cannot be proven after all it stops at its corners.

    Args:
        room: what travel may use.
        routes: # (w, n) each [rad]
    """
    rests = np.array([route[0] for route in routes]).reshape(len(routes), room.lower.size)
    legs = [Legs(without_repeats(route), room.limits) for route in routes]
    cuts = _widest(room, legs)
    motions = _motions(room, legs, cuts, rests)
    while True:
        kept = keeps(room.checker, motions, room.required)
        doubtful = [k for k in np.nonzero(~kept)[0] if np.any(cuts[k] > 0.0)]
        if not doubtful:
            return motions
        for k in doubtful:
            halved = 0.5 * cuts[k]
            cuts[k] = np.where(halved < _CUTS[-2], 0.0, halved)
        motions = _motions(room, legs, cuts, rests)


def _motions(
    room: TravelSpace, legs: Sequence[Legs], cuts: Sequence[Array], rests: Array
) -> DetourMotions:
    pieces = [leg.pieces(cut) for leg, cut in zip(legs, cuts, strict=True)]
    return DetourMotions(pieces, rests, room.limits)


def _widest(room: TravelSpace, legs: Sequence[Legs]) -> list[Array]:
    """The widest rounding of each corner that is proven for itself. # (w - 2,) per way."""
    cuts = [np.zeros(max(len(leg.corners) - 2, 0)) for leg in legs]
    owner = [(k, corner) for k, cut in enumerate(cuts) for corner in range(cut.size)]
    waiting = np.ones(len(owner), dtype=bool)
    for cut in _CUTS[:-1]:
        chosen = [owner[k] for k in np.nonzero(waiting)[0]]
        if not chosen:
            break
        arcs = [_arc(legs[k], corner, cut) for k, corner in chosen]
        rests = np.array([legs[k].corners[corner + 1] for k, corner in chosen])
        kept = keeps(room.checker, DetourMotions(arcs, rests, room.limits), room.required)
        for (k, corner), good in zip(chosen, kept, strict=True):
            cuts[k][corner] = cut if good else 0.0
        waiting[waiting] = ~kept
    return cuts


def _arc(legs: Legs, corner: int, cut: float) -> RoundedMotion:
    """One corner at the speed that a cut allows it."""
    arcs = legs.arcs(legs.corner_speeds(np.full(len(legs.corners) - 2, cut)))
    return RoundedMotion(
        duration=arcs.duration[corner : corner + 1],
        q=arcs.q[corner : corner + 1],
        before=arcs.before[corner : corner + 1],
        after=arcs.after[corner : corner + 1],
    )


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


class Roadmap:
    """Postures and the legs between them that are proven.

    Args:
        room: what travel may use.
    """

    def __init__(self, room: TravelSpace) -> None:
        self._room = room
        self._corners = np.zeros((0, room.lower.size))
        self._legs: list[tuple[int, int]] = []

    def add(self, route: Array) -> None:
        """Keep the corners of a way. # (w, n)."""
        first = len(self._corners)
        inner = route[1:-1]
        self._corners = np.concatenate([self._corners, inner])
        self._legs += [(first + k, first + k + 1) for k in range(len(inner) - 1)]

    def route(self, start: Array, end: Array) -> Array:
        """The shortest way by known corners; without corners where there is none. # (w, n)."""
        if len(self._corners) == 0:
            return np.zeros((0, start.size))
        out, back = self._joined(start), self._joined(end)
        count = len(self._corners)
        legs = [*self._legs, *((count, k) for k in out), *((k, count + 1) for k in back)]
        chosen = self._shortest(np.concatenate([self._corners, [start, end]]), legs)
        corners = np.concatenate([self._corners, [start, end]])
        return np.asarray(corners[chosen])

    def _joined(self, q: Array) -> list[int]:
        """Corners that are joined to a posture by a proven leg, of the nearest ones."""
        times = direct_time(self._corners - q, self._room.limits)
        near = np.argsort(times, kind="stable")[:_NEAREST]
        kept = self._room.legs_keep(np.repeat(q[None], near.size, axis=0), self._corners[near])
        return [int(k) for k in near[kept]]

    def _shortest(self, corners: Array, legs: list[tuple[int, int]]) -> list[int]:
        """Dijkstra's way from the last but one corner to the last one; empty without one."""
        count = len(corners)
        cost = np.full((count, count), np.inf)
        for a, b in legs:
            cost[a, b] = cost[b, a] = float(direct_time(corners[b] - corners[a], self._room.limits))
        time, before = np.full(count, np.inf), np.full(count, -1)
        time[count - 2] = 0.0
        open_ = np.ones(count, dtype=bool)
        while True:
            here = int(np.argmin(np.where(open_, time, np.inf)))
            if not open_[here] or not np.isfinite(time[here]):
                return []
            if here == count - 1:
                break
            open_[here] = False
            nearer = time[here] + cost[here] < time
            before[nearer], time[nearer] = here, (time[here] + cost[here])[nearer]
        chosen = [count - 1]
        while chosen[-1] != count - 2:
            chosen.append(int(before[chosen[-1]]))
        return chosen[::-1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tries:
    """One way for each of many travels, to be judged.

    Args:
        routes: postures, ends included. # (k, w, n) [rad]
        possible: whether every posture was found. # (k,)
    """

    routes: Array
    possible: Mask


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ends:
    """Both ends of travels that need a detour.

    Args:
        starts: # (k, n) [rad]
        ends: # (k, n) [rad]
    """

    starts: Array
    ends: Array

    def take(self, chosen: Indices) -> Ends:
        """Some of them, in the order given."""
        return Ends(starts=self.starts[chosen], ends=self.ends[chosen])


def over_plane(model: Model, travels: Ends, height: float) -> Iterator[Tries]:
    """Ways over a plane, the nearest first.

    Args:
        model: of the robot.
        travels: their ends.
        height: of the plane. Base z. [m]
    """
    for more in _HIGHER:
        yield from over_height(model, travels, height + more)


def over_height(model: Model, travels: Ends, height: float | Array) -> Iterator[Tries]:
    """Ways over a height, or one of each travel: straight in the joints, then lifted in stages."""
    led = [_lifted(model, q, height) for q in (travels.starts, travels.ends)]
    yield from _both_ways(travels, led[0], led[1], np.zeros((0, *travels.starts.shape)))


def around_cube(model: Model, travels: Ends, low: Array, high: Array) -> Iterator[Tries]:
    """Ways around a box: out through the nearest faces, over edges where these differ.

    Args:
        model: of the robot.
        travels: their ends.
        low: least corner of the box. Base frame. # (3,) [m]
        high: greatest corner. # (3,) [m]
    """
    tips = [tips_of(model, q) for q in (travels.starts, travels.ends)]
    for more in _HIGHER:
        box = np.concatenate([high + more, -(low - more)])  # reach of each face along its normal
        nearest = [np.argmin(_gaps(box, tip.position), axis=1) for tip in tips]
        top = [np.full_like(face, _TOP) for face in nearest]
        for faces in (nearest, top):
            if faces is top and np.array_equal(nearest, top):
                continue  # the same again
            led = [
                lead(model, q, _out(box, tip, face))
                for q, tip, face in zip((travels.starts, travels.ends), tips, faces, strict=True)
            ]
            none = np.zeros((0, *travels.starts.shape))
            yield from _both_ways(travels, led[0], led[1], none)
            if faces is nearest:
                for third in (_TOP, 0, 1, 3, 4):
                    yield from _by_edges(model, travels, led, _Turn(box, faces, third))


def drawn_back(model: Model, travels: Ends, height: float) -> Iterator[Tries]:
    """Ways over a height that begin and end along the stylus: out of a bore that lies flat.

    Args:
        model: of the robot.
        travels: their ends.
        height: to be kept between them. Base z. [m]
    """

    @cache
    def out_of(end: int, back: float) -> Led:
        q = (travels.starts, travels.ends)[end]
        tips = tips_of(model, q)
        place = tips.position - back * tips.axis
        return lead(model, q, Tips(position=place, axis=tips.axis))

    for more in _HIGHER:
        for back in _BACK:
            led = []
            for end in range(2):
                out = out_of(end, back)
                up = _lifted(model, out.end, height + more)
                # Near the base a stylus that lies flat may not be lifted; back may be enough.
                risen = np.where(up.arrived[:, None], up.q, out.end)
                led.append(Led(q=np.concatenate([out.q, risen]), arrived=out.arrived))
            yield from _both_ways(travels, led[0], led[1], np.zeros((0, *travels.starts.shape)))


def _lifted(model: Model, q: Array, height: float | Array) -> Led:
    """Raised along the base's z, the stylus held; what is higher already stays."""
    tips = tips_of(model, q)
    position = tips.position.copy()
    position[:, 2] = np.maximum(position[:, 2], height)
    return lead(model, q, Tips(position=position, axis=tips.axis))


def _both_ways(travels: Ends, out: Led, back: Led, between: Array) -> Iterator[Tries]:
    """Straight in the joints to the far ends of the lifts; then through all their stages."""
    possible = out.arrived & back.arrived
    for stages in (slice(-1, None), slice(None)):
        parts = [
            travels.starts[None],
            out.q[stages],
            between,
            back.q[stages][::-1],
            travels.ends[None],
        ]
        routes = np.swapaxes(np.concatenate(parts), 0, 1)
        yield Tries(routes=_without_tiny_legs(routes), possible=possible)


def _without_tiny_legs(routes: Array) -> Array:
    """Postures that lie next to the one before, or to the end, made the same. # (k, w, n)."""
    routes = routes.copy()
    for k in range(1, routes.shape[1] - 1):
        for other in (routes[:, k - 1], routes[:, -1]):
            apart = np.max(np.abs(routes[:, k] - other), axis=1, initial=0.0)
            routes[:, k] = np.where(apart[:, None] <= _ONE, other, routes[:, k])
    return routes


def _gaps(box: Array, position: Array) -> Array:
    """From places to the faces of a box, negative outside. # (m, 3) -> (m, 6)."""
    return np.asarray(box - position @ _FACES.T)


def _out(box: Array, tips: Tips, face: Indices) -> Tips:
    """Moved out to a face along its normal; what is beyond it stays."""
    gap = np.maximum(_gaps(box, tips.position)[np.arange(len(face)), face], 0.0)
    return Tips(position=tips.position + gap[:, None] * _FACES[face], axis=tips.axis)


@dataclass(frozen=True, slots=True)
class _Turn:
    """From the face of one end to that of the other, over a third face where it is needed."""

    box: Array
    faces: list[Indices]
    third: int

    @property
    def wanted(self) -> Mask:
        """Travels whose faces differ and for which the third face is a new way."""
        first, last = self.faces
        opposite = first % 3 == last % 3
        lateral = self.third % 3 != first % 3
        return np.asarray((first != last) & np.where(opposite, lateral, self.third == _TOP))

    def edge(self, position: Array, face: Indices, beside: Indices) -> Array:
        """Nearest place on the edge of two faces, or on the face where they are one. # (m, 3)."""
        place = position.copy()
        rows = np.arange(len(position))
        for side in (face, beside):
            axis = side % 3
            place[rows, axis] = np.sum(_FACES[side] * self.box[side, None], axis=1)
        return place


def _by_edges(model: Model, travels: Ends, led: list[Led], turn: _Turn) -> Iterator[Tries]:
    """Over the edge of two faces that meet; of two that are opposite, over a third face."""
    wanted = turn.wanted
    if not np.any(wanted):
        return
    first, last = turn.faces
    opposite = first % 3 == last % 3
    over = np.where(opposite, turn.third, last)
    ends = [tips_of(model, part.end) for part in led]
    middle = 0.5 * (ends[0].position + ends[1].position)
    places = [turn.edge(middle, first, over), turn.edge(middle, over, last)]
    places[1] = np.where(opposite[:, None], places[1], places[0])
    axes = [(1.0 - share) * ends[0].axis + share * ends[1].axis for share in (0.5, 0.75)]
    lengths = [np.linalg.norm(axis, axis=1, keepdims=True) for axis in axes]
    q, found, arrived = led[0].end, [], wanted.copy()
    for place, axis, length in zip(places, axes, lengths, strict=True):
        step = lead(model, q, Tips(position=place, axis=axis / np.maximum(length, 1e-3)))
        q = step.end
        arrived &= step.arrived
        found.append(q)
    for tries in _both_ways(travels, led[0], led[1], np.stack(found)):
        yield Tries(routes=tries.routes, possible=tries.possible & arrived)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Led:
    """Postures on the way to targets.

    Args:
        q: after each stage; the last one is at the target. # (stages, m, n) [rad]
        arrived: whether every stage was reached. # (m,)
    """

    q: Array
    arrived: Mask

    @property
    def end(self) -> Array:
        """Postures at the targets. # (m, n)."""
        return np.asarray(self.q[-1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tips:
    """Where the ball is and where the stylus points.

    Args:
        position: ball centres. Base frame. # (m, 3) [m]
        axis: from wrist to ball. # (m, 3)
    """

    position: Array
    axis: Array


def tips_of(model: Model, q: Array) -> Tips:
    """Ball and stylus of postures. # (m, n)."""
    T = model.forward(q)
    return Tips(position=T[..., :3, 3], axis=T[..., :3, 2])


def lead(model: Model, q: Array, target: Tips) -> Led:
    """Lead postures to targets along straight lines of the ball.

    Args:
        model: of the robot.
        q: where to begin. # (m, n) [rad]
        target: where ball and stylus shall be.
    """
    begin = tips_of(model, q)
    found, arrived = [], np.ones(len(q), dtype=bool)
    for stage in range(1, _STAGES + 1):
        share = stage / _STAGES
        axis = begin.axis + share * (target.axis - begin.axis)
        length = np.linalg.norm(axis, axis=1, keepdims=True)
        arrived &= length[:, 0] > 1e-3  # a stylus that turns right round has no way of its own
        goal = Tips(
            position=begin.position + share * (target.position - begin.position),
            axis=axis / np.maximum(length, 1e-3),
        )
        q, near = _newton(model, q, goal)
        arrived &= near
        found.append(q)
    return Led(q=np.stack(found), arrived=arrived)


def _newton(model: Model, q: Array, goal: Tips) -> tuple[Array, Mask]:
    """Damped Newton steps of least joint motion; those that stray are told by what is left."""
    left = _error(model, q, goal)
    for _ in range(_STEPS):
        if np.all(np.abs(left) < 0.01 * _ARRIVED):
            break
        J = _reduced(model.jacobian(q), goal.axis)
        grown = J @ np.swapaxes(J, -1, -2) + _DAMPED
        step = np.swapaxes(J, -1, -2) @ np.linalg.solve(grown, left[..., None])
        step = step[..., 0]
        size = np.max(np.abs(step), axis=1, keepdims=True)
        q = q + step * np.minimum(1.0, _LARGEST_STEP / np.maximum(size, _LARGEST_STEP))
        left = _error(model, q, goal)
    return q, np.asarray(np.all(np.abs(left) < _ARRIVED, axis=1))


def _error(model: Model, q: Array, goal: Tips) -> Array:
    """What is left to move and to turn. # (m, 6) [m, rad]."""
    now = tips_of(model, q)
    # NumPy's cross product takes five times as long for a few rows; a request has thousands.
    turn = now.axis.take(_NEXT, 1) * goal.axis.take(_LAST, 1)
    turn -= now.axis.take(_LAST, 1) * goal.axis.take(_NEXT, 1)
    # Beyond a right angle the cross product shrinks again; such a posture has strayed.
    turn = np.where(np.sum(now.axis * goal.axis, axis=1, keepdims=True) > 0.0, turn, 1.0)
    return np.asarray(np.concatenate([goal.position - now.position, turn], axis=1))


def _reduced(J: Array, axis: Array) -> Array:
    """The Jacobian without turning about the stylus, which is free. # (m, 6, n)."""
    angular = J[:, 3:]
    about = np.einsum("mi,mij->mj", axis, angular)
    rest = angular - axis[:, :, None] * about[:, None, :]
    return np.asarray(np.concatenate([J[:, :3], rest], axis=1))


# --- between home and a motion -------------------------------------------------------------------


def proven_way(job: Job, model: Model, start: Array, end: Array) -> Array | None:
    """Find corners of straight joint moves that are proven to keep the job's clearance.

    Args:
        job: with its cell, clearance, margins and how it travels.
        model: of its robot.
        start: posture, which is not in the answer. # (n,) [rad or m]
        end: posture, the last of the answer. # (n,)

    Returns:
        # (p, n) [rad or m]; None where no way was found.
    """
    space = travel_space(job, model, Checker(model, job.cell), job.joint_limits())
    return corners_between(space, start, end, job.travel)


def corners_between(space: TravelSpace, start: Array, end: Array, travel: Travel) -> Array | None:
    """Find the same in a space. Args: how travels may go around; see ``proven_way``."""
    if not (space.inside(start) and space.inside(end)):
        return None
    starts, ends = start[None], end[None]
    if bool(space.legs_keep(starts, ends)[0]):
        return ends
    way = find_ways(space, starts, ends, travel, FreePaths(space, travel.seed))[0]
    if not isinstance(way, Way):
        return None
    route = way.route
    return route[1:] if bool(space.legs_keep(route[:-1], route[1:]).all()) else None


def travel_space(job: Job, model: Model, checker: Checker, limits: JointLimits) -> TravelSpace:
    """What travels of a job may use.

    Args:
        job: with its cell, clearance and margins.
        model: of its robot.
        checker: of the robot in the cell.
        limits: of the joints.
    """
    mechanism = model.mechanism
    margin = required_margins(mechanism, job.checks.joint_margin)
    return TravelSpace(
        model=model,
        cell=job.cell,
        checker=checker,
        limits=limits,
        lower=mechanism.q_min + margin,
        upper=mechanism.q_max - margin,
        required=job.checks.clearance,
    )
