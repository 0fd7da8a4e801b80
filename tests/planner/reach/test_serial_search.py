"""The search: postures at their targets, all branches of known robots, seeds."""

import numpy as np
import pytest

from planner.reach.serial_search import REACHED_ANGLE, REACHED_POSITION, SerialSearch, SerialTask
from robots.arm.inverse import ArmInverse
from robots.library import load


def random_targets(task, count, seed=0):
    rng = np.random.default_rng(seed)
    low, high = task.mechanism.q_min, task.mechanism.q_max
    T = task.model.forward(low + (high - low) * rng.random((count, task.model.dof)))
    return T[:, :3, 3], T[:, :3, 2]


@pytest.mark.parametrize("name", ["industrial-6r", "angled-6r", "industrial-7r", "gantry-5"])
def test_every_reachable_target_is_reached(robots, name):
    task = SerialTask(robots[name])
    balls, axes = random_targets(task, 60)
    tried = SerialSearch(task, 1).attempts(balls, axes)
    assert np.all(np.any(tried.reached, axis=1))
    T = task.model.forward(tried.q[tried.reached])
    point = np.nonzero(tried.reached)[0]
    assert np.abs(T[:, :3, 3] - balls[point]).max() <= REACHED_POSITION
    assert np.abs(T[:, :3, 2] - axes[point]).max() <= REACHED_ANGLE


def test_the_search_finds_the_branches_of_the_closed_form():
    """On the measuring arm: never one that is none, and of those within limits nearly all."""
    arm = load("measuring-arm")
    task, inverse = SerialTask(arm), ArmInverse(arm)
    balls, axes = random_targets(task, 60)
    known = inverse.solve(balls, axes)
    clear = np.nonzero(known.margins.least.min(axis=1) > 0.05)[0]
    assert clear.size > 20
    tried = SerialSearch(task, 1).attempts(balls, axes)
    missed = within = 0
    for k in clear:
        found, exact = tried.q[k, tried.reached[k]], known.q[k, known.solved[k]]
        away = np.abs(found[:, None] - exact)
        away = np.abs(away - 2.0 * np.pi * np.round(away / (2.0 * np.pi))).max(axis=2)
        assert np.all(away.min(axis=1) < 1e-6)
        inside = task.limit_margin(task.centred(exact)) >= 0.0
        within += int(inside.sum())
        missed += int((away.min(axis=0)[inside] > 1e-6).sum())
    assert within > 40
    assert missed <= 0.02 * within


def test_seeds_start_elsewhere_and_the_same_seed_repeats(robots):
    task = SerialTask(robots["industrial-6r"])
    balls, axes = random_targets(task, 3)
    one, again, other = (SerialSearch(task, s).attempts(balls, axes) for s in (1, 1, 2))
    assert np.array_equal(one.q, again.q)
    assert not np.allclose(one.q, other.q)


def test_out_of_reach_says_what_is_left(robots):
    """Straight up, 100 mm above a stretched arm of 1.32 m: at most that is left, and most of it."""
    task = SerialTask(robots["industrial-7r"])
    ball, axis = np.array([[0.0, 0.0, 1.42]]), np.array([[0.0, 0.0, 1.0]])
    tried = SerialSearch(task, 1).attempts(ball, axis)
    assert not np.any(tried.reached)
    best = int(np.argmin(tried.gap[0]))
    # The search may give up a little of the axis for the place; here nothing is won by that.
    assert tried.position[0, best] == pytest.approx(0.1, abs=2e-3)
    assert tried.angle[0, best] < 0.1


def test_a_start_that_points_the_other_way_turns_round(robots):
    """The smallest turn between opposite directions has no axis of its own."""
    task = SerialTask(robots["industrial-6r"])
    at = task.posed(np.full((1, 6), 0.3))
    twist = task.gap(at, at.balls, -at.rotations[:, :, 2])
    assert np.linalg.norm(twist[0, 3:]) == pytest.approx(np.pi, rel=1e-12)
    assert twist[0, 3:] @ at.rotations[0, :, 2] == pytest.approx(0.0, abs=1e-12)
    same = task.gap(at, at.balls, at.rotations[:, :, 2])
    assert np.abs(same).max() < 1e-12
