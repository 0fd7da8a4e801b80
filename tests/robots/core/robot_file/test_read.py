"""Robot files: every key of the contract arrives in SI, in both forms of file."""

import math

import numpy as np
import pytest

from robots.core.errors import RobotFileError
from robots.core.mechanism import JointKind
from robots.core.model import Model
from robots.core.robot_file import json_schema, load, read_robot

JOINTED = """
format = 1
[robot]
name = "two"
source = "a test"
gravity_m_s2 = [0, -9.8, 0]

[[joint]]
name = "turn"
type = "revolute"
alpha_deg = 90
d_mm = 100
theta_deg = 180
r_mm = 409.82
min_deg = -170
max_deg = 170
max_speed_rad_s = 1.75
max_acceleration_rad_s2 = 28
max_torque_nm = 90.5
coulomb_nm = 0.4
viscous_nm_s = 0.2
motor_inertia_kg_m2 = 0.01
[joint.body]
mass_kg = 17.4
com_mm = [68, -6, -227.5]
inertia_kg_m2 = { xx = 1.0, yy = 1.5, zz = 0.6, xy = 0.01, xz = 0.2, yz = -0.02 }
at = "origin"

[[joint]]
name = "slide"
type = "prismatic"
min_mm = -5
max_mm = 500
max_speed_m_s = 2
max_acceleration_m_s2 = 3
max_force_n = 400
coulomb_n = 5
viscous_n_s_m = 6
motor_mass_kg = 7

[[joint]]
name = "flange"
type = "fixed"
parent = "turn"
pose = { translation_mm = [1, 2, 3], rotation_zyx_deg = [90, 0, 0] }

[tool]
joint = "slide"
translation_mm = [0, 0, 50]
rotation_zyx_deg = [0, 0, 90]
"""

DESCRIBED = """
format = 1
[robot]
name = "described"
description = "RY(AMIN,170),TYK(L1),TZ(0,SMAX),RXK(B),TZK(10);"
[lengths_mm]
L1 = 400
[limits_mm]
SMAX = 250
[angles_deg]
B = 90
[limits_deg]
AMIN = -170
[[body]]
joint = "q1"
mass_kg = 3
com_mm = [0, 200, 0]
[[drive]]
joint = "q2"
max_speed_m_s = 0.5
coulomb_n = 4
"""


def test_every_key_of_a_revolute_joint_arrives_in_si():
    joint = read_robot(JOINTED).joints[0]
    assert (joint.q_min, joint.q_max) == (-math.radians(170), math.radians(170))
    assert (joint.max_speed, joint.max_acceleration, joint.max_effort) == (1.75, 28.0, 90.5)
    assert (joint.coulomb, joint.viscous, joint.motor_inertia) == (0.4, 0.2, 0.01)
    expected = [[-1, 0, 0, 0.1], [0, 0, -1, -0.40982], [0, -1, 0, 0], [0, 0, 0, 1]]
    assert np.array_equal(joint.placement, expected)
    body = joint.body
    assert (body.mass, body.com.tolist(), body.at) == (17.4, [0.068, -0.006, -0.2275], "origin")
    tensor = [[1.0, 0.01, 0.2], [0.01, 1.5, -0.02], [0.2, -0.02, 0.6]]
    assert body.inertia.tolist() == tensor


def test_every_key_of_a_prismatic_joint_arrives_in_si():
    joint = read_robot(JOINTED).joints[1]
    assert joint.kind is JointKind.PRISMATIC
    assert (joint.q_min, joint.q_max) == (-0.005, 0.5)
    assert (joint.max_speed, joint.max_acceleration, joint.max_effort) == (2.0, 3.0, 400.0)
    assert (joint.coulomb, joint.viscous, joint.motor_inertia) == (5.0, 6.0, 7.0)


def test_tree_tool_and_gravity_arrive():
    mechanism = read_robot(JOINTED)
    assert (mechanism.name, mechanism.source) == ("two", "a test")
    assert mechanism.gravity.tolist() == [0, -9.8, 0]
    assert [joint.parent for joint in mechanism.joints] == [-1, 0, 0]
    assert mechanism.joints[2].placement[:3, 3].tolist() == [0.001, 0.002, 0.003]
    assert mechanism.joints[2].placement[:2, :2].tolist() == [[0, -1], [1, 0]]
    assert mechanism.tool_joint == 1
    assert mechanism.tool.tolist() == [[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0.05], [0, 0, 0, 1]]


