"""A stylus that stands beside the wall it touches: in bores, along sides, beside other things.

Lengths are written in millimetres here; clearances follow from the drawings by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parts.geometry import TriangleMesh
from planner.clearance.checker import Checker
from planner.clearance.distance_field import tree_of
from planner.clearance.patch import ProbedSurface, Shank, StylusPlacement, beside
from planner.clearance.probing import ProbingLines
from planner.job.solids import Cell, Solid, SolidKind
from robots.core.model import Model
from robots.core.pose import make_pose, rotation_about, transform_points
from tests.cases import cases, some

MM = 1e-3
BALL, SHANK, LENGTH, TOP = 2.0, 1.2, 60.0, 40.0
REQUIRED = 5.0
FACETS = 0.03  # of 64 round a bore of 15 mm: 15 (1 - cos(pi / 64)) = 0.018
DOWN = np.array([0.0, 0.0, -1.0])
X, Y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


def turned(profile, finest=np.inf, around=64):
    """A body of revolution about z; its outline in radius and height is closed."""
    outline = []
    for a, b in zip(profile, profile[1:] + profile[:1], strict=True):
        parts = max(1, int(np.ceil(np.hypot(b[0] - a[0], b[1] - a[1]) / finest)))
        outline += [np.array(a) + k / parts * (np.array(b) - a) for k in range(parts)]
    r, z = np.array(outline, dtype=float).T
    phi = 2 * np.pi * np.arange(around) / around
    rings = np.stack([r * np.cos(phi)[:, None], r * np.sin(phi)[:, None], z + 0 * phi[:, None]], 2)
    i, j = (g.ravel() for g in np.meshgrid(np.arange(around), np.arange(len(r)), indexing="ij"))
    here, up = i * len(r) + j, i * len(r) + (j + 1) % len(r)
    on, over = ((k + len(r)) % (around * len(r)) for k in (here, up))
    faces = np.concatenate([np.stack([here, on, over], 1), np.stack([here, over, up], 1)])
    mesh = TriangleMesh(vertices=MM * rings.reshape(-1, 3), faces=faces)
    return mesh if mesh.volume > 0.0 else TriangleMesh(vertices=mesh.vertices, faces=faces[:, ::-1])


def bore(radius, mouth=(), finest=np.inf):
    """A tube of 45 mm outer radius, 40 mm high; what is different at its mouth comes last."""
    inside = [(radius, 0.0), *mouth] if mouth else [(radius, 0.0), (radius, TOP)]
    return turned([*inside, (45.0, TOP), (45.0, 0.0)], finest)


def box(low, high, lean=0.0):
    """A box between two corners, leaning about y through the origin. [deg]."""
    corners = np.array(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij")).reshape(3, -1).T
    at = np.array(low) + corners * (np.array(high) - low)
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [t for f in faces for t in (f[:3], [f[0], *f[2:]])]
    pose = make_pose(rotation_about(Y, np.radians(lean)))
    return TriangleMesh(vertices=MM * transform_points(pose, at), faces=np.array(triangles))


def together(*meshes):
    """One part of several bodies."""
    starts = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes])
    return TriangleMesh(
        vertices=np.concatenate([mesh.vertices for mesh in meshes]),
        faces=np.concatenate([m.faces + k for m, k in zip(meshes, starts[:-1], strict=True)]),
    )


def wall(lean=0.0, top=20.0, thick=10.0, wide=60.0):
    """A wall whose face at x = 0 is touched at the origin."""
    return box([-thick, -wide, -30.0], [0.0, wide, top], lean)


def touching(points, normals, ball=BALL, axis=DOWN):
    points, normals = MM * np.array(points, dtype=float), np.array(normals, dtype=float)
    return StylusPlacement(
        points=points,
        contacts=points + MM * ball * normals,
        normals=normals,
        axes=np.tile(axis, (len(points), 1)),
    )


@dataclass(frozen=True)
class Judge:
    """Judges lines to points along their normals, the stylus upright. [mm]."""

    portal: SimpleNamespace

    def judged(self, mesh, touches, distance, required=REQUIRED, depth=0.0):
        solid = Solid(name="part", kind=SolidKind.PART, mesh=mesh, closed=True)
        bare = self.portal.robot(MM * BALL, MM * SHANK, MM * LENGTH)
        bare = replace(bare, capsules=bare.capsules[:2])
        model, cell = Model(bare), Cell(solids=(solid,))
        lines = ProbingLines(
            Checker(model, cell),
            cell,
            bare,
            touches=touches,
            required=MM * required,
            depths=np.full(len(touches.points), MM * depth),
        )
        contacts, normals = touches.contacts, touches.normals
        starts, ends = contacts + MM * distance * normals, contacts - MM * depth * normals
        path, rows = self.portal.lines(model, starts, ends), np.arange(len(starts))
        found = lines.certify(path, rows)
        kept = lines.keeps(path, rows)
        np.testing.assert_array_equal(kept, found.keeps(MM * required))
        names = [lines._checker.pairs[k].moving if k >= 0 else "" for k in found.pair]
        return kept, found.seen / MM, names


@pytest.fixture(scope="module")
def judge(portal):
    return Judge(portal).judged


def in_bore(radius, angles, height=10.0):
    """Points on the wall of a bore."""
    way = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
    return touching(radius * way + [0.0, 0.0, height], -way)


ROUND = 0.3 + 2 * np.pi * np.arange(7) / 7
MOUTHS = {
    "sharp": [(15.0, TOP)],
    "chamfer of 45 deg": [(15.0, 37.0), (18.0, TOP)],
    "narrow chamfer": [(15.0, 39.5), (15.5, TOP)],
    "round": [(15.0, 38.0), *((17 - 2 * np.cos(a), 38 + 2 * np.sin(a)) for a in (0.4, 0.8, 1.2))],
    "wider step": [(15.0, 30.0), (16.0, 30.0), (16.0, TOP)],
}


@pytest.mark.parametrize("finest", [np.inf, 4.0], ids=["coarse", "fine"])
@pytest.mark.parametrize("mouth", MOUTHS.values(), ids=MOUTHS)
def test_a_bore_is_touched_from_its_middle(judge, mouth, finest):
    """The shank is 0.8 mm from the wall at contact, the wall across 13 mm from the ball."""
    mesh = bore(15.0, mouth, finest)
    for depth, height in some(list(product((0.0, 2.0), (3.0, 10.0, 24.0))), gate=2):
        kept, seen, _ = judge(mesh, in_bore(15.0, ROUND, height), 13.0, depth=depth)
        assert kept.all()
        assert (seen > 7.0).all()  # nothing that is behind is told


def test_the_wall_across_counts(judge):
    """In the middle of a bore of 4 mm radius the ball of 2 mm is 2 mm from the wall."""
    touches = in_bore(4.0, ROUND)
    for required, expected in ((1.9, True), (2.1, False)):
        kept, seen, names = judge(bore(4.0), touches, 2.0, required)
        assert (kept == expected).all()
    np.testing.assert_allclose(seen, 2.0, atol=FACETS)
    assert names == ["stylus ball"] * 7


def test_a_bore_that_is_too_narrow(judge):
    """Half a millimetre beyond the middle of a bore of 3 mm the ball enters the wall by that."""
    kept, seen, names = judge(bore(3.0), in_bore(3.0, ROUND), 2.5, required=0.0)
    assert not kept.any()
    np.testing.assert_allclose(seen, -1.0 + 0.5, atol=FACETS)
    assert names == ["stylus ball"] * 7


@settings(deadline=None, max_examples=cases(gate=10, soak=25))
@given(mouth=st.floats(13.5, 17.0), finest=st.sampled_from([5.0, np.inf]))
def test_a_narrower_mouth_counts_and_a_wider_one_is_behind(judge, mouth, finest):
    """At contact the shank's axis is 13 mm from that of the bore."""
    mesh = bore(15.0, [(15.0, 25.0), (mouth, 25.0), (mouth, TOP)], finest)
    kept, seen, names = judge(mesh, in_bore(15.0, ROUND), 8.0)
    free = mouth - 13.0 - SHANK
    if mouth < 15.0 - FACETS:
        assert not kept.any()
        np.testing.assert_allclose(seen, free, atol=FACETS)
        assert names == ["stylus shank"] * 7
    elif mouth > 15.0 + FACETS:
        assert kept.all()


