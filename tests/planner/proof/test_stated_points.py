"""What a plan says of its points, each statement wrong in its turn; what is right passes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.job import read_job
from planner.library import path_of
from planner.plan import SegmentKind
from planner.planning import plan as planned
from planner.proof import prove
from robots.library.catalogue import load
from tests.planner.touching import with_touch


def with_point(plan, k, **values):
    points = list(plan.planned_points)
    points[k] = replace(points[k], **values)
    return replace(plan, planned_points=tuple(points))


@pytest.fixture(scope="module")
def searching(job):
    """Contact lies inside the line, not at its end."""
    return planned(with_touch(job, mode="search", search_after=0.01, settle=0.1))


@pytest.fixture(scope="module")
def six():
    """Two points before an industrial robot, whose branches are named by its joints."""
    own = read_job(path_of("nine-points-corrected"))
    mechanism = load("industrial-6r")
    joints = tuple(
        replace(joint, max_acceleration=10.0, max_speed=min(joint.max_speed, 3.0))
        for joint in mechanism.joints
    )
    points = ProbePoints(
        names=("A", "B"),
        positions=np.array([[0.35, 0.1, 0.3], [0.4, -0.1, 0.25]]),
        normals=np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]),
    )
    changed = replace(
        own,
        mechanism=replace(mechanism, joints=joints, capsules=(), self_pairs=()),
        points=points,
        frame="base",
        checks=replace(own.checks, torque_limits=np.full(6, np.inf)),
    )
    return planned(changed)


def test_a_search_passes_its_contact(searching):
    assert prove(searching).passed


def test_branches_named_by_joints_pass(six):
    assert all(point.reachable for point in six.planned_points)
    assert six.planned_points[0].branch.startswith("q1")
    assert "branches" not in {check.name for check in prove(six).failures}


@pytest.mark.parametrize("name", ["q_clearance", "q_contact"])
@pytest.mark.parametrize("size", [2e-9, 2.0 * np.pi])
def test_a_posture_that_the_motion_does_not_take(searching, failures, name, size):
    """2 nm off, or a whole turn more: the ball is where it should be for all that."""
    q = np.array(getattr(searching.planned_points[1], name))
    q[3] += size
    assert "point postures" in failures(prove(with_point(searching, 1, **{name: q})))


@pytest.mark.parametrize("word", range(3))
def test_a_branch_of_another_name(plan, failures, word):
    words = plan.planned_points[0].branch.split(" ")
    words[word] = words[word][:-1] + {"+": "-", "-": "+"}[words[word][-1]]
    wrong = with_point(plan, 0, branch=" ".join(words))
    assert failures(prove(wrong)) == {"branches"}


def test_a_branch_by_joints_of_another_name(six, failures):
    other = six.planned_points[0].branch.translate(str.maketrans("+-", "-+"))
    assert "branches" in failures(prove(with_point(six, 0, branch=other)))


def test_a_name_that_the_inverse_gives_another_posture(six, failures):
    own = six.planned_points[0].inverse_branch
    assert {sign for word in own.split(" ") for sign in word[-1]} <= {"+", "-"}
    other = own.translate(str.maketrans("+-", "-+"))
    assert "branches" in failures(prove(with_point(six, 0, inverse_branch=other)))


@pytest.mark.parametrize("change", [1e-6, -1e-6])
def test_another_joint_margin(plan, failures, change):
    margin = plan.planned_points[2].joint_margin + change
    assert failures(prove(with_point(plan, 2, joint_margin=margin))) == {"joint margins"}


@pytest.mark.parametrize("change", [2e-7, -2e-7])
def test_a_margin_at_the_end_of_a_line_that_no_motion_comes_to(job, failures, change):
    """The search that finds nothing stops 0.6 mm before it."""
    quick = planned(with_touch(job, mode="search", search_after=0.002, speed=0.05))
    point = quick.planned_points[0]
    wrong = with_point(quick, 0, joint_margin=point.joint_margin + change)
    assert failures(prove(wrong)) == {"joint margins"}
    wrong = with_point(quick, 0, singularity_margin=point.singularity_margin + change)
    assert failures(prove(wrong)) == {"singularity margins"}


def test_another_distance_from_a_singularity(plan, six, failures):
    """Of the arm by its own measures, of any other robot by its square system."""
    before = failures(prove(six))
    for one, others in ((plan, set()), (six, before)):
        for change in (2e-7, -2e-7):
            margin = one.planned_points[1].singularity_margin + change
            wrong = with_point(one, 1, singularity_margin=margin)
            assert failures(prove(wrong)) == {"singularity margins"} | others
    assert "singularity margins" not in before


def test_a_plan_without_motion_states_no_margins(six):
    """Of a robot whose locked joints would be seen by what no line moves."""
    away = replace(six.job.points, positions=six.job.points.positions + 10.0)
    nowhere = planned(replace(six.job, points=away))
    assert not nowhere.timeline
    assert prove(nowhere).passed


def test_the_margin_of_another_joint(plan, failures):
    own = plan.planned_points[2].margin_joint
    for name in {"q1", "q2", "q3", "q4", "q5", "q9"} - {own}:
        wrong = with_point(plan, 2, margin_joint=name)
        assert failures(prove(wrong)) == {"joint margins"}


def test_a_margin_that_a_feasible_plan_does_not_keep(plan, failures):
    least = min(point.joint_margin for point in plan.planned_points)
    asked = replace(plan.job.checks, joint_margin=least + 1e-6)
    wrong = replace(plan, job=replace(plan.job, checks=asked))
    assert failures(prove(wrong)) == {"joint margin kept"}


def test_another_clearance_of_a_point(plan, failures):
    for value in (plan.planned_points[0].min_clearance + 1e-9, None):
        wrong = with_point(plan, 0, min_clearance=value)
        assert failures(prove(wrong)) == {"point clearances"}


def test_points_that_are_not_visited_as_stated(plan, failures):
    assert failures(prove(with_point(plan, 1, reachable=False))) == {"visits"}
    segments = list(plan.timeline)
    probe = next(i for i, s in enumerate(segments) if s.kind is SegmentKind.PROBE)
    segments[probe] = replace(segments[probe], point="P9")
    assert failures(prove(replace(plan, timeline=tuple(segments)))) == {"visits"}


def test_a_rest_elsewhere_than_after_the_stop(searching, failures):
    """As long as the job asks, but once the ball has backed off."""
    segments = list(searching.timeline)
    rest = next(i for i, s in enumerate(segments) if s.kind is SegmentKind.DWELL)
    late, off = segments[rest], segments[rest + 1]
    off = replace(off, start=late.start)
    late = replace(late, start=off.end)
    segments[rest : rest + 2] = [off, late]
    assert "visits" in failures(prove(replace(searching, timeline=tuple(segments))))


def test_a_plan_that_misses_a_point_and_is_called_feasible(failures, job):
    far = job.points.positions * np.array([[1.0], [3.0], [1.0]])
    missing = planned(replace(job, points=replace(job.points, positions=far)))
    assert [point.reachable for point in missing.planned_points] == [True, False, True]
    assert prove(missing).passed
    silent = replace(missing, finding_list=())
    assert "visits" in failures(prove(silent))
