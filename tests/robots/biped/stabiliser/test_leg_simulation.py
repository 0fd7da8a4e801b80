"""The simulated leg: energy, exact ground motion, tracking, the loop against its own pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError
from robots.biped.stabiliser.leg_simulation import LegSimulation
from robots.biped.stabiliser.leg_stabiliser import Follower, Stabiliser
from robots.biped.stabiliser.tilting_ground import ThereAndBack
from robots.core.model import Model

POSTURE = np.array([0.05, -0.1, 0.4, -0.2])
LIMP = Follower(torque_limits=(0.0, 0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Still:
    """A level ground at rest."""

    duration: float

    def samples(self, t):
        return np.zeros((len(t), 6))


@pytest.fixture(scope="module")
def stabiliser():
    return Stabiliser(biped=open_biped("bip-leg"), posture=POSTURE)


def test_a_limp_leg_keeps_its_energy(stabiliser):
    simulation = LegSimulation(
        stabiliser=stabiliser, follower=LIMP, rotor_inertia=np.array([0.24, 0.6, 0.24, 0.65])
    )
    run = simulation.run(Still(duration=1.0), qd=np.array([0.3, -0.5, 0.4, 0.8]))
    tilt = run.ground[:, :2]
    full = (np.hstack([tilt, run.q]), np.hstack([0.0 * tilt, run.qd]))
    energies = Model(simulation.mechanism).energies(*full)
    total = energies.kinetic + energies.potential
    assert np.ptp(energies.kinetic) > 50.0  # it falls
    # Runge-Kutta of order four with 2 ms steps over a second of free fall.
    assert np.ptp(total) < 1e-7 * np.ptp(energies.kinetic)


def test_a_moving_ground_is_exact(stabiliser):
    """The limp leg on the tilting ground against SciPy and the full six-joint dynamics."""
    ground = ThereAndBack(alpha=0.3, beta=-0.4, each_way=0.4)
    simulation = LegSimulation(stabiliser=stabiliser, follower=LIMP)
    run = simulation.run(ground, duration=0.4)
    model = Model(simulation.mechanism)

    def slope(t, x):
        tilt = ground.samples(np.array([t]))[0]
        q, qd = np.hstack([tilt[:2], x[:4]]), np.hstack([tilt[2:4], x[4:]])
        A = model.mass_matrix(q)
        load = model.torques(q, qd, np.zeros(6)) + A[:, :2] @ tilt[4:]
        return np.hstack([x[4:], np.linalg.solve(A[2:, 2:], -load[2:])])

    peer = solve_ivp(slope, (0.0, 0.4), [*POSTURE, 0, 0, 0, 0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(np.hstack([run.q[-1], run.qd[-1]]), peer.y[:, -1], atol=1e-7)
    np.testing.assert_allclose(run.qdd[-1], slope(0.4, np.hstack([run.q[-1], run.qd[-1]]))[4:])


def test_the_loop_is_the_stabiliser_and_its_follower(stabiliser):
    """The set-points of the compiled loop are those of single steps on the measured tilt."""
    ground = ThereAndBack(alpha=0.1, beta=0.3, each_way=1.0)
    run = LegSimulation(stabiliser=stabiliser).run(ground)
    state = stabiliser.start
    for k in range(400):
        np.testing.assert_allclose(run.q_goal[k], state.q, atol=1e-12)
        tilt = run.ground[k]
        state = stabiliser.step(state, tilt[0], tilt[1], rates=(tilt[2], tilt[3]))
    # The follower does not know the ground's acceleration of 1.7 rad/s²: 1.7/40² rad, and more.
    assert np.abs(run.q - run.q_goal).max() < 2e-3


def test_torques_are_those_of_the_motion(stabiliser):
    simulation = LegSimulation(stabiliser=stabiliser)
    run = simulation.run(ThereAndBack(alpha=0.1, beta=0.2, each_way=1.0))
    ground = np.split(run.ground, 3, axis=1)
    own = (run.q, run.qd, run.qdd)
    full = [np.hstack(pair) for pair in zip(ground, own, strict=True)]
    tau = Model(simulation.mechanism).torques(*full)[:, 2:]
    np.testing.assert_allclose(run.tau, tau, atol=1e-9)


def test_drives_keep_their_limits_and_catch_up(stabiliser):
    follower = Follower(torque_limits=(3.0, 30.0, 20.0, 5.0))
    run = LegSimulation(stabiliser=stabiliser, follower=follower).run(
        Still(duration=1.0), qd=np.array([0.5, 0.0, 0.0, 0.0]), stabilised=False
    )
    assert (np.abs(run.tau) <= follower.torque_limits).all()
    assert np.abs(run.tau[:, 0]).max() == 3.0
    free = LegSimulation(stabiliser=stabiliser).run(
        Still(duration=1.0), qd=np.array([0.5, 0.0, 0.0, 0.0]), stabilised=False
    )
    # Critically damped at 40 rad/s: after a second the error is e^-40 of what it was.
    np.testing.assert_allclose(free.q[-1], POSTURE, atol=1e-9)


def test_what_does_not_fit_is_refused(stabiliser):
    with pytest.raises(BipedError, match="2 rotor inertias for 4 joints"):
        LegSimulation(stabiliser=stabiliser, rotor_inertia=np.ones(2))
    with pytest.raises(BipedError, match="1 torque limits for 4 joints"):
        LegSimulation(stabiliser=stabiliser, follower=Follower(torque_limits=(1.0,)))
    with pytest.raises(BipedError, match="frequency is -1"):
        Follower(frequency=-1.0)
    with pytest.raises(BipedError, match="does not stand on its base"):
        Stabiliser(biped=open_biped("bip2000"))
