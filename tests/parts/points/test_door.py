"""One door for all formats: which one is it, and what is refused before reading."""

import re

import pytest

from parts.errors import PointsError
from parts.points import FORMATS, found_points, read_points

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
        found = found_points(raw, origin=origin, unit=unit)
        assert found.source.format == EXPECTED[name]
        assert len(found) == 2
        marked = found_points(b"\xef\xbb\xbf" + raw, origin=origin, unit=unit)
        assert marked.positions.tolist() == found.positions.tolist()
        assert not found.positions.flags.writeable


@pytest.mark.parametrize("name", EXPECTED)
def test_name_against_content_is_refused_with_the_choices(samples, name):
    other = "b.csv" if name != "a.csv" else "b.dms"
    with pytest.raises(PointsError, match=r"the name says .*, but the content looks like") as error:
        found_points(samples[name], origin=other, unit="mm")
    assert "; rename the file to end in ." in error.value.message
    first, second = error.value.facts["choices"]
    assert FORMATS[second] == EXPECTED[name]
    assert found_points(samples[name], origin=other, format=second, unit="mm").source.unit == "mm"
    assert first != second


def test_what_no_format_fits_is_refused_with_the_choices():
    advice = (
        "; give points, in a file with the usual ending. Known are CSV (.csv), DMIS (.dmi or .dmis "
        "or .dms), PowerInspect text (.pts), QIF 3.0 (.qif), PC-DMIS XYZ (.xyz)."
    )
    unknown = "p.txt: neither the name nor the first line tells the format"
    binary = "p.txt: this is a binary file, not points"
    for raw, told in {
        b"": "p.txt: the file is empty",
        b" \n\n": "p.txt: the file is empty",
        b"hello\n": unknown,
        b"1.0 2.0\n": unknown,
        b"\xff\xfe\x00": binary,
        bytes(range(256)): binary,
    }.items():
        with pytest.raises(PointsError, match=f"^{re.escape(told + advice)}$"):
            found_points(raw, origin="p.txt")
    with pytest.raises(PointsError, match="format 'cad' is not known; expected one of csv, dmis"):
        found_points(b"", origin="p.txt", format="cad")


@pytest.mark.parametrize("kind", ["csv", "dmis", "power-inspect", "xyz"])
def test_binary_and_utf_16_files_are_named_as_such(kind):
    with pytest.raises(PointsError, match="line 1: byte 4 is zero: this is a binary file"):
        found_points(b"abc\0def", origin="p", format=kind, unit="mm")
    with pytest.raises(PointsError, match="the text is in UTF-16; save the file as UTF-8"):
        found_points("abc".encode("utf-16"), origin="p", format=kind, unit="mm")


@pytest.mark.parametrize("name", ["a.csv", "a.xyz", "a.dmi", "a.qif"])
def test_a_unit_against_the_file_is_refused(samples, name):
    with pytest.raises(PointsError, match=r"lengths are in mm .*, but the unit is given as 'in'"):
        found_points(samples[name], origin=name, unit="in")


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
        found_points(raw, origin="p", format=kind, unit="mm")


def test_caps_hold_for_every_format(samples, monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_POINTS", "1")
    for name in samples:
        with pytest.raises(PointsError, match="there are more than 1 points; split the file"):
            found_points(samples[name], origin=name, unit="mm")
    monkeypatch.setenv("PALPEUR_CAP_POINT_BYTES", "9")
    for name in samples:
        with pytest.raises(PointsError, match="more than 9 bytes; split the file"):
            found_points(samples[name], origin=name, unit="mm")
