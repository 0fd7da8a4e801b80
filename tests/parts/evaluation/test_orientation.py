"""The narrowest zone at an exact angle to the datum, against a search of all its directions."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import EvaluationError
from parts.evaluation.characteristics import (
    FeatureLocation,
    angle_between,
    distance_between,
    nominal_angle,
    orientation_zone,
)

UP = np.array([0.0, 0.0, 1.0])


def _place(kind, direction, point=(0.0, 0.0, 0.0), length=0.0):
    p = np.array(point)
    d = np.array(direction) / np.linalg.norm(direction)
    ends = np.stack([p - 0.5 * length * d, p + 0.5 * length * d])
    return FeatureLocation(kind=kind, point=p, direction=d, ends=ends)


@pytest.mark.parametrize("angle", [np.pi / 2, np.radians(60.0), np.radians(20.0)])
@pytest.mark.parametrize("seed", range(3))
def test_no_direction_on_the_cone_has_a_narrower_zone(angle, seed):
    rng = np.random.default_rng(seed)
    n = np.array([np.sin(angle), 0.0, np.cos(angle)])
    across = np.array([[0.0, 1.0, 0.0], np.cross(n, [0.0, 1.0, 0.0])])
    points = rng.uniform(-0.05, 0.05, (30, 2)) @ across + rng.normal(0, 1e-5, (30, 1)) * n
    zone = orientation_zone(_place("plane", n), _place("plane", UP), angle, points)
    phi = np.linspace(-0.003, 0.003, 60001)
    normals = np.stack(
        [np.sin(angle) * np.cos(phi), np.sin(angle) * np.sin(phi), np.full(60001, np.cos(angle))]
    )
    least = np.ptp(points @ normals, axis=0).min()
    # steps of 1e-7 rad over 0.1 m: the search is within 1e-8 m of the narrowest
    assert least - 1e-8 <= zone.width <= least + 1e-12
    assert zone.normal @ UP == pytest.approx(np.cos(angle), abs=1e-15)
    assert zone.width == pytest.approx(np.ptp(points @ zone.normal), abs=1e-15)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_parallel_zone_has_the_datums_own_direction(sign):
    points = np.random.default_rng(0).uniform(-1, 1, (20, 3)) * [0.1, 0.1, 1e-5]
    zone = orientation_zone(_place("plane", UP), _place("plane", sign * UP), 0.0, points)
    assert zone.width == np.ptp(points[:, 2])


def test_an_axis_has_the_zone_of_its_piece():
    leaning = _place("axis", [np.sin(1e-3), 0.0, np.cos(1e-3)], length=0.04)
    points = np.zeros((2, 3))
    upright = orientation_zone(leaning, _place("plane", UP), 0.0, points)
    beside = orientation_zone(leaning, _place("axis", [1, 0, 0]), np.pi / 2, points)
    assert upright.width == pytest.approx(0.04 * np.sin(1e-3), rel=1e-12)
    assert beside.width == pytest.approx(0.04 * np.sin(1e-3), rel=1e-12)


def test_words_fit_the_drawing():
    face, wall, axis = _place("plane", UP), _place("plane", [1, 0, 0]), _place("axis", UP)
    assert nominal_angle("parallelism", face, face) == 0.0
    assert nominal_angle("perpendicularity", face, wall) == np.pi / 2
    assert nominal_angle("perpendicularity", axis, face) == 0.0
    assert nominal_angle("parallelism", axis, wall) == np.pi / 2
    assert nominal_angle("angularity", face, _place("plane", [0, 1, 1])) == pytest.approx(np.pi / 4)
    with pytest.raises(EvaluationError, match="no parallelism"):
        nominal_angle("parallelism", axis, face)
    with pytest.raises(EvaluationError, match="which has no direction"):
        nominal_angle("parallelism", _place("point", UP), face)


def test_distances_do_not_depend_on_who_is_the_datum():
    face, axis = _place("plane", UP, (0, 0, 1)), _place("axis", [1, 0, 0], (0, 0, 4.0))
    ball = _place("point", UP, (3, 4, 7))
    for one, other, length in ((face, axis, 3.0), (face, ball, 6.0), (axis, ball, 5.0)):
        assert distance_between(one, other) == pytest.approx(length)
        assert distance_between(other, one) == pytest.approx(length)
    assert angle_between(face, axis) == pytest.approx(np.pi / 2)
