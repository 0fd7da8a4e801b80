"""Joint rates from the tool's motion: all of five and six joints, a part of seven."""

from dataclasses import replace

import numpy as np
import pytest

from planner.proof.rates import recovered_rates
from robots.core.model import Model
from robots.library import load


def motion(mechanism, count=50, seed=0):
    rng = np.random.default_rng(seed)
    low, high = (np.clip(limit, -3.0, 3.0) for limit in (mechanism.q_min, mechanism.q_max))
    q = low + (high - low) * (0.1 + 0.8 * rng.random((count, mechanism.dof)))
    return q, rng.normal(size=q.shape), rng.normal(size=q.shape)


@pytest.mark.parametrize("name", ["measuring-arm", "industrial-6r", "industrial-7r", "gantry-5"])
def test_nothing_is_left_of_a_consistent_motion(name):
    mechanism = load(name)
    found = recovered_rates(Model(mechanism), motion(mechanism))
    # Rounding of J, magnified by its condition number, of rates of a few units.
    allowed = 1e-14 * np.maximum(found.condition, 10.0)[:, None] * 20.0
    assert found.condition.max() < 1e6
    assert np.all(np.abs(found.first) < allowed)
    assert np.all(np.abs(found.second) < 100.0 * allowed)


@pytest.mark.parametrize("name", ["measuring-arm", "industrial-6r", "industrial-7r"])
def test_a_model_that_moves_otherwise_is_found_out(name):
    """The tool's speed as another model tells it, with the last link 1 mm longer."""
    mechanism = load(name)
    q, qd, qdd = motion(mechanism)
    tool = mechanism.tool.copy()
    tool[:3, 3] += [1e-3, 2e-3, 1e-3]
    model, other = Model(mechanism), Model(replace(mechanism, tool=tool))

    class Mixed:
        dof, kernel = model.dof, staticmethod(model.kernel)
        jacobian, forward = staticmethod(model.jacobian), staticmethod(model.forward)
        velocity = staticmethod(other.velocity)
        acceleration = staticmethod(other.acceleration)
        bias_acceleration = staticmethod(model.bias_acceleration)

    found = recovered_rates(Mixed(), (q, qd, qdd))
    assert np.median(np.abs(found.first).max(axis=1)) > 1e-3


def test_what_the_tool_does_not_show_is_not_asked_for():
    """Seven joints: a motion within the null space leaves nothing to find."""
    mechanism = load("industrial-7r")
    model = Model(mechanism)
    q, _, _ = motion(mechanism)
    swing = np.linalg.svd(model.jacobian(q))[2][:, -1]
    found = recovered_rates(model, (q, swing, np.zeros_like(swing)))
    assert np.abs(found.first).max() < 1e-12


def test_what_is_not_a_number_stays():
    for name in ("measuring-arm", "industrial-6r"):
        mechanism = load(name)
        q, qd, qdd = motion(mechanism, 4)
        q[2] = np.nan
        found = recovered_rates(Model(mechanism), (q, qd, qdd))
        assert np.isnan(found.first).any()
        assert np.isfinite(found.first[0]).all()
