"""Decimal commas and tables told apart from other faults of TOML."""

from __future__ import annotations

import tomllib

import pytest

from planner.job.toml_faults import decimal_comma, looks_like_table
from robots.core.robot_file.source_text import SourceText


def comma_of(text):
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    return decimal_comma(SourceText(origin="job.toml", text=text), str(caught.value))


@pytest.mark.parametrize(
    ("text", "path", "found", "better"),
    [
        ("a = 50,0", ("a",), "50,0", "50.0"),
        ("[t]\na.b = -1,25 # far\n", ("t", "a", "b"), "-1,25", "-1.25"),
        ("[[p]]\n[[p]]\nx=+5,2\n", ("p", 1, "x"), "+5,2", "+5.2"),
        ("r = { s = 1, t = 0,5 }\n", ("r", "t"), "0,5", "0.5"),
    ],
)
def test_a_decimal_comma(text, path, found, better):
    comma = comma_of(text)
    assert (comma.path, comma.found, comma.better) == (path, found, better)


@pytest.mark.parametrize(
    "text", ["a = 5, 0", "a = 5,0,0", "a = 1;5", "a = [1,2", "[t", "a = 1" + ",5" * 30, "a = ٣,٣"]
)
def test_other_faults_are_none(text):
    assert comma_of(text) is None


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("name,x_mm\nA,1\n", True),
        ("# from the laboratory\n\n  name;x_mm\n", True),
        ("A\t1\t2\n", True),
        ("\t[job\n", False),
        ("[a,b\n", False),
        ("x = 1,5\n", False),
        ("", False),
        ("a b c\n", False),
    ],
)
def test_a_table_by_its_first_line(text, table):
    assert looks_like_table(text) is table
