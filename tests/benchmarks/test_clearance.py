"""Collision of the arm with a part of 100,000 triangles beside Pinocchio with coal, in one run.

What is compared: exact yes or no for postures anywhere within the joint limits, forward geometry
included, on one thread, with the same capsules and triangles; Pinocchio's side is
``computeCollisionsInParallel`` in C++, which stops at the first contact of a posture. Ours also
finds links that are swallowed whole, which coal does not look for.

The machine is shared, so the median of a fixed number of alternating runs counts.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from planner.clearance.checker import Checker
from planner.job.solids import Cell, Solid, SolidKind
from robots.core.capsule import Capsule
from robots.core.model import Model
from robots.library import load
from tests.cases import sized

pytestmark = pytest.mark.benchmark

RUNS = 7
OURS, THEIRS = sized(100_000, once=2_000), sized(10_000, once=1_000)  # postures
SHANK = Capsule(name="stylus shank", joint=4, start=[0, 0, 0], end=[0, -0.2, 0], radius=0.004)


def part() -> TriangleMesh:
    """A ball with hills, of about 100,000 triangles."""
    import trimesh

    made = trimesh.creation.uv_sphere(radius=1.0, count=[158, 159])
    v = np.array(made.vertices)
    hills = 1.0 + 0.15 * np.sin(9 * v[:, 0]) * np.cos(7 * v[:, 1]) * np.sin(8 * v[:, 2] + 1)
    vertices = np.array([0.8, 0.3, 0.6]) + 0.5 * hills[:, None] * v
    return TriangleMesh(vertices=vertices, faces=np.array(made.faces))


def seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def peer(pin, coal, arm, mesh):
    """The arm and the part for Pinocchio, one thread."""
    model, geometry, parent = pin.Model(), pin.GeometryModel(), 0
    for joint in arm.joints:
        placement = pin.SE3(np.array(joint.placement))
        parent = model.addJoint(parent, pin.JointModelRZ(), placement, joint.name)
    body = coal.BVHModelOBBRSS()
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(np.array(mesh.vertices)))
    faces.extend([coal.Triangle(*map(int, face)) for face in mesh.faces])
    body.beginModel(len(mesh), len(mesh.vertices))
    body.addSubModel(points, faces)
    body.endModel()
    last = geometry.addGeometryObject(pin.GeometryObject("part", 0, 0, pin.SE3.Identity(), body))
    for capsule in arm.capsules:
        if capsule.joint >= 0:
            way = capsule.end - capsule.start
            length = float(np.linalg.norm(way))
            z = way / length if length else np.array([0.0, 0.0, 1.0])
            x = np.cross(z, [0.31, 0.52, 0.79])
            x /= np.linalg.norm(x)
            turned = np.column_stack([x, np.cross(z, x), z])
            pose = pin.SE3(turned, 0.5 * (capsule.start + capsule.end))
            shape = coal.Capsule(capsule.radius, length)
            made = pin.GeometryObject(capsule.name, capsule.joint + 1, 0, pose, shape)
            geometry.addCollisionPair(pin.CollisionPair(geometry.addGeometryObject(made), last))
    return pin.GeometryPool(model, geometry, 1)


def test_exact_collision_beside_pinocchio_with_coal(speed):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is the peer of this benchmark")
    coal = pytest.importorskip("coal", reason="coal is the peer of this benchmark")
    arm = load("measuring-arm")
    arm = replace(arm, capsules=(*arm.capsules, SHANK), self_pairs=())
    mesh = part()
    assert 95_000 < len(mesh) < 105_000
    solid = Solid(name="part", kind=SolidKind.PART, mesh=mesh, closed=True)
    cell, pool = Cell(solids=(solid,)), peer(pin, coal, arm, mesh)
    Checker(Model(arm), cell, threads=1).collides(np.zeros((1, 5)))  # compiles
    build = seconds(lambda: Checker(Model(arm), cell, threads=1))
    checker = Checker(Model(arm), cell, threads=1)
    q = np.random.default_rng(0).uniform(arm.q_min, arm.q_max, (OURS, 5))
    theirs_q = np.asfortranarray(q[:THEIRS].T)
    found = checker.collides(q)
    other = np.array(pin.computeCollisionsInParallel(1, pool, theirs_q, True)).ravel().astype(bool)
    sure = np.abs(checker.nearest(q[:THEIRS]).value) > 1e-6
    assert np.array_equal(found[:THEIRS][sure], other[sure])
    assert 0.1 < found.mean() < 0.3
    ratios: list[float] = []
    for _ in range(speed.runs(RUNS)):
        ours = 1e6 * seconds(lambda: checker.collides(q)) / OURS
        call = seconds(lambda: pin.computeCollisionsInParallel(1, pool, theirs_q, True))
        theirs = 1e6 * call / THEIRS
        ratios.append(theirs / ours)
        print(f"{ours:.2f} µs a posture, Pinocchio with coal {theirs:.2f} µs: {ratios[-1]:.1f} x")
    checker.bounds(q[:1], np.zeros((1, 5)), np.zeros(1))  # compiles
    nearest = 1e6 * seconds(lambda: checker.nearest(q[:THEIRS])) / THEIRS
    spread, floor = np.full((THEIRS, 5), 0.01), np.zeros(THEIRS)
    bounds = 1e6 * seconds(lambda: checker.bounds(q[:THEIRS], spread, floor)) / THEIRS
    print(f"nearest {nearest:.1f} µs, bounds {bounds:.1f} µs; built in {build:.2f} s")
    print(f"{100 * found.mean():.0f} % collide")
    speed.ratio("collision of a posture: Pinocchio with coal", ratios)
