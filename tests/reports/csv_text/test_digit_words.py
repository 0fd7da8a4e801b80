"""Digits as bytes: eight at once, and how many count."""

from __future__ import annotations

import numpy as np
import pytest

from reports.csv_text.digit_words import ZEROS, eight_digits, significant


def eight(number: int) -> np.uint64:
    return np.uint64(eight_digits(np.uint64(number)))


def test_eight_digits_are_those_of_the_number():
    rng = np.random.default_rng(3)
    pieces = [np.arange(10_000), 10**4 * np.arange(10_000), rng.integers(0, 10**8, 50_000)]
    numbers = np.concatenate(pieces)
    words = eight_digits(numbers.astype(np.uint64)) + ZEROS
    text = words.astype("<u8").tobytes().decode()
    assert text == "".join(f"{number:08d}" for number in numbers)


@pytest.mark.parametrize("count", range(1, 18))
def test_digits_are_counted_to_the_last_that_is_not_zero(count):
    for digit in "159":
        for others in "06":
            text = ("3" + others * 15)[: count - 1] + digit
            text = text.ljust(17, "0")
            first, ninth, last = int(text[:8]), int(text[8]), int(text[9:])
            assert significant(eight(first), np.uint64(ninth), eight(last)) == count


def test_zero_has_one_digit():
    assert significant(eight(0), np.uint64(0), eight(0)) == 1
