"""A sweep of a key that jobs do not have is told before 5,000 jobs are refused."""

from __future__ import annotations

import pytest

from planner.batch.case import Case
from planner.batch.sweep import faults_of_first_cases, sweep_cases
from planner.library import path_of

SWEEP = """format = 1
[sweep]
base = "job.toml"
[[vary]]
key = "{}"
values = [{}]
"""


@pytest.fixture
def cases(tmp_path):
    """``cases("travel.lw", …)``: of a sweep of one key, on the nine-point job."""
    text = path_of("nine-points-corrected").read_text(encoding="utf-8")
    (tmp_path / "job.toml").write_text(text)

    def made(key, values, name="s.toml"):
        (tmp_path / name).write_text(SWEEP.format(key, values))
        return list(sweep_cases(tmp_path / name, name))

    return made


def test_a_misspelt_key_is_told_with_the_nearest(cases):
    (fault,) = faults_of_first_cases(cases("travel.lw", "1, 2, 3"))
    assert fault == "s.toml#1: travel.lw is not a known key; did you mean 'law'?"


def test_each_sweep_once(cases):
    found = [*cases("travel.lw", "1, 2"), *cases("trafel.law", "1, 2", "t.toml")]
    assert [fault.partition("#")[0] for fault in faults_of_first_cases(found)] == [
        *("s.toml", "t.toml")
    ]


def test_a_right_one_and_what_is_no_sweeps(cases, tmp_path):
    assert list(faults_of_first_cases(cases("travel.law", '"quintic", "none"'))) == []
    (tmp_path / "bad.toml").write_text("[job")
    assert list(faults_of_first_cases([Case(name="bad", job=tmp_path / "bad.toml")])) == []
