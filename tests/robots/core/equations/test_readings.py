"""One set of equations, four readings: floats, arrays, recorded nodes and SymPy agree."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from robots.core.denavit_hartenberg import DhRow
from robots.core.equations.algebra import numbers, symbols
from robots.core.equations.dynamics import Wrench, forward_dynamics, mass_matrix, newton_euler
from robots.core.equations.kinematics import frames, tool_frame
from robots.core.equations.tree import grouped, tree_of
from robots.core.errors import EquationError
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.core.model import Model
from tests.cases import some


def planar(*lengths: float) -> Mechanism:
    """Parallel revolute axes along x0 y0, the first at the base."""
    joints = tuple(
        Joint(
            name=f"q{k + 1}",
            kind=JointKind.REVOLUTE,
            parent=k - 1,
            placement=DhRow(d=lengths[k - 1] if k else 0.0).pose(),
        )
        for k in range(len(lengths))
    )
    tool = np.eye(4)
    tool[0, 3] = lengths[-1]
    return Mechanism(name="planar", joints=joints, tool=tool)


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_floats_arrays_and_recordings_give_the_same_torques(seed, make_mechanism):
    mechanism = make_mechanism(seed)
    tree, n = tree_of(mechanism), mechanism.dof
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, 7, n))
    columns = newton_euler(tree, (q.T, qd.T, qdd.T), numbers())
    arrays = np.stack(np.broadcast_arrays(*columns), axis=-1)
    floats = [
        newton_euler(tree, (q[k].tolist(), qd[k].tolist(), qdd[k].tolist()), numbers())
        for k in range(7)
    ]
    recorded = Model(mechanism, "numpy").torques(q, qd, qdd)
    scale = np.abs(recorded).max()
    assert np.abs(arrays - np.array(floats, dtype=float)).max() <= 1e-12 * scale
    assert np.abs(arrays - recorded).max() <= 1e-12 * scale


def test_sympy_groups_the_angles_of_parallel_axes():
    q1, q2, q3 = sympy.symbols("q1 q2 q3")
    tree = tree_of(planar(1.0, 1.0, 1.0))
    pose = tool_frame(tree, frames(tree, (q1, q2, q3), symbols()))
    x = sympy.cos(q1) + sympy.cos(q1 + q2) + sympy.cos(q1 + q2 + q3)
    assert sympy.nsimplify(pose.origin[0]) - x == 0


def test_pendulum_by_hand():
    """One bar about a horizontal axis: τ = (J + m l²)·qdd + m g l cos q, textbook."""
    m, length, J, g = 2.0, 0.3, 0.05, 9.81
    joint = Joint(
        name="q1",
        kind=JointKind.REVOLUTE,
        parent=-1,
        placement=DhRow(alpha=np.pi / 2).pose(),
        body=Body(mass=m, com=np.array([length, 0.0, 0.0]), inertia=np.diag([0.0, 0.0, J])),
    )
    model = Model(Mechanism(name="pendulum", joints=(joint,), gravity=np.array([0, 0, -g])))
    q, qdd = 0.7, 1.3
    expected = (J + m * length**2) * qdd + m * g * length * np.cos(q)
    assert model.torques([q], [5.0], [qdd])[0] == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("seed", some(range(0, 60, 6), gate=4))
def test_grouping_leaves_torques_and_masses_alone(seed, make_mechanism):
    tree = tree_of(make_mechanism(seed))
    less = grouped(tree)
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, tree.dof))
    before = np.array(newton_euler(tree, (q, qd, qdd), numbers()), dtype=float)
    after = np.array(newton_euler(less, (q, qd, qdd), numbers()), dtype=float)
    assert np.abs(before - after).max() <= 1e-12 * max(1.0, np.abs(before).max())
    A, B = (np.array(mass_matrix(t, q, numbers()), dtype=float) for t in (tree, less))
    assert np.abs(A - B).max() <= 1e-12 * np.abs(A).max()
    moments = [link.inertia for link in less.links]
    assert all(body.tensor.yy == 0.0 for body in moments)


def test_wrench_in_the_tool_frame_is_the_transposed_jacobian(make_mechanism):
    mechanism = make_mechanism(8)
    tree, model = tree_of(mechanism), Model(mechanism, "numpy")
    rng = np.random.default_rng(8)
    q = rng.normal(size=tree.dof)
    force, moment = rng.normal(size=(2, 3))
    still = [0.0] * tree.dof
    loaded = newton_euler(
        tree, (q, still, still), numbers(), Wrench(force=tuple(force), moment=tuple(moment))
    )
    R = model.forward(q)[:3, :3]
    gamma = np.concatenate([R @ force, R @ moment])
    expected = model.gravity_torques(q) + model.jacobian(q).T @ gamma
    assert np.allclose(np.array(loaded, dtype=float), expected, atol=1e-12)


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_forward_dynamics_undoes_newton_euler(seed, make_mechanism):
    tree = tree_of(make_mechanism(seed))
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, tree.dof))
    tau = newton_euler(tree, (q, qd, qdd), numbers())
    back = np.array(forward_dynamics(tree, (q, qd, tau), numbers()), dtype=float)
    assert np.abs(back - qdd).max() <= 1e-9 * np.abs(qdd).max()


@pytest.mark.parametrize(("name", "column"), [("jacobian_zxz", 2), ("jacobian_rpy", 0)])
def test_analytic_jacobian_is_the_derivative_of_the_angles(name, column, make_mechanism):
    """Against central differences of the angles read off the pose by the definitions."""
    model = Model(make_mechanism(6))
    q = np.random.default_rng(5).normal(size=model.dof)
    h = 1e-6

    def coordinates(at: np.ndarray) -> np.ndarray:
        T = model.forward(at)
        R = T[:3, :3]
        if column == 2:
            angles = (
                np.arctan2(R[0, 2], -R[1, 2]),
                np.arctan2(np.hypot(R[0, 2], R[1, 2]), R[2, 2]),
                np.arctan2(R[2, 0], R[2, 1]),
            )
        else:
            angles = (
                np.arctan2(R[1, 0], R[0, 0]),
                np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])),
                np.arctan2(R[2, 1], R[2, 2]),
            )
        return np.concatenate([T[:3, 3], angles])

    steps = np.eye(model.dof) * h
    columns = [(coordinates(q + s) - coordinates(q - s)) / (2 * h) for s in steps]
    assert np.allclose(model.kernel(name)(q), np.array(columns).T, atol=1e-7)


def test_center_of_mass_moves_as_its_jacobian_says(make_mechanism):
    model = Model(make_mechanism(17))
    q = np.random.default_rng(6).normal(size=model.dof)
    h = 1e-6
    steps = np.eye(model.dof) * h
    columns = (model.center_of_mass(q + steps) - model.center_of_mass(q - steps)) / (2 * h)
    assert np.allclose(model.center_of_mass_jacobian(q), columns.T, atol=1e-8)


def test_angles_that_are_singular_in_every_posture_are_refused():
    with pytest.raises(EquationError, match="jacobian_zxz of 'planar' divides by zero"):
        Model(planar(1.0, 1.0)).kernel("jacobian_zxz")
