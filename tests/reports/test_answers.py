"""Forms of an answer: rows of JSON, tables of states, text for a terminal."""

from __future__ import annotations

import json

import numpy as np

from reports.answers import (
    Rows,
    StateQuantity,
    aligned,
    bold,
    finite,
    limit_text,
    state_lines,
    state_rows,
    state_table,
)

VECTOR = StateQuantity(key="qd", values=np.array([[1.0, np.nan]]), headers=("a", "b"))
MATRIX = StateQuantity(key="M", values=np.eye(2)[None], headers=("M11", "M12", "M21", "M22"))


def test_rows_are_one_json_document():
    text = "".join(Rows(rows=iter([{"a": np.inf}, {"a": 2}]), facts={"robot": "r\u202e"}).texts())
    assert json.loads(text) == {
        "format": 1,
        "robot": "r\u202e",
        "rows": [{"a": None}, {"a": 2}],
    }
    assert json.loads("".join(Rows(rows=[]).texts())) == {"format": 1, "rows": []}


def test_states_have_three_forms():
    assert next(iter(state_rows([VECTOR]).rows))["qd"][0] == 1.0
    headers, rows = state_table([VECTOR, MATRIX])
    assert headers == ["a", "b", "M11", "M12", "M21", "M22"]
    assert rows[0][2:] == [1.0, 0.0, 0.0, 1.0]
    assert next(state_lines([VECTOR])).split() == ["state", "a", "b"]
    assert list(state_lines([MATRIX])) == ["state 1", "  M", "    1  0", "    0  1"]


def test_numbers_stand_right_and_text_left():
    assert list(aligned(("name", "mm"), [("a", "10"), ("bcdef", "-")])) == [
        "name   mm",
        "a      10",
        "bcdef   -",
    ]


def test_what_is_no_limit_is_a_dash_or_none():
    assert (limit_text(np.inf), limit_text(1.23456789)) == ("-", "1.23457")
    assert (finite(np.inf), finite(2.0)) == (None, 2.0)
    assert bold("x") == "x"  # no terminal
