"""Decimal commas and Windows paths told apart from other faults of TOML."""

from __future__ import annotations

import tomllib

import pytest

from robots.core.errors import RobotFileError
from robots.core.robot_file.source_text import SourceText, toml_slip


def slip_of(text):
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    return toml_slip(SourceText(origin="job.toml", text=text), str(caught.value))


@pytest.mark.parametrize(
    ("text", "path", "found", "better"),
    [
        ("a = 50,0", ("a",), "50,0", "50.0"),
        ("[t]\na.b = -1,25 # far\n", ("t", "a", "b"), "-1,25", "-1.25"),
        ("[[p]]\n[[p]]\nx=+5,2\n", ("p", 1, "x"), "+5,2", "+5.2"),
        ("r = { s = 1, t = 0,5 }\n", ("r", "t"), "0,5", "0.5"),
    ],
)
def test_a_decimal_comma(text, path, found, better):
    comma = slip_of(text)
    assert (comma.path, comma.found, comma.better) == (path, found, better)


@pytest.mark.parametrize(
    "text", ["a = 5, 0", "a = 5,0,0", "a = 1;5", "a = [1,2", "[t", "a = 1" + ",5" * 30, "a = ٣,٣"]
)
def test_other_faults_are_none(text):
    assert slip_of(text) is None


def test_a_robot_file_says_it_with_its_key_and_line():
    text = "[robot]\nname = 'arm'\n\n[[link]]\nmass_kg = 2,5\n"
    with pytest.raises(RobotFileError) as caught:
        SourceText(origin="arm.toml", text=text).document()
    assert caught.value.message == (
        "arm.toml, line 5: link[0].mass_kg is 2,5; decimals have a point: write 2.5."
    )


@pytest.mark.parametrize(
    ("line", "path", "better"),
    [
        (r'file = "D:\data\p.csv"', ("t", "file"), "D:/data/p.csv"),
        (r'file = "C:\Users\me\p.csv" # mine', ("t", "file"), "C:/Users/me/p.csv"),
        (
            r'p = { geometry = "C:\Users\g.stl", unit = "mm" }',
            ("t", "p", "geometry"),
            "C:/Users/g.stl",
        ),
        (r'folder = "D:\new\"', ("t", "folder"), "D:/new"),
        (r'file = "\xy\p.csv"', ("t", "file"), "/xy/p.csv"),
    ],
)
def test_a_windows_path(line, path, better):
    slip = slip_of(f"[t]\n{line}\n")
    assert (slip.path, slip.better) == (path, better)
    assert f'"{better}", or in single quotes' in slip.sentence


def test_a_job_with_a_windows_path_says_so_with_line_and_key():
    text = 'format = 1\n[points]\nfile = "C:\\Users\\me\\points.csv"\n'
    with pytest.raises(RobotFileError) as caught:
        SourceText(origin="job.toml", text=text).document()
    assert caught.value.message.startswith(
        "job.toml, line 3: points.file has a backslash in double"
    )
    assert "'C:\\Users\\me\\points.csv'" in caught.value.message
