"""Our own CSV: units, separators, decimal signs, and every fault with its place."""

import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts.errors import PointsError
from parts.points import Compensation, read_points, read_raw_points

HEADER = "name,x_mm,y_mm,z_mm,nx,ny,nz\n"


def read(text, origin="p.csv"):
    return read_raw_points(text.encode(), origin=origin).points


def test_a_plain_file(tmp_path):
    path = tmp_path / "plate.csv"
    path.write_text(HEADER + "P1,50,50,382.5,0,0,1\nP2, -1.5e1 ,.5,+2.,0,1,0\n")
    found = read_points(path)
    points = found.points
    assert points.names == ("P1", "P2")
    assert found.source.describe() == (
        "plate.csv: CSV, lengths in mm (the header), not stated by the file."
    )
    assert found.source.compensation is Compensation.UNSTATED
    assert points.positions.tolist() == [[0.05, 0.05, 0.3825], [-0.015, 0.0005, 0.002]]
    assert points.normals.tolist() == [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]


def test_byte_order_mark_crlf_quotes_blank_lines_and_column_order():
    text = (
        '\ufefffeature,nz,ny,nx,z_mm,y_mm,x_mm,name\r\n\r\n"left, top",1,0,0,3,2,1,"a ""b"""'
        "\r\n,,,,,,,\r\n,1,0,0,6,5,4,c\r\n"
    )
    points = read(text)
    assert points.names == ('a "b"', "c")
    assert points.features == ("left, top", "")
    assert points.positions.tolist() == [[0.001, 0.002, 0.003], [0.004, 0.005, 0.006]]


@pytest.mark.parametrize(("unit", "metre"), [("mm", "0.001"), ("m", "1"), ("in", "0.0254")])
@given(
    values=st.lists(
        st.one_of(
            st.floats(-30, 30).map(repr),
            st.decimals(-30, 30, places=4).map(str),
        ),
        min_size=3,
        max_size=3,
    )
)
def test_lengths_are_rounded_once_in_every_unit(unit, metre, values):
    text = f"name,x_{unit},y_{unit},z_{unit},nx,ny,nz\nP1,{','.join(values)},0,0,1\n"
    exact = [float(Decimal(value) * Decimal(metre)) for value in values]
    assert read(text).positions[0].tolist() == exact


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "p.csv: the file is empty; give a header and points."),
        (HEADER, "p.csv: there is a header but no point; give at least one line."),
        (
            "name,x,y,z,nx,ny,nz\n",
            "p.csv, line 1: column 'x' carries no unit; expected one of x_mm, x_cm, x_m, x_in, "
            "x_ft: a unit is never guessed.",
        ),
        (
            "name,x_mm,y_m,z_mm,nx,ny,nz\n",
            "p.csv, line 1: x_mm and y_m have different units",
        ),
        ("name;x_mm,y_mm\n", "p.csv, line 1: the header has commas and semicolons; separate all"),
        (
            "name,x_mm,y_mm,z_mm,nx,ny\nP1,1,2,3,0,0\n",
            "p.csv, line 1: column nz is missing among 'name', 'x_mm', 'y_mm', 'z_mm', 'nx', 'ny';",
        ),
        (
            "name,nx,ny,nz\nP1,1,2,3\n",
            "p.csv, line 1: column x_mm is missing among 'name', 'nx', 'ny', 'nz';",
        ),
        (
            "P1,0.0,0.0,5.0,0,0,1\nP2,1,2,3,0,0,1\n",
            "p.csv: a list without header, as several systems write it, and which one is never "
            'guessed; say format = "list", "metrolog", "polyworks" (points on the surface) in '
            "[points] of the job, or --format for measured points; or give a header (name,x_mm,y_m",
        ),
        ("P1,-1.5,2e3,7\n", "p.csv: a list without header, as several systems write it"),
        ("name,x_mm,x_mm,z_mm,nx,ny,nz\n", "column 'x_mm' stands here twice"),
        (HEADER.replace("nz", "nzz"), "column 'nzz' is not known; did you mean nz?"),
        (HEADER.replace("nz", "nz,featur"), "column 'featur' is not known; did you mean feature?"),
        (HEADER.replace("x_mm", "x_um"), "column 'x_um' has the unit 'um', which is not read; exp"),
        (HEADER.replace("x_mm", "X [in]"), "line 1: X [in] and y_mm have different units; give x"),
        (
            HEADER.replace("z_mm", "Z [mm]") + "P1,1,2,oops,0,0,1\n",
            "p.csv, line 2, column Z [mm]: found 'oops'; expected a number.",
        ),
        (
            HEADER + "P1,1,2,3,0,0,1\n\nP2,1,2,nan,0,0,1\n",
            "p.csv, line 4, column z_mm: found 'nan'; expected a finite number.",
        ),
        (HEADER + "P1,1,-Inf,3,0,0,1\n", "line 2, column y_mm: found '-Inf'; expected a finite"),
        (
            HEADER + "P1,1e999,0,3,0,0,1\n",
            "line 2, column x_mm: point 'P1': its position holds inf",
        ),
        (HEADER + "P1,1_0,0,3,0,0,1\n", "line 2, column x_mm: found '1_0'; expected a number."),
        (HEADER + "P1,١,0,3,0,0,1\n", "line 2, column x_mm: found '١'; expected a number."),
        (HEADER + "P1,1,2,3,0,,1\n", "line 2, column ny: found an empty cell; expected a number."),
        (
            HEADER + "P1,1,2,5,3,0,0,1\n",
            "p.csv, line 2: found 8 cells; expected 7, as in the header. With commas between "
            "columns, decimals are written with a point, not a comma; or separate the columns by "
            "semicolons.",
        ),
        (
            HEADER + "P1;1;2;5;3;0;0\n",
            "found 1 cells; expected 7, as in the header. Columns are separated by commas, not sem",
        ),
        (
            HEADER + "P1,1,2,3,0,0,1\nP2,1,2,3,0,0,0\n",
            "p.csv, line 3, column nx, ny, nz: point 'P2': its normal [0.0, 0.0, 0.0] has length 0",
        ),
        (
            HEADER + "P1,1,2,3,0,0,1\nP1,1,2,3,0,0,1\n",
            "p.csv, line 3, column name: the name 'P1' is given a second time, first to point 1",
        ),
        (HEADER + ",1,2,3,0,0,1\n", "p.csv, line 2, column name: the name '' cannot be used"),
        (HEADER + 'P1,"1"x,2,3,0,0,1\n', "p.csv, line 2: this is not CSV"),
        (
            HEADER + "P1,2e9,2,3,0,0,1\n",
            "p.csv, line 2, column x_mm: point 'P1': its x is 2e+06 m; expected at most 1e+06 m",
        ),
    ],
)
def test_bad_files_say_where_what_and_what_was_expected(text, message):
    with pytest.raises(PointsError, match=re.escape(message)):
        read(text)


