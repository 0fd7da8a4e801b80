"""Values of sweeps as a reader sees them."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from planner.batch.case import swept_text, swept_value
from planner.errors import JobError


@pytest.mark.parametrize(
    ("value", "kept", "text"),
    [
        ("a", "a", "a"),
        ("true", "true", "true"),
        (True, True, "true"),
        (3, 3, "3"),
        (2**70, 2**70, str(2**70)),
        (Decimal("0.10"), 0.1, "0.1"),
        (-0.0, 0.0, "-0.0"),
        (Decimal("inf"), "inf", "inf"),
        (float("nan"), "nan", "nan"),
        (Decimal("1e999"), "1e+999", "1e+999"),
        ([1, Decimal("2.50"), "x"], '[1, 2.50, "x"]', '[1, 2.50, "x"]'),
        ({"a b": [True]}, '{ "a b" = [true] }', '{ "a b" = [true] }'),
        ([], "[]", "[]"),
    ],
)
def test_values_in_words(value, kept, text):
    found = swept_value("key", value)
    assert (type(found), found) == (type(kept), kept)
    assert swept_text(found) == text


@pytest.mark.parametrize("value", [datetime.date(2026, 1, 1), datetime.time(1)])
def test_what_no_job_holds_is_refused(value):
    with pytest.raises(JobError, match=r"job.name is .*; a job file holds texts, numbers, lists"):
        swept_value("job.name", value)
