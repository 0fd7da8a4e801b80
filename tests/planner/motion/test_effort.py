"""Torque limits: motions are slowed down exactly as much as it takes, or told impossible."""

import numpy as np
import pytest

from planner.findings import Severity
from planner.planning import plan
from robots.core.motion.time_scaling import effort_model, minimum_duration_with_efforts


def limit(values):
    return {"checks": {"torque_limits": np.array(values, dtype=float)}}


# The corrected job without torque limits peaks at 175.90, 240.28 and 81.68 N m.
TIGHT = [120.0, np.inf, np.inf, np.inf, np.inf]


@pytest.fixture(scope="module")
def tight(change):
    return plan(change(**limit(TIGHT)))


def test_the_limit_binds_exactly(tight):
    assert tight.feasible
    assert tight.joint_loads[0].peak_torque == pytest.approx(120.0, rel=1e-9)
    assert tight.joint_loads[0].peak_torque <= 120.0 * (1.0 + 1e-11)


def test_only_what_exceeds_the_limit_is_slowed_down(tight, corrected):
    slowed = 0
    for found, free in zip(tight.timeline, corrected.timeline, strict=True):
        index = tight.timeline.index(found)
        t = np.linspace(found.start, found.end, 2001)
        state = tight.trajectory.segment_state(np.full(t.size, index), t)
        model = tight.trajectory.model
        peak = np.abs(model.torques(state.q, state.qd, state.qdd)[:, 0]).max()
        assert peak <= 120.0 * (1.0 + 1e-11)
        if found.binding == "q1 torque":
            slowed += 1
            assert found.duration > free.duration
            assert peak == pytest.approx(120.0, rel=1e-4)
        else:
            assert found.duration == pytest.approx(free.duration, rel=1e-12)
            assert found.binding == free.binding
    assert slowed > 0


def test_durations_are_those_of_the_core(tight, corrected):
    """An independent search on the path of one slowed motion."""
    from planner.motion.motions import OneMotion
    from robots.core.motion.joint_limits import JointLimits

    k, segment = next((k, s) for k, s in enumerate(tight.timeline) if s.binding == "q1 torque")
    for stretch in tight.trajectory.stretches:
        if k in stretch.segment:
            path = OneMotion(stretch.motions, int(stretch.index[stretch.segment == k][0]))
    free = JointLimits.of(tight.job.mechanism)
    limits = JointLimits(
        max_speed=free.max_speed, max_acceleration=free.max_acceleration, max_effort=TIGHT
    )
    model = effort_model(corrected.trajectory.model.torques)
    expected = minimum_duration_with_efforts(path, limits, model)
    assert segment.duration == pytest.approx(expected.duration, rel=1e-9)


def test_a_limit_that_is_not_reached_changes_nothing(change, corrected):
    made = plan(change(**limit([300.0] * 5)))
    assert made.totals.duration == pytest.approx(corrected.totals.duration, rel=1e-13)
    assert made.finding_list == ()


def test_what_gravity_forbids_is_found(change):
    """Holding the arm takes 26 to 59 N m at joint 2, whatever the speed."""
    made = plan(change(**limit([np.inf, 20.0, np.inf, np.inf, np.inf])))
    assert not made.feasible
    assert {finding.code for finding in made.finding_list} == {"P105"}
    assert all(finding.severity is Severity.ERROR for finding in made.finding_list)
    lines = [
        f for f in made.finding_list if f.message.startswith("probing line: no duration keeps")
    ]
    assert [f.where for f in lines] == [f"P{k}" for k in range(1, 10)]
    assert not any(f.message.startswith("retract") for f in made.finding_list)
    assert sum(f.message.startswith("travel to it: ") for f in made.finding_list) == 8
    assert all("q2" in f.message and "limit is 20 N m" in f.message for f in made.finding_list)
    # The rest of the plan is there all the same.
    assert len(made.timeline) == 26


def test_the_robots_own_limit_holds_where_the_job_gives_a_larger_one(
    change, with_joints, corrected
):
    arm = with_joints(corrected.job.mechanism, max_effort=[120.0, *[np.inf] * 4])
    made = plan(change(mechanism=arm, **limit([150.0, *[np.inf] * 4])))
    assert made.joint_loads[0].peak_torque == pytest.approx(120.0, rel=1e-9)
