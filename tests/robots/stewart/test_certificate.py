"""The certificate: its bound holds, its balls hold the exact zero, and it refuses what it must."""

from __future__ import annotations

import numpy as np
import pytest

from robots.stewart.forward import (
    certify,
    lipschitz_bound,
    newton_step,
    parameters_of_pose,
    quadratic_forms,
    scaled_geometry,
    with_unit,
)
from robots.stewart.platform import lengths
from robots.stewart.platform_file import load


def system_of(platform, T):
    L = lengths(platform, T)
    scaled = scaled_geometry(platform.base_points, platform.platform_points, L)
    return quadratic_forms(scaled.legs), parameters_of_pose(T, scaled)


@pytest.fixture(scope="module")
def case(make_platform, make_states):
    platform = make_platform(3)
    return system_of(platform, make_states(platform, 1).T[0])


def test_the_lipschitz_bound_holds_everywhere_and_is_not_idle(case):
    forms, x = case
    Q = with_unit(forms)
    C = np.linalg.inv(2.0 * (Q @ x))
    rng = np.random.default_rng(0)
    d = rng.normal(size=(2000, 8)) + 1j * rng.normal(size=(2000, 8))
    change = C @ (2.0 * (Q @ d[:, None, :, None])[..., 0])
    ratio = np.linalg.norm(change, 2, axis=(-2, -1)) / np.linalg.norm(d, axis=-1)
    K = lipschitz_bound(Q, C)
    assert np.max(ratio) <= K
    assert np.max(ratio) > 0.3 * K  # within the √8 that a Frobenius norm can cost


def test_the_exact_zero_lies_within_the_radius(case):
    """The system solved with 40 digits from the same double precision coefficients."""
    mpmath = pytest.importorskip("mpmath")
    forms, x = case
    Q = with_unit(forms)
    off = x + 1e-7 * np.random.default_rng(1).normal(size=8)
    proof = certify(forms, off)
    assert proof.holds
    with mpmath.workdps(40):
        exact = _solved_exactly(mpmath, Q, off)
        distance = mpmath.norm(exact - mpmath.matrix(off.tolist()))
    assert float(distance) <= proof.radius
    assert proof.radius < 3.0 * float(distance)  # a tight bound, as η is nearly the distance
    assert proof.radius < proof.alone


def _solved_exactly(mpmath, Q, x):
    forms = [mpmath.matrix(row.tolist()) for row in Q]
    z = mpmath.matrix(x.tolist())
    for _ in range(5):
        gradients = [form * z for form in forms]
        J = mpmath.matrix([[2 * g[k] for k in range(8)] for g in gradients])
        F = mpmath.matrix([(z.T * g)[0] - (i == 7) for i, g in enumerate(gradients)])
        z = z - mpmath.lu_solve(J, F)
    return z


def test_the_proof_weakens_with_distance_until_it_fails(case):
    forms, x = case
    direction = np.random.default_rng(2).normal(size=8)
    numbers = [certify(forms, x + s * direction).kantorovich for s in (0, 1e-9, 1e-6, 1e-3)]
    assert np.all(np.diff(numbers) > 0.0)
    far = certify(forms, x + direction)
    assert not far.holds
    assert far.radius == np.inf
    assert far.alone == 0.0


def test_newton_from_within_the_lonely_ball_comes_back(case):
    """What ρ promises: nothing else is there to converge to."""
    forms, x = case
    rng = np.random.default_rng(3)
    d = rng.normal(size=(200, 8))
    ball = certify(forms, x).alone
    z = x + 0.4 * ball * d / np.linalg.norm(d, axis=-1, keepdims=True)
    for _ in range(8):
        z = z + newton_step(with_unit(forms), z)
    np.testing.assert_allclose(z, np.broadcast_to(x, z.shape), atol=1e-10)


def test_a_flat_platform_cannot_be_certified():
    """All points in one plane: the posture is a double solution."""
    platform = load("mathworks-hexapod")
    flat = platform.home.copy()
    flat[2, 3] = 0.0
    forms, x = system_of(platform, flat)
    assert not certify(forms, x).holds


def test_exactly_singular_and_not_finite_points_prove_nothing(case):
    forms, x = case
    batch = np.stack([x, np.zeros(8)])
    assert certify(forms, batch).holds.tolist() == [True, False]
    with np.errstate(invalid="ignore"):
        assert not certify(forms, np.full(8, np.nan)).holds
