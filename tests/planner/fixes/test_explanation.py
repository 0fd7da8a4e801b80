"""An explanation: how a point is measured, or why it fails and what would help."""

from __future__ import annotations

import pytest

from parts.errors import PointsError
from planner.fixes.explanation import explain
from planner.job import read_job
from planner.library import path_of
from planner.planning import plan


@pytest.fixture(scope="module")
def job():
    return read_job(path_of("unreachable"))


def test_a_point_that_is_measured(corrected_job):
    found = explain(corrected_job, "P5")
    assert found.served
    assert found.search is None
    (point,) = (one for one in plan(corrected_job).planned_points if one.name == "P5")
    assert found.planned_branch == point.branch
    assert found.reasons.branches[0].holds


def test_a_point_that_fails(job):
    found = explain(job, "limit")
    assert not found.served
    assert (found.plan, found.planned_branch) == (None, "")
    assert not any(branch.holds for branch in found.reasons.branches)
    assert found.search is not None
    assert found.search.fixes


def test_a_point_that_the_job_has_not(job):
    with pytest.raises(PointsError, match="wrst"):
        explain(job, "wrst")
