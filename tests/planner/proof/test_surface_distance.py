"""Distances of points and segments from solids, against closed forms and brute force."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from parts.geometry.proximity import closest_on_triangles
from planner.job.solids import Solid, SolidKind
from planner.proof import prove, surface_distance
from planner.proof.surface_distance import SurfaceDistance, surface_of

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=np.float64)
FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]),
        *([2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)
SIZE = np.array([0.4, 0.3, 0.2])


def box(closed=True):
    mesh = TriangleMesh(vertices=CORNERS * SIZE, faces=FACES)
    return Solid(name="box", kind=SolidKind.OBSTACLE, mesh=mesh, closed=closed)


def from_box(points):
    """Signed distance of points from the box, in closed form."""
    outside = np.maximum(np.maximum(-points, points - SIZE), 0.0)
    within = np.min(np.minimum(points, SIZE - points), axis=-1)
    return np.where(within > 0.0, -within, np.linalg.norm(outside, axis=-1))


@pytest.fixture(scope="module")
def surface():
    return SurfaceDistance(box())


def test_signed_distances(surface):
    points = np.random.default_rng(0).uniform(-0.3, 0.7, size=(2000, 3))
    assert surface.signed(points) == pytest.approx(from_box(points), abs=1e-15)
    assert surface.signed(points[:0]).shape == (0,)
    # An open skin has no inside.
    middle = 0.5 * SIZE[None]
    assert SurfaceDistance(box(closed=False)).signed(middle) == pytest.approx([0.1])


@pytest.fixture
def unkept(monkeypatch):
    """Surfaces live as long as their proof, as in the product; other tests keep them."""
    monkeypatch.setattr(surface_distance, "_PREPARED", weakref.WeakValueDictionary())


@pytest.mark.usefixtures("unkept")
def test_a_surface_is_prepared_once_and_kept_no_longer_than_it_is_used():
    first = surface_of(box())
    assert surface_of(box()) is first
    assert surface_of(box(closed=False)) is not first
    gone = weakref.ref(first)
    del first
    gc.collect()
    assert gone() is None


@pytest.mark.usefixtures("unkept")
def test_a_proof_prepares_a_surface_once(walled, monkeypatch):
    """For the plan and for the searches that find nothing; nothing is left of it afterwards."""
    prepared = []

    class Counted(SurfaceDistance):
        def __init__(self, solid):
            prepared.append(solid.name)
            super().__init__(solid)

    monkeypatch.setattr(surface_distance, "SurfaceDistance", Counted)
    assert walled.miss is not None
    assert prove(walled).passed
    assert sorted(prepared) == sorted(solid.name for solid in walled.job.cell.solids)
    gc.collect()
    assert not surface_distance._PREPARED


def brute(starts, ends, count=400):
    """Least distance of places on segments from the box."""
    shares = np.linspace(0.0, 1.0, count)[:, None, None]
    return from_box(starts + shares * (ends - starts)).min(axis=0)


def test_shortfalls_are_never_more_than_true_and_hardly_less(surface):
    rng = np.random.default_rng(2)
    starts = rng.uniform(-0.4, 0.8, size=(300, 3))
    ends = starts + rng.normal(scale=0.2, size=(300, 3))
    distance = brute(starts, ends)
    outside = distance > 0.0
    starts, ends, distance = starts[outside], ends[outside], distance[outside]
    needs = distance * rng.uniform(0.5, 1.5, size=distance.shape)
    found = surface.shortfalls(starts, ends, needs)
    # Brute force misses 0.5·step²/distance at most; places seen may be a 30th of the need away.
    step = np.linalg.norm(ends - starts, axis=1) / 400
    assert np.all(found <= needs - distance + step)
    wrong = needs > distance * (1 + 1 / 16) + 1e-3
    assert np.count_nonzero(wrong) > 50
    assert np.all(found[wrong] > 0.0)
    right = needs < distance - step
    assert np.count_nonzero(right) > 50
    assert np.all(found[right] < 0.0)


def test_a_shortfall_of_a_hair_is_seen_at_an_end(surface):
    """The places with least to spare are measured exactly."""
    end = np.array([[0.2, 0.15, 0.25]])
    start = np.array([[0.2, 0.15, 0.55]])
    found = surface.shortfalls(start, end, np.array([0.05 + 1e-9]))
    assert found == pytest.approx([1e-9], abs=1e-15)
    assert surface.shortfalls(start, end, np.array([0.05 - 1e-9])) < 0.0


def test_a_segment_inside_is_found_though_it_meets_no_triangle(surface):
    start, end = np.array([[0.1, 0.1, 0.1]]), np.array([[0.3, 0.2, 0.1]])
    # Deep by 0.1 m where it starts: what is asked is missing, and that.
    assert surface.shortfalls(start, end, np.array([0.02])) == pytest.approx([0.12])
    assert surface.shortfalls(start, end, np.array([-0.2])) == pytest.approx([-0.1])


def test_needs_without_end_are_not_met(surface):
    far = np.array([[5.0, 5.0, 5.0]])
    assert surface.shortfalls(far, far + 1.0, np.array([np.inf]))[0] == np.inf


def test_many_triangles_are_measured_like_few():
    """A sphere of 20,000 triangles, whose own facets are the truth."""
    theta, phi = np.meshgrid(np.linspace(0, np.pi, 101), np.linspace(0, 2 * np.pi, 101)[:-1])
    ball = np.stack(
        [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], axis=-1
    )
    a = np.arange(100 * 101).reshape(100, 101)
    b = np.roll(a, -1, axis=0)
    corners = (a[:, :-1], a[:, 1:], b[:, 1:], b[:, :-1])
    faces = [np.stack([corners[0], corners[i], corners[i + 1]], axis=-1) for i in (1, 2)]
    mesh = TriangleMesh(
        vertices=0.1 * ball.reshape(-1, 3), faces=np.concatenate([f.reshape(-1, 3) for f in faces])
    )
    surface = SurfaceDistance(Solid(name="b", kind=SolidKind.PART, mesh=mesh, closed=True))
    points = np.random.default_rng(3).normal(size=(20, 3))
    points *= 0.15 / np.linalg.norm(points, axis=1, keepdims=True)
    every = [
        np.linalg.norm(closest_on_triangles(np.tile(p, (len(mesh), 1)), mesh.triangles) - p, axis=1)
        for p in points
    ]
    distance = np.min(every, axis=1)
    assert surface.signed(points) == pytest.approx(distance, abs=1e-12)
    found = surface.shortfalls(points, points, distance + 1e-6)
    assert found == pytest.approx(1e-6, abs=1e-12)


def test_distances_of_any_triangle_are_those_of_all_one_by_one():
    """Of triangles of any form: also needles, and such without an area."""
    rng = np.random.default_rng(4)
    corners = rng.normal(scale=0.1, size=(60, 3, 3)) + rng.normal(size=(60, 1, 3))
    corners[:10, 2] = corners[:10, 0] + 1e-7 * rng.normal(size=(10, 3))
    corners[10:15, 2] = 0.5 * (corners[10:15, 0] + corners[10:15, 1])
    mesh = TriangleMesh(vertices=corners.reshape(-1, 3), faces=np.arange(180).reshape(-1, 3))
    surface = SurfaceDistance(Solid(name="s", kind=SolidKind.PART, mesh=mesh, closed=False))
    points = rng.normal(size=(200, 3))
    gaps = np.stack(
        [
            np.linalg.norm(closest_on_triangles(np.tile(p, (60, 1)), corners) - p, axis=1)
            for p in points
        ]
    )
    assert surface.signed(points) == pytest.approx(gaps.min(axis=1), abs=1e-14)
    asked = rng.uniform(0.0, 3.0, size=200)
    expected = np.abs(gaps - asked[:, None]).min(axis=1)
    assert surface.off_any(points, asked) == pytest.approx(expected, abs=1e-14)


def test_places_on_the_skin_are_measured_as_such(surface):
    """No ray tells on which side of the skin a corner is, or a place on an edge."""
    edges = np.array([[0.0, 0.0, 0.0], [0.4, 0.3, 0.1], [0.2, 0.15, 0.2]])
    assert surface.signed(edges) == pytest.approx(0.0, abs=1e-15)
    out = edges + np.array([[-0.1, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.0, 0.1]])
    assert surface.shortfalls(edges, out, np.full(3, 0.01)) == pytest.approx(0.01, abs=1e-15)
