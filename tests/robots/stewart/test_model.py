"""The platform's numbers: the paper's figures, laws of mechanics, finite differences, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.errors import StateError
from robots.core.pose import rotation_exp, rotation_z
from robots.stewart.errors import PlatformError
from robots.stewart.model import PlatformModel
from robots.stewart.platform import LegEnd

STILL = np.zeros(6)
CENTS = 5.1e-3  # figures with two decimals
AT_START = [1068.00, 1047.87, 1200.24, 1083.72, 1079.64, 900.77]
AT_MIDDLE = [1023.60, 807.04, 696.73, 823.33, 1044.07, 1244.81]
REST = 1036.7536


@pytest.fixture(scope="module")
def model(staicu) -> PlatformModel:
    return PlatformModel(staicu)


@pytest.mark.parametrize(("time", "forces"), [(0.0, AT_START), (1.5, AT_MIDDLE)])
def test_forces_of_the_published_motion(model, published, time, forces):
    m = published(time)
    assert np.abs(model.forces(m.T, m.V, m.A) - forces).max() < CENTS


def test_range_of_the_published_forces_and_the_short_leg(model, published):
    m = published(np.linspace(0.0, 3.0, 3001))
    forces = model.forces(m.T, m.V, m.A)
    assert forces.min() == pytest.approx(696.7, abs=0.05)
    assert forces.max() == pytest.approx(1245.3, abs=0.05)
    shortest = model.lengths(m.T).min(axis=0)
    assert np.argmin(shortest) == 5
    assert shortest[5] == pytest.approx(2.330, abs=5e-4)


def test_forces_at_rest_have_a_closed_form(model, staicu):
    """sources.md decision 6: half of a leg's levers times its weights, by hand."""
    k = 2.8**2 / 3.0**3
    weights = 20 * 1.35 * k + 10 * (1 - (2.8 - 1.4) * k) + 2.5 + 5 + 100 / 6
    expected = 9.81 * weights / np.sin(np.arctan2(staicu.home[2, 3], 2.8))
    found = model.forces(staicu.home, STILL, STILL)
    assert expected == pytest.approx(REST, abs=5e-5)
    assert np.allclose(found, expected, rtol=1e-13, atol=0)


def test_power_of_the_drives_feeds_the_energy(model, published):
    """Σ f·l̇ = dE/dt, to 1e-8 of the largest power; the slope of E by a five-point rule."""
    h, t = 1e-3, np.linspace(0.05, 2.95, 59)

    def energy(time: np.ndarray) -> np.ndarray:
        m = published(time)
        found = model.energies(m.T, m.V)
        return found.kinetic + found.potential

    slope = (energy(t - 2 * h) - 8 * energy(t - h) + 8 * energy(t + h) - energy(t + 2 * h)) / 12 / h
    m = published(t)
    power = np.sum(model.forces(m.T, m.V, m.A) * model.length_rates(m.T, m.V), axis=-1)
    assert np.abs(power).max() > 100.0
    assert np.abs(power - slope).max() < 1e-8 * np.abs(power).max()


@pytest.mark.parametrize("end", list(LegEnd))
def test_rates_are_derivatives(make_platform, make_states, end):
    """Along a screw motion: lengths, then their rates, by central differences."""
    platform = make_platform(7, end)
    model, state, h = PlatformModel(platform, "numpy"), make_states(platform, 10), 1e-5

    def moved(t: float) -> tuple[np.ndarray, np.ndarray]:
        T = state.T.copy()
        turn = rotation_exp(state.V[:, 3:] * t)
        T[:, :3, :3] = turn @ T[:, :3, :3]
        T[:, :3, 3] += state.V[:, :3] * t + state.A[:, :3] * t * t / 2
        V = state.V.copy()
        V[:, :3] += state.A[:, :3] * t
        return T, V

    (T1, V1), (T2, V2) = moved(-h), moved(h)
    A = state.A * [1, 1, 1, 0, 0, 0]
    rates = (model.lengths(T2) - model.lengths(T1)) / (2 * h)
    gains = (model.length_rates(T2, V2) - model.length_rates(T1, V1)) / (2 * h)
    # Rounding over the step, 1e-16/1e-5, and its square: about 1e-9.
    assert np.abs(rates - model.length_rates(state.T, state.V)).max() < 1e-8
    assert np.abs(gains - model.length_accelerations(state.T, state.V, A)).max() < 1e-7


def test_jacobian_maps_velocities_to_stroke_speeds(make_platform, make_states):
    platform = make_platform(8)
    model, state = PlatformModel(platform, "numpy"), make_states(platform, 10)
    mapped = np.einsum("nij,nj->ni", model.jacobian(state.T), state.V)
    assert np.abs(mapped - model.length_rates(state.T, state.V)).max() < 1e-14


