"""What the order search runs on: candidates, alternatives and stops as arrays, and their costs.

A *candidate* is one way to serve one point. A *stop* is what the order is made of: a point, or a
locked run of points. An *alternative* is one way to make a stop: the candidate by which it is
entered, the one by which it is left, and what lies between. These functions are kernels: plain
Python that ``Loop`` compiles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from robots.core.arrays import Array, Indices, Mask
from robots.core.kernels.loop import Loop
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.motion_law import motion_law, straight_law

TRAPEZOID, PEAKS, JERK = 0.0, 1.0, 2.0  # kinds of law: see ``seconds``
# Both are far above any travel, and small enough for sums with them to be good to a nanosecond.
REFUSED = 1e4  # [s] stands for a travel that is impossible
APART = 1e5  # [s] cost of leaving a group; rules come before travels that are impossible
# Names the home posture among candidates; above all their numbers.
HOME = int(np.iinfo(np.int64).max)
TYPES = (
    "f8[2] f8[1] i8[1] i8[1] f8[1] i8[1] i8[1] f8[1] i8[1] i8[2] f8[2] i8[1] i8[1] i8[1] i8[1] "
    "f8[2]"
)
NEIGHBOURS = 10
OUTSIDE = 5  # more of them, of other groups
_LOOKED_AT = (40, 400)  # nearest ones among which those of other groups are looked for
_ALL_LOOKED_AT = 800_000  # of all candidates together, within these
_SAMPLES = 64  # candidates whose surroundings are measured, to scale the joints
_TABLED = 1024  # candidates between which travels are kept: 8 MB
_ROWS = 4096  # candidates asked for at a time
_HALVINGS = 60  # of an interval, until only rounding is left


def pair_seconds(scaled: Array, law: Array, start: Indices, end: Indices, out: Array) -> None:
    """Direct travel between pairs of candidates.

    Args:
        scaled: see ``Graph``. # (C, kinds · n)
        law: see ``Graph``. # (3,)
        start: candidates. # (m,)
        end: the other ones. # (m,)
        out: filled. # (m,) [s]
    """
    for k in range(out.size):
        out[k] = direct(scaled, law, start[k], end[k])


PAIR_SECONDS = Loop(pair_seconds, "f8[2] f8[1] i8[1] i8[1] f8[1]")


class Graph(NamedTuple):
    """What does not change while tours are compared; C candidates, A alternatives, S stops.

    Args:
        scaled: joints over their largest speeds, then over their largest accelerations, then (law
            of kind JERK only) over their largest jerks. # (C, kinds · n)
        law: kind, peak rate, peak acceleration. # (3,)
        forced_first: where each candidate's forced travels begin. # (C + 1,)
        forced_other: candidates at their other ends. # (f,)
        forced_seconds: what they take. # (f,) [s]
        enter: candidate by which each alternative is entered. # (A,)
        leave: candidate by which it is left. # (A,)
        weight: seconds that an alternative takes more than the stop's quickest. # (A,) [s]
        first: where each stop's alternatives begin. # (S + 1,)
        near: candidates near to each, the nearest first, -1 where there are no more. # (C, K)
        near_seconds: direct travel to them. # (C, K) [s]
        stop_of: stop that a candidate enters or leaves, -1 for none. # (C,)
        group: number of each stop's group. # (S,)
        oriented: stops that are entered and left by different points. # (o,)
        home: where a tour comes from and returns to, a row of ``scaled`` behind the candidates;
            none where it begins and ends at its stops. # (1,) or (0,)
        known: work: travels that were asked for, NaN for the others. # (C, C) or (0, 0) [s]
    """

    scaled: Array
    law: Array
    forced_first: Indices
    forced_other: Indices
    forced_seconds: Array
    enter: Indices
    leave: Indices
    weight: Array
    first: Indices
    near: Indices
    near_seconds: Array
    stop_of: Indices
    group: Indices
    oriented: Indices
    home: Indices
    known: Array


def seconds(graph: Graph, a: int, b: int) -> float:
    """Least time of travel between two candidates, either way.

    Where candidates are few it is computed once for each pair: a search asks for the same ones by
    the hundred thousand.

    Source: [LAMMARI12] §V.3 with |D|
    """
    if graph.known.size == 0:
        return forced(graph, a, b, direct(graph.scaled, graph.law, a, b))
    if math.isnan(graph.known[a, b]):
        graph.known[a, b] = forced(graph, a, b, direct(graph.scaled, graph.law, a, b))
    return float(graph.known[a, b])


def nothing_known(count: int) -> Array:
    """See ``Graph.known``; without entries where a table would not stay in a processor's cache."""
    side = count if count <= _TABLED else 0
    return np.full((side, side), np.nan)


