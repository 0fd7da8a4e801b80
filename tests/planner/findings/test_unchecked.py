"""What a plan does not check: read off the job and the robot, named by typed facts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.findings.finding import Aspect
from planner.findings.unchecked import (
    Surrounding,
    Unchecked,
    links_without_shape,
    surroundings,
    unchecked_aspects,
)
from planner.job import read_job
from planner.job.elements import AssumedAcceleration
from planner.job.solids import Cell, SolidKind
from planner.job.template import write_template
from planner.library import path_of
from robots.core.file_reading import UnreadShape
from robots.core.self_pairs import PairReason, default_self_pairs
from robots.library import load


@pytest.fixture(scope="module")
def checked():
    """A job of which everything is known."""
    return read_job(path_of("unreachable"))


def aspects(job):
    return [one.aspect for one in unchecked_aspects(job)]


def with_joints(job, **values):
    joints = tuple(replace(joint, **values) for joint in job.mechanism.joints)
    return replace(job, mechanism=replace(job.mechanism, joints=joints))


def test_a_job_of_which_everything_is_known(checked):
    assert unchecked_aspects(checked) == ()
    assert surroundings(checked) == tuple(Surrounding)


def test_the_job_of_init_has_no_part_geometry_and_no_torque_limits(tmp_path):
    job = read_job(write_template(tmp_path)[0])
    assert aspects(job) == [Aspect.PART_GEOMETRY, Aspect.TORQUE_LIMITS]
    assert surroundings(job) == (Surrounding.ITSELF,)


def test_the_thesis_s_stylus_has_no_size():
    assert Aspect.STYLUS_SHAPE in aspects(read_job(path_of("nine-points-as-published")))


@pytest.mark.parametrize(("length", "ball"), [(0.0, 0.004), (0.1, 0.0)])
def test_a_stylus_without_length_or_ball_has_no_shape(checked, length, ball):
    probe = replace(checked.probe, stylus_length=length, ball_diameter=ball)
    assert aspects(replace(checked, probe=probe)) == [Aspect.STYLUS_SHAPE]


def test_obstacles_are_no_part_geometry(checked):
    solids = tuple(s for s in checked.cell.solids if s.kind is not SolidKind.PART)
    job = replace(checked, cell=Cell(solids=solids))
    assert aspects(job) == [Aspect.PART_GEOMETRY]
    assert surroundings(job) == (Surrounding.OBSTACLES, Surrounding.ITSELF)


def test_a_robot_without_capsules_but_the_probe_s(checked):
    names = {body.name for body in checked.probe.bodies} | {"stylus ball", "stylus shank"}
    probe = tuple(c for c in checked.mechanism.capsules if c.name in names)
    bare = replace(checked.mechanism, capsules=probe, self_pairs=())
    job = replace(checked, mechanism=bare)
    assert unchecked_aspects(job) == (Unchecked(aspect=Aspect.LINK_SHAPES),)
    assert surroundings(job) == (Surrounding.PART, Surrounding.OBSTACLES)


def test_links_whose_shapes_always_overlap_are_named(checked):
    """A forearm's capsule as wide as the arm is long hides the column."""
    wide = tuple(
        replace(c, radius=2.0) if c.name == "forearm" else c for c in checked.mechanism.capsules
    )
    mechanism = replace(checked.mechanism, capsules=wide)
    mechanism = replace(mechanism, self_pairs=default_self_pairs(mechanism))
    (found,) = unchecked_aspects(replace(checked, mechanism=mechanism))
    assert found.aspect is Aspect.SELF_CONTACT
    assert found.aspect.clearance
    assert "column with forearm" in found.of
    assert PairReason.ALWAYS_TOUCHING in found.reasons


def test_links_that_a_common_point_or_the_file_leaves_unwatched_are_named(checked):
    """A wrist beside its axes meets the forearm in some postures, and nothing watches it."""
    lean = tuple(
        replace(c, end=np.add(c.end, [0.05, 0.0, 0.0])) if c.name == "wrist" else c
        for c in checked.mechanism.capsules
    )
    pairs = checked.mechanism.self_pairs[1:]
    mechanism = replace(checked.mechanism, capsules=lean, self_pairs=pairs)
    (found,) = unchecked_aspects(replace(checked, mechanism=mechanism))
    assert found == Unchecked(
        aspect=Aspect.SELF_CONTACT,
        of=("column with forearm", "forearm with wrist"),
        reasons=(PairReason.COMMON_POINT, PairReason.NOT_NAMED),
    )


