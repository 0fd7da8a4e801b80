"""Names of a package's data files, and paths beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from robots.core.catalogue import Catalogue
from robots.core.errors import RobotFileError

ROBOTS = Catalogue(package="robots.library", thing="robot", endings=(".toml", ".urdf"))


def test_a_name_is_no_path_even_where_such_a_file_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("measuring-arm").write_text("not a robot")
    assert ROBOTS.path_of("measuring-arm") is None
    assert "measuring-arm" in ROBOTS.names()
    assert ROBOTS.text_of("measuring-arm").startswith("#")


def test_a_path_is_known_by_its_ending_whether_it_exists_or_not(tmp_path):
    assert ROBOTS.path_of("sub/mine.URDF") == Path("sub/mine.URDF")
    other = tmp_path / "mine.json"
    assert ROBOTS.path_of(str(other)) is None  # no file: a name that is not known
    other.write_text("{}")
    with pytest.raises(RobotFileError, match=r"not that of a robot file; known endings: .toml, "):
        ROBOTS.path_of(str(other))


def test_a_wrong_name_is_refused_with_the_nearest_and_both_endings():
    with pytest.raises(RobotFileError, match="did you mean 'measuring-arm'") as told:
        ROBOTS.text_of("measurin-arm")
    assert "ending in .toml or .urdf." in told.value.message
    assert told.value.facts["name"] == "measurin-arm"
