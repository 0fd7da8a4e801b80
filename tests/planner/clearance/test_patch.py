"""The probed patch, and what probing lines may and may not come near to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from parts.geometry.proximity import closest_on_triangles
from planner.clearance.checker import Checker
from planner.clearance.distance_field import tree_of
from planner.clearance.patch import ProbedSurface, StylusPlacement
from planner.clearance.probing import ProbingLines
from planner.job.solids import Cell, Solid, SolidKind
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from tests.cases import cases

BALL, SHANK, LENGTH, QUILL = 0.003, 0.002, 0.05, 0.03


def part_of(mesh, closed=True):
    return Solid(name="part", kind=SolidKind.PART, mesh=mesh, closed=closed)


def prism(outline, pieces, depth=0.4):
    """A closed prism along y over an outline in x and z, given clockwise seen from -y."""
    n = len(outline)
    near = [(x, -depth / 2, z) for x, z in outline]
    vertices = np.array(near + [(x, depth / 2, z) for x, z in outline])
    faces = []
    for k in range(n):
        a, b = k, (k + 1) % n
        faces += [[a, b, b + n], [a, b + n, a + n]]
    for quad in pieces:
        for p, q, r in (quad[:3], [quad[0], *quad[2:]]):
            faces += [[r, q, p], [p + n, q + n, r + n]]
    mesh = TriangleMesh(vertices=vertices, faces=np.array(faces))
    return mesh if mesh.volume > 0.0 else TriangleMesh(vertices=vertices, faces=mesh.faces[:, ::-1])


def step():
    """A floor at z = 0.1 for x > 0, beside a wall at x = 0 that is 0.3 m high."""
    outline = [(-0.2, 0.0), (0.2, 0.0), (0.2, 0.1), (0.0, 0.1), (0.0, 0.4), (-0.2, 0.4)]
    return prism(outline, [[0, 1, 2, 3], [0, 3, 4, 5]])


def sheet(thickness):
    outline = [(-0.2, -thickness), (0.2, -thickness), (0.2, 0.0), (-0.2, 0.0)]
    return prism(outline, [[0, 1, 2, 3]])


def around(solid, point, normal, reach):
    return ProbedSurface(solid, tree_of([solid])).around(standing([point], [normal]), reach)


def standing(points, normals, ball=BALL):
    """Of a stylus that stands along the normals."""
    points, normals = np.array(points, dtype=float), np.array(normals, dtype=float)
    contacts = points + ball * normals
    return StylusPlacement(points=points, contacts=contacts, normals=normals, axes=-normals)


def normals_of(solid, patch):
    return np.unique(np.round(solid.mesh.normals[patch.triangles], 6), axis=0).tolist()


def test_the_step_is_closed_and_faces_outward():
    assert step().volume == pytest.approx(0.4 * (0.4 * 0.1 + 0.2 * 0.3))


def test_a_patch_ends_at_a_wall_which_counts():
    solid = part_of(step())
    found = around(solid, (0.02, 0.0, 0.1), (0, 0, 1), 0.05)
    assert normals_of(solid, found.patch) == [[0, 0, 1]]
    assert [1.0, 0.0, 0.0] not in normals_of(solid, found.ignored)


def test_what_lies_behind_an_edge_is_ignored():
    solid = part_of(step())
    found = around(solid, (0.199, 0.0, 0.1), (0, 0, 1), 0.02)
    assert normals_of(solid, found.patch) == [[0, 0, 1]]
    assert normals_of(solid, found.ignored) == [[0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize("turned", [False, True], ids=["outward", "inside out"])
def test_the_other_side_of_a_sheet_is_ignored(turned):
    mesh = sheet(0.001)
    if turned:
        mesh = TriangleMesh(vertices=mesh.vertices, faces=mesh.faces[:, ::-1])
    found = around(part_of(mesh), (0, 0, 0), (0, 0, 1), 0.02)
    assert len(found.patch.triangles) == 2
    assert len(found.ignored.triangles) == 4
    found = around(part_of(mesh, closed=False), (0, 0, 0), (0, 0, 1), 0.02)
    assert len(found.ignored.triangles) == 2  # an open skin has no other side


def test_a_patch_on_a_round_body_is_what_is_within_reach(brute):
    solid = part_of(brute.sphere([0, 0, 0], 0.2, subdivisions=5))
    points = np.array([[0, 0, 0.2], [0.2, 0, 0], [0, 0, 0.2]])
    found = ProbedSurface(solid, tree_of([solid])).around(standing(points, 5 * points, 0.004), 0.03)
    corners = solid.mesh.triangles
    for k, point in enumerate(points):
        rows = found.patch.triangles[found.patch.offsets[k] : found.patch.offsets[k + 1]]
        feet = closest_on_triangles(np.tile(point, (len(corners), 1)), corners)
        gaps = np.linalg.norm(feet - point, axis=1)
        np.testing.assert_array_equal(rows, np.flatnonzero(gaps <= 0.03))
    taken = found.patch.take(np.array([2, 1, 2]))
    assert np.diff(taken.offsets).tolist() == np.diff(found.patch.offsets)[[2, 1, 2]].tolist()


def test_a_point_far_from_the_part_has_its_nearest_triangle():
    found = around(part_of(sheet(0.01)), (0.1, 0.0, 0.5), (0, 0, 1), 0.02)
    assert len(found.patch.triangles) == 1


# --- lines ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Probe:
    """Lines down to points of a part."""

    portal: SimpleNamespace
    mesh: TriangleMesh
    required: float = 0.002
    bare: Mechanism | None = None

    def judged(self, surfaces, direction=(0.0, 0.0, 1.0), approach=0.03, depth=0.0):
        touching = standing(surfaces, np.tile([0.0, 0.0, 1.0], (len(surfaces), 1)))
        contacts = touching.contacts
        way = np.array(direction) / np.linalg.norm(direction)
        model, cell = Model(self.bare or self.portal.robot()), Cell(solids=(part_of(self.mesh),))
        checker = Checker(model, cell)
        lines = ProbingLines(
            checker,
            cell,
            model.mechanism,
            touches=touching,
            required=self.required,
            depths=np.full(len(surfaces), depth),
        )
        path = self.portal.lines(model, contacts + approach * way, contacts - depth * way)
        point = np.arange(len(surfaces))
        found = lines.certify(path, point)
        np.testing.assert_array_equal(lines.keeps(path, point), found.keeps(self.required))
        return found, [checker.pairs[k].moving if k >= 0 else "" for k in found.pair]


@pytest.fixture
def probe(portal):
    """Judges lines down to points of a mesh."""
    return partial(Probe, portal)


def test_a_free_point_keeps_what_links_keep(probe):
    found, names = probe(sheet(0.05)).judged([[0, 0, 0]])
    assert names == ["quill"]
    assert found.seen[0] == pytest.approx(LENGTH + BALL, abs=1e-9)
    assert found.lam[0] == 1.0


def test_beside_a_wall_the_distance_counts(probe):
    found, names = probe(step()).judged([[0.05, 0, 0.1], [0.004, 0, 0.1], [0.034, 0, 0.1]])
    assert names == ["quill"] * 3
    np.testing.assert_allclose(found.seen, np.array([0.05, 0.004, 0.034]) - QUILL, atol=1e-4)
    assert found.keeps(0.002).tolist() == [True, False, True]


def test_a_ball_beside_a_low_kerb(probe):
    outline = [(-0.2, 0.0), (0.2, 0.0), (0.2, 0.1), (0.0, 0.1), (0.0, 0.11), (-0.2, 0.11)]
    kerb = prism(outline, [[0, 1, 2, 3], [0, 3, 4, 5]])
    found, names = probe(kerb).judged([[0.004, 0, 0.1], [0.0055, 0, 0.1], [0.002, 0, 0.1]])
    assert names[:1] == names[2:] == ["stylus ball"]
    np.testing.assert_allclose(found.seen, [0.001, 0.0025, -0.001], atol=1e-6)
    assert found.keeps(0.002).tolist() == [False, True, False]
    assert 0.6 < found.lam[0] <= 1.0  # below the kerb's top
    assert found.place[0, 2] <= 0.11 + 1e-3


@pytest.mark.parametrize("thickness", [0.0005, 0.002, 0.05])
def test_sheets_and_edges_can_be_probed(probe, thickness):
    points = [[0, 0, 0], [0.1995, 0, 0], [-0.199, 0.199, 0]]
    found, _ = probe(sheet(thickness), required=0.004).judged(points, depth=0.003)
    assert found.keeps(0.004).all()


def test_an_approach_from_the_side(probe):
    direction = (1.0, 0.0, 1.0)
    found, names = probe(step()).judged([[0.06, 0, 0.1], [0.004, 0, 0.1]], direction)
    assert names == ["quill", "quill"]
    assert found.keeps(0.002).tolist() == [True, False]
    away = (-1.0, 0.0, 1.0)
    found, _ = probe(step()).judged([[0.06, 0, 0.1]], away, approach=0.12)
    assert not found.keeps(0.002).any()  # starts beyond the wall
    assert found.lam[0] < 0.9


@pytest.mark.parametrize("way", [(0.0, 0.0, 1.0), (0.3, 0.1, 1.0)], ids=["along", "across"])
def test_the_stylus_against_a_dense_look(probe, brute, way):
    """Ball and shank at many places of random lines beside a wall against what is certified."""
    mesh, required = step(), 0.002
    rng = np.random.default_rng(8)
    count = cases(gate=5, soak=20)
    surfaces = np.stack(
        [rng.uniform(0.001, 0.02, count), rng.uniform(-0.15, 0.15, count), np.full(count, 0.1)],
        axis=1,
    )
    found, _ = probe(mesh, required).judged(surfaces, way)
    wall, way = mesh.triangles[mesh.normals[:, 0] > 0.5], np.array(way) / np.linalg.norm(way)
    up = np.array([0.0, 0.0, LENGTH])
    for k, point in enumerate(surfaces):
        places = point + [0.0, 0.0, BALL] + np.linspace(0.0, 0.03, 25)[:, None] * way
        ball = min(brute.segment(x, x, wall) for x in places) - BALL
        shank = min(brute.segment(x, x + up, wall) for x in places) - SHANK
        quill = min(brute.segment(x + up, x + 5 * up, wall) for x in places) - QUILL
        assert found.seen[k] <= min(ball, shank, quill) + 2e-3
        assert not found.keeps(required)[k] or min(ball, shank) >= required


def test_a_bare_stylus_beside_a_wall(probe, portal):
    """Without a quill the stylus alone decides, and its number is that of the wall."""
    bare = replace(portal.robot(), capsules=portal.robot().capsules[:2])
    mesh = step()
    surfaces = np.array([[0.0045, 0, 0.1], [0.0058, 0, 0.1], [0.1, 0, 0.1]])
    for way in ([0.0, 0, 1], [0.4, 0, 1], [-0.02, 0, 1]):
        found, names = probe(mesh, bare=bare).judged(surfaces, way)
        toward = surfaces[:, 0] + 0.03 * min(way[0], 0.0) / np.linalg.norm(way) - BALL
        np.testing.assert_allclose(found.seen[:2], toward[:2], atol=1e-6)
        assert names == ["stylus ball", "stylus ball", ""]
        assert np.isinf(found.certified[2])


def test_a_part_without_geometry_leaves_the_links(portal):
    model = Model(portal.robot())
    checker = Checker(model, Cell())
    lines = ProbingLines(
        checker,
        Cell(),
        model.mechanism,
        touches=standing([[0, 0, 0]], [[0, 0, 1]], 0.0),
        required=0.01,
        depths=np.zeros(1),
    )
    path = portal.lines(model, np.array([[0, 0, 0.1]]), np.zeros((1, 3)))
    assert lines.keeps(path, np.zeros(1, dtype=int)).all()
    assert np.isinf(lines.certify(path, np.zeros(1, dtype=int)).certified).all()
