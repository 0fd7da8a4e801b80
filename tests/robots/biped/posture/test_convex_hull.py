"""The convex hull against SciPy's, and sets without area."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from robots.biped.errors import BipedError
from robots.biped.posture.support_polygon import convex_hull
from tests.cases import cases


@pytest.mark.parametrize("seed", range(cases(gate=7, soak=40)))
def test_hull_is_scipy_s(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(3, 60)), 2)) * rng.uniform(0.01, 10.0, 2)
    theirs = points[ConvexHull(points).vertices]  # counter-clockwise in the plane
    ours = convex_hull(points)
    first = int(np.argmax(np.all(theirs == ours[0], axis=1)))
    np.testing.assert_array_equal(np.roll(theirs, -first, axis=0), ours)


def test_points_inside_on_edges_and_repeated_are_no_corners():
    square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    extra = [[0.5, 0], [0.5, 0.5], [1, 0.3], [0, 0], [1, 1], [0.25, 1.0]]
    np.testing.assert_array_equal(convex_hull([*extra, *square]), square)


def test_corners_that_stand_out_by_rounding_only_are_dropped():
    # 1e-15 m is rounding of coordinates near 1 m; a tenth of a millimetre is a corner.
    points = [[0, 0], [0.5, -1e-15], [1, 0], [1, 1], [1 + 1e-15, 0.4], [0, 1]]
    assert len(convex_hull(points)) == 4
    assert len(convex_hull([*points, [0.5, -1e-4]])) == 5


def test_turned_foot_keeps_its_corners():
    foot = np.array([[-0.12, -0.06], [0.17, -0.09], [0.17, 0.09], [-0.12, 0.06]])
    for angle in np.linspace(0, 2 * np.pi, 37):
        R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        assert len(convex_hull(foot @ R.T + [3.0, -2.0])) == 4


@pytest.mark.parametrize(
    "points", [[[0, 0], [1, 1], [2, 2], [3, 3]], [[1, 1]] * 4, [[0, 0], [0.1, 0.3], [0.2, 0.6]]]
)
def test_collinear_points_are_refused(points):
    with pytest.raises(BipedError, match=r"lie on one line.*bring another corner"):
        convex_hull(points)


def test_too_few_points_and_bad_numbers_are_refused():
    with pytest.raises(BipedError, match="of 2 points has no area"):
        convex_hull([[0, 0], [1, 0]])
    with pytest.raises(BipedError, match="two finite coordinates"):
        convex_hull([[0, 0], [1, 0], [np.nan, 1]])
    with pytest.raises(BipedError, match="two finite coordinates"):
        convex_hull(np.zeros((0,)))
