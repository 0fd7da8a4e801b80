"""Types 6, 7 and 8: laws, and each degenerate case by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.paul import RootCase, Tolerances, solve_type_6, solve_type_7, solve_type_8

S, C = np.sin, np.cos
angles = st.floats(-3.14, 3.14)
signed = st.floats(0.05, 20.0).flatmap(lambda size: st.sampled_from([size, -size]))


def holds(answer, wanted, tolerance):
    gap = np.angle(np.exp(1j * (answer.roots[answer.valid] - np.array(wanted))))
    return (np.abs(gap).max(axis=1) < tolerance).any()


# Rounding of 1e-15 relative to 40 beside a side of 0.05, and a root of it where the triangle is
# nearly flat: an angle is known to about sqrt(1e-12 * 40 / 0.05) at worst.
NEARLY_FLAT = 1e-4


@given(signed, signed, angles, angles)
def test_type_8_returns_the_posture_it_was_made_from(X, Y, ti, tj):
    answer = solve_type_8(X, Y, X * C(ti) + Y * C(ti + tj), X * S(ti) + Y * S(ti + tj))
    assert answer.count >= 1
    assert holds(answer, (ti, tj), NEARLY_FLAT) or answer.free.any()
    assert answer.residual[answer.valid].max() < 1e-10


@given(signed, signed, signed, angles, angles)
def test_type_6_returns_the_pair_it_was_made_from(W, X, Y, ti, tj):
    Z1 = W * S(tj) - X * C(ti) - Y * S(ti)
    Z2 = W * C(tj) - X * S(ti) + Y * C(ti)
    answer = solve_type_6(W, X, Y, Z1, Z2)
    assert holds(answer, (ti, tj), NEARLY_FLAT) or answer.free.any()
    assert answer.residual[answer.valid].max() < 1e-10


@given(signed, signed, signed, signed, angles, angles)
def test_type_7_returns_the_pair_it_was_made_from(W1, W2, X, Y, ti, tj):
    Z1 = W1 * C(tj) + W2 * S(tj) - X * C(ti) - Y * S(ti)
    Z2 = W1 * S(tj) - W2 * C(tj) - X * S(ti) + Y * C(ti)
    answer = solve_type_7(W1=W1, W2=W2, X=X, Y=Y, Z1=Z1, Z2=Z2)
    assert holds(answer, (ti, tj), NEARLY_FLAT) or answer.free.any()
    assert answer.residual[answer.valid].max() < 1e-10


@given(signed, signed, st.floats(0.05, 0.95), angles)
def test_type_8_elbows_mirror_each_other_and_the_first_turns_one_way(X, Y, part, direction):
    low, high = abs(abs(X) - abs(Y)), abs(X) + abs(Y)
    reach = low + part * (high - low)
    answer = solve_type_8(X, Y, reach * C(direction), reach * S(direction))
    assert answer.case_at() is RootCase.REGULAR
    assert X * Y * S(answer.roots[0, 1]) > 0.0
    assert answer.roots[0, 1] == pytest.approx(-answer.roots[1, 1], abs=1e-11)


def test_type_7_without_w1_is_type_6_mirrored():
    # W2 sin θj and -W2 cos θj: type 6 with θj replaced by π - θj.
    six = solve_type_6(1.3, 0.7, -0.4, 0.5, 0.6)
    seven = solve_type_7(W1=0.0, W2=1.3, X=0.7, Y=-0.4, Z1=0.5, Z2=0.6)
    np.testing.assert_allclose(six.roots[:, 0], seven.roots[:, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(S(six.roots[:, 1]), S(seven.roots[:, 1]), rtol=0, atol=1e-15)
    np.testing.assert_allclose(C(six.roots[:, 1]), -C(seven.roots[:, 1]), rtol=0, atol=1e-15)


@pytest.mark.parametrize("excess", [-1e-13, 0.0, 1e-13])
@pytest.mark.parametrize(("reach", "elbow"), [(1.8, 0.0), (0.2, np.pi)])
def test_type_8_stretched_and_folded_are_double_roots(reach, elbow, excess):
    sign = 1.0 if elbow == 0.0 else -1.0
    distance = reach * (1.0 + sign * excess)
    answer = solve_type_8(1.0, 0.8, 0.6 * distance, 0.8 * distance)
    assert answer.case_at() is RootCase.DOUBLE
    assert answer.count == 1
    assert answer.roots[0, 0] == pytest.approx(np.arctan2(0.8, 0.6), abs=1e-15)
    assert abs(answer.roots[0, 1]) == pytest.approx(elbow, abs=1e-12)
    assert answer.residual[0] < 1e-12


def test_type_8_out_of_reach_says_by_how_much():
    far = solve_type_8(1.0, 0.8, 2.7, 0.0)
    assert far.case_at() is RootCase.NO_REAL_ROOT
    assert far.shortfall == pytest.approx(0.5, abs=1e-15)  # 2.7 / 1.8 - 1
    near = solve_type_8(1.0, 0.5, 0.0, 0.3)
    assert near.case_at() is RootCase.NO_REAL_ROOT
    assert near.shortfall == pytest.approx(1.0 / 0.8 - 1.0, abs=1e-15)
    assert near.count == 0


@pytest.mark.parametrize("flatness", [1e-3, 1e-6, 1e-9])
def test_type_8_nearly_stretched_keeps_its_accuracy(flatness):
    # cos θj = 1 - θj²/2: the cosine rule would lose half the digits of θj.
    ti, tj = 0.4, flatness**0.5
    answer = solve_type_8(1.0, 0.8, C(ti) + 0.8 * C(ti + tj), S(ti) + 0.8 * S(ti + tj))
    # Rounding of the target (4e-16) moves the elbow by as much, divided by sin θj.
    assert answer.roots[0] == pytest.approx([ti, tj], abs=2e-15 / tj)


@pytest.mark.parametrize(
    ("k", "case", "free"),
    [
        ((1.0, 1.0, 0.0, 0.0), RootCase.INDETERMINATE, [True, False]),  # folded on its own base
        ((0.0, 0.8, 0.0, 0.8), RootCase.INDETERMINATE, [True, False]),  # no first link
        ((1.0, 0.0, 0.6, 0.8), RootCase.INDETERMINATE, [False, True]),  # no second link
        ((0.0, 0.0, 0.0, 0.0), RootCase.INDETERMINATE, [True, True]),
        ((1.0, 0.5, 0.0, 0.0), RootCase.NO_REAL_ROOT, [False, False]),
        ((0.0, 0.8, 0.0, 0.9), RootCase.NO_REAL_ROOT, [False, False]),
        ((1.0, 0.0, 0.6, 0.7), RootCase.NO_REAL_ROOT, [False, False]),
        ((0.0, 0.0, 0.6, 0.8), RootCase.INCONSISTENT, [False, False]),
        ((1.0, 0.0, 0.0, 0.0), RootCase.INCONSISTENT, [False, False]),
        ((0.0, 1.0, 0.0, 0.0), RootCase.INCONSISTENT, [False, False]),
    ],
)
def test_type_8_degenerate(k, case, free):
    answer = solve_type_8(*k)
    assert answer.case_at() is case
    assert answer.free.tolist() == free
    assert answer.count == (1 if case is RootCase.INDETERMINATE else 0)
    if case is RootCase.INDETERMINATE:
        assert answer.residual[0] < 1e-15
        assert (answer.roots[0][answer.free] == 0.0).all()


def test_type_8_target_on_the_base_axis_within_noise():
    # A relative 1e-13 beside links of 1 m counts as the axis itself, and θi as free.
    answer = solve_type_8(1.0, 1.0, 1e-13, -1e-13)
    assert answer.case_at() is RootCase.INDETERMINATE
    assert answer.residual[0] < 3e-13
    tight = solve_type_8(1.0, 1.0, 1e-13, -1e-13, tolerances=Tolerances(tangency=1e-15))
    assert tight.case_at() is RootCase.REGULAR


@pytest.mark.parametrize(
    ("k", "case", "free"),
    [
        ((1.0, 0.0, 0.0, 0.6, 0.8), RootCase.INDETERMINATE, [True, False]),
        ((1.0, 0.6, 0.8, 0.0, 0.0), RootCase.INDETERMINATE, [True, False]),
        ((0.0, 0.6, 0.8, 1.0, 0.0), RootCase.INDETERMINATE, [False, True]),
        ((0.0, 0.0, 0.0, 0.0, 0.0), RootCase.INDETERMINATE, [True, True]),
        ((2.0, 0.6, 0.8, 1.0, 0.0), RootCase.DOUBLE, [False, False]),
        ((2.1, 0.6, 0.8, 1.0, 0.0), RootCase.NO_REAL_ROOT, [False, False]),
        ((1.0, 0.0, 0.0, 0.0, 0.0), RootCase.INCONSISTENT, [False, False]),
    ],
)
def test_type_6_and_7_degenerate(k, case, free):
    W, X, Y, Z1, Z2 = k
    for answer in (
        solve_type_6(*k),
        solve_type_7(W1=0.6 * W, W2=-0.8 * W, X=X, Y=Y, Z1=Z1, Z2=Z2),
    ):
        assert answer.case_at() is case
        assert answer.free.tolist() == free
        assert (answer.residual[answer.valid] < 1e-15).all()


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_no_length_is_squared_away(size):
    answer = solve_type_8(size, 0.8 * size, 0.5 * size, 0.9 * size)
    np.testing.assert_allclose(
        answer.roots, solve_type_8(1.0, 0.8, 0.5, 0.9).roots, rtol=0, atol=1e-14
    )
