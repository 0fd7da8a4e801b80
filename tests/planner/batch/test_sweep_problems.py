"""Faults of sweeps: where, what, how to mend it; the first ones, and in our own words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planner.batch.sweep import WANTED, Head, SweepFile, Variation, sweep_file
from planner.errors import JobError
from planner.job.job_text import job_text
from robots.core.schema_problems import Fault, one_error

SWEEP = """format = 1
[sweep]
base = "base.toml"
[[vary]]
key = "a"
values = [1, 2]
"""


def source(text):
    return job_text(Path("s.toml"), text)


def message(text):
    with pytest.raises(JobError) as raised:
        sweep_file(source(text))
    return raised.value.message


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("format = 1", "format = 2", "s.toml, line 1: format is 2; expected 1."),
        ('"base.toml"', "5", "s.toml, line 3: sweep.base is 5; expected the name of a job file"),
        ("base =", "bse =", "s.toml, line 3: sweep.bse is not a known key; did you mean 'base'?"),
        ("values", "valus", "line 6: vary[0].valus is not a known key; did you mean 'values'?"),
        ("values", "until", "known here: from, key, steps, to, values."),
        ("[1, 2]", '"1, 2"', "line 6: vary[0].values is '1, 2'; expected a list of values"),
        ("[sweep]\n", "sweep = 3\n[other]\n", "sweep is 3; expected a table with base ="),
        ("[[vary]]", "[vary]", "vary is a table; expected tables with a key and its values, each"),
        ("[[vary]]", "vary = [7]\n[x]", "sweep.vary is not a known key"),
    ],
)
def test_each_fault_has_its_place_and_what_is_wanted(old, new, told):
    assert told in message(SWEEP.replace(old, new, 1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "vary = 3",
        "vary = [3]\nformat = 1\nsweep = []",
        SWEEP.replace("[1, 2]", "1"),
        SWEEP.replace('"base.toml"', '""\ncount = -1\nseed = "x"\ndesign = 3'),
        SWEEP.replace("values = [1, 2]", "from = 1e9999\nto = [1]\nsteps = -4"),
    ],
)
def test_no_words_of_the_library_that_reads_it(text):
    told = message(text)
    assert "s.toml" in told
    assert not re.search("Input should|Value error|decimal|valid |instance|Field", told)


def test_every_key_of_the_schema_has_words():
    keys = {name for table in (SweepFile, Head, Variation) for name in table.model_fields}
    assert keys - set(WANTED) == {"start", "end"}  # any value: what is wrong is told elsewhere
    assert set(WANTED) < keys


def test_a_misspelt_key_comes_first_and_the_last_ones_are_counted():
    faults = [Fault(path=("vary", k), sentence=f"is {k}.") for k in range(6)]
    misspelt = Fault(path=("sweep", "bse"), sentence="is unknown.", misspelt=True)
    error = one_error(source("[sweep]\nbse = 1\n"), [*faults, misspelt])
    lines = error.message.splitlines()
    assert lines[0] == "s.toml, line 2: sweep.bse is unknown."
    assert lines[1].endswith("vary[0] is 0.")
    assert lines[-1] == "s.toml: and 2 more faults."
    assert len(lines) == 6
    assert (error.facts["key"], error.facts["line"]) == ("sweep.bse", 2)
