"""Types 1, 4 and 5: laws, and each degenerate case by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.paul import RootCase, Tolerances, solve_type_1, solve_type_4, solve_type_5

angles = st.floats(-3.14, 3.14)
signed = st.floats(0.05, 20.0).flatmap(lambda size: st.sampled_from([size, -size]))


def holds(answer, wanted, tolerance):
    """Whether one valid root is the wanted (θ, r)."""
    gap = answer.roots[answer.valid] - np.array(wanted)
    gap[:, 0] = np.angle(np.exp(1j * gap[:, 0]))
    return (np.abs(gap).max(axis=1) < tolerance).any()


@given(signed, signed)
def test_type_1_divides(X, r):
    answer = solve_type_1(X, X * r)
    assert answer.unknowns == ("r",)
    assert answer.roots[0, 0] == pytest.approx(r, rel=1e-15)


@pytest.mark.parametrize(
    ("X", "Y", "case"),
    [
        (0.0, 0.0, RootCase.INDETERMINATE),
        (0.0, 2.0, RootCase.INCONSISTENT),
        (1e-300, 1e10, RootCase.INCONSISTENT),  # the quotient is no finite number
        (2.0, 0.0, RootCase.REGULAR),
    ],
)
def test_type_1_degenerate(X, Y, case):
    answer = solve_type_1(X, Y)
    assert answer.case_at() is case
    assert answer.count == (0 if case is RootCase.INCONSISTENT else 1)
    assert bool(answer.free[0]) is (case is RootCase.INDETERMINATE)


def test_type_1_noise_beside_a_stated_scale():
    tolerances = Tolerances(scale=1.0)
    assert solve_type_1(1e-15, 1e-16, tolerances=tolerances).case_at() is RootCase.INDETERMINATE
    assert solve_type_1(1e-15, 1e-3, tolerances=tolerances).case_at() is RootCase.INCONSISTENT


@given(signed, signed, angles, signed)
def test_type_4_returns_both_signs_of_r(X1, X2, theta, r):
    answer = solve_type_4(X1, X1 * r * np.sin(theta), X2, X2 * r * np.cos(theta))
    assert answer.case_at() is RootCase.REGULAR
    assert answer.roots[0, 1] > 0.0 > answer.roots[1, 1]
    assert holds(answer, (theta, r), 1e-13)
    assert holds(answer, (theta + np.pi, -r), 1e-13)


def test_type_4_on_the_axis_leaves_the_angle_free():
    answer = solve_type_4(2.0, 0.0, 3.0, 0.0)
    assert answer.case_at() is RootCase.INDETERMINATE
    assert answer.free.tolist() == [True, False]
    assert answer.roots[0].tolist() == [0.0, 0.0]
    near = solve_type_4(2.0, 1e-15, 3.0, -1e-15, tolerances=Tolerances(scale=1.0))
    assert near.case_at() is RootCase.INDETERMINATE


@pytest.mark.parametrize(
    ("k", "case", "root", "free"),
    [
        ((0.0, 0.0, 2.0, -3.0), RootCase.INDETERMINATE, [0.0, -1.5], [True, False]),
        ((2.0, -3.0, 0.0, 0.0), RootCase.INDETERMINATE, [np.pi / 2, -1.5], [True, False]),
        ((0.0, 0.0, 0.0, 0.0), RootCase.INDETERMINATE, [0.0, 0.0], [True, True]),
        ((0.0, 1.0, 2.0, -3.0), RootCase.INCONSISTENT, None, [False, False]),
        ((2.0, -3.0, 0.0, 1.0), RootCase.INCONSISTENT, None, [False, False]),
        ((0.0, 0.0, 0.0, 1.0), RootCase.INCONSISTENT, None, [False, False]),
    ],
)
def test_type_4_missing_coefficients(k, case, root, free):
    answer = solve_type_4(*k)
    assert answer.case_at() is case
    assert answer.free.tolist() == free
    if root is None:
        assert answer.count == 0
    else:
        assert answer.roots[0].tolist() == root
        assert answer.residual[0] < 1e-15


@given(signed, signed, signed, signed, angles, signed)
def test_type_5_returns_the_pair_it_was_made_from(X1, X2, Z1, Z2, theta, r):
    Y1, Y2 = X1 * np.sin(theta) - Z1 * r, X2 * np.cos(theta) - Z2 * r
    answer = solve_type_5(X1=X1, Y1=Y1, Z1=Z1, X2=X2, Y2=Y2, Z2=Z2)
    assert answer.count >= 1
    # Terms up to 400 round to 1e-13; where two roots nearly merge, an angle is known to the root
    # of that relative to the smallest amplitude (0.05/20): 1e-5, and r to twenty times X/Z of it.
    assert holds(answer, (theta, r), 1e-2)
    assert answer.residual[answer.valid].max() < 1e-9


def test_type_5_with_r_in_one_equation_only():
    answer = solve_type_5(X1=2.0, Y1=1.0, Z1=0.0, X2=3.0, Y2=1.0, Z2=0.5)
    assert sorted(answer.roots[:, 0]) == pytest.approx([np.pi / 6, 5 * np.pi / 6])
    assert answer.roots[:, 1] == pytest.approx((3.0 * np.cos(answer.roots[:, 0]) - 1.0) / 0.5)


def test_type_5_tangent_and_beyond():
    inside = {"X1": 2.0, "Y1": 2.0, "Z1": 0.0, "X2": 3.0, "Y2": 1.0, "Z2": 0.5}
    answer = solve_type_5(**inside)
    assert answer.case_at() is RootCase.DOUBLE
    assert answer.roots[0] == pytest.approx([np.pi / 2, -2.0])
    far = solve_type_5(**{**inside, "Y1": 3.0})
    assert far.case_at() is RootCase.NO_REAL_ROOT
    assert far.shortfall == 0.5


def test_type_5_without_r_leaves_r_free():
    fixed = {"X1": 2.0, "Z1": 0.0, "X2": 1.0, "Z2": 0.0}
    answer = solve_type_5(Y1=1.2, Y2=0.8, **fixed)
    assert answer.case_at() is RootCase.INDETERMINATE
    assert answer.free.tolist() == [False, True]
    assert answer.roots[0] == pytest.approx([np.arctan2(0.6, 0.8), 0.0])
    assert solve_type_5(Y1=1.2, Y2=0.5, **fixed).case_at() is RootCase.INCONSISTENT
    assert solve_type_5(Y1=3.0, Y2=0.5, **fixed).case_at() is RootCase.NO_REAL_ROOT


def test_type_5_without_the_angle_leaves_the_angle_free():
    answer = solve_type_5(X1=0.0, Y1=2.0, Z1=4.0, X2=0.0, Y2=-1.0, Z2=-2.0)
    assert answer.case_at() is RootCase.INDETERMINATE
    assert answer.free.tolist() == [True, False]
    assert answer.roots[0] == pytest.approx([0.0, -0.5])
    clash = solve_type_5(X1=0.0, Y1=2.0, Z1=4.0, X2=0.0, Y2=-1.0, Z2=2.0)
    assert clash.case_at() is RootCase.INCONSISTENT


def test_type_5_with_an_empty_first_equation_leaves_a_family():
    answer = solve_type_5(X1=0.0, Y1=0.0, Z1=0.0, X2=3.0, Y2=1.0, Z2=0.5)
    assert answer.case_at() is RootCase.INDETERMINATE
    assert answer.roots[0] == pytest.approx([0.0, 4.0])


def test_type_5_without_anything():
    zero = dict.fromkeys(("X1", "Y1", "Z1", "X2", "Y2", "Z2"), 0.0)
    answer = solve_type_5(**zero)
    assert answer.case_at() is RootCase.INDETERMINATE
    assert answer.free.tolist() == [True, True]
    assert solve_type_5(**{**zero, "Y2": 1.0}).case_at() is RootCase.INCONSISTENT