def forced(graph: Graph, a: int, b: int, otherwise: float) -> float:
    """What a travel is forced to take, if it is."""
    for k in range(graph.forced_first[a], graph.forced_first[a + 1]):
        if graph.forced_other[k] == b:
            return float(graph.forced_seconds[k])
    return otherwise


def direct(scaled: Array, law: Array, a: int, b: int) -> float:
    """Least time of a straight travel in joint space."""
    n = scaled.shape[1] // 3 if law[0] == JERK else scaled.shape[1] // 2
    by_speed = 0.0
    by_acceleration = 0.0
    for j in range(n):
        by_speed = max(by_speed, float(abs(scaled[a, j] - scaled[b, j])))
        by_acceleration = max(by_acceleration, float(abs(scaled[a, n + j] - scaled[b, n + j])))
    if law[0] == TRAPEZOID:
        root = math.sqrt(by_acceleration)
        if root < by_speed:
            return by_speed + by_acceleration / by_speed
        return 2.0 * root
    if law[0] == PEAKS:
        return max(float(law[1]) * by_speed, math.sqrt(law[2] * by_acceleration))
    by_jerk = 0.0
    for j in range(n):
        by_jerk = max(by_jerk, float(abs(scaled[a, 2 * n + j] - scaled[b, 2 * n + j])))
    return jerk_limited(by_speed, by_acceleration, by_jerk)


def jerk_limited(by_speed: float, by_acceleration: float, by_jerk: float) -> float:
    """Least time of a double-S from rest to rest whose rate and its derivatives have limits.

    Args:
        by_speed: inverse of the largest rate. [s]
        by_acceleration: inverse of the largest second derivative. [s²]
        by_jerk: inverse of the largest third derivative. [s³]
    """
    if by_speed <= 0.0:
        return 0.0
    ramp = by_jerk / by_acceleration  # of the acceleration, where it reaches its limit
    if by_acceleration * by_acceleration < by_jerk * by_speed:
        ramp = math.sqrt(by_jerk / by_speed)
        rise = 2.0 * ramp
    else:
        rise = ramp + by_acceleration / by_speed
    if rise <= by_speed:
        return by_speed + rise
    ramp = by_jerk / by_acceleration
    rise = 0.5 * (ramp + math.sqrt(ramp * ramp + 4.0 * by_acceleration))
    if rise < 2.0 * ramp:
        rise = 2.0 * (0.5 * by_jerk) ** (1.0 / 3.0)
    return 2.0 * rise


def edge(graph: Graph, now: Indices, s: int, t: int) -> float:
    """Cost of going from stop s to stop t, or from or to the rest beyond both ends. [s]."""
    rest = graph.group.size
    if rest in (s, t):
        return home_leg(graph, graph.enter[now[t]] if s == rest else graph.leave[now[s]])
    cost = seconds(graph, graph.leave[now[s]], graph.enter[now[t]])
    return cost if graph.group[s] == graph.group[t] else cost + APART


