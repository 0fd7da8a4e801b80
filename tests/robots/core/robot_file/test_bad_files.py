"""Faulty robot files: one RobotFileError with file, line, key, what was found and expected."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.errors import RobotFileError
from robots.core.robot_file import load, read_robot
from tests.cases import cases

GOOD = """format = 1
[robot]
name = "two"
[[joint]]
name = "a"
type = "revolute"
d_mm = 100
min_deg = -10
max_deg = 10
[joint.body]
mass_kg = 2
inertia_kg_m2 = { xx = 1, yy = 1, zz = 1 }
at = "com"
[[joint]]
name = "b"
type = "prismatic"
max_force_n = 4
[tool]
joint = "b"
"""
DESCRIBED = """format = 1
[robot]
name = "d"
description = "RX(-1,1),TYK(L1)"
[lengths_mm]
L1 = 4
"""


def fault(text):
    with pytest.raises(RobotFileError) as caught:
        read_robot(text, origin="r.toml")
    return caught.value


def test_the_good_files_are_good():
    assert read_robot(GOOD).dof == 2
    assert read_robot(DESCRIBED).dof == 1


@pytest.mark.parametrize(
    ("old", "new", "key", "line", "words"),
    [
        ("d_mm = 100", "d_m = 0.1", "joint[0].d_m", 7, "d_mm expected: the key's name carries"),
        ("d_mm = 100", "d = 0.1", "joint[0].d", 7, "d_mm expected"),
        ("d_mm = 100", "aplha_deg = 1", "joint[0].aplha_deg", 7, "did you mean 'alpha_deg'?"),
        ("min_deg = -10", "min_mm = 1", "joint[0].min_mm", 8, "min_deg expected"),
        ("min_deg = -10", "max_force_n = 1", "joint[0].max_force_n", 8, "max_torque_nm expected"),
        ("max_force_n", "max_torque_nm", "joint[1].max_torque_nm", 17, "max_force_n expected"),
        (
            "max_force_n",
            "max_speed_rad_s",
            "joint[1].max_speed_rad_s",
            17,
            "max_speed_m_s expected",
        ),
        ("mass_kg", "mass_g", "joint[0].body.mass_g", 11, "mass_kg expected"),
        ("zz = 1", "zy = 1", "joint[0].body.inertia_kg_m2.zy", 12, "not a known key"),
        ("[tool]", "[tol]", "tol", 18, "did you mean 'tool'?"),
        ("d_mm = 100", "d_mm = nan", "joint[0].d_mm", 7, "is NaN; expected a finite number"),
        ("d_mm = 100", "d_mm = -inf", "joint[0].d_mm", 7, "is -Infinity; expected a finite number"),
        ("d_mm = 100", "d_mm = 1e999", "joint[0].d_mm", 7, "is 1E+999; expected a finite number"),
        ("d_mm = 100", 'd_mm = "100"', "joint[0].d_mm", 7, "is '100'; expected a number"),
        ("d_mm = 100", "d_mm = true", "joint[0].d_mm", 7, "is true; expected a number"),
        (
            "mass_kg = 2",
            "mass_kg = -2",
            "joint[0].body.mass_kg",
            11,
            "is -2; expected a number, zero",
        ),
        ("max_force_n = 4", "max_force_n = 0", "joint[1].max_force_n", 17, "a number above zero"),
        ("min_deg = -10", "min_deg = 20", "joint[0].min_deg", 8, "is 20, above max_deg = 10"),
        ('at = "com"', 'at = "centre"', "joint[0].body.at", 13, "expected 'origin' or 'com'"),
        ('at = "com"', "", "joint[0].body.at", 10, 'at = "origin" if it refers to the joint'),
        ("mass_kg = 2\n", "", "joint[0].body.mass_kg", 10, "is missing"),
        ('name = "a"\n', "", "joint[0].name", 4, "is missing"),
        ('name = "a"', 'name = ""', "joint[0].name", 5, "a name of 1 to 100 printable"),
        ('name = "a"', 'name = "base"', "joint[0].name", 5, "the base itself"),
        ('name = "b"', 'name = "a"', "joint[1].name", 15, "as is the name of joint[0]"),
        ('type = "prismatic"', 'type = "ball"', "joint[1]", 14, "has type 'ball'; expected"),
        ('type = "prismatic"', "", "joint[1]", 14, "has no type"),
        ('name = "b"', 'name = "b"\nparent = "c"', "joint[1].parent", 16, "no joint has this name"),
        ('name = "b"', 'name = "b"\nparent = "b"', "joint[1].parent", 16, "is the joint itself"),
        (
            'name = "a"',
            'name = "a"\nparent = "b"',
            "joint[0].parent",
            6,
            "a circle of parents: a → b",
        ),
        ('joint = "b"', 'joint = "bb"', "tool.joint", 19, "did you mean 'b'?"),
        ("d_mm = 100", "d_mm = 1\npose = {}", "joint[0].d_mm", 7, "stands beside pose"),
        ("[tool]", "[lengths_mm]\nL = 1\n[tool]", "lengths_mm", 18, "belongs to a description"),
        ("format = 1", "format = 2", "format", 1, "is 2; expected 1"),
        ("[robot]", '[robot]\ndescription = "RX"', "joint[0]", 5, "stands beside a description"),
    ],
)
def test_faults_name_line_key_and_remedy(old, new, key, line, words):
    error = fault(GOOD.replace(old, new, 1))
    assert str(error).startswith(f"r.toml, line {line}: {key} ")
    assert words in str(error)
    assert (error.facts["file"], error.facts["line"], error.facts["key"]) == ("r.toml", line, key)


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("TYK(L1)", "TYK(L1", "robot.description", "found the end of the phrase; expected"),
        (
            "TYK(L1)",
            "TYK(L2)",
            "lengths_mm.L1",
            "is not a symbol of the description; known here: L2.",
        ),
        ("L1 = 4", "", "robot.description", "'L1' without a value"),
        (
            "[lengths_mm]",
            "[limits_deg]",
            "limits_deg.L1",
            "needs it in [lengths_mm] or [limits_mm]",
        ),
        ("L1 = 4", "L1 = 4\n[limits_mm]\nL1 = 4", "limits_mm.L1", "given a value twice"),
        ("L1 = 4", 'L1 = 4\n[[body]]\njoint = "q2"\nmass_kg = 1', "body[0].joint", "no such joint"),
        (
            "L1 = 4",
            'L1 = 4\n[[drive]]\njoint = "q1"\nmax_force_n = 1',
            "drive[0].max_force_n",
            "fit",
        ),
        ("RX(-1,1)", "RX(A,1)", "robot.description", "'A' without a value"),
    ],
)
def test_faults_of_a_description(old, new, key, words):
    error = fault(DESCRIBED.replace(old, new, 1))
    assert f": {key} " in str(error)
    assert words in str(error)


def test_a_phrase_is_shown_with_a_caret():
    text = str(fault(DESCRIBED.replace("TYK(L1)", "TYK(L1")))
    assert "r.toml, line 4: robot.description has a fault." in text
    *_, shown, caret = text.split("\n")
    assert shown.strip() == "RX(-1,1),TYK(L1"
    assert caret.index("^") == len(shown)


def test_several_faults_are_told_together():
    text = GOOD.replace("d_mm", "d_m").replace("mass_kg = 2", "mass_kg = -2")
    lines = str(fault(text)).split("\n")
    assert [line.split(":")[0] for line in lines] == ["r.toml, line 7", "r.toml, line 11"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "robot is missing"),
        ("format = 1\n[robot]\nname = 'x'\n", "[[joint]] tables, or a description"),
        ("format = 1\n[robot\n", "not valid TOML"),
        ("joint = 3\nformat = 1\nrobot = 4", "expected a table"),
        ("format = " + "9" * 5000, "not valid TOML"),
        ("x = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ("# " + "x" * 1_000_001, "at most 1000000 are read"),
    ],
)
def test_what_is_no_robot_file_at_all(text, words):
    assert words in str(fault(text))


def test_bytes_that_are_not_utf8_are_placed(tmp_path):
    path = tmp_path / "r.toml"
    path.write_bytes(b"format = 1 # \xff")
    with pytest.raises(RobotFileError, match=r"r\.toml: byte 14 is not UTF-8"):
        load(path)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(RobotFileError, match="cannot be read"):
        load(tmp_path)


@settings(max_examples=cases(gate=20, soak=200), deadline=None)
@given(
    place=st.integers(0, len(GOOD)),
    inserted=st.text(alphabet="[]{}=\"'#.,-0123456789einfabdm_\n ", max_size=4),
    cut=st.integers(0, 12),
)
def test_a_damaged_file_is_read_or_refused_in_one_way(place, inserted, cut):
    try:
        read_robot(GOOD[:place] + inserted + GOOD[place + cut :], origin="r.toml")
    except RobotFileError as error:
        text = str(error)
    else:
        text = "r.toml"
    assert text.startswith("r.toml")


LEAVES = st.one_of(
    st.integers(-5, 5).map(str),
    st.sampled_from(["nan", "inf", "true", '"x"', "1e400", "[]", "{}", "[1, 2]", "1979-05-27"]),
)
KEYS = st.sampled_from(["name", "type", "parent", "d_mm", "min_deg", "pose", "body", "x"])


@settings(max_examples=cases(gate=20, soak=200), deadline=None)
@given(entries=st.dictionaries(KEYS, LEAVES, max_size=6))
def test_a_table_of_any_values_is_read_or_refused_in_one_way(entries):
    table = "\n".join(f"{key} = {value}" for key, value in entries.items())
    try:
        read_robot(f'format = 1\n[robot]\nname = "r"\n[[joint]]\n{table}\n', origin="r.toml")
    except RobotFileError as error:
        text = str(error)
    else:
        text = "r.toml"
    assert text.startswith("r.toml")
