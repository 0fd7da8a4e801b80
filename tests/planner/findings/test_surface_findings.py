"""What a part's geometry says of the points: doubts, normals into the material, points off it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from parts.library import open_part, stl_bytes
from planner.errors import JobError
from planner.findings import Finding, Severity
from planner.findings.finding import Point
from planner.findings.point_findings import causes_first, surface_findings, told_once
from planner.job import read_job
from planner.planning import plan
from planner.reach.placement import place

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
CYLINDER_AND_SHEET = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('','2026-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
#1=APPLICATION_CONTEXT('automotive design');
#2=PRODUCT_CONTEXT('',#1,'mechanical');
#3=PRODUCT('part','part','',(#2));
#4=PRODUCT_DEFINITION_FORMATION('','',#3);
#5=PRODUCT_DEFINITION_CONTEXT('',#1,'design');
#6=PRODUCT_DEFINITION('design','',#4,#5);
#7=PRODUCT_DEFINITION_SHAPE('','',#6);
#10=( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) );
#11=( NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.) );
#12=( NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT() );
#13=( GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#10,#11,#12))
REPRESENTATION_CONTEXT('','') );
#20=DIRECTION('',(0.,0.,1.));
#21=DIRECTION('',(1.,0.,0.));
#22=CARTESIAN_POINT('',(0.,0.,0.));
#23=CARTESIAN_POINT('',(0.,0.,10.));
#24=AXIS2_PLACEMENT_3D('',#22,#20,#21);
#25=AXIS2_PLACEMENT_3D('',#23,#20,#21);
#26=CARTESIAN_POINT('',(20.,0.,0.));
#27=CARTESIAN_POINT('',(20.,0.,10.));
#28=VERTEX_POINT('',#26);
#29=VERTEX_POINT('',#27);
#30=CIRCLE('',#24,20.);
#31=CIRCLE('',#25,20.);
#32=EDGE_CURVE('',#28,#28,#30,.T.);
#33=EDGE_CURVE('',#29,#29,#31,.T.);
#34=VECTOR('',#20,10.);
#35=LINE('',#26,#34);
#36=EDGE_CURVE('',#28,#29,#35,.T.);
#40=ORIENTED_EDGE('',*,*,#32,.T.);
#41=ORIENTED_EDGE('',*,*,#36,.T.);
#42=ORIENTED_EDGE('',*,*,#33,.F.);
#43=ORIENTED_EDGE('',*,*,#36,.F.);
#44=EDGE_LOOP('',(#40,#41,#42,#43));
#45=FACE_OUTER_BOUND('',#44,.T.);
#46=CYLINDRICAL_SURFACE('',#24,20.);
#47=ADVANCED_FACE('wall',(#45),#46,.T.);
#50=ORIENTED_EDGE('',*,*,#32,.F.);
#51=EDGE_LOOP('',(#50));
#52=FACE_OUTER_BOUND('',#51,.T.);
#53=PLANE('',#24);
#54=ADVANCED_FACE('bottom',(#52),#53,.F.);
#55=ORIENTED_EDGE('',*,*,#33,.T.);
#56=EDGE_LOOP('',(#55));
#57=FACE_OUTER_BOUND('',#56,.T.);
#58=PLANE('',#25);
#59=ADVANCED_FACE('top',(#57),#58,.T.);
#60=CLOSED_SHELL('',(#47,#54,#59));
#61=MANIFOLD_SOLID_BREP('',#60);
#70=CARTESIAN_POINT('',(0.,0.,-30.));
#71=AXIS2_PLACEMENT_3D('',#70,#20,#21);
#72=CARTESIAN_POINT('',(9.,0.,-30.));
#73=VERTEX_POINT('',#72);
#74=CIRCLE('',#71,9.);
#75=EDGE_CURVE('',#73,#73,#74,.T.);
#76=ORIENTED_EDGE('',*,*,#75,.T.);
#77=EDGE_LOOP('',(#76));
#78=FACE_OUTER_BOUND('',#77,.T.);
#79=PLANE('',#71);
#80=ADVANCED_FACE('section',(#78),#79,.T.);
#81=OPEN_SHELL('',(#80));
#82=SHELL_BASED_SURFACE_MODEL('',(#81));
#90=ADVANCED_BREP_SHAPE_REPRESENTATION('',(#24,#61,#82),#13);
#91=SHAPE_DEFINITION_REPRESENTATION(#7,#90);
ENDSEC;
END-ISO-10303-21;
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
    return [(f.code, f.where) for f in made.finding_list if f.code.startswith("P12")]


def corner(top: float, *, lift: float = 0.0, sign: int = 1) -> str:
    low = open_part("block").geometry.mesh.bounds[0] * 1e3
    return f"{low[0] + 4},{low[1] + 4},{top + lift},0,0,{sign}\n"


def test_a_point_on_a_sound_part_leaves_nothing_to_say(job, top):
    made = plan(job("A," + corner(top)))
    assert codes(made) == []
    assert made.job.surface.audit.watertight


def test_a_part_inside_out_is_turned_and_said(job, top):
    mesh = open_part("block").geometry.mesh
    turned = TriangleMesh(vertices=mesh.vertices, faces=mesh.faces[:, ::-1])
    made = plan(job("A," + corner(top), stl_bytes(turned)))
    assert codes(made) == [("P126", "part.stl")]
    (finding,) = [one for one in made.finding_list if one.code == "P126"]
    assert finding.severity is Severity.NOTE
    assert f"{len(mesh)} of {len(mesh)} triangles turned round" in finding.message
    assert made.job.surface.audit.watertight


def test_sheets_are_for_step_files(job, top, tmp_path):
    job("A," + corner(top))
    text = JOB.replace('unit = "mm"', 'unit = "mm"\nsheets = "ignore"')
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    with pytest.raises(JobError, match=r"part\.sheets.*no STEP file"):
        read_job(tmp_path / "job.toml")


@pytest.mark.parametrize("sheets", ["", "ignore", "include"])
def test_sheets_of_a_step_file_are_the_jobs_choice(tmp_path, sheets):
    """A disc, and a round sheet below it."""
    key = f'sheets = "{sheets}"' if sheets else ""
    text = JOB.replace('unit = "mm"', key).replace("part.stl", "part.step")
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    (tmp_path / "points.csv").write_text(HEADER + "A,0,0,10,0,0,1\n", encoding="utf-8")
    (tmp_path / "part.step").write_text(CYLINDER_AND_SHEET, encoding="utf-8")
    found = surface_findings(read_job(tmp_path / "job.toml"))
    if sheets == "include":
        assert [one.code for one in found] == ["P120"]
        assert "count as part" in found[0].message
    else:
        assert [one.code for one in found] == ["P126"]
        assert "1 sheet beside the solids left out (1 of the file's faces)" in found[0].message


def test_a_normal_into_the_material_is_an_error_by_name(job, top):
    made = plan(job("A," + corner(top) + "B," + corner(top, sign=-1)))
    assert ("P121", "B") in codes(made)
    assert ("P121", "A") not in codes(made)
    assert not made.feasible


def test_a_point_off_the_surface_is_told_with_its_distance(job, top):
    made = plan(job("A," + corner(top, lift=2.5)))
    assert codes(made) == [("P122", "A")]
    assert made.finding_list[0].message == (
        "the point lies 2.500 mm outside the part, off its surface (limit 1 mm)"
    )


def test_a_point_in_the_material_is_said_to_be_inside_before_what_follows(job, top):
    made = plan(job("A," + corner(top, lift=-2.5)))
    first, *others = made.finding_list
    assert (first.code, first.where) == ("P122", "A")
    assert (
        first.message == "the point lies 2.500 mm inside the part, below its surface (limit 1 mm)"
    )
    assert "error" in {finding.severity.value for finding in others}


@pytest.mark.parametrize(
    ("lift", "ball", "severity", "told"),
    [
        (2.9, 10.0, Severity.WARNING, "(limit 1 mm)"),
        (3.1, 10.0, Severity.ERROR, "the search goes 3 mm past the point"),
        (-2.9, 10.0, Severity.WARNING, "(limit 1 mm)"),
        (-3.1, 10.0, Severity.ERROR, "meets the surface before the search, which starts 3 mm"),
        (-20.0, 10.0, Severity.ERROR, "meets the surface before the search"),
    ],
)
def test_a_search_that_does_not_meet_the_surface_is_an_error(
    job, top, tmp_path, lift, ball, severity, told
):
    """The ball of 10 mm is larger than the search is long: no shank meets the part for it."""
    job("A," + corner(top, lift=lift))
    probe = f"[probe]\nstylus_length_mm = 100\nball_diameter_mm = {ball}\n[part]"
    text = JOB.replace("[part]", probe) + "[touch]\nsearch_before_mm = 3\n"
    text = text.replace("[approach]", "compensated = true\n[approach]")
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    read = read_job(tmp_path / "job.toml")
    (found,) = surface_findings(read, place(read))
    assert (found.code, found.severity) == ("P122", severity)
    assert told in found.message


@pytest.mark.parametrize(("lift", "off"), [(3.0, []), (0.0, ["P122"])])
def test_centres_of_the_ball_are_judged_by_the_surface_that_they_stand_for(
    job, top, tmp_path, lift, off
):
    """Centres of a ball of 6 mm lie 3 mm off the surface; those that lie on it are none."""
    job("A," + corner(top, lift=lift))
    text = JOB.replace("[part]", "[probe]\nball_diameter_mm = 6\n[part]")
    text = text.replace("[approach]", "compensated = false\n[approach]")
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    assert [one.code for one in surface_findings(read_job(tmp_path / "job.toml"))] == off


def test_an_open_skin_has_no_inside(job, top):
    made = plan(job("A," + corner(top, lift=-2.5), open_skin()))
    told = [finding.message for finding in made.finding_list if finding.code == "P122"]
    assert told == ["the point lies 2.500 mm from the part's surface (limit 1 mm)"]


def test_a_point_off_the_surface_that_is_served_stays_behind_the_errors():
    findings = [
        Finding(code="P101", severity=Severity.ERROR, subject=Point("B"), message="far"),
        Finding(code="P122", severity=Severity.WARNING, subject=Point("A"), message="off"),
        Finding(code="P122", severity=Severity.WARNING, subject=Point("B"), message="off"),
        Finding(code="P121", severity=Severity.ERROR, subject=Point("C"), message="in"),
    ]
    ordered = [(one.code, one.where) for one in causes_first(findings)]
    assert ordered == [("P121", "C"), ("P122", "B"), ("P101", "B"), ("P122", "A")]


@pytest.mark.parametrize(("right", "others"), [(0, ""), (1, " (all but P0)")])
def test_a_list_of_normals_that_is_turned_round_is_told_once_and_first(job, top, right, others):
    rows = "".join(
        f"P{k},{row_of(top, k)},0,0,{1 if k < right else -1}\n" for k in range(10 + right)
    )
    made = plan(job(rows))
    told = [finding for finding in made.finding_list if finding.code == "P121"]
    assert told == [made.finding_list[0]]
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


@cache
def lowest() -> np.ndarray:
    return open_part("block").geometry.mesh.bounds[0] * 1e3


def row_of(top: float, k: int) -> str:
    low = lowest()
    return f"{low[0] + 4 + k},{low[1] + 4},{top}"


def open_skin() -> bytes:
    """The block without its last triangle."""
    whole = stl_bytes(open_part("block").geometry.mesh)
    count = int.from_bytes(whole[80:84], "little")
    return whole[:80] + (count - 1).to_bytes(4, "little") + whole[84 : 84 + 50 * (count - 1)]


def test_an_open_skin_is_a_warning_and_leaves_the_plan_feasible(job, top):
    made = plan(job("A," + corner(top), open_skin()))
    assert ("P120", "part.stl") in codes(made)
