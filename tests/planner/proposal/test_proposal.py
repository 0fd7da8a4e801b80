"""Jobs proposed from a drawing: what is measured, with what, how often, and what is left out."""

from __future__ import annotations

import tomllib
from math import nan

import numpy as np
import pytest
import trimesh

import palpeur as pp
from parts.drawing.drawing import (
    Datum,
    DatumElement,
    DatumReference,
    Dimension,
    Drawing,
    GeometricTolerance,
    UnreadItem,
)
from parts.evaluation.measured_points import MeasuredPoints
from parts.sampling.sample import stylus_fits
from planner.evaluation.evaluate import evaluate
from planner.proposal.proposal import MINIMUM, SHARE, TOUCH, propose
from planner.proposal.styluses import ProposedProbe, touching
from planner.virtual_measuring.enough_points import CharacteristicTrial, PointCountRequest
from robots.core.pose import make_pose

UP = np.array([0.0, 0.0, 1.0])
POSE = make_pose(translation=[0.45, 0.0, 0.05])


@pytest.fixture(scope="module")
def block():
    return pp.load_part("block")


def faces(part, *names):
    return tuple(f for one in part.form_features if one.name in names for f in one.faces)


def frame(*labels):
    return tuple(DatumReference(elements=(DatumElement(label=label),)) for label in labels)


def drawing_of(part):
    """Datums top, front and left; a bore's diameter and position, a flatness, and three others."""
    return Drawing(
        datums=tuple(
            Datum(label=label, faces=faces(part, name))
            for label, name in (("A", "top"), ("B", "front"), ("C", "left"))
        ),
        dimensions=(
            Dimension(
                kind="diameter", nominal=0.03, lower=0.0298, upper=0.0302,
                faces=faces(part, "hole-30"),
            ),
            Dimension(kind="angle", nominal=0.5, faces=faces(part, "cone"), angular=True),
        ),
        tolerances=(
            GeometricTolerance(kind="flatness", value=1e-4, faces=faces(part, "top")),
            GeometricTolerance(
                kind="position", value=3e-4, faces=faces(part, "hole-30"), zone="diameter",
                datums=frame("A", "B", "C"), identity=7,
            ),
            GeometricTolerance(kind="flatness", value=2e-4, faces=faces(part, "bottom")),
        ),
        unread=(UnreadItem(name="callout 'Note'", reason="it is drawn only", identity=9),),
    )  # fmt: skip


@pytest.fixture(scope="module")
def found(block):
    return propose(block, "ur5e", drawing=drawing_of(block), pose=POSE)


def test_every_fact_is_in_the_job_or_left_out(found):
    asked = {(one.feature, one.kind) for one in found.job.evaluation.tolerances}
    assert asked >= {("hole-30", "diameter"), ("hole-30", "position"), ("top", "flatness")}
    left = {one.name.split()[0] for one in found.left_out}
    assert left >= {"angle", "callout"}
    told = found.job.text
    assert all(f"left out: {one.name}" in told for one in found.left_out)
    assert tomllib.loads(told)["tolerance"]  # comments and all, it is a job file


def test_datums_are_measured_and_aligned_to(found):
    assert found.job.evaluation.alignment == "datums"
    counts = {one.name: one.count for one in found.features}
    assert counts["front"] == MINIMUM["plane"]
    assert counts["hole-30"] == MINIMUM["hole"]
    letters = {one.name: one.datums for one in found.features}
    assert letters["top"] == ("A",)
    assert letters["hole-30"] == ()


def test_the_stylus_fits_where_it_touches_and_on_its_way(found, block):
    for one in found.features:
        away = None if one.touching.axis is None else -one.touching.axis
        points = one.touching.points
        probe = found.probe
        assert stylus_fits(block.geometry, points, probe.tip, away, head=probe.head).all()
        assert one.touching.approach >= 2e-3
    upright = {one.name for one in found.features if np.allclose(one.touching.axis, [0, 0, -1])}
    assert upright >= {"top", "front", "left", "hole-30"}  # as few directions as possible


def step(width, height, *, deep=0.06):
    """A part with a floor beside a wall: an L, drawn along y."""
    profile = np.array(
        [[0, 0], [width + 0.02, 0], [width + 0.02, 0.01 + height], [width, 0.01 + height],
         [width, 0.01], [0, 0.01]]
    )  # fmt: skip
    near, far = ([[x, y, z] for x, z in profile] for y in (0.0, deep))
    caps = [[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4]]
    sides = [[[k, k + 6, (k + 1) % 6 + 6], [k, (k + 1) % 6 + 6, (k + 1) % 6]] for k in range(6)]
    faces = [*caps, *([a + 6, c + 6, b + 6] for a, b, c in caps), *(t for s in sides for t in s)]
    mesh = trimesh.Trimesh(vertices=[*near, *far], faces=faces, process=False)
    mesh.fix_normals()
    return pp.load_part(mesh, unit="m")


@pytest.mark.parametrize(("height", "free"), [(0.03, 0.05), (0.065, 0.075), (0.08, 0.1)])
def test_the_stylus_is_as_long_as_the_head_needs(height, free):
    """A floor of 12 mm beside a wall: the head, 20 mm in radius, must stay above the wall."""
    part = step(0.012, height)
    [floor] = [
        one
        for one in part.form_features
        if np.allclose(one.axis, UP) and one.point[2] == pytest.approx(0.01)
    ]
    probe = ProposedProbe(ball_diameter=4e-3, free_length=0.05, clearance=2e-3)
    found = touching(part.geometry, floor, (probe, *probe.longer()), 9, UP)
    assert found.probe.free_length == free
    assert found.axis == pytest.approx(-UP)
    assert len(found.points) == 9
    # a probe that is too short comes from another side
    alone = touching(part.geometry, floor, (probe,), 9, UP).axis
    assert np.allclose(alone, -UP) == (free == probe.free_length)


