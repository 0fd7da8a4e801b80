"""Tables on paper: widths that fit the page, words that fit their column, rows left to files."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reports.content.table import Column, Table, Value, ValueStatus
from reports.pdf.document import ROOM, laid_out, parted
from reports.pdf.text import width


def table(heads, rows, numeric=False):
    columns = tuple(Column(header=head, numeric=numeric) for head in heads)
    cells = tuple(tuple(Value(text=text) for text in row) for row in rows)
    return Table(key="t", title="T", columns=columns, rows=cells)


def test_a_small_table_does_not_fill_the_page():
    told = laid_out(table(("a", "b"), [("one", "two")]))
    assert sum(told["widths"]) < 0.3 * ROOM
    assert told["rows"] == [["one", "two"]]


@pytest.mark.parametrize("columns", [1, 3, 12, 40])
@pytest.mark.parametrize("numeric", [False, True])
def test_no_table_is_wider_than_the_page(columns, numeric):
    heads = [f"column {k}" for k in range(columns)]
    told = laid_out(table(heads, [["Wide " * 30] * columns], numeric))
    assert sum(told["widths"]) <= ROOM + 1e-9
    assert 4.5 < told["size"] <= 8.0


def test_a_word_wider_than_its_column_is_broken():
    told = laid_out(table(["name"] * 8, [["x" * 90, *["word"] * 7]]))
    room = (told["widths"][0] - 2 * told["padding"]) / told["size"] + 0.1
    assert all(width(piece) <= room for piece in told["rows"][0][0]["pieces"])
    assert told["rows"][0][1] == "word"


def test_a_status_goes_along():
    bad = Table(
        key="t",
        title="T",
        columns=(Column(header="a", unit="mm"),),
        rows=((Value(text="−1", number=-1.0, status=ValueStatus.BAD),),),
    )
    told = laid_out(bad)
    assert told["rows"] == [[{"pieces": ["−1"], "status": "bad"}]]
    assert told["heads"] == [[["a"], ["[mm]"]]]
    assert told["right"] == [True]


def test_of_a_long_table_the_first_rows_are_printed_and_those_that_need_attention():
    whole = laid_out(table(("a",), [(str(k),) for k in range(500)]))
    assert (len(whole["rows"]), whole["left_out"]) == (500, "")
    longer = table(("a",), [(str(k),) for k in range(1234)])
    told = laid_out(longer)
    assert told["rows"] == [[str(k)] for k in range(50)]
    assert told["left_out"].startswith("The first 50 of 1,234 rows; all of them stand in the")
    assert told_marked(longer, (7, 700, 1233))[49:] == ["49", "700", "1233"]
    many = told_marked(longer, range(0, 1234, 2))
    assert len(many) == 500
    assert many[-1] == "948"


def told_marked(some, rows):
    """The texts that are printed where some rows are bad."""
    marked = [
        tuple(replace(v, status=ValueStatus.BAD) for v in row) if k in rows else row
        for k, row in enumerate(some.rows)
    ]
    told = laid_out(replace(some, rows=tuple(marked)))
    assert "attention" in told["left_out"]
    return [cell if isinstance(cell, str) else cell["pieces"][0] for (cell,) in told["rows"]]


def test_points_are_parted_from_their_joints(report):
    first, second = parted(report.points)
    assert [c.header for c in second.columns] == [
        "point",
        *(f"q{k} at contact" for k in range(1, 6)),
    ]
    assert len(first.columns) + 5 == len(report.points.columns)
    assert [row[0].text for row in second.rows] == ["P1", "P2", "P3"]
    assert parted(report.joints) == (report.joints,)
