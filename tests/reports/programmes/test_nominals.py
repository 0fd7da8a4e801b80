"""Features told by their points: what they are, or that there is doubt."""

import numpy as np
import pytest

from reports.programmes.source import NominalKind, nominal_of

ANGLES = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
RING = np.column_stack([np.cos(ANGLES), np.sin(ANGLES), np.zeros(8)])
TURN = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
CENTRE = np.array([0.3, -0.2, 0.9])


def turned(points, normals):
    return CENTRE + points @ TURN.T, normals @ TURN.T


def test_a_plane():
    points = np.array([[0, 0, 0], [0.05, 0, 0], [0, 0.04, 0], [0.02, 0.03, 0]])
    found = nominal_of(*turned(points, np.tile([0.0, 0, 1], (4, 1))))
    assert found.kind is NominalKind.PLANE
    assert found.axis == pytest.approx(TURN[:, 2])
    assert (found.location - CENTRE) @ found.axis == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_a_circle_and_a_cylinder(sense):
    points, normals = turned(0.025 * RING, sense * RING)
    circle = nominal_of(points, normals)
    assert (circle.kind, circle.inner) == (NominalKind.CIRCLE, sense < 0)
    assert circle.diameter == pytest.approx(0.05, rel=1e-12)
    assert circle.location == pytest.approx(CENTRE, abs=1e-12)
    assert abs(circle.axis @ TURN[:, 2]) == pytest.approx(1.0)
    deep = np.outer(np.arange(8) * 0.004, TURN[:, 2])
    cylinder = nominal_of(points + deep, normals)
    assert (cylinder.kind, cylinder.inner) == (NominalKind.CYLINDER, sense < 0)
    assert cylinder.diameter == pytest.approx(0.05, rel=1e-12)
    away = cylinder.location - CENTRE
    assert away - (away @ cylinder.axis) * cylinder.axis == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_sphere():
    normals = np.vstack([RING[::2], [[0, 0, 1.0], [0.6, 0, 0.8]]])
    found = nominal_of(*turned(0.0125 * normals, normals))
    assert (found.kind, found.inner) == (NominalKind.SPHERE, False)
    assert found.diameter == pytest.approx(0.025, rel=1e-12)
    assert found.location == pytest.approx(CENTRE, abs=1e-12)


STEP = np.array([[0, 0, 0], [0.05, 0, 0], [0, 0.05, 0], [0.05, 0.05, 0.00001]])
LINE = np.array([[0, 0, 0], [0.02, 0, 0], [0.05, 0, 0]])
UP = np.array([0.0, 0, 1])


@pytest.mark.parametrize(
    ("points", "normals"),
    [
        pytest.param(STEP, np.tile(UP, (4, 1)), id="one point 10 µm off the plane"),
        pytest.param(LINE, np.tile(UP, (3, 1)), id="points of one line"),
        pytest.param(STEP[:2], np.tile(UP, (2, 1)), id="two points"),
        pytest.param(STEP[:1], UP[None], id="one point"),
        pytest.param(0.02 * RING * [1, 1.01, 1], RING, id="an ellipse"),
        pytest.param(0.02 * RING[:4] + 0.01 * UP * [[0], [1], [2], [0]], RING[:4], id="4 of hole"),
    ],
)
def test_where_there_is_doubt_points_stay_points(points, normals):
    assert nominal_of(points, normals) is None
