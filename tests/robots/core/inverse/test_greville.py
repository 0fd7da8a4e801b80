"""Greville's pseudo-inverse against the Moore-Penrose conditions, LAPACK and its own edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import InverseError
from robots.core.inverse.pseudo_inverse import DEFAULT_TOLERANCE, pseudo_inverse


def of_rank(rng, m, n, rank, batch=(50,)):
    """Random matrices of a given rank and of condition number at most 10 on their range."""
    U = np.linalg.qr(rng.normal(size=(*batch, m, rank)))[0]
    V = np.linalg.qr(rng.normal(size=(*batch, n, rank)))[0]
    return (U * rng.uniform(0.5, 5.0, (*batch, 1, rank))) @ np.swapaxes(V, -1, -2)


SHAPES = [(6, 6, 6), (6, 5, 5), (6, 7, 6), (6, 6, 4), (3, 8, 2), (8, 3, 1), (1, 5, 1), (5, 1, 1)]


@pytest.mark.parametrize(("m", "n", "rank"), SHAPES)
def test_four_moore_penrose_conditions(m, n, rank):
    J = of_rank(np.random.default_rng(m + 10 * n), m, n, rank)
    P = pseudo_inverse(J).inverse
    assert P.shape == (50, n, m)  # n×m; the source prints m×n
    for left, right in (
        (np.swapaxes(J @ P, -1, -2), J @ P),
        (np.swapaxes(P @ J, -1, -2), P @ J),
        (J @ P @ J, J),
        (P @ J @ P, P),
    ):
        # Columns of these are independent to about 1e-2 or better: 1e-16 * 1e2 squared.
        np.testing.assert_allclose(left, right, rtol=0, atol=1e-11)


@pytest.mark.parametrize(("m", "n", "rank"), SHAPES)
def test_same_as_singular_value_decomposition(m, n, rank):
    J = of_rank(np.random.default_rng(m + 10 * n), m, n, rank)
    answer = pseudo_inverse(J)
    np.testing.assert_allclose(answer.inverse, np.linalg.pinv(J, rcond=1e-10), rtol=0, atol=1e-11)
    assert (answer.rank == rank).all()
    assert answer.rank_confirmed.all()
    assert (answer.dependent_columns.sum(axis=-1) == n - rank).all()


def test_dependent_columns_are_named():
    J = np.array([[1.0, 0.0, 2.0, 1.0, 0.0], [0.0, 0.0, 0.0, 3.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]])
    answer = pseudo_inverse(J)
    assert answer.dependent_columns.tolist() == [False, True, True, False, False]
    assert answer.rank == 3
    assert answer.trace == pytest.approx(3.0, abs=1e-14)
    assert answer.tolerance == DEFAULT_TOLERANCE


def test_dependent_column_by_hand():
    # [1 2]: d = 2, b = d·1/(1 + d²) = 2/5, inverse = (1 - 2·2/5, 2/5). The source prints d without
    # its transpose; for a longer d the product d·[J]⁺ would not even have the right shape.
    assert pseudo_inverse([[1.0, 2.0]]).inverse[:, 0] == pytest.approx([0.2, 0.4], abs=1e-16)
    J = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    wanted = np.array([[2.0, -1.0], [-1.0, 2.0], [1.0, 1.0]]) / 3.0
    np.testing.assert_allclose(pseudo_inverse(J).inverse, wanted, rtol=0, atol=1e-15)


@pytest.mark.parametrize("shape", [(6, 6), (1, 4), (4, 1), (3, 5)])
def test_zero_matrix_has_the_zero_inverse_and_rank_zero(shape):
    answer = pseudo_inverse(np.zeros(shape))
    assert not answer.inverse.any()
    assert answer.rank == 0
    assert answer.rank_confirmed
    assert answer.dependent_columns.all()


def test_rows_and_columns_alone():
    np.testing.assert_allclose(pseudo_inverse([[3.0, 0.0, 4.0]]).inverse[:, 0], [0.12, 0.0, 0.16])
    np.testing.assert_allclose(pseudo_inverse([[3.0], [4.0]]).inverse, [[0.12, 0.16]])


@pytest.mark.parametrize(("sine", "rank"), [(2e-10, 3), (0.5e-10, 2)])
def test_rank_changes_at_the_stated_tolerance(sine, rank):
    J = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, np.sqrt(2.0) * sine]])
    answer = pseudo_inverse(J)
    assert answer.rank == rank
    assert answer.rank_confirmed
    assert np.abs(answer.inverse).max() == pytest.approx(
        1.0 / (np.sqrt(2.0) * sine) if rank == 3 else 2.0 / 3.0, rel=1e-5
    )


def test_tolerance_may_be_chosen():
    J = np.array([[1.0, 1.0], [0.0, 1e-4]])
    assert pseudo_inverse(J).rank == 2
    assert pseudo_inverse(J, 1e-3).rank == 1


@given(st.lists(st.floats(-12.0, 12.0), min_size=5, max_size=5))
def test_rank_does_not_depend_on_the_units_of_the_joints(exponents):
    J = of_rank(np.random.default_rng(8), 6, 5, 3, batch=())
    scale = 10.0 ** np.array(exponents)
    answer = pseudo_inverse(J * scale)
    assert answer.rank == 3
    assert answer.rank_confirmed
    np.testing.assert_array_equal(answer.dependent_columns, pseudo_inverse(J).dependent_columns)


def test_millimetres_and_metres_give_the_same_inverse():
    rng = np.random.default_rng(9)
    J = of_rank(rng, 6, 6, 6)
    scale = 10.0 ** rng.uniform(-6.0, 6.0, 6)
    scaled = pseudo_inverse(J * scale).inverse * scale[:, None]
    np.testing.assert_allclose(scaled, pseudo_inverse(J).inverse, rtol=0, atol=1e-11)


def test_what_rounding_makes_of_a_dependent_column_is_not_a_direction():
    # The first two columns differ by 1e-9; a third in their span is then only known to 1e-7 of its
    # norm, which is above the tolerance but below what the subtraction can tell.
    rng = np.random.default_rng(10)
    a, n = rng.normal(size=(2, 200, 6))
    J = np.stack([a, a + 1e-9 * n, a + 0.5 * n], axis=-1)
    assert (pseudo_inverse(J).rank == 2).all()


def test_accuracy_follows_the_condition_number():
    rng = np.random.default_rng(11)
    J = rng.normal(size=(200, 6, 6))
    J[..., 3] = J[..., 0] + 1e-6 * rng.normal(size=(200, 6))
    exact = np.linalg.inv(J)
    error = np.abs(pseudo_inverse(J).inverse - exact).max(axis=(-1, -2))
    size = np.abs(exact).max(axis=(-1, -2))
    # Both algorithms lose the digits of the condition number (1e7 to 1e9), and no more.
    assert (error / size < 1e-15 * np.linalg.cond(J)).all()


def test_batches_of_any_shape_equal_single_matrices():
    J = of_rank(np.random.default_rng(12), 4, 6, 3, batch=(2, 3))
    answer = pseudo_inverse(J)
    assert answer.inverse.shape == (2, 3, 6, 4)
    assert answer.rank.shape == answer.trace.shape == answer.rank_confirmed.shape == (2, 3)
    np.testing.assert_allclose(
        answer.inverse[1, 2], pseudo_inverse(J[1, 2]).inverse, rtol=0, atol=1e-14
    )
    assert pseudo_inverse(np.zeros((0, 6, 5))).inverse.shape == (0, 5, 6)


@pytest.mark.parametrize("J", [[1.0, 2.0], 3.0, np.zeros((6, 0)), np.zeros((2, 0, 3))])
def test_what_is_no_matrix_is_refused(J):
    with pytest.raises(InverseError, match=r"J has shape .* must be \(\.\.\., rows, columns\)"):
        pseudo_inverse(J)


def test_an_entry_that_is_not_finite_is_named():
    with pytest.raises(InverseError, match=r"J\[1, 0\] is nan"):
        pseudo_inverse([[1.0, 2.0], [np.nan, 1.0]])


@pytest.mark.parametrize("tolerance", [-1e-3, 1.0, np.nan])
def test_a_tolerance_out_of_range_is_refused(tolerance):
    with pytest.raises(InverseError, match="from 0 to below 1"):
        pseudo_inverse(np.eye(2), tolerance)


def test_results_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        pseudo_inverse(np.eye(2)).inverse[0, 0] = 2.0
