"""Workspace slices: boundaries on limits, a closed form, a grid count, and what is not there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.pose import make_pose, rotation_exp
from robots.stewart.errors import PlatformError
from robots.stewart.library import load
from robots.stewart.limits import Limit, pose_limits
from robots.stewart.workspace import orientation_slice, position_slice

HEXAPOD = load("measuring-hexapod")
LIMITS = pose_limits(HEXAPOD)
HEIGHT = float(HEXAPOD.home[2, 3])


@pytest.fixture(scope="module")
def level():
    """At the height of home, in all directions."""
    return position_slice(LIMITS, HEIGHT)


def poses_at(places, height=HEIGHT):
    T = np.tile(HEXAPOD.home, (len(places), 1, 1))
    T[:, :2, 3], T[:, 2, 3] = places, height
    return T


def test_the_boundary_lies_on_a_limit_and_just_beyond_it_breaks():
    found = position_slice(LIMITS, HEIGHT, directions=36)
    T = poses_at(found.points)
    # Bisected to rounding: margins of lengths below a metre.
    assert np.abs(LIMITS.worst(T)).max() < 1e-12
    margins = LIMITS.margins(poses_at(1.001 * found.points))
    assert np.all(np.take_along_axis(margins, found.stopped_by[:, None], axis=1) < 0.0)


def test_strokes_alone_give_circles(level):
    """In one orientation a leg's longest length lets the origin move in a ball about A - R·B."""
    found = level
    assert {LIMITS.columns[k].limit for k in found.stopped_by} == {Limit.LONGEST}
    centres = HEXAPOD.base_points - HEXAPOD.platform_points
    ray = np.stack([np.cos(found.direction), np.sin(found.direction)], axis=-1)
    beside = 0.705**2 - HEIGHT**2
    along = ray @ centres[:, :2].T
    exits = along + np.sqrt(along**2 + beside - np.sum(centres[:, :2] ** 2, axis=-1))
    assert found.reach == pytest.approx(exits.min(axis=1), abs=1e-12)


def test_the_area_agrees_with_a_count_on_a_grid(level):
    side = np.linspace(-0.3, 0.3, 121)
    places = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    inside = np.count_nonzero(LIMITS.worst(poses_at(places)) >= 0.0)
    # Cells of 5 mm: the border's half cells cancel to some tenths of a per cent.
    assert inside * 0.005**2 == pytest.approx(level.area, rel=5e-3)
    assert level.area_doubt < 1e-3 * level.area


def test_tilts_end_on_a_limit():
    found = orientation_slice(LIMITS, directions=24)
    assert found.unit == "rad"
    tilts = np.concatenate([found.points, np.zeros((24, 1))], axis=-1)
    T = np.tile(HEXAPOD.home, (24, 1, 1))
    T[:, :3, :3] = rotation_exp(tilts) @ T[:, :3, :3]
    assert np.abs(LIMITS.worst(T)).max() < 1e-12


def test_a_torsion_narrows_the_tilts():
    straight = orientation_slice(LIMITS, directions=24)
    turned = orientation_slice(LIMITS, torsion=np.radians(20.0), directions=24)
    assert turned.area < straight.area


def test_a_plane_out_of_reach_is_empty():
    found = position_slice(LIMITS, 2.0, directions=16)
    assert found.empty
    assert found.area == 0.0


def test_a_centre_is_searched_for_where_home_does_not_serve():
    T = make_pose(None, [0.13, 0.0, HEIGHT])
    aside = replace(HEXAPOD, home=T)
    limits = pose_limits(HEXAPOD)
    far = replace(limits, platform=replace(aside, home=make_pose(None, [0.5, 0.0, HEIGHT])))
    found = position_slice(far, HEIGHT, directions=16)
    assert not found.empty
    assert np.linalg.norm(found.centre) < 0.26


def test_without_strokes_the_search_ends_by_itself():
    free = pose_limits(load("genhex-6-3"))
    found = position_slice(free, 0.508, directions=16, largest=0.4)
    assert np.all(found.reach <= 0.4)
    assert np.any(found.stopped_by == -1)


def test_requests_that_make_no_sense():
    with pytest.raises(PlatformError, match="at least 8"):
        position_slice(LIMITS, HEIGHT, directions=3)
    with pytest.raises(PlatformError, match="finite reach"):
        orientation_slice(LIMITS, largest=np.inf)
    with pytest.raises(PlatformError, match="must be finite"):
        position_slice(LIMITS, np.nan)
