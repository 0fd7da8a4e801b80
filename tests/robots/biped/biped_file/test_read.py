"""Biped files: what is refused, with line, key and advice."""

from pathlib import Path

import numpy as np
import pytest

from robots.biped.biped_file import biped_of, drives_of, json_schema, load, open_drives, text_of
from robots.core.errors import RobotFileError
from robots.core.robot_file.source_text import SourceText

FILE = """format = 1
robot = "planar-3r"
source = "test"

[standing]
rotation_zyx_deg = [0, 0, 90]
q_deg = { q2 = 30 }

[[foot]]
name = "only"
sole_mm = [[0, 0, 0], [100, 0, 0], [0, 0, -100]]

[[transmission]]
kind = "fixed-ratio"
joints = ["q1"]
motors = ["m1"]
rotor_inertia_kg_m2 = [1e-5]
ratio = -100

[[stop]]
joint = "q3"
min_rad = -0.5
max_rad = 0.5
"""


def read_biped(text, *, origin="biped file"):
    return biped_of(SourceText(origin=origin, text=text), Path())


def read_drives(text, *, origin="biped file"):
    return drives_of(SourceText(origin=origin, text=text), Path())


def refused(text, reader=read_biped):
    with pytest.raises(RobotFileError) as told:
        reader(text, origin="b.toml")
    return str(told.value)


def test_a_small_file_reads():
    biped = read_biped(FILE)
    assert biped.name == "planar-3r"
    assert np.degrees(biped.q_standing) == pytest.approx([0, 30, 0])
    assert biped.q_stops[:, 2] == pytest.approx([-0.5, 0.5])
    assert biped.q_stops[0, 0] == biped.mechanism.q_min[0]
    assert biped.foot("only").sole[1] == pytest.approx([0.1, 0, 0])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("format = 1", "format = 2", ["line 1", "format is 2", "expected 1"]),
        ('name = "only"', 'nam = "only"', ["foot[0].nam is not a known key", "'name'"]),
        ("sole_mm", "sole_cm", ["line 11", "sole_mm expected"]),
        ("ratio = -100", "ratoi = 3", ["line 18", "'ratio'"]),
        ("fixed-ratio", "belt", ["line 13", "kind 'belt'", '"crank-screw"']),
        ('kind = "fixed-ratio"\n', "", ["has no kind"]),
        ("ratio = -100", "", ["transmission[0].ratio is missing"]),
        ('joint = "q3"', 'joint = "q9"', ["stop[0].joint names 'q9'", "known here: q1, q2, q3"]),
        ("q2 = 30", "q7 = 30", ["standing.q_deg.q7", "which the robot does not have"]),
        ('name = "only"', 'name = "only"\nlink = "q33"', ["foot[0].link", "did you mean 'q3'?"]),
        ("min_rad = -0.5", "min_rad = 2", ["stop[0].min_rad is 2, above max_rad"]),
        ('robot = "planar-3r"', 'robot = "planar-3"', ["line 2", "did you mean 'planar-3r'?"]),
        ('robot = "planar-3r"', 'robot = "no.toml"', ["line 2", "cannot be read"]),
        ("[0, 0, 90]", "[0, 0, 10]", ["it must point along -z"]),
        ("[100, 0, 0]", "[100, 0]", ["foot[0].sole_mm[1]"]),
        (", [0, 0, -100]", "", ["at least three corners"]),
        ("ratio = -100", "ratio = inf", ["ratio is Infinity; expected a finite number"]),
        ('"m1"]', '"m1", "m2"]', ["line 16: transmission[0].motors has 2 entries; 1 expected"]),
        ('["m1"]', "[]", ["line 16: transmission[0].motors has too few entries"]),
        ("[1e-5]", "[-1]", ["rotor_inertia_kg_m2[0] is -1; expected a number, zero or more"]),
    ],
)
def test_faults_are_told_with_their_place(old, new, words):
    assert old in FILE
    said = refused(FILE.replace(old, new))
    assert [word for word in words if word not in said] == []


def test_a_joint_or_motor_is_driven_once():
    table = FILE[FILE.index("[[transmission]]") : FILE.index("[[stop]]")]
    assert "names 'q1' a second time" in refused(FILE + table)
    other = table.replace('"q1"', '"q2"')
    assert "transmission[1].motors names 'm1' a second time" in refused(FILE + other)


def test_drives_need_transmissions_for_every_joint():
    assert "do not fit the robot" in refused(FILE, read_drives)
    without = FILE[: FILE.index("[[transmission]]")]
    assert "transmission is missing" in refused(without, read_drives)


def test_a_rod_that_does_not_reach_is_refused_where_it_stands():
    short = text_of("bip-leg").replace("rod_mm = 106.2", "rod_mm = 10.2")
    said = refused(short, read_drives)
    assert "transmission[1] cannot work" in said
    assert "q3" in said


def test_files_on_disk(tmp_path):
    path = tmp_path / "b.toml"
    path.write_text(text_of("bip2000"), encoding="utf-8")
    assert load(path).mechanism.dof == 15
    assert len(open_drives(str(path)).motors) == 15


def test_the_schema_knows_what_the_reader_knows():
    schema = json_schema()
    assert schema["additionalProperties"] is False
    assert {"standing", "foot", "transmission", "stop"} <= set(schema["properties"])


def test_a_robot_file_stays_in_the_folder(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "link.toml").symlink_to(tmp_path / "other.toml")
    for name in ("../other.toml", "/etc/passwd.toml", "link.toml"):
        (folder / "b.toml").write_text(FILE.replace('"planar-3r"', f'"{name}"'))
        with pytest.raises(RobotFileError, match=r"line 2: robot is .* leaves the folder"):
            load(folder / "b.toml")
