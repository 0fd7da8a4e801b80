"""Many spheres at once: against the fits of ``parts``, closed forms, and known solids."""

from __future__ import annotations

import numpy as np
import pytest

from parts.fits.fitting import fit
from parts.fits.zone import circumscribed
from planner.virtual_measuring.machine_tests import (
    cap,
    enclosing_diameters,
    fitted_spheres,
    hemisphere,
    orientations,
    towards,
)

CENTRE, RADIUS = np.array([0.4, -0.2, 0.9]), 0.0155


@pytest.fixture
def noisy():
    rng = np.random.default_rng(5)
    return CENTRE + RADIUS * hemisphere() + 1e-4 * rng.standard_normal((6, 25, 3))


def test_fit_is_that_of_the_parts_room(noisy):
    found = fitted_spheres(noisy, CENTRE, RADIUS)
    for k, points in enumerate(noisy):
        peer = fit("sphere", points)
        np.testing.assert_allclose(found.centres[k], peer.shape.centre, atol=1e-12)
        assert found.radii[k] == pytest.approx(peer.shape.radius, abs=1e-12)
        assert np.ptp(found.residuals[k]) == pytest.approx(peer.form_error, abs=1e-12)


def test_noise_of_a_diameter_on_a_whole_sphere():
    """Opposite points keep centre and radius apart: sd of the diameter is 2σ/√n exactly."""
    rng = np.random.default_rng(8)
    half = hemisphere()[:17]  # without the equator, whose opposites are there already
    n = np.concatenate([half, -half])
    points = CENTRE + RADIUS * n + 1e-6 * rng.standard_normal((4000, 34, 3))
    diameters = 2.0 * fitted_spheres(points, CENTRE, RADIUS).radii
    # 4000 draws hold a standard deviation to 1.1 %; three of these.
    assert np.std(diameters) == pytest.approx(2e-6 / np.sqrt(34), rel=0.035)


def test_noise_of_a_diameter_on_a_hemisphere():
    """By the covariance σ²(JᵀJ)⁻¹ of centre and radius."""
    rng = np.random.default_rng(9)
    n = hemisphere()
    points = CENTRE + RADIUS * n + 1e-6 * rng.standard_normal((4000, 25, 3))
    J = np.column_stack([n, np.ones(25)])
    expected = 2e-6 * np.sqrt(np.linalg.inv(J.T @ J)[3, 3])
    diameters = 2.0 * fitted_spheres(points, CENTRE, RADIUS).radii
    assert np.std(diameters) == pytest.approx(expected, rel=0.035)


def test_smallest_sphere_is_that_of_the_parts_room():
    rng = np.random.default_rng(6)
    sets = 1e-2 * cap() + 5e-4 * rng.standard_normal((8, 5, 3)) + CENTRE
    found = enclosing_diameters(sets)
    for diameter, points in zip(found, sets, strict=True):
        peer = circumscribed("sphere", points)
        assert diameter == pytest.approx(peer.diameter, rel=1e-7)


@pytest.mark.parametrize(
    ("points", "diameter"),
    [
        ([[0, 0, 0], [2, 0, 0], [1, 0.5, 0], [1, 0, 0.5], [1, 0, 0]], 2.0),  # two decide
        ([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1], [0, 0, 0]], 2 * np.sqrt(3)),  # four
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [3, 0, 0]], 3.0),  # on a line
        ([[5, 5, 5]] * 5, 0.0),
    ],
)
def test_smallest_spheres_of_known_solids(points, diameter):
    found = enclosing_diameters(1e-5 * np.array([points], dtype=float))
    assert found[0] == pytest.approx(1e-5 * diameter, rel=1e-6, abs=1e-15)


def test_one_point_needs_no_sphere():
    assert enclosing_diameters(np.ones((3, 1, 3))).tolist() == [0.0] * 3


def test_patterns():
    assert hemisphere().shape == (25, 3)
    assert cap().shape == (5, 3)
    for directions in (hemisphere(), cap(), orientations(0.5)):
        np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0, atol=1e-15)
        assert directions[:, 2].min() > -1e-15
        np.testing.assert_allclose(directions.sum(axis=0)[:2], 0.0, atol=1e-14)  # even all round
    np.testing.assert_allclose(np.arccos(orientations(0.5)[1:, 2]), 0.5, atol=1e-15)
    pole = np.array([0.6, 0.0, -0.8])
    R = towards(pole)
    np.testing.assert_allclose(R @ [0, 0, 1], pole, atol=1e-15)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
