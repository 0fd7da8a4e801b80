"""Tours: every exchange keeps all points, shortens, and small ones come near the best of all."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.order.tour import nearest_first, shortened

SCALE = np.ones(2)


def travel(a, b):
    return np.max(np.abs(a - b), axis=-1)


def length(q, tour):
    return sum(float(travel(q[a], q[b])) for a, b in pairwise(tour))


@given(seed=st.integers(0, 10_000), count=st.integers(0, 40))
def test_a_tour_visits_every_point_once_and_is_not_longer(seed, count):
    rng = np.random.default_rng(seed)
    q, start = rng.uniform(0, 1, (count, 2)), rng.permutation(count)
    tour = shortened(q, start, travel, scale=SCALE)
    assert sorted(tour) == list(range(count))
    assert length(q, tour) <= length(q, start) + 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_small_tours_beside_the_best_of_all(seed):
    """2-opt and Or-opt are not exact; on seven points they come within a tenth."""
    q = np.random.default_rng(seed).uniform(0, 1, (7, 2))
    best = min(length(q, tour) for tour in permutations(range(7)))
    tours = [
        shortened(q, start, travel, scale=SCALE)
        for start in (np.arange(7), nearest_first(q, travel))
    ]
    assert min(length(q, tour) for tour in tours) <= 1.1 * best


def test_points_on_a_line_are_put_in_order():
    q = np.random.default_rng(2).permutation(np.linspace(0.0, 1.0, 60))[:, None] * [1.0, 0.5]
    tour = shortened(q, nearest_first(q, travel), travel, scale=SCALE)
    assert length(q, tour) == pytest.approx(1.0, rel=1e-12)
    assert tour.tolist() in (np.argsort(q[:, 0]).tolist(), np.argsort(-q[:, 0]).tolist())


def test_a_grid_is_run_through_without_detours():
    x, y = np.meshgrid(np.arange(8.0), np.arange(8.0))
    q = np.random.default_rng(4).permutation(np.stack([x.ravel(), y.ravel()], axis=1))
    tour = shortened(q, nearest_first(q, travel), travel, scale=SCALE)
    assert 63.0 <= length(q, tour) <= 63.0 * 1.05


def test_nearest_first_by_hand():
    q = np.array([[0.0, 0.0], [5.0, 0.0], [1.0, 0.0], [2.5, 0.0]])
    assert nearest_first(q, travel).tolist() == [0, 2, 3, 1]
    assert nearest_first(q[:0], travel).tolist() == []


def test_points_at_one_place():
    q = np.zeros((20, 2))
    assert sorted(shortened(q, np.arange(20), travel, scale=SCALE)) == list(range(20))


def test_the_same_tour_in_every_run():
    q = np.random.default_rng(9).uniform(0, 1, (200, 2))
    tours = [shortened(q, nearest_first(q, travel), travel, scale=SCALE) for _ in range(2)]
    assert np.array_equal(*tours)
