"""A block with a bore, its nominal points, and a way to compare."""

from __future__ import annotations

import numpy as np
import pytest

from parts.evaluation.comparison import AlignmentTask, ComparisonTask, compare
from parts.evaluation.tolerance import DatumFeature
from parts.points import ProbePoints


def _face(name, axis, sign, level, spans):
    u, v = [i for i in range(3) if i != axis]
    rows = []
    for a in np.linspace(*spans[0], 4):
        for b in np.linspace(*spans[1], 4):
            point = np.zeros(3)
            point[axis], point[u], point[v] = level, a, b
            rows.append(point)
    normal = np.zeros(3)
    normal[axis] = sign
    return name, np.array(rows), np.tile(normal, (len(rows), 1))


def _bore():
    a = np.linspace(0.0, 2 * np.pi, 9)[:-1]
    ring = np.column_stack([np.cos(a), np.sin(a), 0 * a])
    centre = [0.05, 0.04, 0.0]
    points = np.vstack([0.01 * ring + centre + [0, 0, z] for z in (0.01, 0.025, 0.04)])
    return "bore", points, -np.vstack([ring] * 3)


@pytest.fixture(scope="session")
def block():
    """100 x 80 x 50 mm, bore of 20 mm; 16 points on each of four faces, 24 in the bore."""
    features = [
        _face("top", 2, 1.0, 0.05, ((0.0, 0.1), (0.0, 0.02))),
        _face("left", 0, -1.0, 0.0, ((0.0, 0.08), (0.0, 0.05))),
        _face("right", 0, 1.0, 0.1, ((0.0, 0.08), (0.0, 0.05))),
        _face("front", 1, -1.0, 0.0, ((0.0, 0.1), (0.0, 0.05))),
        _bore(),
    ]
    names = [f"{name}{i}" for name, points, _ in features for i in range(len(points))]
    return ProbePoints(
        names=tuple(names),
        positions=np.vstack([points for _, points, _ in features]),
        normals=np.vstack([normals for _, _, normals in features]),
        features=tuple(name for name, points, _ in features for _ in points),
    )


@pytest.fixture(scope="session")
def task_of():
    def make(points, *, method="none", tolerances=(), datums=(), drop=False):
        alignment = AlignmentTask(
            method=method,
            nominal=points.positions,
            normals=points.normals,
            features=points.features,
            datums=tuple(DatumFeature(label=name, feature=name) for name in datums),
        )
        return ComparisonTask(
            points=points, alignment=alignment, tolerances=tuple(tolerances), drop_outliers=drop
        )

    return make


@pytest.fixture(scope="session")
def compared(task_of):
    def make(points, measured, **options):
        return compare(task_of(points, **options), measured)

    return make
