"""Searches in the tree of triangles: equal to brute force, whatever the triangles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from planner.clearance.distance_field import Field, Group, Work, container, tree_of
from planner.clearance.tree import DEPTH, Left, Stack, Tree, search
from planner.job.solids import Solid, SolidKind


def solid(mesh, closed=True, name="s"):
    return Solid(name=name, kind=SolidKind.OBSTACLE, mesh=mesh, closed=closed)


def found_in(tree, start, end, limit=math.inf):
    none = Left(stamps=np.empty(1, dtype=np.int64), stamp=-1)
    segment = tuple(start), tuple(end - start)
    square, item = search(
        Tree(tree.boxes, tree.corners), segment, (limit**2, 0.0), none, empty_stack()
    )
    return math.sqrt(square), item


def within(tree, x):
    """By rays alone: a field that tells nothing."""
    counts = np.zeros((len(tree.kinds) + 1, 2), dtype=np.int64)
    work = Work(empty_stack(), counts, np.empty(4), np.empty(1, dtype=np.int64))
    unsure = Field(
        np.zeros(1, dtype=np.float32), np.array([0.0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1])
    )
    group = Group(Tree(tree.boxes, tree.corners), tree.owners, tree.kinds, unsure)
    return container(group, tuple(x), work)


def empty_stack():
    return Stack(nodes=np.empty(DEPTH, dtype=np.int64), gaps=np.empty(DEPTH))


@pytest.mark.parametrize("count", [1, 2, 5, 33, 300])
def test_the_nearest_of_a_heap_of_triangles(brute, count):
    rng = np.random.default_rng(count)
    vertices = rng.normal(size=(3 * count, 3)) * 0.1 + np.repeat(rng.normal(size=(count, 3)), 3, 0)
    vertices[1] = vertices[0]  # one of them has no area
    mesh = TriangleMesh(vertices=vertices, faces=np.arange(3 * count).reshape(-1, 3))
    tree = tree_of([solid(mesh, closed=False)])
    assert sorted(tree.items) == list(range(count))
    for _ in range(30):
        start, end = rng.normal(size=(2, 3)) * 2.0
        expected = brute.segment(start, end, mesh.triangles)
        gap, item = found_in(tree, start, end)
        # Rounding of a few products of numbers near 1.
        assert gap == pytest.approx(expected, abs=1e-12)
        own = mesh.triangles[tree.items[item]][None]
        assert brute.segment(start, end, own) == pytest.approx(gap, abs=1e-12)
        if expected > 0.0:
            assert found_in(tree, start, end, 0.999 * expected) == (0.999 * expected, -1)


def test_boxes_hold_what_is_under_them(brute):
    tree = tree_of([solid(brute.sphere((0.3, 0.2, 0.1), 0.4, 0.2))])
    low, high = tree.boxes[:, :3] - tree.boxes[:, 3:], tree.boxes[:, :3] + tree.boxes[:, 3:]
    for node in range(1, len(tree.boxes)):
        above = (node - 1) // 2
        assert (low[above] <= low[node]).all()
        assert (high[above] >= high[node]).all()
    corners = tree.corners.reshape(-1, 3, 3)
    leaves = (len(tree.boxes) + 1) // 2
    for leaf in range(leaves):
        own = corners[leaf * len(tree) // leaves : (leaf + 1) * len(tree) // leaves].reshape(-1, 3)
        assert (low[leaves - 1 + leaf] <= own).all()
        assert (high[leaves - 1 + leaf] >= own).all()


@pytest.mark.parametrize("turned", [False, True], ids=["winding", "parity"])
def test_inside_as_by_solid_angles(brute, turned):
    """Two closed bodies that overlap, an open one; one body may have some triangles turned."""
    ball, box = brute.sphere((0.0, 0.0, 0.0), 0.5, 0.2), brute.box((0.4, 0.0, 0.0), (0.5, 0.5, 0.5))
    faces = np.array(ball.faces)
    if turned:
        faces[::3] = faces[::3, ::-1]
    shown = TriangleMesh(vertices=ball.vertices, faces=faces)
    sheet = TriangleMesh(vertices=np.eye(3), faces=np.array([[0, 1, 2]]))
    tree = tree_of([solid(shown), solid(box), solid(sheet, closed=False)])
    points = np.random.default_rng(7).uniform(-0.7, 0.7, (200, 3))
    in_ball, in_box = (brute.winding(points, m.triangles) != 0 for m in (ball, box))
    expected = np.where(in_ball, 0, np.where(in_box, 1, -1))
    assert [within(tree, x) for x in points] == expected.tolist()
    assert set(expected) == {-1, 0, 1}


def test_inside_where_every_ray_meets_an_edge_of_the_drawing():
    """A box's own symmetric points, on the diagonals of its faces."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    faces = np.array([t for q in quads for t in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))])
    tree = tree_of([solid(TriangleMesh(vertices=corners, faces=faces))])
    assert [within(tree, [x, x, x]) for x in (0.25, 0.5, 0.75)] == [0, 0, 0]
    assert [within(tree, [x, x, x]) for x in (-0.25, 1.25)] == [-1, -1]