def test_facts_are_attributes():
    with pytest.raises(PointsError) as caught:
        read(HEADER + "P1,1,2,3,0,0,1\nP2,1,2,oops,0,0,1\n")
    facts = caught.value.facts
    assert (facts["file"], facts["line"], facts["column"]) == ("p.csv", 3, "z_mm")
    assert facts["found"] == "oops"


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(PointsError, match="cannot be read: No such file"):
        read_points(tmp_path / "none.csv")
    with pytest.raises(PointsError, match="cannot be read: Is a directory"):
        read_points(tmp_path)


def test_size_caps_are_named(monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_POINTS", "2")
    row = "P{},1,2,3,0,0,1\n"
    with pytest.raises(PointsError, match="line 4: there are more than 2 points; split the file"):
        read(HEADER + "".join(row.format(i) for i in range(3)))
    monkeypatch.setenv("PALPEUR_CAP_POINT_BYTES", "40")
    with pytest.raises(PointsError, match="more than 40 bytes; split the file, or raise it with"):
        read(HEADER + row.format(1))


def test_ten_thousand_points_survive_the_journey():
    rng = np.random.default_rng(3)
    positions = rng.uniform(-2, 2, (10_000, 3))
    rows = (f"N{i},{x!r},{y!r},{z!r},0,0,1\n" for i, (x, y, z) in enumerate(positions.tolist()))
    points = read("name,x_m,y_m,z_m,nx,ny,nz\n" + "".join(rows))
    assert np.array_equal(points.positions, positions)
    assert points.names[-1] == "N9999"


def test_semicolons_tabs_and_decimal_commas():
    for separator, name in ((";", "semicolons"), ("\t", "tabs")):
        text = HEADER + "P1,382#500,-0#5,1e2,0,0#6,0#8\n"
        text = text.replace(",", separator).replace("#", ",")
        found = read_raw_points(text.encode(), origin="p.csv")
        assert found.positions.tolist() == [[0.3825, -0.0005, 0.1]]
        assert found.points.normals[0] == pytest.approx([0, 0.6, 0.8], abs=1e-15)
        assert found.source.notes == (
            f"The columns are separated by {name}.",
            "Decimals are written with commas.",
        )
    quoted = read(HEADER + 'P1,1,"2,5",3,0,0,1\n')
    assert quoted.positions.tolist() == [[0.001, 0.0025, 0.003]]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            "1,500;2;3;0;0;1",  # every comma of the file may group thousands
            "line 2, column x_mm: found '1,500', which may mean 1.500 or 1500, and no number of "
            "the file settles which; write decimals with a point.",
        ),
        ("1,5;2.5;3;0;0;1", "found '1,5', with a comma, but '2.5' in line 2 has a decimal point"),
        ("1.234,5;2;3;0;0;1", "found '1.234,5', with signs that group digits"),
        ("1,234,567;2;3;0;0;1", "found '1,234,567', with signs that group digits"),
        ("1,5x;2;3;0;0;1", "found '1,5x'; expected a number."),
        ("1,500;2;3;0;0;nan", "found '1,500', which may mean"),
    ],
)
def test_doubtful_decimal_commas_are_refused_with_the_reason(cells, message):
    with pytest.raises(PointsError, match=re.escape(message)):
        read(HEADER.replace(",", ";") + f"P1;{cells}\n")


