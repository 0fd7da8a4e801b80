"""The smallest change, where it is known: the nearest point of a region in one, two, three axes."""

from __future__ import annotations

import numpy as np
import pytest

from planner.fixes.smallest import smallest
from planner.part_pose.pose_space import directions_around, even_directions


class Region:
    """Changes that serve where a function of their vector is positive."""

    finer = (7, 3)
    steps = np.geomspace(1e-3, 10.0, 20)

    def __init__(self, inside, axes=3, most=10.0):
        self.inside, self.axes, self.most, self.judged = inside, axes, most, 0

    @property
    def rays(self):
        return even_directions(58) if self.axes == 3 else np.array([[-1.0], [1.0]])

    def longest(self, rays):
        return np.full(len(rays), self.most)

    def possible(self, rays, amounts):
        assert np.all(amounts <= self.most)
        return self.inside(rays * amounts[:, None]) > -0.2

    def serves(self, rays, amounts):
        self.judged += len(amounts)
        return self.inside(rays * amounts[:, None]) > 0.0

    def around(self, ray, angle):
        return directions_around(ray[None], angle, 8)[0] if self.axes == 3 else np.zeros((0, 1))


@pytest.mark.parametrize("seed", range(12))
def test_the_nearest_point_of_a_half_space(seed):
    rng = np.random.default_rng(seed)
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    depth = 10.0 ** rng.uniform(-2.0, 0.5)
    found = smallest(Region(lambda v: v @ n - depth))
    # 1.5° is the last angle tried: cos costs 0.03 %; the share beside the best is 1 %.
    assert depth <= found.amount <= depth * 1.02


@pytest.mark.parametrize("seed", range(12))
def test_the_nearest_point_of_a_ball(seed):
    rng = np.random.default_rng(seed)
    center = rng.normal(size=3)
    center *= 3.0 / np.linalg.norm(center)
    found = smallest(Region(lambda v: 1.5 - np.linalg.norm(v - center, axis=1)))
    assert 1.5 <= found.amount <= 1.5 * 1.05


def test_either_way_along_one_axis():
    found = smallest(Region(lambda v: np.where(v[:, 0] < 0.0, -v[:, 0] - 2.0, v[:, 0] - 3.0), 1))
    assert found.ray[0] == -1.0
    assert 2.0 <= found.amount <= 2.01


def test_nothing_is_found_where_nothing_serves():
    assert smallest(Region(lambda v: np.full(len(v), -1.0))) is None
    # A quick look that promises what the proof does not keep.
    region = Region(lambda v: np.full(len(v), -0.1))
    assert smallest(region) is None
    assert 0 < region.judged <= 20 * 4


def test_amounts_stay_within_the_longest():
    assert smallest(Region(lambda v: np.linalg.norm(v, axis=1) - 5.0, most=4.0)) is None
    found = smallest(Region(lambda v: np.linalg.norm(v, axis=1) - 3.0, most=4.0))
    assert found.amount == pytest.approx(3.0, rel=0.01)
