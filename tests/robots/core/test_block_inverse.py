"""Inverse by Schur complement, [GASTEBOIS17] (33)-(35), against LAPACK."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.block_inverse import BlockInverseError, block_inverse


def definite(n, seed, batch=()):
    """Random definite matrices, condition below a few hundred."""
    R = np.random.default_rng(seed).normal(size=(*batch, n, n))
    return R @ np.swapaxes(R, -1, -2) + n * np.eye(n)


def thesis_33_to_35(A):
    """[GASTEBOIS17] eqs (33)-(35) for one 4 × 4 matrix, step by step."""
    B, C, D = A[:2, :2], A[2:, :2], A[2:, 2:]
    Bi = np.linalg.inv(B)
    Si = np.linalg.inv(D - C @ Bi @ C.T)
    return np.block([[Bi + Bi @ C.T @ Si @ C @ Bi, -Bi @ C.T @ Si], [-Si @ C @ Bi, Si]])


def test_four_by_four_is_the_theses():
    A = definite(4, 1)
    np.testing.assert_allclose(block_inverse(A), thesis_33_to_35(A), rtol=1e-12, atol=1e-15)


def test_a_worked_two_by_two():
    np.testing.assert_allclose(
        block_inverse([[4.0, 2.0], [2.0, 3.0]]), [[3 / 8, -0.25], [-0.25, 0.5]]
    )


@given(n=st.integers(1, 15), seed=st.integers(0, 2**32 - 1))
def test_it_is_the_inverse(n, seed):
    A = definite(n, seed)
    found = block_inverse(A)
    np.testing.assert_allclose(found, np.linalg.inv(A), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found @ A, np.eye(n), atol=1e-11)
    assert (found == found.T).all()


@pytest.mark.parametrize("batch", [(0,), (5,), (2, 3)])
def test_batches(batch):
    A = definite(4, 3, batch)
    np.testing.assert_allclose(block_inverse(A), np.linalg.inv(A), rtol=1e-11, atol=1e-14)


def test_no_rows_at_all():
    assert block_inverse(np.empty((0, 0))).shape == (0, 0)


def test_the_matrix_given_is_left_alone():
    A = definite(4, 5)
    kept = A.copy()
    block_inverse(A)
    np.testing.assert_array_equal(A, kept)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_an_indefinite_or_singular_matrix_is_refused(n):
    A = definite(n, n)
    low = np.linalg.eigvalsh(A)
    with pytest.raises(BlockInverseError, match="not positive definite"):
        block_inverse(A - (low[-1] + 1.0) * np.eye(n))
    with pytest.raises(BlockInverseError, match="not positive definite"):
        block_inverse(A - 0.5 * (low[0] + low[min(1, n - 1)] + 1e-3) * np.eye(n))


def test_what_is_not_symmetric_square_and_finite_is_refused():
    with pytest.raises(BlockInverseError, match="not symmetric: entries differ by 1 "):
        block_inverse([[2.0, 1.0], [0.0, 2.0]])
    with pytest.raises(BlockInverseError, match=r"shape \(2, 3\)"):
        block_inverse(np.ones((2, 3)))
    with pytest.raises(BlockInverseError, match="not finite"):
        block_inverse([[np.nan]])
