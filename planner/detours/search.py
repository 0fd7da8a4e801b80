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

from planner.detours.route import TravelSpace
from robots.core.arrays import Array
from robots.core.mechanism import Mechanism

FreeMotion = Callable[[Array, Array], bool]

_STRIDE = 0.6  # [s] at full speed: longest motion that a tree grows by
_COARSE = 8  # every so many postures of a motion are looked at first
_ROUNDING = 1e-9  # of the bounds, so that ends on them are inside
_FREE_TURN = 2.0 * np.pi  # [rad or m] beyond both ends, where a joint has no limits


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