def home_leg(graph: Graph, candidate: int) -> float:
    """Time between a candidate and home; nothing where there is none. [s]."""
    return seconds(graph, graph.home[0], candidate) if graph.home.size > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forced:
    """Travels whose time is not that of the straight one.

    Args:
        ends: candidates at both ends. # (f, 2)
        seconds: what each takes, either way; infinite where it is impossible. # (f,) [s]
    """

    ends: Indices = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    seconds: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, travels: Mapping[tuple[int, int], float]) -> Forced:
        """From pairs of candidates; each pair once, whichever way."""
        ends = np.array([*travels], dtype=np.int64).reshape(-1, 2)
        return cls(ends=ends, seconds=np.array([*travels.values()], dtype=np.float64))

    def among(self, rows: Indices) -> Forced:
        """Those between some of the candidates, numbered by their places. Args: rows, rising."""
        place = np.searchsorted(rows, self.ends)
        known = np.all(rows[np.minimum(place, rows.size - 1)] == self.ends, axis=1)
        return Forced(ends=place[known], seconds=self.seconds[known])

    def rows(self, count: int) -> tuple[Indices, Indices, Array]:
        """See ``Graph``: first # (count + 1,), other # (2f,), seconds # (2f,) [s]."""
        start = np.concatenate([self.ends[:, 0], self.ends[:, 1]])
        end = np.concatenate([self.ends[:, 1], self.ends[:, 0]])
        seconds = np.minimum(np.tile(self.seconds, 2), REFUSED)
        rank = np.argsort(start, kind="stable")
        first = np.searchsorted(start[rank], np.arange(count + 1))
        return first.astype(np.int64), end[rank], seconds[rank]


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointTimes:
    """Candidates with what makes times of their joints.

    Args:
        scaled: see ``Graph``. # (C, kinds · n)
        law: see ``Graph``. # (3,)
        ratios: largest speed over largest speed, acceleration and jerk of each joint. # (kinds, n)
    """

    scaled: Array
    law: Array
    ratios: Array

    @classmethod
    def of(cls, q: Array, limits: JointLimits, law_name: str) -> JointTimes:
        """Times between configurations.

        Args:
            q: one per candidate. # (C, n) [rad or m]
            limits: of the joints.
            law_name: of the motion law of travel.

        Raises:
            MotionError: no law of this name; the double-S law for a joint without jerk limit.
        """
        scales = [limits.max_speed, limits.max_acceleration]
        law_name = straight_law(law_name)
        if law_name == "trapezoid":
            law = np.array([TRAPEZOID, 0.0, 0.0])
        elif law_name == "double-s":
            law = np.array([JERK, 0.0, 0.0])
            scales.append(limits.require_jerk())
        else:
            shape = motion_law(law_name)
            law = np.array([PEAKS, shape.peak_rate, shape.peak_acceleration])
        scaled = np.concatenate([q / scale for scale in scales], axis=1)
        ratios = np.array([limits.max_speed / scale for scale in scales])
        return cls(scaled=np.ascontiguousarray(scaled), law=law, ratios=ratios)

    @property
    def joints(self) -> int:
        """Number of joints n."""
        return int(self.ratios.shape[1])

    def take(self, chosen: Indices) -> JointTimes:
        """Some of the candidates, in the order given."""
        return replace(self, scaled=self.scaled[chosen])

    def between(self, start: Indices, end: Indices) -> Array:
        """Seconds of travel between pairs of candidates, all broadcast together. # (...)."""
        start, end = np.broadcast_arrays(start, end)
        out = np.empty(start.size)
        flat = [np.ascontiguousarray(side, dtype=np.int64).ravel() for side in (start, end)]
        PAIR_SECONDS(self.scaled, self.law, *flat, out)
        return out.reshape(start.shape)

    def alone(self, by_speed: Array) -> Array:
        """Seconds that each joint takes alone.

        Args:
            by_speed: its displacement over its largest speed. # (m, n) [s]

        Returns:
            # (m, n) [s]
        """
        (m, n), kinds = by_speed.shape, len(self.ratios)
        ends = np.zeros((m, n, kinds, n))
        for j in range(n):
            ends[:, j, :, j] = by_speed[:, j, None] * self.ratios[:, j]
        flat = np.concatenate([np.zeros((1, kinds * n)), ends.reshape(m * n, kinds * n)])
        times = replace(self, scaled=flat).between(np.array(0), np.arange(1, m * n + 1))
        return times.reshape(m, n)

    def range_of(self, duration: float) -> Array:
        """Displacement over largest speed that each joint alone makes in a time. # (n,) [s]."""
        low, high = np.zeros((1, self.joints)), np.full((1, self.joints), duration)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            within = self.alone(middle) <= duration
            low, high = np.where(within, middle, low), np.where(within, high, middle)
        return np.asarray(low[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidatePool:
    """Some of the candidates, numbered by their places here.

    Args:
        rows: what they are called outside, rising. # (C,)
        point: that each one serves. # (C,)
        weight: seconds that each one costs beside travel. # (C,) [s]
        times: of travel.
        near: candidates near to each.
        home: row of ``times.scaled`` that the home posture has; none without home.
            # (1, kinds · n)
    """

    rows: Indices
    point: Indices
    weight: Array
    times: JointTimes
    near: Near
    home: Array | None = None

    @property
    def with_home(self) -> JointTimes:
        """Times of travel, the home posture behind the candidates where there is one."""
        if self.home is None:
            return self.times
        return replace(self.times, scaled=np.concatenate([self.times.scaled, self.home]))

    def forced(self, travels: Mapping[tuple[int, int], float]) -> Forced:
        """Those of the forced travels that the pool has, numbered as ``with_home`` is."""
        return Forced.of(travels).among(np.append(self.rows, HOME))

    def only(self, chosen: Indices) -> CandidatePool:
        """Some of the candidates, without lists of near ones. Args: chosen, rising."""
        return replace(
            self,
            rows=self.rows[chosen],
            point=self.point[chosen],
            weight=self.weight[chosen],
            times=self.times.take(chosen),
            near=Near.none(chosen.size),
        )

    def with_near(self, group: Indices) -> CandidatePool:
        """The same with lists of near candidates. Args: group of each point. # (points,)."""
        return replace(self, near=nearest(self.times, self.point, group[self.point]))


def nearest(times: JointTimes, point: Indices, group: Indices) -> Near:
    """Near candidates of every candidate.

    Args:
        times: of the candidates.
        point: that each one serves. # (C,)
        group: that each one belongs to; every one's list goes beyond its group. # (C,)
    """
    if point.size == 0:
        return Near.none(0)
    grouped = bool(np.any(group != group[0]))
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
