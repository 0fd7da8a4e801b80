"""URDF → mechanism: general axes and origins against Pinocchio, and every fault by line."""

import math

import numpy as np
import pytest

from robots.core.errors import RobotFileError
from robots.core.mechanism import JointKind
from robots.core.urdf import load_urdf, read_urdf
from tests.robots.core.urdf.pinocchio_chain import check_against_pinocchio

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="ground"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 -0.2 0.3" rpy="0.4 -0.5 0.6"/>
      <mass value="2.5"/>
      <inertia ixx="0.04" ixy="0.001" ixz="0.002" iyy="0.05" iyz="-0.003" izz="0.06"/>
    </inertial>
    <visual><geometry><mesh filename="package://nowhere/upper.stl"/></geometry></visual>
  </link>
  <link name="lower"><inertial><mass value="1.5"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <link name="wheel"><inertial><origin xyz="0 0.1 0"/><mass value="0.5"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>
  <link name="hand"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0.1 0.2 0.3" rpy="0.3 0.2 -0.1"/>
    <parent link="ground"/><child link="upper"/>
    <axis xyz="1 2 -2"/>
    <limit lower="-1.5" upper="2" effort="30" velocity="4"/>
    <dynamics damping="0.7" friction="0.2"/>
  </joint>
  <joint name="slide" type="prismatic">
    <origin xyz="0 0.5 0" rpy="1.2 0 0.4"/>
    <parent link="upper"/><child link="lower"/>
    <axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.4" effort="0" velocity="0"/>
  </joint>
  <joint name="spin" type="continuous">
    <origin xyz="0.2 0 0"/>
    <parent link="upper"/><child link="wheel"/>
    <axis xyz="0.3 0.4 0"/>
  </joint>
  <joint name="mount" type="fixed">
    <origin xyz="0 0 0.25" rpy="0 1.5707963267948966 0"/>
    <parent link="lower"/><child link="hand"/>
  </joint>
