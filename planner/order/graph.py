"""What the order search runs on: candidates, alternatives and stops as arrays, and their costs.

A *candidate* is one way to serve one point. A *stop* is what the order is made of: a point, or a
locked run of points. An *alternative* is one way to make a stop: the candidate by which it is
entered, the one by which it is left, and what lies between. These functions are kernels: plain
Python that ``Loop`` compiles.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from robots.core.arrays import Array, Indices

TRAPEZOID, PEAKS, JERK = 0.0, 1.0, 2.0  # kinds of law: see ``seconds``
# Both are far above any travel, and small enough for sums with them to be good to a nanosecond.
REFUSED = 1e4  # [s] stands for a travel that is impossible
APART = 1e5  # [s] cost of leaving a group; rules come before travels that are impossible
TYPES = "f8[2] f8[1] i8[1] i8[1] f8[1] i8[1] i8[1] f8[1] i8[1] i8[2] f8[2] i8[1] i8[1] i8[1]"


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


def seconds(graph: Graph, a: int, b: int) -> float:
    """Least time of travel between two candidates, either way.

    Source: [LAMMARI12] §V.3 with |D|
    """
    return forced(graph, a, b, direct(graph.scaled, graph.law, a, b))


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
    """Cost of going from stop s to stop t; nothing from or to the rest beyond both ends. [s]."""
    if graph.group.size in (s, t):
        return 0.0
    cost = seconds(graph, graph.leave[now[s]], graph.enter[now[t]])
    return cost if graph.group[s] == graph.group[t] else cost + APART
