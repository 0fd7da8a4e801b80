"""Variations of one point are the points of the changed jobs, and share their clearance checks."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from planner.fixes.bench import PointCheck, checker_for
from planner.fixes.fix import (
    along_the_normals,
    leaning_axis,
    other_distance,
    shifted_part,
    turned_normal,
)
from planner.fixes.kinds import (
    Styluses,
    row_of,
    with_backs,
    with_distances,
    with_normals,
    with_stylus_length,
)
from planner.job import FeatureApproach, read_job
from planner.library import path_of
from planner.part_pose.moved import moved
from planner.reach.placement import place
from robots.core.pose import make_pose, rotation_x
from tests.cases import some

NAME = "wrist"


@pytest.fixture(scope="module")
def job():
    return read_job(path_of("unreachable"))


def assert_same(rows, k, one, tolerance):
    for field in fields(one)[1:]:
        value = getattr(rows, field.name)[k]
        np.testing.assert_allclose(value, getattr(one, field.name)[0], atol=tolerance)


def test_other_distances(job):
    rows = with_distances(row_of(job, NAME), np.array([0.02, 0.07]))
    for k, distance in enumerate((0.02, 0.07)):
        fix = other_distance(job, job.points.index(NAME), distance)
        assert_same(rows, k, row_of(fix.job, NAME), 1e-15)


@pytest.mark.parametrize("compensated", [True, False])
@pytest.mark.parametrize("fixed", [True, False])
def test_other_normals(job, compensated, fixed):
    direction = np.array([0.0, 0.0, 1.0]) if fixed else None
    job = replace(
        job,
        probe=replace(job.probe, compensated=compensated),
        approach=replace(job.approach, direction=direction),
        touch=replace(job.touch, search_after=0.003),
    )
    one = row_of(job, NAME)
    normal = one.normals[0] + np.array([0.0, 0.1, 0.05])
    normal /= np.linalg.norm(normal)
    rows = with_normals(one, job, normal[None])
    fix = leaning_axis(job, job.points.index(NAME), normal, one.normals[0])
    # The normal is written with six digits.
    assert_same(rows, 0, row_of(fix.job, NAME), 1e-6)


@pytest.mark.parametrize("frame", ["part", "base"])
def test_one_axis_for_all_points(job, frame):
    turned = moved(job, make_pose(rotation=rotation_x(0.3)))
    axis = np.array([0.1, 0.2, -0.9])
    job = replace(turned, frame=frame, approach=replace(job.approach, axis=axis))
    one = row_of(job, NAME)
    back = -one.axes[0] + np.array([0.0, 0.1, 0.05])
    back /= np.linalg.norm(back)
    fix = leaning_axis(job, job.points.index(NAME), back, -one.axes[0])
    assert_same(with_backs(one, job, back[None]), 0, row_of(fix.job, NAME), 1e-6)
    assert fix.place == "[approach]"


FEATURE = FeatureApproach(
    name="bore", distance=0.03, direction=np.array([0.0, 0.6, 0.8]), axis=np.array([0.1, 0.2, -0.9])
)


@pytest.fixture
def bore(job):
    """The point's feature has an approach of its own."""
    features = tuple("bore" if name == NAME else "" for name in job.points.names)
    points = replace(job.points, features=features)
    return replace(job, points=points, approach=replace(job.approach, features=(FEATURE,)))


def test_what_a_feature_has_of_its_own_is_changed_there(bore):
    row, one = bore.points.index(NAME), row_of(bore, NAME)
    back = -one.axes[0] + np.array([0.0, 0.1, 0.05])
    back /= np.linalg.norm(back)
    fixes = (
        (other_distance(bore, row, 0.05), with_distances(one, np.array([0.05]))),
        (leaning_axis(bore, row, back, -one.axes[0]), with_backs(one, bore, back[None])),
    )
    for fix, rows in fixes:
        assert_same(rows, 0, row_of(fix.job, NAME), 1e-6)
        assert fix.place == "[[approach.feature]] bore"
        others = [k for k in range(len(bore.points)) if k != row]
        for field in fields(one)[1:]:
            before, after = (getattr(place(j), field.name)[others] for j in (bore, fix.job))
            np.testing.assert_array_equal(before, after)
    along = along_the_normals(bore, row)
    assert row_of(along.job, NAME).along_normal[0]
    assert "the points of bore are approached along their own normals" in along.sentence


def test_what_a_feature_shares_is_changed_for_all(bore):
    approach = replace(bore.approach, features=(replace(FEATURE, distance=None),))
    fix = other_distance(replace(bore, approach=approach), bore.points.index(NAME), 0.07)
    assert fix.place == "[approach]"
    assert (place(fix.job).distances == 0.07).all()


def test_a_turned_normal_leaves_a_fixed_axis(bore):
    one = row_of(bore, NAME)
    rows = with_normals(one, bore, -one.normals)
    np.testing.assert_array_equal(rows.axes, one.axes)
    np.testing.assert_array_equal(rows.directions, one.directions)
    fix = turned_normal(bore, bore.points.index(NAME), one.normals[0])
    assert_same(rows, 0, row_of(fix.job, NAME), 1e-6)


def test_a_shift_moves_the_part_and_nothing_else(job):
    shift = np.array([0.01, -0.02, 0.03])
    fix = shifted_part(job, shift)
    assert fix.amount == pytest.approx(np.linalg.norm(shift), abs=1e-12)
    before, after = row_of(job, NAME), row_of(fix.job, NAME)
    np.testing.assert_allclose(after.contacts - before.contacts, shift[None], atol=1e-12)
    np.testing.assert_array_equal(after.normals, before.normals)
    moved = fix.job.cell.part.mesh.vertices - job.cell.part.mesh.vertices
    np.testing.assert_allclose(moved, np.broadcast_to(shift, moved.shape), atol=1e-12)
    for one, two in zip(fix.job.cell.solids[1:], job.cell.solids[1:], strict=True):
        assert one is two


@pytest.mark.parametrize("longer", [-0.05, 0.08])
def test_a_shared_checker_answers_like_a_new_one(job, longer):
    bench = PointCheck(job)
    other = with_stylus_length(job, job.probe.stylus_length + longer)
    shared = checker_for(bench.checker, job.mechanism, other.mechanism)
    new = PointCheck(other).checker
    rng = np.random.default_rng(3)
    q = rng.uniform(job.mechanism.q_min, job.mechanism.q_max, (200, 5))
    np.testing.assert_array_equal(shared.nearest(q).value, new.nearest(q).value)
    assert shared.pairs == new.pairs
    # The base is as it was.
    np.testing.assert_array_equal(
        bench.checker.nearest(q).value, PointCheck(job).checker.nearest(q).value
    )


def test_a_stylus_that_was_not_there_takes_a_checker_of_its_own(job):
    none = with_stylus_length(job, 0.0)
    assert checker_for(PointCheck(none).checker, none.mechanism, job.mechanism) is None


@pytest.mark.parametrize("name", some([NAME, "beam", "stylus", "good-1"], gate=2))
def test_longer_styluses_are_judged_as_in_their_own_jobs(job, name):
    """By shared trees and the joints of the stylus as it was, and by reading everything anew."""
    bench, one = PointCheck(job), row_of(job, name)
    styluses = Styluses(bench=bench.of_variations(one), one=one)
    for longer in (-0.04, -0.02, 0.03, 0.06):
        ray, amount = np.array([[np.sign(longer)]]), np.array([abs(longer)])
        other = with_stylus_length(job, job.probe.stylus_length + longer)
        assert styluses.serves(ray, amount)[0] == PointCheck(other).serves(one)[0]
