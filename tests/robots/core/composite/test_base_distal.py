"""Base-distal change against the mechanism rebuilt from its other end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.composite.coupling import base_distal_change, without
from robots.core.composite.sub_model import SubModel, sub_model
from robots.core.errors import MechanismError
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.rerooted import reroot
from robots.library import load
from tests.cases import cases, some

Make = Callable[..., Mechanism]
FIELDS = (
    "mass_matrix",
    "d_mass_matrix",
    "inertia",
    "d_inertia",
    "momentum",
    "d_momentum",
)


def close(a: Any, b: Any, bound: float = 1e-10) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max(initial=0.0) < bound)


def check(mechanism: Mechanism, link: str, q: np.ndarray) -> SubModel:
    """The robot seen from a link is the rebuilt robot; one state."""
    robot = base_distal_change(sub_model(Model(mechanism, "numpy"), q), link)
    new = reroot(mechanism, link)
    order = new.order
    truth = Model(new.mechanism, "numpy").lagrange(q[order])
    found = robot.lagrange(new.mechanism.gravity)
    torques = [x.torques for x in (found, truth)]
    qd, qdd = np.cos(np.arange(q.size)), np.sin(1.0 + np.arange(q.size))
    assert close(found.A[np.ix_(order, order)], truth.A)
    assert close(torques[0](qd, qdd)[order], torques[1](qd[order], qdd[order]), 1e-9)
    whole = sub_model(Model(new.mechanism, "numpy"), q[order])
    seen = base_distal_change(sub_model(Model(mechanism, "numpy"), q), link)
    assert close(seen.inertia, whole.inertia)
    assert close(seen.d_inertia[..., order], whole.d_inertia)
    assert close(seen.momentum[..., order], whole.momentum)
    assert close(seen.d_momentum[..., order, :][..., order], whole.d_momentum, 1e-9)
    for k, joint in enumerate(mechanism.joints):
        T = new.old_links(Model(new.mechanism, "numpy").transforms(q[order]))[k]
        assert close(robot.pose(joint.name), T)
    return robot


@given(seed=st.integers(0, 300), place=st.integers(0, 11), state=st.integers(0, 1000))
@settings(max_examples=cases(gate=2, soak=8), deadline=None, derandomize=True)
def test_any_tree_seen_from_any_link(
    make_mechanism: Make, seed: int, place: int, state: int
) -> None:
    mechanism = make_mechanism(seed)
    q = np.random.default_rng(state).normal(size=mechanism.dof)
    check(mechanism, mechanism.joints[place % len(mechanism.joints)].name, q)


@pytest.mark.parametrize("foot", some(["q5", "q1"], gate=1))
def test_bip_on_its_foot_is_pinocchio(foot: str, make_peer: Callable[[Mechanism], Any]) -> None:
    mechanism = load("bip2000")
    q, qd, qdd = np.random.default_rng(8).uniform(-1, 1, size=(3, 15))
    robot = check(mechanism, foot, q)
    new = reroot(mechanism, foot)
    # The former base frame hangs on a massless link; Pinocchio cannot take one, and needs none.
    peer, order = make_peer(without(new.mechanism, ["pelvis"])), new.order
    found = robot.lagrange(new.mechanism.gravity)
    assert close(found.A[np.ix_(order, order)], peer.mass_matrix(q[order]), 1e-9)
    tau = peer.torques(q[order], qd[order], qdd[order])
    assert close(found.torques(qd, qdd)[order], tau, 1e-9)


@given(seed=st.integers(0, 300), state=st.integers(0, 1000))
@settings(max_examples=cases(gate=2, soak=8), deadline=None, derandomize=True)
def test_there_and_back_is_the_same_model(make_mechanism: Make, seed: int, state: int) -> None:
    mechanism = make_mechanism(seed)
    q = np.random.default_rng(state).normal(size=(2, mechanism.dof))
    robot = sub_model(Model(mechanism, "numpy"), q)
    there = base_distal_change(robot, mechanism.joints[-1].name)
    back = base_distal_change(there, "former base", former_base="end")
    for name in FIELDS:
        assert close(getattr(back, name), getattr(robot, name), 1e-9)
    for joint in mechanism.joints:
        assert close(back.pose(joint.name), robot.pose(joint.name))
        assert close(back.jacobian_rate(joint.name), robot.jacobian_rate(joint.name))


def test_the_new_base_stands_still_and_gravity_turns_with_it(spatial: Make) -> None:
    mechanism = spatial(5)
    q = np.array([0.4, -1.1, 0.7, 1.9])
    robot = sub_model(Model(mechanism, "numpy"), q)
    place = np.eye(4)
    place[:3, 3] = 0.1, -0.2, 0.3
    seen = base_distal_change(robot, "q4", placement=place)
    assert close(seen.jacobian("q4", (0.3, 0.1, 0.2)), np.zeros((6, 4)), 1e-13)
    assert close(seen.pose("q4"), np.linalg.inv(place), 1e-13)
    # The placement of the base frame changes no dynamics, only where momenta are taken.
    plain = base_distal_change(robot, "q4")
    assert close(seen.mass_matrix, plain.mass_matrix, 1e-12)
    g = np.array([1.0, 2.0, -9.0])
    # The potential energy seen from either end differs by that of the base: the gradient of the
    # difference is the weight's work on the moving base.
    turned = robot.pose("q4")[:3, :3].T @ g
    weight = plain.jacobian("former base")
    force = np.array([*(mechanism.total_mass * turned), 0, 0, 0])
    moment = np.cross(plain.pose("former base")[:3, :3] @ moment_of(robot), turned)
    force[3:] = moment
    expected = robot.gravity_torques(g) - weight.T @ force
    assert close(plain.gravity_torques(turned), expected, 1e-11)


def moment_of(robot: SubModel) -> np.ndarray:
    """First moment of the mass about the base origin, from the body's inertia."""
    corner = robot.inertia[3:, :3]
    return np.array([corner[2, 1], corner[0, 2], corner[1, 0]])


def test_a_link_that_does_not_exist(spatial: Make) -> None:
    robot = sub_model(Model(spatial(1), "numpy"), np.zeros(4))
    with pytest.raises(MechanismError, match="no link 'foot'; there are 'q1'"):
        base_distal_change(robot, "foot")
