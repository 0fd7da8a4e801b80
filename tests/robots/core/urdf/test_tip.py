"""Tool frame of a URDF file, branches off the chain to it, and files that keep xacro's name."""

from pathlib import Path

import numpy as np
import pytest

from robots.core.errors import RobotFileError
from robots.core.file_reading import TipRule
from robots.core.model import Model
from robots.core.urdf import load_urdf, read_urdf
from tests.robots.core.urdf.pinocchio_chain import check_against_pinocchio

REAL = Path(__file__).parents[5] / "shared" / "data" / "real"

_INERTIAL = (
    '<inertial><origin xyz="0.05 0.01 0.1"/><mass value="{mass}"/>'
    '<inertia ixx="0.02" ixy="0" ixz="0.001" iyy="0.03" iyz="0" izz="0.02"/></inertial>'
)
_TURN = '<axis xyz="0 {y} {z}"/><limit lower="-2" upper="2" effort="0" velocity="2"/>'


_BALL = '<collision><geometry><sphere radius="0.01"/></geometry></collision>'


def link(name, mass=0.0, shape=""):
    """A link; no <inertial> without mass."""
    body = _INERTIAL.format(mass=mass) if mass else ""
    return f'<link name="{name}">{body}{shape}</link>'


def joint(name, parent, child, kind="fixed", extra=""):
    """A joint with an offset of its own."""
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="0.1 0.02 0.3" rpy="0.1 -0.2 0.3"/>'
        f'<parent link="{parent}"/><child link="{child}"/>{extra}</joint>'
    )


def arm(*more, header='<robot name="arm">'):
    """Two turning joints, a frame "base" at the end of the file, as in ROS-Industrial files."""
    parts = [
        link("base_link"),
        link("link_1", mass=3.0),
        link("link_2", mass=2.0),
        joint("joint_1", "base_link", "link_1", "revolute", _TURN.format(y=0, z=1)),
        joint("joint_2", "link_1", "link_2", "revolute", _TURN.format(y=1, z=0)),
        *more,
        link("base"),
        joint("base_link-base", "base_link", "base"),
    ]
    return header + "".join(parts) + "</robot>"


TOOL0 = (link("tool0"), joint("link_2-tool0", "link_2", "tool0"))
FINGERS = (
    link("hand", mass=0.5),
    joint("mount", "link_2", "hand"),
    link("left", mass=0.1, shape=_BALL),
    joint(
        "left_joint", "hand", "left", "prismatic",
        '<axis xyz="0 1 0"/><limit lower="0.01" upper="0.04" effort="0" velocity="0"/>',
    ),
    link("right", mass=0.1),
    joint(
        "right_joint", "hand", "right", "prismatic",
        '<axis xyz="0 -1 0"/><limit lower="0" upper="0.04" effort="0" velocity="0"/>'
        '<mimic joint="left_joint" multiplier="2" offset="0.003"/>',
    ),
)  # fmt: skip


def test_a_frame_at_the_end_of_the_file_is_no_tip():
    """The last joint of ROS-Industrial files is base_link-base, which nothing moves."""
    text = arm(*TOOL0)
    robot = read_urdf(text)
    assert robot.tip is not None
    assert (robot.tip.link, robot.tip.rule, robot.tip.root) == ("tool0", TipRule.NAMED, "base_link")
    assert [j.name for j in robot.joints] == ["joint_1", "joint_2"]
    poses = Model(robot).forward(np.array([[0.0, 0.0], [0.5, 0.5]]))
    assert np.abs(poses[0] - poses[1]).max() > 0.1
    check_against_pinocchio(text, robot)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("flange", "tool0"), "tool0"),
        (("tcp", "flange"), "flange"),
        (("tool", "tcp"), "tcp"),
        (("camera", "tool"), "tool"),
    ],
)
def test_usual_names_come_in_their_order(names, expected):
    more = [part for name in names for part in (link(name), joint(f"to_{name}", "link_2", name))]
    robot = read_urdf(arm(*more))
    assert robot.tip is not None
    assert (robot.tip.link, robot.tip.rule) == (expected, TipRule.NAMED)


