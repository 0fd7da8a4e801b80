"""The ratio of two units that brings points to a surface, and lists that no ratio brings there."""

from __future__ import annotations

import numpy as np
import pytest

from parts.library import open_part
from parts.points import surface_scale
from parts.points.surface_checks import FACTORS

ZERO = np.zeros(3)


@pytest.fixture(scope="module")
def block():
    return open_part("block").geometry


@pytest.fixture(scope="module")
def touched(block):
    """Points on the block's surface. # (k, 3) [m]."""
    return block.mesh.triangles.mean(axis=1)[:: max(1, len(block.mesh) // 60)]


@pytest.mark.parametrize("factor", [f for one in FACTORS for f in (one, 1.0 / one)])
def test_every_ratio_is_found_with_its_counts(block, touched, factor):
    found = surface_scale(touched / factor, block, ZERO)
    assert found.factor == pytest.approx(factor, rel=1e-12)
    assert (found.scaled, found.asked) == (len(touched), len(touched))
    assert found.as_given <= 0.5 * len(touched)


@pytest.mark.parametrize("factor", [1.0, 2.0, 3.0, 25.0 * 1.1])
def test_what_is_no_ratio_of_units_is_none(block, touched, factor):
    assert surface_scale(touched / factor, block, ZERO) is None


def test_points_scale_about_the_origin_of_their_frame(block, touched):
    origin = np.array([0.4, -0.2, 0.7])
    there = origin + (touched - origin) / 25.4
    assert surface_scale(there, block, origin).factor == 25.4
    assert surface_scale(there, block, ZERO) is None


def test_one_point_off_in_twenty_does_not_hide_the_ratio(block, touched):
    some = touched[:40].copy()
    some[:2] += 0.05
    assert surface_scale(some / 25.4, block, ZERO).scaled == 38
    some[2] += 0.05
    assert surface_scale(some / 25.4, block, ZERO) is None


def test_few_points_and_equal_points_say_nothing(block, touched):
    assert surface_scale(touched[:2] / 25.4, block, ZERO) is None
    assert surface_scale(np.repeat(touched[:1], 5, axis=0) / 25.4, block, ZERO) is None