def test_links_without_shape_are_named(checked):
    some = tuple(c for c in checked.mechanism.capsules if c.name not in ("column", "forearm"))
    job = replace(checked, mechanism=replace(checked.mechanism, capsules=some, self_pairs=()))
    assert unchecked_aspects(job) == (Unchecked(aspect=Aspect.LINK_SHAPES, of=("base", "q3")),)


@pytest.mark.parametrize("name", ["measuring-arm", "industrial-6r", "industrial-7r", "gantry-5"])
def test_short_links_between_crossing_axes_need_no_capsule(name):
    assert links_without_shape(load(name)) == ()


def test_torque_limits_of_the_job_or_of_the_robot_count(checked):
    free = replace(checked, checks=replace(checked.checks, torque_limits=np.full(5, np.inf)))
    assert unchecked_aspects(free) == (Unchecked(aspect=Aspect.TORQUE_LIMITS),)
    assert unchecked_aspects(with_joints(free, max_effort=100.0)) == ()
    some = replace(checked.checks, torque_limits=np.array([1.0, np.inf, 1.0, np.inf, 1.0]))
    assert unchecked_aspects(replace(checked, checks=some)) == (
        Unchecked(aspect=Aspect.TORQUE_LIMITS, of=("q2", "q4")),
    )


def test_a_robot_without_masses(checked):
    body = replace(checked.mechanism.joints[0].body, mass=0.0, inertia=np.zeros((3, 3)))
    job = replace(with_joints(checked, body=body), probe=replace(checked.probe, mass=0.0))
    assert unchecked_aspects(job) == (Unchecked(aspect=Aspect.MASSES),)
    joints = list(checked.mechanism.joints)
    joints[2] = replace(joints[2], body=body, motor_inertia=0.0)
    job = replace(checked, mechanism=replace(checked.mechanism, joints=tuple(joints)))
    assert unchecked_aspects(job) == (Unchecked(aspect=Aspect.MASSES, of=("q3",)),)


def test_a_law_that_jumps_has_accelerations_that_nobody_counts(checked):
    job = replace(checked, travel=replace(checked.travel, law="linear"))
    assert aspects(job) == [Aspect.ACCELERATIONS]


def test_accelerations_that_are_assumed(checked):
    def assuming(names):
        given = [AssumedAcceleration(joint=name, value=10.0, unit="rad/s²") for name in names]
        return replace(checked, assumed_accelerations=tuple(given))

    assert unchecked_aspects(assuming(["q2", "q3"])) == (
        Unchecked(aspect=Aspect.ACCELERATION_LIMITS, of=("q2", "q3")),
    )
    every = [joint.name for joint in checked.mechanism.movable]
    assert unchecked_aspects(assuming(every)) == (Unchecked(aspect=Aspect.ACCELERATION_LIMITS),)


def test_shapes_that_are_not_read(checked):
    shapes = tuple(UnreadShape(link="hand", kind="mesh", line=k, count=1) for k in (7, 9))
    job = replace(checked, mechanism=replace(checked.mechanism, unread_shapes=shapes))
    assert unchecked_aspects(job) == (Unchecked(aspect=Aspect.LINK_SHAPES, of=("hand",)),)


@pytest.mark.parametrize(
    ("table", "told"), [("", True), ("pose = { translation_mm = [0, 0, 0] }", False)]
)
def test_a_part_that_nobody_placed(tmp_path, table, told):
    job = tmp_path / "job.toml"
    job.write_text(
        'format = 1\n[job]\nname = "a"\n[robot]\nmodel = "measuring-arm"\n[part]\n' + table + "\n"
        '[points]\nframe = "part"\n[[points.point]]\nname = "P1"\n'
        "x_mm = 0\ny_mm = 1500\nz_mm = 800\nnx = 0\nny = 0\nnz = 1\n"
    )
    assert (Aspect.PART_POSE in aspects(read_job(job))) is told
    job.write_text(job.read_text().replace('"part"', '"base"'))
    assert Aspect.PART_POSE not in aspects(read_job(job))
