"""Plans of an arm whose capsules are too thick, and whose convex pieces keep the clearance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.job.stylus import STYLUS
from planner.planning import plan as planned
from planner.presenting.present import only
from planner.proof import prove
from planner.proof.clearances import PieceDistance
from robots.core.capsule import Capsule
from robots.core.pose import make_pose, rotation_zyx
from tests.cases import SOAK

coal = pytest.importorskip("coal", reason="coal is the peer of this test")


def prism(capsule):
    """A box about a capsule."""
    way = capsule.end - capsule.start
    length = float(np.linalg.norm(way))
    z = way / length if length else np.array([0.0, 0.0, 1.0])
    x = np.linalg.svd(z[None])[2][1]
    y, r = np.cross(z, x), capsule.radius
    ends = [capsule.start - r * z, capsule.end + r * z]
    return np.array([e + r * (i * x + k * y) for e in ends for i in (-1, 1) for k in (-1, 1)])


def thick(mechanism, more, *, pieces):
    """Every capsule but those of the stylus thicker; with the box of its first size, or without."""
    return replace(
        mechanism,
        capsules=tuple(
            c
            if c.name in STYLUS
            else replace(c, radius=c.radius + more, corners=prism(c) if pieces else [])
            for c in mechanism.capsules
        ),
    )


@pytest.fixture(scope="module")
def job(walled_job):
    """Links 250 mm too thick in the way of a wall, the wrist into the part."""
    return walled_job if SOAK else only(walled_job, np.array([0, 1]))  # on either side of it


@pytest.fixture(scope="module")
def boxed(job):
    return planned(replace(job, mechanism=thick(job.mechanism, 0.25, pieces=True)))


def test_pieces_prove_what_capsules_cannot(job, boxed):
    bare = planned(replace(job, mechanism=thick(job.mechanism, 0.25, pieces=False)))
    assert not bare.feasible
    assert boxed.feasible
    assert prove(boxed).passed


def altered(plan, index, **values):
    segments = list(plan.timeline)
    segments[index] = replace(
        segments[index], clearance=replace(segments[index].clearance, **values)
    )
    return replace(plan, timeline=tuple(segments))


def nearest(plan):
    """The segment whose distance a piece keeps by least."""
    told = [(s.clearance.seen, i) for i, s in enumerate(plan.timeline)
            if s.clearance and s.clearance.moving not in STYLUS]  # fmt: skip
    return min(told)[1]


def test_more_than_the_pieces_keep_is_noticed(boxed, failures):
    index = nearest(boxed)
    own = boxed.timeline[index].clearance
    assert failures(
        prove(altered(boxed, index, certified=own.certified + 0.05, seen=own.seen + 0.05))
    )
    x, y, z = own.place
    assert "stated clearance" in failures(prove(altered(boxed, index, place=(x, y + 1e-3, z))))
    mechanism = boxed.job.mechanism
    grown = tuple(
        replace(c, corners=c.corners + 0.05 * np.sign(c.corners - c.corners.mean(axis=0)))
        if len(c.corners)
        else c
        for c in mechanism.capsules
    )
    job = replace(boxed.job, mechanism=replace(mechanism, capsules=grown))
    assert "certified clearance" in failures(prove(replace(boxed, job=job)))


def shape(corners):
    points = coal.StdVec_Vec3s()
    points.extend(list(np.array(corners)))
    return coal.Convex.convexHull(points, False, "Qt")


def test_edges_and_corners_tell_the_distance_of_two_pieces():
    """What is kept by coal's distance passes; half a percent less is noticed, as of axes."""
    rng = np.random.default_rng(2)
    a, b = (rng.normal(size=(14, 3)) * [0.1, 0.06, 0.2] for _ in range(2))
    one, other = (
        PieceDistance(
            Capsule(name="x", joint=0, start=[0, 0, 0], end=[0, 0, 0], radius=1, corners=c)
        )
        for c in (a, b)
    )
    for _ in range(12):
        T, S = (
            make_pose(rotation_zyx(rng.uniform(-3, 3, 3)), place)
            for place in (rng.normal(size=3) * 0.05, rng.normal(size=3) * 0.4)
        )
        poses = [coal.Transform3s(P[:3, :3], P[:3, 3]) for P in (T, S)]
        gap = coal.distance(
            shape(a), poses[0], shape(b), poses[1], coal.DistanceRequest(), coal.DistanceResult()
        )
        if gap <= 0.0:
            assert one.piece_shortfalls(T[None], other, S[None], np.array([1e-3])) > 0.0
            continue
        for need in (gap - 1e-6, 1.005 * gap):
            short = one.piece_shortfalls(T[None], other, S[None], np.array([need]))[0]
            assert (short > 0.0) == (need > gap)
            assert short < 0.0051 * gap
            solid = one.solid_shortfalls(
                other.surface, (np.linalg.inv(S) @ T)[None], np.array([need])
            )
            assert (solid[0] > 0.0) == (need > gap)
