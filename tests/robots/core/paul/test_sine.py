"""Types 2 and 3: laws, and each degenerate case by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.paul import RootCase, Tolerances, solve_type_2, solve_type_3

sizes = st.floats(0.01, 100.0)
angles = st.floats(-3.14, 3.14)


def apart(a, b):
    return abs(np.angle(np.exp(1j * (a - b))))


@given(sizes, angles, angles)
def test_type_2_returns_the_angle_it_was_made_from(size, phase, theta):
    X, Y = size * np.sin(phase), size * np.cos(phase)
    answer = solve_type_2(X, Y, X * np.sin(theta) + Y * np.cos(theta))
    assert answer.count >= 1
    # Beside a tangent configuration an angle is known to the root of the relative tolerance, 1e-12.
    nearest = min(apart(root, theta) for root in answer.roots[answer.valid, 0])
    assert nearest < 2e-6
    assert answer.residual[answer.valid].max() < 2e-12 * size


@given(sizes, angles, st.floats(0.0, 0.99))
def test_type_2_roots_are_ordered_by_the_slope_and_mirror_each_other(size, phase, ratio):
    X, Y = size * np.sin(phase), size * np.cos(phase)
    first, second = solve_type_2(X, Y, ratio * size).roots[:, 0]
    assert X * np.cos(first) - Y * np.sin(first) < 0.0 < X * np.cos(second) - Y * np.sin(second)
    assert apart(first + second, 2.0 * phase) < 1e-12


@pytest.mark.parametrize(("Z", "root"), [(5.0, np.arctan2(3, 4)), (-5.0, np.arctan2(-3, -4))])
@pytest.mark.parametrize("excess", [-1e-13, 0.0, 1e-13])
def test_type_2_tangent_is_one_double_root_on_both_sides_of_the_limit(Z, root, excess):
    answer = solve_type_2(3.0, 4.0, Z * (1.0 + excess))
    assert answer.case_at() is RootCase.DOUBLE
    assert answer.valid.tolist() == [True, False]
    assert answer.roots[0, 0] == pytest.approx(root, abs=1e-15)
    assert answer.residual[0] < 1e-12


@pytest.mark.parametrize("excess", [1e-11, 1e-3, 4.0])
def test_type_2_beyond_reach_says_by_how_much(excess):
    answer = solve_type_2(3.0, 4.0, -5.0 * (1.0 + excess))
    assert answer.case_at() is RootCase.NO_REAL_ROOT
    assert answer.count == 0
    assert answer.shortfall == pytest.approx(excess, abs=1e-15)


def test_type_2_just_inside_the_limit_keeps_two_accurate_roots():
    half_width = 1e-5  # 1 - cos = 5e-11: the cosine alone has lost eleven of sixteen digits
    answer = solve_type_2(0.0, 1.0, np.cos(half_width))
    assert answer.case_at() is RootCase.REGULAR
    # The input's own rounding, 1e-16, moves the root by 1e-16/sin(1e-5) = 1e-11.
    assert answer.roots[:, 0] == pytest.approx([half_width, -half_width], abs=2e-11)


def test_type_2_with_a_zero_coefficient():
    assert solve_type_2(2.0, 0.0, 1.0).roots[:, 0] == pytest.approx([5 * np.pi / 6, np.pi / 6])
    assert solve_type_2(0.0, 2.0, 1.0).roots[:, 0] == pytest.approx([np.pi / 3, -np.pi / 3])


def test_type_2_without_coefficients():
    free = solve_type_2(0.0, 0.0, 0.0)
    assert free.case_at() is RootCase.INDETERMINATE
    assert free.free.tolist() == [True]
    assert free.roots[0, 0] == 0.0
    never = solve_type_2(0.0, 0.0, 1e-300)
    assert never.case_at() is RootCase.INCONSISTENT
    assert never.count == 0


def test_type_2_noise_counts_as_zero_only_beside_a_stated_scale():
    noise = (1e-17, -2e-17, 1e-17)
    assert solve_type_2(*noise).case_at() is RootCase.REGULAR
    assert (
        solve_type_2(*noise, tolerances=Tolerances(scale=1.0)).case_at() is RootCase.INDETERMINATE
    )


@pytest.mark.parametrize("size", [1e-280, 1e-12, 1e12, 1e280])
def test_type_2_does_not_depend_on_the_unit(size):
    small = solve_type_2(3.0 * size, 4.0 * size, 2.0 * size)
    np.testing.assert_allclose(small.roots, solve_type_2(3.0, 4.0, 2.0).roots, rtol=0, atol=1e-15)


@given(sizes, sizes, angles, st.floats(1e-5, 3.1), angles)
def test_type_3_returns_the_angle_it_was_made_from(size1, size2, phase, between, theta):
    X1, Y1 = size1 * np.sin(phase), size1 * np.cos(phase)
    X2, Y2 = size2 * np.sin(phase + between), size2 * np.cos(phase + between)
    Z1 = X1 * np.sin(theta) + Y1 * np.cos(theta)
    Z2 = X2 * np.sin(theta) + Y2 * np.cos(theta)
    answer = solve_type_3(X1=X1, Y1=Y1, Z1=Z1, X2=X2, Y2=Y2, Z2=Z2)
    assert answer.case_at() is RootCase.REGULAR
    # Equations at an angle of 1e-5 fix θ to about 1e-16/1e-5 at worst.
    assert apart(answer.roots[0, 0], theta) < 1e-10


def test_type_3_sine_and_cosine_is_atan2():
    answer = solve_type_3(X1=2.0, Y1=0.0, Z1=-1.2, X2=0.0, Y2=1.0, Z2=-0.8)
    assert answer.roots[0, 0] == pytest.approx(np.arctan2(-0.6, -0.8), abs=1e-15)
    assert answer.count == 1


def test_type_3_contradicting_equations():
    answer = solve_type_3(X1=1.0, Y1=0.0, Z1=0.5, X2=0.0, Y2=1.0, Z2=0.5)
    assert answer.case_at() is RootCase.INCONSISTENT
    far = solve_type_3(X1=1.0, Y1=0.0, Z1=1.5, X2=0.0, Y2=1.0, Z2=0.0)
    assert far.case_at() is RootCase.NO_REAL_ROOT
    assert far.shortfall == 0.5


def test_type_3_repeated_equation_keeps_both_roots():
    answer = solve_type_3(X1=1.0, Y1=2.0, Z1=0.7, X2=-2.0, Y2=-4.0, Z2=-1.4)
    np.testing.assert_allclose(
        np.sort(answer.roots[:, 0]),
        np.sort(solve_type_2(1.0, 2.0, 0.7).roots[:, 0]),
        rtol=0,
        atol=1e-15,
    )


def test_type_3_almost_parallel_equations_keep_their_accuracy():
    theta, tilt = np.linspace(0.2, 1.2, 50), 3e-6  # Cramer's rule alone would leave 1e-11
    answer = solve_type_3(
        X1=1.0,
        Y1=0.0,
        Z1=np.sin(theta),
        X2=1.0,
        Y2=tilt,
        Z2=np.sin(theta) + tilt * np.cos(theta),
    )
    np.testing.assert_allclose(answer.roots[:, 0, 0], theta, rtol=0, atol=1e-15 / np.cos(1.2))


def test_type_3_nearly_parallel_equation_chooses_among_the_roots():
    theta, tilt = 1.1, 1e-7  # parallel for the solver, yet far above the consistency tolerance
    answer = solve_type_3(
        X1=1.0,
        Y1=0.0,
        Z1=np.sin(theta),
        X2=1.0,
        Y2=tilt,
        Z2=np.sin(theta) + tilt * np.cos(theta),
    )
    assert answer.count == 1
    assert answer.roots[0, 0] == pytest.approx(theta, abs=1e-14)


def test_type_3_parallel_equations_that_disagree():
    answer = solve_type_3(X1=1.0, Y1=2.0, Z1=0.7, X2=2.0, Y2=4.0, Z2=1.3)
    assert answer.case_at() is RootCase.INCONSISTENT


def test_type_3_tangent_repeated_equation_is_double():
    answer = solve_type_3(X1=3.0, Y1=4.0, Z1=5.0, X2=3.0, Y2=4.0, Z2=5.0)
    assert answer.case_at() is RootCase.DOUBLE
    assert answer.count == 1


@pytest.mark.parametrize(
    ("Z1", "Z2", "case"),
    [
        (0.0, 0.0, RootCase.INDETERMINATE),
        (0.0, 0.3, RootCase.INCONSISTENT),
        (0.3, 0.0, RootCase.INCONSISTENT),
    ],
)
def test_type_3_without_coefficients(Z1, Z2, case):
    answer = solve_type_3(X1=0.0, Y1=0.0, Z1=Z1, X2=0.0, Y2=0.0, Z2=Z2)
    assert answer.case_at() is case
    assert bool(answer.free[0]) is (case is RootCase.INDETERMINATE)


def test_type_3_with_one_empty_equation():
    rest = {"X2": 3.0, "Y2": 4.0, "Z2": 2.0}
    assert solve_type_3(X1=0.0, Y1=0.0, Z1=0.0, **rest).count == 2
    assert solve_type_3(X1=0.0, Y1=0.0, Z1=0.1, **rest).case_at() is RootCase.INCONSISTENT
    # What rounding leaves beside coefficients of a few units is not a contradiction.
    assert solve_type_3(X1=0.0, Y1=0.0, Z1=1e-15, **rest).count == 2
