"""Convex pieces beside coal: distances of two, and what a checker says of links that have one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.clearance.checker import Checker
from planner.clearance.convex import PLACE, new_simplex, piece_distance
from planner.job.solids import Cell, Solid, SolidKind
from robots.core.model import Model
from robots.library import load
from tests.cases import cases

coal = pytest.importorskip("coal", reason="coal is the peer of this test")

CLOSE = 1e-6  # coal's own tolerance
STILL = coal.Transform3s()


def hull(corners):
    points = coal.StdVec_Vec3s()
    points.extend(list(np.array(corners)))
    return coal.Convex.convexHull(points, False, "Qt")


def triangles(mesh):
    made = coal.BVHModelOBBRSS()
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(np.array(mesh.vertices)))
    faces.extend([coal.Triangle(*map(int, face)) for face in mesh.faces])
    made.beginModel(len(mesh), len(mesh.vertices))
    made.addSubModel(points, faces)
    made.endModel()
    return made


def distance(one, pose, other):
    """Of two shapes; zero or less where they meet."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    return coal.distance(one, pose, other, STILL, request, result)


def meets(one, pose, other):
    return bool(
        coal.collide(one, pose, other, STILL, coal.CollisionRequest(), coal.CollisionResult())
    )


@pytest.mark.parametrize("seed", range(cases(gate=4, soak=100)))
def test_both_bounds_of_a_distance_are_coals(seed):
    """Pieces of all sizes, apart and into each other; the lower bound is one whatever the end."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        a = rng.normal(size=(rng.integers(4, 30), 3)) * 10.0 ** rng.uniform(-2, 0)
        b = rng.normal(size=(rng.integers(4, 30), 3)) * 10.0 ** rng.uniform(-2, 0)
        b += rng.normal(size=3) * rng.choice([0.0, 1.0, 3.0])
        low, high = piece_distance(a, len(a), b, len(b), np.inf, new_simplex())
        expected = max(distance(hull(a), STILL, hull(b)), 0.0)
        assert low == pytest.approx(expected, abs=CLOSE)
        assert 0.0 <= high - low < 1e-11


def test_the_nearest_place_is_of_the_piece_and_as_far_as_stated():
    rng = np.random.default_rng(3)
    for _ in range(50):
        a, b = rng.normal(size=(2, 20, 3))
        b[:, 0] += 9.0
        work = new_simplex()
        low, _ = piece_distance(a, 20, b, 20, np.inf, work)
        place = work[PLACE, None, :3].copy()
        assert piece_distance(place, 1, a, 20, np.inf, new_simplex())[1] < 1e-9
        assert piece_distance(place, 1, b, 20, np.inf, new_simplex())[0] == pytest.approx(low)


@pytest.fixture(scope="module")
def two_links():
    """Base and upper arm of a UR5e in capsules so thick that their pieces decide."""
    plain = load("ur5e")
    names = [c.name for c in plain.capsules]
    pair = (names.index("base link"), names.index("upper arm link"))
    swallowed = tuple(replace(c, radius=1.0) for c in plain.capsules)
    return replace(plain, capsules=swallowed, self_pairs=(pair,))


def test_pieces_with_corners_in_common_planes_meet_only_where_coals_do(two_links):
    """A corner in the plane of three others makes a simplex flat: its sides are rounding then."""
    ((base, upper),) = two_links.self_pairs
    q = np.random.default_rng(8).uniform(-np.pi, np.pi, (cases(gate=600, soak=100_000), 6))
    # Of a plan of NIST's CTC 01, whose proof refused it: told to meet.
    q[0] = [0.44136119386654415, 2.4432229476963405, 1.2565993249259073, 0.0, 0.0, 0.0]
    one, other = (hull(two_links.capsules[k].corners) for k in (base, upper))
    poses = Model(two_links).transforms(q)[:, two_links.capsules[upper].joint]
    gaps = [distance(other, coal.Transform3s(T[:3, :3], T[:3, 3]), one) for T in poses]
    found = Checker(Model(two_links), Cell()).nearest(q).value
    assert gaps[0] == pytest.approx(5.957576e-3, abs=CLOSE)
    assert found == pytest.approx(np.maximum(gaps, 0.0), rel=0, abs=CLOSE)


def test_links_that_meet_collide_where_no_clearance_is_required(two_links):
    checker = Checker(Model(two_links), Cell())
    q = np.random.default_rng(9).uniform(-np.pi, np.pi, (500, 6))
    meeting = checker.nearest(q).value < 0.0
    assert 0.1 < np.mean(meeting) < 0.9
    assert np.array_equal(checker.collides(q), meeting)


@pytest.fixture(scope="module")
def arm():
    """The measuring arm in capsules that are too thick, with slabs as the room of its links."""
    rng = np.random.default_rng(5)
    plain = load("measuring-arm")
    capsules = []
    for c in plain.capsules:
        way = c.end - c.start
        slab = c.start + rng.uniform(-0.02, 1.02, size=(24, 1)) * way
        slab = slab + rng.normal(size=(24, 3)) * [0.1, 0.04, 0.03]
        capsules.append(replace(c, radius=c.radius + 0.1, corners=slab))
    return replace(plain, capsules=tuple(capsules))


def bodies(mechanism, T):
    """Capsule and piece of every body in one posture, as coal has them."""
    for c in mechanism.capsules:
        pose = np.eye(4) if c.joint < 0 else T[c.joint]
        way = c.end - c.start
        length = float(np.linalg.norm(way))
        z = way / length if length else np.array([0.0, 0.0, 1.0])
        x = np.cross(z, [0.31, 0.52, 0.79])
        x /= np.linalg.norm(x)
        R = pose[:3, :3] @ np.column_stack([x, np.cross(z, x), z])
        middle = pose[:3, :3] @ (0.5 * (c.start + c.end)) + pose[:3, 3]
        yield (
            (coal.Capsule(c.radius, length), coal.Transform3s(R, middle)),
            (hull(c.corners), coal.Transform3s(pose[:3, :3], pose[:3, 3])),
        )


@pytest.mark.parametrize("radius", [0.3, 1.0], ids=["touched", "swallowing"])
def test_a_body_is_as_near_to_a_solid_as_capsule_and_piece_both_are(arm, brute, radius):
    mesh = brute.sphere((1.1, 0.3, 0.5), radius, 0.15, 3)
    cell = Cell(solids=(Solid(name="part", kind=SolidKind.PART, mesh=mesh, closed=True),))
    arm = replace(arm, self_pairs=())
    checker = Checker(Model(arm), cell)
    rng = np.random.default_rng(21)
    q = rng.uniform(-np.pi, np.pi, (cases(gate=60, soak=400), 5))
    other, solid = triangles(mesh), mesh.triangles
    expected, thick = np.full((2, len(q)), np.inf)
    for row, T in enumerate(Model(arm).transforms(q)):
        for body, c in zip(bodies(arm, T), arm.capsules, strict=True):
            if c.joint < 0:
                continue
            pose = body[1][1]
            corner = pose.getRotation() @ c.corners[0] + pose.getTranslation()
            inside = brute.winding(corner[None], solid)[0] != 0
            gaps = [
                -np.inf if inside or meets(shape, pose, other) else distance(shape, pose, other)
                for shape, pose in body
            ]
            expected[row] = min(expected[row], max(gaps))
            thick[row] = min(thick[row], gaps[0])
    found = checker.nearest(q).value
    free = expected > CLOSE
    assert np.allclose(found[free], expected[free], rtol=0, atol=CLOSE)
    assert (found[~free] <= CLOSE).all()
    assert 5 < free.sum() < len(q)
    assert (thick < expected).sum() > 10  # it is the pieces that tell
    for required in (0.0, 0.05):
        sure = np.abs(expected - required) > CLOSE
        told = checker.collides(q, required)
        assert np.array_equal(told[sure], expected[sure] < required)


def test_two_bodies_are_as_near_as_capsules_and_pieces_both_are(arm):
    arm = replace(arm, capsules=(replace(arm.capsules[0], corners=[]), *arm.capsules[1:]))
    checker = Checker(Model(arm), Cell())
    q = np.random.default_rng(4).uniform(-np.pi, np.pi, (cases(gate=150, soak=2000), 5))
    expected = np.full(len(q), np.inf)
    cored = replace(arm, capsules=tuple(
        c if len(c.corners) else replace(c, corners=np.vstack([c.start + 1e-9 * np.eye(3), c.end]))
        for c in arm.capsules
    ))  # fmt: skip
    for row, T in enumerate(Model(arm).transforms(q)):
        placed = list(bodies(cored, T))
        for a, b in arm.self_pairs:
            one, other = placed[a], placed[b]
            capsules, cores = (
                coal.distance(*shape_a, *shape_b, coal.DistanceRequest(), coal.DistanceResult())
                for shape_a, shape_b in zip(one, other, strict=True)
            )
            if a == 0 or b == 0:
                cores -= arm.capsules[0].radius
            expected[row] = min(expected[row], max(capsules, cores))
    found = checker.nearest(q).value
    free = expected > CLOSE
    assert np.allclose(found[free], expected[free], rtol=0, atol=2 * CLOSE)
    assert (found[~free] <= CLOSE).all()
    assert 0.1 < free.mean() < 1.0
    assert np.array_equal(checker.collides(q, 0.03), found < 0.03)
