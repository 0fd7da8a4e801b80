"""Units, the ball, and points that do not belong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from parts.errors import EvaluationError
from parts.evaluation.measured_points import ball_sign, check_factor, compensate_ball
from parts.evaluation.outliers import outlying_points
from tests.cases import cases

RNG = np.random.default_rng(10)
CLOUD = RNG.uniform(-0.2, 0.2, (9, 3))
GRID = np.array([[x, y, 0.0] for x in (0, 0.1, 0.2, 0.3) for y in (0, 0.1, 0.2, 0.3)])


@pytest.mark.parametrize("factor", [1000.0, 1e-3, 25.4, 1 / 25.4, 10.0])
def test_points_in_another_unit_are_refused_with_the_factor(factor):
    told = f"{max(factor, 1 / factor):g}"
    moved = factor * CLOUD + [5.0, -3.0, 2.0]  # another frame does not hide it
    with pytest.raises(EvaluationError, match=f"off by a factor of {told}:") as caught:
        check_factor(CLOUD, moved)
    assert caught.value.facts["factor"] == pytest.approx(factor)
    large = f"mm, {factor:.4g} times as far as the job's points, which spread "
    small = f"mm, 1/{1 / factor:.4g} as far as the job's points, which spread "
    assert (large if factor > 1 else small) in caught.value.message


@pytest.mark.parametrize("factor", [1.0, 1.01, 2.0, 0.5, 5.0])
def test_other_factors_are_no_units(factor):
    check_factor(CLOUD, factor * CLOUD)


def test_one_point_says_nothing_of_units():
    check_factor(np.zeros((1, 3)), np.full((1, 3), 1e3))


def test_centres_move_against_the_normals():
    n = RNG.normal(size=(5, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    surface = RNG.normal(size=(5, 3))
    back = compensate_ball(surface + 0.002 * n, n, 0.002)
    np.testing.assert_allclose(back, surface, atol=1e-15)  # rounding of lengths near 1 m
    with pytest.raises(EvaluationError, match="has length 2"):
        compensate_ball(surface, 2.0 * n, 0.002)


@pytest.mark.parametrize(("radii", "text"), [(1, "nobody"), (-1, "again"), (2, "wrong side")])
def test_a_wrong_compensation_is_seen(radii, text):
    deviations = radii * 0.002 + RNG.normal(0.0, 5e-6, 30)
    sign = ball_sign(deviations, 0.002)
    assert sign is not None
    assert sign.radii == radii
    assert text in sign.sentence


def test_other_deviations_are_no_sign_of_the_ball():
    assert ball_sign(RNG.normal(0.0, 5e-6, 30), 0.002) is None
    assert ball_sign(RNG.normal(0.002, 1e-3, 30), 0.002) is None  # too wide a spread
    assert ball_sign(np.full(30, 0.0014), 0.002) is None
    assert ball_sign(np.full(30, 0.002), 0.0) is None  # a point has no ball
    assert ball_sign(np.zeros(0), 0.002) is None


def test_a_stray_is_found_and_clean_sets_are_seldom_listed():
    sets = cases(gate=20, soak=60)
    clean = GRID + [0, 0, 1] * RNG.normal(0.0, 2e-6, (sets, 16, 3))
    listed = sum(bool(outlying_points("plane", points)) for points in clean)
    assert listed <= binom.isf(1e-3, sets, 0.05)  # 5 % are meant
    wrong = clean[0].copy()
    wrong[6, 2] += 1e-4  # 50 σ
    assert 6 in [stray.index for stray in outlying_points("plane", wrong)]


def test_too_few_points_accuse_nobody():
    assert outlying_points("plane", GRID[[0, 1, 4]]) == ()
    assert outlying_points("sphere", GRID) == ()  # coplanar: there is no sphere at all
