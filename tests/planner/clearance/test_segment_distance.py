"""Distances of segments from triangles: brute force, laws, and triangles without area."""

from __future__ import annotations

import numpy as np
import pytest

from planner.clearance.segments import point_triangle, segment_segment, segment_triangle

# Coordinates are near 1 and every formula is a few products long: 1e-13 would do.
TOLERANCE = 1e-12


def distance(start, end, triangle, limit=1e300):
    corners = tuple(tuple(map(float, corner)) for corner in triangle)
    square, share = segment_triangle(tuple(start), tuple(end - start), corners, limit)
    return np.sqrt(square), share


def test_random_triangles_as_by_brute_force(brute):
    rng = np.random.default_rng(1)
    met = 0
    for _ in range(400):
        triangle, start, end = rng.normal(size=(3, 3)), *rng.normal(size=(2, 3))
        found, share = distance(start, end, triangle)
        assert found == pytest.approx(brute.segment(start, end, triangle[None]), abs=TOLERANCE)
        at = start + share * (end - start)
        assert brute.segment(at, at, triangle[None]) == pytest.approx(found, abs=1e-9)
        met += found == 0.0
    assert 20 < met < 200


@pytest.mark.parametrize("kind", ["point", "needle", "line", "hair"])
def test_triangles_without_area(brute, kind):
    rng = np.random.default_rng(2)
    for _ in range(100):
        a, b = rng.normal(size=(2, 3))
        third = {
            "point": a,
            "needle": b,
            "line": a + 0.3 * (b - a),
            "hair": a + 0.3 * (b - a) + 1e-11 * rng.normal(size=3),
        }[kind]
        triangle = np.array([a, a if kind == "point" else b, third])
        start, end = rng.normal(size=(2, 3))
        expected = brute.segments(start, end, triangle[:1], triangle[1:2])[0]
        # A hair is 1e-11 wide.
        assert distance(start, end, triangle)[0] == pytest.approx(expected, abs=1e-10)


def test_a_segment_without_length_is_a_point(brute):
    rng = np.random.default_rng(3)
    for _ in range(200):
        triangle, x = rng.normal(size=(3, 3)), rng.normal(size=3)
        expected = brute.segment(x, x, triangle[None])
        assert distance(x, x, triangle)[0] == pytest.approx(expected, abs=TOLERANCE)
        corners = tuple(map(tuple, triangle))
        assert np.sqrt(point_triangle(tuple(x), corners)) == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ([0.2, 0.2, 0.5], [0.4, 0.2, 0.5], 0.5),  # parallel, over the face
        ([0.2, 0.2, 0.0], [0.3, 0.3, 0.0], 0.0),  # in the face
        ([-1.0, 0.2, 0.0], [2.0, 0.2, 0.0], 0.0),  # in the plane, through it
        ([0.2, 0.2, 0.0], [0.2, 0.2, 1.0], 0.0),  # stands on it
        ([-1.0, -0.5, 0.0], [2.0, -0.5, 0.0], 0.5),  # parallel to an edge
        ([2.0, 0.0, 0.0], [3.0, 0.0, 0.0], 1.0),  # beyond a corner
    ],
)
def test_special_places(start, end, expected):
    triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    found = distance(np.array(start), np.array(end), triangle)[0]
    assert found == pytest.approx(expected, abs=1e-15)


def test_nearly_parallel_segments():
    """The inner solution loses its digits there; the answer must not."""
    rng = np.random.default_rng(4)
    for tilt in 10.0 ** rng.uniform(-12, -3, 200):
        # Two lines 0.1 apart along y that cross, seen along y, at x = 0.5.
        square, _ = segment_segment(
            (0.0, 0.1, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -tilt / 2), (1.0, 0.0, tilt)
        )
        assert np.sqrt(square) == pytest.approx(0.1, abs=1e-12)


def test_above_the_limit_any_number_that_is_not_less():
    triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    start, end = np.array([0.2, 0.2, 3.0]), np.array([0.3, 0.3, 4.0])
    assert distance(start, end, triangle, limit=4.0)[0] >= 2.0
    assert distance(start, end, triangle, limit=9.1)[0] == pytest.approx(3.0)
