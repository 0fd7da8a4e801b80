"""Limits of joints, and the names of those that bind."""

import numpy as np
import pytest

from robots.core.errors import MotionError
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.motion.joint_limits import Binding, JointLimits


def limits(**changed):
    return JointLimits(**({"max_speed": [3.0, 2.0], "max_acceleration": [5.0, 4.0]} | changed))


def test_defaults():
    given = limits()
    assert given.names == ("q1", "q2")
    assert given.units == ("rad", "rad")
    assert np.all(np.isinf(given.max_effort))
    with pytest.raises(ValueError, match="read-only"):
        given.max_speed[0] = 1.0


@pytest.mark.parametrize("bad", [np.nan, 0.0, -3.0])
def test_a_bad_limit_names_joint_value_and_unit(bad):
    with pytest.raises(MotionError) as caught:
        limits(max_acceleration=[5.0, bad], names=("q1", "rail"), units=("rad", "m"))
    assert f"Joint rail: its acceleration limit is {bad} m/s²" in str(caught.value)
    assert "finite and above zero" in str(caught.value)
    assert caught.value.facts["joint"] == 1


def test_a_limit_that_is_missing_is_not_called_infinite():
    with pytest.raises(MotionError) as caught:
        limits(max_acceleration=[5.0, np.inf], names=("q1", "rail"), units=("rad", "m"))
    assert str(caught.value).startswith("Joint rail: it has no acceleration limit; give ")
    assert caught.value.facts["key"] == "max_acceleration_m_s2"
    with pytest.raises(MotionError) as caught:
        limits(max_speed=[np.inf, 1.0])
    assert caught.value.facts["key"] == "max_speed_rad_s"


def test_efforts_may_be_infinite_but_not_zero():
    assert np.isinf(limits(max_effort=[np.inf, 1.0]).max_effort[0])
    with pytest.raises(MotionError, match=r"Joint q2: its effort limit is 0.0 N m"):
        limits(max_effort=[1.0, 0.0])


def test_lengths_and_displacements():
    with pytest.raises(MotionError, match=r"acceleration limits have shape \(1,\).*2 joints"):
        limits(max_acceleration=[1.0])
    with pytest.raises(MotionError, match="2 speed limits but 3 names"):
        limits(names=("a", "b", "c"))
    with pytest.raises(MotionError, match=r"displacements have shape \(3,\)"):
        limits().displacement([1, 2, 3])
    with pytest.raises(MotionError, match=r"Joint q2: its displacement is nan rad"):
        limits().displacement([1, np.nan])


def test_limits_of_a_mechanism():
    def joint(name, kind, parent, **more):
        return Joint(name=name, kind=kind, parent=parent, placement=np.eye(4), **more)

    robot = Mechanism(
        name="gantry",
        joints=(
            joint("rail", JointKind.PRISMATIC, BASE, max_speed=1.0, max_acceleration=2.0),
            joint("flange", JointKind.FIXED, 0),
            joint(
                "turn", JointKind.REVOLUTE, 1, max_speed=3.0, max_acceleration=4.0, max_effort=5.0
            ),
        ),
    )
    given = JointLimits.of(robot)
    assert given.names == ("rail", "turn")
    assert given.units == ("m", "rad")
    np.testing.assert_array_equal(given.max_effort, [np.inf, 5.0])


def test_binding_reads_as_in_the_contract():
    assert str(Binding(joint=4, name="q5", kind="acceleration", s=0.2)) == "q5 acceleration"
