"""Nearest triangles: brute force as the oracle, on meshes that are hard for trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parts.errors import PartError
from parts.geometry import TriangleMesh
from parts.geometry import proximity as tree_module
from parts.geometry.proximity import BoxTree, NearestTriangles, barycentric, closest_on_triangles
from tests.cases import cases, some

ROUND = 1e-14  # coordinates are of order one


def brute(mesh, queries):
    t = mesh.triangles[mesh.areas > 0]
    return np.array(
        [
            np.linalg.norm(closest_on_triangles(np.tile(q, (len(t), 1)), t) - q, axis=1).min()
            for q in queries
        ]
    )


def needles():
    """A cylinder of long slivers with two fans, and a crumb far away."""
    import trimesh

    long = trimesh.creation.cylinder(radius=0.05, height=3.0, sections=300)
    crumb = trimesh.creation.icosphere(subdivisions=2, radius=0.001)
    crumb.apply_translation([0.4, 0.3, 0.2])
    both = trimesh.util.concatenate([long, crumb])
    return TriangleMesh(vertices=np.array(both.vertices), faces=np.array(both.faces))


def soup():
    rng = np.random.default_rng(3)
    corners = rng.normal(size=(300, 1, 3)) + rng.normal(size=(300, 3, 3)) * rng.choice(
        [1e-4, 0.1, 2.0], size=(300, 1, 1)
    )
    corners[:5, 1] = corners[:5, 0]  # without area
    return TriangleMesh(vertices=corners.reshape(-1, 3), faces=np.arange(900).reshape(-1, 3))


def ball():
    import trimesh

    peer = trimesh.creation.icosphere(subdivisions=3)
    return TriangleMesh(vertices=np.array(peer.vertices), faces=np.array(peer.faces))


@pytest.mark.parametrize("make", [needles, soup, ball])
def test_few_queries_get_the_same_answer_without_a_tree(make, monkeypatch):
    mesh = make()
    queries = np.random.default_rng(8).normal(loc=(100.0, 0.0, 0.0), size=(60, 3))
    compared = NearestTriangles(mesh).nearest(queries)
    monkeypatch.setattr(tree_module, "_FEW_PAIRS", 0)
    by_tree = NearestTriangles(mesh).nearest(queries)
    np.testing.assert_array_equal(compared.triangles, by_tree.triangles)
    np.testing.assert_array_equal(compared.points, by_tree.points)


@pytest.mark.parametrize("make", [needles, soup, ball])
@pytest.mark.parametrize("spread", some([1e-6, 0.1, 10.0], gate=2))
def test_distances_are_those_of_brute_force(make, spread):
    mesh = make()
    rng = np.random.default_rng(4)
    rows = rng.integers(len(mesh), size=150)
    queries = mesh.triangles[rows].mean(axis=1) + rng.normal(scale=spread, size=(150, 3))
    found = NearestTriangles(mesh).nearest(queries)
    assert found.distances == pytest.approx(brute(mesh, queries), abs=ROUND * max(1, spread))
    again = closest_on_triangles(queries, mesh.triangles[found.triangles])
    assert np.array_equal(again, found.points)
    assert (mesh.areas[found.triangles] > 0).all()


def test_the_centre_of_a_ball_is_as_near_to_all():
    mesh = ball()
    found = NearestTriangles(mesh).nearest(np.zeros((3, 3)))
    assert found.distances == pytest.approx(brute(mesh, np.zeros((1, 3)))[0], abs=ROUND)


def test_memory_is_bounded_where_all_triangles_are_near(monkeypatch):
    """With tiny chunks the answers are the same."""
    mesh, queries = ball(), np.random.default_rng(8).normal(scale=1e-3, size=(40, 3))
    expected = NearestTriangles(mesh).nearest(queries)
    monkeypatch.setattr(tree_module, "PAIRS", 64)
    found = NearestTriangles(mesh).nearest(queries)
    assert np.array_equal(found.points, expected.points)
    assert np.array_equal(found.triangles, expected.triangles)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=cases(gate=12, soak=100), deadline=None, derandomize=True)
def test_the_closest_point_of_a_triangle_beats_all_its_points(seed):
    rng = np.random.default_rng(seed)
    triangle = rng.normal(size=(3, 3)) * rng.choice([1e-3, 1.0], size=(3, 1))
    if seed % 5 == 0:
        triangle[2] = triangle[0] + 0.3 * (triangle[1] - triangle[0])  # a needle
    query = rng.normal(size=3)
    found = closest_on_triangles(query[None], triangle[None])[0]
    points = rng.dirichlet([0.5] * 3, size=2000) @ triangle
    assert np.linalg.norm(found - query) <= np.linalg.norm(points - query, axis=1).min() + ROUND
    weights = barycentric(found[None], triangle[None])[0]
    assert weights.sum() == pytest.approx(1.0)
    if seed % 5:
        # near a thin triangle the weights lose what the square of its thinness takes
        assert np.abs(weights @ triangle - found).max() < 1e-7


def test_boxes_within_reach_are_all_named():
    rng = np.random.default_rng(9)
    low = rng.uniform(size=(200, 3))
    high = low + rng.uniform(0, 0.2, size=(200, 3))
    points, reach = rng.uniform(size=(30, 3)), rng.uniform(0, 0.3, size=30)
    found = set()
    for pairs in BoxTree(low, high).near(points, reach):
        found |= set(zip(pairs.queries.tolist(), pairs.items.tolist(), strict=True))
    outside = np.maximum(np.maximum(low - points[:, None], points[:, None] - high), 0)
    expected = np.argwhere(np.linalg.norm(outside, axis=2) <= reach[:, None])
    assert found == {tuple(pair) for pair in expected.tolist()}


def test_no_query_and_no_area():
    mesh = ball()
    assert len(NearestTriangles(mesh).nearest(np.zeros((0, 3))).points) == 0
    flat = TriangleMesh(vertices=np.zeros((3, 3)), faces=np.array([[0, 1, 2]]))
    with pytest.raises(PartError, match="nothing to probe"):
        NearestTriangles(flat)
