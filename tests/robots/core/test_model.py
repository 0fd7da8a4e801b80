"""The model core against Pinocchio on random trees, and against laws of mechanics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.model import Model
from tests.cases import cases, some

TREES = range(cases(gate=21, soak=200))
SAMPLES = 3
COMPILED = 100  # each so many trees one is compiled, which takes longer than all its tests


def close(found: np.ndarray, expected: np.ndarray, limit: float = 1e-10) -> None:
    """Relative to the largest entry: entries that cancel to zero carry the scale of the others."""
    scale = max(1.0, float(np.abs(expected).max())) if expected.size else 1.0
    assert np.abs(found - expected).max(initial=0.0) <= limit * scale


def model_of(mechanism, seed: int) -> Model:
    """The default for some trees; for the others NumPy, which starts at once."""
    return Model(mechanism, "auto" if seed % COMPILED == 0 else "numpy")


def states(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(10_000 + seed)
    return tuple(rng.uniform(-2.5, 2.5, size=(SAMPLES, n)) for _ in range(3))


@pytest.mark.parametrize("seed", some(TREES, gate=4))
def test_random_trees_agree_with_pinocchio(seed, make_mechanism, make_peer):
    mechanism = make_mechanism(seed)
    model, peer = model_of(mechanism, seed), make_peer(mechanism)
    q, qd, qdd = states(model.dof, seed)
    transforms, tool, jacobian = model.transforms(q), model.forward(q), model.jacobian(q)
    velocity, acceleration = model.velocity(q, qd), model.acceleration(q, qd, qdd)
    bias, tau, M = model.bias_acceleration(q, qd), model.torques(q, qd, qdd), model.mass_matrix(q)
    back = model.forward_dynamics(q, qd, qdd)
    for k in range(SAMPLES):
        poses = peer.poses(q[k])
        close(transforms[k], poses[:-1])
        close(tool[k], poses[-1])
        J = peer.jacobian(q[k])
        close(jacobian[k], J)
        close(velocity[k], J @ qd[k])
        close(acceleration[k], peer.acceleration(q[k], qd[k], qdd[k]))
        close(bias[k], peer.acceleration(q[k], qd[k], 0 * qdd[k]))
        close(tau[k], peer.torques(q[k], qd[k], qdd[k]))
        close(M[k], peer.mass_matrix(q[k]))
        close(back[k], peer.forward_dynamics(q[k], qd[k], qdd[k]))


@pytest.mark.parametrize("seed", some(range(0, 200, 5), gate=5))
def test_lagrange_coefficients_give_newton_euler_torques(seed, make_mechanism):
    mechanism = make_mechanism(seed)
    model = model_of(mechanism, seed)
    q, qd, qdd = states(model.dof, seed)
    found = model.lagrange(q)
    close(found.torques(qd, qdd), model.torques(q, qd, qdd))
    close(found.A, model.mass_matrix(q))


@pytest.mark.parametrize("seed", some(range(0, 200, 10), gate=3))
def test_coriolis_and_centrifugal_are_christoffel_terms_of_the_mass_matrix(seed, make_mechanism):
    """B and C by [LAMMARI12] eq. IV.4 from derivatives of A: finite differences, step 1e-5."""
    model = model_of(make_mechanism(seed), seed)
    n = model.dof
    q = states(n, seed)[0][0]
    h = 1e-5
    # Fourth-order central differences: truncation 1e-20·A⁽⁵⁾, rounding 1e-11·A.
    steps = np.array([-2, -1, 1, 2])[:, None, None] * h * np.eye(n)
    weights = np.array([1, -8, 8, -1]) / (12 * h)
    dA = np.einsum("s,skij->ijk", weights, model.mass_matrix(q + steps))  # dA_ij/dq_k
    B = dA + np.swapaxes(dA, 1, 2) - np.einsum("jki->ijk", dA)
    C = np.einsum("ijj->ij", dA) - 0.5 * np.einsum("jji->ij", dA)
    found = model.lagrange(q)
    upper = np.triu(np.ones((n, n)), 1).astype(bool)
    close(found.B[:, upper], B[:, upper], 1e-6)
    close(found.C, C, 1e-6)
    assert not np.any(found.B[:, ~upper])


@pytest.mark.parametrize("seed", some(range(0, 200, 10), gate=3))
def test_power_of_the_torques_is_the_rate_of_energy(seed, make_mechanism):
    """τ·qd = d(T + V)/dt along any motion: an energy balance over a short arc, by Simpson."""
    model = model_of(make_mechanism(seed), seed)
    q, qd, qdd = (s[0] for s in states(model.dof, seed))
    t = np.linspace(0.0, 0.02, 101)[:, None]
    arc, speed = q + qd * t + 0.5 * qdd * t * t, qd + qdd * t
    power = np.sum(model.torques(arc, speed, np.broadcast_to(qdd, arc.shape)) * speed, axis=1)
    weights = np.where(np.arange(101) % 2, 4.0, 2.0)
    weights[[0, -1]] = 1.0
    work = float(weights @ power) * float(t[1, 0]) / 3.0
    energies = model.energies(arc[[0, -1]], speed[[0, -1]])
    change = np.diff(energies.kinetic + energies.potential)[0]
    # Simpson's error on this arc is far below 1e-8 of the energies themselves.
    assert work == pytest.approx(change, rel=1e-7, abs=1e-8 * abs(energies.kinetic).max())


@pytest.mark.parametrize("seed", some(range(0, 200, 20), gate=4))
def test_friction_and_wrench_add_to_the_torques(seed, make_mechanism):
    smooth = make_mechanism(seed)
    rng = np.random.default_rng(seed)
    joints = tuple(
        replace(j, coulomb=rng.uniform(0, 1), viscous=rng.uniform(0, 1)) if j.movable else j
        for j in smooth.joints
    )
    rough = model_of(replace(smooth, joints=joints), seed)
    q, qd, qdd = states(rough.dof, seed)
    gamma = rng.normal(size=(SAMPLES, 6))
    dry = np.array([j.coulomb for j in rough.mechanism.movable])
    wet = np.array([j.viscous for j in rough.mechanism.movable])
    expected = (
        model_of(smooth, seed).torques(q, qd, qdd)
        + dry * np.sign(qd)
        + wet * qd
        + np.einsum("kij,ki->kj", rough.jacobian(q), gamma)
    )
    close(rough.torques(q, qd, qdd, gamma), expected)


def test_regressor_times_parameters_gives_the_torques(make_mechanism):
    from robots.core.equations.dynamics import parameters_of
    from robots.core.equations.tree import tree_of

    for seed in some((1, 2, 3), gate=2):
        mechanism = make_mechanism(seed)
        model = model_of(mechanism, seed)
        q, qd, qdd = states(model.dof, seed)
        phi = np.array([parameters_of(link.inertia) for link in tree_of(mechanism).links]).ravel()
        motors = np.array([j.motor_inertia for j in mechanism.movable])
        close(model.regressor(q, qd, qdd) @ phi + motors * qdd, model.torques(q, qd, qdd))
