"""Tasks and targets: rows of the twist, rates in the task's own terms, gaps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.errors import InverseError, PoseError
from robots.core.inverse import Target, Task
from robots.core.inverse.null_space import jacobian_derivative, task_jacobian_derivative
from robots.core.model import Model
from tests.cases import cases

STEP = 1e-6


def posture(model, seed):
    return np.random.default_rng(seed).uniform(-1.5, 1.5, model.dof)


@pytest.mark.parametrize("task", Task)
@settings(max_examples=cases(gate=4, soak=10), deadline=None)
@given(seed=st.integers(0, 500))
def test_the_gap_shrinks_by_the_task_jacobian(make_mechanism, task, seed):
    """First order: gap(q) - gap(q + δ) = J·δ, for a target close by (oracle: differences)."""
    model = Model(make_mechanism(seed), "numpy")
    rng = np.random.default_rng(seed)
    q = posture(model, seed)
    target = Target(task=task, T=model.forward(q))
    delta = rng.normal(size=model.dof) * STEP
    made = -target.gap(model.forward(q + delta)).rows
    # Central value of a second-order term: |δ|² ≈ 1e-11 against |J·δ| ≈ 1e-6.
    assert made == pytest.approx(task.jacobian(model, q) @ delta, abs=1e-10)


@pytest.mark.parametrize("task", Task)
def test_rates_in_own_terms_and_twists_agree(make_mechanism, task):
    """What a twist makes of the task, asked for again, gives the same rows."""
    model = Model(make_mechanism(3))
    rng = np.random.default_rng(0)
    q, qd = rng.normal(size=(2, 4, model.dof))
    R = model.forward(q)[..., :3, :3]
    twist = model.velocity(q, qd)
    again = task.twist(R, task.rate(R, twist))
    S = task.selection(R)
    rows = (S @ twist[..., None])[..., 0]
    assert (S @ again[..., None])[..., 0] == pytest.approx(rows, abs=1e-13)
    assert rows.shape == (4, task.size)
    assert task.rate(R, twist).shape == (4, task.rate_size)


def test_the_rate_of_an_axis_is_its_derivative(make_mechanism):
    model = Model(make_mechanism(5))
    rng = np.random.default_rng(1)
    q, qd = rng.normal(size=(2, model.dof))
    ahead, behind = (model.forward(q + s * STEP * qd)[:3, 2] for s in (1, -1))
    rate = Task.AXIS.rate(model.forward(q)[:3, :3], model.velocity(q, qd))
    assert rate == pytest.approx((ahead - behind) / (2 * STEP), abs=1e-8)  # h² and rounding/h


def test_the_axis_rows_are_normal_to_the_axis_and_free_of_spin():
    R = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
    S = Task.POSITION_AND_AXIS.selection(R)
    assert S.shape == (5, 6)
    assert S[3:, 3:] @ R[:, 2] == pytest.approx([0, 0], abs=1e-15)
    assert S[3:, 3:] @ S[3:, 3:].T == pytest.approx(np.eye(2), abs=1e-15)


def test_an_axis_target_asks_for_the_smallest_turn():
    gap = Target.position_and_axis([1, 2, 3], [0, 1, 1]).gap(np.eye(4))
    assert gap.twist == pytest.approx([1, 2, 3, -np.pi / 4, 0, 0])
    assert gap.position == pytest.approx(np.sqrt(14))
    assert gap.angle == pytest.approx(np.pi / 4)


def test_opposite_axes_are_half_a_turn_apart():
    gap = Target.axis([0, 0, -2]).gap(np.eye(4))
    assert gap.angle == pytest.approx(np.pi)


def test_tiny_turns_are_not_lost_to_rounding():
    """1e-12 rad is below what an axis can be told from, yet the gap must still be measured."""
    gap = Target.axis([0.7e-12, 0.7e-12, 1.0]).gap(np.eye(4))
    assert gap.angle == pytest.approx(0.7e-12 * np.sqrt(2), rel=1e-3)


def test_plane_targets():
    pose = Target.plane_pose([0.3, 0.4], 0.2)
    assert pose.gap(np.eye(4)).rows == pytest.approx([0.3, 0.4, 0.2])
    assert Target.plane_position([0.3, 0.4]).gap(np.eye(4)).position == pytest.approx(0.5)


@settings(max_examples=cases(gate=6, soak=25), deadline=None)
@given(seed=st.integers(0, 500))
def test_the_jacobian_derivative_matches_differences(make_mechanism, seed):
    model = Model(make_mechanism(seed), "numpy")
    q = posture(model, seed)
    for task in (None, Task.POSITION_AND_AXIS, Task.POSE):

        def jacobian(at, task=task):
            return model.jacobian(at) if task is None else task.jacobian(model, at)

        slopes = (
            jacobian_derivative(model.jacobian(q))
            if task is None
            else task_jacobian_derivative(model, task, q)
        )
        for k in range(model.dof):
            h = STEP * np.eye(model.dof)[k]
            found = (jacobian(q + h) - jacobian(q - h)) / (2 * STEP)
            # Truncation h² ≈ 1e-12, rounding 1e-16/h ≈ 1e-10, with room for long trees.
            assert slopes[..., k] == pytest.approx(found, abs=2e-8)


def test_the_jacobian_derivative_gives_the_bias_acceleration(make_mechanism):
    model = Model(make_mechanism(11))
    q, qd = np.random.default_rng(4).normal(size=(2, 7, model.dof))
    slopes = jacobian_derivative(model.jacobian(q))
    found = np.einsum("...ijk,...j,...k->...i", slopes, qd, qd)
    assert found == pytest.approx(model.bias_acceleration(q, qd), abs=1e-10)


def test_wrong_targets_and_rates_are_refused():
    with pytest.raises(PoseError, match="points nowhere"):
        Target.axis([0, 0, 0])
    with pytest.raises(PoseError, match="A target point"):
        Target.position([0, 0, np.nan])
    with pytest.raises(PoseError):
        Target.pose(np.zeros((4, 4)))
    with pytest.raises(InverseError, match="has 6 components"):
        Task.POSITION_AND_AXIS.twist(np.eye(3), np.zeros(5))
    with pytest.raises(InverseError, match="not finite"):
        Task.POSITION.twist(np.eye(3), np.array([np.nan, 0, 0]))
