"""What a sub-robot delivers: derivatives, the free base's blocks, shapes, refusals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from robots.core.composite.coupling import floating_base, joined
from robots.core.composite.sub_model import inertia_rate, sub_model
from robots.core.errors import MechanismError, StateError
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from tests.cases import some

Make = Callable[..., Mechanism]


@pytest.mark.parametrize("seed", some([2, 7, 31], gate=2))
def test_derivatives_are_those_of_the_values(make_mechanism: Make, seed: int) -> None:
    mechanism = make_mechanism(seed)
    model, n, h = Model(mechanism, "numpy"), mechanism.dof, 1e-5
    q = np.random.default_rng(seed).normal(size=n)
    ends = [sub_model(model, q + s * h * np.eye(n)) for s in (1, -1)]
    found = sub_model(model, q)
    for name in ("motion", "mass_matrix", "inertia", "momentum"):
        a, b = (getattr(end, name) for end in ends)
        rate = np.moveaxis((a - b) / (2 * h), 0, -1)
        # Central differences: h² from the series, 1e-16/h from rounding, times entries near 10.
        assert pytest.approx(rate, abs=1e-8) == getattr(found, f"d_{name}")


def test_blocks_are_the_inertia_matrix_on_a_floating_base(spatial: Make) -> None:
    """At zero pose and speed the six passive joints' speeds are the base's motion."""
    robot, q = spatial(3), np.array([0.3, -0.4, 1.0, 0.2])
    whole = joined(floating_base((0, 0, 0)), robot, link="base yaw")
    A = Model(whole, "numpy").mass_matrix(np.concatenate([np.zeros(6), q]))
    found = sub_model(Model(robot, "numpy"), q)
    assert pytest.approx(A[:6, :6], abs=1e-12) == found.inertia
    assert pytest.approx(A[:6, 6:], abs=1e-12) == found.momentum
    assert pytest.approx(A[6:, 6:], abs=1e-12) == found.mass_matrix


def test_momentum_is_mass_times_com_velocity(make_mechanism: Make) -> None:
    mechanism = make_mechanism(8)
    q = np.random.default_rng(8).normal(size=(4, mechanism.dof))
    found = sub_model(Model(mechanism, "numpy"), q)
    J = Model(mechanism, "numpy").center_of_mass_jacobian(q)
    assert pytest.approx(mechanism.total_mass * J, abs=1e-12) == found.momentum[..., :3, :]


def test_lagrange_comes_back_from_its_own_derivative(make_mechanism: Make) -> None:
    mechanism = make_mechanism(12)
    q = np.random.default_rng(1).normal(size=(2, 3, mechanism.dof))
    truth = Model(mechanism, "numpy").lagrange(q)
    found = sub_model(Model(mechanism, "numpy"), q).lagrange(mechanism.gravity)
    for name in ("A", "B", "C", "gravity"):
        assert pytest.approx(getattr(truth, name), abs=1e-11) == getattr(found, name)
    rate = inertia_rate(truth.B, truth.C)
    assert pytest.approx(np.swapaxes(rate, -3, -2), abs=1e-12) == rate


def test_values_are_read_only_and_batches_are_states(spatial: Make) -> None:
    model = Model(spatial(1), "numpy")
    q = np.random.default_rng(0).normal(size=(2, 4))
    both, first = sub_model(model, q), sub_model(model, q[0])
    assert both.d_motion.shape == (2, 5, 6, 4, 4)
    assert pytest.approx(first.d_momentum, abs=1e-14) == both.d_momentum[0]
    with pytest.raises(ValueError, match="read-only"):
        first.mass_matrix[0, 0] = 1.0


def test_links_can_be_left_out(spatial: Make) -> None:
    robot = sub_model(Model(spatial(1), "numpy"), np.zeros(4))
    small = robot.only("q3")
    assert small.links == ("", "q3")
    assert pytest.approx(robot.jacobian("q3"), abs=0) == small.jacobian("q3")
    assert small.mass_matrix is not robot.mass_matrix
    with pytest.raises(MechanismError, match="no link 'q2'; there are '', 'q3'"):
        small.jacobian("q2")


@pytest.mark.parametrize(
    "q", [np.zeros(3), np.array([0, 0, np.nan, 0]), np.array(1.0), [np.inf] * 4]
)
def test_states_that_are_none(spatial: Make, q: object) -> None:
    with pytest.raises(StateError, match="give 4 finite joint values"):
        sub_model(Model(spatial(1), "numpy"), q)


def test_arrays_of_another_shape(spatial: Make) -> None:
    robot = sub_model(Model(spatial(1), "numpy"), np.zeros(4))
    with pytest.raises(StateError, match=r"momentum has shape \(6, 3\).*must be \(6, 4\)"):
        robot.with_values(momentum=np.zeros((6, 3)))
