"""TOML written and read back is the same document."""

from __future__ import annotations

import datetime
import math
import tomllib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.robot_file.source_text import toml_text
from robots.library import names, text_of
from tests.cases import some

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PLAIN = st.one_of(
    TEXT,
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
)
VALUE = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)


@given(document=st.dictionaries(TEXT, VALUE, max_size=5))
def test_round_trip(document):
    assert tomllib.loads(toml_text(document)) == document


@given(value=st.decimals(allow_nan=False, places=12, min_value=-1e9, max_value=1e9))
def test_decimals_keep_every_digit(value):
    found = tomllib.loads(toml_text({"a": value}), parse_float=Decimal)["a"]
    assert Decimal(found) == value


def test_types_stay_apart():
    found = tomllib.loads(toml_text({"a": 1, "b": 1.0, "c": True, "d": Decimal("1"), "e": "1"}))
    assert [type(value) for value in found.values()] == [int, float, bool, float, str]
    assert math.isnan(tomllib.loads(toml_text({"a": math.nan}))["a"])


@pytest.mark.parametrize("name", some(names(), gate=12))
def test_robots_of_the_library(name):
    document = tomllib.loads(text_of(name))
    assert tomllib.loads(toml_text(document)) == document


def test_dates_are_written_and_what_toml_has_not_is_refused():
    when = {"day": datetime.date(2026, 1, 1), "at": datetime.time(12, 30)}
    assert tomllib.loads(toml_text({"job": when})) == {"job": when}
    with pytest.raises(TypeError, match="None is no value of TOML"):
        toml_text({"job": {"when": None}})


def test_layout():
    """Headers at the top and above tables of tables; a table of numbers stands in a line."""
    pairs = [["a", "b"]] * 20
    document = {
        "format": 1,
        "robot": {"pairs": pairs, "pose": {"x": [1, 2.5]}},
        "joint": [{"name": "q1", "body": {"mass": 2, "inertia": {"xx": Decimal("0.10")}}}, {}],
    }
    lines = [
        *("format = 1", "", "[robot]", "pairs = [", *['    ["a", "b"],'] * 20, "]"),
        *("pose = { x = [1, 2.5] }", "", "[[joint]]", 'name = "q1"', "", "[joint.body]"),
        *("mass = 2", "inertia = { xx = 0.10 }", "", "[[joint]]", ""),
    ]
    assert toml_text(document) == "\n".join(lines)
