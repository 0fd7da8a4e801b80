"""Visiting orders beside those of fast-tsp, which gets ten times our time, in one run.

With fixed branches: random points that the measuring arm reaches, one branch each; fast-tsp is
given all times of travel as whole numbers up to its limit of 65,535 and a point without distances
for the open ends. Its tour is judged by the exact times. With free branches there is no peer: the
gain and the gap to the lower bound are told.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from planner.order.chooser import Chooser, SequenceCost
from planner.order.fastest import SearchBudget, solve
from planner.order.graph import JointTimes
from planner.reach.lines import ArmLines
from planner.reach.margins import rough_margins
from planner.reach.reach import Candidates
from robots.arm.inverse import ArmInverse
from robots.core.motion.joint_limits import JointLimits
from robots.library import load
from tests.cases import sized

pytestmark = pytest.mark.benchmark

ARM = load("measuring-arm")
WIDE = np.radians(175.0)  # limits with which most of the eight branches serve a point
LIMITS = JointLimits.of(ARM)
RATIO = sized(10, once=1)  # fast-tsp's time over ours
LINE = 0.01  # [m]


def reachable(count: int, branches: int) -> Candidates:
    """Random points above a table, lines downwards, one branch of the arm or all of a wider one."""
    rng = np.random.default_rng(count)
    joints = [replace(joint, q_min=-WIDE, q_max=WIDE) for joint in ARM.joints]
    arm = ARM if branches == 1 else replace(ARM, joints=tuple(joints))
    inverse = ArmInverse(arm, engine="compiled")
    total = 4 * count
    places = rng.uniform([-0.6, 1.0, 0.5], [0.6, 1.9, 1.3], (total, 3))
    axes = rng.normal(size=(total, 3)) * [0.4, 0.4, 0.2] + [0.0, 0.0, -1.0]
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    solved = inverse.solve(places, axes)
    point, family = np.nonzero(solved.solved)
    lines = ArmLines(
        inverse=inverse,
        starts=places[point],
        ends=places[point] + LINE * axes[point],
        axes=axes[point],
        families=family,
        q_starts=solved.q[point, family],
    )
    good = np.nonzero(rough_margins(lines).keep(np.radians(1.0)))[0]
    order = np.argsort(rng.uniform(size=good.size)) if branches == 1 else np.arange(good.size)
    good = good[order][np.argsort(point[good[order]], kind="stable")]
    first = np.searchsorted(point[good], point[good])
    good = good[np.arange(good.size) - first < branches]
    served, number = np.unique(point[good], return_inverse=True)
    assert served.size >= count
    good, number = good[number < count], number[number < count]
    lines = lines.take(good)
    return Candidates(lines=lines, point=number, margins=rough_margins(lines))


def chooser_of(found: Candidates) -> Chooser:
    rng = np.random.default_rng(0)
    return Chooser(
        found, SequenceCost(lines=rng.uniform(0.3, 0.35, found.point.size), limits=LIMITS)
    )


def travel(times: JointTimes, order: np.ndarray) -> float:
    return float(times.between(order[:-1], order[1:]).sum())


def peer_order(times: JointTimes, count: int, seconds: float) -> np.ndarray:
    """What fast-tsp finds in a time."""
    fast_tsp = pytest.importorskip("fast_tsp", reason="fast-tsp is the peer of this benchmark")
    every, rows = np.arange(count), range(0, count, 500)
    largest = max(float(times.between(every[a : a + 500, None], every).max()) for a in rows)
    matrix = np.zeros((count + 1, count + 1), dtype=np.uint16)
    for a in rows:
        block = times.between(every[a : a + 500, None], every)
        matrix[a : min(a + 500, count), :count] = np.round(block * (65_000 / largest))
    matrix[:count, count] = 0
    order = np.array(fast_tsp.find_tour(matrix, duration_seconds=seconds))
    return np.roll(order, -int(np.nonzero(order == count)[0][0]))[1:]


def beside_peer(count: int) -> float:
    """Travel time of fast-tsp's order over that of ours."""
    found = reachable(count, 1)
    solve(chooser_of(reachable(60, 1)), 60)  # compiles
    chooser, effort = chooser_of(found), SearchBudget()
    start = time.perf_counter()
    choice = solve(chooser, count, effort).choice
    seconds = time.perf_counter() - start
    times = JointTimes.of(found.lines.q_starts, LIMITS, "trapezoid")
    ours = travel(times, choice.chosen)
    theirs = travel(times, peer_order(times, count, RATIO * seconds))
    print(
        f"{count} points: {ours:.3f} s of travel found in {seconds:.2f} s; fast-tsp {theirs:.3f} s "
        f"in {RATIO * seconds:.1f} s; excess {100 * (ours / theirs - 1.0):+.3f} %"
    )
    assert np.array_equal(np.sort(choice.chosen), np.arange(count))
    return theirs / ours


LARGE = sized(1_000, once=200)


@pytest.mark.parametrize("count", [100, LARGE])
def test_orders_beside_fast_tsp(count, speed):
    speed.ratio(f"order of {count}, travel: fast-tsp", beside_peer(count))


@pytest.mark.soak
def test_a_large_order_beside_fast_tsp(speed):
    speed.ratio("order of 10000, travel: fast-tsp", beside_peer(10_000))


@pytest.mark.parametrize("count", [100, LARGE, pytest.param(10_000, marks=pytest.mark.soak)])
def test_free_branches_are_never_worse(count):
    found = reachable(count, 8)
    start = time.perf_counter()
    ordered = solve(chooser_of(found), count)
    seconds = time.perf_counter() - start
    gain = 1.0 - ordered.choice.cost / ordered.fixed
    print(
        f"{count} points, {found.point.size} candidates, {seconds:.2f} s: as given "
        f"{ordered.given.cost:.2f} s, fixed {ordered.fixed:.2f} s, free "
        f"{ordered.choice.cost:.2f} s (gain {100 * gain:.2f} %), bound {ordered.bound:.2f} s "
        f"(gap {100 * ordered.gap:.2f} %)"
    )
    assert gain >= 0.0
    assert 0.0 <= ordered.gap <= 0.1
    assert ordered.bound <= ordered.choice.cost <= ordered.fixed <= ordered.given.cost
