"""The real geometry room: a block of triangles written as STL."""

import numpy as np
import pytest

from parts.errors import PointsError
from parts.geometry import load_geometry
from parts.points import NormalCheck, check_scale, read_points, with_surface_normals


def stl(faces):
    lines = ["solid block"]
    for triangle in faces:
        corners = "".join(f"vertex {x} {y} {z}\n" for x, y, z in triangle)
        lines.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet")
    return "\n".join([*lines, "endsolid block\n"])


def block():
    """Triangles of a block of 100 by 60 by 40, a corner at the origin, outside out."""
    faces = []
    for axis in range(3):
        for side in (0, 1):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            square = np.zeros((4, 3))
            square[:, axis] = side
            square[[1, 2], u] = 1
            square[[2, 3], v] = 1
            order = [0, 1, 2, 3] if side else [0, 3, 2, 1]
            a, b, c, d = square[order] * [100.0, 60.0, 40.0]
            faces += [(a, b, c), (a, c, d)]
    return faces


@pytest.fixture
def geometry_of(tmp_path):
    def load(faces, unit="mm"):
        path = tmp_path / "block.stl"
        path.write_text(stl(faces))
        return load_geometry(path, unit=unit)

    return load


@pytest.fixture
def points_of(tmp_path):
    def read(text):
        path = tmp_path / "p.csv"
        path.write_text("name,x_mm,y_mm,z_mm,nx,ny,nz\n" + text)
        return read_points(path)

    return read


ROWS = "top,50,30,40.02,,,\nside,100,30,20,1,0,0\nwrong,50,30,0,0,0,1\n"


def test_a_watertight_block(geometry_of, points_of):
    geometry, found = geometry_of(block()), points_of(ROWS)
    check_scale(found, geometry)
    points, report = with_surface_normals(found, geometry)
    assert points.normals.tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert report.judged_by is NormalCheck.MATERIAL
    assert report.inward_names() == ("wrong",)
    assert not report.unsure.any()
    # 0.02 mm in coordinates of 0.04 m: rounding of the difference.
    assert report.distances == pytest.approx([2e-5, 0.0, 0.0], abs=2e-17)


def test_a_block_without_its_lid_is_judged_by_orientation(geometry_of, points_of):
    points, report = with_surface_normals(points_of(ROWS), geometry_of(block()[:-2]))
    assert report.judged_by is NormalCheck.ORIENTATION
    assert report.inward_names() == ("wrong",)
    assert len(points) == 3


def test_points_on_an_edge_cannot_be_judged_and_say_so(geometry_of, points_of):
    edge = points_of("e,100,30,40,0.6,0,-0.8\nok,100,30,20,1,0,0\n")
    report = with_surface_normals(edge, geometry_of(block()))[1]
    assert report.unsure.tolist() == [True, False]  # both steps from the edge end outside
    assert not report.into_material.any()


def test_a_unit_slip_of_the_geometry_is_found(geometry_of, points_of):
    found = points_of("a,10,10,40,0,0,1\nb,90,10,40,0,0,1\nc,50,50,40,0,0,1\n")
    with pytest.raises(PointsError, match=r"p\.csv and block\.stl are off by a factor of 1000"):
        check_scale(found, geometry_of(block(), unit="m"))
