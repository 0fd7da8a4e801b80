"""All assembly modes: stewart.md items 3 and 4, laws of the count, and honest shortfalls."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from robots.core.pose import inverse_pose, make_pose, rotation_exp, rotation_z, transform_points
from robots.stewart.assembly_modes import assembly_modes
from robots.stewart.errors import PlatformError
from robots.stewart.forward import (
    newton_step,
    pose_of_parameters,
    quadratic_forms,
    scaled_geometry,
    with_unit,
)
from robots.stewart.platform import Leg, Platform, lengths
from robots.stewart.platform_file import load

A = [[0, 0, 0], [1.107915, 0, 0], [0.549094, 0.756063, 0], [0.735077, -0.223935, 0.525991]]
A += [[0.514188, -0.526063, -0.368418], [0.590473, 0.094733, -0.205018]]
B = [[0, 0, 0], [0.542805, 0, 0], [0.956919, -0.528915, 0], [0.665885, -0.353482, 1.402538]]
B += [[0.478359, 1.158742, 0.107672], [-0.137087, -0.235121, 0.353913]]
DIETMAIER_LENGTHS = [1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071]


def platform_of(base, platform):
    legs = (
        Leg(name=str(k), base=a, platform=b, first_axis=[1.0, 0.0, 0.0])
        for k, (a, b) in enumerate(zip(base, platform, strict=True), start=1)
    )
    return Platform(name="points", legs=tuple(legs), home=np.eye(4))


@pytest.fixture(scope="module")
def dietmaier():
    return platform_of(A, B)


@pytest.fixture(scope="module")
def forty(dietmaier):
    return assembly_modes(dietmaier, DIETMAIER_LENGTHS)


def poses_from_random_starts(platform, L, count):
    """Another road: plain Newton from random poses; what converges, up to sign, each once."""
    scaled = scaled_geometry(platform.base_points, platform.platform_points, np.asarray(L))
    Q = with_unit(quadratic_forms(scaled.legs))
    x = np.random.default_rng(5).normal(size=(count, 8))
    x /= np.linalg.norm(x[:, :4], axis=1, keepdims=True)
    for _ in range(60):
        x = x + newton_step(Q, x)
    x = x[np.max(np.abs(newton_step(Q, x)), axis=1) < 1e-9]
    x = x * np.sign(x[:, :1])
    kept: list[np.ndarray] = []
    for row in x:
        if all(np.linalg.norm(row - other) > 1e-6 for other in kept):
            kept.append(row)
    return pose_of_parameters(np.array(kept), scaled)


def assert_subset(some, all_of_them, atol=1e-7):
    gaps = np.abs(some[:, None] - all_of_them[None]).max(axis=(-2, -1))
    assert np.max(gaps.min(axis=1)) < atol


# --- Dietmaier's platform ------------------------------------------------------------------------


def test_item_3_forty_real_postures_with_proof(dietmaier, forty):
    assert forty.count == 40
    assert (forty.complex_count, forty.vanished, forty.unresolved) == (0, 0, 0)
    assert np.max(np.abs(lengths(dietmaier, forty.T) - DIETMAIER_LENGTHS)) <= 1e-10
    assert np.max(forty.residual) <= 1e-10
    assert np.max(forty.kantorovich) < 1e-2
    assert forty.complete
    assert "the count is proved" in forty.statement


def test_the_forty_are_forty(forty):
    gaps = np.abs(forty.T[:, None] - forty.T[None]).max(axis=(-2, -1)) + 9.0 * np.eye(40)
    assert np.min(gaps) > 1e-3
    assert np.all(np.linalg.det(forty.T[:, :3, :3]) > 0.999)


def test_random_newton_starts_find_nothing_else(dietmaier, forty):
    found = poses_from_random_starts(dietmaier, DIETMAIER_LENGTHS, 1500)
    assert len(found) >= 30
    assert_subset(found, forty.T)


def test_the_library_has_dietmaiers_platform(forty):
    shipped = load("dietmaier")
    again = assembly_modes(shipped, lengths(shipped, forty.T[0]))
    assert again.count == 40


@pytest.mark.benchmark
def test_forty_postures_in_ten_seconds(dietmaier):
    began = time.perf_counter()
    assembly_modes(dietmaier, DIETMAIER_LENGTHS)
    assert time.perf_counter() - began < 10.0


# --- special geometries --------------------------------------------------------------------------


def test_item_4_eight_real_modes_of_the_6_3_platform():
    platform = load("genhex-6-3")
    L = lengths(platform, platform.home)
    found = assembly_modes(platform, L)
    assert (found.count, found.complex_count, found.vanished) == (8, 8, 24)
    assert found.complete
    assert "checked but not proved" in found.statement
    assert_subset(platform.home[None], found.T)
    others = poses_from_random_starts(platform, L, 800)
    assert len(others) == 8
    assert_subset(others, found.T)


def test_plane_platforms_have_mirrored_modes():
    """A plane base: what hangs below it is the mirror image of what stands above."""
    platform = load("measuring-hexapod")
    found = assembly_modes(platform, lengths(platform, platform.home))
    assert found.count == 16
    mirror = np.diag([1.0, 1.0, -1.0, 1.0])
    assert_subset(mirror @ found.T @ mirror, found.T)


def test_a_singular_posture_is_counted_as_unresolved():
    platform = load("mathworks-hexapod")
    T = platform.home.copy()
    T[:3, :3] = rotation_z(np.pi / 2)
    found = assembly_modes(platform, lengths(platform, T))
    assert found.unresolved > 0
    assert not found.complete
    assert "lower bound" in found.statement


def test_lengths_that_no_posture_has():
    platform = load("mathworks-hexapod")
    found = assembly_modes(platform, [9.0, 1, 1, 1, 1, 1])
    assert found.count == 0
    assert found.complete
    assert found.T.shape == (0, 4, 4)


# --- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_generic_platform_has_forty_and_the_complex_ones_are_pairs(seed):
    rng = np.random.default_rng(seed)
    platform = platform_of(rng.normal(size=(6, 3)), rng.normal(size=(6, 3)))
    T = make_pose(rotation_exp(rng.normal(size=3)), rng.normal(size=3))
    found = assembly_modes(platform, lengths(platform, T))
    assert found.count + found.complex_count == 40
    assert found.complex_count % 2 == 0
    assert_subset(T[None], found.T)


def test_modes_do_not_depend_on_the_frames(dietmaier, forty):
    moved = make_pose(rotation_exp([0.3, -1.0, 0.4]), [3.0, -1.0, 2.0])
    turned = make_pose(rotation_exp([1.0, 0.2, 0.4]), [0.5, 0.1, -1.0])
    legs = (
        replace(
            leg,
            base=transform_points(moved, leg.base),
            platform=transform_points(turned, leg.platform),
        )
        for leg in dietmaier.legs
    )
    found = assembly_modes(replace(dietmaier, legs=tuple(legs)), DIETMAIER_LENGTHS)
    assert found.count == 40
    assert_subset(inverse_pose(moved) @ found.T @ turned, forty.T, atol=1e-6)


def test_modes_do_not_depend_on_the_unit(dietmaier):
    legs = (replace(g, base=1e-3 * g.base, platform=1e-3 * g.platform) for g in dietmaier.legs)
    small = replace(dietmaier, legs=tuple(legs))
    found = assembly_modes(small, 1e-3 * np.array(DIETMAIER_LENGTHS))
    assert found.count == 40
    assert np.max(found.residual) < 1e-13


@pytest.mark.parametrize("bad", [np.ones(5), [1, 1, 1, 1, 1, np.nan], np.zeros(6), -np.ones(6)])
def test_bad_lengths(dietmaier, bad):
    with pytest.raises(PlatformError, match="six positive finite lengths"):
        assembly_modes(dietmaier, bad)
