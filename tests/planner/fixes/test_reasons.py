"""Every branch of a point with what it breaks: joint, pair, place on the line, numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.errors import PointsError
from planner.fixes.bench import PointCheck
from planner.fixes.explanation import reasons_of
from planner.job import read_job
from planner.library import path_of
from robots.library import load


@pytest.fixture(scope="module")
def library():
    job = read_job(path_of("unreachable"))
    bench = PointCheck(job)
    return lambda name: reasons_of(job, name, bench)


def test_a_served_point_has_branches_that_hold(library):
    reasons = library("good-1")
    assert reasons.served
    assert reasons.complete
    assert reasons.about == ()
    best, last = reasons.branches[0], reasons.branches[-1]
    assert best.holds
    assert np.degrees(best.joint_margin) == pytest.approx(10.0, abs=1e-6)  # from the plan
    assert best.margin_joint == "q1"
    assert not last.holds
    holding = [branch.holds for branch in reasons.branches]
    assert holding == sorted(holding, reverse=True)


def test_branches_that_differ_by_whole_turns_are_told_apart(library):
    names = [branch.branch for branch in library("good-1").branches]
    assert len(set(names)) == len(names)
    assert any("(q4 -360 deg)" in name or "(q4 +360 deg)" in name for name in names)


def test_out_of_reach_has_no_branch(library):
    reasons = library("far")
    assert reasons.branches == ()
    (finding,) = reasons.about
    assert finding.code == "P101"
    assert "309.066 mm out of reach" in finding.message


# What the job file of the library says of itself, and P102's 12° + 2° of margin.
@pytest.mark.parametrize(
    ("name", "code", "what", "amount", "unit"),
    [
        ("limit", "P102", "q1", 14.0, "deg"),
        ("singular", "P103", "singularity", 1e-3, "1"),
        ("heavy", "P105", "q2", 9.2455, "N m"),
    ],
)
def test_the_nearest_branch_breaks_one_thing(library, name, code, what, amount, unit):
    reasons = library(name)
    assert not reasons.served
    (failure,) = reasons.branches[0].failures
    assert (failure.code, failure.what, failure.unit) == (code, what, unit)
    assert failure.amount == pytest.approx(amount, abs=1e-4)
    assert -0.0021 <= failure.before <= 0.0501  # 50 mm, 2 mm of search, and the stop


@pytest.mark.parametrize(
    ("name", "code", "what"),
    [
        ("stylus", "P131", "stylus shank - stylus-post"),
        ("wrist", "P131", "wrist - wrist-post"),
        ("beam", "P132", "wrist - beam"),
    ],
)
def test_collisions_name_the_pair_and_the_place(library, name, code, what):
    (failure,) = library(name).branches[0].failures
    assert (failure.code, failure.what, failure.unit) == (code, what, "mm")
    assert failure.amount > 5.0  # the clearance asked for, as it is penetrated
    assert ("at the clearance point" in failure.sentence) is (code == "P132")


def test_the_place_of_a_singularity_is_where_the_wrist_is_straight(library):
    """Half way down, says the job: the axis of the forearm passes through the stylus there."""
    reasons = library("singular")
    (failure,) = reasons.branches[0].failures
    bench = PointCheck(read_job(path_of("unreachable")))
    found = bench.reach.candidates(reasons.placed)
    lam = (0.050 - failure.before) / 0.052
    q = found.lines.joints(np.array([0]), np.array([lam]))
    assert abs(q[0, 4]) < 0.01


def test_an_approach_through_the_material_is_about_the_point(library):
    reasons = library("inside")
    assert not reasons.served
    assert [finding.code for finding in reasons.about] == ["P104"]


def test_the_joint_that_passes_its_limit_is_where_it_is_worst(job_file):
    """q1 is constant along an upright line; the elbow's q3 is worst at contact."""
    limit = "robot.limits.q3 = { min_deg = -10, max_deg = 110 }\n"
    point = {"name": "P", "x": 0.0, "y": 1500.0, "z": 0.0}
    reasons = reasons_of(read_job(job_file([point], more=limit)), "P")
    failure = next(f for f in reasons.branches[0].failures if f.what == "q3")
    bench = PointCheck(read_job(job_file([point], more=limit)))
    found = bench.reach.candidates(reasons.placed)
    row = np.zeros(201, dtype=int)
    q3 = np.degrees(found.lines.joints(row, np.linspace(0.0, 1.0, 201))[:, 2])
    assert failure.amount == pytest.approx(-10.0 - q3.min(), abs=1e-3)
    where = 0.050 * (1.0 - np.argmin(q3) / 200)
    assert failure.before == pytest.approx(where, abs=0.050 / 100)


def test_an_unknown_point_names_the_nearest(library):
    with pytest.raises(PointsError, match="did you mean 'good-2'"):
        library("gooood-2")


def test_other_robots_say_that_branches_may_be_missing(corrected_job):
    robot = load("industrial-6r")
    points = replace(
        corrected_job.points,
        names=("P",),
        positions=np.array([[0.0, 3.0, 0.5]]),
        normals=np.array([[0.0, 0.0, 1.0]]),
        features=(),
    )
    checks = replace(corrected_job.checks, torque_limits=np.full(6, np.inf))
    job = replace(corrected_job, mechanism=robot, points=points, frame="base", checks=checks)
    reasons = reasons_of(job, "P")
    assert not reasons.complete
    assert reasons.about[0].code == "P101"
