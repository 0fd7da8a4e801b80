"""What a part's geometry says of the points: doubts, normals into the material, points off it."""

from __future__ import annotations

import pytest

from parts.library import open_part, stl_bytes
from planner.findings import Finding, Severity
from planner.job import read_job
from planner.planning import plan
from planner.surface_findings import causes_first, surface_findings, told_once

JOB = """format = 1
[job]
name = "block"
[robot]
model = "measuring-arm"
[part]
geometry = "part.stl"
unit = "mm"
pose = { translation_mm = [0, 1500, 900], rotation_zyx_deg = [0, 0, 0] }
[points]
file = "points.csv"
frame = "part"
[approach]
distance_mm = 30
"""
HEADER = "name,x_mm,y_mm,z_mm,nx,ny,nz\n"


@pytest.fixture
def job(tmp_path):
    def read(rows: str, geometry: bytes | None = None):
        (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
        (tmp_path / "points.csv").write_text(HEADER + rows, encoding="utf-8")
        (tmp_path / "part.stl").write_bytes(geometry or stl_bytes(open_part("block").geometry.mesh))
        return read_job(tmp_path / "job.toml")

    return read


@pytest.fixture(scope="module")
def top() -> float:
    """Height of the block's top face. [mm]."""
    geometry = open_part("block").geometry
    face = geometry.face("top")
    return float(geometry.mesh.triangles[face.triangles][..., 2].max()) * 1e3


def codes(made) -> list[tuple[str, str]]:
    return [(f.code, f.where) for f in made.findings if f.code.startswith("P12")]


def corner(top: float, *, lift: float = 0.0, sign: int = 1) -> str:
    low = open_part("block").geometry.mesh.bounds[0] * 1e3
    return f"{low[0] + 4},{low[1] + 4},{top + lift},0,0,{sign}\n"


def test_a_point_on_a_sound_part_leaves_nothing_to_say(job, top):
    made = plan(job("A," + corner(top)))
    assert codes(made) == []
    assert made.job.surface.audit.watertight


def test_a_normal_into_the_material_is_an_error_by_name(job, top):
    made = plan(job("A," + corner(top) + "B," + corner(top, sign=-1)))
    assert ("P121", "B") in codes(made)
    assert ("P121", "A") not in codes(made)
    assert not made.feasible


def test_a_point_off_the_surface_is_told_with_its_distance(job, top):
    made = plan(job("A," + corner(top, lift=2.5)))
    assert codes(made) == [("P122", "A")]
    assert made.findings[0].message == (
        "the point lies 2.500 mm outside the part, off its surface (limit 1 mm)"
    )


def test_a_point_in_the_material_is_said_to_be_inside_before_what_follows(job, top):
    made = plan(job("A," + corner(top, lift=-2.5)))
    first, *others = made.findings
    assert (first.code, first.where) == ("P122", "A")
    assert (
        first.message == "the point lies 2.500 mm inside the part, below its surface (limit 1 mm)"
    )
    assert "error" in {finding.severity.value for finding in others}


def test_an_open_skin_has_no_inside(job, top):
    made = plan(job("A," + corner(top, lift=-2.5), open_skin()))
    told = [finding.message for finding in made.findings if finding.code == "P122"]
    assert told == ["the point lies 2.500 mm from the part's surface (limit 1 mm)"]


def test_a_point_off_the_surface_that_is_served_stays_behind_the_errors():
    findings = [
        Finding(code="P101", severity=Severity.ERROR, where="B", message="far"),
        Finding(code="P122", severity=Severity.WARNING, where="A", message="off"),
        Finding(code="P122", severity=Severity.WARNING, where="B", message="off"),
        Finding(code="P121", severity=Severity.ERROR, where="C", message="in"),
    ]
    ordered = [(one.code, one.where) for one in causes_first(findings)]
    assert ordered == [("P121", "C"), ("P122", "B"), ("P101", "B"), ("P122", "A")]


@pytest.mark.parametrize(("right", "others"), [(0, ""), (1, " (all but P0)")])
def test_a_list_of_normals_that_is_turned_round_is_told_once_and_first(job, top, right, others):
    rows = "".join(
        f"P{k},{row_of(top, k)},0,0,{1 if k < right else -1}\n" for k in range(10 + right)
    )
    made = plan(job(rows))
    told = [finding for finding in made.findings if finding.code == "P121"]
    assert told == [made.findings[0]]
    assert (told[0].where, told[0].severity) == ("points", Severity.ERROR)
    assert told[0].message == (
        f"10 of {10 + right} normals point into the material of the part{others}"
    )
    assert told[0].hint == (
        "turn them round: change the sign of nx, ny and nz of these points; what else is said of "
        "them follows from it"
    )


def test_a_few_of_many_points_that_are_right_are_named(job, top):
    rows = [f"P{k},{row_of(top, k)},0,0,{1 if k < 7 else -1}\n" for k in range(100)]
    read = job("".join(rows))
    told = told_once(read, surface_findings(read))[0]
    assert told.message == (
        "93 of 100 normals point into the material of the part (all but P0, P1, P2, P3, P4 and 2 "
        "more)"
    )


def row_of(top: float, k: int) -> str:
    low = open_part("block").geometry.mesh.bounds[0] * 1e3
    return f"{low[0] + 4 + k},{low[1] + 4},{top}"


def open_skin() -> bytes:
    """The block without its last triangle."""
    whole = stl_bytes(open_part("block").geometry.mesh)
    count = int.from_bytes(whole[80:84], "little")
    return whole[:80] + (count - 1).to_bytes(4, "little") + whole[84 : 84 + 50 * (count - 1)]


def test_an_open_skin_is_a_warning_and_leaves_the_plan_feasible(job, top):
    made = plan(job("A," + corner(top), open_skin()))
    assert ("P120", "part.stl") in codes(made)
