"""Robots by name or path, and what is said when there is none."""

import re

import pytest

from robots.core.errors import RobotFileError
from robots.core.robot_file import write_toml
from robots.core.urdf import write_urdf
from robots.library import load, names, open_robot, text_of

SHIPPED = {
    *("anthropomorphic", "industrial-6r", "liegeois-6r", "measuring-arm"),
    *("measuring-arm-com-reading", "planar-3r", "planar-4r", "stanford"),
}


def test_the_library_holds_the_robots_of_the_sources():
    assert set(names()) >= SHIPPED
    assert list(names()) == sorted(names())


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_every_robot_is_called_as_its_file_and_says_where_it_comes_from(name):
    mechanism = load(name)
    assert mechanism.name == name
    assert len(mechanism.source) > 20
    assert text_of(name).startswith("# ")


@pytest.mark.parametrize("name", ["measuring-arm", "measuring-arm-com-reading", "industrial-6r"])
def test_every_number_of_a_published_robot_has_its_table_beside_it(name):
    numbers = re.compile(r"^(?!format)\w+ = [\[{]?.*\d", flags=re.MULTILINE)
    lines = [text_of(name)[m.start() :].split("\n")[0] for m in numbers.finditer(text_of(name))]
    keys = [line for line in lines if not line.startswith(("name", "source", "joint"))]
    assert len(keys) > 40
    assert [line for line in keys if "#" not in line] == []


@pytest.mark.parametrize("name", ["planar-3r", "planar-4r", "anthropomorphic", "liegeois-6r"])
def test_values_that_no_source_gives_are_called_ours(name):
    assert "ours" in load(name).source


def test_a_path_opens_a_file_of_the_user(tmp_path):
    arm = load("measuring-arm")
    toml, urdf = tmp_path / "mine.toml", tmp_path / "mine.URDF"
    toml.write_text(write_toml(arm), encoding="utf-8")
    urdf.write_text(write_urdf(arm), encoding="utf-8")
    assert open_robot(str(toml)).dof == open_robot(str(urdf)).dof == open_robot("stanford").dof - 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("measurin-arm", "; did you mean 'measuring-arm'? The library has abb-"),
        ("xyzzy", "There is no library robot 'xyzzy'; the library has abb-crb-15000-5,"),
        ("", "There is no library robot ''"),
        ("missing.toml", "missing.toml: the file cannot be read"),
        ("missing.urdf", "missing.urdf: the file cannot be read"),
        ("a\0b.toml", "cannot be read"),
    ],
)
def test_what_cannot_be_opened_says_what_can(given, words):
    with pytest.raises(RobotFileError) as caught:
        open_robot(given)
    assert words in str(caught.value)


def test_a_folder_is_told_as_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ev").mkdir()
    with pytest.raises(
        RobotFileError,
        match=r"^There is no library robot 'ev'; it is a folder\. The library has .*by its path",
    ):
        open_robot("ev")


def test_another_kind_of_file_is_told_by_its_ending(tmp_path):
    path = tmp_path / "part.stl"
    path.write_text("solid")
    with pytest.raises(RobotFileError, match=r"'\.stl' is not that of a robot file"):
        open_robot(str(path))