def test_a_zero_mass_inertial_is_no_obstacle_and_a_tool_that_nothing_moves_is_none():
    zero = (
        '<link name="tool0"><inertial><mass value="0"/>'
        '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>'
    )
    robot = read_urdf(arm(zero, TOOL0[1]))
    assert robot.tip is not None
    assert robot.tip.link == "tool0"
    assert len(robot.joints) == 2
    rack = read_urdf(arm(link("tool0"), joint("rack", "base_link", "tool0")))
    assert rack.tip is not None
    assert (rack.tip.link, rack.tip.rule) == ("link_2", TipRule.FARTHEST)


def test_the_given_link_wins_and_what_is_beyond_it_is_held():
    text = arm(*TOOL0)
    robot = read_urdf(text, tip="link_1")
    assert robot.tip is not None
    assert robot.tip.rule is TipRule.GIVEN
    assert [j.name for j in robot.joints] == ["joint_1"]
    (held,) = robot.side_branches.joints
    assert (held.name, held.value) == ("joint_2", 0.0)
    assert robot.side_branches.mass == 2.0
    check_against_pinocchio(text, robot)


@pytest.mark.parametrize(
    ("tip", "words"),
    [
        ("tol0", "the tip 'tol0' is no link of this file; did you mean 'tool0'?"),
        ("base", "no joint moves the tip 'base'; give a link behind moving joints, such as"),
    ],
)
def test_a_given_link_must_be_moved(tip, words):
    with pytest.raises(RobotFileError, match=r"arm\.urdf") as caught:
        read_urdf(arm(*TOOL0), origin="arm.urdf", tip=tip)
    assert words in str(caught.value)


def test_where_two_are_as_good_both_are_named():
    with pytest.raises(RobotFileError) as caught:
        read_urdf(arm(*FINGERS))
    assert caught.value.facts["candidates"] == ("left", "right")
    assert caught.value.facts["parting"] == "hand"
    text = str(caught.value)
    assert "'left', 'right' are each behind 3 moving joints" in text
    assert "--tip hand on the command line" in text
    assert 'tip = "hand" under [robot]' in text


def test_branches_are_held_and_their_masses_and_shapes_count():
    text = arm(*FINGERS)
    robot = read_urdf(text, tip="hand")
    assert [j.name for j in robot.movable] == ["joint_1", "joint_2"]
    left, right = robot.side_branches.joints
    assert (left.name, left.value, left.unit) == ("left_joint", 0.01, "m")  # nearest to zero
    assert right.mimics == "left_joint"
    assert right.value == pytest.approx(2 * 0.01 + 0.003, abs=1e-15)
    assert robot.side_branches.links == ("left", "right")
    assert robot.side_branches.mass == pytest.approx(0.2, abs=1e-15)
    assert robot.total_mass == pytest.approx(3.0 + 2.0 + 0.5 + 0.2, abs=1e-14)
    (finger,) = robot.capsules
    assert robot.joints[finger.joint].name == "mount"
    check_against_pinocchio(text, robot)


def test_a_mimic_joint_moves_no_tip():
    with pytest.raises(RobotFileError, match="moves the tip and mimics joint 'left_joint'"):
        read_urdf(arm(*FINGERS), tip="right")
    # The leader stands behind the follower in the file, and one ring of followers has no leader.
    swapped = arm(*FINGERS[:2], *FINGERS[4:], *FINGERS[2:4])
    values = {j.name: j.value for j in read_urdf(swapped, tip="hand").side_branches.joints}
    assert values == {"right_joint": pytest.approx(0.023), "left_joint": 0.01}
    ring = swapped.replace(
        'velocity="0"/></joint>', 'velocity="0"/><mimic joint="right_joint"/></joint>'
    )
    with pytest.raises(RobotFileError, match="mimics itself"):
        read_urdf(ring, tip="hand")


def test_a_floating_branch_and_a_missing_limit_off_the_chain_stop_nothing():
    more = (link("cable", mass=0.2), joint("hangs", "link_1", "cable", "floating"),
            link("lid"), joint("hinge", "link_1", "lid", "revolute"))  # fmt: skip
    robot = read_urdf(arm(*TOOL0, *more))
    assert [j.name for j in robot.side_branches.joints] == ["hangs", "hinge"]
    assert (robot.side_branches.links, robot.side_branches.mass) == (("cable",), 0.2)