def test_normals_may_be_left_to_the_surface():
    found = read_raw_points(b"name,x_mm,y_mm,z_mm\nA,1,2,3\nB,1,2,4\n", origin="p.csv")
    assert not found.has_normal.any()
    with pytest.raises(PointsError, match=re.escape("2 of 2 points have no normal (A, B); add")):
        assert found.points
    some = read_raw_points((HEADER + "A,1,2,3,,,\nB,1,2,3,0,1,0\n").encode(), origin="p.csv")
    assert some.has_normal.tolist() == [False, True]
    assert some.checked.normals[1].tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(PointsError, match="line 3, column nz: found an empty cell"):
        read(HEADER + "A,1,2,3,,,\nB,1,2,3,0,1,\n")


def test_points_in_the_same_place_are_told():
    row = "{},1,2,3,0,0,1\n"
    points = read(HEADER + row.format("A") + "B,1,2,3,0,1,0\n" + row.format("C"))
    assert points.warnings == (
        "1 of 3 points stand where another one does, with the same normal (C where A is): they "
        "will be touched twice.",
    )


def test_exponents_beyond_any_double():
    with pytest.raises(PointsError, match="its position holds inf"):
        read("name,x_in,y_in,z_in,nx,ny,nz\nP1,1e9999999999999999999,0,0,0,0,1\n")
    text = "name,x_in,y_in,z_in,nx,ny,nz\nP1,1e-9999999999999999999,0,0,0,0,1\n"
    assert read(text).positions.tolist() == [[0.0, 0.0, 0.0]]


SAME = "name,x_mm,y_mm,z_mm,nx,ny,nz,feature\nA,10,20,30.5,0,0.6,0.8,F\nB,-1,2,3,1,0,0,F\n"


@pytest.mark.parametrize(
    "text",
    [
        SAME.replace("name", "NAME").replace("nx,ny,nz", "I,J,K"),
        SAME.replace("x_mm,y_mm,z_mm", "X [mm],Y [mm],Z [mm]").replace("feature", "Feature"),
        SAME.replace("x_mm,y_mm,z_mm", "X(mm), Y(mm), Z(mm)").replace("name", "Label"),
        SAME.replace("x_mm,y_mm,z_mm", "x/mm,y/mm,z/mm").replace("nx,ny,nz", "n_x,Normal Y,NZ"),
        "# made by hand\n" + SAME + "# the end\n",
        "% a comment\n! another\n\n//one more\n" + SAME,
        "# " + SAME,
        SAME.replace(",", " ").replace("x_mm y_mm z_mm", "X [mm]   Y [mm]   Z [mm]"),
        SAME.replace(",", ";") + "#A;1;2;3;0;0;1;F\n",
        SAME.replace("feature", "feature,Operator,T").replace(",F\n", ",F,Rémy,20.1\n"),
        SAME.replace("\n", ",\n"),
    ],
)
def test_headers_as_others_write_them(text):
    plain, found = read(SAME), read_raw_points(text.encode(), origin="p.csv")
    assert found.names == plain.names
    assert found.positions.tolist() == plain.positions.tolist()
    assert found.points.normals.tolist() == plain.normals.tolist()
    assert found.points.features == plain.features


def test_what_is_not_read_of_a_table_is_told():
    text = SAME.replace("feature", "feature,Operator,").replace(",F\n", ",F,R,20.1\n")
    notes = read_raw_points(("# c\n" + text).encode(), origin="p.csv").source.notes
    assert notes == (
        "1 comment line is passed over.",
        "Columns that are not read: 'Operator', 'column 10'.",
    )


def test_names_may_start_with_a_number_sign():
    text = SAME.replace("\nA", "\n#1").replace("\nB", "\n#2")
    assert read(text).names == ("#1", "#2")
    assert read(text.replace("#2", "B")).names == ("B",)


@pytest.mark.parametrize(
    ("unit", "metre"), [("mm", 0.001), ("cm", 0.01), ("m", 1.0), ("in", 0.0254), ("ft", 0.3048)]
)
def test_every_unit_of_length(unit, metre):
    text = f"name,x_{unit},y_{unit},z_{unit}\nA,1,2,4\n"
    found = read_raw_points(text.encode(), origin="p.csv")
    assert found.positions[0].tolist() == [metre, 2 * metre, 4 * metre]
    assert found.source.unit == unit
    bare = text.replace(f"_{unit}", "")
    found = read_raw_points(bare.encode(), origin="p.csv", unit=unit)
    assert found.positions[0].tolist() == [metre, 2 * metre, 4 * metre]
    assert found.source.unit_from == "given by you: the header has none"
    with pytest.raises(PointsError, match="but the unit is given as"):
        read_raw_points(text.encode(), origin="p.csv", unit="in" if unit != "in" else "mm")
