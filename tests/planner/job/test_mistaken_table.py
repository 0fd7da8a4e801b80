"""A table of points told apart from a job with a fault."""

from __future__ import annotations

import pytest

from planner.job.job_text import looks_like_table


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
