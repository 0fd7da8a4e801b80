"""Numbers with roots that are not taken, beside the same numbers with the roots taken."""

from __future__ import annotations

from itertools import product

import numpy as np

from robots.core.chain_inverse.polynomial import Sheet, sheet_functions


def on_sheet(a: float, b: float, signs: tuple[int, int]) -> complex:
    """An expression with a root within a root, on one of its four sheets."""
    v = signs[0] * np.sqrt(complex(a - b))
    w = signs[1] * np.sqrt(complex(a * v + 2.0))
    return complex((v * w + b) / (1.0 + v) - w * 0.5 + 3.0 / (w + a))


def test_the_norm_is_the_product_over_all_sheets() -> None:
    for a, b in np.random.default_rng(1).uniform(-2.0, 2.0, (20, 2)):
        sqrt = sheet_functions().sqrt
        x, y = Sheet(a), Sheet(b)
        v = sqrt(x - y)
        w = sqrt(x * v + 2.0)
        value = (v * w + y) / (1.0 + v) - w * 0.5 + 3.0 / (w + x)
        expected = np.prod([on_sheet(a, b, signs) for signs in product((1, -1), repeat=2)])
        assert abs(value.norm - expected) < 1e-9 * (1.0 + abs(expected))


def test_a_root_times_itself_is_its_square() -> None:
    root = sheet_functions().sqrt(Sheet(-3.0))
    assert (root * root).norm == -3.0
    assert (root * -root).level == 0


def test_arrays_leave_their_products_to_sheets() -> None:
    array = np.array([1.0, 2.0])
    root = sheet_functions().sqrt(Sheet(array))
    assert np.array_equal((array * root).norm, -(array**3))
