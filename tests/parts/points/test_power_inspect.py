"""PowerInspect text: centres of the ball, names in quotes."""

import re

import numpy as np
import pytest

from parts.errors import PointsError
from parts.points import Compensation, read_points, read_raw_points


def read(text, unit="mm"):
    return read_raw_points(text.encode(), origin="a.pts", unit=unit, format="power-inspect")


def test_positions_are_centres_of_the_ball(samples):
    found = read_raw_points(samples["a.pts"], origin="a.pts", unit="mm")
    assert found.names == ("PLN1-1", "PLN1 2")
    assert found.positions.tolist() == [[-0.041, -0.02, 0.0315], [0.04, 0.026, 0.0313]]
    assert found.source.compensation is Compensation.CENTRE
    assert found.source.unit_from == "given by you: the format has none"
    assert found.source.notes == (
        "1 of 2 points are edge points (EP); they are read as any other.",
    )


def test_the_ball_brings_them_to_the_surface(samples, tmp_path):
    path = tmp_path / "a.pts"
    path.write_bytes(samples["a.pts"])
    found = read_points(path, unit="mm", ball_diameter=0.002)
    # 1 mm down along (0, 0, 1), and along (0, 0.6, 0.8).
    expected = [[-0.041, -0.02, 0.0305], [0.04, 0.0254, 0.0305]]
    assert found.positions == pytest.approx(np.array(expected), abs=1e-17)
    assert found.source.compensation is Compensation.SURFACE
    assert found.source.notes[-1] == (
        "The coordinates were centres of a ball of 2 mm; the points were moved to the surface by "
        "its radius, against their normals."
    )
    plain = read_raw_points(samples["a.pts"], origin="a.pts", unit="mm")
    zero = read_points(path, unit="mm", ball_diameter=0.0)
    assert np.array_equal(zero.positions, plain.positions)
    with pytest.raises(PointsError, match="are centres of the ball, not points on the surface; "):
        read_points(path, unit="mm")
    with pytest.raises(PointsError, match="diameter is -1 m; expected zero or more"):
        read_points(path, unit="mm", ball_diameter=-1)


def test_offsets_are_told_and_not_applied():
    found = read("A 1 2 3 0 0 1 0.5 SP\nB 1 2 4 0 0 1\nC 1 2 5\n", unit="in")
    assert found.positions[0].tolist() == [0.0254, 0.0508, 0.0762]
    assert found.has_normal.tolist() == [True, True, False]
    assert found.source.notes == (
        "1 of 3 points have an offset from the surface; offsets and tolerances are not applied: "
        "the coordinates are taken as they stand.",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A 1 2\n", "a.pts, line 1: found 2 values after the name 'A'; expected 3 (X Y Z), 6"),
        ("A 1 2 3 0 0 1 0 0 SP\n", "found 8 values after the name 'A'"),
        ("A B 1 2 3 0 0 1\n", "line 1, column X: found 'B'; expected a number."),
        ("\nA 1 2 3 0 0 1,0 SP\n", "line 2, column K: found '1,0'; expected a number with a dec"),
        ("A 1 2 3 0 0 0 SP\n", "line 1, column nx, ny, nz: point 'A': its normal [0.0, 0.0, 0.0]"),
        ('"A 1 2 3 0 0 1\n', "line 1: found '\"A 1 2 3 0 0 1'; expected a name, in quotes"),
        ("A 1 2 inf 0 0 1 SP\n", "line 1, column Z: found 'inf'; expected a finite number."),
        ("A 1 2 3 0 0 1 SP\nA 1 2 3 0 0 1\n", "line 2, column name: the name 'A' is given a seco"),
        ("\n\n", "a.pts: there is no point in this PowerInspect text file."),
    ],
)
def test_bad_files(text, message):
    with pytest.raises(PointsError, match=re.escape(message)):
        read(text)


def test_the_unit_must_be_given():
    with pytest.raises(PointsError, match="PowerInspect text files carry no unit, and a unit is"):
        read("A 1 2 3 0 0 1\n", unit=None)
    with pytest.raises(PointsError, match="unit 'ell' is not known; expected one of mm, cm, m"):
        read("A 1 2 3 0 0 1\n", unit="ell")
