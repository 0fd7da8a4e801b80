"""``[points] file`` in every format of the trade."""

import numpy as np
import pytest

from parts.points import FORMATS
from planner.errors import JobError
from planner.findings import Severity
from planner.findings.point_findings import point_file_findings
from planner.job import json_schema

FILES = {
    "p.xyz": "XYZIJK    METRIC\n400,1500,1200,0,0,1\n500,1400,1100,0,0,1\n",
    "p.dmi": (
        "UNITS/MM\nMEAS/PLANE,F(A),2\nPTMEAS/CART,400,1500,1200,0,0,1\n"
        "PTMEAS/CART,500,1400,1100,0,0,1\nENDMES\nENDFIL\n"
    ),
    "p.csv": "name;x_mm;y_mm;z_mm;nx;ny;nz\nA;400,0;1500;1200;0;0;1\nB;500;1400;1100;0;0;1\n",
    "p.pts": "A 400 1500 1201 0 0 1 SP\nB 500 1400 1101 0 0 1 SP\n",
}
EXPECTED = [[0.4, 1.5, 1.2], [0.5, 1.4, 1.1]]
CENTRES = 'unit = "mm"\ncompensated = false\n[probe]\nball_diameter_mm = 2\n'
BLOCK = (
    "solid b\n"
    + "".join(
        f"facet normal 0 0 0\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet\n"
        for a, b, c in (
            ("0 0 0", "0 9 0", "9 0 0"),
            ("0 0 0", "0 0 9", "0 9 0"),
            ("0 0 0", "9 0 0", "0 0 9"),
            ("9 0 0", "0 9 0", "0 0 9"),
        )
    )
    + "endsolid b\n"
)


def change_to(name, more=""):
    return {'"points.csv"\nframe = "base"\n': f'"{name}"\nframe = "base"\n{more}'}


@pytest.mark.parametrize("name", ["p.xyz", "p.dmi", "p.csv"])
def test_points_of_the_trade(job_of, name):
    job = job_of(change=change_to(name), files=FILES)
    assert np.array_equal(job.points.positions, EXPECTED)
    assert job.inputs[-1].name == name
    assert job.points.warnings == ()
    told = [finding for finding in point_file_findings(job) if finding.code == "P124"]
    assert [(one.severity, one.where) for one in told] == [(Severity.NOTE, name)]


def test_centres_of_the_ball_need_the_jobs_word(job_of):
    job = job_of(change=change_to("p.pts", CENTRES), files=FILES)
    assert job.points.positions[0].tolist() == [0.4, 1.5, 1.201]  # planned as centres
    assert not job.probe.compensated
    told = "line 10: points.compensated must be false: the coordinates of p.pts are centres of the"
    with pytest.raises(JobError, match=told):
        job_of(change=change_to("p.pts", 'unit = "mm"\ncompensated = true\n'), files=FILES)
    with pytest.raises(JobError, match="carry no unit, and a unit is never guessed"):
        job_of(change=change_to("p.pts", "compensated = false\n"), files=FILES)


def test_surface_points_cannot_be_called_centres(job_of):
    with pytest.raises(JobError, match=r"is false, but the points of p\.xyz lie on the surface"):
        job_of(change=change_to("p.xyz", "compensated = false\n"), files=FILES)


def test_a_unit_without_a_file_or_against_it(job_of):
    with pytest.raises(JobError, match=r"lengths are in mm .* the unit is given as 'in'"):
        job_of(change=change_to("p.xyz", 'unit = "in"\n'), files=FILES)
    inline = 'unit = "mm"\n[[points.point]]\nname="A"\nx_mm=1\ny_mm=1\nz_mm=1\nnx=0\nny=0\nnz=1\n'
    with pytest.raises(JobError, match=r"points.unit is the unit of a point file, but there is"):
        job_of(change={'file = "points.csv"\nframe = "base"\n': inline})


