"""Whole turns within limits, and the margins they leave."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.arm.inverse import alternatives
from robots.library import load

ARM = load("measuring-arm")
TURN = 2 * np.pi


def limited(*degrees):
    joints = [
        replace(joint, q_min=np.radians(low), q_max=np.radians(high))
        for joint, (low, high) in zip(ARM.joints, degrees, strict=True)
    ]
    return replace(ARM, joints=tuple(joints))


def test_a_range_of_350_degrees_either_way_gives_two_ways():
    """Table VI.2: q4 has ±350°; 100° is also -260°, and 5° has no other."""
    q = np.radians([[10, 20, 30, 100, 40], [10, 20, 30, 5, 40]])
    found = alternatives(ARM, q)
    np.testing.assert_array_equal(found.row, [0, 0, 1])
    np.testing.assert_allclose(sorted(np.degrees(found.q[:2, 3])), [-260, 100])
    np.testing.assert_array_equal(found.q[2], q[1])
    assert found.within.all()
    first = int(np.argmax(found.q[:2, 3]))
    np.testing.assert_allclose(np.degrees(found.margin[first]), [170, 70, 80, 250, 65])
    np.testing.assert_allclose(np.degrees(found.margin[1 - first]), [170, 70, 80, 90, 65])


def test_a_range_below_a_turn_may_still_need_one():
    """0…300° holds -100° only as 260°."""
    arm = limited((0, 300), (-90, 90), (-110, 110), (0, 300), (-105, 105))
    found = alternatives(arm, np.radians([[-100.0, 0, 0, -70, 0]]))
    np.testing.assert_allclose(np.degrees(found.q), [[260, 0, 0, 290, 0]])
    assert found.within.all()


def test_a_range_away_from_zero():
    arm = limited((400, 500), (-90, 90), (-110, 110), (-900, 900), (-105, 105))
    found = alternatives(arm, np.radians([[60.0, 0, 0, 10, 0]]))
    np.testing.assert_allclose(np.degrees(found.q[:, 0]), 420)
    np.testing.assert_allclose(sorted(np.degrees(found.q[:, 3])), [-710, -350, 10, 370, 730])


def test_without_a_way_the_one_least_beyond_is_kept():
    arm = limited((200, 300), (-90, 90), (-110, 110), (-350, 350), (-105, 105))
    found = alternatives(arm, np.radians([[-175.0, 95, 0, 10, 0]]))
    assert found.q.shape == (1, 5)
    np.testing.assert_allclose(np.degrees(found.q[0]), [185, 95, 0, 10, 0])
    assert not found.within.any()
    np.testing.assert_allclose(np.degrees(found.margin[0, :2]), [-15, -5])


def test_a_joint_on_its_limit_is_within_and_one_beyond_is_not():
    at = np.array([[np.pi, np.pi / 2, 0, 0, 0]])
    found = alternatives(ARM, at + 1e-13)
    assert found.within.all()
    assert not alternatives(ARM, at + 1e-9).within.all()


def test_joints_without_limits_are_offered_one_turn_either_way():
    joints = [replace(joint, q_min=-np.inf, q_max=np.inf) for joint in ARM.joints[:1]]
    arm = replace(ARM, joints=(*joints, *ARM.joints[1:]))
    found = alternatives(arm, np.array([[0.5, 0, 0, 0, 0]]))
    np.testing.assert_allclose(sorted(found.q[:, 0]), [0.5 - TURN, 0.5, 0.5 + TURN])
    assert np.all(np.isinf(found.margin[:, 0]))


def test_no_postures():
    assert alternatives(ARM, np.zeros((0, 5))).q.shape == (0, 5)


def test_results_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        alternatives(ARM, np.zeros((1, 5))).q[0, 0] = 1.0


angle = st.floats(-179.9, 180.0)
interval = st.tuples(st.floats(-400, 400), st.floats(0, 700)).map(lambda t: (t[0], t[0] + t[1]))


@given(st.tuples(*[angle] * 5), st.tuples(*[interval] * 5))
def test_all_ways_and_only_those(q, ranges):
    """Against trying every turn from -4 to 4; values near a limit are left to the rounding."""
    values = [[x + 360.0 * k for k in range(-4, 5)] for x in q]
    fits = [
        [v for v in ways if low <= v <= high]
        for ways, (low, high) in zip(values, ranges, strict=True)
    ]
    close = [
        abs(v - edge) < 1e-6
        for ways, limits in zip(values, ranges, strict=True)
        for v in ways
        for edge in limits
    ]
    if any(close):
        return
    found = alternatives(limited(*ranges), np.radians([q]))
    expected = sorted(product(*fits))
    if expected:
        assert found.within.all()
        np.testing.assert_allclose(sorted(map(tuple, np.degrees(found.q))), expected, atol=1e-9)
    else:
        assert found.q.shape == (1, 5)
        assert not found.within.any()
