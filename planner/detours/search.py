"""A way searched at random by OMPL (RRT-Connect), the same for the same seed.

The search sees postures on a grid of each motion that is fine enough for what any point of the
robot moves between two of them; proof is left to whoever uses the way. It is bounded by the number
of motions it may look at, never by time, so that equal input gives equal bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.detours.motions import PEAK, TravelSpace, direct_time, without_repeats
from robots.core.arrays import Array
from robots.core.mechanism import Mechanism
from robots.core.motion.joint_limits import JointLimits

FreeMotion = Callable[[Array, Array], bool]
_STRIDE = 0.6  # [s] at full speed: longest motion that a tree grows by
_COARSE = 8  # every so many postures of a motion are looked at first
_ROUNDING = 1e-9  # of the bounds, so that ends on them are inside
_FREE_TURN = 2.0 * np.pi  # [rad or m] beyond both ends, where a joint has no limits
_CUTS = 16  # shortcuts that are tried at once
_ROUNDS = 10
_POOR = 2  # rounds without gain before the end
_PULLS = np.array([1.0, 0.75, 0.5, 0.25, 0.1])  # of the way from a corner to its neighbours' leg
_WORTH = 1e-3  # [s] a change that gains less is none


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEffort:
    """How hard to look.

    Args:
        motions: how many may be looked at.
        step: what a point of the robot may move between two postures. [m]
        beyond: how far joints may leave the range of both ends; infinite for their limits. [rad]
        seeds: how many searches are made, to take the best.
    """

    motions: int
    step: float
    beyond: float
    seeds: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Searched:
    """What a search found.

    Args:
        route: postures, ends included; none where no way was found. # (w, n) [rad]
        motions: how many were looked at.
    """

    route: Array
    motions: int


class GridTest:
    """Whether straight joint motions look free: postures on a grid keep clearance and more.

    Args:
        room: what travel may use.
        step: what a point of the robot may move between two postures. [m]
        clearance: of the postures. [m]
    """

    def __init__(self, room: TravelSpace, step: float, clearance: float) -> None:
        self._checker = room.checker
        self._clearance, self._step = clearance, step
        self._mechanism = room.model.mechanism
        self._per_joint = reaches(self._mechanism) / step

    def __call__(self, a: Array, b: Array) -> bool:
        """Look at the motion from a to b. # (n,) each."""
        per_joint = self._per_joint
        if not np.all(np.isfinite(per_joint)):  # a slide without end: as far as it is out here
            out = np.maximum(np.abs(a), np.abs(b))
            per_joint = reaches(self._mechanism, out) / self._step
        count = int(np.ceil(np.abs(b - a) @ per_joint)) + 1
        shares = np.arange(1, count + 1) / count
        coarse = np.zeros(count, dtype=bool)
        coarse[_COARSE - 1 :: _COARSE] = coarse[-1] = True
        return self._free(a, b, shares[coarse]) and self._free(a, b, shares[~coarse])

    def _free(self, a: Array, b: Array, shares: Array) -> bool:
        if shares.size == 0:
            return True
        q = a + shares[:, None] * (b - a)
        return not bool(np.any(self._checker.collides(q, self._clearance)))


def reaches(mechanism: Mechanism, out: Array | None = None) -> Array:
    """What a point of the robot moves at most per unit of each joint. # (n,) [m per rad or m].

    Args:
        mechanism: the robot.
        out: how far slides are out at most, either way; by default to their limits, so that the
            reach is infinite before a slide without any. # (n,) [m]
    """
    joints = mechanism.joints
    if out is None:
        out = np.maximum(np.abs(mechanism.q_min), np.abs(mechanism.q_max))
    reach = np.zeros(len(joints))
    for capsule in mechanism.capsules:
        if capsule.joint >= 0:
            ends = max(np.linalg.norm(capsule.start), np.linalg.norm(capsule.end))
            reach[capsule.joint] = max(reach[capsule.joint], float(ends))
    place = np.cumsum([joint.movable for joint in joints]) - 1
    for j in reversed(range(len(joints))):
        joint = joints[j]
        stroke = 0.0
        if joint.movable and joint.kind.unit == "m":
            stroke = float(out[place[j]])
        if joint.parent >= 0:
            length = float(np.linalg.norm(joint.placement[:3, 3])) + stroke + reach[j]
            reach[joint.parent] = max(reach[joint.parent], length)
    moving = [j for j, joint in enumerate(joints) if joint.movable]
    prismatic = np.array([joints[j].kind.unit == "m" for j in moving])
    return np.where(prismatic, 1.0, reach[moving])


