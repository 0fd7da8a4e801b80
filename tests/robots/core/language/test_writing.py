"""Mechanism → phrase → mechanism: the same robot, up to the order of branches."""

import numpy as np
import pytest

from robots.core.language import mechanism_of, parse, phrase_of, to_phrase
from robots.core.model import Model
from tests.cases import some

PHRASES = [
    "RY(-170,170),TYK(800),RX(-90,90),TYK(700),RX(-120,120),TZK(600),RX(-100,100),RY(-100,100);",
    "TZK(100),RY,[TXK(10),RZ(0,1)],[TY(0,100)],TZ(-INF,5.25),TYK(1),RX(-1,INF),TXK(7);",
    "RZ,RXK(90),RZ,TY(0,500),RXK(-90);",
    "[RX,TYK(5)],[RY],RZ;",
]


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_plain_phrase_comes_back_as_it_went_in(phrase):
    assert to_phrase(mechanism_of(parse(phrase), {})) == phrase


def described_again(mechanism):
    phrase = phrase_of(mechanism)
    again = mechanism_of(
        parse(phrase.text), {}, gravity=mechanism.gravity.tolist(), bodies=phrase.bodies
    )
    movable = [mechanism.joints[index] for index in phrase.order]
    order = [mechanism.movable.index(joint) for joint in movable]
    return again, order


@pytest.mark.parametrize("seed", some(range(30), gate=6))
def test_any_tree_moves_as_its_phrase(seed, make_mechanism):
    """Poses of the tool and of every movable joint's axis, on random trees."""
    mechanism = make_mechanism(seed)
    again, order = described_again(mechanism)
    q = np.random.default_rng(seed).uniform(-2, 2, mechanism.dof)
    model, other = Model(mechanism, "numpy"), Model(again, "numpy")
    # ZXZ angles of up to twelve placements, each within a few units of 1e-16.
    assert np.abs(other.forward(q[order]) - model.forward(q)).max() < 1e-13
    places = [i for i, joint in enumerate(mechanism.joints) if joint.movable]
    others = [i for i, joint in enumerate(again.joints) if joint.movable]
    poses, found = model.transforms(q), other.transforms(q[order])
    for ours, theirs in zip(np.array(places)[order], others, strict=True):
        assert np.abs(found[theirs][:3, 2:] - poses[ours][:3, 2:]).max() < 1e-13


@pytest.mark.parametrize("seed", some(range(20), gate=4))
def test_bodies_in_the_axes_of_the_phrase_weigh_the_same(seed, make_mechanism):
    from dataclasses import replace

    mechanism = make_mechanism(seed)
    # The language has no place for bodies of fixed joints.
    joints = tuple(
        replace(j, motor_inertia=0.0) if j.movable else replace(j, body=type(j.body)())
        for j in mechanism.joints
    )
    mechanism = replace(mechanism, joints=joints)
    again, order = described_again(mechanism)
    q, qd, qdd = np.random.default_rng(seed).uniform(-2, 2, (3, mechanism.dof))
    expected = Model(mechanism, "numpy").torques(q, qd, qdd)[order]
    found = Model(again, "numpy").torques(q[order], qd[order], qdd[order])
    assert np.abs(found - expected).max() <= 1e-11 * max(1.0, np.abs(expected).max())


def test_a_very_long_chain_is_written():
    phrase = "RX,TYK(1)," * 1050 + "RZ;"  # more than Python calls one within the other
    assert to_phrase(mechanism_of(parse(phrase), {})) == phrase
