"""Signed margin: laws of a distance, and brute force along the boundary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.biped.posture import support_polygon
from robots.biped.posture.support_polygon import convex_hull
from tests.cases import cases

coordinates = st.floats(-3, 3, allow_subnormal=False)
points = st.tuples(coordinates, coordinates).map(np.array)
seeds = st.integers(0, 10_000)


def polygon(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return convex_hull(rng.normal(size=(int(rng.integers(3, 12)), 2)) + 0.5 * rng.normal(size=2))


@given(seeds, points, points)
def test_margin_changes_by_no_more_than_the_point_moves(seed, p, r):
    corners = polygon(seed)
    change = abs(
        support_polygon.signed_margin(corners, p) - support_polygon.signed_margin(corners, r)
    )
    assert change <= np.linalg.norm(p - r) + 1e-12


@given(seeds, points, st.floats(-np.pi, np.pi), points)
def test_margin_does_not_see_rigid_motions(seed, p, angle, shift):
    corners = polygon(seed)
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved = support_polygon.signed_margin(corners @ R.T + shift, R @ p + shift)
    assert moved == pytest.approx(float(support_polygon.signed_margin(corners, p)), abs=1e-12)


@pytest.mark.parametrize("seed", range(cases(gate=3, soak=8)))
def test_margin_is_the_distance_to_the_nearest_of_many_boundary_points(seed):
    corners = polygon(seed)
    parts = np.linspace(0.0, 1.0, 2001)[:, None]
    following = np.roll(corners, -1, axis=0)
    boundary = np.concatenate(
        [a + parts * (b - a) for a, b in zip(corners, following, strict=True)]
    )
    cloud = np.random.default_rng(seed).uniform(-3, 3, size=(cases(gate=60, soak=200), 2))
    found = support_polygon.signed_margin(corners, cloud)
    nearest = np.min(np.linalg.norm(cloud[:, None] - boundary, axis=2), axis=1)
    # Boundary points are at most 2e-3 m apart, so the sampled distance is at most 1e-3 m longer.
    assert np.all(np.abs(found) <= nearest + 1e-12)
    assert np.all(nearest <= np.abs(found) + 2e-3)
    inside = np.array([_winding(corners, p) for p in cloud])
    np.testing.assert_array_equal(found > 0.0, inside)


def _winding(corners: np.ndarray, p: np.ndarray) -> bool:
    """Whether the directions to the corners turn once around the point."""
    angles = np.unwrap(np.arctan2(*(np.vstack([corners, corners[:1]]) - p).T[::-1]))
    return abs(angles[-1] - angles[0]) > np.pi


def test_outside_a_corner_the_distance_is_to_the_corner():
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    cloud = np.array([[0.5, 0.25], [1.0, 0.5], [4.0, 5.0], [0.5, -0.2], [1.0, 1.0]])
    np.testing.assert_allclose(
        support_polygon.signed_margin(square, cloud), [0.25, 0.0, -5.0, -0.2, 0.0], atol=1e-15
    )
    # (4, 5) is beyond corner (1, 1): the top is overstepped by 4, the right side by 3.
    np.testing.assert_array_equal(
        support_polygon.nearest_edge(square, cloud[[0, 1, 2, 3]]), [0, 1, 2, 0]
    )


def test_shapes_follow_the_points():
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    assert support_polygon.signed_margin(square, np.zeros((3, 4, 2))).shape == (3, 4)
    assert support_polygon.inward_distances(square, np.zeros((3, 2))).shape == (3, 4)


@given(seeds, st.floats(-np.pi, np.pi))
def test_reach_ends_on_the_boundary(seed, angle):
    corners = polygon(seed)
    start = corners.mean(axis=0)
    direction = np.array([np.cos(angle), np.sin(angle)])
    end = start + support_polygon.reach(corners, start, direction) * direction
    assert support_polygon.signed_margin(corners, end) == pytest.approx(0.0, abs=1e-9)
