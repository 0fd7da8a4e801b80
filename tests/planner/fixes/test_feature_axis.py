"""A stylus that stands upright serves a cone that no stylus along the normals gets around."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import trimesh

from planner.cli.main import main
from planner.fixes.bench import PointCheck
from planner.fixes.feature_axis import MOST_POINTS, FeatureAxes
from planner.fixes.fix import FixKind, with_feature
from planner.fixes.smallest import Finder, _Point
from planner.job import read_job
from planner.planning import plan

HEAD = """
format = 1
job.name = "cone on a block"
robot.model = "measuring-arm"
probe = { stylus_length_mm = 120, ball_diameter_mm = 4 }
part = { geometry = "part.stl", unit = "mm", pose = { translation_mm = [600, 1300, 200] } }
checks.clearance_mm = 2
points.frame = "part"
points.compensated = true

[approach]
distance_mm = 50
"""
POINT = """
[[points.point]]
name = "{name}"
feature = "{feature}"
x_mm = {p[0]!r}
y_mm = {p[1]!r}
z_mm = {p[2]!r}
nx = {n[0]!r}
ny = {n[1]!r}
nz = {n[2]!r}
"""


@pytest.fixture(scope="module")
def cone_job(tmp_path_factory):
    """A truncated cone on a block: eight points around the cone, one on the block."""
    folder = tmp_path_factory.mktemp("cone")
    block = trimesh.creation.box([200, 200, 60])
    cone = trimesh.creation.revolve(np.array([[0, 0], [40, 0], [20, 50], [0, 50]]), sections=96)
    cone.apply_translation([0, 0, 30])
    trimesh.util.concatenate([block, cone]).export(folder / "part.stl")
    text, out = HEAD, np.array([50.0, 20.0]) / np.hypot(50.0, 20.0)
    for k in range(8):
        c, s = float(np.cos(np.pi * k / 4 + 0.1)), float(np.sin(np.pi * k / 4 + 0.1))
        n = tuple(map(float, (out[0] * c, out[0] * s, out[1])))
        text += POINT.format(name=f"C{k}", feature="cone", p=(30 * c, 30 * s, 55.0), n=n)
    text += POINT.format(name="T", feature="top", p=(60.0, 60.0, 30.0), n=(0.0, 0.0, 1.0))
    path = folder / "job.toml"
    path.write_text(text)
    return path


def axis_of(job, name):
    """The fix by an axis; a search of all kinds takes several times as long."""
    (fix,), _ = _Point(Finder(job), name, others=False).of_kind(FixKind.AXIS)
    return fix


def reached(job):
    return {point.name for point in plan(job).planned_points if point.reachable}


def test_explain_names_the_axis_of_the_feature_and_the_changed_job_serves_it(cone_job, capsys):
    before = reached(read_job(cone_job))
    assert "T" in before
    failing = sorted({f"C{k}" for k in range(8)} - before)
    assert failing
    capsys.readouterr()
    assert main(["explain", str(cone_job), failing[0], "--json"]) == 1
    fixes = {fix["kind"]: fix for fix in json.loads(capsys.readouterr().out)["fixes"]}
    axis = fixes["axis"]
    assert axis["where"] == "[[approach.feature]] cone"
    assert axis["verified"]
    assert axis["line"] == "axis = [0, 0, -1]"
    assert axis["other_points"]["lost"] == []
    changed = cone_job.with_name("changed.toml")
    table = f'[[approach.feature]]\nname = "cone"\n{axis["line"]}\n'
    text = cone_job.read_text()
    head, point, points = text.partition("\n[[points.point]]")
    changed.write_text(head + "\n" + table + point + points)
    assert reached(read_job(changed)) == {*before, *(f"C{k}" for k in range(8))}


def test_explain_prints_the_axis_for_a_reader(cone_job, capsys):
    job = read_job(cone_job)
    failing = next(name for name in job.points.names if name not in reached(job))
    capsys.readouterr()
    main(["explain", str(cone_job), failing])
    out = " ".join(capsys.readouterr().out.split())
    assert "one direction of the stylus for the points of cone: axis = [0, 0, -1]" in out
    assert "serves all 8 points that were judged" in out
    assert "[[approach.feature]] cone: axis = [0, 0, -1]" in out


def test_a_shorter_distance_goes_with_the_axis_where_it_has_to(cone_job):
    """With a lid over the cone only short approaches are free; both keys stand in one table."""
    job = read_job(cone_job)
    assert axis_of(job, "C1").kind is FixKind.AXIS
    far = replace(job, approach=replace(job.approach, distance=1.5))
    row = far.points.index("C1")
    best = next(FeatureAxes(PointCheck(far), far, row).found())
    assert best.distance < 1.5
    fix = axis_of(far, "C1")
    assert [line.split(" = ")[0] for line in fix.line.splitlines()] == ["axis", "distance_mm"]
    assert "C1" in reached(fix.job)


def test_the_changed_table_is_that_of_the_feature(cone_job):
    job = read_job(cone_job)
    down = np.array([0.0, 0.0, -1.0])
    first = with_feature(job, job.points.index("C1"), {"axis": down})
    assert [one.name for one in first.job.approach.features] == ["cone"]
    again = with_feature(first.job, job.points.index("C2"), {"distance": 0.02})
    (table,) = again.job.approach.features
    assert (table.distance, *np.asarray(table.axis)) == (0.02, 0.0, 0.0, -1.0)
    without = replace(job, points=replace(job.points, features=("",) * len(job.points)))
    assert with_feature(without, 0, {"axis": down}).place == "[approach]"


def test_no_stylus_is_put_through_the_material(cone_job):
    """Without a part in the cell nothing but the normals tells where the material is."""
    job = read_job(cone_job)
    bare = replace(job, cell=replace(job.cell, solids=()))
    normals = bare.points.normals[:8]
    for found in FeatureAxes(PointCheck(bare), bare, 1).found():
        assert found.axis @ normals[1] <= 1e-6
        assert found.served <= int(np.sum(normals @ found.axis <= 1e-6))


def test_no_more_points_are_judged_than_stand_for_a_feature(cone_job):
    job = read_job(cone_job)
    rows = np.arange(len(job.points))[np.arange(80) % 8]
    many = replace(
        job,
        points=replace(
            job.points,
            names=tuple(f"P{k}" for k in range(80)),
            positions=job.points.positions[rows],
            normals=job.points.normals[rows],
            features=("cone",) * 80,
        ),
    )
    best = next(FeatureAxes(PointCheck(many), many, 1).found())
    assert best.judged == MOST_POINTS