def test_what_is_fixed_beside_the_chain_counts_and_is_told_apart_from_what_is_held():
    more = (link("camera", mass=0.3), joint("screwed", "link_2", "camera"),
            link("rack", mass=5.0), joint("bolted", "base_link", "rack"))  # fmt: skip
    text = arm(*TOOL0, *more)
    side = read_urdf(text).side_branches
    assert (side.joints, side.links, side.mass) == ((), (), 0.0)
    assert (side.fixed_links, side.fixed_mass) == (("camera", "rack"), 0.3)  # the base bears 5 kg
    check_against_pinocchio(text, read_urdf(text))


XACRO = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'


def test_an_expanded_file_may_keep_the_namespace_of_xacro():
    assert read_urdf(arm(*TOOL0, header=XACRO)).dof == 2
    gazebo = (
        '<gazebo><plugin name="p" filename="${left_as_it_is}.so"/></gazebo><transmission name="t"/>'
    )
    assert read_urdf(arm(*TOOL0, gazebo, header=XACRO)).dof == 2
    comment = '<!-- <link name="${prefix}eef"/> -->'
    assert read_urdf(arm(*TOOL0, comment, header=XACRO)).dof == 2
    drake = read_urdf(arm(*TOOL0, header='<robot name="arm" xmlns="http://drake.mit.edu">'))
    assert drake.dof == 2


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('<xacro:include filename="x.xacro"/>', "line 1: <xacro:include> is an element of xacro"),
        ('<link name="${prefix}flange"/>', 'name="${prefix}flange", an expression of xacro'),
    ],
)
def test_what_is_not_expanded_is_refused(more, words):
    with pytest.raises(RobotFileError, match="expand the file first") as caught:
        read_urdf(arm(*TOOL0, more, header=XACRO), origin="arm.urdf")
    assert words in str(caught.value)


def test_missing_masses_and_meshes_are_facts():
    """package:// leads nowhere here, and nothing is looked for there."""
    mesh = '<collision><geometry><mesh filename="package://nowhere/a.stl"/></geometry></collision>'
    shell = (link("shell", shape=mesh + mesh), joint("shell_mount", "link_2", "shell"))
    robot = read_urdf(arm(*TOOL0, *shell))
    assert [(s.link, s.kind, s.count) for s in robot.unread_shapes] == [("shell", "mesh", 2)]
    bare = read_urdf(arm(*TOOL0).replace('<mass value="2.0"/>', '<mass value="0"/>').replace(
        'ixx="0.02" ixy="0" ixz="0.001" iyy="0.03" iyz="0" izz="0.02"', ""))  # fmt: skip
    assert np.isinf(bare.max_effort).all()  # effort="0" is "not known"


@pytest.mark.parametrize(
    ("name", "tip"),
    [("ur5e", "tool0"), ("irb2400", "tool0"), ("kr6r700", "tool0"), ("xarm6", "link_eef")],
)
def test_published_files_agree_with_pinocchio(name, tip):
    path = REAL / f"{name}.urdf"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    robot = load_urdf(path)
    assert robot.tip is not None
    assert robot.tip.link == tip
    assert robot.dof == 6
    assert robot.masses_known == (name in ("ur5e", "xarm6"))
    check_against_pinocchio(path.read_text(encoding="utf-8"), robot)


def test_of_two_arms_the_torso_is_not_proposed():
    def side(name):
        turn = _TURN.format(y=1, z=0)
        links = [link(f"{name}_{k}") for k in (1, 2)]
        return (*links, joint(f"{name}_a", "link_1", f"{name}_1", "revolute", turn),
                joint(f"{name}_b", f"{name}_1", f"{name}_2", "revolute", turn))  # fmt: skip

    with pytest.raises(RobotFileError) as caught:
        read_urdf(arm(*side("left"), *side("right")))
    assert caught.value.facts["candidates"] == ("left_2", "right_2")
    assert "--tip left_2" in str(caught.value)
    assert "link_1" not in str(caught.value)