def test_between_two_walls(judge):
    """12 mm apart, 3 mm of approach: the ball is 12 - 2 - 3 - 2 = 5 mm from the one across."""
    mesh = together(wall(), box([12.0, -60.0, -30.0], [20.0, 60.0, 20.0]))
    for required, expected in ((4.999, True), (5.001, False)):
        kept, seen, names = judge(mesh, touching([[0, 0, 0]], [X]), 3.0, required)
        assert (kept[0], names[0]) == (expected, "stylus ball")
        assert seen[0] == pytest.approx(5.0, abs=1e-6)


@pytest.mark.parametrize("lean", [-70.0, -40.0, -10.0, -3.0, -0.1, 0.0, 0.1, 1.0, 2.0])
def test_walls_that_lean(judge, lean):
    """Away from the shank below zero; else its axis is 2 mm - 20 mm sin(lean) off the top."""
    normal = rotation_about(Y, np.radians(lean)) @ X
    kept, seen, _ = judge(wall(lean), touching([[0, 0, 0]], [normal]), 10.0)
    assert kept[0]
    assert seen[0] > REQUIRED


@pytest.mark.parametrize("lean", [2.6, 4.0])
def test_a_wall_that_leans_too_far_meets_the_shank(judge, lean):
    angle = np.radians(lean)
    normal = rotation_about(Y, angle) @ X
    kept, seen, names = judge(wall(lean), touching([[0, 0, 0]], [normal]), 10.0)
    assert not kept[0]
    # The wall's corner is 20 mm along its face from the origin; the axis is vertical.
    corner, axis = 20.0 * np.sin(angle), BALL * np.cos(angle)
    assert seen[0] == pytest.approx(axis - corner - SHANK, abs=1e-6)
    assert names == ["stylus shank"]


