"""The checker beside coal, the collision library of Pinocchio, on random postures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.clearance.checker import Checker
from planner.job.solids import Cell, Solid, SolidKind
from robots.core.capsule import Capsule
from robots.core.model import Model
from robots.library import load
from tests.cases import cases

coal = pytest.importorskip("coal", reason="coal is the peer of this test")

SHANK = Capsule(name="stylus shank", joint=4, start=[0, 0, 0], end=[0, -0.2, 0], radius=0.004)
POSTURES = cases(gate=250, soak=1500)
CLOSE = 1e-6  # coal's own tolerance for contact


def mesh_of(mesh):
    made = coal.BVHModelOBBRSS()
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(np.array(mesh.vertices)))
    faces.extend([coal.Triangle(*map(int, face)) for face in mesh.faces])
    made.beginModel(len(mesh), len(mesh.vertices))
    made.addSubModel(points, faces)
    made.endModel()
    return made


def poses(mechanism, q):
    """Pose of every capsule: its middle, its axis along z. # {name: (m, 4, 4)}"""
    T, found = Model(mechanism).transforms(q), {}
    for capsule in mechanism.capsules:
        way = capsule.end - capsule.start
        z = way / np.linalg.norm(way) if way.any() else np.array([0.0, 0, 1])
        x = np.cross(z, [0.31, 0.52, 0.79])
        x /= np.linalg.norm(x)
        local = np.eye(4)
        local[:3] = np.column_stack([x, np.cross(z, x), z, 0.5 * (capsule.start + capsule.end)])
        if capsule.joint >= 0:
            found[capsule.name] = T[:, capsule.joint] @ local
    return found


def judged(brute, arm, mesh, q):
    """Postures whose links have an end inside; least distance by coal, -inf for a contact."""
    placed, other, here = poses(arm, q), mesh_of(mesh), coal.Transform3s()
    inside = np.zeros(POSTURES, dtype=bool)
    least = np.full(POSTURES, np.inf)
    request = coal.DistanceRequest()
    for capsule in arm.capsules:
        if capsule.joint < 0:
            continue
        T = placed[capsule.name]
        length = float(np.linalg.norm(capsule.end - capsule.start))
        shape = coal.Capsule(capsule.radius, length)
        tips = T[:, :3, 3] - 0.5 * length * T[:, :3, 2]
        inside |= np.concatenate(
            [brute.winding(some, mesh.triangles) != 0 for some in np.array_split(tips, 30)]
        )
        for row in range(POSTURES):
            pose = coal.Transform3s(T[row, :3, :3], T[row, :3, 3])
            result = coal.CollisionResult()
            if coal.collide(shape, pose, other, here, coal.CollisionRequest(), result):
                least[row] = -np.inf
            elif row < 100:
                found = coal.DistanceResult()
                least[row] = min(
                    least[row], coal.distance(shape, pose, other, here, request, found)
                )
    return inside, least


@pytest.mark.parametrize("radius", [0.35, 0.9], ids=["touched", "swallowing"])
def test_never_another_answer_than_coal(brute, radius):
    arm = load("measuring-arm")
    # Of links that are all swallowed, as the arm's own reach in from outside.
    links = (*arm.capsules, SHANK) if radius < 0.5 else (arm.capsules[-1], SHANK)
    arm = replace(arm, capsules=links, self_pairs=())
    mesh = brute.sphere((1.1, 0.3, 0.5), radius, 0.15, 4)
    solid = Solid(name="part", kind=SolidKind.PART, mesh=mesh, closed=True)
    q = np.random.default_rng(21).uniform(-np.pi, np.pi, (POSTURES, 5))
    checker = Checker(Model(arm), Cell(solids=(solid,)))
    inside, least = judged(brute, arm, mesh, q)
    expected = (least == -np.inf) | inside
    exact = checker.nearest(q).value
    sure = np.abs(exact) > CLOSE
    assert np.array_equal(checker.collides(q)[sure], expected[sure])
    assert sure.mean() > 0.99
    free = np.flatnonzero(np.isfinite(least) & ~inside)[:100]
    free = free[free < 100]
    assert np.allclose(exact[free], least[free], rtol=0, atol=CLOSE)
    swallowed = inside & (least != -np.inf)
    assert swallowed.any() == (radius > 0.5)
    assert 0.02 < expected.mean() < 0.9
