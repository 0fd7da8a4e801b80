"""Digits as bytes: eight at once in a word of 64 bits, the first digit in the lowest byte.

Plain functions for ``Loop``.

Source: the halving of eight digits into four, two and one within a word is known from P. Khuong,
How to print integers really fast, 2017.
"""

from __future__ import annotations

import numpy as np

from reports.csv_text.shortest_decimals import DIGITS, Word

ZEROS = np.uint64(0x3030303030303030)  # eight times "0"

_8, _9, _10, _16, _20, _32 = (np.uint64(k) for k in (8, 9, 10, 16, 20, 32))
_100, _10_4 = np.uint64(100), np.uint64(10**4)
_0, _1 = np.uint64(0), np.uint64(1)
_HUNDREDTH, _TENTH = np.uint64(10486), np.uint64(103)  # of 2^20 and 2^10, for 4 and 2 digits
_TWOS = np.uint64(0x0000007F0000007F)
_ONES = np.uint64(0x000F000F000F000F)
_LAST, _LAST_TWO = np.uint64(1 << 56), np.uint64(1 << 48)


def eight_digits(number: Word) -> Word:
    """Values of the digits of a number below 10^8, a byte each."""
    fours = number // _10_4
    fours |= (number - fours * _10_4) << _32
    twos = (fours * _HUNDREDTH >> _20) & _TWOS
    twos |= (fours - twos * _100) << _16
    ones = (twos * _TENTH >> _10) & _ONES
    return ones | (twos - ones * _10) << _8


def significant(first: Word, ninth: Word, last: Word) -> Word:
    """Digits up to the last of seventeen that is not 0, at least one."""
    if last >= _LAST_TWO:
        return np.uint64(DIGITS) - np.uint64(last < _LAST)
    word, count = last, _9
    if last == _0:
        if ninth > _0:
            return count
        word, count = first >> _8, _1
    while word > _0:
        word, count = word >> _8, count + _1
    return count
