"""Points inside bores, touched with a straight stylus that stands upright in them: whole plans."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from planner.detours import find as detours
from planner.findings import Severity
from planner.job import read_job
from planner.library import path_of
from planner.plan import SegmentKind
from planner.planning import plan
from robots.core.model import Model

BLOCK = path_of("block-with-holes")
MIDDLE, HIGH = np.array([60.0, 20.0]), 30.0  # [mm] of hole-12, and of the block
IN_HOLE_12 = "".join(
    f"N{k},{60 + 6 * np.cos(a):.9f},{20 + 6 * np.sin(a):.9f},15,"
    f"{-np.cos(a):.12f},{-np.sin(a):.12f},0,hole-12\n"
    for k, a in enumerate(np.pi / 32 + np.pi / 2 * np.arange(4))
)
UPRIGHT = '[[approach.feature]]\nname = "hole-12"\naxis = [0, 0, -1]\ndistance_mm = 4\n'


@pytest.fixture(scope="module")
def planned():
    return plan(read_job(BLOCK))


@pytest.fixture
def changed(tmp_path):
    """The block's job with only some of its points, or those in the narrowest hole, changed."""

    def read(only="", tables="", changes=None):
        shutil.copy(BLOCK.parent / "block.stl", tmp_path)
        head, *rows = (BLOCK.parent / "points.csv").read_text().splitlines(keepends=True)
        points = [row for row in rows if only and row.startswith(only)] or [IN_HOLE_12]
        (tmp_path / "points.csv").write_text("".join([head, *points]))
        text = BLOCK.read_text()
        start, end = text.index("\n[[approach.feature]]\n"), text.index("[travel]")
        text = text[:start] + "\n" + tables + text[end:]
        for old, new in (changes or {}).items():
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "job.toml").write_text(text)
        return read_job(tmp_path / "job.toml")

    return read


def errors(job):
    found = plan(job).finding_list
    return {f.where: (f.code, f.message) for f in found if f.severity is Severity.ERROR}


def test_the_stylus_stands_upright_in_the_holes(planned):
    job, placed = planned.job, planned.placed
    assert planned.feasible
    inside = [k for k, name in enumerate(job.points.features) if name.startswith("hole")]
    assert len(inside) == 12
    model = Model(job.mechanism)
    T = model.forward(np.array([planned.planned_points[k].q_contact for k in inside]))
    np.testing.assert_allclose(T[:, :3, 2], np.tile([0, 0, -1.0], (12, 1)), atol=1e-12)
    np.testing.assert_allclose(T[:, :3, 3], placed.contacts[inside], atol=1e-12)


def test_lines_begin_in_the_middle_of_the_holes(planned):
    job = planned.job
    for name, middle in (("hole-30", [20.0, 60.0]), ("hole-20", [20.0, 20.0])):
        rows = [k for k, feature in enumerate(job.points.features) if feature == name]
        T = job.part.T_base_part
        there = (planned.placed.clearances[rows] - T[:3, 3]) @ T[:3, :3]
        np.testing.assert_allclose(1e3 * there[:, :2], np.tile(middle, (len(rows), 1)), atol=1e-9)


def test_travel_leaves_the_holes_by_lifting(planned):
    """Between two holes the ball comes above the block."""
    model = Model(planned.job.mechanism)
    features = dict(zip(planned.job.points.names, planned.job.points.features, strict=True))
    before = None
    for segment in planned.timeline:
        if segment.kind is not SegmentKind.TRAVEL:
            before = features[segment.point]
            continue
        t = np.linspace(segment.start, segment.start + segment.duration, 200)
        height = model.forward(planned.trajectory.state(t).q)[:, 2, 3].max() + 0.7
        here = features[segment.point]
        if before != here and "hole" in before + here:
            assert height > 1e-3 * HIGH + 0.002


def test_a_narrow_hole_is_served_where_the_clearance_allows_it(changed, monkeypatch):
    """From its middle, 4 mm off the wall all round."""
    monkeypatch.setattr(detours, "_EFFORTS", ())  # of where no way leads out
    assert errors(changed(tables=UPRIGHT, changes={"clearance_mm = 5": "clearance_mm = 3.9"})) == {}
    found = errors(changed(tables=UPRIGHT, changes={"clearance_mm = 5": "clearance_mm = 4.1"}))
    assert {code for code, _ in found.values()} == {"P132"}
    assert all("stylus ball comes to 3.9" in message for _, message in found.values())


def test_without_an_axis_the_stylus_enters_the_wall_across(changed):
    found = errors(changed(tables=UPRIGHT.replace("axis", "# axis")))
    assert {code for code, _ in found.values()} <= {"P131", "P132"}
    assert len(found) == 4


def test_a_ball_that_does_not_pass_the_hole(changed):
    """On a slanted line out of the hole it meets the wall across, and is named."""
    tables = UPRIGHT.replace("= 4", "= 40") + "direction = [0.6, 0.6, 1]\n"
    found = errors(changed(tables=tables, changes={"clearance_mm = 5": "clearance_mm = 1"}))
    told = [message for code, message in found.values() if code == "P131"]
    assert told
    assert all("stylus ball" in message or "stylus shank" in message for message in told)


def test_a_stylus_too_short_for_the_hole(changed):
    """The wrist meets the block: 25 mm from the ball it would be 5.5 mm above the top."""
    tables = '[[approach.feature]]\nname = "hole-30"\naxis = [0, 0, -1]\ndistance_mm = 13\n'
    short = {"\nstylus_length_mm = 200": "\nstylus_length_mm = 25"}
    found = errors(changed("H", tables, short))
    assert len(found) == 8
    assert all(code in ("P131", "P132") and "wrist" in message for code, message in found.values())
