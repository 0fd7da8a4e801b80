"""Against a plate in closed form: 400 mm long, its corner at the origin, top face at 20 mm."""

import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts.errors import PointsError
from parts.points import ProbePoints, check_scale, read_raw_points

HIGH = np.array([0.4, 0.3, 0.02])


class Plate:
    """A box from the origin to HIGH, moved by ``at``."""

    def __init__(self, at=(0.0, 0.0, 0.0)):
        self.at = np.array(at)
        self.mesh = types.SimpleNamespace(size=HIGH, bounds=np.array([self.at, self.at + HIGH]))
        self.source = "plate.stl"

    def closest(self, points):
        local = points - self.at
        outside = np.linalg.norm(local - np.clip(local, 0.0, HIGH), axis=1)
        inside = np.minimum(local, HIGH - local).min(axis=1)
        return types.SimpleNamespace(distances=np.where(outside > 0.0, outside, np.abs(inside)))


TOP = np.array([[0.1, 0.1, 0.02], [0.3, 0.1, 0.02], [0.2, 0.25, 0.02]])


def points_at(positions):
    k = len(positions)
    return ProbePoints(
        names=tuple(f"P{i}" for i in range(k)),
        positions=positions,
        normals=np.tile([0.0, 0.0, 1.0], (k, 1)),
    )


@pytest.mark.parametrize(("factor", "word"), [(1000.0, "large"), (0.001, "small")])
def test_points_off_by_a_thousand_are_refused(factor, word):
    check_scale(points_at(TOP), Plate())
    message = f"the points and plate.stl are off by a factor of 1000: the points are too {word}"
    with pytest.raises(PointsError, match=message) as caught:
        check_scale(points_at(TOP * factor), Plate())
    assert caught.value.facts["factor"] == 1.0 / factor
    assert "the part measures 500.4 mm across. Correct the unit" in caught.value.message


@given(
    factor=st.sampled_from([1000.0, 0.001]),
    at=st.tuples(*[st.floats(-0.3, 0.3)] * 3),
    corner=st.floats(0.0, 0.5),
    spread=st.floats(0.05, 0.5),
)
def test_wherever_the_part_stands(factor, at, corner, spread):
    rows = corner + spread * np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    top = np.column_stack([rows * HIGH[:2], np.full(4, HIGH[2])]) + np.array(at)
    check_scale(points_at(top), Plate(at))
    with pytest.raises(PointsError, match="off by a factor of 1000"):
        check_scale(points_at(top * factor), Plate(at))


def test_a_fine_pattern_that_lies_there_is_not_refused():
    """Points 0.2 mm apart on an edge at the origin, which multiplied would leave the surface."""
    edge = np.array([[0.0001, 0.0001, 0.0], [0.0003, 0.0001, 0.0], [0.0002, 0.0, 0.00004]])
    check_scale(points_at(edge), Plate())


def test_what_no_factor_explains_is_left_to_others():
    check_scale(points_at(TOP + 5.0), Plate())  # far away, whatever the unit
    check_scale(points_at(TOP / 25.4), Plate())
    check_scale(points_at(TOP[:1]), Plate())


def test_inches_are_told_from_a_thousand():
    with pytest.raises(PointsError, match=r"off by a factor of 25\.4: the points are too large"):
        check_scale(points_at(TOP * 25.4), Plate())


def test_a_file_is_named():
    found = read_raw_points(b"XYZIJK\n1000,1000,500,0,0,1\n9000,9000,500,0,0,1\n", origin="a.xyz")
    with pytest.raises(PointsError, match=r"^a\.xyz and plate\.stl are off by a factor of 1000"):
        check_scale(found, Plate())