@pytest.mark.parametrize("gap", [6.1, 6.3])
def test_a_post_beside_the_shank_counts(judge, gap):
    """It stands off the shank's axis by its gap, higher than the ball."""
    post = box([0.0, gap, 9.0], [30.0, gap + 5.0, 30.0])
    kept, seen, names = judge(together(wall(), post), touching([[0, 0, 0]], [X]), 6.0)
    assert kept[0] == (gap - SHANK >= REQUIRED)
    # Where the clearance is kept, what is proven is told: at most 0.5 mm + 2 % less.
    assert gap - SHANK - 0.61 * kept[0] <= seen[0] + 1e-6 <= gap - SHANK + 2e-6
    assert names == ["stylus shank"]


@pytest.mark.parametrize("front", [-2.0, -0.5, 0.5])
def test_a_body_on_the_wall_counts_where_it_stands_before_it(judge, front):
    body = box([-8.0, -6.0, 20.0], [front, 9.0, 30.0])
    kept, seen, names = judge(together(wall(), body), touching([[0, 0, 0]], [X]), 10.0)
    assert kept[0] == (front < 0.0)
    if front > 0.0:
        assert seen[0] == pytest.approx(BALL - front - SHANK, abs=1e-6)
        assert names == ["stylus shank"]


def test_what_is_behind_a_thin_wall_is_no_matter(judge):
    mesh = together(wall(thick=1.0), box([-9.0, -50.0, 9.0], [-2.0, 50.0, 30.0]))
    kept, _, _ = judge(mesh, touching([[0, 0, 0]], [X]), 10.0)
    assert kept.all()


@pytest.mark.parametrize("side", [5.6, 7.5])
def test_a_wall_that_ends_beside_the_shank_hides_nothing_there(judge, side):
    """A body further back than the wall, but seen past its end."""
    narrow = wall(wide=3.0)
    body = box([-6.0, side, -30.0], [-1.0, side + 9.0, 30.0])
    kept, _, names = judge(together(narrow, body), touching([[0, 0, 0]], [X]), 10.0)
    # Of the shank at contact: 3 mm behind its axis, and to the side.
    assert kept[0] == (np.hypot(3.0, side) - BALL >= REQUIRED)
    assert kept[0] or names[0] in ("stylus ball", "stylus shank")


def test_a_stylus_along_the_normal_may_be_near_what_its_ball_may():
    part = Solid(name="part", kind=SolidKind.PART, mesh=wall(), closed=True)
    surface = ProbedSurface(part, tree_of([part]))
    shank = Shank(length=0.2, within=0.008, reach=0.01)
    for axis, same in ((-X, True), ([-0.9, 0.0, -np.sqrt(0.19)], True), (DOWN, False)):
        touches = touching([[0, 0, 5.0]], [X], axis=np.array(axis))
        probed = surface.around(touches, 0.01)
        assert (beside(surface, touches, probed, shank) is probed.ignored) == same


def test_points_of_both_kinds_keep_their_own_triangles():
    part = Solid(name="part", kind=SolidKind.PART, mesh=bore(15.0), closed=True)
    surface = ProbedSurface(part, tree_of([part]))
    shank = Shank(length=0.06, within=0.008, reach=0.01)
    touches = in_bore(15.0, ROUND)
    mixed = replace(touches, axes=np.where((np.arange(7) % 2)[:, None], DOWN, -touches.normals))
    found = beside(surface, mixed, surface.around(mixed, 0.01), shank)
    for k in range(7):
        alone = mixed.take(np.array([k]))
        expected = beside(surface, alone, surface.around(alone, 0.01), shank)
        np.testing.assert_array_equal(found.of(k), expected.of(0))


def test_the_distance_stated_is_there_and_the_certificate_below_it(portal):
    """A shank that shifts across its axis is certified: the bound is not the distance.

    A post stands 3.8 mm beside the shank, all along its way to the wall.
    """
    touches = touching([[0.0, 0.0, 0.0]], [X])
    mesh = together(wall(), box([1.0, 5.0, 20.0], [16.0, 15.0, 30.0]))
    solid = Solid(name="part", kind=SolidKind.PART, mesh=mesh, closed=True)
    robot = portal.robot(MM * BALL, MM * SHANK, MM * LENGTH)
    robot = replace(robot, capsules=robot.capsules[:2])
    model, cell = Model(robot), Cell(solids=(solid,))
    lines = ProbingLines(
        Checker(model, cell), cell, robot, touches=touches, required=MM * 3.0, depths=np.zeros(1)
    )
    path = portal.lines(model, touches.contacts + MM * 10.0 * X, touches.contacts)
    found = lines.certify(path, np.zeros(1, dtype=np.int64))
    np.testing.assert_allclose(found.seen, MM * (5.0 - SHANK), atol=1e-9)
    assert MM * 3.0 <= found.certified[0] < found.seen[0]
    x, y, z = found.place[0] / MM
    assert (y, 20.0 <= z <= 30.0) == (0.0, True)
    assert x == pytest.approx(BALL + 10.0 * (1.0 - found.lam[0]))
