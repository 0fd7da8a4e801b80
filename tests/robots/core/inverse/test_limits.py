"""Whole turns and limits."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from robots.core.inverse.limits import (
    inside_limits,
    limit_breaches,
    limit_margins,
    wrapped,
)
from robots.core.mechanism import Joint, JointKind, Mechanism

TURN = 2 * np.pi


def one_joint(low, high, kind=JointKind.REVOLUTE):
    joint = Joint(name="j", kind=kind, parent=-1, placement=np.eye(4), q_min=low, q_max=high)
    return Mechanism(name="one", joints=(joint,))


ANGLES = st.floats(-30, 30)


@given(q=ANGLES, reference=ANGLES, low=st.floats(-8, 8), width=st.floats(0, 15))
def test_wrapping_keeps_the_posture_and_enters_the_limits_if_it_can(q, reference, low, width):
    mechanism = one_joint(low, low + width)
    found = wrapped(mechanism, np.array([q]), np.array([reference]))
    turns = (found[0] - q) / TURN
    assert turns == pytest.approx(round(turns), abs=1e-9)
    # Brute force over all whole turns that could matter.
    all_of_them = q + TURN * np.arange(-12, 13)
    margins = np.minimum(all_of_them - low, low + width - all_of_them)
    assume(np.min(np.abs(margins)) > 1e-8)  # at a limit, rounding decides
    best = margins.max()
    if best > 0:
        assert inside_limits(mechanism, found)
        inside = all_of_them[margins >= 0]
        nearest = inside[np.argmin(np.abs(inside - reference))]
        assert abs(found[0] - reference) == pytest.approx(abs(nearest - reference), abs=1e-8)
    else:
        assert limit_margins(mechanism, found)[0] == pytest.approx(best, abs=1e-8)


def test_a_joint_at_its_limit_stays_there():
    found = wrapped(one_joint(-3.0, 0.5), np.array([0.5 + 1e-12]), np.array([0.0]))
    assert found[0] == pytest.approx(0.5)


def test_without_limits_the_nearest_turn_is_taken():
    found = wrapped(one_joint(-np.inf, np.inf), np.array([7.0]), np.array([-6.0]))
    assert found == pytest.approx([7.0 - 2 * TURN])


def test_sliding_joints_do_not_wrap():
    mechanism = one_joint(-1, 1, JointKind.PRISMATIC)
    assert wrapped(mechanism, np.array([7.0]), np.array([0.0]))[0] == 7.0


def test_a_breach_names_joint_value_and_limit():
    text = limit_breaches(one_joint(*np.radians([-30.0, 30.0])), np.radians([45.0]))
    assert text == "joint 'j' would stand at 45 deg, 15 deg beyond its upper limit 30"
    assert limit_breaches(one_joint(-0.5, 0.5), np.array([0.5 + 1e-16])) == ""
