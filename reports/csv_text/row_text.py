"""Rows of numbers as text, as Arrow's CSV writer lays it out, with a label after the first number.

From 10^-6 to below 10^10 a number has no exponent; no decimal point is left at the end, no sign of
zero is lost: ``-0``, ``0.00004``, ``12.5``, ``1.25e+10``, ``5e-324``, ``-inf``, ``nan``. Plain
functions for ``Loop``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reports.csv_text.digit_words import ZEROS, eight_digits, significant
from reports.csv_text.shortest_decimals import (
    INFINITE,
    NO_NUMBER,
    SIGN,
    Decimals,
    Integer,
    Whole,
    Word,
    shortest_decimals,
)

Bytes = NDArray[np.uint8]

WIDEST = 25  # bytes of a number, as -0.0000012345678901234567, and touched to write any
TYPES = "u8[2] i8 i8 u8[1] u1[1] i8[1] i8[1] u8[1] i8[1] u1[1] i8[1]"

_PLAIN_FROM, _PLAIN_TO = -6, 9  # leads of numbers that have no exponent
_ZERO, _POINT, _MINUS, _PLUS, _E, _COMMA, _NEWLINE = 48, 46, 45, 43, 101, 44, 10
_POINT_WORD, _ALL = np.uint64(_POINT), np.uint64((1 << 64) - 1)
_10, _10_8 = np.uint64(10), np.uint64(10**8)
_0, _1, _2, _3, _4, _5, _6, _7, _8, _9 = (np.uint64(k) for k in range(10))
_16, _24, _32, _40, _48, _56, _63 = (np.uint64(k) for k in (16, 24, 32, 40, 48, 56, 63))


class Labels(NamedTuple):
    """What stands after the first number of each row.

    Args:
        text: of all labels, each with the commas within it.
        edges: where each begins, and where the last ends. # (labels + 1,)
        of_row: label of each row of the table. # (rows,)
    """

    text: Bytes
    edges: Whole
    of_row: Whole


class Span(NamedTuple):
    """Which part of a table is meant.

    Args:
        first: row.
        after: the last row.
        columns: of numbers.
    """

    first: int
    after: int
    columns: int


def put_rows(*arrays: Any) -> None:
    """Write rows one after the other, each with a line feed.

    Args:
        *arrays: bits of doubles column by column # (columns, rows); the first row, and the one
            after the last; powers of ten; those of the labels; room for the decimals of as many
            numbers as are meant; bytes to write, with room for ``WIDEST`` and a comma for every
            number and for label and comma in every row; how many are written. # (1,)
    """
    numbers, first, after, powers = arrays[:4]
    labels, decimals, out, written = Labels(*arrays[4:7]), Decimals(*arrays[7:9]), *arrays[9:]
    shortest_decimals(numbers, first, after, powers, decimals)
    written[0] = put_decimals(decimals, Span(first, after, numbers.shape[0]), labels, out)


def put_decimals(decimals: Decimals, span: Span, labels: Labels, out: Bytes) -> Word:
    """Write rows of decimals.

    Args:
        decimals: of those rows, row by row.
        span: the rows; all columns.
        labels: of all rows of the table.
        out: written to from its beginning.

    Returns:
        How many bytes are written.
    """
    place, at = _0, _0
    for row in range(span.first, span.after):
        for column in range(span.columns):
            lead, number = decimals.leads[at], decimals.digits[at] & ~SIGN
            out[place] = _MINUS
            place += decimals.digits[at] >> _63
            plain = _PLAIN_FROM <= lead <= _PLAIN_TO
            ahead = np.uint64(max(-lead, 0)) if plain else _0  # zeros
            whole = np.uint64(max(lead, 0) + 1) if plain else _1  # digits before the point
            nine = number // _10_8
            first, ninth = eight_digits(nine // _10), nine % _10
            last = eight_digits(number - nine * _10_8)
            digits = place + ahead + _1
            _put_word(first + ZEROS, out, digits)
            out[digits + _8] = ninth + np.uint64(_ZERO)
            _put_word(last + ZEROS, out, digits + _9)
            if whole < _8:
                _put_word(_pointed(first + ZEROS, ahead, whole), out, place)
            else:
                _move_ahead(out, place, whole)
            count = significant(first, ninth, last) + ahead
            place += count + _1 if count > whole else whole
            if not plain:
                place = _put_exponent(lead, out, place)
            out[place] = _COMMA
            place, at = place + _1, at + _1
            if column == 0:
                place = _put_label(labels, row, out, place)
        out[place - _1] = _NEWLINE
    return place


def _pointed(first: Word, ahead: Word, whole: Word) -> Word:
    """Eight bytes that begin a number: zeros ahead of its digits, and the point after some."""
    shift, point = ahead * _8, whole * _8
    shown = (first << shift) | (ZEROS & ~(_ALL << shift))
    before = ~(_ALL << point)
    return (shown & before) | (_POINT_WORD << point) | ((shown & ~before) << _8)


def _move_ahead(out: Bytes, place: Word, whole: Word) -> None:
    """Make room for the point after some digits."""
    for _ in range(whole):
        out[place] = out[place + _1]
        place += _1
    out[place] = _POINT


def _put_exponent(lead: Integer, out: Bytes, place: Word) -> Word:
    """Write the exponent, or over the digit there what has no digits."""
    if lead == INFINITE:
        out[place - _1], out[place], out[place + _1] = 105, 110, 102
        return place + _2
    if lead == NO_NUMBER:
        out[place - _1], out[place], out[place + _1] = 110, 97, 110
        return place + _2
    out[place], out[place + _1] = _E, _MINUS if lead < 0 else _PLUS
    place, left = place + _2, abs(lead)
    if left >= 100:
        out[place] = _ZERO + left // 100
        place += _1
    if left >= 10:
        out[place] = _ZERO + left // 10 % 10
        place += _1
    out[place] = _ZERO + left % 10
    return place + _1


def _put_label(labels: Labels, row: int, out: Bytes, place: Word) -> Word:
    label = labels.of_row[row]
    for k in range(labels.edges[label], labels.edges[label + 1]):
        out[place] = labels.text[k]
        place += _1
    out[place] = _COMMA
    return place + _1


def _put_word(word: Word, out: Bytes, place: Word) -> None:
    """Eight bytes, the lowest first; LLVM makes one instruction of them."""
    out[place] = np.uint8(word)
    out[place + _1] = np.uint8(word >> _8)
    out[place + _2] = np.uint8(word >> _16)
    out[place + _3] = np.uint8(word >> _24)
    out[place + _4] = np.uint8(word >> _32)
    out[place + _5] = np.uint8(word >> _40)
    out[place + _6] = np.uint8(word >> _48)
    out[place + _7] = np.uint8(word >> _56)