def search(
    room: TravelSpace,
    start: Array,
    end: Array,
    free: FreeMotion,
    effort: SearchEffort,
    *,
    seed: int,
) -> Searched:
    """Look for a way.

    Args:
        room: for the joint limits.
        start: # (n,) [rad]
        end: # (n,) [rad]
        free: whether a motion may be used.
        effort: how hard to look.
        seed: of what is drawn at random, at least 1.
    """
    from ompl import base, geometric, util

    level = util.getLogLevel()
    util.setLogLevel(util.LOG_NONE)  # it warns of a seed that is set twice, which is what we want
    try:
        util.RNG.setSeed(seed)
        scale = room.limits.max_speed  # distances of the search are times
        looks = _Looks(free, scale)
        low, high = _range(room, start, end, effort.beyond)
        information = _information(base, looks, low / scale, high / scale)
        definition = base.ProblemDefinition(information)
        definition.setStartAndGoalStates(
            _state(information, start / scale), _state(information, end / scale)
        )
        planner = geometric.RRTConnect(information)
        planner.setRange(_STRIDE)
        planner.setProblemDefinition(definition)
        planner.setup()
        planner.solve(base.PlannerTerminationCondition(lambda: looks.count >= effort.motions))
        route = np.zeros((0, start.size))
        if definition.hasExactSolution():
            path = definition.getSolutionPath()
            states = [path.getState(i)[0 : start.size] for i in range(path.getStateCount())]
            route = np.clip(np.array(states) * scale, room.lower, room.upper)
            route[0], route[-1] = start, end  # without the rounding of scales
        return Searched(route=route, motions=looks.count)
    finally:
        util.setLogLevel(level)


class _Looks:
    """Our test of motions, and how often it was asked.

    It must not know the search that asks it: OMPL holds on to it, and Python could free neither.
    """

    def __init__(self, free: FreeMotion, scale: Array) -> None:
        self._free, self._scale = free, scale
        self.count = 0

    def free(self, a: Any, b: Any) -> bool:
        """Whether a motion between two states of OMPL may be used."""
        self.count += 1
        n = self._scale.size
        return self._free(np.array(a[0:n]) * self._scale, np.array(b[0:n]) * self._scale)


def _information(base: Any, looks: _Looks, low: Array, high: Array) -> Any:
    """The space of postures in times at full speed, with our test of motions."""
    space = base.RealVectorStateSpace(low.size)
    bounds = base.RealVectorBounds(low.size)
    for j in range(low.size):
        bounds.setLow(j, float(low[j]) - _ROUNDING)
        bounds.setHigh(j, float(high[j]) + _ROUNDING)
    space.setBounds(bounds)
    information = base.SpaceInformation(space)

    class Validator(base.MotionValidator):  # type: ignore[misc]
        """Hands motions over; the method's name is OMPL's."""

        def checkMotion(self, a: Any, b: Any) -> bool:
            return looks.free(a, b)

    information.setMotionValidator(Validator(information))
    # A motion is looked at with its end, so that postures need no look of their own.
    information.setStateValidityChecker(lambda _: True)
    information.setup()
    return information


def _state(information: Any, q: Array) -> Any:
    state = information.getStateSpace().allocState()
    for j in range(q.size):
        state[j] = float(q[j])
    return state


def _range(room: TravelSpace, start: Array, end: Array, beyond: float) -> tuple[Array, Array]:
    """Least and greatest joint values that the search may use. # (n,) each."""
    least, most = np.minimum(start, end), np.maximum(start, end)
    far = beyond if np.isfinite(beyond) else _FREE_TURN
    limited = np.isfinite(room.lower) & np.isinf(beyond)
    low = np.where(limited, room.lower, np.maximum(room.lower, least - far))
    limited = np.isfinite(room.upper) & np.isinf(beyond)
    high = np.where(limited, room.upper, np.minimum(room.upper, most + far))
    # Ends that lie on a limit stay inside it.
    return np.minimum(low, least), np.maximum(high, most)


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
