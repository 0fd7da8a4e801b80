"""Singularities and conditioning: the published cases, invariance, and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.pose import make_pose, rotation_exp
from robots.stewart.library import load
from robots.stewart.limits import (
    characteristic_length,
    conditioning,
    joint_sines,
    scaled_jacobian,
)
from robots.stewart.platform import LegEnd, lengths


def turned(platform, vector):
    return platform.home @ make_pose(rotation_exp(np.asarray(vector, dtype=float)))


def test_mathworks_platform_changes_side_at_a_quarter_turn():
    platform = load("mathworks-hexapod")
    assert characteristic_length(platform) == pytest.approx(1.0, abs=1e-12)
    yaws = np.radians([0.0, 89.9, 90.1])
    found = conditioning(platform, np.stack([turned(platform, [0, 0, yaw]) for yaw in yaws]))
    signs = np.sign(found.determinant)
    assert signs[0] == signs[1] == -signs[2]
    assert found.condition[0] == pytest.approx(1.90, abs=5e-3)  # stewart.md item 5
    assert np.all(np.sign(found.signed_smallest) == signs)


def test_rows_are_the_derivatives_of_the_lengths():
    platform = load("measuring-hexapod")
    T = turned(platform, [0.1, -0.2, 0.15])
    J, c = scaled_jacobian(platform, T), characteristic_length(platform)
    middle = T[:3, :3] @ platform.platform_points.mean(axis=0) + T[:3, 3]
    h = 1e-6
    for k, axis in enumerate(np.eye(3)):
        step = make_pose(None, h * axis)
        slope = lengths(platform, step @ T) - lengths(platform, make_pose(None, -h * axis) @ T)
        assert J[:, k] == pytest.approx(slope / (2 * h), abs=1e-8)
        about = make_pose(None, middle), make_pose(None, -middle)
        turns = [about[0] @ make_pose(rotation_exp(s * h * axis)) @ about[1] @ T for s in (1, -1)]
        slope = (lengths(platform, turns[0]) - lengths(platform, turns[1])) / (2 * h)
        assert c * J[:, 3 + k] == pytest.approx(slope, abs=1e-8)


def test_conditioning_depends_on_neither_unit_nor_platform_frame():
    platform = load("measuring-hexapod")
    T = turned(platform, [0.1, -0.2, 0.15])
    shift = np.array([0.3, -0.2, 0.4])
    moved = replace(
        platform, legs=tuple(replace(leg, platform=leg.platform - shift) for leg in platform.legs)
    )
    large = replace(
        platform,
        legs=tuple(replace(g, base=7 * g.base, platform=7 * g.platform) for g in platform.legs),
    )
    scaled = T.copy()
    scaled[:3, 3] *= 7
    expected = conditioning(platform, T).condition
    assert conditioning(moved, T @ make_pose(None, shift)).condition == pytest.approx(expected)
    assert conditioning(large, scaled).condition == pytest.approx(expected)


def test_a_leg_along_its_first_axis_is_locked():
    platform = load("mathworks-hexapod")
    leg = platform.legs[2]
    along = platform.home[:3, :3] @ leg.platform + platform.home[:3, 3] - leg.base
    tilt = np.cross(along, [0, 0, 1.0])
    axis = rotation_exp(0.1 * tilt / np.linalg.norm(tilt)) @ along
    legs = tuple(replace(g, first_axis=axis) if g is leg else g for g in platform.legs)
    sines = joint_sines(replace(platform, legs=legs), platform.home)
    assert sines[2] == pytest.approx(np.sin(0.1), abs=1e-12)
    assert np.delete(sines, 2) == pytest.approx(np.ones(5), abs=1e-12)


def test_a_cardan_end_counts_with_its_own_fork():
    platform = load("mathworks-hexapod")
    cardan = replace(platform, legs=tuple(replace(leg, end=LegEnd.CARDAN) for leg in platform.legs))
    T = turned(platform, [0.3, 0.2, 0.4])
    assert np.all(joint_sines(cardan, T) <= joint_sines(platform, T))
    assert np.any(joint_sines(cardan, T) < joint_sines(platform, T) - 1e-3)
