"""Shortest decimals: those of Python's ``repr``, compiled and as plain Python."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np

from reports.csv_text import shortest_decimals as subject
from reports.csv_text.powers_of_ten import powers_of_ten
from reports.csv_text.shortest_decimals import Decimals, floor_log2_of_ten, floor_log10


def decimals_of(values: np.ndarray) -> Decimals:
    """By plain Python, whose unsigned numbers wrap as those of machine code do."""
    into = Decimals(np.zeros(len(values), np.uint64), np.zeros(len(values), np.int64))
    bits = np.ascontiguousarray(values).view(np.uint64)[None, :]
    with np.errstate(over="ignore"):
        subject.shortest_decimals(bits, 0, len(values), powers_of_ten(), into)
    return into


def test_plain_python_gives_the_digits_of_repr(hard):
    values = hard[np.isfinite(hard)][::120]
    into = decimals_of(values)
    negative = (into.digits >> np.uint64(63)).astype(bool)
    digits = into.digits & ~subject.SIGN
    np.testing.assert_array_equal(negative, np.signbit(values))
    for value, number, lead in zip(values, digits, into.leads, strict=True):
        found = Decimal(int(number)).scaleb(int(lead) + 1 - subject.DIGITS)
        assert found == Decimal(repr(abs(float(value))))


def test_every_decimal_has_seventeen_digits_but_zero(hard):
    values = hard[np.isfinite(hard) & (hard != 0.0)][::500]
    digits = decimals_of(values).digits & ~subject.SIGN
    assert {len(str(number)) for number in digits} == {subject.DIGITS}
    zero = decimals_of(np.array([0.0, -0.0]))
    assert zero.digits.tolist() == [0, 1 << 63]
    assert zero.leads.tolist() == [0, 0]


def test_what_has_no_digits_is_marked():
    into = decimals_of(np.array([np.inf, -np.inf, np.nan, -np.nan]))
    assert into.digits.tolist() == [0, 1 << 63, 0, 0]
    marks = [subject.INFINITE, subject.INFINITE, subject.NO_NUMBER, subject.NO_NUMBER]
    assert into.leads.tolist() == marks


def test_logarithms_are_exact_for_all_doubles():
    for q in range(-1074, 972):
        for narrow, factor in ((False, Fraction(1)), (True, Fraction(3, 4))):
            k = floor_log10(q, narrow)
            assert Fraction(10) ** k <= factor * Fraction(2) ** q < Fraction(10) ** (k + 1)
    for e in range(-292, 325):
        f = floor_log2_of_ten(e)
        assert Fraction(2) ** f <= Fraction(10) ** e < Fraction(2) ** (f + 1)