</robot>
"""


def test_kinds_limits_and_friction_are_read():
    mechanism = read_urdf(ARM, tip="hand")
    by_name = {joint.name: joint for joint in mechanism.joints}
    assert [j.name for j in mechanism.joints] == ["shoulder", "slide"]
    shoulder, slide = by_name["shoulder"], by_name["slide"]
    assert (shoulder.q_min, shoulder.q_max) == (-1.5, 2.0)
    assert (shoulder.max_effort, shoulder.max_speed) == (30.0, 4.0)
    assert (shoulder.viscous, shoulder.coulomb) == (0.7, 0.2)
    assert slide.kind is JointKind.PRISMATIC
    assert (slide.max_effort, slide.max_speed) == (math.inf, math.inf)
    spin = read_urdf(ARM, tip="wheel").joints[1]
    assert (spin.name, spin.q_min, spin.q_max) == ("spin", -math.inf, math.inf)
    heavy = ARM.replace(
        '<link name="hand"/>',
        '<link name="hand"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1"/></inertial></link>',
    )
    assert read_urdf(heavy, tip="hand").joints[2].kind is JointKind.FIXED


@pytest.mark.parametrize("tip", ["hand", "wheel", "lower", "upper"])
def test_motion_and_dynamics_agree_with_pinocchio(tip):
    check_against_pinocchio(ARM, read_urdf(ARM, tip=tip))


@pytest.mark.parametrize("axis", ["1 0 0", "0 1 0", "0 0 1", "-1 0 0", "0 -1 0", "0 0 -1"])
def test_axes_of_the_frame_cost_no_rounding(axis):
    text = ARM.replace('xyz="0 -1 0"', f'xyz="{axis}"').replace('rpy="1.2 0 0.4"', "")
    slide = read_urdf(text, tip="hand").joints[1]
    z = np.array([float(part) for part in axis.split()])
    upper = read_urdf(text.replace('xyz="1 2 -2"', 'xyz="0 0 1"'), tip="hand")
    placement = upper.joints[1].placement
    assert np.array_equal(placement[:3, 2], z)
    assert set(np.abs(placement[:3, :3]).ravel()) == {0.0, 1.0}
    assert slide.kind is JointKind.PRISMATIC


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('type="fixed"', 'type="floating"', 35, "has type 'floating' and moves the tip; revolute"),
        ('type="fixed"', 'type="planar"', 35, "planar and floating are not"),
        ('<axis xyz="0 -1 0"/>', '<mimic joint="spin"/>', 24, "moves the tip and mimics joint"),
        ('lower="-1.5" upper="2"', 'lower="2" upper="-1.5"', 21, "has lower 2 above upper -1.5"),
        ('velocity="4"', 'velocity="-4"', 21, "of joint 'shoulder' has velocity -4"),
        ('effort="30"', 'effort="-30"', 21, "of joint 'shoulder' has effort -30"),
        ('damping="0.7"', 'damping="-0.7"', 22, "of joint 'shoulder' has damping -0.7"),
        ('<child link="hand"/>', '<child link="hnad"/>', 35, "is missing; did you mean 'hand'?"),
        ('<child link="hand"/>', "", 35, "has no <child link=…>"),
        ('<child link="hand"/>', '<child link="wheel"/>', 35, "the links close a loop"),
        ('<link name="hand"/>', '<link name="hand"/><link name="x"/>', 16, "is a second root"),
        ('<link name="hand"/>', '<link name="hand"/><link name="hand"/>', 16, "an earlier link"),
        ('name="slide"', 'name="spin"', 30, "has the name of an earlier joint"),
        ('name="slide"', "", 24, "has no name"),
        ('xyz="1 2 -2"', 'xyz="0 0 0"', 20, "has length zero"),
        ('xyz="1 2 -2"', 'xyz="1 2"', 20, "expected 3 finite numbers"),
        ('xyz="1 2 -2"', 'xyz="1 2 nan"', 20, "expected 3 finite numbers"),
        ('value="2.5"', 'value="two"', 7, "expected a finite number"),
        ('value="2.5"', 'value="-2.5"', 5, "has mass -2.5 kg"),
        ('<limit lower="0" upper="0.4" effort="0" velocity="0"/>', "", 24, "has no <limit>"),
        ("<robot", "<model", 2, "is not valid"),
    ],
)
def test_faults_are_named_by_line(old, new, line, words):
    with pytest.raises(RobotFileError) as caught:
        read_urdf(ARM.replace(old, new, 1), origin="arm.urdf", tip="hand")
    text = str(caught.value)
    assert text.startswith("arm.urdf")
    if words == "is not valid":
        assert "this is not valid XML" in text
    else:
        assert f"line {line}: " in text
        assert words in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid XML"),
        ("<sdf/>", "begins with <robot>"),
        ("<robot name='r'/>", "has no link"),
        ("<robot name='r'><link name='a'/></robot>", "has no joint"),
        (
            '<robot><link name="a"/><link name="b"/><joint name="j" type="fixed">'
            '<parent link="a"/><child link="b"/></joint></robot>',
            "no moving joint",
        ),
        ('<!DOCTYPE robot [<!ENTITY a "x">]><robot name="&a;"/>', "document type"),
        ('<!DOCTYPE robot SYSTEM "http://example.org/x.dtd"><robot/>', "document type"),
        ("<robot>" + "<a>" * 400 + "</a>" * 400 + "</robot>", "not valid XML"),
        ("<robot>" + " " * 1_000_001 + "</robot>", "at most 1000000 are read"),
    ],
)
def test_what_is_no_urdf_at_all(text, words):
    with pytest.raises(RobotFileError, match=words):
        read_urdf(text)


def test_entities_are_never_expanded():
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="r">&b;</robot>'
    with pytest.raises(RobotFileError, match="document type"):
        read_urdf(bomb)


def test_a_closed_ring_of_links_has_no_root():
    ring = "".join(
        f'<link name="{a}"/><joint name="j{a}" type="fixed"><parent link="{a}"/>'
        f'<child link="{b}"/></joint>'
        for a, b in ("xy", "yz", "zx")
    )
    with pytest.raises(RobotFileError, match="has no root link"):
        read_urdf(f"<robot>{ring}</robot>")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(RobotFileError, match="cannot be read"):
        load_urdf(tmp_path / "none.urdf")
