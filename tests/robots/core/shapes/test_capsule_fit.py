"""Capsules and pieces about meshes: containment, its proof, minimality, excess."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import trimesh

from robots.core.shapes import Stadium, fit_capsules, uncovered
from robots.core.shapes.capsule_fit import CapsuleFit, Cut, fit_capsule, union_volume
from robots.core.shapes.link_shapes import carried
from robots.core.shapes.piece_fit import NONE, PLANES, SKIN, fit_piece
from robots.core.urdf import around_cylinder
from tests.cases import SOAK, cases, some


def swept(points, width, height):
    """Boxes along the legs of a polygon in the plane, joined into one concave body."""
    boxes = []
    corners = np.column_stack([points, np.zeros(len(points))])
    for a, b in pairwise(corners):
        along = (b - a) / np.linalg.norm(b - a)
        T = np.eye(4)
        T[:3, :3] = np.column_stack([along, np.cross([0, 0, 1.0], along), [0, 0, 1.0]])
        T[:3, 3] = 0.5 * (a + b)
        size = (np.linalg.norm(b - a) + width, width, height)
        boxes.append(trimesh.creation.box(size, transform=T))
    return trimesh.util.concatenate(boxes)


KINDS = 5


def random_mesh(rng, kind):
    size = rng.uniform(0.03, 0.5, 3)
    if kind == 0:
        mesh = trimesh.creation.box(size)
    elif kind == 1:
        mesh = trimesh.creation.cylinder(size[0], size[1], sections=int(rng.integers(5, 40)))
    elif kind == 2:
        mesh = swept([(0, 0), (size[0] + 0.2, 0), (size[0], size[1] + 0.2)], 0.08, size[2])
    elif kind == 3:
        mesh = trimesh.convex.convex_hull(rng.normal(size=(30, 3)) * size)
    else:
        mesh = trimesh.creation.annulus(0.5 * size[0], size[0], size[1], sections=24)
    turn = trimesh.transformations.random_rotation_matrix(rng.uniform(size=3))
    turn[:3, 3] = rng.uniform(-1, 1, 3)
    return mesh.apply_transform(turn)


def outside(fit, points):
    """How far points lie outside the union of the bodies; each is a capsule and its piece."""
    gaps = [
        np.maximum(capsule.distances(points) - capsule.radius, beyond(capsule.corners, points))
        for capsule in fit.capsules
    ]
    return float(np.min(gaps, axis=0).max())


def beyond(corners, points):
    """How far each point lies beyond a plane of a piece's faces, by the piece as trimesh has it."""
    if len(corners) == 0:
        return np.full(len(points), -np.inf)
    hull = trimesh.convex.convex_hull(corners)
    heights = points @ hull.face_normals.T
    return (heights - np.sum(hull.triangles[:, 0] * hull.face_normals, axis=1)).max(axis=1)


@pytest.mark.parametrize("seed", range(300) if SOAK else (0, 1, 7, 3, 4))  # each kind
def test_dense_samples_of_random_meshes_lie_in_the_capsules(seed):
    rng = np.random.default_rng(seed)
    mesh = random_mesh(rng, seed % KINDS)
    fit = fit_capsules(mesh.vertices, mesh.faces, most=1 + seed % 3)
    each = 1 + cases(gate=4_000, soak=20_000) // len(mesh.faces)
    weights = rng.dirichlet((0.5, 0.5, 0.5), size=(len(mesh.faces), each))
    samples = np.einsum("fsk,fkc->fsc", weights, mesh.triangles).reshape(-1, 3)
    assert outside(fit, samples) <= 1e-13
    assert outside(fit, np.asarray(mesh.vertices)) <= 0.0
    assert uncovered(mesh.vertices, mesh.faces, fit) <= 0.0


@pytest.fixture(scope="module")
def elbow():
    """An L, and the two bodies about it."""
    mesh = swept([(0, 0), (0.5, 0), (0.5, 0.4)], 0.1, 0.1)
    return mesh, fit_capsules(mesh.vertices, mesh.faces)


def test_the_inside_of_a_body_is_contained_as_well(elbow):
    mesh, fit = elbow
    points = np.random.default_rng(1).uniform(-0.1, 0.6, (20_000, 3)) * (1, 1, 0.2)
    inside = points[mesh.split()[0].contains(points) | mesh.split()[1].contains(points)]
    assert len(fit.capsules) == 2
    assert len(inside) > 100
    assert outside(fit, inside) <= 0.0


