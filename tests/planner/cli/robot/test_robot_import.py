"""``palpeur robot import``: a robot file, and the list of what is still to be given."""

import json

import pytest

HAND = """<robot name="two">
  <link name="base_link"/>
  <link name="upper"><inertial><mass value="2"/></inertial></link>
  <link name="left"/><link name="right"/>
  <joint name="a" type="revolute"><origin xyz="0 0 0.5"/><parent link="base_link"/>
    <child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="0" velocity="2"/></joint>
  <joint name="b" type="revolute"><origin xyz="0.4 0 0"/><parent link="upper"/>
    <child link="left"/><limit lower="-3" upper="3" effort="9" velocity="2"/></joint>
  <joint name="c" type="revolute"><origin xyz="0.4 0 0"/><parent link="upper"/>
    <child link="right"/><limit lower="-3" upper="3" effort="9" velocity="2"/></joint>
</robot>
"""


@pytest.fixture
def hand(file):
    return file("hand.urdf", HAND)


def test_an_imported_robot_is_one_of_ours(palpeur, hand, tmp_path):
    out = tmp_path / "arm.toml"
    ran = palpeur("robot", "import", hand, "--tip", "left", "--name", "mine", "--out", out)
    assert ran.code == 0
    assert "Still to be given" in ran.out
    assert "max_acceleration_rad_s2 of every joint" in ran.out
    assert f"palpeur robot check {out}" in ran.err
    shown = palpeur("robot", "show", out, "--json").json
    assert (shown["name"], shown["dof"]) == ("mine", 2)
    again = palpeur("robot", "import", out, "--out", out)  # its own file is replaced
    assert again.code == 0


def test_the_answer_in_json(palpeur, hand, tmp_path):
    out = tmp_path / "arm.toml"
    ran = palpeur("robot", "import", hand, "--tip", "left", "--out", out, "--json")
    document = json.loads(ran.out)
    assert document["source"] == {"file": "hand.urdf", "format": "URDF"}
    assert document["tip"]["link"] == "left"
    first = document["missing"][0]
    assert (first["topic"], first["required"]) == ("acceleration limits", True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--out", "arm.toml"), "Give one of them: --tip left"),
        ((), "Give the robot file to write: --out arm.toml"),
        (("--out", "arm.urdf"), "a robot file ends in .toml"),
        (("--out", "arm.toml", "--arg", "reach"), "expected NAME=VALUE"),
    ],
)
def test_one_message_says_what_to_give(palpeur, hand, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    ran = palpeur("robot", "import", hand, *options)
    assert ran.code == 2
    assert words in ran.err


def test_no_other_file_is_overwritten(palpeur, hand, file):
    taken = file("arm.toml", "mine = 1\n")
    ran = palpeur("robot", "import", hand, "--tip", "left", "--out", taken)
    assert ran.code == 2
    assert taken.read_text() == "mine = 1\n"
    assert palpeur("robot", "import", hand, "--tip", "left", "--out", taken, "--force").code == 0
