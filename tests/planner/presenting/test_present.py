"""Presenting a part: what the arm alone cannot reach is measured, every plan validated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.errors import JobError
from planner.findings import Severity
from planner.planning import plan
from planner.presenting.present import posed, present
from planner.proof import prove
from robots.stewart.limits import violations
from robots.stewart.platform import lengths
from tests.cases import some


def unserved(planned):
    bad = {f.where for f in planned.finding_list if f.severity is Severity.ERROR}
    return {
        point.name for point in planned.planned_points if not point.reachable or point.name in bad
    }


def test_all_sides_are_reached_although_the_arm_alone_reaches_17_of_25(presentation):
    job = presentation.job
    missing = unserved(plan(posed(job, job.presenter.platform.home)))
    assert missing == {f"{side}{k}" for side in "RF" for k in range(1, 5)}
    assert set(presentation.measurable_at_home) == set(job.points.names) - missing
    assert len(presentation.measurable_at_home) == 17
    assert presentation.feasible
    assert sorted(presentation.measurable) == sorted(job.points.names)  # each once
    assert len(presentation.poses) == 1  # no home pose beside it: one serves all


def test_several_poses_where_one_does_not_do(far):
    assert len(far.measurable_at_home) == 17
    assert far.feasible
    assert len(far.poses) == 2
    assert len(far.moves) == 1
    assert sorted(far.measurable) == sorted(far.job.points.names)
    parts = [pose.plan.totals.duration for pose in far.poses]
    assert far.duration == pytest.approx(sum(parts) + far.moves[0].duration, rel=1e-12)


@pytest.mark.parametrize("name", some(["far", "presentation"], gate=1))
def test_every_plan_is_feasible_and_passes_its_validation(name, request):
    for pose in some(request.getfixturevalue(name).poses, gate=1):
        assert pose.plan.feasible
        assert prove(pose.plan).passed


@pytest.mark.parametrize("name", ["presentation", "far"])
def test_the_platform_keeps_its_limits_and_the_part_goes_with_it(name, request):
    found = request.getfixturevalue(name)
    presenter = found.job.presenter
    for pose in found.poses:
        T = pose.T_hexapod_platform
        assert violations(presenter.platform, T) == ()
        np.testing.assert_array_equal(pose.lengths, lengths(presenter.platform, T))
        expected = presenter.T_base_hexapod @ T @ presenter.T_platform_part
        np.testing.assert_allclose(pose.plan.job.part.T_base_part, expected, atol=1e-15)
        # short decimals: a controller can be given the pose as it was planned
        np.testing.assert_allclose(np.round(1e5 * T[:3, 3]), 1e5 * T[:3, 3], atol=1e-6)


def test_home_is_enough_where_it_serves_every_point(presented_job, on):
    near = present(on(presented_job, at=(0.0, 0.7, -1.35)))
    assert near.feasible
    assert len(near.measurable_at_home) == 25
    assert [pose.T_hexapod_platform.tolist() for pose in near.poses] == [
        near.job.presenter.platform.home.tolist()
    ]
    assert near.planned == 1


def test_points_beyond_the_poses_that_are_allowed_are_findings(far_job, on):
    found = present(on(far_job, most_poses=1))
    assert not found.feasible
    assert len(found.poses) == 1
    missing = set(found.job.points.names) - set(found.measurable)
    told = {f.where: f for f in found.findings if f.code == "P140"}
    assert missing
    assert set(told) == missing
    first = next(iter(told.values()))
    assert "measurable in no pose of the presenter, of" in first.message
    assert "at home P102" in first.message
    assert first.severity is Severity.ERROR


@pytest.mark.soak
def test_the_same_job_gives_the_same_presentation(far_job, far):
    again = present(far_job)
    for one, other in zip(far.poses, again.poses, strict=True):
        np.testing.assert_array_equal(one.T_hexapod_platform, other.T_hexapod_platform)
        np.testing.assert_array_equal(one.sigmas, other.sigmas)
    assert far.duration == again.duration


def test_the_share_of_the_uncertainty_goes_with_the_legs_repeatability(presentation, on):
    rough = present(on(presentation.job, length_sigma=1e-5))
    for one, other in zip(presentation.poses, rough.poses, strict=True):
        np.testing.assert_allclose(other.sigmas, 2.0 * one.sigmas, rtol=1e-12)


def test_a_job_without_a_presenter_is_refused(presented_job):
    with pytest.raises(JobError, match=r"has no \[presenter\]; add the table"):
        present(replace(presented_job, presenter=None))