def test_the_proof_fails_as_soon_as_a_radius_is_less(elbow):
    mesh, fit = elbow
    for thin in range(2):
        capsules = tuple(
            Stadium(start=c.start, end=c.end, radius=c.radius - 1e-9 * (k == thin))
            for k, c in enumerate(fit.capsules)
        )
        less = CapsuleFit(
            capsules=capsules, cuts=fit.cuts, volume=fit.volume, hull_volume=fit.hull_volume
        )
        assert 0.5e-9 < uncovered(mesh.vertices, mesh.faces, less) < 1.5e-9


def test_a_triangle_that_two_cuts_cross_is_proven_by_its_pieces():
    # the middle of a large triangle lies in none of three balls about its corners
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    faces = np.array([[0, 1, 2]])
    balls = tuple(Stadium(start=v, end=v, radius=0.3) for v in vertices)
    cuts = (
        Cut(cell=0, normal=np.array([1.0, 0, 0]), offset=0.7),
        Cut(cell=0, normal=np.array([0.0, 1, 0]), offset=0.7),
    )
    ordered = (balls[0], balls[1], balls[2])
    fit = CapsuleFit(capsules=ordered, cuts=cuts, volume=1.0, hull_volume=0.0)
    # the cell of the first ball reaches to (0.7, 0.3) and (0.3, 0.7)
    assert uncovered(vertices, faces, fit) == pytest.approx(np.hypot(0.7, 0.3) - 0.3)


@pytest.mark.parametrize(("length", "radius"), [(0.5, 0.1), (0.05, 0.2), (2.0, 0.05)])
def test_a_known_capsule_is_found(length, radius):
    mesh = trimesh.creation.capsule(height=length, radius=radius, count=(64, 64))
    turn = trimesh.transformations.random_rotation_matrix(np.array([0.2, 0.7, 0.4]))
    turn[:3, 3] = (0.3, -0.2, 0.5)
    mesh.apply_transform(turn)
    fit = fit_capsule(np.asarray(mesh.vertices))
    facet = radius * (1.0 - np.cos(np.pi / 64)) ** 1.0
    exact = Stadium(start=np.zeros(3), end=np.array([length, 0, 0]), radius=radius)
    assert fit.radius == pytest.approx(radius, abs=1e-6 + facet)
    assert fit.length == pytest.approx(length, abs=1e-6 + 2 * facet)
    assert fit.volume <= exact.volume * (1.0 + 1e-9)


@pytest.mark.parametrize("slenderness", [0.3, 1.0, 2.5, 8.0])
def test_a_cylinder_gets_the_capsule_that_theory_has(slenderness):
    radius = 0.1
    length = 2.0 * slenderness * radius
    mesh = trimesh.creation.cylinder(radius, length, sections=720)
    fit = fit_capsule(np.asarray(mesh.vertices))
    exact = around_cylinder(radius, length)
    assert fit.volume == pytest.approx(exact.volume, rel=1e-6)
    assert fit.volume <= exact.volume * (1 + 1e-9)


def test_excess_of_known_shapes():
    cube = trimesh.creation.box((0.2, 0.2, 0.2))
    fit = fit_capsules(cube.vertices, cube.faces, most=1)
    ball = 4.0 / 3.0 * np.pi * (0.1 * np.sqrt(3.0)) ** 3
    assert fit.hull_volume == pytest.approx(0.008)
    assert fit.excess <= ball / 0.008 - 1.0 + 1e-9
    assert fit.excess == pytest.approx(fit.volume / 0.008 - 1.0)
    capsule = trimesh.creation.capsule(height=0.5, radius=0.1, count=(32, 32))
    assert 0.0 <= fit_capsules(capsule.vertices, capsule.faces, most=1).excess < 0.01


def test_an_angle_is_worth_a_second_capsule_and_a_stick_is_not(elbow):
    angle, two = elbow
    one = fit_capsules(angle.vertices, angle.faces, most=1)
    assert len(two.capsules) == 2
    bare = [[replace(c, corners=NONE) for c in fit.capsules] for fit in (one, two)]
    assert union_volume(bare[1]) < 0.25 * union_volume(bare[0])
    solid = 0.01 * (0.6 + 0.4)  # boxes that share the corner
    # Of the pieces. Points of the lattice lie on their faces: rounding counts them in or out.
    doubt = 1e-3 * sum(capsule.volume for capsule in two.capsules)
    assert solid - doubt < two.volume < 1.01 * solid
    assert one.volume > 1.9 * solid
    stick = trimesh.creation.capsule(height=0.5, radius=0.1, count=(12, 12))
    assert len(fit_capsules(stick.vertices, stick.faces, most=3).capsules) == 1


