"""Rims: the true edges of faces, whatever the triangles that stand for them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import trimesh

from parts.features.feature import choose_feature, feature_of_face
from parts.geometry import Geometry
from parts.geometry.mesh import TriangleMesh
from parts.geometry.surfaces import Cylinder, Plane, Sphere
from parts.library import open_part
from parts.sampling.sample import AccessLimits, sample
from tests.parts.features.test_recognition import SIDES, plate, upright, with_faces

CORNERS = [(-0.025, -0.015, 180), (0.025, -0.015, 270), (0.025, 0.015, 0), (-0.025, 0.015, 90)]
BORE = upright(0.004, 0.002, 0.006, inner=True)


@pytest.fixture(scope="module")
def block():
    return open_part("block").geometry


def rounded(steps: int) -> Geometry:
    """A plate with four rounds and a bore, in chords of so many to a quarter of a turn."""
    turn = np.radians(np.linspace(0.0, 90.0, steps + 1))
    outline = [
        (x + 0.005 * np.cos(np.radians(a) + t), y + 0.005 * np.sin(np.radians(a) + t))
        for x, y, a in CORNERS
        for t in turn
    ]
    full = np.arange(4 * steps) * np.radians(90.0) / steps
    bore = [(0.004 + 0.006 * np.cos(t), 0.002 + 0.006 * np.sin(t)) for t in full]
    rounds = [upright(x, y, 0.005, inner=False) for x, y, _ in CORNERS]
    return plate(outline, [bore], [*SIDES, *rounds, BORE])


@cache
def fine_layouts() -> list[np.ndarray]:
    return layouts(rounded(16))


def layouts(geometry: Geometry, margin: float = 5e-4) -> list[np.ndarray]:
    """Of all its faces, which have the order of their surfaces."""
    return [
        sample(feature_of_face(geometry, face), count=12, reach=AccessLimits(edge_margin=margin))
        .points.positions
        for face in geometry.faces
    ]  # fmt: skip


def test_distances_are_those_from_the_circle_of_a_bore(block):
    """Its polygon strays by 18 µm; outside of it and inside, in front of a corner and beside it."""
    rim = choose_feature(block, "top").rim
    turn = np.linspace(0.0, 0.5, 101)  # five chords
    for radius in (0.012, 0.0185, 0.0151, 0.013):
        points = np.column_stack(
            [0.020 + radius * np.cos(turn), 0.060 + radius * np.sin(turn), np.full(101, 0.030)]
        )
        assert rim.distances(points) == pytest.approx(abs(radius - 0.015), abs=1e-8)


def test_points_off_the_part_are_on_no_face(block):
    """Whether all of them are, or some."""
    rim = choose_feature(block, "top").rim
    points = np.array([[0.060, 0.010, 0.030], [0.060, 0.010, 0.031], [0.020, 0.060, 0.030]])
    assert rim.keeps(points, 1e-3).tolist() == [True, False, False]
    assert not rim.keeps(points[1:], 1e-3).any()


def test_how_finely_a_mesh_is_divided_moves_no_layout():
    """Chords that stray by 24 and by 6 µm: the same edges of planes, rounds and bore."""
    for coarse, fine in zip(layouts(rounded(8)), fine_layouts(), strict=True):
        assert np.abs(coarse - fine).max() < 1e-7


def test_facets_beside_a_smooth_edge_may_belong_to_either_surface():
    """The first facet of each round given to the plane that runs on into it, as a mesh may be."""
    exact = rounded(16)
    centres = exact.mesh.triangles.mean(axis=1)
    pieces = [(face.surface, face.triangles) for face in exact.faces]
    owner = exact.face_of_triangle.copy()
    for number, (surface, rows) in enumerate(pieces):
        if isinstance(surface, Cylinder) and not surface.reversed:
            for side, (wall, _) in enumerate(pieces[:4]):
                assert isinstance(wall, Plane)
                owner[rows[np.abs(wall.distance(centres[rows])) < 1.3e-5]] = side
            assert 0 < np.sum(owner == number) < len(rows)
    other = with_faces(
        exact, [(surface, np.flatnonzero(owner == k)) for k, (surface, _) in enumerate(pieces)]
    )
    for before, after in zip(fine_layouts(), layouts(other), strict=True):
        assert np.abs(before - after).max() < 1e-7


@pytest.mark.parametrize("count", [16, 24])
def test_a_piece_of_a_sphere_reaches_to_its_pole_though_no_corner_lies_there(block, count):
    """Before, an eighth ended at its corner nearest to the pole, wherever a mesh had one."""
    ball = trimesh.creation.uv_sphere(radius=0.010, count=[count, count])
    mesh = TriangleMesh(vertices=ball.vertices, faces=ball.faces)
    eighth = np.all(mesh.triangles.mean(axis=1) > 0.0, axis=1)
    surface = Sphere(centre=np.zeros(3), radius=0.010)
    geometry = with_faces(
        replace(block, mesh=mesh, corner_normals=None),
        [(surface, np.flatnonzero(eighth)), (surface, np.flatnonzero(~eighth))],
    )
    patch = feature_of_face(geometry, geometry.faces[0]).patch
    assert patch.axis == pytest.approx(np.full(3, 3.0**-0.5), abs=5e-3)  # it ends at whole facets
    assert patch.end == pytest.approx(0.010 * 0.5 * np.pi, abs=1e-12)


def test_the_area_of_a_face_is_known_from_its_rim(block):
    top = choose_feature(block, "top").rim.vector_area()
    bores = np.pi * (0.010**2 + 0.006**2 + 0.015**2 + 0.012**2)
    assert top[:2] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert top[2] == pytest.approx(0.120 * 0.080 - bores, rel=1e-6)
    whole = choose_feature(block, "hole-20").rim.vector_area()  # two circles, one each way
    assert whole == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("by_index", [False, True])  # the feature, the face
def test_only_beside_what_has_no_surface_a_rim_strays_by_the_deflection(block, by_index):
    faces = tuple(
        replace(face, surface=None, kind="freeform", deflection=5e-5)
        if face.name == "right"
        else replace(face, deflection=4e-5)
        for face in block.faces
    )
    changed = replace(block, faces=faces)
    for face in block.faces:
        if face.kind == "plane" and face.name != "right":
            rim = choose_feature(changed, f"#{face.index}" if by_index else face.name).rim
            beside = face.name in ("top", "bottom", "front", "back")
            assert rim.slack == (5e-5 if beside else 0.0), face.name


def test_the_corners_of_an_inset_plane_are_on_it(block):
    """Also beside a face whose edges are not known: points near a side are not lost."""
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    for deflection in (0.0, 3e-5):
        faces = tuple(
            replace(face, surface=None, kind="freeform", deflection=deflection)
            if face.name == "left"
            else face
            for face in block.faces
        )
        front = choose_feature(replace(block, faces=faces), "front")
        inset = front.inset(2e-3).at(corners).positions
        assert front.keeps(inset, 2e-3).all()
        assert front.rim.distances(inset) == pytest.approx(2e-3 + deflection, abs=1e-7)
