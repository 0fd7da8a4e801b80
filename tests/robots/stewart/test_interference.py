"""Legs against legs and plates: distances by an independent minimiser, sides by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from robots.core.pose import make_pose, rotation_exp
from robots.stewart.library import load
from robots.stewart.limits import (
    leg_clearances,
    leg_pairs,
    plate_angles,
    plates,
    segment_distance,
)
from robots.stewart.platform import leg_vectors


def by_search(p, d, q, e):
    """Least distance by a bounded minimiser; the square is convex in both shares."""

    def square(x):
        gap = p + x[0] * d - q - x[1] * e
        return gap @ gap

    found = minimize(square, [0.5, 0.5], bounds=[(0, 1), (0, 1)], tol=1e-14)
    return np.sqrt(found.fun)


def test_segments_as_by_a_minimiser():
    rng = np.random.default_rng(0)
    p, d, q, e = rng.normal(size=(4, 60, 3))
    expected = [by_search(*pieces) for pieces in zip(p, d, q, e, strict=True)]
    # The minimiser stops at about the square root of its tolerance.
    assert segment_distance(p, d, q, e) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize(
    ("d", "q", "e", "distance"),
    [
        ([1, 0, 0], [0, 1, 0], [1, 0, 0], 1.0),  # side by side
        ([1, 0, 0], [3, 0, 0], [1, 0, 0], 2.0),  # one behind the other
        ([1, 0, 0], [0.5, -1, 0.25], [0, 2, 0], 0.25),  # crossing above
        ([0, 0, 0], [0, 3, 4], [0, 0, 0], 5.0),  # two points
        ([0, 0, 0], [-1, 2, 0], [2, 0, 0], 2.0),  # a point and a segment
    ],
)
def test_segments_by_hand(d, q, e, distance):
    found = segment_distance(*(np.array(x, dtype=float) for x in ([0, 0, 0], d, q, e)))
    assert float(found) == pytest.approx(distance, abs=1e-15)


def test_legs_that_share_a_joint_or_have_no_radius_are_not_watched():
    assert leg_pairs(load("staicu-stewart")) == ()
    genhex = load("genhex-6-3")
    thick = replace(genhex, legs=tuple(replace(leg, radius=0.01) for leg in genhex.legs))
    watched = leg_pairs(thick)
    assert len(watched) == 12
    assert (1, 2) not in watched  # both stand on the same base joint
    assert len(leg_pairs(load("measuring-hexapod"))) == 15


def test_clearances_are_distances_less_the_radii():
    platform = load("measuring-hexapod")
    T = make_pose(rotation_exp([0.1, 0.2, -0.3]), [0.03, -0.02, 0.57])
    found = leg_clearances(platform, np.stack([platform.home, T]))
    assert found.shape == (2, 15)
    across, A = leg_vectors(platform, T), platform.base_points
    for value, (i, j) in zip(found[1], leg_pairs(platform), strict=True):
        expected = by_search(A[i], across[i], A[j], across[j]) - 0.04
        assert value == pytest.approx(expected, abs=2e-6)


def test_legs_cross_when_the_platform_turns_far():
    platform = load("measuring-hexapod")
    turned = platform.home @ make_pose(rotation_exp([0.0, 0.0, np.pi]))
    assert leg_clearances(platform, platform.home).min() > 0.0
    assert leg_clearances(platform, turned).min() < 0.0


def test_a_leg_below_the_tilted_platform_passes_its_plate_at_zero():
    platform = load("mathworks-hexapod")
    below, above = plates(platform)
    assert (below.at_base, above.at_base) == (True, False)
    at_home = np.arcsin(2.0 / 3.15380)
    for plate in (below, above):
        assert plate_angles(platform, platform.home, plate) == pytest.approx(
            np.full(6, at_home), abs=1e-6
        )
    tilted = platform.home @ make_pose(rotation_exp([np.radians(100.0), 0.0, 0.0]))
    angles = plate_angles(platform, tilted, above)
    assert angles.min() < 0.0 < plate_angles(platform, tilted, below).min()
    sunk = platform.home.copy()
    sunk[2, 3] = -0.01
    assert np.all(plate_angles(platform, sunk, below) < 0.0)


def test_joints_that_are_not_in_a_plane_have_no_plate():
    assert plates(load("dietmaier")) == ()