def test_a_fork_gets_a_piece_for_each_leg():
    fork = swept([(0, 0.5), (0, 0), (0.4, 0), (0.4, 0.5)], 0.1, 0.1)
    fit = fit_capsules(fork.vertices, fork.faces)
    assert len(fit.capsules) == 3
    solid = 0.01 * (0.6 + 0.5 + 0.6 - 2 * 0.1)  # legs that meet at two corners
    assert 0.999 * solid < fit.volume < 1.1 * solid  # its hull takes twice as much
    assert fit.hull_volume == pytest.approx(2.0 * solid)


def test_the_same_mesh_gives_the_same_bits(elbow):
    mesh, first = elbow
    second = fit_capsules(mesh.vertices, mesh.faces)
    for a, b in zip(first.capsules, second.capsules, strict=True):
        assert a.start.tobytes() == b.start.tobytes()
        assert a.end.tobytes() == b.end.tobytes()
        assert a.radius == b.radius


def test_the_volume_of_a_union_is_that_of_two_balls():
    # two balls of radius r at distance d: V = 2·4/3·π·r³ - π·(4r + d)·(2r - d)²/12
    r, d = 0.2, 0.25
    balls = [Stadium(start=np.zeros(3), end=np.zeros(3), radius=r)]
    balls.append(Stadium(start=np.array([d, 0, 0]), end=np.array([d, 0, 0]), radius=r))
    lens = np.pi * (4 * r + d) * (2 * r - d) ** 2 / 12.0
    assert union_volume(balls) == pytest.approx(8.0 / 3.0 * np.pi * r**3 - lens, rel=1e-3)


@pytest.mark.parametrize(
    "vertices",
    [
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]],
        [[0, 0, 0], [1, 0, 0], [2, 0, 0]],
        [[1, 1, 1], [1, 1, 1], [1, 1, 1]],
    ],
    ids=["flat", "line", "point"],
)
def test_meshes_without_volume_are_contained(vertices):
    vertices = np.array(vertices, dtype=float)
    faces = np.array([[0, 1, 2]])
    fit = fit_capsules(vertices, faces)
    assert uncovered(vertices, faces, fit) <= 0.0
    assert fit.excess == np.inf


@pytest.mark.parametrize("seed", range(cases(gate=3, soak=200)))
def test_pieces_contain_their_points_by_a_skin_and_after_rounding(seed):
    rng = np.random.default_rng(seed)
    mesh = random_mesh(rng, seed % KINDS)
    corners = fit_piece(np.asarray(mesh.vertices))
    assert 4 <= len(corners) <= 2 * PLANES - 4
    # Faces between corners of nearly parallel planes may lose some of the skin; half of it is kept.
    assert -3.0 * SKIN < beyond(corners, np.asarray(mesh.vertices)).max() < -0.5 * SKIN
    frame = trimesh.transformations.random_rotation_matrix(rng.uniform(size=3))
    frame[:3, 3] = rng.uniform(-1, 1, 3)
    whole = carried(Stadium(start=NONE.sum(0), end=NONE.sum(0), radius=9.0, corners=corners), frame)
    assert np.array_equal(np.round(1e6 * whole.corners) / 1e6, whole.corners)
    moved = trimesh.transform_points(mesh.vertices, frame)
    assert beyond(whole.corners, moved).max() < 0.0


def test_a_piece_that_leaves_a_vertex_out_is_told(elbow):
    mesh, fit = elbow
    assert uncovered(mesh.vertices, mesh.faces, fit) <= 0.0
    for inwards in (0.99, 0.9):
        smaller = tuple(
            replace(c, corners=c.corners.mean(0) + inwards * (c.corners - c.corners.mean(0)))
            for c in fit.capsules
        )
        less = CapsuleFit(
            capsules=smaller, cuts=fit.cuts, volume=fit.volume, hull_volume=fit.hull_volume
        )
        assert uncovered(mesh.vertices, mesh.faces, less) > 1e-4


def test_pieces_take_little_more_than_blocks_and_flanges():
    """The capsule about a cylinder as long as wide takes 52 % more, about a disc 200 %."""
    solids = (
        (trimesh.creation.box((0.2, 0.1, 0.02)), 0.01),
        (trimesh.creation.cylinder(0.05, 0.1, sections=90), 0.05),
        (trimesh.creation.cylinder(0.05, 0.01, sections=90), 0.05),
    )
    for mesh, most in some(solids, gate=2):
        fit = fit_capsules(mesh.vertices, mesh.faces, most=1)
        assert -1e-2 < fit.excess < most
        assert union_volume([replace(fit.capsules[0], corners=NONE)]) > 1.4 * fit.hull_volume


@pytest.mark.parametrize("points", [np.zeros((3, 3)), np.eye(3), np.eye(4)[:, :3] * [1, 1, 0]])
def test_points_of_one_plane_have_no_piece(points):
    assert len(fit_piece(points)) == 0
