"""One door for all formats: which one is it, and what is refused before reading."""

import re

import pytest

from parts.errors import PointsError
from parts.points import FORMATS, Compensation, read_points, read_raw_points

EXPECTED = {
    "a.csv": "CSV",
    "a.xyz": "PC-DMIS XYZ",
    "a.pts": "PowerInspect text",
    "a.dmi": "DMIS",
    "a.qif": "QIF 3.0",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_format_is_told_by_ending_and_by_content(samples, name):
    raw = samples[name]
    unit = "mm" if name == "a.pts" else None
    for origin in (name, name.upper(), "points.txt", "points"):
        found = read_raw_points(raw, origin=origin, unit=unit)
        assert found.source.format == EXPECTED[name]
        assert len(found) == 2
        marked = read_raw_points(b"\xef\xbb\xbf" + raw, origin=origin, unit=unit)
        assert marked.positions.tolist() == found.positions.tolist()
        assert not found.positions.flags.writeable


@pytest.mark.parametrize("name", EXPECTED)
def test_name_against_content_is_refused_with_the_choices(samples, name):
    other = "b.csv" if name != "a.csv" else "b.dms"
    with pytest.raises(PointsError, match=r"the name says .*, but the content looks like") as error:
        read_raw_points(samples[name], origin=other, unit="mm")
    assert "; rename the file to end in ." in error.value.message
    first, second = error.value.facts["choices"]
    assert FORMATS[second] == EXPECTED[name]
    again = read_raw_points(samples[name], origin=other, format=second, unit="mm")
    assert again.source.unit == "mm"
    assert first != second


def test_what_no_format_fits_is_refused_with_the_choices():
    advice = (
        "; give points, in a file with the usual ending. Known are CSV (.csv), DMIS (.dmi or .dmis "
        "or .dms), list of surface points, Metrolog list, PolyWorks list, PowerInspect text "
        "(.pts), QIF 3.0 (.qif), PC-DMIS XYZ (.xyz)."
    )
    unknown = "p.txt: neither the name nor the first line tells the format"
    binary = "p.txt: this is a binary file, not points; save a workbook's sheet as CSV"
    for raw, told in {
        b"": "p.txt: the file is empty",
        b" \n\n": "p.txt: the file is empty",
        b"hello\n": unknown,
        b"1.0 2.0\n": unknown,
        b"\xff\xfe\x00": binary,
        bytes(range(256)): binary,
    }.items():
        with pytest.raises(PointsError, match=f"^{re.escape(told + advice)}$"):
            read_raw_points(raw, origin="p.txt")
    with pytest.raises(PointsError, match="format 'cad' is not known; expected one of csv, dmis"):
        read_raw_points(b"", origin="p.txt", format="cad")


@pytest.mark.parametrize("kind", ["csv", "dmis", "power-inspect", "xyz"])
def test_binary_files_are_named_as_such(kind):
    with pytest.raises(PointsError, match="line 1: byte 4 is zero: this is a binary file"):
        read_raw_points(b"abc\0def", origin="p", format=kind, unit="mm")


@pytest.mark.parametrize("name", ["a.csv", "a.xyz", "a.pts", "a.dmi"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read(samples, name, encoding):
    plain = read_raw_points(samples[name], origin=name, unit="mm")
    for origin in (name, "points.txt"):
        found = read_raw_points(samples[name].decode().encode(encoding), origin=origin, unit="mm")
        assert found.positions.tolist() == plain.positions.tolist()
        assert (found.names, found.source.notes) == (plain.names, plain.source.notes)


@pytest.mark.parametrize("name", ["a.csv", "a.xyz", "a.pts", "a.dmi"])
def test_latin_1_is_read_and_told(samples, name):
    raw = samples[name].replace(b"PLN1", "Fl\xe4che".encode("latin-1"))
    found = read_raw_points(raw, origin=name, unit="mm")
    assert (
        found.positions.tolist()
        == read_raw_points(samples[name], origin=name, unit="mm").positions.tolist()
    )
    if name != "a.xyz":
        assert found.names[0] == "Fl\xe4che-1"
        assert "The text is not UTF-8; it was read as Latin-1." in found.source.notes


@pytest.mark.parametrize("name", ["a.csv", "a.xyz", "a.dmi", "a.qif"])
def test_a_unit_against_the_file_is_refused(samples, name):
    with pytest.raises(PointsError, match=r"lengths are in mm .*, but the unit is given as 'in'"):
        read_raw_points(samples[name], origin=name, unit="in")


def test_all_formats_give_the_same_points(samples, tmp_path):
    read = []
    for name in ("a.csv", "a.xyz", "a.dmi", "a.qif"):
        path = tmp_path / name
        path.write_bytes(samples[name])
        read.append(read_points(path).points)
    for points in read[1:]:
        assert points.positions.tolist() == read[0].positions.tolist()
        assert points.normals.tolist() == read[0].normals.tolist()


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("csv", b"name," * 1_000_000),
        ("csv", ",".join(f"c{i}" for i in range(12_000)).encode()),
        ("csv", b'name,x_mm,y_mm,z_mm\n"' + b"a\n" * 200_000),
        ("xyz", b"XYZIJK\n" + b"12," * 1_000_000),
        ("power-inspect", b"A" + b" 1" * 1_000_000),
        ("power-inspect", b" " * 60_000 + b'"'),
        ("dmis", b"'" * 65_000 + b"$"),
        ("dmis", b"MEAS/PLANE,F(" + b" " * 60_000 + b"x,1\n"),
        ("dmis", b"MEAS/PLANE," + b"(" * 60_000),
        ("qif", b"<a>" * 300_000),
        ("qif", b"<a " + b"b='' " * 100_000),
    ],
)
def test_hostile_files_are_refused_at_once(kind, raw):
    with pytest.raises(PointsError, match=r"^p[:,] "):
        read_raw_points(raw, origin="p", format=kind, unit="mm")


def test_caps_hold_for_every_format(samples, monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_POINTS", "1")
    for name in samples:
        with pytest.raises(PointsError, match="there are more than 1 points; split the file"):
            read_raw_points(samples[name], origin=name, unit="mm")
    monkeypatch.setenv("PALPEUR_CAP_POINT_BYTES", "9")
    for name in samples:
        with pytest.raises(PointsError, match="more than 9 bytes; split the file"):
            read_raw_points(samples[name], origin=name, unit="mm")


LIST = "A 41 0 0 1 0 0\nB 0 -41 0 0 -1 0\n"


@pytest.mark.parametrize("name", ["a.txt", "a.pts", "a.asc", "a"])
def test_a_list_that_two_systems_write_is_not_guessed(name):
    with pytest.raises(PointsError, match="which one is never guessed; say format = ") as caught:
        read_raw_points(LIST.encode(), origin=name, unit="mm")
    assert set(caught.value.facts["choices"]) == {"list", "metrolog", "polyworks", "power-inspect"}
    for kind in caught.value.facts["choices"]:
        assert f'"{kind}"' in caught.value.message
        found = read_raw_points(LIST.encode(), origin=name, unit="mm", format=kind)
        assert found.positions.tolist() == [[0.041, 0, 0], [0, -0.041, 0]]
        centre = kind == "power-inspect"
        state = Compensation.CENTRE if centre else Compensation.SURFACE
        assert found.source.compensation is state
    with pytest.raises(PointsError, match="a PolyWorks list carries no unit"):
        read_raw_points(LIST.encode(), origin=name, format="polyworks")


@pytest.mark.parametrize(
    "text",
    [
        LIST.replace(" ", ","),
        LIST.replace(" ", "\t"),
        LIST.replace(" ", ";").replace("41", "41,000").replace(";0;", ";0,0;"),
        LIST.replace(" ", "   ").replace("A", '"A"'),
        "# points\n\n" + LIST,
        LIST.replace(" ", ", "),
        LIST.replace("0\nB", "0  # by hand\nB"),
    ],
)
def test_lists_between_any_signs(text):
    found = read_raw_points(text.encode(), origin="a.txt", unit="mm", format="polyworks")
    assert found.names == ("A", "B")
    assert found.positions.tolist() == [[0.041, 0, 0], [0, -0.041, 0]]
    assert found.points.normals.tolist() == [[1, 0, 0], [0, -1, 0]]


def test_lists_without_names_or_normals():
    found = read_raw_points(b"1 2 3\n4 5 6\n", origin="a.asc", unit="m", format="list")
    assert (found.names, found.has_normal.any()) == (("P1", "P2"), False)
    assert found.positions.tolist() == [[1, 2, 3], [4, 5, 6]]
    mixed = read_raw_points(b"7 1 2 3\n8 4 5 6 0 0 1\n", origin="a", unit="m", format="list")
    assert (mixed.names, mixed.has_normal.tolist()) == (("7", "8"), [False, True])
    assert read_raw_points(b"1 2 3 0 0 1\n", origin="a", unit="m", format="list").names == ("P1",)
    for text, told in {
        "A 1 2 3\n1 2 3\n": "line 2: found 3 values, without a name, unlike line 1; name all",
        "A 1 2\n": "line 1, column x: found 'A'; expected a number",
        "A 1 2 3 4\n": "line 1: found 5 values; expected x y z or x y z i j k",
        "A 1 2 x\n": "line 1, column z: found 'x'; expected a number",
        "\n": "there is no point in this list",
    }.items():
        with pytest.raises(PointsError, match=re.escape(told)):
            read_raw_points(text.encode(), origin="a", unit="m", format="list")


def test_a_word_on_compensation_may_contradict_a_list_only(tmp_path):
    (tmp_path / "a.txt").write_text(LIST)
    (tmp_path / "a.xyz").write_text("XYZIJK    METRIC\n41,0,0,1,0,0\n")
    read = read_points(
        tmp_path / "a.txt", unit="mm", format="list", ball_diameter=0.002, compensated=False
    )
    assert read.positions[0].tolist() == [0.04, 0, 0]
    plain = read_points(tmp_path / "a.txt", unit="mm", format="list", ball_diameter=0.002)
    assert plain.positions[0].tolist() == [0.041, 0, 0]
    with pytest.raises(PointsError, match="but they are said to be centres of the ball"):
        read_points(tmp_path / "a.xyz", ball_diameter=0.002, compensated=False)
