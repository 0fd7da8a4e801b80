"""The shortest decimals that read back as given doubles, and of those the nearest to them.

Schubfach: of the decimals that are whole multiples of one power of ten, so chosen that its step
just fits between the borders of a double, one or two lie within these borders; of the multiples of
ten steps none or one does, and is shorter. The number times 10^-k is taken in quarters of a step,
by a power of ten of 128 bits; its borders follow by adding. What is less than a quarter is kept as
a last bit that is set ("round to odd"), so that comparisons are exact.

Plain functions for ``Loop``. Sums and products of np.uint64 wrap; without branches that depend on
digits, which no processor foresees.

Source: R. Giulietti, The Schubfach way to render doubles, 2020, sections 8 and 9 (there with a
product for each border).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# NumPy's outside of machine code.
Word = Any  # 64 bits without a sign
Integer = Any
Truth = Any
Words = NDArray[np.uint64]
Whole = NDArray[np.int64]

DIGITS = 17  # that every decimal is given, the last of them often 0
INFINITE, NO_NUMBER = 1000, 1001  # leads of what has no digits
SIGN = np.uint64(1 << 63)

_FRACTION = np.uint64((1 << 52) - 1)
_HIDDEN = np.uint64(1 << 52)
_52, _63 = np.uint64(52), np.uint64(63)
_EXPONENT, _NOT_FINITE = np.uint64(0x7FF), 0x7FF
_SMALLEST = -1074  # power of two of the smallest double
_FIRST = 292  # row of 10^0 in ``powers_of_ten``
_LEAST = np.uint64(10 ** (DIGITS - 1))
_32, _LOW = np.uint64(32), np.uint64((1 << 32) - 1)
_0, _1, _2, _3, _4 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
_9, _10, _40 = np.uint64(9), np.uint64(10), np.uint64(40)


class Decimals(NamedTuple):
    """Decimals ± d.dddd·10^lead.

    Args:
        digits: seventeen as one number, 0 for zero; the uppermost bit is the sign. # (n,)
        leads: powers of ten of the first digits; ``INFINITE``, ``NO_NUMBER``. # (n,)
    """

    digits: Words
    leads: Whole


def shortest_decimals(
    numbers: Words, first: int, after: int, powers: Words, into: Decimals
) -> None:
    """Decimals of some rows, row by row.

    Args:
        numbers: bits of doubles, column by column. # (columns, rows)
        first: row.
        after: the last row.
        powers: see ``powers_of_ten``.
        into: written to from its beginning.
    """
    place = np.uint64(0)
    for row in range(first, after):
        for column in range(numbers.shape[0]):
            bits = numbers[np.uint64(column), np.uint64(row)]
            whole: Word = bits & _FRACTION
            biased: Integer = np.int64((bits >> _52) & _EXPONENT)
            # Below a power of two doubles lie twice as close as above it.
            narrow: Truth = whole == _0 and biased > 1
            if biased > 0:
                whole |= _HIDDEN
            q: Integer = max(biased, 1) - 1 + _SMALLEST
            k: Integer = floor_log10(q, narrow)
            shift = np.uint64(q + floor_log2_of_ten(-k) + 1)  # 1 to 4
            at = np.uint64(2 * (_FIRST - k))
            upper, lower = powers[at], powers[at + _1]
            scaled = whole << (shift + _2)
            p2, p1, p0 = _high(upper, scaled), upper * scaled, lower * scaled
            p1, p2 = _added(p1, p2, _high(lower, scaled))
            b2, b1, b0 = upper >> (_63 - shift), upper << (shift + _1), lower << (shift + _1)
            b1 |= lower >> (_63 - shift)
            above1, above2 = _added(p1, p2 + b2, b1)
            above1, above2 = _added(above1, above2, np.uint64(p0 + b0 < b0))
            if narrow:
                b0, b1, b2 = lower << shift, (b1 >> _1) | (b2 << _63), b2 >> _1
            below1, below2 = _lessened(p1, p2 - b2, b1)
            below1, below2 = _lessened(below1, below2, np.uint64(p0 < b0))
            odd = whole & _1  # the borders of even numbers belong to them
            low, high = _to_odd(below1, below2) + odd, _to_odd(above1, above2) - odd
            digits: Word = _chosen(_to_odd(p1, p2), low, high, narrow)
            lead: Integer = k + DIGITS - 1 - np.int64(digits < _LEAST)
            digits += digits * _9 * np.uint64(digits < _LEAST)
            if digits < _LEAST:
                digits, lead = _filled(digits, lead)
            if biased == _NOT_FINITE and whole == _HIDDEN:
                digits, lead = _0, INFINITE
            elif biased == _NOT_FINITE:
                bits, digits, lead = _0, _0, NO_NUMBER
            into.digits[place], into.leads[place] = digits | (bits & SIGN), lead
            place += _1


def floor_log10(power: Integer, narrow: Truth) -> Integer:
    """Floor of log10 2^power, or of log10 ¾·2^power; exact for the powers of doubles."""
    return (power * 1262611 - (524031 if narrow else 0)) >> 22


def floor_log2_of_ten(power: Integer) -> Integer:
    """Floor of log2 10^power; exact for the powers of doubles."""
    return (power * 1741647) >> 19


def _chosen(here: Word, low: Word, high: Word, narrow: Truth) -> Word:
    """The decimal between two borders that is shortest, then nearest, in steps.

    Args:
        here: the number. [quarters of a step]
        low: border, which is within. [quarters of a step]
        high: border, which is within. [quarters of a step]
        narrow: whether the lower border is nearer than the upper.
    """
    steps = here >> _2
    tens = steps // _10
    over = np.uint64(_40 * tens + _40 <= high)
    coarse = np.uint64(low <= _40 * tens) | over
    up = np.uint64((here & _3) + (steps & _1) > _2)
    if narrow and low > steps * _4:
        up = _1
    fine = steps + up
    return fine ^ ((fine ^ (tens + over) * _10) & (_0 - coarse))


def _filled(digits: Word, lead: Integer) -> tuple[Word, Integer]:
    """All digits, of a subnormal number or zero."""
    if digits == _0:
        return digits, 0
    while digits < _LEAST:
        digits, lead = digits * _10, lead - 1
    return digits, lead


def _to_odd(low: Word, high: Word) -> Word:
    """The upper word, its last bit set if the lower one is more than an error of the power."""
    return high | np.uint64(low > _1)


def _added(low: Word, high: Word, more: Word) -> tuple[Word, Word]:
    total = low + more
    return total, high + np.uint64(total < more)


def _lessened(low: Word, high: Word, less: Word) -> tuple[Word, Word]:
    return low - less, high - np.uint64(low < less)


def _high(a: Word, b: Word) -> Word:
    """The upper word of a product; LLVM makes one instruction of it."""
    a0, a1, b0, b1 = a & _LOW, a >> _32, b & _LOW, b >> _32
    first = a1 * b0 + (a0 * b0 >> _32)
    second = a0 * b1 + (first & _LOW)
    return a1 * b1 + (first >> _32) + (second >> _32)
