"""Capsules in robot files: names, carriers, pairs, faults by line, and the way back to a file."""

from dataclasses import replace

import numpy as np
import pytest

from robots.core.capsule import Capsule
from robots.core.errors import RobotFileError
from robots.core.robot_file import json_schema, read_robot, write_toml
from robots.core.self_pairs import default_self_pairs
from tests.cases import some

ARM = """format = 1
[robot]
name = "arm"
self_collision = [["base", "q3 link"], ["mast", "q3 link 2"]]
[[base_capsule]]
from_mm = [0, 0, 0]
to_mm = [0, 0, 300.5]
radius_mm = 80
[[base_capsule]]
name = "mast"
from_mm = [500, 0, 0]
radius_mm = 40
[[joint]]
name = "q1"
type = "revolute"
r_mm = 400
[[joint]]
name = "q2"
type = "revolute"
alpha_deg = 90
[[joint.capsule]]
from_mm = [0, 0, 0]
to_mm = [600, 0, 0]
radius_mm = 50
[[joint]]
name = "q3"
type = "revolute"
d_mm = 600
[[joint.capsule]]
from_mm = [0, 0, 0]
to_mm = [400, 0, 0]
radius_mm = 40
[[joint.capsule]]
from_mm = [400, 0, 0]
to_mm = [400, 0, 100]
radius_mm = 20
"""
DESCRIBED = """format = 1
[robot]
name = "d"
description = "RY(-90,90),TZK(400),RX(-90,90)"
[[base_capsule]]
from_mm = [0, 0, -200]
radius_mm = 30
[[capsule]]
joint = "q1"
from_mm = [10, 20, 30]
to_mm = [0, 0, 400]
radius_mm = 20
"""


def fault(text):
    with pytest.raises(RobotFileError) as caught:
        read_robot(text, origin="r.toml")
    return caught.value


def test_a_file_gives_capsules_in_metres_with_names_and_pairs():
    arm = read_robot(ARM)
    assert [c.name for c in arm.capsules] == ["base", "mast", "q2 link", "q3 link", "q3 link 2"]
    assert [c.joint for c in arm.capsules] == [-1, -1, 1, 2, 2]
    column, ball = arm.capsules[:2]
    assert (column.start.tolist(), column.end.tolist()) == ([0, 0, 0], [0, 0, 0.3005])
    assert (ball.start.tolist(), ball.end.tolist(), ball.radius) == ([0.5, 0, 0],) * 2 + (0.04,)
    assert arm.self_pairs == ((0, 3), (1, 4))


def test_a_default_name_gives_way_to_a_given_one():
    text = ARM.replace('name = "mast"', 'name = "q2 link"').replace('"mast"', '"q2 link"')
    names = [capsule.name for capsule in read_robot(text).capsules]
    assert names == ["base", "q2 link", "q2 link 2", "q3 link", "q3 link 2"]


def test_pairs_are_the_default_ones_where_the_file_names_none():
    without = ARM.replace('self_collision = [["base", "q3 link"], ["mast", "q3 link 2"]]\n', "")
    arm = read_robot(without)
    assert arm.self_pairs == default_self_pairs(arm)
    assert (0, 3) in arm.self_pairs
    none = ARM.replace('[["base", "q3 link"], ["mast", "q3 link 2"]]', "[]")
    assert read_robot(none).self_pairs == ()


def test_a_joint_listed_before_its_parent_keeps_its_capsules():
    moved = ARM.replace('name = "q2"\ntype', 'name = "q2"\nparent = "q9"\ntype').replace(
        '[[joint]]\nname = "q3"',
        '[[joint]]\nname = "q9"\nparent = "q1"\ntype = "fixed"\n'
        '[[joint]]\nname = "q3"\nparent = "q2"',
    )
    arm = read_robot(moved)
    carriers = [arm.joints[c.joint].name for c in arm.capsules if c.joint >= 0]
    assert carriers == ["q2", "q3", "q3"]


