"""Inside or outside: analytic bodies, trimesh, and rays that meet edges."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import PartError
from parts.geometry import TriangleMesh
from parts.geometry.proximity import InsideTest


def test_points_of_a_box_even_in_line_with_its_edges(cube):
    mesh = TriangleMesh(vertices=np.array(cube.vertices), faces=np.array(cube.faces))
    grid = np.stack(np.meshgrid(*[np.linspace(-2.5, 2.5, 11)] * 3), axis=-1).reshape(-1, 3)
    gaps = np.abs(grid) - [1.0, 1.5, 2.0]
    clear = np.abs(gaps).min(axis=1) > 1e-9  # points on the skin have no side
    inside = InsideTest(mesh, consistent=True).inside(grid)
    assert np.array_equal(inside[clear], (gaps < 0).all(axis=1)[clear])


def test_a_ray_through_a_corner_is_cast_again(monkeypatch, cube):
    from parts.geometry import proximity as module

    rotation = module._rotation
    monkeypatch.setattr(module, "_rotation", lambda n: np.eye(3) if n == 0 else rotation(n))
    mesh = TriangleMesh(vertices=np.array(cube.vertices), faces=np.array(cube.faces))
    below_corner = np.array([[1.0, 1.5, -5.0], [0.0, 0.0, 0.0], [0.999, 1.499, 0.0]])
    assert InsideTest(mesh, consistent=True).inside(below_corner).tolist() == [False, True, True]


def test_it_agrees_with_trimesh_on_a_torus():
    import trimesh

    peer = trimesh.creation.torus(1.0, 0.4, major_sections=40, minor_sections=20)
    mesh = TriangleMesh(vertices=np.array(peer.vertices), faces=np.array(peer.faces))
    q = np.random.default_rng(1).uniform(-1.5, 1.5, size=(400, 3)) * [1, 1, 0.4]
    assert np.array_equal(InsideTest(mesh, consistent=True).inside(q), peer.contains(q))


@pytest.mark.parametrize("turned", [False, True])
def test_overlapping_bodies_and_bodies_inside_out(cube, turned):
    vertices, faces = np.array(cube.vertices), np.array(cube.faces)
    faces = faces[:, ::-1] if turned else faces
    mesh = TriangleMesh(
        vertices=np.concatenate([vertices, vertices + np.array([1.0, 0.0, 0.0])]),
        faces=np.concatenate([faces, faces + 8]),
    )
    q = [[0.5, 0.1, 0.2], [-0.5, 0.1, 0.2], [1.5, 0.1, 0.2], [2.5, 0.1, 0.2]]
    test = InsideTest(mesh, consistent=True)
    assert test.inside(np.array(q)).tolist() == [True, True, True, False]


def test_a_cavity_is_outside(cube):
    vertices, faces = np.array(cube.vertices), np.array(cube.faces)
    mesh = TriangleMesh(
        vertices=np.concatenate([vertices, vertices / 2]),
        faces=np.concatenate([faces, faces[:, ::-1] + 8]),
    )
    q = np.array([[0.1, 0.1, 0.1], [0.8, 0.1, 0.1]])
    for consistent in (True, False):
        assert InsideTest(mesh, consistent=consistent).inside(q).tolist() == [False, True]


def test_an_open_mesh_has_no_inside(read, cube):
    open_box = type(cube)(np.array(cube.vertices), np.array(cube.faces)[1:], process=False)
    geometry = read("box.stl", open_box.export(file_type="stl"), "mm")
    with pytest.raises(PartError, match=r"not watertight \(3 open and 0 non-manifold edges\)"):
        geometry.inside([[0, 0, 0]])
