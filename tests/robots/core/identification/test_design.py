"""The choice of measurements: against all choices, and against random ones."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from robots.core.errors import IdentificationError
from robots.core.identification.calibration import System, solve_least_squares
from robots.core.identification.posture_plan import Criterion, information, most_informative


def determinant(rows, nuisance=0):
    return np.linalg.slogdet(information(rows, nuisance))[1]


def smallest(rows, nuisance=0):
    return np.linalg.eigvalsh(information(rows, nuisance))[0]


def test_a_straight_line_is_measured_at_its_ends():
    # The textbook case: y = a + b·x on [-1, 1] is D-optimal at the two ends, half each.
    x = np.linspace(-1.0, 1.0, 21)
    rows = np.stack([np.ones_like(x), x], axis=1)[:, None, :]
    assert most_informative(rows, 2).tolist() == [0, 20]


@pytest.mark.parametrize("seed", range(4))
def test_it_is_as_good_as_an_exhaustive_search_within_a_few_percent(seed):
    rows = np.random.default_rng(seed).normal(size=(11, 2, 4))
    rows /= np.sqrt(np.mean(np.sum(rows * rows, axis=-1)))
    every = [list(choice) for choice in combinations(range(11), 5)]
    best = max(determinant(rows[choice]) for choice in every)
    # Exchanges of one end in a local optimum: 0.1 in the logarithm is 2.5 % per parameter.
    assert determinant(rows[most_informative(rows, 5)]) > best - 0.1
    even = most_informative(rows, 5, criterion=Criterion.SMALLEST)
    assert smallest(rows[even]) > 0.8 * max(smallest(rows[choice]) for choice in every)


def test_each_criterion_is_best_at_its_own():
    rows = np.random.default_rng(5).normal(size=(60, 3, 8)) * np.geomspace(1.0, 0.05, 8)
    rows /= np.sqrt(np.mean(np.sum(rows * rows, axis=-1)))
    D = most_informative(rows, 12, nuisance=2)
    E = most_informative(rows, 12, nuisance=2, criterion=Criterion.SMALLEST)
    assert smallest(rows[E], 2) >= smallest(rows[D], 2)
    assert determinant(rows[D]) >= determinant(rows[E])


def test_nuisance_is_eliminated():
    # Oracle: the wanted block of the inverse of the whole information.
    rows = np.random.default_rng(6).normal(size=(30, 3, 7))
    flat = rows.reshape(-1, 7)
    whole = np.linalg.inv(flat.T @ flat + 1e-6 * np.eye(7))
    np.testing.assert_allclose(np.linalg.inv(information(rows, 3)), whole[3:, 3:], rtol=1e-9)


def test_impossible_counts_are_refused():
    rows = np.ones((5, 1, 4))
    for count in (3, 6):
        with pytest.raises(IdentificationError, match="choose from 4 up to 5"):
            most_informative(rows, count)


def test_the_search_ends_at_rosenbrocks_valley():
    # A curved valley, which plain Gauss-Newton leaps out of: residuals 10(y - x²) and 1 - x.
    def system_at(v):
        x, y = v
        return System(
            residual=np.array([10.0 * (y - x * x), 1.0 - x]),
            jacobian=np.array([[-20.0 * x, 10.0], [-1.0, 0.0]]),
        )

    found = solve_least_squares(system_at, np.array([-1.2, 1.0]), 1.0)
    np.testing.assert_allclose(found.x, [1.0, 1.0], atol=1e-9)


def test_a_search_without_end_says_so():
    def system_at(v):
        return System(residual=np.exp(-v), jacobian=-np.exp(-v)[:, None])

    with pytest.raises(IdentificationError, match="does not settle in 100 iterations"):
        solve_least_squares(system_at, np.array([0.0]), 1e-40)
