"""What all solvers share: batches, names, refusals, angles brought into (-π, π]."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import InverseError
from robots.core.paul import (
    RootCase,
    Tolerances,
    solve_type_1,
    solve_type_2,
    solve_type_7,
    solve_type_8,
    wrapped,
)


@given(st.floats(-1e4, 1e4))
def test_wrapped_angles_stay_in_the_half_open_turn_and_mean_the_same(angle):
    value = float(wrapped(np.float64(angle)))
    assert -np.pi < value <= np.pi
    # 1e4 rad hold about 1e-12 rad of rounding.
    assert abs(np.exp(1j * value) - np.exp(1j * angle)) < 1e-11
    if -np.pi < angle <= np.pi:
        assert value == angle


@pytest.mark.parametrize("angle", [np.pi, -np.pi, np.nextafter(-np.pi, -4), 3 * np.pi, -5 * np.pi])
def test_half_turns_wrap_to_plus_pi(angle):
    value = float(wrapped(np.float64(angle)))
    assert -np.pi < value <= np.pi
    assert abs(value) == pytest.approx(np.pi, abs=1e-14)


def test_any_leading_shape_gives_the_same_roots_as_one_sample_at_a_time():
    k = np.random.default_rng(3).normal(size=(4, 2, 3, 5))
    batch = solve_type_8(*k)
    assert batch.roots.shape == (2, 3, 5, 2, 2)
    assert batch.valid.shape == batch.residual.shape == (2, 3, 5, 2)
    assert batch.case.shape == batch.shortfall.shape == (2, 3, 5)
    assert batch.free.shape == (2, 3, 5, 2)
    for index in np.ndindex(2, 3, 5):
        single = solve_type_8(*k[(slice(None), *index)])
        assert single.roots.shape == (2, 2)
        np.testing.assert_array_equal(single.roots, batch.roots[index])
        assert single.case_at() is batch.case_at(*index)
        assert single.count == batch.count[index]


def test_single_coefficients_broadcast_and_an_empty_batch_is_an_empty_answer():
    assert solve_type_8(1.0, 0.8, np.linspace(0.5, 1.0, 7), 0.1).roots.shape == (7, 2, 2)
    empty = solve_type_7(W1=[], W2=[], X=[], Y=[], Z1=[], Z2=[])
    assert empty.roots.shape == (0, 2, 2)


def test_one_batch_may_hold_every_case():
    answer = solve_type_2([1, 1, 1, 0, 0], [1, 0, 0, 0, 0], [1, 1, 3, 0, 2])
    assert [RootCase(c) for c in answer.case] == [
        RootCase.REGULAR,
        RootCase.DOUBLE,
        RootCase.NO_REAL_ROOT,
        RootCase.INDETERMINATE,
        RootCase.INCONSISTENT,
    ]
    assert answer.count.tolist() == [2, 1, 0, 1, 0]
    assert answer.shortfall.tolist() == [0, 0, 2, 0, 0]


def test_answers_cannot_be_written_to():
    answer = solve_type_1(2.0, 3.0)
    with pytest.raises(ValueError, match="read-only"):
        answer.roots[0] = 1.0


def test_a_coefficient_that_is_not_finite_is_named_with_its_sample():
    with pytest.raises(InverseError, match=r"Coefficient Z of sample \(1,\) is nan") as caught:
        solve_type_2(1.0, 1.0, [0.0, np.nan])
    assert caught.value.facts["index"] == (1,)
    with pytest.raises(InverseError, match=r"Coefficient X of sample \(\) is inf"):
        solve_type_1(np.inf, 1.0)


def test_shapes_that_do_not_broadcast_are_refused_with_their_shapes():
    with pytest.raises(InverseError, match=r"'X': \(2,\).*'Y': \(3,\).*do not broadcast"):
        solve_type_1([1.0, 2.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize("field", ["tangency", "consistency", "scale"])
@pytest.mark.parametrize("value", [-1e-12, np.nan, np.inf])
def test_a_tolerance_out_of_its_range_is_refused(field, value):
    with pytest.raises(InverseError, match=f"Tolerance {field} is .*zero or more"):
        Tolerances(**{field: value})
