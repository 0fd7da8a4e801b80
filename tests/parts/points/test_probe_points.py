"""What probe points promise, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from parts.errors import PartError, PointsError
from parts.points import ProbePoints


def make(names=("A", "B"), positions=None, normals=None, **others):
    k = len(names)
    positions = np.zeros((k, 3)) if positions is None else positions
    normals = np.tile([0.0, 0.0, 1.0], (k, 1)) if normals is None else normals
    return ProbePoints(names=names, positions=positions, normals=normals, **others)


def test_values_are_copied_and_cannot_be_changed():
    positions = np.ones((2, 3))
    points = make(positions=positions)
    positions[:] = 7.0
    assert np.all(points.positions == 1.0)
    for array in (points.positions, points.normals):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 2.0
    assert len(points) == 2
    assert points.features == ("", "")
    assert points.warnings == ()


def test_axis_parallel_normals_stay_exact():
    normals = np.array([[0.0, -1.0, 0.0], [5.0, 0.0, 0.0]])
    points = make(normals=normals)
    assert points.normals.tolist() == [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]


@given(arrays(np.float64, (4, 3), elements=st.floats(-1e200, 1e200)))
def test_normals_have_length_one_and_keep_their_direction(vectors):
    largest = np.abs(vectors).max(axis=1)
    if np.any(largest < 1e-8):
        with pytest.raises(PointsError, match="its normal"):
            make("ABCD", normals=vectors * (largest < 1e-8)[:, None] * 1e-3)
        return
    normals = make("ABCD", normals=vectors).normals
    # Three squares and a root: a few units in the last place.
    assert np.abs(np.linalg.norm(normals, axis=1) - 1.0).max() < 4e-16
    assert np.abs(np.cross(vectors / largest[:, None], normals)).max() < 1e-15


def test_normals_far_from_length_one_are_told():
    # The thesis's mistyped normal has length 0.9995: within what three printed digits give.
    near = make(normals=np.tile([0.0965609, 0.241402, 0.965091], (2, 1)))
    assert near.warnings == ()
    off = make("ABCDE", normals=np.tile([0.0, 0.0, 1.002], (5, 1)))
    assert off.warnings == (
        "5 of 5 normals are not of length 1 (A has length 1.002, B has length 1.002, C has length "
        "1.002, …); they were normalised. A mistyped component also turns the direction: check "
        "them.",
    )


@pytest.mark.parametrize(
    ("change", "message", "row", "column"),
    [
        ({"names": ("A", "A")}, "'A' is given a second time, first to point 1", 1, "name"),
        ({"names": ("A", " ")}, "the name ' ' cannot be used; expected 1 to 100", 1, "name"),
        ({"names": ("A", "x\ny")}, "cannot be used", 1, "name"),
        ({"names": ("A", "x" * 101)}, "cannot be used", 1, "name"),
        ({"features": ("ok", "a\tb")}, "the feature 'a\\\\tb' cannot be used", 1, "feature"),
        (
            {"positions": [[0, 0, 0], [0, np.nan, 0]]},
            "point 'B': its position holds nan; expected a finite number",
            1,
            "y",
        ),
        ({"normals": [[0, 0, 1], [0, 0, np.inf]]}, "point 'B': its normal holds inf", 1, "nz"),
        (
            {"positions": [[2e6, 0, 0], [0, 0, 0]]},
            r"point 'A': its x is 2e\+06 m; expected at most 1e\+06 m. Is the unit right\?",
            0,
            "x",
        ),
        (
            {"normals": [[0, 0, 0], [0, 0, 1]]},
            r"point 'A': its normal \[0.0, 0.0, 0.0\] has length 0; expected the direction out",
            0,
            "nx, ny, nz",
        ),
    ],
)
def test_bad_points_name_row_and_column(change, message, row, column):
    with pytest.raises(PointsError, match=message) as caught:
        make(**change)
    assert (caught.value.facts["row"], caught.value.facts["column"]) == (row, column)


def test_wrong_shapes_and_no_points():
    with pytest.raises(PartError, match=r"positions have shape \(2, 2\); expected \(2, 3\)"):
        make(positions=np.zeros((2, 2)))
    with pytest.raises(PointsError, match="2 points but 1 features"):
        make(features=("top",))
    with pytest.raises(PointsError, match="There is no point; give at least one"):
        make(names=())


def test_a_point_is_found_by_its_name():
    points = make(("front", "back"))
    assert points.index("back") == 1
    with pytest.raises(PointsError, match="no point 'bakc'; did you mean 'back'"):
        points.index("bakc")
    with pytest.raises(PointsError, match="no point 'zzz'; the first is 'front'"):
        points.index("zzz")
