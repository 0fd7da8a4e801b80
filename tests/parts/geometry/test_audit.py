"""The audit: known faults put into known meshes, counts against trimesh."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from parts.errors import PartError
from parts.geometry import TriangleMesh, audit, load_geometry
from parts.geometry.audit import repair_mesh
from parts.geometry.mesh import connected, merge_identical
from tests.cases import cases


def mesh_of(peer, faces=None):
    return TriangleMesh(
        vertices=np.array(peer.vertices), faces=np.array(peer.faces if faces is None else faces)
    )


@pytest.fixture
def sphere():
    return trimesh.creation.icosphere(subdivisions=2)


def test_a_good_box(cube):
    found = audit(mesh_of(cube))
    assert found.size == pytest.approx([2.0, 3.0, 4.0])
    assert (found.volume, found.area) == (pytest.approx(24.0), pytest.approx(52.0))
    assert found.watertight
    assert found.consistent
    assert not found.inverted
    assert (found.triangles, found.vertices, found.pieces) == (12, 8, 1)
    assert found.warnings == ()


def test_a_closed_mesh_inside_out_is_turned_and_said(cube):
    mesh = mesh_of(cube, np.array(cube.faces)[:, ::-1])
    found = audit(mesh)
    assert found.inverted
    assert found.volume == pytest.approx(-24.0)
    assert "inside out" in " ".join(found.warnings)
    turned = repair_mesh(mesh, ())
    assert turned.mesh.volume == pytest.approx(24.0)
    assert turned.turned.all()
    assert turned.told == ("1 of 1 closed pieces were inside out; turned.",)
    assert repair_mesh(turned.mesh, ()).told == ()


def test_an_open_mesh_is_turned_only_when_asked(cube):
    mesh = mesh_of(cube, np.array(cube.faces)[1:, ::-1])
    assert repair_mesh(mesh, ()).told == ()
    turned = repair_mesh(mesh, ("flip",))
    assert turned.mesh.volume > 0.0
    assert turned.told == (
        "All triangles were turned round, as requested: the mesh was inside out.",
    )


def boxes(cube, *placed):
    """Boxes as one mesh. Args: placed: scale, position along x, and whether inside out."""
    vertices = [np.array(cube.vertices) * scale + [x, 0, 0] for scale, x, _ in placed]
    faces = np.array(cube.faces)
    rows = [(faces[:, ::-1] if out else faces) + 8 * k for k, (_, _, out) in enumerate(placed)]
    return TriangleMesh(vertices=np.concatenate(vertices), faces=np.concatenate(rows))


@pytest.mark.parametrize(
    ("placed", "turned"),
    [
        ([(1, 0, False), (1, 9, True)], [False, True]),
        ([(3, 0, False), (2, 0, True)], [False, False]),  # a cavity
        ([(3, 0, True), (2, 0, False)], [True, True]),  # a cavity of a file inside out
        ([(3, 0, False), (2, 0, True), (1, 0, False)], [False, False, False]),  # a body in a cavity
        ([(3, 0, False), (2, 0, True), (1, 0, True)], [False, False, True]),
        ([(3, 0, True), (2, 0, False), (1, 0, True)], [True, True, True]),
        ([(3, 0, False), (1, 0, False)], [False, False]),  # bodies that overlap
        ([(3, 0, True), (1, 0, True)], [True, True]),
    ],
)
def test_pieces_inside_out_are_told_from_cavities(cube, placed, turned):
    mesh = boxes(cube, *placed)
    fixed = repair_mesh(mesh, ())
    assert fixed.turned.reshape(-1, 12).tolist() == [[one] * 12 for one in turned]
    assert len(fixed.told) == any(turned)


def test_a_triangle_wound_against_its_closed_piece_is_turned(sphere):
    faces = np.array(sphere.faces)
    faces[[3, 7, 8]] = faces[[3, 7, 8], ::-1]
    fixed = repair_mesh(mesh_of(sphere, faces), ())
    assert np.flatnonzero(fixed.turned).tolist() == [3, 7, 8]
    assert fixed.told == ("3 triangles of closed pieces were wound against the rest; turned.",)
    assert audit(fixed.mesh).consistent


def test_a_surface_with_one_side_is_left_alone():
    """A projective plane of six vertices: closed, but it has no outside."""
    faces = [
        *([0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [0, 5, 1]),
        *([1, 2, 4], [2, 3, 5], [3, 4, 1], [4, 5, 2], [5, 1, 3]),
    ]
    vertices = np.random.default_rng(3).normal(size=(6, 3))
    mesh = TriangleMesh(vertices=vertices, faces=np.array(faces))
    assert audit(mesh).watertight
    assert repair_mesh(mesh, ()).told == ()


def test_a_missing_triangle_opens_three_edges(sphere):
    found = audit(mesh_of(sphere, np.array(sphere.faces)[1:]))
    assert (found.open_edges, found.watertight) == (3, False)
    assert "not watertight: 3 edges belong to one triangle only" in found.warnings[0]


def test_a_turned_triangle_disagrees_with_three_neighbours(sphere):
    faces = np.array(sphere.faces)
    faces[7] = faces[7, ::-1]
    found = audit(mesh_of(sphere, faces))
    assert found.miswound_edges == 3
    assert found.watertight
    assert not found.consistent
    assert not found.inverted


def test_a_repeated_triangle_is_counted_and_dropped_when_asked(sphere):
    faces = np.array(sphere.faces)
    faces = np.concatenate([faces, faces[[3]], np.roll(faces[[5]], 1, axis=1), faces[[5], ::-1]])
    mesh = mesh_of(sphere, faces)
    assert audit(mesh).duplicated_triangles == 3
    fixed = repair_mesh(mesh, ("drop-duplicates",))
    assert audit(fixed.mesh).duplicated_triangles == 0
    assert audit(fixed.mesh).watertight
    assert fixed.kept.tolist() == list(range(len(sphere.faces)))


def test_a_needle_over_three_vertices_closes_the_skin():
    """A tetrahedron with a vertex in the middle of an edge that only one neighbour knows."""
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0, 0]], dtype=float)
    faces = [[0, 2, 4], [4, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 4, 1]]
    found = audit(TriangleMesh(vertices=vertices, faces=np.array(faces)))
    assert (found.degenerate_triangles, found.watertight, found.consistent) == (1, True, True)
    without = repair_mesh(
        TriangleMesh(vertices=vertices, faces=np.array(faces)), ("drop-degenerate",)
    )
    assert not audit(without.mesh).watertight


def test_triangles_that_name_a_vertex_twice_do_not_open_a_mesh(cube):
    faces = np.concatenate([np.array(cube.faces), [[0, 1, 1]]])
    mesh = mesh_of(cube, faces)
    found = audit(mesh)
    assert found.degenerate_triangles == 1
    assert found.watertight
    assert len(repair_mesh(mesh, ("drop-degenerate",)).mesh) == 12


def test_two_boxes_are_two_pieces(cube):
    vertices = np.array(cube.vertices)
    mesh = TriangleMesh(
        vertices=np.concatenate([vertices, vertices + 10.0]),
        faces=np.concatenate([np.array(cube.faces), np.array(cube.faces) + 8]),
    )
    assert (audit(mesh).pieces, audit(mesh).watertight) == (2, True)


def test_an_edge_of_four_triangles_is_non_manifold(cube):
    """Two boxes that share an edge."""
    vertices = np.array(cube.vertices)
    both = np.concatenate([vertices, vertices + np.array([2.0, 3.0, 0.0])])
    merged = merge_identical(both)
    faces = merged.places[np.concatenate([np.array(cube.faces), np.array(cube.faces) + 8])]
    found = audit(TriangleMesh(vertices=merged.vertices, faces=faces))
    assert merged.removed == 2
    assert (found.non_manifold_edges, found.open_edges) == (1, 0)


@pytest.mark.parametrize(
    ("scale", "doubtful"), [(1e-5, True), (1e-3, False), (1.0, False), (99, True)]
)
def test_sizes_that_no_part_has_are_doubted(cube, scale, doubtful):
    mesh = TriangleMesh(vertices=np.array(cube.vertices) * scale, faces=np.array(cube.faces))
    assert ("is the unit right?" in " ".join(audit(mesh).warnings)) == doubtful


@given(seed=st.integers(0, 10_000))
@settings(max_examples=cases(gate=10, soak=40), deadline=None, derandomize=True)
def test_counts_agree_with_trimesh_on_random_soups(seed):
    import trimesh

    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 12))
    faces = np.array([rng.choice(count, 3, replace=False) for _ in range(rng.integers(1, 30))])
    vertices = rng.normal(size=(count, 3))
    found = audit(TriangleMesh(vertices=vertices, faces=faces))
    peer = trimesh.Trimesh(vertices, faces, process=False)
    _, uses = np.unique(peer.edges_sorted, axis=0, return_counts=True)
    assert found.open_edges == (uses == 1).sum()
    assert found.non_manifold_edges == (uses > 2).sum()
    assert found.duplicated_triangles == len(faces) - len(np.unique(np.sort(faces, axis=1), axis=0))
    groups = trimesh.graph.connected_components(peer.edges, nodes=np.unique(faces), min_len=1)
    assert found.pieces == len(groups)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=cases(gate=10, soak=40), deadline=None, derandomize=True)
def test_merging_agrees_with_numpy(seed):
    rng = np.random.default_rng(seed)
    vertices = rng.integers(-1, 2, size=(60, 3)).astype(float) * rng.choice([0.1, -0.0, 1e-300])
    merged = merge_identical(vertices)
    assert np.array_equal(merged.vertices[merged.places], vertices)
    assert len(merged.vertices) == len(np.unique(vertices + 0.0, axis=0))


def test_vertices_whose_hashes_meet_are_still_merged(monkeypatch):
    from parts.geometry import mesh as merge

    monkeypatch.setattr(merge, "_hash", lambda bits: np.zeros(len(bits), dtype=np.uint64))
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0]])
    merged = merge.merge_identical(vertices)
    assert len(merged.vertices) == 3
    assert np.array_equal(merged.vertices[merged.places], vertices)


TRIANGLE = np.array([[0, 1, 2]])
CORNERS = np.eye(3)


@pytest.mark.parametrize(
    ("vertices", "faces", "told"),
    [
        (CORNERS, np.zeros((0, 3), dtype=int), "no triangle"),
        (CORNERS, np.array([[0, 1, 3]]), "names vertex 3, but the mesh has vertices 0 to 2"),
        (CORNERS, np.array([[0, 1, -1]]), "names vertex -1"),
        (CORNERS * np.nan, TRIANGLE, "Vertex 0 of the mesh is [nan, nan, nan] (3 such vertices"),
        (CORNERS * 1e7, TRIANGLE, "Is the unit right?"),
        (CORNERS[:, :2], TRIANGLE, "shape (3, 2)"),
    ],
)
def test_meshes_that_cannot_be_are_refused(vertices, faces, told):
    with pytest.raises(PartError) as caught:
        TriangleMesh(vertices=vertices, faces=faces)
    assert told in str(caught.value)


def test_a_mesh_keeps_its_own_copy(cube):
    vertices = np.array(cube.vertices)
    mesh = TriangleMesh(vertices=vertices, faces=np.array(cube.faces))
    vertices[0] = 99.0
    assert mesh.bounds.max() == pytest.approx(2.0)
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0] = 0.0


def test_unknown_repairs_are_refused(cube):
    with pytest.raises(PartError, match="'heal' is not known; expected weld, "):
        repair_mesh(mesh_of(cube), ("heal",))


# ------------------------------------------------------------------------------- Repairs by request


def test_a_small_hole_is_closed_with_what_was_there():
    """Two neighbouring triangles of a fine sphere; a larger hole stays, and that is said."""
    ball = trimesh.creation.icosphere(subdivisions=5, radius=0.05)
    faces = np.array(ball.faces)
    gone = np.linalg.norm(ball.triangles_center - [0, 0, 0.05], axis=1) < 0.02
    lowest = np.argmin(ball.triangles_center[ball.face_adjacency[:, 0], 2])
    gone[ball.face_adjacency[lowest]] = True
    mesh = mesh_of(ball, faces[~gone])
    fixed = repair_mesh(mesh, ("close",))
    assert fixed.added.sum() == 2
    np.testing.assert_array_equal(fixed.mesh.faces[: len(mesh)], mesh.faces)
    (told,) = fixed.told
    assert "1 small holes were closed with 2 triangles" in told
    assert "1 other holes stay open" in told
    before, after = audit(mesh), audit(fixed.mesh)
    assert after.open_edges == before.open_edges - 4
    assert after.consistent
    outward = np.sum(fixed.mesh.normals * fixed.mesh.triangles.mean(axis=1), axis=1)
    assert outward[fixed.added].min() > 0.0
    assert repair_mesh(mesh, ()).told == ()  # only when asked


def test_cracks_are_welded_and_the_largest_distance_is_told(sphere):
    rng = np.random.default_rng(2)
    vertices = np.array(sphere.vertices)[np.array(sphere.faces)].reshape(-1, 3)
    vertices = 0.1 * (vertices + rng.uniform(-2e-5, 2e-5, size=vertices.shape))
    mesh = TriangleMesh(vertices=vertices, faces=np.arange(len(vertices)).reshape(-1, 3))
    fixed = repair_mesh(mesh, ("weld",))
    assert not audit(mesh).watertight
    assert audit(fixed.mesh).watertight
    assert len(fixed.mesh) == len(mesh)
    moved = np.linalg.norm(fixed.mesh.triangles - mesh.triangles, axis=2).max()
    assert 0.0 < moved < 1.2e-5
    assert f"the largest distance is {1e3 * moved:.3g} mm" in fixed.told[0]


def test_an_open_piece_is_wound_alike(sphere):
    faces = np.array(sphere.faces)[1:]
    faces[[3, 9]] = faces[[3, 9], ::-1]
    mesh = mesh_of(sphere, faces)
    fixed = repair_mesh(mesh, ("wind",))
    assert np.flatnonzero(fixed.turned).tolist() == [3, 9]
    assert fixed.told == ("2 triangles of open pieces were turned as most wind, as requested.",)
    assert audit(fixed.mesh).consistent
    assert repair_mesh(mesh, ()).told == ()


def test_a_hole_of_a_file_is_closed_and_its_part_is_watertight(tmp_path):
    path = tmp_path / "ball.stl"
    ball = trimesh.creation.icosphere(subdivisions=4, radius=20.0)
    trimesh.Trimesh(ball.vertices, np.array(ball.faces)[1:]).export(path)
    assert not load_geometry(path, unit="mm").audit.watertight
    closed = load_geometry(path, unit="mm", repair=("close",))
    assert closed.audit.watertight
    assert len(closed.faces[0].triangles) == len(closed.mesh) == len(ball.faces)
    assert closed.mesh.volume == pytest.approx(1e-9 * ball.volume, rel=1e-6)


@pytest.mark.parametrize("links", [0, 30, 60, 300])
def test_connected_groups_are_those_of_scipy(links):
    """Numbers and all; with a long chain whose items are in no order."""
    rng = np.random.default_rng(links)
    one, other = rng.integers(100, size=(2, links))
    chain = rng.permutation(np.arange(100, 200))
    one, other = np.append(one, chain[:-1]), np.append(other, chain[1:])
    graph = coo_array((np.ones(len(one)), (one, other)), shape=(200, 200))
    expected = connected_components(graph, directed=False)[1]
    assert np.array_equal(connected(200, one, other), expected)
