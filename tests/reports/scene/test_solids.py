"""Drawn meshes: within their budget, near the true ones, smooth where those are smooth."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from parts.geometry import TriangleMesh
from planner.job.part import box_mesh
from planner.job.solids import Cell, Solid, SolidKind
from reports.scene.bodies import capsule, failed_mark, reached_mark
from reports.scene.solids import creased, decimated, fair_shares, scene_solids


def ball(subdivisions=4, radius=0.1):
    mesh = trimesh.creation.icosphere(subdivisions=subdivisions, radius=radius)
    return TriangleMesh(vertices=mesh.vertices, faces=mesh.faces)


def solid(mesh, name="part", kind=SolidKind.PART):
    return Solid(name=name, kind=kind, mesh=mesh, closed=True)


def test_a_light_mesh_is_left_as_it_is():
    mesh = ball(2)
    coarse = decimated(mesh.vertices, mesh.faces, len(mesh))
    assert coarse.vertices is mesh.vertices
    assert coarse.moved == 0.0


@pytest.mark.parametrize("most", [4000, 1000, 100, 12, 1])
def test_a_heavy_mesh_keeps_to_its_budget_and_tells_how_far_corners_went(most):
    mesh = ball(5)  # 20,480 triangles
    coarse = decimated(mesh.vertices, mesh.faces, most)
    assert len(coarse.faces) <= most
    if most >= 100:
        assert len(coarse.faces) > 0.4 * most
        # Means of points of a ball lie within it, no deeper than the farthest one moved.
        depth = 0.1 - np.linalg.norm(coarse.vertices, axis=1)
        assert depth.min() >= -1e-12
        assert depth.max() <= coarse.moved
        outside = trimesh.Trimesh(coarse.vertices, coarse.faces, process=False)
        assert outside.volume > 0.0


def test_a_plane_stays_plane():
    grid = np.stack(np.meshgrid(np.arange(60.0), np.arange(60.0), [2.5]), axis=-1).reshape(-1, 3)
    corner = (60 * np.arange(59)[:, None] + np.arange(59)).ravel()
    faces = np.concatenate(
        [
            np.stack([corner, corner + 1, corner + 60], 1),
            np.stack([corner + 1, corner + 61, corner + 60], 1),
        ]
    )
    coarse = decimated(grid, faces, 800)
    assert 0 < len(coarse.faces) <= 800
    assert np.all(coarse.vertices[:, 2] == 2.5)


def test_a_box_has_sharp_edges_and_a_ball_none():
    box, sphere = box_mesh(np.array([0.1, 0.2, 0.3])), ball()
    sharp = creased(box.vertices, box.faces)
    assert len(sharp.vertices) == 24
    assert np.abs(np.abs(sharp.normals).max(axis=1) - 1.0).max() < 1e-12
    round_ = creased(sphere.vertices, sphere.faces)
    assert len(round_.vertices) == len(sphere.vertices)
    out = round_.vertices / np.linalg.norm(round_.vertices, axis=1, keepdims=True)
    assert np.sum(round_.normals * out, axis=1).min() > 0.999  # the facets are not the ball


def test_a_triangle_without_area_is_left_out():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]], float)
    mesh = creased(vertices, np.array([[0, 1, 2], [0, 1, 3]]))
    assert len(mesh.faces) == 1
    assert np.array_equal(mesh.normals, np.tile([0.0, 0.0, 1.0], (3, 1)))


def test_small_solids_keep_all_their_triangles():
    assert fair_shares([100, 12, 50], 1000) == [100, 12, 50]
    shares = fair_shares([90_000, 12, 30_000], 60_000)
    assert shares[1] == 12
    assert sum(shares) <= 60_000
    assert shares[0] == pytest.approx(3 * shares[2], rel=1e-3)


def test_what_was_made_coarser_is_said():
    cell = Cell(
        solids=(
            solid(ball(5), "part"),
            solid(box_mesh(np.ones(3)), "table", SolidKind.OBSTACLE),
        )
    )
    found = scene_solids(cell, 5_000)
    assert sum(len(s.faces) for s in found.solids) <= 5_000
    assert len(found.notes) == 1
    assert "of 20,480 triangles" in found.notes[0]
    assert found.solids[1].moved == 0.0


def test_a_job_without_geometry_has_no_solids(scenes):
    assert scenes["nine"].solids == ()


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        (capsule(0.0, 0.1), 4 / 3 * np.pi * 1e-3),
        (capsule(0.4, 0.1), 4 / 3 * np.pi * 1e-3 + np.pi * 0.01 * 0.4),
    ],
)
def test_capsules_are_closed_and_of_the_right_size(shape, volume):
    mesh = trimesh.Trimesh(shape.vertices, shape.faces, process=False)
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(volume, rel=0.03)  # flat sides lie within the round ones
    assert np.abs(np.linalg.norm(shape.normals, axis=1) - 1.0).max() < 1e-12


@pytest.mark.parametrize("shape", [reached_mark(0.01), failed_mark(0.01), capsule(0.1, 0.02)])
def test_normals_look_out_of_the_triangles(shape):
    corners = shape.vertices[shape.faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.all(np.sum(across[:, None] * shape.normals[shape.faces], axis=2) > 0.0)


def test_the_two_marks_differ_in_shape():
    assert len(reached_mark(0.01).faces) != len(failed_mark(0.01).faces)
    assert failed_mark(0.01).vertices[:, 0].max() > 1.3 * reached_mark(0.01).vertices[:, 0].max()
