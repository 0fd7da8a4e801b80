"""Phrase → mechanism, against the product of elementary rotations and translations."""

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import DescriptionError
from robots.core.language import mechanism_of, parse
from robots.core.language.conversion import joint_axes
from robots.core.language.syntax import ConstantMove, MoveKind, flat
from robots.core.mechanism import Body, JointKind
from robots.core.model import Model
from robots.core.pose import make_pose, rotation_about

AXES = dict(zip("XYZ", np.eye(3), strict=True))


def by_hand(description, q):
    """The end frame as the report defines it: a product of elementary changes of frame."""
    T, variables = np.eye(4), iter(q)
    for move in flat(description.moves):
        turns = move.kind is MoveKind.ROTATION
        if isinstance(move, ConstantMove):
            amount = float(move.value.number) * (math.pi / 180 if turns else 1e-3)
        else:
            amount = next(variables)
        axis = AXES[move.axis]
        step = make_pose(rotation_about(axis, amount)) if turns else make_pose(None, amount * axis)
        T = T @ step
    return T


MOVES = st.one_of(
    st.tuples(st.sampled_from("RT"), st.sampled_from("XYZ"), st.integers(-200, 200)),
    st.tuples(st.sampled_from("RT"), st.sampled_from("XYZ"), st.none()),
)


@given(moves=st.lists(MOVES, min_size=1, max_size=8), seed=st.integers(0, 99))
def test_the_end_frame_is_the_product_of_the_moves(moves, seed):
    texts = [f"{k}{a}" if v is None else f"{k}{a}K({v})" for k, a, v in moves]
    description = parse(",".join([*texts, "RZ"]))
    mechanism = mechanism_of(description, {})
    q = np.random.default_rng(seed).uniform(-2, 2, mechanism.dof)
    # At most nine products of entries up to two.
    assert np.abs(Model(mechanism).forward(q) - by_hand(description, q)).max() < 1e-13


def test_the_report_robot_has_axes_y_x_x_x_y_z_at_rest():
    """[LIEGEOIS80] figure 6: the arm points up along Y, then forward along Z."""
    phrase = (
        "RY(A,B),TYK(L1),RX(A,B),TYK(L2),RX(A,B),TZK(L3),RX(A,B),TZK(0),RY(A,B),TZK(0),RZ(A,B),"
    )
    values = {"A": -1.0, "B": 1.0, "L1": 0.8, "L2": 0.7, "L3": 0.6, "L6": 0.2}
    mechanism = mechanism_of(parse(phrase + "TZK(L6);"), values)
    poses = Model(mechanism).transforms(np.zeros(6))
    for pose, axis in zip(poses, "YXXXYZ", strict=True):
        assert np.array_equal(pose[:3, 2], AXES[axis])
    end = Model(mechanism).forward(np.zeros(6))
    assert end[:3, 3] == pytest.approx([0.0, 1.5, 0.8], abs=1e-15)
    assert np.array_equal(end[:3, :3], np.eye(3))


def test_numbers_are_millimetres_and_degrees():
    mechanism = mechanism_of(parse("TZK(409.82),RZ(-170,170),TX(-5,INF)"), {})
    turn, slide = mechanism.joints
    assert turn.placement[2, 3] == 0.40982
    assert (turn.q_min, turn.q_max) == (-math.radians(170), math.radians(170))
    assert (slide.q_min, slide.q_max) == (-0.005, math.inf)
    assert [joint.kind for joint in mechanism.joints] == [JointKind.REVOLUTE, JointKind.PRISMATIC]
    assert Decimal("409.82") == parse("TZK(409.82),RZ").moves[0].value.number


def test_a_branch_leaves_the_line_where_it_was():
    mechanism = mechanism_of(parse("RZ,TXK(10),[RX,TYK(5)],[TYK(7),RY],RZ,TXK(3)"), {})
    assert [(j.name, j.parent) for j in mechanism.joints] == [
        ("q1", -1),
        ("q2", 0),
        ("end1", 1),
        ("q3", 0),
        ("q4", 0),
    ]
    assert mechanism.joints[2].kind is JointKind.FIXED
    assert mechanism.joints[mechanism.tool_joint].name == "q4"
    assert mechanism.joints[4].placement[0, 3] == 0.010
    assert mechanism.tool[0, 3] == 0.003


def test_a_line_without_joint_carries_the_tool_on_a_fixed_joint():
    mechanism = mechanism_of(parse("[RX],TXK(5)"), {})
    assert mechanism.joints[mechanism.tool_joint].name == "end"
    assert Model(mechanism).forward(np.array([0.3]))[0, 3] == 0.005


@pytest.mark.parametrize("axis", "XYZ")
def test_bodies_are_given_in_the_axes_of_the_phrase(axis):
    inertia = np.array([[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]])
    body = Body(mass=2.0, com=np.array([0.1, 0.2, 0.3]), inertia=inertia, at="origin")
    (joint,) = mechanism_of(parse(f"R{axis}"), {}, bodies={"q1": body}).joints
    C = joint_axes(axis)
    assert np.linalg.det(C) == pytest.approx(1.0)
    assert np.array_equal(C @ joint.body.com, body.com)
    assert np.array_equal(C @ joint.body.inertia @ C.T, inertia)
    assert joint.body.at == "origin"


def test_signed_symbols():
    mechanism = mechanism_of(parse("RX(-A,A),TYK(-L)"), {"A": 1.0, "L": 0.5})
    assert mechanism.q_min.tolist() == [-1.0]
    # The joint's own axes are Y, Z, X of the phrase.
    assert mechanism.tool[:3, 3].tolist() == [-0.5, 0.0, 0.0]


def test_a_symbol_without_value_is_pointed_at():
    with pytest.raises(DescriptionError, match="'L2' without a value") as caught:
        mechanism_of(parse("RX,TYK(L2)"), {"L1": 1.0})
    assert caught.value.facts["position"] == 7
    assert "given: L1" in str(caught.value)


def test_a_phrase_without_joint_is_no_mechanism():
    with pytest.raises(DescriptionError, match="no joint"):
        mechanism_of(parse("TXK(1)"), {})
