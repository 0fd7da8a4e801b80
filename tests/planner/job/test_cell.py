"""The cell of a job: part and obstacles in the base frame, each with what it came from."""

import hashlib
import re

import numpy as np
import pytest

from parts.geometry import audit
from parts.library import open_part, stl_bytes
from planner.errors import JobError
from planner.job.part import box_mesh
from planner.job.solids import SolidKind

POINTS = '[points]\nfile = "points.csv"'
TABLE = """
[[cell.obstacle]]
name = "table"
box_mm = [800, 600, 50]
pose = { translation_mm = [100, 1500, 300], rotation_zyx_deg = [90, 0, 0] }
"""


def with_text(text):
    return {POINTS: f"{text}\n{POINTS}"}


@pytest.fixture
def plate(tmp_path):
    """The library's inclined plate as an STL file in the job's folder."""
    raw = stl_bytes(open_part("inclined-plate").geometry.mesh)
    (tmp_path / "plate.stl").write_bytes(raw)
    return raw


def test_a_job_without_geometry_has_an_empty_cell(job_of):
    job = job_of()
    assert job.cell.solids == ()
    assert job.cell.part is None
    assert job.geometry is None


@pytest.mark.parametrize("size", [(1.0, 2.0, 3.0), (0.01, 5.0, 0.2)])
def test_a_box_is_a_closed_skin_about_its_middle(size):
    mesh = box_mesh(np.array(size))
    found = audit(mesh)
    assert (found.watertight, found.consistent, found.inverted) == (True, True, False)
    assert mesh.volume == pytest.approx(np.prod(size), rel=1e-12)
    assert np.array_equal(mesh.bounds, [-np.array(size) / 2, np.array(size) / 2])


def test_a_box_turns_then_moves(job_of):
    job = job_of(change=with_text(TABLE + "keep_out = true"))
    (table,) = job.cell.solids
    assert (table.name, table.kind, table.closed) == ("table", SolidKind.KEEP_OUT, True)
    # Turned by 90 deg, its 800 mm lie along the base's y; exact, as cosines of 90 deg are.
    expected = [[-0.2, 1.1, 0.275], [0.4, 1.9, 0.325]]
    assert np.allclose(table.mesh.bounds, expected, rtol=0, atol=1e-15)
    assert job.cell.part is None


@pytest.mark.usefixtures("plate")
def test_the_part_comes_first_and_moves_with_its_pose(job_of):
    part = '[part]\ngeometry = "plate.stl"\nunit = "mm"\npose.translation_mm = [0, 1000, 0]\n'
    change = with_text(TABLE + part)
    points = {"points.csv": "name,x_mm,y_mm,z_mm,nx,ny,nz\nA,250,1200,337.5,0,0,1\n"}
    job = job_of(change=change, files=points)
    assert [solid.name for solid in job.cell.solids] == ["part", "table"]
    solid = job.cell.part
    assert (solid.kind, solid.closed) == (SolidKind.PART, True)
    assert np.allclose(solid.mesh.bounds - job.geometry.mesh.bounds, [0, 1, 0], atol=1e-15)
    assert job.geometry.audit is job.surface.audit


def test_an_obstacle_from_a_file_is_an_input_of_the_job(job_of, plate):
    text = '[[cell.obstacle]]\nname = "wedge"\ngeometry = "plate.stl"\nunit = "{}"\n'
    job = job_of(change=with_text(text.format("mm")))
    (wedge,) = job.cell.solids
    assert (wedge.kind, wedge.closed) == (SolidKind.OBSTACLE, True)
    assert np.allclose(wedge.mesh.size, [0.5, 0.4, 0.4], atol=1e-7)  # STL holds 24 bits
    assert job.inputs[-1].name == "plate.stl"
    assert job.inputs[-1].sha256 == hashlib.sha256(plate).hexdigest()
    inches = job_of(change=with_text(text.format("in"))).cell.solids[0]
    assert np.allclose(inches.mesh.size, 25.4 * wedge.mesh.size, rtol=1e-7)


def test_an_obstacle_that_is_not_closed_is_kept_and_says_so(job_of, tmp_path):
    triangle = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 9 0 0\nvertex 0 9 0\nendloop"
    (tmp_path / "sheet.stl").write_text(f"solid s\n{triangle}\nendfacet\nendsolid s\n")
    text = '[[cell.obstacle]]\nname = "sheet"\ngeometry = "sheet.stl"\nunit = "mm"'
    (sheet,) = job_of(change=with_text(text)).cell.solids
    assert not sheet.closed
    assert len(sheet.mesh) == 1


BOX = '[[cell.obstacle]]\nname = "a"\nbox_mm = [1, 1, 1]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[cell.obstacle]]\nname = "a"',
            "line 6: cell.obstacle[0].geometry is missing; give a geometry file, or box_mm",
        ),
        (BOX + BOX, "line 10: cell.obstacle[1].name is 'a', an earlier obstacle's name; rename it"),
        (BOX.replace('"a"', '"part"'), "cell.obstacle[0].name is 'part', the part's name"),
        (BOX + 'geometry = "plate.stl"', "line 8: cell.obstacle[0].box_mm stands beside geometry"),
        (BOX + 'unit = "mm"', "cell.obstacle[0].unit is the unit of a geometry file, but there is"),
        (BOX.replace("[1, 1, 1]", "[1, 0, 1]"), "box_mm[1] is 0; expected a number above 0"),
        (BOX.replace("[1, 1, 1]", "[1, 1]"), "cell.obstacle[0].box_mm[2] is missing"),
        (BOX + "keep_out = 1", "cell.obstacle[0].keep_out is 1; expected true or false."),
        (BOX + "colour = 1", "cell.obstacle[0].colour is not a known key; known here: box_mm,"),
        (BOX + "pose.translation_mm = [1e200, 0, 0]", "obstacle[0].pose cannot be used: Vertex 0"),
        (
            '[[cell.obstacle]]\nname = "a"\ngeometry = "plate.stl"',
            "line 6: cell.obstacle[0].unit is missing; STL files carry no unit.",
        ),
        (
            '[[cell.obstacle]]\nname = "a"\ngeometry = "none.stl"\nunit = "mm"',
            "cell.obstacle[0].geometry is 'none.stl', but",
        ),
        (
            '[[cell.obstacle]]\nname = "a"\ngeometry = "../x.stl"\nunit = "mm"',
            "cell.obstacle[0].geometry is '../x.stl', which leaves the job's folder",
        ),
        (
            '[[cell.obstacle]]\nname = "a"\ngeometry = "points.csv"',
            "geometry is 'points.csv'; expected a file ending in one of .stl, .obj",
        ),
        (
            '[[cell.obstacle]]\nname = "a"\ngeometry = "bad.stl"\nunit = "mm"',
            "line 8: cell.obstacle[0].geometry is 'bad.stl', which cannot be read: bad.stl: ",
        ),
        ("[cell]\nobstacles = []", "cell.obstacles is not a known key; did you mean 'obstacle'?"),
    ],
)
@pytest.mark.usefixtures("plate")
def test_a_bad_obstacle_is_told_with_its_line_and_key(job_of, text, message):
    with pytest.raises(JobError, match=re.escape(message)):
        job_of(change=with_text(text), files={"bad.stl": "solid nothing"})
