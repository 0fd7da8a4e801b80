"""Postures led to places: forward kinematics agree, the branch is kept, every robot is served."""

import numpy as np
import pytest

from planner.detours.find import Tips, lead, tips_of
from robots.core.model import Model
from robots.library import load


@pytest.fixture(scope="module")
def postures(posture):
    return np.array([posture(x, 1.2, -0.5) for x in np.linspace(-0.8, 0.8, 9)])


def moved(tips, shift):
    return Tips(position=tips.position + np.asarray(shift), axis=tips.axis)


@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.4), (0.1, -0.2, 0.0), (0.0, 0.0, 0.0)])
def test_ball_and_stylus_arrive(arm, postures, shift):
    goal = moved(tips_of(arm, postures), shift)
    led = lead(arm, postures, goal)
    found = tips_of(arm, led.end)
    assert np.all(led.arrived)
    assert found.position == pytest.approx(goal.position, abs=1e-9)
    assert found.axis == pytest.approx(goal.axis, abs=1e-9)


def test_it_is_the_inverse_of_the_same_family(arm, inverse, postures):
    """The closed-form inverse has the posture among its families, near where it came from."""
    goal = moved(tips_of(arm, postures), (0.0, 0.0, 0.2))
    led = lead(arm, postures, goal)
    solutions = inverse.solve(goal.position, goal.axis)
    for k, q in enumerate(led.end):
        apart = solutions.q[k][solutions.solved[k]] - q
        apart = np.abs(apart - 2.0 * np.pi * np.round(apart / (2.0 * np.pi)))
        assert np.min(np.max(apart, axis=1)) < 1e-7
    before = inverse.solve(tips_of(arm, postures).position, goal.axis)
    same = np.all(np.abs(before.q - postures[:, None]) < 1e-9, axis=2)
    after = np.all(np.abs(solutions.q - led.end[:, None]) < 1e-7, axis=2)
    assert np.array_equal(same & after, same)


def test_stages_lie_on_the_line(arm, postures):
    begin = tips_of(arm, postures)
    led = lead(arm, postures, moved(begin, (0.0, 0.0, 0.4)))
    for stage, q in enumerate(led.q, start=1):
        z = begin.position + np.array([0.0, 0.0, 0.4 * stage / len(led.q)])
        assert tips_of(arm, q).position == pytest.approx(z, abs=1e-7)


def test_out_of_reach_is_said(arm, postures):
    led = lead(arm, postures, moved(tips_of(arm, postures), (0.0, 0.0, 5.0)))
    assert not np.any(led.arrived)
    assert np.all(np.isfinite(led.q))


def test_a_stylus_that_turns_right_round_is_not_led(arm, postures):
    begin = tips_of(arm, postures)
    led = lead(arm, postures, Tips(position=begin.position, axis=-begin.axis))
    assert not np.any(led.arrived)


def test_a_robot_with_six_joints():
    """The turn about the stylus is free and moves as little as it can."""
    model = Model(load("industrial-6r"))
    q = np.array([[0.2, 0.4, 0.3, 0.5, 0.7, 0.1]])
    goal = moved(tips_of(model, q), (0.02, 0.05, 0.1))
    led = lead(model, q, goal)
    assert led.arrived[0]
    found = tips_of(model, led.end)
    assert found.position == pytest.approx(goal.position, abs=1e-9)
    assert found.axis == pytest.approx(goal.axis, abs=1e-9)
    assert np.max(np.abs(led.end - q)) < 0.5


def test_none(arm):
    led = lead(arm, np.zeros((0, 5)), Tips(position=np.zeros((0, 3)), axis=np.zeros((0, 3))))
    assert led.arrived.size == 0
