"""Interpolants at Chebyshev's instants, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from planner.proof.chebyshev import (
    COUNT,
    NODES,
    WITNESSES,
    at_ends,
    basis,
    bend_bound,
    coefficients,
    derivative,
    integral,
    row_antiderivative,
    row_values,
)

W = 3.0
X = np.linspace(-1.0, 1.0, 101)


def of(function):
    return coefficients(function(NODES)[None, :, None])


def test_nodes_are_the_zeros_of_their_polynomial():
    assert np.all(np.diff(NODES) > 0.0)
    # cos of 24 times an angle that is known to 2e-16.
    assert np.abs(np.cos(COUNT * np.arccos(NODES))).max() < 2e-14
    # Witnesses lie where that polynomial is largest, so nowhere near a node.
    assert np.abs(np.cos(COUNT * np.arccos(WITNESSES))).min() > 0.99


def test_one_chebyshev_polynomial_has_one_coefficient():
    c = of(lambda x: np.cos(7 * np.arccos(x)))[0, :, 0]
    assert c == pytest.approx(np.eye(COUNT)[7], abs=1e-14)


def test_values_derivative_and_integral_of_a_sine():
    c = of(lambda x: np.sin(W * x + 0.3))
    # (3/2)^24/24! is below 1e-19: the interpolant is exact to rounding.
    assert np.matmul(basis(X), c)[0, :, 0] == pytest.approx(np.sin(W * X + 0.3), abs=1e-14)
    slope = np.matmul(basis(X), derivative(c))[0, :, 0]
    assert slope == pytest.approx(W * np.cos(W * X + 0.3), abs=1e-11)
    exact = (np.cos(0.3 - W) - np.cos(0.3 + W)) / W
    assert integral(c)[0, 0] == pytest.approx(exact, abs=1e-15)
    first, last = at_ends(c)
    assert first[0, 0] == pytest.approx(np.sin(0.3 - W), abs=1e-14)
    assert last[0, 0] == pytest.approx(np.sin(0.3 + W), abs=1e-14)


def test_clenshaw_is_the_sum_of_the_basis():
    c = np.random.default_rng(0).normal(size=(4, COUNT))
    assert row_values(c, np.tile(X, (4, 1))) == pytest.approx(c @ basis(X).T, abs=1e-12)


def test_the_antiderivative_differentiates_back():
    c = np.random.default_rng(1).normal(size=(3, COUNT))
    whole = row_values(row_antiderivative(c), np.tile([-1.0, 1.0], (3, 1)))
    assert whole[:, 1] - whole[:, 0] == pytest.approx(integral(c[:, :, None])[:, 0], abs=1e-13)


def test_no_bend_is_above_its_bound():
    c = np.random.default_rng(2).normal(size=(20, COUNT))
    bend = derivative(derivative(c[:, :, None]))[:, :, 0]
    assert np.all(np.abs(row_values(bend, np.tile(X, (20, 1)))).max(axis=1) <= bend_bound(c))
    # T_n'' reaches n²(n²-1)/3 at the ends: the bound cannot be lowered.
    assert bend_bound(np.eye(COUNT)[5:6])[0] == 200.0
