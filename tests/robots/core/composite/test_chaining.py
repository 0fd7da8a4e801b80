"""Chains and trees against the monolithic model, Pinocchio, and laws that hold for any robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.composite.coupling import MountedRobot, chain, floating_base, joined, split, tree
from robots.core.composite.sub_model import SubModel, sub_model
from robots.core.composite.symmetry import rearranged
from robots.core.errors import MechanismError, StateError
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.library import load
from tests.cases import cases, some

Make = Callable[..., Mechanism]
SAME = 1e-10  # the bound; entries here are up to some hundreds
RATES = 1e-9


def close(a: Any, b: Any, bound: float = SAME) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max(initial=0.0) < bound)


def composite(mechanism: Mechanism, joint: str, q: np.ndarray) -> SubModel:
    """The mechanism cut at a joint and put together again, in its own order of variables."""
    parts = split(mechanism, joint)
    names = [j.name for j in mechanism.movable]
    carrier, carried = (
        sub_model(Model(part, "numpy"), q[..., [names.index(j.name) for j in part.movable]])
        for part in (parts.carrier, parts.carried)
    )
    return rearranged(chain(carrier, MountedRobot(robot=carried, link=parts.link)), names, {})


def check_whole(mechanism: Mechanism, robot: SubModel, q: np.ndarray) -> None:
    """Dynamics, geometry and Jacobians of the composite are those of the whole."""
    model = Model(mechanism, "numpy")
    truth, found = model.lagrange(q), robot.lagrange(mechanism.gravity)
    assert close(found.A, truth.A)
    assert close(found.B, truth.B, RATES)
    assert close(found.C, truth.C, RATES)
    assert close(found.gravity, truth.gravity)
    T = model.transforms(q)
    for k, joint in enumerate(mechanism.joints):
        assert close(robot.pose(joint.name), T[..., k, :, :])
    tool, point = mechanism.joints[mechanism.tool_joint].name, mechanism.tool[:3, 3]
    assert close(robot.jacobian(tool, point), model.jacobian(q))
    qd = np.cos(np.arange(q.size)).reshape(q.shape)
    bias = np.einsum("...ijk,...j,...k->...i", robot.jacobian_rate(tool, point), qd, qd)
    assert close(bias, model.bias_acceleration(q, qd), RATES)


@pytest.mark.parametrize("joint", ["q2", "q3", "q4"])
def test_planar_4r_cut_anywhere(joint: str) -> None:
    mechanism = load("planar-4r")
    q = np.random.default_rng(4).uniform(-3, 3, size=(5, 4))
    check_whole(mechanism, composite(mechanism, joint, q), q)


@pytest.mark.parametrize("seed", some([11, 12], gate=1))
def test_spatial_robot_is_the_whole_and_pinocchio(
    seed: int, spatial: Make, make_peer: Callable[[Mechanism], Any]
) -> None:
    mechanism = spatial(seed, n=6)
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, 6))
    peer = make_peer(mechanism)
    for joint in mechanism.joints[1:]:
        robot = composite(mechanism, joint.name, q)
        check_whole(mechanism, robot, q)
        found = robot.lagrange(mechanism.gravity)
        assert close(found.A, peer.mass_matrix(q), RATES)
        assert close(found.torques(qd, qdd), peer.torques(q, qd, qdd), RATES)


# All kinds of joints, several robots on one base, a subtree in the middle: every seed is a tree.
@given(seed=st.integers(0, 300), place=st.integers(1, 11), state=st.integers(0, 1000))
@settings(max_examples=cases(gate=3, soak=15), deadline=None, derandomize=True)
def test_any_tree_cut_anywhere_is_the_whole(
    make_mechanism: Make, seed: int, place: int, state: int
) -> None:
    mechanism = make_mechanism(seed)
    place = 1 + place % (len(mechanism.joints) - 1)
    q = np.random.default_rng(state).normal(size=(2, mechanism.dof))
    robot = composite(mechanism, mechanism.joints[place].name, q)
    check_whole(mechanism, robot, q)


def test_bip_cut_at_knee_is_pinocchio(make_peer: Callable[[Mechanism], Any]) -> None:
    mechanism = load("bip2000")
    q, qd, qdd = np.random.default_rng(15).normal(size=(3, 15))
    robot = composite(mechanism, "q3", q)
    check_whole(mechanism, robot, q)
    peer = make_peer(mechanism)
    found = robot.lagrange(mechanism.gravity)
    assert close(found.A, peer.mass_matrix(q), RATES)
    assert close(found.torques(qd, qdd), peer.torques(q, qd, qdd), RATES)


def test_three_robots_one_on_a_link_of_another(spatial: Make) -> None:
    """Grouping does not matter: (a + b) + c is a + b, c, mounted with any placement."""
    q = np.random.default_rng(3).normal(size=9)
    parts = [
        sub_model(Model(spatial(s, n=3), "numpy"), q[3 * k : 3 * k + 3])
        for k, s in enumerate((1, 2, 3))
    ]
    a, b, c = (part.renamed(p) for part, p in zip(parts, "abc", strict=True))
    P = np.array([[0, -1, 0, 0.1], [1, 0, 0, 0.2], [0, 0, 1, -0.3], [0, 0, 0, 1.0]])
    on_b = [
        MountedRobot(robot=b, link="aq2", placement=P),
        MountedRobot(robot=c, link="bq3", placement=P),
    ]
    forward = tree(a, on_b)
    first = chain(b, MountedRobot(robot=c, link="bq3", placement=P))
    backward = chain(a, MountedRobot(robot=first, link="aq2", placement=P))
    assert forward.links == backward.links
    for name in ("T", "motion", "d_motion", "mass_matrix", "d_mass_matrix", "inertia"):
        assert close(getattr(forward, name), getattr(backward, name))
    for name in ("d_inertia", "momentum", "d_momentum"):
        assert close(getattr(forward, name), getattr(backward, name))


def test_several_robots_on_one_base_do_not_couple(spatial: Make) -> None:
    q = np.array([0.3, -0.2, 0.9])
    a, b = (
        sub_model(Model(spatial(s, n=3), "numpy"), q).renamed(p) for s, p in ((4, "a"), (5, "b"))
    )
    robot = tree(a, [MountedRobot(robot=b)])
    assert close(robot.mass_matrix[:3, 3:], np.zeros((3, 3)), 1e-15)
    assert close(robot.mass_matrix[3:, 3:], b.mass_matrix, 1e-15)
    assert close(robot.inertia, a.inertia + b.inertia, 1e-12)


def test_floating_robot_is_a_chain_on_six_passive_joints(spatial: Make) -> None:
    passive, robot = floating_base((0.0, 0.0, -9.81)), spatial(21, n=4)
    rng = np.random.default_rng(21)
    q, qd, qdd = rng.uniform(-1, 1, size=(3, 10))  # pitch away from 90 degrees
    found = chain(
        sub_model(Model(passive, "numpy"), q[:6]),
        MountedRobot(robot=sub_model(Model(robot, "numpy"), q[6:]), link="base yaw"),
    )
    whole = joined(passive, robot, link="base yaw")
    check_whole(whole, found, q)
    energy = 0.5 * qd @ found.mass_matrix @ qd
    assert energy == pytest.approx(float(Model(whole, "numpy").energies(q, qd).kinetic), rel=1e-12)
    tau = found.lagrange((0.0, 0.0, -9.81)).torques(qd, qdd)
    assert close(tau, Model(whole, "numpy").torques(q, qd, qdd), RATES)
    # The forces on the slides hold the weight when all stands still.
    weight = found.gravity_torques((0.0, 0.0, -9.81))[:3]
    assert pytest.approx([0, 0, 9.81 * robot.total_mass], abs=1e-10) == weight


def test_a_load_is_a_robot_without_joints(spatial: Make) -> None:
    arm = spatial(6, n=3)
    body = Body(mass=2.0, com=(0.1, 0.2, 0.3), inertia=np.diag([0.1, 0.2, 0.25]))
    grip = np.eye(4)
    grip[:3, 3] = 0.05, -0.1, 0.2
    load_ = Mechanism(
        name="load",
        joints=(
            Joint(name="load", kind=JointKind.FIXED, parent=-1, placement=np.eye(4), body=body),
        ),
    )
    q = np.array([[0.3, -0.7, 1.1], [0.0, 0.4, -2.0]])
    carried = sub_model(Model(load_, "numpy"), np.zeros((2, 0)))
    robot = chain(
        sub_model(Model(arm, "numpy"), q), MountedRobot(robot=carried, link="q3", placement=grip)
    )
    whole = joined(arm, load_, link="q3", placement=grip)
    found, truth = robot.lagrange(arm.gravity), Model(whole, "numpy").lagrange(q)
    assert close(found.A, truth.A)
    assert close(found.B, truth.B, RATES)
    assert close(found.gravity, truth.gravity)


def test_refusals(spatial: Make) -> None:
    model = Model(spatial(1, n=2), "numpy")
    a, many = sub_model(model, (0.1, 0.2)), sub_model(model, np.zeros((3, 2))).renamed("b")
    with pytest.raises(MechanismError, match="no link 'elbow'; there are 'q1', 'q2', ''"):
        chain(a, MountedRobot(robot=a.renamed("b"), link="elbow"))
    with pytest.raises(MechanismError, match=r"Two joints are called 'q1'.*renamed"):
        chain(a, MountedRobot(robot=a, link="q2"))
    with pytest.raises(StateError, match=r"carrier is given at \(\) states.*\(3,\)"):
        chain(a, MountedRobot(robot=many, link="q2"))
    with pytest.raises(MechanismError, match="not a rigid"):
        MountedRobot(robot=a, link="q2", placement=2.0 * np.eye(4))
    with pytest.raises(MechanismError, match="cut at a joint farther out"):
        split(model.mechanism, "q1")