def test_external_wrench_is_carried_through_the_jacobian(make_platform, make_states):
    platform = make_platform(9)
    model, state = PlatformModel(platform, "numpy"), make_states(platform, 10)
    wrench = np.array([10.0, -20.0, 30.0, 4.0, 5.0, -6.0])
    free = model.forces(state.T, state.V, state.A)
    loaded = model.forces(state.T, state.V, state.A, wrench)
    back = np.einsum("nij,ni->nj", model.jacobian(state.T), free - loaded)
    assert np.abs(back - wrench).max() < 1e-10


def test_friction_works_against_the_stroke(make_platform, make_states, without_friction):
    platform = make_platform(10)
    state = make_states(platform, 10)
    args = (state.T, state.V, state.A)
    model = PlatformModel(platform, "numpy")
    rates = model.length_rates(*args[:2])
    smooth = PlatformModel(without_friction(platform), "numpy")
    more = model.forces(*args) - smooth.forces(*args)
    # Differences of forces near 1e3 N, at the condition of these poses.
    assert np.abs(more - (3.0 * np.sign(rates) + 20.0 * rates)).max() < 1e-9


@pytest.mark.parametrize("end", list(LegEnd))
def test_mass_matrix_is_the_kinetic_energy(make_model, make_states, end):
    model = make_model(31, end)
    state = make_states(model.platform, 10)
    M = model.mass_matrix(state.T)
    twice = np.einsum("ni,nij,nj->n", state.V, M, state.V)
    assert np.abs(M - np.swapaxes(M, 1, 2)).max() < 1e-12
    assert np.allclose(twice / 2, model.energies(state.T, state.V).kinetic, rtol=1e-12, atol=0)
    assert np.linalg.eigvalsh(M).min() > 0


def test_engines_agree_and_repeat(make_platform, make_states):
    platform = make_platform(12)
    state = make_states(platform, 50)
    args = (state.T, state.V, state.A)
    plain = PlatformModel(platform, "numpy").forces(*args)
    fast = PlatformModel(platform, "compiled").forces(*args)
    assert np.allclose(plain, fast, rtol=1e-11, atol=1e-9)
    assert np.array_equal(fast, PlatformModel(platform, "compiled").forces(*args))


def test_batches_broadcast(model, staicu):
    T = np.broadcast_to(staicu.home, (2, 3, 4, 4))
    assert model.forces(T, STILL, STILL).shape == (2, 3, 6)
    assert model.bodies(T, STILL, STILL).w.shape == (2, 3, 6, 5, 3)
    assert model.mass_matrix(T).shape == (2, 3, 6, 6)


def test_mathworks_condition_and_singular_yaw(mathworks):
    model = PlatformModel(mathworks)
    assert np.linalg.cond(model.jacobian(mathworks.home)) == pytest.approx(1.90, abs=5e-3)
    T = np.tile(mathworks.home, (3, 1, 1))
    T[:, :3, :3] = rotation_z(np.deg2rad([90.0, -90.0, 89.0]))
    found = np.abs(np.linalg.det(model.jacobian(T)))
    assert found[:2].max() < 1e-14
    assert found[2] > 1e-2


@pytest.mark.parametrize("yaw", [np.pi / 2, -np.pi / 2])
def test_no_forces_in_a_singularity(model, staicu, yaw):
    """An octahedral platform turned by a quarter: Fichter's singularity."""
    T = np.array(staicu.home)
    T[:3, :3] = rotation_z(yaw)
    assert abs(np.linalg.det(model.jacobian(T))) < 1e-14
    with pytest.raises(PlatformError, match=r"pose \[1\] no leg forces hold the platform"):
        model.forces(np.array([staicu.home, T]), STILL, STILL)


def test_a_locked_universal_joint_is_refused(staicu):
    """Moved until leg A lies along its first axis: its second joint may turn anywhere."""
    leg = replace(staicu.legs[0], base=[3, 0, 0], platform=[1, 0, 0], first_axis=[0, 0, 1])
    T = np.array([staicu.home, staicu.home])
    T[1, :3, 3] = [2.0, 0.0, 3.0]
    model = PlatformModel(replace(staicu, legs=(leg, *staicu.legs[1:])))
    with pytest.raises(PlatformError, match=r"pose \[1\]"):
        model.joint_motion(T, np.ones(6), STILL)


def test_nan_is_refused(model, staicu):
    V = np.array([0.0, 0.0, np.nan, 0.0, 0.0, 0.0])
    with pytest.raises(PlatformError, match=r"forces: .* holds nan at index \(2,\)"):
        model.forces(staicu.home, V, STILL)


def test_wrong_shape_is_refused(model, staicu):
    with pytest.raises(StateError, match=r"V has shape \(3,\)"):
        model.forces(staicu.home, np.zeros(3), STILL)


def test_heavier_leg_needs_more(staicu):
    leg = staicu.legs[0]
    heavy = replace(leg.bodies, piston=replace(leg.bodies.piston, mass=30.0))
    changed = replace(staicu, legs=(replace(leg, bodies=heavy), *staicu.legs[1:]))
    more = PlatformModel(changed).forces(staicu.home, STILL, STILL)
    assert more[0] > REST + 100.0
