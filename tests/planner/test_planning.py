"""What a job may change: laws by name, scales of limits, margins; all at once."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from planner.errors import JobError
from planner.findings import Severity, page
from planner.job import read_job
from planner.library import path_of
from planner.plan import SegmentKind
from planner.planning import plan
from robots.core.motion.motion_law import LAW_NAMES

LINE_LAWS = tuple(name for name in LAW_NAMES if name != "double-s")


@pytest.mark.parametrize(("line", "travel"), [*product(LINE_LAWS, ["trapezoid"]),
                                              *product(["quintic"], LAW_NAMES)])  # fmt: skip
def test_every_law_keeps_the_limits(change, with_joints, corrected_job, line, travel):
    jerky = with_joints(corrected_job.mechanism, max_jerk=[1000.0] * 5)
    made = plan(change(approach={"law": line}, travel={"law": travel}, mechanism=jerky))
    arm = made.job.mechanism
    assert made.feasible
    # An acceleration limit binds in sum, so speeds and accelerations reach 1 and never more.
    speed = np.array([joint.peak_velocity for joint in made.joint_loads]) / arm.max_speed
    acceleration = np.array([j.peak_acceleration for j in made.joint_loads]) / arm.max_acceleration
    assert max(speed.max(), acceleration.max()) == pytest.approx(1.0, rel=1e-9)
    assert {s.law for s in made.timeline} == {line, travel}
    for segment in made.timeline:
        assert segment.law == (travel if segment.kind is SegmentKind.TRAVEL else line)
        assert segment.binding
    notes = [f for f in made.finding_list if f.code == "P111"]
    assert [f.where for f in notes] == [
        where for where, law in (("probing lines", line), ("travel", travel)) if law == "linear"
    ]
    assert all(f.severity is Severity.NOTE for f in notes)


def test_travel_times_of_the_laws_by_hand(change):
    """One joint turns most: cubic √(6 D/KA) or 3 D/(2 KV), bang-bang 2·√(D/KA) or 2 D/KV."""
    for law, rate, acceleration in (("cubic", 1.5, 6.0), ("bang-bang", 2.0, 4.0)):
        made = plan(change(travel={"law": law}))
        arm = made.job.mechanism
        q = np.array([point.q_clearance for point in made.planned_points])
        D = np.abs(np.diff(q, axis=0))
        expected = np.maximum(
            (rate * D / arm.max_speed).max(axis=1),
            np.sqrt(acceleration * D / arm.max_acceleration).max(axis=1),
        )
        found = [s.duration for s in made.timeline if s.kind is SegmentKind.TRAVEL]
        assert found == pytest.approx(expected, rel=1e-12)


def test_the_linear_law_has_a_page():
    assert "unbounded" in page("P111").meaning


@pytest.fixture(scope="module")
def scaled(tmp_path_factory):
    """The corrected library job with scales in its robot table."""

    def made(**scales):
        folder = tmp_path_factory.mktemp("scaled")
        source = path_of("nine-points-corrected")
        (folder / "points.csv").write_bytes((source.parent / "points.csv").read_bytes())
        lines = "\n".join(f"{name} = {value}" for name, value in scales.items())
        text = source.read_text(encoding="utf-8")
        model = 'model = "measuring-arm"'
        text = text.replace(model, f"{model}\n{lines}\n", 1)
        (folder / "job.toml").write_text(text, encoding="utf-8")
        return plan(read_job(folder / "job.toml"))

    return made


def test_half_speed_and_a_quarter_of_the_acceleration_take_twice_the_time(scaled, corrected):
    made = scaled(speed_scale=0.5, acceleration_scale=0.25)
    assert made.totals.duration == pytest.approx(2.0 * corrected.totals.duration, rel=1e-12)
    for slow, fast in zip(made.joint_loads, corrected.joint_loads, strict=True):
        assert slow.peak_velocity == pytest.approx(fast.peak_velocity / 2.0, rel=1e-9)
        assert slow.peak_acceleration == pytest.approx(fast.peak_acceleration / 4.0, rel=1e-9)
    # Net work is a matter of postures alone.
    assert made.totals.net_work == pytest.approx(corrected.totals.net_work, rel=1e-9)


def test_the_scaled_limits_bind(scaled, corrected):
    made = scaled(acceleration_scale=0.5)
    arm = corrected.job.mechanism
    peak = np.array([joint.peak_acceleration for joint in made.joint_loads])
    assert (peak / arm.max_acceleration).max() == pytest.approx(0.5, rel=1e-9)
    assert made.totals.duration > corrected.totals.duration


def test_the_torque_scale_multiplies_torque_limits(scaled, corrected):
    """The library's arm has no torque limit of its own; the job gives joint 2 one."""
    limits = "{ q2 = { max_torque_nm = 240.0 } }"
    full, half = (scaled(limits=limits, torque_scale=scale) for scale in (1.0, 0.5))
    assert full.joint_loads[1].peak_torque == pytest.approx(240.0, rel=1e-9)
    assert half.joint_loads[1].peak_torque == pytest.approx(120.0, rel=1e-9)
    assert half.totals.duration > full.totals.duration > corrected.totals.duration
    assert "q2 torque" in {s.binding for s in half.timeline}


