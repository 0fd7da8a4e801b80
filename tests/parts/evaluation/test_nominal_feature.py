"""Which feature nominal points and their normals are."""

from __future__ import annotations

import numpy as np
import pytest

from parts.evaluation import nominal_feature

A = np.linspace(0.0, 2 * np.pi, 9)[:-1]
RING = np.column_stack([np.cos(A), np.sin(A), 0 * A])
UP = np.array([0.0, 0.0, 1.0])


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
