"""Base wrench and centroidal momentum: weight at rest, Newton's law, Pinocchio."""

import numpy as np
import pytest

from robots.core.errors import EquationError
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.core.model import Model
from tests.cases import some

SEEDS = range(10)


def case(make_mechanism, seed):
    mechanism = make_mechanism(seed)
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, mechanism.dof))
    return mechanism, Model(mechanism, engine="numpy"), q, qd, qdd


@pytest.mark.parametrize("seed", some(SEEDS, gate=4))
def test_at_rest_the_ground_carries_the_weight_through_the_centre_of_mass(make_mechanism, seed):
    mechanism, model, q, _, _ = case(make_mechanism, seed)
    still = np.zeros(mechanism.dof)
    wrench = model.base_wrench(q, still, still)
    up = -mechanism.total_mass * mechanism.gravity
    assert np.allclose(wrench[:3], up, rtol=1e-12, atol=1e-11)
    assert np.allclose(wrench[3:], np.cross(model.center_of_mass(q), up), atol=1e-10)


@pytest.mark.parametrize("seed", some(SEEDS, gate=4))
def test_momentum_changes_by_wrench_less_weight(make_mechanism, seed):
    """d/dt of the centroidal momentum, by central differences, is what acts from outside."""
    mechanism, model, q, qd, qdd = case(make_mechanism, seed)
    h = 1e-5  # differences of order two: error near h² times the third rate, about 1e-8
    ahead = model.centroidal_momentum(q + h * qd + 0.5 * h * h * qdd, qd + h * qdd)
    behind = model.centroidal_momentum(q - h * qd + 0.5 * h * h * qdd, qd - h * qdd)
    rate = (ahead - behind) / (2.0 * h)
    wrench, com = model.base_wrench(q, qd, qdd), model.center_of_mass(q)
    scale = np.abs(wrench).max()
    assert np.allclose(
        rate[:3], wrench[:3] + mechanism.total_mass * mechanism.gravity, atol=1e-7 * scale
    )
    assert np.allclose(rate[3:], wrench[3:] - np.cross(com, wrench[:3]), atol=1e-7 * scale)


@pytest.mark.parametrize("seed", some(SEEDS, gate=4))
def test_linear_momentum_is_mass_times_speed_of_the_centre(make_mechanism, seed):
    mechanism, model, q, qd, _ = case(make_mechanism, seed)
    expected = mechanism.total_mass * model.center_of_mass_jacobian(q) @ qd
    assert np.allclose(model.centroidal_momentum(q, qd)[:3], expected, rtol=1e-12, atol=1e-12)


def moved_to_pinocchio(mechanism):
    """The tree on a free-flyer root without mass, with fixed joints' bodies merged."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is the independent engine")
    model = pin.Model()
    model.gravity.linear = np.array(mechanism.gravity)
    root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    carriers, order = {-1: (root, np.eye(4))}, []
    variables = {joint.name: k for k, joint in enumerate(mechanism.movable)}
    stack = [i for i, joint in enumerate(mechanism.joints) if joint.parent < 0][::-1]
    while stack:  # depth first: Pinocchio numbers each subtree in one piece
        index = stack.pop()
        joint = mechanism.joints[index]
        parent, T = carriers[joint.parent]
        T = T @ joint.placement
        if joint.movable:
            kind = pin.JointModelRZ() if joint.kind.angular else pin.JointModelPZ()
            parent = model.addJoint(parent, kind, pin.SE3(T[:3, :3], T[:3, 3]), joint.name)
            T = np.eye(4)
            order.append(variables[joint.name])
        body = joint.body
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia_at_com))
        model.appendBodyToJoint(parent, inertia, pin.SE3(T[:3, :3], T[:3, 3]))
        carriers[index] = (parent, T)
        stack += reversed([i for i, j in enumerate(mechanism.joints) if j.parent == index])
    return pin, model, order


@pytest.mark.parametrize("seed", some(SEEDS, gate=4))
def test_pinocchio_with_a_held_free_flyer_agrees(make_mechanism, seed):
    mechanism, ours, q, qd, qdd = case(make_mechanism, seed)
    pin, model, order = moved_to_pinocchio(mechanism)
    data, still = model.createData(), np.zeros(6)
    place = np.concatenate([[0, 0, 0, 0, 0, 0, 1], q[order]])
    speed, gain = np.concatenate([still, qd[order]]), np.concatenate([still, qdd[order]])
    wrench = np.array(pin.rnea(model, data, place, speed, gain)[:6])
    assert np.allclose(ours.base_wrench(q, qd, qdd), wrench, rtol=1e-10, atol=1e-10)
    pin.computeCentroidalMomentum(model, data, place, speed)
    assert np.allclose(ours.centroidal_momentum(q, qd), data.hg.vector, rtol=1e-10, atol=1e-10)


def test_a_spinning_wheel_has_its_own_angular_momentum():
    """Closed form: I·ω about the axis, whatever the distance of the axis from the base."""
    placement = np.eye(4)
    placement[:3, 3] = [3.0, 0.0, 0.0]
    wheel = Body(mass=2.0, inertia=np.diag([0.1, 0.1, 0.2]))
    joint = Joint(name="w", kind=JointKind.REVOLUTE, parent=-1, placement=placement, body=wheel)
    model = Model(Mechanism(name="wheel", joints=(joint,)), engine="numpy")
    assert np.allclose(model.centroidal_momentum([0.4], [5.0]), [0, 0, 0, 0, 0, 1.0], atol=1e-15)


def test_batches_and_compiled_kernels_agree(make_mechanism):
    mechanism = make_mechanism(3)
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 2, 4, mechanism.dof))
    numpy, compiled = Model(mechanism, engine="numpy"), Model(mechanism, engine="compiled")
    assert numpy.base_wrench(q, qd, qdd).shape == (2, 4, 6)
    one = numpy.base_wrench(q[1, 2], qd[1, 2], qdd[1, 2])
    assert np.allclose(numpy.base_wrench(q, qd, qdd)[1, 2], one, rtol=1e-13)
    assert np.allclose(
        numpy.centroidal_momentum(q, qd), compiled.centroidal_momentum(q, qd), atol=1e-12
    )


def test_motor_inertia_and_friction_do_not_reach_the_ground(make_mechanism):
    from dataclasses import replace

    mechanism, model, q, qd, qdd = case(make_mechanism, 1)
    joints = tuple(
        replace(joint, motor_inertia=5.0, coulomb=3.0, viscous=2.0) if joint.movable else joint
        for joint in mechanism.joints
    )
    heavy = Model(replace(mechanism, joints=joints), engine="numpy")
    assert np.array_equal(heavy.base_wrench(q, qd, qdd), model.base_wrench(q, qd, qdd))


def test_a_mechanism_without_mass_has_no_centre_to_turn_about():
    joint = Joint(name="a", kind=JointKind.REVOLUTE, parent=-1, placement=np.eye(4))
    model = Model(Mechanism(name="bare", joints=(joint,)))
    with pytest.raises(EquationError, match="has no mass: give its bodies theirs"):
        model.centroidal_momentum([0.0], [1.0])
