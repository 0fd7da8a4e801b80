"""Lines: geometry against forward kinematics and differences, least times against the core."""

import numpy as np
import pytest

from planner.motion.motions import OneMotion
from planner.reach.closed_form import candidates, end_solutions
from planner.reach.placement import place
from planner.touch.lines import LineMotions, least_line_times, rough_line_times
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.motion_law import LAW_NAMES
from robots.core.motion.time_scaling import minimum_duration
from tests.cases import some


@pytest.fixture(scope="module")
def lines(corrected_job, inverse):
    """Every family of the first three points that hits both ends."""
    placed = place(corrected_job)
    found = candidates(inverse, placed, end_solutions(inverse, placed))
    return found.lines.take(np.nonzero(found.point < 3)[0])


def test_the_ball_runs_straight_and_the_stylus_is_held(lines):
    index = np.repeat(np.arange(len(lines)), 7)
    lam = np.tile(np.linspace(0.0, 1.0, 7), len(lines))
    q = lines.joints(index, lam)
    T = lines.inverse.model.forward(q)
    ball = lines.starts[index] + lam[:, None] * (lines.ends - lines.starts)[index]
    assert np.abs(T[:, :3, 3] - ball).max() < 1e-12
    assert np.abs(T[:, :3, 2] - lines.axes[index]).max() < 1e-12
    assert (
        np.abs(lines.joints(np.arange(len(lines)), np.zeros(len(lines))) - lines.q_starts).max()
        < 1e-12
    )


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("law", LAW_NAMES)
def test_derivatives_are_those_of_the_joints(lines, law, backward):
    motions = LineMotions(lines, law, backward=backward)
    index = np.repeat(np.arange(len(lines)), 5)
    s = np.tile([0.07, 0.21, 0.43, 0.68, 0.9], len(lines))  # away from switches
    h = 1e-4
    before, here, after = (
        motions.states(index, motions.law_at(index, s + k * h)) for k in (-1, 0, 1)
    )
    # Central differences: error h²·q'''/6 and rounding 1e-16/h², both near 1e-7.
    size = 1.0 + np.abs(here.ddq).max()
    assert np.abs((after.q - before.q) / (2 * h) - here.dq).max() < 1e-6 * size
    assert np.abs((after.q - 2 * here.q + before.q) / h**2 - here.ddq).max() < 1e-5 * size


@pytest.mark.parametrize("law", some(LAW_NAMES, gate=3))
def test_least_times_are_those_of_the_core(lines, limits, law):
    motions = LineMotions(lines, law)
    found = least_line_times(motions, limits)
    rough = rough_line_times(motions, limits).duration
    for k in range(len(lines)):
        expected = minimum_duration(OneMotion(motions, k), limits)
        assert found.duration[k] == pytest.approx(expected.duration, rel=1e-11)
        assert found.bindings[k] == str(expected.binding)
    assert np.all(rough <= found.duration * (1.0 + 1e-12))
    assert np.all(rough > 0.9 * found.duration)


def test_scaling_limits_scales_times(lines, limits):
    """q̇ goes with 1/T and q̈ with 1/T²: half the speeds and a quarter of the accelerations."""
    motions = LineMotions(lines, "quintic")
    slower = JointLimits(
        max_speed=limits.max_speed / 2.0, max_acceleration=limits.max_acceleration / 4.0
    )
    fast, slow = least_line_times(motions, limits), least_line_times(motions, slower)
    assert slow.duration == pytest.approx(2.0 * fast.duration, rel=1e-13)
    assert slow.bindings == fast.bindings


def test_a_retract_takes_as_long_as_its_line(lines, limits):
    there = least_line_times(LineMotions(lines, "quintic"), limits)
    back = least_line_times(LineMotions(lines, "quintic", backward=True), limits)
    assert back.duration == pytest.approx(there.duration, rel=1e-12)


def test_no_lines(lines, limits):
    none = lines.take(np.zeros(0, dtype=np.int64))
    found = least_line_times(LineMotions(none, "quintic"), limits)
    assert found.duration.size == 0
    assert found.bindings == ()
