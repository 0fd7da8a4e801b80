"""Which mechanisms are measuring arms: dimensions are free, the order of the axes is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.arm.errors import ArmFamilyError
from robots.arm.family import arm_family
from robots.core.errors import MechanismError
from robots.core.mechanism import JointKind
from robots.library import load


def moved(placement, *, shift=(0.0, 0.0, 0.0), about_x=0.0):
    T = np.array(placement)
    T[:3, 3] += shift
    c, s = np.cos(about_x), np.sin(about_x)
    T[:3, :3] = T[:3, :3] @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return T


def with_joint(arm, place, **changes):
    joints = list(arm.joints)
    joints[place] = replace(joints[place], **changes)
    return replace(arm, joints=tuple(joints))


def test_lammari_12_table_vi_2(arm):
    family = arm_family(arm)
    assert (family.shoulder_height, family.upper_arm, family.forearm) == pytest.approx(
        (0.40982, 1.0, 1.5139), abs=1e-15
    )
    np.testing.assert_allclose(family.stylus_direction, [0, -1, 0], atol=1e-15)
    assert family.closed_form
    assert family.stylus_length == 0.0
    assert family.reach == pytest.approx(2.5139)


def test_dimensions_offsets_and_stylus_are_free(make_arm, make_tool):
    offsets = (0.3, -1.1, 2.0, 0.4, -0.9)
    mechanism = make_arm(r1=-0.2, d3=0.6, r4=0.35, offsets=offsets, tool=make_tool(0.7, 0.08))
    family = arm_family(mechanism)
    assert (family.shoulder_height, family.upper_arm, family.forearm) == pytest.approx(
        (-0.2, 0.6, 0.35)
    )
    np.testing.assert_allclose(family.offsets, offsets, atol=1e-15)
    np.testing.assert_allclose(family.stylus_direction, [np.cos(0.7), np.sin(0.7), 0], atol=1e-15)
    assert family.stylus_length == pytest.approx(0.08)
    assert family.closed_form


def test_a_ball_beside_the_stylus_axis_is_of_the_family_but_not_closed(make_arm, make_tool):
    family = arm_family(make_arm(tool=make_tool(0.7, 0.08, (0.01, -0.02))))
    assert not family.closed_form
    np.testing.assert_allclose(family.side, [0.01, -0.02], atol=1e-15)


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (0, {"shift": (0.01, 0, 0)}),
        (0, {"about_x": 0.01}),
        (1, {"shift": (0.01, 0, 0)}),
        (1, {"shift": (0, 0.01, 0)}),  # r2: a shoulder beside the first axis
        (1, {"about_x": np.pi}),
        (2, {"about_x": 1e-6}),
        (2, {"shift": (0, 0, 0.1)}),
        (2, {"shift": (-1.0, 0, 0)}),  # d3 = 0
        (3, {"shift": (0.02, 0, 0)}),
        (3, {"shift": (0, 1.5139, 0)}),  # r4 = 0
        (4, {"shift": (0, 0.001, 0)}),  # r5: a wrist that does not meet
        (4, {"about_x": 0.3}),
    ],
)
def test_each_deviation_is_refused_with_the_joint_named(arm, place, change):
    wrong = with_joint(arm, place, placement=moved(arm.joints[place].placement, **change))
    with pytest.raises(ArmFamilyError, match=f"joint 'q{place + 1}' is revolute with") as caught:
        arm_family(wrong)
    assert caught.value.facts["joint"] == f"q{place + 1}"
    assert f"joint {place + 1} of the family is revolute with alpha" in caught.value.message


def test_the_message_says_which_lengths_must_be_above_zero(arm):
    flat = with_joint(arm, 3, placement=moved(arm.joints[3].placement, shift=(0, 1.5139, 0)))
    with pytest.raises(ArmFamilyError, match=r"r above zero\.$"):
        arm_family(flat)
    short = with_joint(arm, 2, placement=moved(arm.joints[2].placement, shift=(-1.0, 0, 0)))
    with pytest.raises(ArmFamilyError, match=r"d above zero and r = 0\.$"):
        arm_family(short)


def test_joint_kinds_counts_and_trees(arm):
    with pytest.raises(ArmFamilyError, match="joint 'q3' is prismatic"):
        arm_family(with_joint(arm, 2, kind=JointKind.PRISMATIC))
    short = replace(arm, joints=arm.joints[:4], tool_joint=3, capsules=(), self_pairs=())
    with pytest.raises(ArmFamilyError, match="it has 4 joints; a measuring arm is a chain of 5"):
        arm_family(short)
    with pytest.raises(ArmFamilyError, match="in a branched tree"):
        arm_family(with_joint(arm, 4, parent=2))
    for name in ("industrial-6r", "planar-3r", "anthropomorphic"):
        with pytest.raises(ArmFamilyError, match="is not a measuring arm"):
            arm_family(load(name))


def test_a_stylus_not_normal_to_the_last_axis(arm, make_tool):
    leaning = moved(np.eye(4), about_x=0.01) @ make_tool(np.pi / 2, 0.1)
    with pytest.raises(ArmFamilyError, match="normal to its axis"):
        arm_family(replace(arm, tool=leaning))
    with pytest.raises(ArmFamilyError, match="must be on joint 5"):
        arm_family(replace(arm, tool_joint=3))
    assert issubclass(ArmFamilyError, MechanismError)
