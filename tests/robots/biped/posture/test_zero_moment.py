"""The zero-moment point: its definition, point masses at rest and in motion, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.biped.errors import BipedError
from robots.biped.posture.ground import Ground
from robots.biped.posture.zero_moment import (
    CentroidalState,
    centroidal_zero_moment_point,
    zero_moment_point,
)

numbers = st.floats(-50, 50)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
tilts = st.floats(-0.6, 0.6)
grounds = st.builds(
    lambda a, b, x, z: Ground(alpha=a, beta=b, point=np.array([x, 0.1, z])),
    tilts,
    tilts,
    st.floats(-1, 1),
    st.floats(-1, 1),
)


@given(grounds, vectors, vectors)
def test_no_moment_along_the_plane_is_left(ground, sideways, moment):
    force = sideways + 200.0 * ground.normal
    p = zero_moment_point(force, moment, ground)
    left = moment - np.cross(p, force)
    across = left - (left @ ground.normal) * ground.normal
    # Moments up to a few hundred newton metres: 1e-10 is rounding.
    np.testing.assert_allclose(across, 0.0, atol=1e-10)
    assert ground.clearance(p) == pytest.approx(0.0, abs=1e-12)


@given(grounds, st.tuples(*[st.floats(-2, 2)] * 3).map(np.array))
def test_at_rest_it_is_below_the_centre_of_mass_along_gravity(ground, com):
    weight = np.array([0.0, 0.0, 30.0 * 9.81])
    found = zero_moment_point(weight, np.cross(com, weight), ground)
    np.testing.assert_allclose(found, ground.below(com), atol=1e-12)


def test_cart_table():
    """The source's textbook case: x_zmp = x − z·ẍ/g for a mass at a constant height."""
    state = CentroidalState(
        mass=100.0,
        com=np.array([[0.1, -0.05, 0.8]]),
        acceleration=np.array([[1.5, -0.7, 0.0]]),
        momentum_rate=np.zeros((1, 3)),
    )
    found = centroidal_zero_moment_point(state, Ground())
    expected = [[0.1 - 0.8 * 1.5 / 9.81, -0.05 + 0.8 * 0.7 / 9.81, 0.0]]
    np.testing.assert_allclose(found, expected, atol=1e-15)


def test_momentum_about_y_moves_it_back():
    """A body that is spun forward pushes its heel down: x_zmp = x − L̇_y/(m·g)."""
    state = CentroidalState(
        mass=10.0,
        com=np.array([0.0, 0.0, 1.0]),
        acceleration=np.zeros(3),
        momentum_rate=np.array([0.0, 9.81, 0.0]),
    )
    np.testing.assert_allclose(centroidal_zero_moment_point(state, Ground()), [-0.1, 0, 0])


@given(grounds, vectors, vectors, st.floats(0.1, 10))
def test_the_scale_of_the_wrench_does_not_count(ground, sideways, moment, factor):
    force = sideways + 200.0 * ground.normal
    np.testing.assert_allclose(
        zero_moment_point(factor * force, factor * moment, ground),
        zero_moment_point(force, moment, ground),
        atol=1e-12,
    )


def test_batches_broadcast():
    assert zero_moment_point(np.ones((4, 5, 3)), np.ones(3), Ground()).shape == (4, 5, 3)


@pytest.mark.parametrize("push", [0.0, -5.0, 1e-12])
def test_a_ground_that_does_not_push_has_none(push):
    with pytest.raises(BipedError, match=r"sample 2 of 3: there is no zero-moment point.* N along"):
        zero_moment_point([[0, 0, 1], [1, 0, push], [0, 0, 1]], np.zeros((3, 3)), Ground())
    with pytest.raises(BipedError, match=r"^there is no zero-moment point"):
        zero_moment_point([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], Ground())


def test_bad_numbers_are_refused():
    with pytest.raises(BipedError, match="force of a contact"):
        zero_moment_point([0, np.nan, 1], [0, 0, 0], Ground())
    with pytest.raises(BipedError, match="moment of a contact has shape"):
        zero_moment_point([0, 0, 1], [0, 0], Ground())
