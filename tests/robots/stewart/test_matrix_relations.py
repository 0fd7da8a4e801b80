"""The corrected recursive matrix relations against the recorded programmes, and as printed."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.pose import skew
from robots.stewart.legs import STROKE, body_links, leg_axes
from robots.stewart.matrix_relations import (
    U3_TILDE,
    LegMatrices,
    RecursiveMotion,
    leg_matrices,
    recursive_motion,
)
from robots.stewart.model import PlatformModel
from robots.stewart.platform import LegEnd, Platform
from tests.cases import some

AGREEMENT = 1e-12
KINDS = ("v", "w", "vd", "wd")


def relations(platform: Platform, index: int, m: object) -> tuple[LegMatrices, RecursiveMotion]:
    leg = leg_matrices(platform, index, m.T)
    return leg, recursive_motion(leg, m.V, m.A)


def based(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", matrix, vector)


def worst_difference(platform: Platform, m: object) -> float:
    """Largest difference of any velocity or acceleration of any body of any leg."""
    found = PlatformModel(platform, "numpy").bodies(m.T, m.V, m.A)
    worst = 0.0
    for index in range(6):
        leg, motion = relations(platform, index, m)
        for body, link in enumerate(body_links(leg_axes(platform, index))):
            for kind in KINDS:
                theirs = based(leg.to_base[link], getattr(motion, kind)[link])
                ours = getattr(found, kind)[..., index, body, :]
                worst = max(worst, float(np.abs(ours - theirs).max()))
    return worst


def test_every_body_along_the_published_motion(staicu, published):
    assert worst_difference(staicu, published(np.linspace(0.0, 3.0, 31))) < AGREEMENT


@pytest.mark.parametrize("end", list(LegEnd))
@pytest.mark.parametrize("seed", some([21, 22], gate=1))
def test_every_body_of_irregular_platforms(make_platform, make_states, end, seed):
    platform = make_platform(seed, end)
    assert worst_difference(platform, make_states(platform, 20)) < AGREEMENT


def test_the_leg_carries_the_platform(make_platform, make_states):
    """The last frame turns as the platform does, and moves as its point B."""
    platform = make_platform(23)
    m = make_states(platform, 10)
    for index, given in enumerate(platform.legs):
        leg, motion = relations(platform, index, m)
        w, wd = m.V[:, 3:], m.A[:, 3:]
        lever = m.T[:, :3, :3] @ given.platform
        swept = np.cross(w, lever)
        expected = (
            w,
            wd,
            m.V[:, :3] + swept,
            m.A[:, :3] + np.cross(wd, lever) + np.cross(w, swept),
        )
        for kind, value in zip(("w", "wd", "v", "vd"), expected, strict=True):
            found = based(leg.to_base[-1], getattr(motion, kind)[-1])
            assert np.abs(found - value).max() < 1e-12, kind


def test_second_line_of_eq_18(make_platform, make_states):
    """ω̃ω̃ + ε̃ by its own recursion is that of ω and ε."""
    platform = make_platform(24)
    _, motion = relations(platform, 0, make_states(platform, 10))
    for w, wd, U in zip(motion.w, motion.wd, motion.U, strict=True):
        assert np.abs(U - (skew(w) @ skew(w) + skew(wd))).max() < 1e-12


def test_right_side_of_eq_15_needs_the_chain_of_matrices(published):
    """As printed, α̇2 a2ᵀu2 and α̇3 a3ᵀu3 miss a1ᵀ and a1ᵀa2ᵀ: off by 0.017 rad/s at 0.8 s."""
    t, rate = 0.8, 2 * np.pi / 3
    share = np.pi * np.array([1 / 90, 1 / 45, 1 / 30])
    angle, speed = share * (1 - np.cos(rate * t)), share * rate * np.sin(rate * t)
    (c1, c2, c3), (s1, s2, s3) = np.cos(angle), np.sin(angle)
    a1t = np.array([[1, 0, 0], [0, c1, -s1], [0, s1, c1]])
    a2t = np.array([[c2, 0, s2], [0, 1, 0], [-s2, 0, c2]])
    a3t = np.array([[c3, -s3, 0], [s3, c3, 0], [0, 0, 1]])
    e = np.eye(3)
    right = speed[0] * e[0] + speed[1] * a1t @ e[1] + speed[2] * a1t @ a2t @ e[2]
    printed = speed[0] * e[0] + speed[1] * a2t @ e[1] + speed[2] * a3t @ e[2]
    w = published(t).V[3:]
    assert np.abs(right - w).max() < 1e-15
    assert np.abs(printed - w).max() == pytest.approx(0.017, abs=5e-4)


def test_eq_17_as_printed_is_wrong(staicu, published):
    """Without 2 ω10 ω43 a10ᵀ ũ3 a41ᵀ ũ3 a64ᵀ r6, and with r6 = l0 u1 in frame 5 for a65ᵀ r6.

    In frame 5, ũ3 u1 = u2 is the platform's normal. Leg C at 0.8 s: 0.074 m/s², sources.md.
    """
    m = published(0.8)
    leg, motion = relations(staicu, 2, m)
    speed, place = motion.relative_speed, leg.to_base
    spin_1, spin_2 = place[0] @ U3_TILDE, place[1] @ U3_TILDE
    arm_4, arm_5 = (place[k] @ U3_TILDE @ leg.levers[k] for k in (3, 4))
    missing = 2 * speed[0] * speed[3] * spin_1 @ place[0].T @ arm_4
    right = 2 * speed[1] * speed[4] * spin_2 @ place[1].T @ arm_5
    printed = 2 * speed[1] * speed[4] * spin_2 @ place[1].T @ (2.8 * place[5][:, 2])
    assert np.abs(missing + right - printed).max() == pytest.approx(0.074, abs=5e-4)


def test_relative_speed_of_the_stroke_is_the_leg_speed(staicu, published):
    m = published(np.linspace(0, 3, 7))
    model = PlatformModel(staicu)
    for index in range(6):
        _, motion = relations(staicu, index, m)
        rates = model.length_rates(m.T, m.V)[:, index]
        gains = model.length_accelerations(m.T, m.V, m.A)[:, index]
        assert np.abs(motion.relative_speed[:, STROKE] - rates).max() < 1e-14
        assert np.abs(motion.relative_acceleration[:, STROKE] - gains).max() < 1e-13
