"""Mechanism: order, limits and names; what cannot exist is refused with its reason."""

import numpy as np
import pytest

from robots.core.errors import MechanismError
from robots.core.mechanism import Body, Joint, JointKind, Mechanism


def joint(name="q1", parent=-1, kind=JointKind.REVOLUTE, **more):
    return Joint(name=name, kind=kind, parent=parent, placement=np.eye(4), **more)


def chain(*kinds):
    joints = tuple(joint(f"q{i}", i - 1, kind) for i, kind in enumerate(kinds))
    return Mechanism(name="chain", joints=joints)


def test_fixed_joints_have_no_variable():
    mechanism = chain(JointKind.REVOLUTE, JointKind.FIXED, JointKind.PRISMATIC)
    assert mechanism.dof == 2
    assert [j.name for j in mechanism.movable] == ["q0", "q2"]
    assert mechanism.q_min.tolist() == [-np.inf, -np.inf]
    assert [j.kind.unit for j in mechanism.movable] == ["rad", "m"]
    assert [j.kind.effort_unit for j in mechanism.movable] == ["N m", "N"]


def test_the_tool_hangs_on_the_last_joint_by_default():
    assert chain(JointKind.REVOLUTE, JointKind.REVOLUTE).tool_joint == 1


def test_a_chain_is_told_from_a_tree():
    assert chain(JointKind.REVOLUTE, JointKind.REVOLUTE).is_chain
    tree = Mechanism(name="t", joints=(joint("a"), joint("b", 0), joint("c", 0)))
    assert not tree.is_chain


def test_total_mass_and_warnings_come_from_the_bodies():
    bodies = (Body(mass=2.0), Body(mass=1.0, inertia=np.diag([1.0, 1.0, 3.0])))
    joints = tuple(joint(f"q{i}", i - 1, body=body) for i, body in enumerate(bodies))
    mechanism = Mechanism(name="m", joints=joints)
    assert mechanism.total_mass == 3.0
    (warning,) = mechanism.warnings()
    assert "'q1'" in warning
    assert "triangle rule" in warning


def test_an_unknown_joint_name_lists_the_known_ones():
    with pytest.raises(MechanismError, match="has no joint 'q9'; it has q0, q1"):
        chain(JointKind.REVOLUTE, JointKind.REVOLUTE).index("q9")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"q_min": 1.0, "q_max": 0.5}, "lower limit 1 rad is above upper limit 0.5 rad"),
        ({"q_min": np.nan}, "lower limit nan"),
        ({"max_speed": 0.0}, "max_speed is 0.0; it must be above zero"),
        ({"max_acceleration": np.nan}, "max_acceleration is nan"),
        ({"max_effort": -1.0}, "max_effort is -1.0"),
        ({"viscous": -1.0}, "viscous is -1.0; it must be finite, zero or more"),
        ({"motor_inertia": np.inf}, "motor_inertia is inf"),
    ],
)
def test_bad_joint_values_are_refused(given, words):
    with pytest.raises(MechanismError, match=words) as caught:
        joint(**given)
    assert "'q1'" in str(caught.value)


@pytest.mark.parametrize(
    ("joints", "words"),
    [
        ((), "has no joint"),
        ((joint("a"), joint("a", 0)), "two joints are called 'a'"),
        ((joint("a", 0),), "has parent index 0; a parent stands before its child"),
        ((joint("a"), joint("b", -2)), "parent index -2"),
    ],
)
def test_bad_trees_are_refused(joints, words):
    with pytest.raises(MechanismError, match=words):
        Mechanism(name="m", joints=joints)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"gravity": [0, 0]}, "three finite numbers in m/s²"),
        ({"gravity": [0, 0, np.nan]}, "three finite numbers"),
        ({"tool_joint": 3}, "joint index 3; the last index is 0"),
        ({"tool": np.diag([1, 1, -1, 1])}, "not a rigid"),
        ({"tool": 2 * np.eye(4)}, "not a rigid"),
    ],
)
def test_bad_mechanism_values_are_refused(given, words):
    with pytest.raises(MechanismError, match=words):
        Mechanism(name="m", joints=(joint(),), **given)


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (("q1", "q2", "q3"), (1, 2, 3)),
        (("q3", "q1", "q2"), (3, 1, 2)),
        (("q3", "q1", "q4"), (1, 2, 3)),
        (("hip", "knee", "ankle"), (1, 2, 3)),
    ],
)
def test_variables_are_counted_unless_their_names_are_numbers(names, numbers):
    joints = tuple(joint(name, place - 1) for place, name in enumerate(names))
    assert Mechanism(name="chain", joints=joints).numbers == numbers
