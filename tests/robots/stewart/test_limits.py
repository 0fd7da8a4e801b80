"""Pose limits: every kind broken on purpose, by a known amount."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.pose import make_pose, rotation_exp
from robots.stewart.errors import PlatformError
from robots.stewart.library import load
from robots.stewart.limits import Limit, pose_limits, violations
from robots.stewart.platform import lengths


@pytest.fixture(scope="module")
def hexapod():
    return load("measuring-hexapod")


def lifted(platform, rise):
    T = platform.home.copy()
    T[2, 3] += rise
    return T


def of_kind(found, limit):
    return [item for item in found if item.column.limit is limit]


def test_home_is_inside_every_limit(hexapod):
    limits = pose_limits(hexapod)
    assert limits.worst(hexapod.home) > 0.0
    assert violations(hexapod, hexapod.home) == ()
    kinds = {column.limit for column in limits.columns}
    assert kinds == set(Limit) - {Limit.CONDITION}


@pytest.mark.parametrize(("rise", "limit"), [(0.15, Limit.LONGEST), (-0.15, Limit.SHORTEST)])
def test_strokes_are_missed_by_their_amount(hexapod, rise, limit):
    T = lifted(hexapod, rise)
    found = of_kind(violations(hexapod, T), limit)
    assert [item.column.names for item in found] == [(str(k),) for k in range(1, 7)]
    bound = 0.705 if rise > 0 else 0.505
    assert [item.amount for item in found] == pytest.approx(np.abs(lengths(hexapod, T) - bound))
    assert found[0].sentence.startswith(f"leg 1: {limit.value} {1e3 * bound:g} mm is missed by ")


def test_cones_open_about_the_directions_at_home(hexapod):
    T = hexapod.home @ make_pose(rotation_exp([np.radians(38.0), 0.0, 0.0]))
    found = of_kind(violations(hexapod, T), Limit.PLATFORM_CONE)
    assert found
    leg = hexapod.legs[found[0].column.legs[0]]
    across = T[:3, :3] @ leg.platform + T[:3, 3] - leg.base
    cosine = -across @ T[:3, :3] @ leg.platform_direction / np.linalg.norm(across)
    assert found[0].amount == pytest.approx(np.arccos(cosine) - np.radians(40.0), abs=1e-12)
    narrow = replace(hexapod, legs=tuple(replace(g, base_cone=0.1) for g in hexapod.legs))
    assert of_kind(
        violations(narrow, lifted(narrow, 0.1) @ make_pose(None, [0.1, 0, 0])), Limit.BASE_CONE
    )


def test_the_far_side_of_a_singularity_is_outside():
    platform = load("mathworks-hexapod")
    yaws = np.radians([80.0, 100.0])
    poses = np.stack([platform.home @ make_pose(rotation_exp([0, 0, yaw])) for yaw in yaws])
    (found,) = of_kind(violations(platform, poses), Limit.TYPE_2)
    assert found.index == (1,)
    assert found.column.where == "the platform"
    assert "type 2 singularity" in found.sentence


def test_conditioning_is_a_limit_only_when_it_is_asked_for():
    platform = load("mathworks-hexapod")
    assert violations(platform, platform.home, max_condition=1.91) == ()
    (found,) = violations(platform, platform.home, max_condition=1.89)
    assert found.column.limit is Limit.CONDITION


def test_legs_that_meet_name_both(hexapod):
    T = hexapod.home @ make_pose(rotation_exp([0.0, 0.0, np.pi]))
    found = of_kind(violations(hexapod, T), Limit.LEGS)
    assert found
    assert all(len(item.column.names) == 2 for item in found)
    assert found[0].column.where.startswith("legs ")


def test_a_batch_keeps_its_shape(hexapod):
    poses = np.tile(hexapod.home, (2, 3, 1, 1))
    limits = pose_limits(hexapod)
    assert limits.margins(poses).shape == (2, 3, len(limits.columns))
    assert limits.margins(np.zeros((0, 4, 4))).shape == (0, len(limits.columns))


def test_a_pose_with_nan_is_refused(hexapod):
    T = hexapod.home.copy()
    T[0, 3] = np.nan
    with pytest.raises(PlatformError, match="must be finite"):
        violations(hexapod, T)
