"""Powers of ten: every one as exact as 128 bits can hold it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from reports.csv_text.powers_of_ten import LEAST, MOST, powers_of_ten


def test_every_power_is_rounded_up_in_its_last_bit():
    table = powers_of_ten()
    assert table.shape == (2 * (MOST - LEAST + 1),)
    for row, exponent in enumerate(range(LEAST, MOST + 1)):
        held = (int(table[2 * row]) << 64) + int(table[2 * row + 1])
        assert held.bit_length() == 128
        power = Fraction(10) ** exponent
        scale = Fraction(2) ** (held.bit_length() - 1 - _floor_log2(power))
        assert held - 1 < power * scale <= held


def _floor_log2(number: Fraction) -> int:
    guess = number.numerator.bit_length() - number.denominator.bit_length()
    return guess if Fraction(2) ** guess <= number else guess - 1


def test_nobody_changes_the_table():
    with pytest.raises(ValueError, match="read-only"):
        powers_of_ten()[0] = 0
