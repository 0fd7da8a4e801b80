"""Joint speeds of a closed chain: the pseudo-inverse inside the bounds, the optimum on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.biped.stabiliser.two_feet_stabiliser import SpeedTask, closed_speeds
from tests.cases import cases

N, CLOSED, TASK = 9, 4, 2


def task(seed, bound=np.inf):
    rng = np.random.default_rng(seed)
    return SpeedTask(
        closure=rng.standard_normal((CLOSED, N)),
        jacobian=rng.standard_normal((TASK, N)),
        wanted=rng.standard_normal(TASK),
        damping=0.05,
        rest=0.1 * rng.standard_normal(N),
        mobility=rng.uniform(0.3, 3.0, N),
        lower=np.full(N, -bound),
        upper=np.full(N, bound),
    )


@pytest.mark.parametrize("seed", range(5))
def test_inside_the_bounds_it_is_the_damped_weighted_pseudo_inverse(seed):
    """q̇0 + W·Jᵀ·(J·W·Jᵀ + λ²·1)⁻¹·(v − J·q̇0) in coordinates that keep the closure."""
    one = task(seed)
    basis = np.linalg.svd(one.closure)[2][CLOSED:].T
    weight = np.linalg.inv(basis.T @ np.diag(1.0 / one.mobility) @ basis)
    start = basis @ weight @ basis.T @ (one.rest / one.mobility)
    J = one.jacobian @ basis
    square = J @ weight @ J.T + one.damping**2 * np.eye(TASK)
    wanted = start + basis @ weight @ J.T @ np.linalg.solve(
        square, one.wanted - one.jacobian @ start
    )
    # The closure is a row of weight 1e12 beside 1: it holds to 1e-12 of the joints' speed.
    np.testing.assert_allclose(closed_speeds(one), wanted, atol=1e-8)


@settings(max_examples=cases(gate=10, soak=40), deadline=None)
@given(seed=st.integers(0, 10_000), bound=st.floats(0.05, 1.0))
def test_within_the_bounds_nothing_is_better(seed, bound):
    """Conditions of the optimum: no slope at free joints, a push outwards at those on a bound."""
    one = task(seed, bound)
    speeds = closed_speeds(one)
    assert (np.abs(speeds) <= bound + 1e-12).all()
    slope = (speeds - one.rest) / one.mobility
    slope += one.jacobian.T @ (one.jacobian @ speeds - one.wanted) / one.damping**2
    slope += one.closure.T @ (one.closure @ speeds) * 1e12
    # Rows of weight 1e12 leave rounding of 1e-16·1e12 in the slope.
    low, high = speeds < -bound + 1e-12, speeds > bound - 1e-12
    assert (np.abs(slope[~(low | high)]) < 1e-2).all()
    assert (slope[low] > -1e-2).all()
    assert (slope[high] < 1e-2).all()


def test_a_joint_at_its_bound_is_relieved_by_the_others():
    one = task(3)
    free = closed_speeds(one)
    joint = int(np.argmax(np.abs(free)))
    upper = np.full(N, np.inf)
    lower = -upper
    lower[joint] = upper[joint] = 0.5 * free[joint]
    held = closed_speeds(replace(one, lower=lower, upper=upper))
    assert held[joint] == pytest.approx(0.5 * free[joint], abs=1e-9)
    assert np.abs(one.closure @ held).max() < 1e-9
    missed = [np.linalg.norm(one.jacobian @ x - one.wanted) for x in (held, free)]
    assert missed[0] < missed[1] + 0.05 * np.linalg.norm(one.wanted)
