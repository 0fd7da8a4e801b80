"""``--tip`` of every command that takes a URDF, and what is said where it is left out."""

import pytest

from robots.core.urdf import write_urdf
from robots.library import load

STATE = "q1_deg,q2_deg\n10,20\n"
HAND = """<robot name="two">
  <link name="base_link"/>
  <link name="upper"><inertial><mass value="2"/></inertial></link>
  <link name="lower"><inertial><mass value="1"/></inertial></link>
  <link name="hand"/>
  <link name="left"/><link name="right"/><link name="base"/>
  <joint name="a" type="revolute"><origin xyz="0 0 0.5"/><parent link="base_link"/>
    <child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="0" velocity="2"/></joint>
  <joint name="b" type="revolute"><origin xyz="0.4 0 0"/><parent link="upper"/>
    <child link="lower"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="0" velocity="2"/></joint>
  <joint name="m" type="fixed"><origin xyz="0.3 0 0"/><parent link="lower"/>
    <child link="hand"/></joint>
  <joint name="l" type="prismatic"><origin xyz="0.1 0 0"/><parent link="hand"/>
    <child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="0" velocity="0"/></joint>
  <joint name="r" type="prismatic"><origin xyz="0.1 0 0"/><parent link="hand"/>
    <child link="right"/><axis xyz="0 -1 0"/><mimic joint="l"/>
    <limit lower="0" upper="0.04" effort="0" velocity="0"/></joint>
  <joint name="base_link-base" type="fixed"><parent link="base_link"/><child link="base"/></joint>
</robot>
"""


@pytest.fixture
def hand(tmp_path):
    path = tmp_path / "hand.urdf"
    path.write_text(HAND)
    return str(path)


@pytest.fixture
def states(tmp_path):
    path = tmp_path / "states.csv"
    path.write_text(STATE)
    return str(path)


MODELS = ("forward", "jacobian", "mass", "lagrange", "dynamics")


@pytest.mark.parametrize("command", MODELS)
def test_a_tie_is_refused_by_every_model_and_the_tip_decides(palpeur, hand, states, command):
    ran = palpeur("robot", command, hand, "--states", states)
    assert ran.code == 2
    assert "'left', 'right' are each behind 3 moving joints" in ran.err
    assert "--tip hand" in ran.err
    ran = palpeur("robot", command, hand, "--tip", "hand", "--states", states, "--json")
    assert ran.code == 0
    assert (
        "R109 note: The tool frame is link 'hand' in the frame of 'base_link', as given" in ran.err
    )
    assert "'l' at 0 m, 'r' at 0 m" in ran.err  # the fingers are held, and that is said
    tip = ran.json["tip"]
    assert (tip["link"], tip["root"], tip["rule"]) == ("hand", "base_link", "given")
    assert [joint["name"] for joint in tip["held_joints"]] == ["l", "r"]


def test_forward_is_that_of_the_tip(palpeur, hand, states):
    """0.4 m and 0.3 m of arm, turned by 10° about z and 20° about y, by hand."""
    import numpy as np

    ran = palpeur("robot", "forward", hand, "--tip", "hand", "--states", states, "--json")
    a, b = np.radians([10.0, 20.0])
    reach = 0.4 + 0.3 * np.cos(b)
    expected = [reach * np.cos(a), reach * np.sin(a), 0.5 - 0.3 * np.sin(b)]
    assert np.array(ran.json["rows"][0]["T"])[:3, 3] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (("show",), "tip"),
        (("check",), "tip"),
        (("workspace", "--samples", "200"), "tip"),
    ],
)
def test_other_commands_take_it_too(palpeur, hand, arguments, key):
    command, *options = arguments
    assert palpeur("robot", command, hand, *options).code == 2
    ran = palpeur("robot", command, hand, "--tip", "hand", *options, "--json")
    assert ran.code == 0
    assert ran.json[key]["link"] == "hand"


def test_show_and_check_say_it_in_words(palpeur, hand):
    shown = palpeur("robot", "show", hand, "--tip", "hand").out
    assert "The tool frame is link 'hand' in the frame of 'base_link', as given." in shown
    audit = palpeur("robot", "check", hand, "--tip", "hand")
    assert audit.code == 0
    assert "R109 note" in audit.out
    assert "R110 note" in audit.out
    assert "robot.limits.a" in audit.out  # where a missing acceleration goes


def test_quiet_and_library_robots_say_nothing(palpeur, hand, states):
    ran = palpeur("--quiet", "robot", "forward", hand, "--tip", "hand", "--states", states)
    assert (ran.code, ran.err) == (0, "")
    ran = palpeur("robot", "show", "measuring-arm", "--json")
    assert "tip" not in ran.json


def test_a_tip_of_a_robot_without_links_is_refused(palpeur):
    ran = palpeur("robot", "show", "measuring-arm", "--tip", "tool0")
    assert ran.code == 2
    assert "The tip 'tool0' is given for measuring-arm, which is no URDF file" in ran.err


def test_motion_and_machine_test_take_a_tip(palpeur, hand):
    limits = ("--law", "quintic", "--ka", "1,1")
    moves = ("motion", *limits, "--from", "0,0", "--to", "10,10", "--robot", hand)
    assert palpeur(*moves).code == 2
    assert palpeur(*moves, "--tip", "hand", "--json").code == 0


def test_what_we_write_has_its_tool_for_a_tip(palpeur, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(write_urdf(load("measuring-arm")))
    tip = palpeur("robot", "show", str(path), "--json").json["tip"]
    assert (tip["link"], tip["rule"], tip["moving_joints"]) == ("tool", "named", 5)


def test_a_joint_without_a_range_cannot_move_and_that_is_said(palpeur, tmp_path):
    """URDF takes lower and upper that are left out as zero."""
    path = tmp_path / "still.urdf"
    path.write_text(HAND.replace('lower="-3" upper="3" ', "", 1))
    ran = palpeur("robot", "check", str(path), "--tip", "hand", "--json")
    (finding,) = [item for item in ran.json["findings"] if item["code"] == "R108"]
    assert (finding["where"], finding["message"]) == (
        "a",
        "The joint cannot move: both limits are 0 rad.",
    )


def test_the_calibration_and_the_singularities_tell_the_tip_in_json(palpeur, hand, states):
    at = ("--tip", "hand", "--states", states)
    ran = palpeur("robot", "singularities", hand, *at, "--task", "position", "--json")
    assert ran.json["tip"]["link"] == "hand"
    plan = ("robot", "calibrate", hand, "--tip", "hand", "--plan", "12", "--json")
    ran = palpeur(*plan, "--kind", "point")
    assert ran.code == 0
    assert ran.json["tip"]["link"] == "hand"
    # Two joints hold a ball in a sphere in one posture only: nothing can be told from that.
    ran = palpeur(*plan)
    assert ran.code == 2
    assert "No error of two can be told from measurements of kind sphere" in ran.err
    assert palpeur("robot", "equations", hand, "--tip", "hand").code == 0
