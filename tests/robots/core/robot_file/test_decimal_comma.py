"""Decimal commas told apart from other faults of TOML."""

from __future__ import annotations

import tomllib

import pytest

from robots.core.errors import RobotFileError
from robots.core.robot_file.decimal_comma import decimal_comma
from robots.core.robot_file.source_text import SourceText


def comma_of(text):
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    return decimal_comma(SourceText(origin="job.toml", text=text), str(caught.value))


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
    comma = comma_of(text)
    assert (comma.path, comma.found, comma.better) == (path, found, better)


@pytest.mark.parametrize(
    "text", ["a = 5, 0", "a = 5,0,0", "a = 1;5", "a = [1,2", "[t", "a = 1" + ",5" * 30, "a = ٣,٣"]
)
def test_other_faults_are_none(text):
    assert comma_of(text) is None


def test_a_robot_file_says_it_with_its_key_and_line():
    text = "[robot]\nname = 'arm'\n\n[[link]]\nmass_kg = 2,5\n"
    with pytest.raises(RobotFileError) as caught:
        SourceText(origin="arm.toml", text=text).document()
    assert caught.value.message == (
        "arm.toml, line 5: link[0].mass_kg is 2,5; decimals have a point: write 2.5."
    )