def test_capsules_of_a_description_stand_in_the_phrases_axes():
    robot = read_robot(DESCRIBED)
    base, link = robot.capsules
    assert (base.name, base.joint, link.name) == ("base", -1, "q1 link")
    # q1 turns about the phrase's y, which is the joint's z.
    joint = robot.joints[0]
    assert joint.placement[:3, :3] @ link.start == pytest.approx([0.01, 0.02, 0.03], abs=1e-17)
    assert link.start[2] == 0.02


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("radius_mm = 50", "radius_mm = -1", "joint[1].capsule[0].radius_mm", "zero or more"),
        ("radius_mm = 50", "radius_m = 1", "joint[1].capsule[0].radius_m", "radius_mm expected"),
        ("radius_mm = 50", "radius_mm = 50\ncorners_mm = [[0, 0]]",
         "joint[1].capsule[0].corners_mm[0][2]", "missing"),
        ("radius_mm = 50\n", "", "joint[1].capsule[0].radius_mm", "is missing"),
        ("radius_mm = 80", "from_deg = 1", "base_capsule[0].from_deg", "from_mm expected"),
        ("to_mm = [0, 0, 300.5]", "to_mm = [0, 0]", "base_capsule[0].to_mm[2]", "missing"),
        ('"base", "q3 link"]', '"base"]', "robot.self_collision[0]", "two names of capsules"),
        ('["base", "q3 link"]', '["base", "q3"]', "robot.self_collision[0]", "names 'q3', but no"),
        ('"mast", "q3 link 2"', '"mast", "base"', "robot.self_collision[1]", "do not move against"),
        ('from_mm = [400, 0, 0]', 'name = "mast"\nfrom_mm = [400, 0, 0]',
         "joint[2].capsule[1].name", "as is that of another"),
        ("[[joint]]\nname = \"q1\"", "[[capsule]]\njoint = \"q1\"\nfrom_mm = [0, 0, 0]\n"
         "radius_mm = 1\n[[joint]]\nname = \"q1\"", "capsule[0]", "belongs to a description"),
    ],
)  # fmt: skip
def test_faults_name_line_and_key(old, new, key, words):
    assert ARM.count(old) == 1
    error = fault(ARM.replace(old, new))
    assert error.facts["key"] == key
    assert error.facts["line"] is not None
    assert words in str(error)


def test_a_capsule_of_no_joint_of_the_description_is_a_fault():
    error = fault(DESCRIBED.replace('joint = "q1"', 'joint = "q4"'))
    assert (error.facts["key"], error.facts["line"]) == ("capsule[0].joint", 9)
    assert "no such joint" in str(error)


@pytest.mark.parametrize("seed", some(range(15), gate=5))
def test_capsules_of_random_trees_come_back(seed, make_mechanism):
    rng = np.random.default_rng(seed)
    mechanism = make_mechanism(seed)
    capsules = []
    for number in range(6):
        start, end = rng.normal(size=(2, 3))
        joint = int(rng.integers(-1, len(mechanism.joints)))
        end = end if number % 3 else start
        corners = rng.normal(size=(4 + number, 3)) if number % 2 else []
        capsules.append(
            Capsule(
                name=f"c{number}",
                joint=joint,
                start=start,
                end=end,
                radius=rng.uniform(),
                corners=corners,
            )
        )
    capsules.sort(key=lambda capsule: capsule.joint)
    pairs = [(a, b) for a, b in [(0, 5), (1, 4)] if capsules[a].joint != capsules[b].joint]
    mechanism = replace(mechanism, capsules=tuple(capsules), self_pairs=tuple(pairs))
    found = read_robot(write_toml(mechanism))
    assert found.self_pairs == mechanism.self_pairs
    for ours, theirs in zip(found.capsules, capsules, strict=True):
        assert (ours.name, ours.joint, ours.radius) == (theirs.name, theirs.joint, theirs.radius)
        assert np.array_equal(ours.start, theirs.start)
        assert np.array_equal(ours.end, theirs.end)
        assert np.array_equal(ours.corners, theirs.corners)


def test_the_schema_knows_capsules_and_pairs():
    definitions = json_schema()["$defs"]
    assert set(definitions["CapsuleTable"]["required"]) == {"from_mm", "radius_mm"}
    pair = definitions["RobotTable"]["properties"]["self_collision"]["anyOf"][0]["items"]
    assert (pair["minItems"], pair["maxItems"]) == (2, 2)


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        ("[[0, 0, 0], [9, 0, 0], [0, 9, 0]]", "has 3 corners; give 4 to 64, or none"),
        ("[[0, 0, 0], [9, 0, 0], [0, 9, 0], [9, 9, 0]]", "lie in one plane; give some beside it"),
    ],
)
def test_corners_without_an_inside_are_refused(corners, words):
    error = fault(ARM.replace("radius_mm = 50", f"radius_mm = 50\ncorners_mm = {corners}"))
    assert words in str(error)
