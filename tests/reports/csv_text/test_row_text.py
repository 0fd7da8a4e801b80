"""Rows as plain Python writes them: the layout of numbers, and never a byte beyond the bound."""

from __future__ import annotations

import numpy as np
import pytest

from reports.csv_text.powers_of_ten import powers_of_ten
from reports.csv_text.row_text import WIDEST, put_rows


def rows_of(numbers: np.ndarray, label: bytes) -> bytes:
    """Text of a table, every row with the same label, in no more room than is asked for."""
    columns, rows = numbers.shape
    labels = (
        np.frombuffer(label, np.uint8),
        np.array([0, len(label)]),
        np.zeros(rows, dtype=np.int64),
    )
    room = (np.zeros(numbers.size, np.uint64), np.zeros(numbers.size, np.int64))
    out = np.zeros(rows * (columns * (WIDEST + 1) + len(label) + 1), np.uint8)
    written = np.zeros(1, dtype=np.int64)
    with np.errstate(over="ignore"):
        bits = np.ascontiguousarray(numbers).view(np.uint64)
        put_rows(bits, 0, rows, powers_of_ten(), *labels, *room, out, written)
    return out[: written[0]].tobytes()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-12.5, "-12.5"),
        (0.00004014063093418384, "0.00004014063093418384"),
        (5.508960084143463e-7, "5.508960084143463e-7"),
        (3.552713678800501e-20, "3.552713678800501e-20"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (9.5e9, "9500000000"),
        (9876543210.125, "9876543210.125"),
        (12345678.25, "12345678.25"),
        (1e10, "1e+10"),
        (-1.25e10, "-1.25e+10"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (5e-324, "5e-324"),
        (np.inf, "inf"),
        (-np.inf, "-inf"),
        (np.nan, "nan"),
        (-np.nan, "nan"),
    ],
)
def test_numbers_are_laid_out_as_arrow_does(value, text):
    assert rows_of(np.array([[value], [value]]), b"x").decode() == f"{text},x,{text}\n"


def test_the_widest_numbers_fit_into_the_bound():
    widest = [-1.2345678901234567e-6, -2.2250738585072014e-308, -1.2345678901234567e-5]
    assert max(len(repr(value)) for value in widest) <= WIDEST
    text = rows_of(np.full((4, 3), widest), b'0,"P0"')
    assert text.count(b"\n") == 3
    assert text.startswith(b'-0.0000012345678901234567,0,"P0",-0.0000012345678901234567,')


def test_values_that_touch_most_room_fit(hard):
    """Plain Python refuses an index beyond the array."""
    for value in hard[::2_000]:
        rows_of(np.array([[value]]), b"")