def test_what_is_left_out_is_unlimited_and_massless():
    text = 'format = 1\n[robot]\nname = "x"\n[[joint]]\nname = "q"\ntype = "revolute"\n'
    mechanism = read_robot(text)
    (joint,) = mechanism.joints
    assert (joint.q_min, joint.q_max, joint.max_speed) == (-math.inf, math.inf, math.inf)
    assert (joint.body.mass, joint.viscous) == (0.0, 0.0)
    assert mechanism.gravity.tolist() == [0, 0, -9.81]
    assert np.array_equal(mechanism.tool, np.eye(4))


def test_children_may_stand_before_their_parents():
    head, turn, slide, rest = JOINTED.split("[[joint]]")
    later = slide.replace('type = "prismatic"', 'type = "prismatic"\nparent = "turn"')
    first = turn.replace('type = "revolute"', 'type = "revolute"\nparent = "base"')
    mechanism = read_robot("[[joint]]".join([head, later, first, rest]))
    assert [joint.name for joint in mechanism.joints] == ["turn", "slide", "flange"]
    assert [joint.parent for joint in mechanism.joints] == [-1, 0, 0]


def test_a_tool_with_mass_becomes_a_fixed_joint():
    body = "[tool.body]\nmass_kg = 0.5\ncom_mm = [0, 0, 20]\n"
    plain, heavy = read_robot(JOINTED), read_robot(JOINTED + body)
    assert heavy.joints[-1].name == "tool"
    assert heavy.joints[-1].kind is JointKind.FIXED
    assert heavy.total_mass == plain.total_mass + 0.5
    q = np.array([0.3, 0.2])
    assert np.array_equal(Model(heavy).forward(q), Model(plain).forward(q))


def test_a_description_takes_its_values_from_the_tables():
    mechanism = read_robot(DESCRIBED)
    turn, slide = mechanism.joints
    assert (turn.q_min, turn.q_max) == (-math.radians(170), math.radians(170))
    assert (slide.q_min, slide.q_max, slide.max_speed, slide.coulomb) == (0.0, 0.25, 0.5, 4.0)
    # At rest: up 400 along Y, out 100 along Z, then turned about X and on by 10: Rx(90)·Z = -Y.
    end = Model(mechanism).forward(np.array([0.0, 0.1]))[:3, 3]
    assert end == pytest.approx([0.0, 0.39, 0.1], abs=1e-15)
    # The centre of mass is given along the phrase's Y, which is the joint's own z.
    assert turn.body.com.tolist() == [0.0, 0.0, 0.2]


def test_gravity_and_description_may_stand_at_the_top():
    top = (
        'format = 1\ngravity_m_s2 = [0, 0, -1.62]\ndescription = "RZ(-1,1)"\n[robot]\nname = "x"\n'
    )
    mechanism = read_robot(top)
    assert mechanism.gravity.tolist() == [0, 0, -1.62]
    assert mechanism.dof == 1


def test_a_file_is_read_from_disk_with_or_without_byte_order_mark(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(JOINTED, encoding="utf-8-sig")
    assert load(path).name == load(str(path)).name == "two"


def test_an_impossible_body_is_a_warning_only():
    mechanism = read_robot(JOINTED.replace("xx = 1.0", "xx = 0.1"))
    (warning,) = mechanism.warnings()
    assert "'turn'" in warning


def test_the_schema_accepts_the_files_it_describes():
    jsonschema = pytest.importorskip("jsonschema")
    import tomllib

    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    for text in (JOINTED, DESCRIBED):
        jsonschema.validate(tomllib.loads(text), schema)
    broken = tomllib.loads(JOINTED.replace("d_mm", "d_m"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def test_the_schema_holds_numbers_not_texts_as_defaults():
    schema = json_schema()
    revolute = schema["$defs"]["RevoluteTable"]
    assert revolute["properties"]["d_mm"] == {"default": 0.0, "title": "D Mm", "type": "number"}
    assert revolute["additionalProperties"] is False
    assert set(revolute["required"]) == {"name", "type"}
    assert schema["$defs"]["BodyTable"]["properties"]["com_mm"]["default"] == [0.0, 0.0, 0.0]


def test_a_missing_file_is_named():
    with pytest.raises(
        RobotFileError, match=r"nowhere\.toml: the file cannot be read: No such file"
    ):
        load("nowhere.toml")
