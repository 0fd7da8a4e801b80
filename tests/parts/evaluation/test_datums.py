"""What nominal points are as a datum: plane, bore, sphere, slot, or none."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import EvaluationError
from parts.evaluation.comparison import nominal_datum
from parts.evaluation.tolerance import DatumFeature
from parts.part import load_part


def recognised(points, normals):
    rows = np.arange(len(points))
    return nominal_datum(DatumFeature(label="D", feature="d"), points, normals, {"d": rows})


def arc(count, start=0.0, stop=360.0):
    a = np.radians(np.linspace(start, stop, count, endpoint=False))
    return np.column_stack([np.cos(a), np.sin(a), 0.0 * a])


def slot(length=0.03, width=0.01, ends=7):
    """Three points on each wall along x, and round ends; out of the material is inwards."""
    x = np.linspace(-0.4, 0.4, 3) * length
    walls = [(v, side * width / 2, 0.0) for side in (1, -1) for v in x]
    normals = [(0.0, -side, 0.0) for side in (1, -1) for _ in x]
    right, left = arc(ends, -75.0, 100.0), arc(ends, 105.0, 280.0)
    points = [walls, right * width / 2 + [length / 2, 0, 0], left * width / 2 - [length / 2, 0, 0]]
    return np.vstack(points), np.vstack([normals, -right, -left])


@pytest.mark.parametrize("ends", [0, 2, 7])
def test_a_slot_is_its_median_plane_whatever_lies_in_its_ends(ends):
    points, normals = slot(ends=ends)
    turned = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    found = recognised(points @ turned.T, normals @ turned.T)
    assert (found.kind, len(found.rows)) == ("slot", 6)
    assert abs(found.direction @ turned[:, 1]) == pytest.approx(1.0, abs=1e-12)
    assert found.point @ turned[:, 1] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(("count", "rise"), [(4, 0.01), (6, 0.001), (8, 0.0)])
def test_a_bore_of_few_points_is_no_slot(count, rise):
    out = arc(count)
    points = 0.01 * out + np.outer(rise * np.arange(count), [0.0, 0.0, 1.0])
    if count == 4:  # two rings
        points, out = np.vstack([points, points + 0.02 * np.eye(3)[2]]), np.vstack([out, out])
    found = recognised(points, -out)
    assert found.kind == ("centre" if rise == 0.0 else "axis")
    assert abs(found.direction[2]) == pytest.approx(1.0, abs=1e-6)


def test_features_of_a_part_are_datums():
    part = load_part("block")
    kinds = {}
    for name in ("top", "hole-30", "cone"):
        points = part.sample(name, count=12).points
        kinds[name] = recognised(points.positions, points.normals).kind
    assert kinds == {"top": "plane", "hole-30": "axis", "cone": "axis"}


def test_what_is_no_datum_is_told():
    rng = np.random.default_rng(1)
    points = rng.normal(0.0, 0.01, (20, 3))
    normals = rng.normal(size=(20, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    with pytest.raises(EvaluationError, match=r"The datum 'D' \('d'\) is no datum feature: its 20"):
        recognised(points, normals)
    with pytest.raises(EvaluationError, match="has no measured points"):
        recognised(points[:0], normals[:0])