def test_missing_normals_come_from_the_parts_geometry(job_of):
    files = {"p.csv": "name,x_mm,y_mm,z_mm\nA,3,3,0\nB,0,3,3\n", "b.stl": BLOCK}
    part = '[part]\ngeometry = "b.stl"\nunit = "mm"\npose = { translation_mm = [0, 1500, 800] }\n'
    change = {'"points.csv"\nframe = "base"\n': f'"p.csv"\n{part}'}
    job = job_of(change=change, files=files)
    points = job.points
    assert points.normals.tolist() == [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]]
    assert (
        "2 of 2 normals were taken from the nearest surface: 0 exact"
        in (job.point_source.notes[-1])
    )
    with pytest.raises(JobError, match=r"2 of 2 points have no normal \(A, B\); add the normals"):
        job_of(change={'"points.csv"': '"p.csv"'}, files=files)


LIST = "A 400 1500 1201 0 0 1\nB 500 1400 1101 0 0 1\n"


def test_a_list_without_header_must_name_its_format(job_of):
    files = {"p.txt": LIST}
    with pytest.raises(
        JobError, match=r'say format = "list", "metrolog", "polyworks" .* or "power'
    ):
        job_of(change=change_to("p.txt", 'unit = "mm"\n'), files=files)
    surface = 'unit = "mm"\nformat = "{}"\ncompensated = true\n[probe]\nball_diameter_mm = 2\n'
    for name in ("list", "metrolog", "polyworks"):
        job = job_of(change=change_to("p.txt", surface.format(name)), files=files)
        assert job.probe.compensated
        assert job.points.positions[0].tolist() == [0.4, 1.5, 1.201]
    centres = CENTRES.replace("unit", 'format = "power-inspect"\nunit')
    assert not job_of(change=change_to("p.txt", centres), files=files).probe.compensated
    for name in ("list", "polyworks"):  # centres in a list, by the job's word
        centres = CENTRES.replace("unit", f'format = "{name}"\nunit')
        assert not job_of(change=change_to("p.txt", centres), files=files).probe.compensated


def test_a_format_that_is_not_known_or_not_used(job_of):
    with pytest.raises(JobError, match=r"points\.format.*'cad'.*list"):
        job_of(change=change_to("p.xyz", 'format = "cad"\n'), files=FILES)
    inline = 'format = "csv"\n[[points.point]]\nname="A"\nx_mm=1\ny_mm=1\nz_mm=1\n'
    inline += "nx=0\nny=0\nnz=1\n"
    with pytest.raises(JobError, match=r"points\.format is the format of a point file, but there"):
        job_of(change={'file = "points.csv"\nframe = "base"\n': inline})
    with pytest.raises(JobError, match=r"p\.xyz, line 1: "):
        job_of(change=change_to("p.xyz", 'format = "csv"\n'), files=FILES)


def test_the_schema_names_every_format():
    table = json_schema()["$defs"]["PointsTable"]["properties"]["format"]
    assert table["default"] == "auto"
    assert set(table["enum"]) == {"auto", *FORMATS}


def test_what_a_file_does_not_give_is_a_finding_of_the_plan(job_of):
    from planner.planning import plan

    lost = "F(C1)=FEAT/CIRCLE,INNER,CART,0,0,0,0,0,1,8\nMEAS/CIRCLE,F(C1),4\nENDMES\n"
    files = {"p.dmi": FILES["p.dmi"].replace("ENDFIL", lost + "ENDFIL")}
    planned = plan(job_of(change=change_to("p.dmi"), files=files))
    (found,) = [one for one in planned.finding_list if one.code == "P123"]
    assert (found.severity, found.where) == (Severity.WARNING, "C1")
    assert "line 7: its block has no PTMEAS (n = 4)" in found.message
    assert "MEAS/CIRCLE,F(C1),4" in found.message
    assert "palpeur sample" in found.hint


def test_doubtful_normals_are_a_finding(job_of):
    files = {"p.csv": "name,x_mm,y_mm,z_mm,nx,ny,nz\nA,400,1500,1200,0,0,2\n"}
    found = point_file_findings(job_of(change=change_to("p.csv"), files=files))
    assert [(one.code, one.severity, one.where) for one in found] == [
        ("P125", Severity.WARNING, "p.csv")
    ]
    assert "not of length 1 (A has length 2)" in found[0].message
