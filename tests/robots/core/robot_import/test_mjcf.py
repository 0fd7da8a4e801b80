"""MuJoCo files: poses and torques of MuJoCo itself; what is beyond them is refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from robots.core.errors import RobotFileError
from robots.core.model import Model
from robots.core.robot_file import read_robot
from robots.core.robot_import import Topic, import_robot
from robots.core.robot_import.mjcf import read_mjcf

RICH = Path(__file__).parent / "rich.xml"
Q = np.array([0.3, -0.4, 0.7, -0.2, 0.11])
QD = np.array([0.5, -0.6, 0.7, 0.8, -0.3])
QDD = np.array([1.1, -0.9, 0.4, 0.6, 2.0])
# MuJoCo 4.0.0: site_xpos and site_xmat of "tcp", and mj_inverse at Q, QD, QDD; the flap's spring
# taken out, contacts and constraints (limits, dry friction) switched off.
TCP = [
    [-0.2944669602887381, 0.2742736397825552, 0.9154579071801933, -0.4088047581715825],
    [-0.3106139879696774, 0.8784521028207007, -0.3630989583122783, 0.18369455645663918],
    [-0.9037743965038417, -0.39127467790583853, -0.17348189142904358, 0.5688088793453399],
]
TAU = [1.445617113172559, -13.04228069577835, -0.9795293848351438, 0.2688009471435918,
       -0.027728201212900844]  # fmt: skip


@pytest.fixture(scope="module")
def rich():
    return import_robot(RICH)


def write(tmp_path, body, more="", compiler='<compiler angle="radian"/>'):
    path = tmp_path / "arm.xml"
    path.write_text(f'<mujoco model="arm">{compiler}<worldbody>{body}</worldbody>{more}</mujoco>')
    return path


def hinge(name, more="", inner=""):
    turn = f'<joint name="j {name}" axis="0 1 0" range="-1 1" {more}/>'
    return (
        f'<body name="{name}" pos="0 0 0.3">{turn}'
        f'<inertial mass="1" pos="0 0 0.1" diaginertia="0.01 0.01 0.01"/>{inner}</body>'
    )


def test_poses_and_torques_are_those_of_mujoco(rich):
    model = Model(read_robot(rich.text), "numpy")
    assert np.abs(model.forward(Q)[:3] - TCP).max() <= 1e-12
    dry = np.array([joint.coulomb for joint in model.mechanism.movable]) * np.sign(QD)
    assert np.abs(model.torques(Q, QD, QDD) - dry - TAU).max() <= 1e-12 * np.abs(TAU).max()


def test_limits_friction_and_rotors_come_with_the_classes(rich):
    pan, lift, elbow, _, quill = rich.mechanism.movable
    assert np.degrees([pan.q_min, pan.q_max]) == pytest.approx([-120, 110])
    assert np.degrees([elbow.q_min, elbow.q_max]) == pytest.approx([-200, 200])
    assert (quill.q_min, quill.q_max) == (-0.1, 0.3)
    assert (elbow.coulomb, lift.coulomb, quill.coulomb) == (0.1, 0.0, 0.4)
    assert {joint.viscous for joint in rich.mechanism.movable} == {0.3}
    assert {joint.motor_inertia for joint in rich.mechanism.movable} == {0.02}
    assert pan.max_effort == 80.0


def test_gears_turn_forces_of_actuators_into_torques(tmp_path):
    more = (
        '<actuator><motor name="m" joint="j a" gear="-20" forcerange="-4 5"/>'
        '<position name="tendon" tendon="t"/></actuator>'
    )
    found = import_robot(write(tmp_path, hinge("a"), more))
    assert found.mechanism.movable[0].max_effort == 80.0
    (note,) = [one for one in found.notes if one.topic is Topic.OTHERS]
    assert "<position name='tendon'>" in note.sentence


def test_the_branch_is_held_and_its_spring_does_no_harm(rich):
    assert [joint.name for joint in rich.mechanism.side_branches.joints] == ["spring"]
    assert rich.mechanism.side_branches.mass == pytest.approx(500 * 0.04**3)


def test_a_body_of_meshes_has_no_known_mass(tmp_path):
    body = (
        '<body name="a"><joint name="q" range="-1 1"/><geom type="mesh" mesh="m"/>'
        '<site name="tcp"/></body>'
    )
    found = import_robot(write(tmp_path, body))
    assert not found.mechanism.masses_known
    assert any("bodies a have no <inertial>" in note.sentence for note in found.notes)
    assert [shape.kind for shape in found.mechanism.unread_shapes] == ["mesh"]


def test_a_capsule_of_mass_is_a_cylinder_and_two_half_balls(tmp_path):
    """Against a Monte-Carlo-free closed form: volumes and moments of the parts, put together."""
    geom = '<geom type="capsule" size="0.1 0.3" mass="3"/>'
    body = (
        f'<body name="a"><joint name="q" axis="1 0 0" range="-1 1"/>{geom}<site name="tcp"/></body>'
    )
    (joint,) = import_robot(write(tmp_path, body)).mechanism.movable
    r, h = 0.1, 0.3
    rng = np.random.default_rng(4)
    p = rng.uniform([-r, -r, -h - r], [r, r, h + r], (400_000, 3))
    axial = np.maximum(np.abs(p[:, 2]) - h, 0.0)
    p = p[p[:, 0] ** 2 + p[:, 1] ** 2 + axial**2 <= r * r]
    across = 3.0 * np.mean(p[:, 1] ** 2 + p[:, 2] ** 2)
    about = 3.0 * np.mean(p[:, 0] ** 2 + p[:, 1] ** 2)
    assert np.sort(np.linalg.eigvalsh(joint.body.inertia_at_com)) == pytest.approx(
        [about, across, across], rel=5e-3
    )


@pytest.mark.parametrize(
    ("body", "more", "compiler", "words"),
    [
        (hinge("a"), "", '<compiler coordinate="global"/>', 'has coordinate="global"'),
        (hinge("a"), "", '<compiler settotalmass="3"/>', "has settotalmass"),
        (hinge("a", 'stiffness="4"'), "", "", "<joint name='j a'> has a spring"),
        (hinge("a", 'type="ball"'), "", "", "has type 'ball' and moves the tip"),
        (hinge("a", inner="<replicate count='2'/>"), "", "", "<replicate> is beyond the simple"),
        (hinge("a", 'class="none"'), "", "", "has class 'none', which no <default> defines"),
        ('<include file="arm2.xml"/>' + hinge("a"), "", "", "includes 'arm2.xml'; import that"),
        (
            hinge("a", inner=hinge("b")),
            '<equality><connect name="c" body1="b"/></equality>',
            "",
            "<connect name='c'> closes a loop of bodies with the chain",
        ),
        (hinge("a").replace('mass="1"', 'mass="-1"'), "", "", "has mass -1 kg"),
        (f'<body name="f"><freejoint/>{hinge("a")}</body>', "", "", "with 'f' as its base"),
        (hinge("a"), "<extension/>", "", "<extension> is beyond the simple"),
        (hinge("a", inner='<geom name="g" size=".04 a .1"/>'), "", "", 'has size=".04 a .1"; exp'),
        (hinge("a", inner='<geom name="g" size="nan"/>'), "", "", "<geom name='g'> has size="),
        (hinge("a", inner='<geom type="box" fromto="0 0 0 0 0 1"/>'), "", "", "box of size None"),
        (
            hinge("a", inner=hinge("b")),
            '<equality><joint joint1="j b" joint2="j a" polycoef="0 x"/></equality>',
            "",
            'has polycoef="0 x"',
        ),
        (
            hinge("a"),
            '<actuator><motor joint="j a" gear="two" forcerange="-1 1"/></actuator>',
            "",
            'has gear="two"; expected finite numbers',
        ),
    ],
)  # fmt: skip
def test_what_is_beyond_a_chain_of_rigid_bodies_is_named(tmp_path, body, more, compiler, words):
    with pytest.raises(RobotFileError) as refused:
        import_robot(write(tmp_path, body, more, compiler))
    assert words in str(refused.value)


def test_a_robot_on_a_free_body_stands_where_the_base_is(tmp_path):
    body = f'<body name="f" pos="0 0 2"><freejoint/>{hinge("a", inner=hinge("b"))}</body>'
    found = import_robot(write(tmp_path, body), base="f")
    model = Model(found.mechanism, "numpy")
    assert model.forward(np.zeros(2))[2, 3] == pytest.approx(0.6)


def test_loops_off_the_chain_are_no_concern(tmp_path):
    fingers = hinge("left") + hinge("right")
    more = '<equality><connect body1="left" body2="right"/></equality>'
    found = import_robot(write(tmp_path, hinge("a", inner=fingers), more), tip="a")
    assert found.mechanism.dof == 1


def test_two_fingers_are_asked_about(tmp_path):
    hand = hinge("hand", inner=hinge("left") + hinge("right"))
    path = write(tmp_path, hinge("a", inner=hinge("b", inner=hand)))
    with pytest.raises(RobotFileError, match="--tip hand") as asked:
        import_robot(path)
    assert asked.value.facts["candidates"] == ("left", "right")


def test_no_other_document_is_taken_for_one():
    with pytest.raises(RobotFileError, match="MJCF begins with <mujoco>"):
        read_mjcf(b"<robot/>")
