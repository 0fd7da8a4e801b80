"""Against geometries in closed form: a ball, a box of triangles, an open sheet."""

import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts.points import (
    NormalCheck,
    ProbePoints,
    read_raw_points,
    surface_points,
    with_surface_normals,
)

RADIUS = 0.05


def listed(rows, header="name,x_m,y_m,z_m,nx,ny,nz\n"):
    lines = [",".join(str(cell) for cell in row) for row in rows]
    return read_raw_points((header + "\n".join(lines)).encode(), origin="p.csv")


class Ball:
    """A ball about the origin: all answers in closed form."""

    def __init__(self, *, analytic=True, watertight=True, turned=1.0):
        self.audit = types.SimpleNamespace(watertight=watertight)
        self.mesh = types.SimpleNamespace(
            size=np.full(3, 2 * RADIUS), bounds=np.array([[-RADIUS] * 3, [RADIUS] * 3])
        )
        self.faces = (types.SimpleNamespace(deflection=0.0 if analytic else 1e-5),)
        self.source = "ball.step"
        self.analytic, self.turned = analytic, turned

    def closest(self, points):
        lengths = np.linalg.norm(points, axis=1)
        out = points / lengths[:, None]
        return types.SimpleNamespace(
            points=RADIUS * out,
            normals=self.turned * out,
            distances=np.abs(lengths - RADIUS),
            faces=np.zeros(len(points), dtype=int),
            analytic=np.full(len(points), self.analytic),
        )

    def inside(self, points):
        return np.linalg.norm(points, axis=1) < RADIUS


def test_missing_normals_come_from_the_nearest_surface():
    found = listed([["A", 0.05, 0, 0, "", "", ""], ["B", 0, 0.0503, 0, 0, 1, 0]])
    points, report = with_surface_normals(found, Ball())
    assert points.normals.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert points.positions.tolist() == found.positions.tolist()
    assert report.taken.tolist() == [True, False]
    assert report.distances == pytest.approx([0.0, 3e-4], abs=1e-17)
    assert report.sentences() == (
        "The points lie at most 0.3 mm from the surface (B).",
        "1 of 2 normals were taken from the nearest surface: 1 exact, from analytic faces, 0 from "
        "triangles or interpolated.",
    )
    interpolated = with_surface_normals(found, Ball(analytic=False))[1]
    assert "0 exact, from analytic faces, 1 from triangles" in interpolated.sentences()[1]


def test_normals_into_the_material_are_named_and_never_turned():
    found = listed([["A", 0.05, 0, 0, -1, 0, 0], ["B", 0, 0.05, 0, 0, 1, 0]])
    points, report = with_surface_normals(found, Ball())
    assert points.normals.tolist() == [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert report.into_material.tolist() == [True, False]
    assert report.inward_names() == ("A",)
    assert report.angles == pytest.approx([np.pi, 0.0], abs=1e-15)
    assert report.sentences()[1] == (
        "1 of 2 normals point into the material (A; judged by steps into and out of the "
        "material); they were left as they are: turn them round in the file, or the part in its."
    )


def test_a_part_that_is_inside_out_gives_normals_into_the_material():
    """The surface's own orientation is not believed where the material can be asked."""
    found = listed([["A", 0.05, 0, 0, "", "", ""]])
    points, report = with_surface_normals(found, Ball(turned=-1.0))
    assert points.normals.tolist() == [[-1.0, 0.0, 0.0]]
    assert report.inward_names() == ("A",)


def test_open_geometry_is_judged_by_its_own_orientation():
    found = listed([["A", 0.05, 0, 0, -1, 0, 0], ["B", 0, 0.05, 0, 1, 0, 0]])
    report = with_surface_normals(found, Ball(watertight=False))[1]
    assert report.judged_by is NormalCheck.ORIENTATION
    assert report.into_material.tolist() == [True, False]
    assert report.unsure.tolist() == [False, True]
    assert "judged by the surface's own orientation, since the mesh is" in report.sentences()[1]
    assert report.sentences()[2].startswith(
        "Of 1 normals it cannot be determined whether they point"
    )


DIRECTIONS = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3)


@given(place=DIRECTIONS, normal=DIRECTIONS, offset=st.floats(-0.01, 0.01))
def test_the_judgement_is_the_sign_of_the_cosine(place, normal, offset):
    out = np.array(place) / np.linalg.norm(place)
    unit = np.array(normal) / np.linalg.norm(normal)
    points = ProbePoints(names=("A",), positions=[(RADIUS + offset) * out], normals=[unit])
    report = with_surface_normals(points, Ball())[1]
    cosine = float(out @ unit)
    if abs(cosine) > 1e-3:  # nearer to the tangent a step may not leave the curved surface
        assert bool(report.into_material[0]) is (cosine < 0.0)
        assert not report.unsure[0]
    assert report.angles[0] == pytest.approx(np.arccos(np.clip(cosine, -1, 1)), abs=1e-7)


def test_centres_without_normals_reach_the_surface():
    """A ball of radius 2 mm touches from outside: centres lie at 52 mm."""
    raw = b"A 52 0 0 SP\nB 0 -52 0 SP\n"
    found = read_raw_points(raw, origin="a.pts", unit="mm")
    points, report = with_surface_normals(found, Ball())
    assert report.distances == pytest.approx([0.002, 0.002], abs=1e-16)
    done = surface_points(found.filled(points), ball_diameter=0.004)
    assert np.abs(done.positions - [[0.05, 0, 0], [0, -0.05, 0]]).max() < 1e-16


def test_values_cannot_be_changed():
    report = with_surface_normals(listed([["A", 0.05, 0, 0, 1, 0, 0]]), Ball())[1]
    with pytest.raises(ValueError, match="read-only"):
        report.distances[0] = 1.0