def test_a_clearance_is_kept_that_the_narrowest_bore_leaves(found):
    clearance = found.job.document()["checks"]["clearance_mm"]
    assert clearance == 1e3 * found.probe.clearance > 0.0
    bore = next(one for one in found.features if one.name == "hole-30")
    # the approach begins in the middle of the bore
    assert bore.touching.approach == pytest.approx(0.5 * (0.03 - found.probe.ball_diameter))


def test_a_perfect_part_passes_the_proposed_job(found):
    points = found.job.points
    result = evaluate(
        found.job,
        MeasuredPoints(names=points.names, xyz=points.positions, features=points.features),
    )
    kinds = {(one.feature, one.kind): one.measured for one in result.characteristics}
    assert kinds["hole-30", "position"] < 1e-9
    assert kinds["top", "flatness"] < 1e-9
    assert kinds["hole-30", "diameter"] == pytest.approx(0.03, abs=1e-9)


def test_a_touch_that_scatters_as_much_uses_up_the_share(found):
    """The stated scatter of a touch gives the stated share of the tolerance."""
    one = next(one for one in found.features if one.name == "top")
    rng = np.random.default_rng(5)
    points, job = found.job.points, found.job
    errors = one.touch * rng.standard_normal((400, len(points), 3))
    trial = CharacteristicTrial(job, PointCountRequest(feature="top", target=1.0, kind="flatness"))
    assert trial.uncertainty(points, errors).expanded == pytest.approx(SHARE * 1e-4, rel=0.15)


def test_the_job_is_written_and_read_again(found, tmp_path):
    path = found.job.write(tmp_path / "job.toml")
    job = pp.read_job(path)
    assert job.text == found.job.text
    assert np.array_equal(job.points.positions, found.job.points.positions)


def test_touches_that_scatter_more_ask_for_more_points(block):
    """Without an uncertainty 10 µm are assumed; half as much again needs 1.5² as many points."""
    limits = {"nominal": 0.03, "lower": 0.0299, "upper": 0.0301}
    drawing = Drawing(
        dimensions=(Dimension(kind="diameter", faces=faces(block, "hole-30"), **limits),)
    )
    plain = propose(block, "ur5e", drawing=drawing, pose=POSE)
    [few] = plain.features
    assert plain.scatter == TOUCH
    assert "Assumed is that a touch scatters by 10 µm" in plain.remarks[0]
    assert not plain.job.document().get("uncertainty")  # assumed is not known
    assert (few.count, few.reason) == (MINIMUM["hole"], "the recommended number")
    assert few.touch > TOUCH
    [more] = propose(block, "ur5e", drawing=drawing, pose=POSE, scatter=1.5 * few.touch).features
    assert more.count == pytest.approx(1.5**2 * few.count, rel=0.15)
    assert more.touch >= 1.5 * few.touch
    assert more.reason == "as many as its tolerances, or those to it, need"
    # ten times as much is not reached with 60 points, and the comment says so
    [most] = propose(block, "ur5e", drawing=drawing, pose=POSE, scatter=10 * few.touch).features
    assert most.count == 60
    assert "still exceed" in most.reason


def test_an_uncertainty_asks_for_more_points_by_the_law_of_the_root(block):
    """Twelve points bear a scatter; a larger one needs the square of their ratio as many."""
    limits = {"nominal": 0.03, "lower": 0.02995, "upper": 0.03005}
    size = Dimension(kind="diameter", faces=faces(block, "hole-30"), **limits)
    drawing = Drawing(dimensions=(size,))
    [few] = propose(block, "ur5e", drawing=drawing, pose=POSE, scatter=0.0).features
    noise = {"probe_mm": 1.5e3 * few.touch, "samples": 400}
    found = propose(block, "ur5e", drawing=drawing, pose=POSE, uncertainty=noise)
    [one] = found.features
    assert one.count == pytest.approx(1.5**2 * MINIMUM["hole"], rel=0.25)
    assert len(found.job.points) == one.count
    assert f"{one.count} points (hammersley) know the diameter" in found.job.text


@pytest.mark.parametrize(
    ("unread", "words"),
    [((), "no drawing"), ((UnreadItem(name="note", reason="r", identity=1),), "none of the 1")],
)
def test_a_part_without_a_readable_drawing(block, unread, words):
    with pytest.raises(pp.PartError, match=words):
        propose(block, "ur5e", drawing=Drawing(unread=unread))


def test_without_a_pose_the_part_stands_before_the_robot(block):
    flat = GeometricTolerance(kind="flatness", value=1e-4, faces=faces(block, "top"))
    found = propose(block, "ur5e", drawing=Drawing(tolerances=(flat,)))
    assert any("guess" in one for one in found.remarks)
    assert "guess" in found.job.text
    T = found.job.part.T_base_part
    assert 0.2 < T[0, 3] + 0.06 < 0.8


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5, nan])
def test_a_share_that_is_none(block, share):
    with pytest.raises(pp.PlannerError, match="above 0, at most 1"):
        propose(block, "ur5e", share=share)
