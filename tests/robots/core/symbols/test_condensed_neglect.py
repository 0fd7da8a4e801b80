"""Neglected terms: the stated error bound holds everywhere and is not far from what happens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.errors import EquationError
from robots.core.language import parse
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.symbols.condensed.chain import from_description
from robots.core.symbols.condensed.equations import condensed_equations
from robots.core.symbols.condensed.neglect import (
    Interval,
    IntervalReading,
    OperatingRanges,
    cosine_range,
    neglect,
    sine_range,
)
from robots.core.symbols.condensed.terms import Sum, Term, Trig
from tests.cases import cases

PHRASE = (
    "RY(-9,9),TYK(L1),RX(-9,9),TYK(L2),RX(-9,9),TZK(L3),"
    "RX(-9,9),TZK(0),RY(-9,9),TZK(0),RZ(-9,9),TZK(L6);"
)
VALUES = {
    "L1": 0.6, "L2": 0.8, "L3": 0.7, "L6": 0.2, "D1": 0.3, "D2": 0.35, "D3": 0.25, "D6": 0.12,
    "M1": 30.0, "M2": 14.0, "M3": 8.0, "M6": 3.0, "IX1": 1.1, "IZ1": 0.9, "IX2": 0.75,
    "IZ2": 0.8, "IX3": 0.33, "IY3": 0.31, "IX6": 0.02, "IY6": 0.03, "G": -9.81,
}  # fmt: skip
LIMIT = np.array([2.9, 1.2, 1.4, 1.5, 1.6, 3.1])
RANGES = OperatingRanges(q_min=-LIMIT, q_max=LIMIT, qd_max=np.full(6, 2.0), qdd_max=np.full(6, 5.0))
STATES = 10_000


@pytest.fixture(scope="module")
def robot():
    return condensed_equations(from_description(parse(PHRASE), gravity="Y", values=VALUES))


def states(ranges, seed):
    """Random states; half of them with speeds and accelerations at their bounds."""
    rng = np.random.default_rng(seed)
    n = len(ranges.q_min)
    q = rng.uniform(ranges.q_min, ranges.q_max, (STATES, n))
    rates = rng.uniform(-1, 1, (2, STATES, n))
    rates[:, ::2] = np.sign(rates[:, ::2])
    return q, rates[0] * ranges.qd_max, rates[1] * ranges.qdd_max


def torques(equations, state):
    q, qd, qdd = state
    return equations.evaluate(q).torques(qd, qdd)


@pytest.mark.parametrize("threshold", [0.5, 5.0, 50.0])
def test_true_error_stays_below_the_bound_and_comes_near_it(robot, threshold):
    result = neglect(robot, threshold, RANGES)
    state = states(RANGES, 1)
    error = np.abs(torques(result.equations, state) - torques(robot, state)).max(axis=0)
    # 1e-11: rounding of torques of order 100, for joints where nothing went
    assert np.all(error <= result.error_bound + 1e-11)
    used = result.error_bound > 0.0
    assert np.any(used)
    assert result.dropped > 0
    # Signs and postures that suit every dropped term at once are rare among 1e4 states; a bound
    # ten times too wide would still show here.
    assert np.all(error[used] > result.error_bound[used] / 10.0)


def test_what_is_kept_and_dropped_adds_up(robot):
    total = sum(body.size for body in robot.sums())
    sizes = []
    for threshold in (0.0, 0.1, 1.0, 10.0, 1e9):
        result = neglect(robot, threshold, RANGES)
        assert result.kept + result.dropped == total
        sizes.append(result.kept)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == total  # nothing lies below zero
    # A threshold above everything leaves nothing, and the bound is then a bound of the torque.
    state = states(RANGES, 2)
    assert sizes[-1] == 0
    assert np.all(np.abs(torques(robot, state)).max(axis=0) <= result.error_bound + 1e-11)


def test_inertia_stays_symmetric_and_gravity_references_stay_consistent(robot):
    result = neglect(robot, np.array([1.0, 0.01, 2.0, 3.0, 0.1, 0.1]), RANGES)
    A, Q = result.equations.A, result.equations.Q
    assert all(A[i][j] is A[j][i] for i in range(6) for j in range(6))
    state = states(RANGES, 3)
    error = np.abs(torques(result.equations, state) - torques(robot, state)).max(axis=0)
    assert np.all(error <= result.error_bound + 1e-11)
    # Q(4) is also part of Q(2), whose threshold of 0.01 N m forbids to drop it.
    assert Q[3].terms == robot.Q[3].terms


def test_a_slide_and_a_tree_keep_the_bound():
    chain = from_description(
        parse("RZ(-9,9),TXK(300),TZ(0,500),[TYK(200),RX(-9,9),TZK(150)],RY(-9,9),TXK(250);")
    )
    values = {name: 0.3 + 0.05 * k for k, name in enumerate(sorted(chain.symbols()))}
    ranges = OperatingRanges(
        q_min=np.array([-3.0, 0.0, -1.0, -1.0]), q_max=np.array([3.0, 0.5, 1.0, 2.0]),
        qd_max=np.full(4, 2.0), qdd_max=np.full(4, 3.0),
    )  # fmt: skip
    full = condensed_equations(chain)
    result = neglect(full, 0.3, ranges, values)
    q, qd, qdd = states(ranges, 4)
    lost = full.evaluate(q, values).torques(qd, qdd)
    lost = np.abs(lost - result.equations.evaluate(q, values).torques(qd, qdd)).max(axis=0)
    assert result.dropped > 0
    assert np.all(lost <= result.error_bound + 1e-12)


def test_a_mechanism_without_speed_limits_bounds_no_torque(make_mechanism):
    with pytest.raises(EquationError, match=r"qd_max.*finite bound"):
        OperatingRanges.of(make_mechanism(21))


def test_ranges_of_a_mechanism_are_its_limits():
    joint = Joint(
        name="a", kind=JointKind.REVOLUTE, parent=-1, placement=np.eye(4),
        q_min=-1.0, q_max=2.0, max_speed=3.0, max_acceleration=4.0,
    )  # fmt: skip
    ranges = OperatingRanges.of(Mechanism(name="one", joints=(joint,)))
    assert ranges.intervals == (Interval(-1.0, 2.0),)
    assert (ranges.qd_max[0], ranges.qdd_max[0]) == (3.0, 4.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"threshold": -1.0}, "below zero"),
        ({"ranges": 3}, "has 6 joints; the operating ranges are for 3"),
        ({"values": {"M6": float("nan")}}, None),
    ],
)
def test_bad_input_is_refused(robot, change, words):
    size = change.get("ranges", 6)
    ranges = OperatingRanges(
        q_min=-LIMIT[:size], q_max=LIMIT[:size], qd_max=np.ones(size), qdd_max=np.ones(size)
    )
    with pytest.raises(EquationError, match=words or "M6"):
        neglect(robot, change.get("threshold", 0.1), ranges, change.get("values"))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"q_min": [1.0], "q_max": [0.0]}, "lower limit is above"),
        ({"qd_max": [np.inf]}, "qd_max"),
        ({"qdd_max": [-1.0]}, "qdd_max"),
        ({"q_min": [np.nan]}, "q_min"),
        ({"q_min": [0.0, 0.0]}, "lengths"),
    ],
)
def test_bad_ranges_are_refused(fields, words):
    given = {"q_min": [-1.0], "q_max": [1.0], "qd_max": [1.0], "qdd_max": [1.0], **fields}
    with pytest.raises(EquationError, match=words):
        OperatingRanges(**given)


def test_a_slide_without_limits_is_refused():
    chain = from_description(parse("RZ(-9,9),TXK(300),TX,TXK(100);"))
    ranges = OperatingRanges(
        q_min=[-1.0, -np.inf], q_max=[1.0, 1.0], qd_max=[1.0, 1.0], qdd_max=[1.0, 1.0]
    )
    values = dict.fromkeys(chain.symbols(), 1.0)
    with pytest.raises(EquationError, match="joint 2: a slide without limits"):
        neglect(condensed_equations(chain), 0.1, ranges, values)


@settings(max_examples=cases(gate=20, soak=200), deadline=None, derandomize=True)
@given(low=st.floats(-20, 20), width=st.floats(0, 8))
def test_trigonometric_ranges_are_tight_and_safe(low, width):
    """Dense samples lie inside; the ends are reached to the samples' spacing."""
    angle = Interval(low, low + width)
    samples = np.linspace(angle.low, angle.high, 2001)
    for found, values in (
        (cosine_range(angle), np.cos(samples)),
        (sine_range(angle), np.sin(samples)),
    ):
        assert found.low - 1e-12 <= values.min()
        assert values.max() <= found.high + 1e-12
        # spacing 4e-3 beside a crest leaves at most (2e-3)²/2
        assert values.min() - found.low < 1e-5
        assert found.high - values.max() < 1e-5


def test_equal_factors_are_powers():
    """s² lies in [0, 1]; a free joint has the whole circle."""
    sine = Trig(cosine=False, angle=((1, 1),))
    reading = IntervalReading({}, [Interval(-np.inf, np.inf)])
    assert reading.read(Sum(terms=(Term(factors=(sine, sine)),))) == Interval(0.0, 1.0)
    assert reading.read(Sum(terms=(Term(factors=(sine,)),))) == Interval(-1.0, 1.0)
