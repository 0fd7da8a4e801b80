"""TOML written and read back is the same document."""

from __future__ import annotations

import datetime
import math
import tomllib
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import JobError
from planner.job.toml_text import toml_text
from planner.library import path_of

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


@pytest.mark.parametrize("name", ["nine-points-corrected", "obstructed", "block-with-holes"])
def test_jobs_of_the_library(name):
    document = tomllib.loads(path_of(name).read_text(encoding="utf-8"))
    assert tomllib.loads(toml_text(document)) == document


def test_what_no_job_holds_is_refused_by_its_key():
    with pytest.raises(JobError, match=r"job\.when is datetime"):
        toml_text({"job": {"when": datetime.date(2026, 1, 1)}})
