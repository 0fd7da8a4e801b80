"""Faults of published URDF files: each has one message, with what is to be given and where."""

from __future__ import annotations

import pytest
import trimesh

import palpeur as pp
from planner.findings.robot_audit import audit
from robots.core.errors import RobotError
from robots.core.robot_import import import_robot

NAMES = "abcdef"
INERTIAL = (
    '<inertial><mass value="{}"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)
MESH = '<collision><geometry><mesh filename="{}"/></geometry></collision>'


def link(name, mass="1", shape=""):
    return f'<link name="{name}">{INERTIAL.format(mass)}{shape}</link>'


def joint(name, parent, child, *, lower="-2.0943951023931953", effort="9", velocity="3"):
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 0.3"/><axis xyz="0 1 0"/><limit lower="{lower}" '
        f'upper="2.0943951023931953" effort="{effort}" velocity="{velocity}"/></joint>'
    )


def chain(**limits):
    return [joint(f"q{k}", NAMES[k - 1], NAMES[k], **limits) for k in range(1, 6)]


@pytest.fixture
def file(tmp_path):
    """``file(*elements, b=…)`` → path of an arm of five joints, or of those elements."""
    trimesh.creation.box((100.0, 100.0, 300.0)).export(tmp_path / "mm.stl")

    def write(*elements, mass="1", shape="", **limits):
        links = [link("a"), link("b", mass, shape), *map(link, NAMES[2:])]
        path = tmp_path / "arm.urdf"
        text = "".join(elements or (*links, *chain(**limits)))
        path.write_text(f'<robot name="arm">{text}</robot>')
        return path

    return write


THREE = [link("a"), link("b"), link("c")]
FAULTS = {
    "no joint": ([link("a")], {}, "has no joint; a mechanism has at least one"),
    "two tips": (
        [*THREE, link("d"), joint("1", "a", "b"), joint("2", "b", "c"), joint("3", "b", "d")],
        {},
        '--tip c on the command line, tip = "c" under [robot] in a job',
    ),
    "closed loop": (
        [*THREE, joint("1", "a", "b"), joint("2", "b", "c"), joint("3", "c", "b")],
        {},
        "close a loop. Only trees are read; cut the loop",
    ),
    "ring": (
        [link("a"), link("b"), joint("1", "a", "b"), joint("2", "b", "a")],
        {},
        "close a loop. Only trees are read; cut the loop",
    ),
    "mesh in millimetres": (
        [],
        {"shape": MESH.format("mm.stl")},
        'millimetres taken for metres. Write scale="0.001 0.001 0.001" in its <mesh>',
    ),
    "negative mass": ([], {"mass": "-2"}, "of link 'b' has mass -2 kg; expected zero or more."),
    "negative effort": ([], {"effort": "-1"}, "of joint 'q1' has effort -1; expected zero or more"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_message_that_names_place_and_fix(file, fault):
    elements, keys, told = FAULTS[fault]
    path = file(*elements, **keys)
    for read in (pp.load_robot, import_robot):
        with pytest.raises(RobotError) as refused:
            read(path)
        assert told in refused.value.message
        assert "arm.urdf, line 1" in refused.value.message


MISSING = {"shape": MESH.format("package://p/x.stl")}
GAPS = {
    "effort 0": ({"effort": "0"}, "R113", "Give max_torque_nm: in the joint's table"),
    "velocity 0": ({"velocity": "0"}, "R103", "missing: max_speed_rad_s, max_acceleration_rad_s2"),
    "its key": ({"velocity": "0"}, "R103", "in a job under robot.limits.q1, robot.limits.q2"),
    "range 0": ({"lower": "2.0943951023931953"}, "R108", "Give its range"),
    "missing mesh": (MISSING, "R106", "p/x.stl"),
    "its folder": (MISSING, "R106", "--meshes (in a job robot.meshes)"),
}


@pytest.mark.parametrize("gap", GAPS)
def test_what_a_file_leaves_open_is_a_finding_with_the_key_to_give(file, gap):
    keys, code, told = GAPS[gap]
    found = [one for one in audit(pp.load_robot(file(**keys)).mechanism) if one.code == code]
    assert len(found) in (1, 5)  # once for the robot, or for each joint
    assert all(told in f"{one.message} {one.hint}" for one in found)


def test_a_whole_file_leaves_accelerations_open_and_nothing_else(file):
    found = list(audit(pp.load_robot(file()).mechanism))
    assert [one.code for one in found if one.code != "R109"] == ["R103"]
    assert "missing: max_acceleration_rad_s2." in found[0].message


def test_imported_limits_are_plain_degrees(file):
    text = import_robot(file()).text
    assert text.count("min_deg = -120\n") == text.count("max_deg = 120\n") == 5


def test_meshes_of_a_table_are_refused(tmp_path):
    path = tmp_path / "arm.csv"
    path.write_text("convention,standard\n")
    with pytest.raises(RobotError, match="names no meshes; leave --meshes out"):
        import_robot(path, meshes=tmp_path)
