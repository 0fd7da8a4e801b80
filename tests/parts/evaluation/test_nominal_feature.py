"""Which feature nominal points and their normals are."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from parts.evaluation.association import nominal_feature
from tests.cases import some

A = np.linspace(0.0, 2 * np.pi, 9)[:-1]
RING = np.column_stack([np.cos(A), np.sin(A), 0 * A])
UP = np.array([0.0, 0.0, 1.0])
RNG = np.random.default_rng(6)


def _cylinder(sign):
    points = np.vstack([0.02 * RING, 0.02 * RING + 0.03 * UP])
    return points, sign * np.vstack([RING, RING])


def _cone():
    half = np.radians(20.0)
    rows = [s * (np.sin(half) * RING + np.cos(half) * UP) for s in (0.03, 0.05)]
    normal = np.cos(half) * RING - np.sin(half) * UP
    return np.vstack(rows), np.vstack([normal, normal])


def _torus():
    tube = [0.0, 0.7, 1.4, 2.6]
    points = [(0.05 + 0.01 * np.cos(t)) * RING + 0.01 * np.sin(t) * UP for t in tube]
    return np.vstack(points), np.vstack([np.cos(t) * RING + np.sin(t) * UP for t in tube])


def _sphere():
    n = np.vstack([RING, [[0, 0, 1]], np.roll(RING, 1, axis=1)])
    return 0.0125 * n + [0.1, 0.2, 0.3], n


GRID = np.array([[x, y, 0.1] for x in (0, 0.1, 0.3) for y in (0, 0.2)])


@pytest.mark.parametrize(
    ("kind", "points", "normals"),
    [
        ("plane", GRID, np.tile(UP, (6, 1))),
        ("circle3d", 0.01 * RING, -RING),
        ("line3d", np.outer([0, 0.1, 0.2], [1, 1, 0]), np.tile(UP, (3, 1))),
        ("cylinder", *_cylinder(1)),
        ("cylinder", *_cylinder(-1)),
        ("cone", *_cone()),
        ("torus", *_torus()),
        ("sphere", *_sphere()),
    ],
)
def test_every_feature_is_recognised(kind, points, normals):
    rounded = np.round(points, 6)  # as files print them
    found = nominal_feature(rounded, normals)
    assert found.kind == kind
    assert found.shape is not None
    assert np.abs(found.shape.distance(points)).max() < 2e-6


def test_a_hole_is_known_by_its_normals():
    found = nominal_feature(*_cylinder(-1))
    assert found.shape.reversed
    assert found.shape.radius == pytest.approx(0.02, abs=1e-12)


def test_points_of_no_feature_are_freeform():
    rng = np.random.default_rng(1)
    normals = rng.normal(size=(12, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    assert nominal_feature(rng.normal(size=(12, 3)), normals).kind == "freeform"
    tilted = np.tile([0.6, 0.0, 0.8], (6, 1))  # flat points, but the surface is not their plane
    assert nominal_feature(GRID, tilted).kind == "freeform"
    assert nominal_feature(GRID[:1], normals[:1]).kind == "freeform"


def _many(kind):
    """3000 points, more than a sample of them."""
    t, h = np.meshgrid(np.linspace(0.0, 2 * np.pi, 60), np.linspace(0.2, 1.2, 50))
    t, h = t.ravel(), h.ravel()
    ring = np.column_stack([np.cos(t), np.sin(t), 0 * t])
    if kind == "cylinder":
        return 0.02 * ring + 0.03 * np.outer(h, UP), ring
    if kind == "sphere":
        normals = np.cos(h)[:, None] * ring + np.outer(np.sin(h), UP)
        return 0.03 * normals, normals
    if kind == "cone":
        normals = np.cos(0.3) * ring - np.sin(0.3) * UP
        return 0.05 * h[:, None] * (np.sin(0.3) * ring + np.cos(0.3) * UP), normals
    normals = np.cos(3 * h)[:, None] * ring + np.outer(np.sin(3 * h), UP)
    return 0.05 * ring + 0.01 * normals, normals


@pytest.mark.parametrize("kind", some(["sphere", "cylinder", "cone", "torus"], gate=2))
def test_many_points_of_a_feature_are_recognised_and_one_wrong_point_is_seen(kind, fitted_kinds):
    """A sample may rule a kind out; only all points may confirm it."""
    points, normals = _many(kind)
    found = nominal_feature(points, normals)
    assert found.kind == kind
    assert fitted_kinds == [kind]  # the kinds before it were ruled out by a sample
    assert np.abs(found.shape.distance(points)).max() < 1e-12
    wrong = points.copy()
    wrong[1501] += 1e-4 * normals[1501]  # between two points of the sample
    assert nominal_feature(wrong, normals).kind == "freeform"


def test_many_points_of_no_feature_are_ruled_out_by_a_sample(fitted_kinds):
    xy = RNG.uniform(-0.1, 0.1, (3000, 2))
    points = np.column_stack([xy, 0.01 * np.sin(40 * xy[:, 0]) * np.cos(30 * xy[:, 1])])
    assert nominal_feature(points, np.tile(UP, (3000, 1))).kind == "freeform"
    assert fitted_kinds == []


@pytest.fixture
def fitted_kinds(monkeypatch):
    """Kinds that are fitted to all points."""
    from parts.fits.fitting import fit

    made = []

    def counting(kind, points, **options):
        made.append(kind)
        return fit(kind, points, **options)

    monkeypatch.setattr(sys.modules["parts.evaluation.association"], "fit", counting)
    return made
