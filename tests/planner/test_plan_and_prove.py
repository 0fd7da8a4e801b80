"""The sequence of every command: read, plan, prove."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.errors import JobError
from planner.job import read_job
from planner.planning import plan, plan_and_prove
from planner.proof import prove

PRESENTED = Path(__file__).parent / "presenting" / "job" / "job.toml"


def test_a_job_is_planned_and_its_plan_proven(corrected_job):
    told = []
    proof = plan_and_prove(corrected_job, lambda *step: told.append(step))
    assert proof.passed
    assert proof.plan.totals == plan(corrected_job).totals
    apart = prove(proof.plan)
    assert [check.value for check in proof.check_list] == [
        check.value for check in apart.check_list
    ]
    assert told[-2:] == [("validation", 0, 1), ("validation", 1, 1)]


def test_a_part_that_a_presenter_moves_has_no_single_plan():
    assert read_job(PRESENTED).presenter is not None
    with pytest.raises(JobError, match=r"job\.toml has a \[presenter\]") as refused:
        read_job(PRESENTED, fixed_part=True)
    assert refused.value.facts["key"] == "presenter"
