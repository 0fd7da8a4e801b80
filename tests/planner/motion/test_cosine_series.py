"""Series of cosines beside their definition; tops and roots that are known."""

import numpy as np
import pytest

from planner.motion.cosine_series import SETTLED, at, rising_roots, tops, values

RNG = np.random.default_rng(20261120)


def test_values_and_derivatives_are_those_of_the_cosines():
    series, angle = RNG.normal(size=(40, 33)), RNG.uniform(0.0, np.pi, 40)
    orders = np.arange(33)
    even, odd = np.cos(np.outer(angle, orders)), np.sin(np.outer(angle, orders))
    found = np.array([at(one, here) for one, here in zip(series, angle, strict=True)])
    expected = [series * even, -series * odd * orders, -series * even * orders**2]
    for column, terms in enumerate(expected):
        size = np.abs(series).sum() * 33.0**column
        assert found[:, column] == pytest.approx(terms.sum(axis=1), abs=1e-15 * size)
    assert values(series, angle).tolist() == found[:, 0].tolist()


def test_roots_and_tops_that_are_known():
    """-cos(k·angle) rises through zero, and is at its top a quarter of a wave later."""
    k = np.arange(1, 9)
    series = -np.eye(10)[k]
    width = 0.5 * np.pi / k
    root, top = width, 2.0 * width
    start = root + RNG.uniform(-0.4, 0.4, 8) * width
    assert rising_roots(series, start, root - width, root + width) == pytest.approx(
        root, abs=SETTLED**1.5
    )
    start = top + RNG.uniform(-0.4, 0.4, 8) * width
    assert tops(series, start, top - 0.9 * width, top + 0.9 * width) == pytest.approx(
        1.0, abs=1e-15
    )


def test_no_series_have_no_roots():
    assert rising_roots(np.zeros((0, 5)), *np.zeros((3, 0))).shape == (0,)
