"""PC-DMIS .xyz: the header in its columns, the inch by rule, no circles."""

import re

import pytest

from parts.errors import PointsError
from parts.points import Compensation, read_raw_points

METRIC = "XYZIJK    METRIC\n"
INCH = "XYZIJK\n"


def read(text, **options):
    return read_raw_points(text.encode(), origin="a.xyz", **options)


def test_metric_is_told_by_columns_11_to_16():
    found = read(METRIC + "1,2,3,0,0,1\n")
    assert found.positions.tolist() == [[0.001, 0.002, 0.003]]
    assert found.names == ("P1",)
    assert (found.source.unit, found.source.unit_from) == ("mm", "METRIC in line 1")
    assert found.source.compensation is Compensation.SURFACE


def test_without_metric_the_unit_is_the_inch():
    found = read(INCH + "1,2,-3.5,0,0,1\r\n\r\n")
    assert found.positions.tolist() == [[0.0254, 0.0508, -0.0889]]
    assert found.source.unit == "in"
    assert found.source.unit_from == "line 1 has no METRIC: the format's rule"
    with pytest.raises(PointsError, match=r"lengths are in in .* but the unit is given as 'mm'"):
        read(INCH + "1,2,3,0,0,1\n", unit="mm")
    assert len(read(INCH + "1,2,3,0,0,1\n", unit="in")) == 1


def test_three_five_six_and_eight_numbers():
    found = read(METRIC + "1,2,3\n1,2,4,0,0\n1,2,5,0,1,0\n1,2,6,1,0,0,9,9\n")
    assert found.has_normal.tolist() == [False, False, True, True]
    assert found.checked.normals[2:].tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("xyzijk\n1,2,3,0,0,1\n", "a.xyz, line 1: found 'xyzijk'; expected XYZIJK in columns 1"),
        ("1 2 3\n", "a.xyz: a list without header, as several systems write it"),
        ("hello\n", "a.xyz, line 1: found 'hello'; expected XYZIJK in columns 1 to 6"),
        ("XYZIJK   METRIC\n1,2,3\n", "expected METRIC in columns 11 to 16, or nothing"),
        ("XYZIJK    METRIC MM\n1,2,3\n", "expected METRIC in columns 11 to 16, or nothing"),
        ("XYZIJK    INCH\n1,2,3\n", "found '    INCH' after XYZIJK; expected METRIC"),
        (METRIC, "a.xyz: there is no point in this PC-DMIS XYZ file."),
        (METRIC + "1,2,3,25\n", "a.xyz, line 2: found 4 numbers, which is a circle with its diam"),
        (METRIC + "1,2,3,0,0,1,25\n", "found 7 numbers, which is a circle"),
        (METRIC + "1,2\n", "line 2: found 2 cells; expected x,y,z or x,y,z,i,j,k."),
        (METRIC + "1 2 3 0 0 1\n", "expected x,y,z or x,y,z,i,j,k. Separate numbers by commas."),
        (METRIC + "1,2,3,0,0,1,1,1,1\n", "found 9 cells"),
        (METRIC + "1,2,3,0,0,\n", "line 2, column k: found an empty cell; expected a number."),
        (METRIC + "1,nan,3,0,0,1\n", "line 2, column y: found 'nan'; expected a finite number."),
        (METRIC + "\n1,2,3,0,0,0\n", "line 3, column nx, ny, nz: point 'P1': its normal"),
    ],
)
def test_bad_files(text, message):
    with pytest.raises(PointsError, match=re.escape(message)):
        read(text)