def test_a_rest_at_contact(change, corrected):
    made = plan(change(touch={"settle": 0.1}))
    assert made.totals.duration == pytest.approx(corrected.totals.duration + 0.9)
    assert [s.kind.value for s in made.timeline[:5]] == [
        "probe", "dwell", "retract", "travel", "probe",
    ]  # fmt: skip
    assert made.miss is None


def test_the_cycle_of_a_search(change, corrected):
    made = plan(change(touch={"mode": "search", "settle": 0.1, "search_after": 0.002}))
    assert made.totals.duration > corrected.totals.duration + 0.9
    assert [s.kind.value for s in made.timeline[:8]] == [
        "probe", "search", "stop", "dwell", "back-off", "retract", "travel", "probe",
    ]  # fmt: skip
    assert [s.kind.value for s in made.miss.timeline] == ["search", "stop", "retract"] * 9
    assert {s.law for s in made.timeline if s.kind.value == "search"} == {"linear"}
    assert [point.touch_speed for point in made.planned_points] == [0.005] * 9


def test_a_joint_without_a_speed_limit_is_refused(change, with_joints, corrected):
    arm = with_joints(corrected.job.mechanism, max_speed=[np.inf, *[1.0] * 4])
    with pytest.raises(JobError, match=r"Joint q1 of measuring-arm has no speed limit"):
        plan(change(mechanism=arm))


def test_planning_the_same_job_twice_gives_the_same_bits(corrected_job, corrected):
    again = plan(corrected_job)
    assert again.totals == corrected.totals
    assert again.joint_loads == corrected.joint_loads
    assert again.timeline == corrected.timeline


def test_a_single_point_has_no_travel(change, probe_points):
    made = plan(change(points=probe_points([[0.1, 0.2, 0.34, 0.1, 0.25, 1.0]])))
    assert [s.kind.value for s in made.timeline] == ["probe", "retract"]
    assert made.feasible


def test_the_errors_of_one_point_leave_the_others_as_they_are(change, corrected):
    points = corrected.job.points
    far = replace(
        points,
        names=(*points.names, "far"),
        positions=np.vstack([points.positions, [9.0, 0.0, 0.0]]),
        normals=np.vstack([points.normals, [0.0, 0.0, 1.0]]),
        features=(*points.features, ""),
    )
    made = plan(change(points=far))
    assert not made.feasible
    assert made.totals == corrected.totals
    assert made.timeline == corrected.timeline
    assert made.planned_points[:-1][0].branch == corrected.planned_points[0].branch
    assert np.all(np.isnan(made.planned_points[-1].q_clearance))
