"""A job with a stylus whose ball lies beside its axis is planned like any other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.job import read_job
from planner.library import path_of
from planner.planning import plan
from robots.core.model import Model


def job_with(side, **approach):
    job = read_job(path_of("nine-points-corrected"))
    tool = np.array(job.mechanism.tool)
    d = tool[:3, 2]
    z5 = np.array([0.0, 0.0, 1.0])
    tool[:3, 3] = 0.1 * d + side[0] * z5 + side[1] * np.cross(z5, d)
    job = replace(job, mechanism=replace(job.mechanism, tool=tool))
    return replace(job, approach=replace(job.approach, **approach))


@pytest.fixture(scope="module")
def planned():
    return plan(job_with((0.03, 0.04)))


def test_all_points_are_touched_with_the_stylus_along_the_normal(planned):
    model = Model(planned.job.mechanism)
    assert planned.finding_list == ()
    T = model.forward(np.array([point.q_contact for point in planned.planned_points]))
    np.testing.assert_allclose(T[:, :3, 3], planned.placed.contacts, atol=1e-12)
    np.testing.assert_allclose(T[:, :3, 2], planned.placed.axes, atol=1e-12)
    assert all(
        point.reachable and point.singularity_margin > 0.01 for point in planned.planned_points
    )


def test_the_motion_is_continuous_and_within_limits(planned):
    samples = planned.trajectory.sample(1e-3)
    mechanism = planned.job.mechanism
    assert np.all(np.abs(samples.qd) <= mechanism.max_speed * (1 + 1e-9))
    assert np.all(np.abs(samples.qdd) <= mechanism.max_acceleration * (1 + 1e-9))
    # at most a millisecond of the largest speed between samples
    steps = np.abs(np.diff(samples.q, axis=0))
    assert np.all(steps <= mechanism.max_speed * 1.001e-3)


def test_a_line_that_no_branch_follows_to_its_end_is_a_finding():
    """Five metres of approach: the clearance point is out of reach of every branch."""
    found = plan(job_with((0.03, 0.04), distance=5.0)).finding_list
    assert len(found) == 9
    assert {finding.code for finding in found} == {"P101"}
    assert all("out of reach" in finding.message for finding in found)
