"""Forward geometry: stewart.md item 7, tracking, and what it says when there is no answer."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.errors import PoseError
from robots.core.pose import rotation_exp, rotation_log, rotation_z
from robots.stewart.errors import PlatformError
from robots.stewart.forward import forward, forward_along
from robots.stewart.platform import lengths
from robots.stewart.platform_file import load


@pytest.fixture(scope="module")
def hexapod():
    return load("measuring-hexapod")


def poses_near(platform, count, *, shift, turn, seed=7):
    rng = np.random.default_rng(seed)
    T = np.tile(platform.home, (count, 1, 1))
    T[:, :3, :3] = rotation_exp(rng.uniform(-turn, turn, (count, 3)))
    T[:, :3, 3] += rng.uniform(-shift, shift, (count, 3))
    return T


def test_item_7_a_thousand_random_poses_from_home(hexapod):
    T = poses_near(hexapod, 1000, shift=0.1, turn=0.35)
    found = forward(hexapod, lengths(hexapod, T), hexapod.home)
    turned = rotation_log(np.swapaxes(T[:, :3, :3], -1, -2) @ found.T[:, :3, :3])
    assert np.max(np.abs(found.T[:, :3, 3] - T[:, :3, 3])) < 1e-9
    assert np.max(np.abs(turned)) < 1e-9
    assert np.max(found.iterations) <= 10
    assert np.all(found.certified)
    assert np.max(found.residual) < 1e-12  # metres: rounding of lengths near 0.6 m


def test_scipy_finds_the_same_pose(hexapod):
    from scipy.optimize import fsolve

    T = poses_near(hexapod, 1, shift=0.05, turn=0.2)[0]
    L = lengths(hexapod, T)

    def defect(w):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = rotation_exp(w[:3]), w[3:]
        return lengths(hexapod, pose) - L

    w = fsolve(defect, [0, 0, 0, *hexapod.home[:3, 3]], xtol=1e-13)
    found = forward(hexapod, L, hexapod.home).T
    np.testing.assert_allclose(found[:3, 3], w[3:], atol=1e-10)
    np.testing.assert_allclose(found[:3, :3], rotation_exp(w[:3]), atol=1e-10)


def test_newton_converges_quadratically(hexapod):
    """One more digit pair per iteration: the last correction of a close start is a third one."""
    T = poses_near(hexapod, 50, shift=1e-4, turn=1e-4)
    assert np.max(forward(hexapod, lengths(hexapod, T), hexapod.home).iterations) <= 3


def test_along_the_published_motion_of_staicu(staicu, published):
    motion = published(np.linspace(0.0, 3.0, 61))
    found = forward_along(staicu, lengths(staicu, motion.T), staicu.home)
    np.testing.assert_allclose(found.T, motion.T, atol=1e-9)
    # At rest the octahedron is regular, yet not singular: the proof holds all along.
    assert np.all(found.certified)


def test_shapes_of_batches(hexapod):
    T = poses_near(hexapod, 6, shift=0.02, turn=0.1).reshape(2, 3, 4, 4)
    found = forward(hexapod, lengths(hexapod, T), hexapod.home)
    assert found.T.shape == (2, 3, 4, 4)
    assert found.certified.shape == found.iterations.shape == found.residual.shape == (2, 3)
    assert forward(hexapod, np.zeros((0, 6)), hexapod.home).T.shape == (0, 4, 4)
    assert forward_along(hexapod, np.zeros((0, 6)), hexapod.home).T.shape == (0, 4, 4)
    assert forward(hexapod, lengths(hexapod, T[0, 0]), hexapod.home).T.shape == (4, 4)


def test_a_wrong_mode_is_not_entered_from_near(hexapod):
    """From just below the base plane the mirrored posture is found, from above the other."""
    L = lengths(hexapod, hexapod.home)
    below = hexapod.home.copy()
    below[2, 3] *= -0.9
    np.testing.assert_allclose(forward(hexapod, L, below).T[2, 3], -hexapod.home[2, 3], atol=1e-9)


def test_unreachable_lengths_are_an_error_with_numbers(hexapod):
    L = lengths(hexapod, hexapod.home)
    L = np.stack([L, L + 3.0 * np.eye(6)[0]])
    with pytest.raises(
        PlatformError, match=r"1 of 2 sets of lengths.*Set 2 .* mm in leg"
    ) as caught:
        forward(hexapod, L, hexapod.home)
    assert caught.value.facts["index"] == 1
    assert abs(caught.value.facts["residual"]) > 0.1


def test_a_singular_start_is_an_error_with_its_condition():
    platform = load("mathworks-hexapod")
    start = platform.home.copy()
    start[:3, :3] = rotation_z(np.pi / 2)  # det J = 0 there, stewart.md item 5
    with pytest.raises(PlatformError, match="start 1 is singular") as caught:
        forward(platform, lengths(platform, platform.home), start)
    assert caught.value.facts["condition"] > 1e10


@pytest.mark.parametrize(
    "bad", [np.full(6, np.nan), np.ones(5), np.zeros(6), [1, 1, 1, 1, 1, -1.0], 3.0]
)
def test_bad_lengths(hexapod, bad):
    with pytest.raises(PlatformError, match="positive and finite"):
        forward(hexapod, bad, hexapod.home)


def test_a_start_that_is_no_pose(hexapod):
    with pytest.raises(PoseError, match="start of the forward geometry"):
        forward(hexapod, np.ones(6), 2.0 * np.eye(4))


def test_a_length_that_is_none_is_told_by_set_and_leg(hexapod):
    L = np.stack([lengths(hexapod, hexapod.home)] * 2)
    L[1, 2] = -0.005
    name = hexapod.legs[2].name
    with pytest.raises(PlatformError) as caught:
        forward(hexapod, L, hexapod.home)
    assert caught.value.message == (
        f"Leg {name!r} of set 2 is -5 mm long; a length must be positive and finite."
    )
    with pytest.raises(PlatformError, match=r"^The leg lengths have shape \(1, 5\); give 6"):
        forward(hexapod, np.ones((1, 5)), hexapod.home)
    with pytest.raises(PlatformError, match="is -5 mm long") as caught:
        forward_along(hexapod, L, hexapod.home)
    assert caught.value.facts["index"] == 1
