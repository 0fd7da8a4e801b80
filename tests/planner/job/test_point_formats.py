"""``[points] file`` in every format of the trade."""

import numpy as np
import pytest

from planner.errors import JobError

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
    assert any(name in warning or "semicolons" in warning for warning in job.points.warnings)


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
    points = job_of(change=change, files=files).points
    assert points.normals.tolist() == [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]]
    assert "2 of 2 normals were taken from the nearest surface: 0 exact" in points.warnings[-1]
    with pytest.raises(JobError, match=r"2 of 2 points have no normal \(A, B\); add the normals"):
        job_of(change={'"points.csv"': '"p.csv"'}, files=files)
