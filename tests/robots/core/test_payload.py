"""A payload: against Pinocchio, against an extra fixed joint, by hand, and none at all."""

from dataclasses import replace

import numpy as np
import pytest

from robots.core.errors import MechanismError
from robots.core.mechanism import Body, Joint, JointKind, Mechanism, with_payload
from robots.core.model import Model
from robots.library import load
from tests.cases import some

SEEDS = range(12)
COM = np.array([0.02, -0.03, 0.11])
TENSOR = np.array([[0.05, 0.001, -0.002], [0.001, 0.04, 0.003], [-0.002, 0.003, 0.03]])


def states(mechanism, seed):
    return np.random.default_rng(seed).normal(size=(3, mechanism.dof))


def with_extra_joint(mechanism):
    """The payload as a body of its own, on a fixed joint in the tool frame."""
    carrier = Joint(
        name="payload",
        kind=JointKind.FIXED,
        parent=mechanism.tool_joint,
        placement=mechanism.tool,
        body=Body(mass=1.7, com=COM, inertia=TENSOR, at="com"),
    )
    joints = (*mechanism.joints, carrier)
    return replace(mechanism, joints=joints)


@pytest.mark.parametrize("seed", some(SEEDS, gate=3))
def test_torques_and_mass_matrix_are_those_of_an_extra_fixed_joint(seed, make_mechanism):
    mechanism = make_mechanism(seed)
    ours = Model(with_payload(mechanism, 1.7, COM, TENSOR))
    other = Model(with_extra_joint(mechanism))
    q, qd, qdd = states(mechanism, seed)
    expected = other.torques(q, qd, qdd)
    scale = max(1.0, np.abs(expected).max())
    # Two sums of the same terms in another order.
    assert np.abs(ours.torques(q, qd, qdd) - expected).max() < 1e-12 * scale
    assert np.abs(ours.mass_matrix(q) - other.mass_matrix(q)).max() < 1e-12 * scale
    assert np.abs(ours.forward(q) - other.forward(q)).max() == 0.0


@pytest.mark.parametrize("seed", some(SEEDS, gate=5))
def test_torques_are_pinocchios(seed, make_mechanism, make_peer):
    """Pinocchio merges the body itself: the extra joint is one of its frames."""
    mechanism = make_mechanism(seed)
    q, qd, qdd = states(mechanism, seed + 100)
    expected = make_peer(with_extra_joint(mechanism)).torques(q, qd, qdd)
    found = Model(with_payload(mechanism, 1.7, COM, TENSOR)).torques(q, qd, qdd)
    assert np.abs(found - expected).max() < 1e-11 * max(1.0, np.abs(expected).max())


def test_a_point_mass_at_the_arms_ball_by_hand():
    """Gravity torque of a mass m: the Jacobian's rows carry m·g to the joints."""
    arm = load("measuring-arm")
    q = np.array([0.3, -0.4, 0.8, 0.2, -0.5])
    extra = Model(with_payload(arm, 0.4)).gravity_torques(q) - Model(arm).gravity_torques(q)
    assert extra == pytest.approx(Model(arm).jacobian(q)[2] * 0.4 * 9.81, abs=1e-13)


@pytest.mark.parametrize("seed", some(SEEDS, gate=5))
def test_no_payload_changes_no_bit(seed, make_mechanism):
    mechanism = make_mechanism(seed)
    same = with_payload(mechanism, 0.0, COM)
    assert same is mechanism
    arm = load("measuring-arm")
    q = states(arm, seed)
    assert np.array_equal(Model(with_payload(arm, 0.0)).torques(*q), Model(arm).torques(*q))


def test_a_massless_carrier_takes_the_payload_as_its_body():
    joint = Joint(name="q1", kind=JointKind.REVOLUTE, parent=-1, placement=np.eye(4))
    body = with_payload(Mechanism(name="m", joints=(joint,)), 2.0, COM, TENSOR).joints[0].body
    assert body.mass == 2.0
    assert body.com == pytest.approx(COM, rel=1e-15)
    assert body.inertia_at_com == pytest.approx(TENSOR, abs=1e-16)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((-1.0,), "mass is -1.0 kg"),
        ((1.0, [0.0, np.nan, 0.0]), "centre of mass"),
        ((1.0, [0.0, 0.0, 0.0], np.triu(np.ones((3, 3)))), "not symmetric"),
    ],
)
def test_payloads_that_cannot_be_are_refused(arguments, words):
    with pytest.raises(MechanismError, match=words):
        with_payload(load("measuring-arm"), *arguments)
