"""Jerk and torque limits, found again over the whole motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.motion.trajectory import MotionState
from planner.plan import SegmentKind
from planner.planning import plan as planned
from planner.proof import prove
from tests.planner.touching import with_touch


def value_of(proof, name):
    return next(check.value for check in proof.check_list if check.name == name)


def limited(plan, joint, **limits):
    """The same plan, judged by other limits of one joint."""
    joints = list(plan.job.mechanism.joints)
    joints[joint] = replace(joints[joint], **limits)
    mechanism = replace(plan.job.mechanism, joints=tuple(joints))
    return replace(plan, job=replace(plan.job, mechanism=mechanism))


def largest_jerk(plan):
    """Of every joint in travels, by differences of fine samples inside the phases. # (n,)."""
    jerk = np.zeros(5)
    for segment in plan.timeline:
        if segment.kind is SegmentKind.TRAVEL:
            t = np.linspace(segment.start, segment.end, 4001)
            jerk = np.maximum(
                jerk,
                np.abs(np.diff(plan.trajectory.state(t).qdd, axis=0)).max(axis=0) / (t[1] - t[0]),
            )
    return jerk


def test_jerk_reaches_its_limit_and_no_more(jerky):
    found = prove(jerky)
    assert found.passed
    # A law in least time uses a limit to the full: some joint's jerk is its limit.
    assert value_of(found, "jerk limits") == pytest.approx(1.0, abs=1e-9)


def test_jerk_is_that_of_differences(jerky, failures):
    jerk = largest_jerk(jerky)
    for joint in range(5):
        below = limited(jerky, joint, max_jerk=float(jerk[joint]) * (1 - 1e-3))
        assert failures(prove(below)) == {"jerk limits"}


def test_a_jerk_limit_passed_by_little_is_found(jerky, failures):
    joints = tuple(replace(j, max_jerk=j.max_jerk * (1 - 1e-5)) for j in jerky.job.mechanism.joints)
    mechanism = replace(jerky.job.mechanism, joints=joints)
    below = replace(jerky, job=replace(jerky.job, mechanism=mechanism))
    assert failures(prove(below)) == {"jerk limits"}


def test_late_in_time_jerk_is_not_lost_in_rounding(jerky):
    """At 2000 s an instant is known to 2e-13 s; phases last milliseconds."""
    job = replace(jerky.job, sampling_period=1.0)
    late = planned(with_touch(job, settle=2000.0))
    found = prove(late)
    assert found.passed
    assert value_of(found, "jerk limits") == pytest.approx(1.0, abs=2e-7)


def test_laws_with_jumps_of_acceleration_are_not_asked_for_jerk(jerky):
    other = planned(replace(jerky.job, travel=replace(jerky.job.travel, law="trapezoid")))
    assert "jerk limits" not in {check.name for check in prove(other).check_list}


@pytest.fixture(scope="module")
def held(job):
    """Torque limits of the job, some of which slow motions down."""
    free = planned(job)
    limits = np.array([load.peak_torque for load in free.joint_loads]) * [0.8, 1.5, 1.5, 1.5, 1.5]
    return planned(replace(job, checks=replace(job.checks, torque_limits=limits)))


def test_torques_reach_their_limit_and_no_more(held):
    assert held.feasible
    found = prove(held)
    assert found.passed
    assert value_of(found, "torque limits") == pytest.approx(1.0, abs=1e-7)


def test_torque_limits_of_job_and_robot_both_count(held, failures):
    checks = replace(held.job.checks, torque_limits=held.job.checks.torque_limits * (1 - 1e-5))
    by_job = replace(held, job=replace(held.job, checks=checks))
    assert failures(prove(by_job)) == {"torque limits"}
    peak = held.joint_loads[1].peak_torque
    assert failures(prove(limited(held, 1, max_effort=peak * (1 - 1e-5)))) == {"torque limits"}
    assert prove(limited(held, 1, max_effort=peak * (1 + 1e-9))).passed


def test_a_torque_limit_passed_only_between_samples(held, failures, altered):
    """A bump of 3 ms between samples 20 ms apart asks the first drive for more."""
    travel = next(s for s in held.timeline if s.kind is SegmentKind.TRAVEL)
    center = travel.start + 0.5 * travel.duration
    center = 0.02 * np.floor(center / 0.02) + 0.01

    def added(t):
        u = (t - center) / 1e-3
        g = 1e-4 * np.exp(-0.5 * u * u)
        first = np.array([1.0, 0, 0, 0, 0])
        qd, qdd = -u / 1e-3 * g, (u * u - 1.0) / 1e-6 * g
        return MotionState(q=g[:, None] * first, qd=qd[:, None] * first, qdd=qdd[:, None] * first)

    coarse = replace(held, job=replace(held.job, sampling_period=0.02))
    assert "torque limits" in failures(prove(altered(coarse, added)))


def test_nothing_is_claimed_of_motions_that_no_duration_keeps_within(job):
    """Gravity alone passes the limit: an error of the plan's own, not a fault of its proof."""
    limits = np.array([np.inf, 5.0, np.inf, np.inf, np.inf])
    plan = planned(replace(job, checks=replace(job.checks, torque_limits=limits)))
    impossible = {finding.where for finding in plan.finding_list if finding.code == "P105"}
    assert impossible
    assert plan.joint_loads[1].peak_torque > 5.0
    found = prove(plan)
    assert found.passed
    # No motion is left of which anything is claimed.
    assert "torque limits" not in {check.name for check in found.check_list}
