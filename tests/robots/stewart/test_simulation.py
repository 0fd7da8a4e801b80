"""Simulation: energy is kept, the order is four, a known motion comes back, rotations stay such."""

from __future__ import annotations

import numpy as np
import pytest

from robots.stewart.errors import PlatformError
from robots.stewart.model import PlatformModel
from robots.stewart.simulation import SimulatedMotion, simulate

V0 = np.array([0.2, -0.1, 0.3, 0.4, -0.3, 0.5])


@pytest.fixture(scope="module")
def model(make_platform, without_friction) -> PlatformModel:
    return PlatformModel(without_friction(make_platform(61)), "compiled")


@pytest.fixture(scope="module")
def hold(model) -> np.ndarray:
    return model.forces(model.platform.home, np.zeros(6), np.zeros(6))


def drift(model: PlatformModel, found: SimulatedMotion, hold: np.ndarray) -> float:
    """Change of energy less the work of the constant forces, which is f·(l - l0)."""
    energies = model.energies(found.T, found.V)
    kept = energies.kinetic + energies.potential - model.lengths(found.T) @ hold
    return float(np.abs(kept - kept[0]).max() / energies.kinetic.max())


def test_energy_is_kept(model, hold):
    """Half a second of large motion: 1e-8 of the kinetic energy at 2 ms; and fourth order."""
    home = model.platform.home
    drifts = [
        drift(model, simulate(model, home, V0, lambda *_: hold, duration=0.5, step=step), hold)
        for step in (0.004, 0.002)
    ]
    assert drifts[1] < 1e-8
    assert 10.0 < drifts[0] / drifts[1] < 24.0


def test_rotations_stay_rotations(model, hold):
    found = simulate(model, model.platform.home, V0, lambda *_: hold, duration=0.5, step=0.004)
    R = found.T[:, :3, :3]
    assert np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < 1e-13
    assert found.time[-1] == 0.5
    assert len(found.time) == 126


def test_forces_of_the_published_motion_bring_it_back(staicu, published):
    """Inverse dynamics as the law: the simulated motion is the prescribed one."""
    model = PlatformModel(staicu, "compiled")

    def law(t: float, *_: np.ndarray) -> np.ndarray:
        m = published(t)
        return model.forces(m.T, m.V, m.A)

    start = published(0.0)
    found = simulate(model, start.T, start.V, law, duration=0.5, step=0.01)
    expected = published(found.time)
    assert np.abs(found.T - expected.T).max() < 1e-8
    assert np.abs(found.V - expected.V).max() < 1e-7


def test_friction_only_loses_energy(make_model):
    model = make_model(31, engine="compiled")
    home = model.platform.home
    hold = model.forces(home, np.zeros(6), np.zeros(6))
    found = simulate(model, home, V0, lambda *_: hold, duration=0.1, step=0.002)
    energies = model.energies(found.T, found.V)
    kept = energies.kinetic + energies.potential - model.lengths(found.T) @ hold
    assert np.all(np.diff(kept) < 0)


@pytest.mark.parametrize(("duration", "step"), [(0.0, 0.1), (1.0, -0.1), (np.nan, 0.1)])
def test_no_time_is_refused(model, hold, duration, step):
    with pytest.raises(PlatformError, match="must be above zero"):
        simulate(model, model.platform.home, V0, lambda *_: hold, duration=duration, step=step)


def test_a_batch_of_starts_is_refused(model, hold):
    T = np.tile(model.platform.home, (2, 1, 1))
    with pytest.raises(PlatformError, match="starts from one pose"):
        simulate(model, T, V0, lambda *_: hold, duration=1.0, step=0.1)


def test_a_motion_without_bounds_is_reported_with_its_time(model):
    """Forces that grow with the speed, far too long steps."""

    def law(_: float, T: np.ndarray, V: np.ndarray) -> np.ndarray:
        return 1e5 * model.length_rates(T, V)

    with pytest.raises(PlatformError, match=r"runs away: at 0\.\d+ s") as caught:
        simulate(model, model.platform.home, V0, law, duration=5.0, step=0.05)
    assert caught.value.facts["time"] < 1.0
