"""Clouds climb ridges that no axis follows, and know the box."""

from __future__ import annotations

import numpy as np

from planner.part_pose.best_pose import Clouds


def climbed(value, starts, rounds, seed=1):
    clouds = Clouds(np.array(starts), 0.1, np.random.default_rng(seed))
    best = np.full(len(starts), -np.inf)
    for _ in range(rounds):
        trials = clouds.draw()
        assert np.all((trials >= 0.0) & (trials <= 1.0))
        values = value(trials)
        best = np.maximum(best, values.max(axis=1))
        clouds.learn(trials, values)
    return best, clouds.means


def test_a_narrow_crooked_ridge_with_a_kink():
    # the worst of two planes whose ridge runs along (1, 0.7): only 1 in 50 of the slope along it
    def worst(x):
        along, across = x[..., 0] + 0.7 * x[..., 1], x[..., 1] - 0.7 * x[..., 0]
        return -np.abs(along - 1.1) / 50 - np.abs(across - 0.05)

    best, _ = climbed(worst, [[0.1, 0.1], [0.9, 0.2]], 80)
    np.testing.assert_allclose(best, 0.0, atol=1e-3)


def test_the_best_in_a_corner_of_the_box():
    _, means = climbed(lambda x: x.sum(axis=-1), [[0.5, 0.5, 0.5]], 60)
    assert np.all(means > 0.9)


def test_clouds_do_not_disturb_each_other_and_repeat():
    def hill(x):
        return -np.sum((x - 0.3) ** 2, axis=-1)

    starts = [[0.9, 0.9], [0.1, 0.6]]
    best, means = climbed(hill, starts, 40)
    again, same = climbed(hill, starts, 40)
    np.testing.assert_array_equal(means, same)
    np.testing.assert_array_equal(best, again)
    np.testing.assert_allclose(means, 0.3, atol=0.02)
