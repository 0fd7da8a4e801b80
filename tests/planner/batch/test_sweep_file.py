"""The schema of sweeps: values of a key, and faults that a schema cannot tell."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.batch.sweep import Variation, sweep_file
from planner.errors import JobError
from planner.job.job_text import job_text

NUMBERS = st.integers(-(10**300), 10**300) | st.decimals(-(10**300), 10**300, allow_nan=False)


def read(*lines):
    text = "\n".join(["format = 1", "[sweep]", 'base = "job.toml"', *lines])
    return sweep_file(job_text(Path("s.toml"), text))


def ranged(**keys):
    return Variation.model_validate({"key": "a", **keys})


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("a", ("a",)),
        ("travel.law", ("travel", "law")),
        ("cell[0].name", ("cell", 0, "name")),
        ("a[1][20]", ("a", 1, 20)),
        ("été.a b", ("été", "a b")),
        ("3", ("3",)),
    ],
)
def test_a_key_is_read_as_steps(key, path):
    assert Variation(key=key, values=[1]).path == path


@pytest.mark.parametrize("key", ["", ".", "a.", ".a", "a..b", "[0]", "a[x]", "a[-1]", "a]"])
def test_what_is_no_key_is_refused(key):
    with pytest.raises(JobError, match=r"s\.toml, line 5: vary\[0\]\.key is .*; expected a key"):
        read("[[vary]]", f"key = '{key}'", "values = [1]")


def test_a_sweep_as_it_is_written():
    found = read("count = 3", 'design = "random"', "[[vary]]", 'key = "a.b"', "values = [1, 'x']")
    assert (found.sweep.design, found.sweep.count, found.sweep.seed) == ("random", 3, 1)
    (vary,) = found.vary
    assert (vary.path, vary.listed()) == (("a", "b"), [1, "x"])


def test_a_range_is_even_and_without_noise():
    assert ranged(**{"from": 0, "to": 1, "steps": 11}).listed() == [k / 10 for k in range(11)]
    assert ranged(**{"from": 3, "to": 1, "steps": 3}).listed() == [3.0, 2.0, 1.0]
    assert ranged(**{"from": 2, "to": 2, "steps": 2}).listed() == [2.0, 2.0]
    assert ranged(**{"from": 2, "to": 3}).listed() == []  # a random design needs no steps


@given(low=NUMBERS, high=NUMBERS, steps=st.integers(2, 9), seed=st.integers(0, 99))
def test_every_value_lies_in_its_range(low, high, steps, seed):
    vary = ranged(**{"from": low, "to": high, "steps": steps})
    values = [*vary.listed(), vary.drawn(random.Random(seed))]
    ends = sorted(vary.ends)
    slack = 1e-11 * max(map(abs, ends))  # values are told with twelve digits
    assert all(ends[0] - slack <= value <= ends[1] + slack for value in values)
    assert len(values) == steps + 1


def test_one_of_a_list_is_drawn():
    vary = Variation(key="a", values=["x", "y", "z"])
    draw = random.Random(1)
    assert {vary.drawn(draw) for _ in range(50)} == {"x", "y", "z"}


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["values = []"], r"vary\[0\] has an empty list of values; give either"),
        (["# none"], r"vary\[0\] has no values; give either"),
        (["values = [1]", "to = 2"], r"vary\[0\] has values and a range; give either"),
        (["values = [1]", "steps = 0"], r"steps is 0, and \"values\" lists them already"),
        (["from = 1", "steps = 3"], r"vary\[0\]\.to is missing; a range has both"),
        (["from = nan", "to = 2"], r"vary\[0\]\.from is NaN; a range ends at finite numbers"),
        (["from = 1e301", "to = 2"], r"vary\[0\]\.from is 1E\+301; .* up to 1e\+300"),
        (["from = 1", "to = 2", "steps = 1"], r"vary\[0\]\.steps is 1; .* or \"values\" with the"),
    ],
)
def test_faults_that_a_schema_cannot_tell(lines, told):
    with pytest.raises(JobError, match=rf"^s\.toml, line \d+: .*{told}|^s\.toml.*{told}"):
        read("[[vary]]", 'key = "a"', *lines)


def test_all_of_them_are_told_at_once():
    with pytest.raises(JobError) as raised:
        read("count = 2", "[[vary]]", 'key = "a"', "[[vary]]", 'key = "a"', "from = 1")
    told = ["sweep.count is 2", "vary[1].key is 'a'", "vary[0] has no values", "vary[1].to is miss"]
    lines = raised.value.message.splitlines()
    assert len(lines) == len(told)
    assert all(text in line for text, line in zip(told, lines, strict=True))
