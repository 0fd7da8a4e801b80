"""Derivative of a programme: closed forms, finite differences, and the mechanics behind it."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.errors import EquationError
from robots.core.kernels import Kernel
from robots.core.model import Model
from robots.core.quantities import quantity
from robots.core.recording import Recorder, derivative, recording_functions
from tests.cases import cases, some

FN = recording_functions()


def recorded(equation, *sizes, shape=None):
    """A programme of the arguments x, y, … with one number per output."""
    recorder = Recorder()
    arguments = [recorder.argument("xyz"[k], (size,)) for k, size in enumerate(sizes)]
    outputs = equation(*arguments)
    return recorder.programme("f", outputs, shape or (len(outputs),))


CLOSED_FORMS = {
    "constant": (lambda _: [3.5], lambda _: 0.0),
    "identity": (lambda x: [x[0]], lambda _: 1.0),
    "negated": (lambda x: [-x[0]], lambda _: -1.0),
    "polynomial": (lambda x: [x[0] * x[0] * x[0] - 4.0 * x[0] + 1.0], lambda x: 3 * x * x - 4),
    "subtraction": (lambda x: [2.0 - x[0] * x[0]], lambda x: -2 * x),
    "sine": (lambda x: [FN.sin(2.0 * x[0])], lambda x: 2 * np.cos(2 * x)),
    "cosine": (lambda x: [FN.cos(x[0] * x[0])], lambda x: -2 * x * np.sin(x * x)),
    "root": (lambda x: [FN.sqrt(x[0] + 3.0)], lambda x: 0.5 / np.sqrt(x + 3)),
    "quotient": (
        lambda x: [FN.sin(x[0]) / (2.0 + x[0])],
        lambda x: (np.cos(x) * (2 + x) - np.sin(x)) / (2 + x) ** 2,
    ),
    "inverse": (lambda x: [-(1.0 / (x[0] + 4.0))], lambda x: 1 / (x + 4) ** 2),
    "sign": (lambda x: [FN.sign(x[0]) * x[0]], np.sign),
    "larger": (
        lambda x: [FN.maximum(x[0] * x[0], -(3.0 * x[0]))],
        lambda x: np.where(x * x > -3 * x, 2 * x, -3.0),
    ),
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_rules_of_differentiation(name):
    equation, expected = CLOSED_FORMS[name]
    found = derivative(recorded(equation, 1), "x")
    assert found.result.shape == (1, 1)
    x = np.linspace(-1.7, 1.9, 12)[:, None]  # no sample at zero, where the sign has no derivative
    # A handful of operations near one: rounding only.
    np.testing.assert_allclose(
        Kernel(found, "numpy")(x)[:, 0, 0],
        np.broadcast_to(expected(x[:, 0]), 12),
        rtol=1e-14,
        atol=1e-14,
    )


def test_shape_is_the_results_with_the_place_in_the_argument_last():
    programme = recorded(lambda x, y: [x[0] * y[1], y[2], x[1], 1.0], 2, 3, shape=(2, 2))
    by_y = derivative(programme, "y")
    assert by_y.name == "f_by_y"
    assert by_y.arguments == programme.arguments
    assert by_y.result.shape == (2, 2, 3)
    J = Kernel(by_y)([5.0, 7.0], [1.0, 1.0, 1.0])
    expected = [[[0, 5, 0], [0, 0, 1]], [[0, 0, 0], [0, 0, 0]]]
    np.testing.assert_array_equal(J, expected)


def test_an_argument_of_several_dimensions_is_numbered_row_by_row():
    recorder = Recorder()
    M = recorder.argument("M", (2, 2))
    determinant = recorder.programme("det", [M[0] * M[3] - M[1] * M[2]], ())
    cofactors = Kernel(derivative(determinant, "M"))([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(cofactors, [4, -3, -2, 1])


def test_second_derivatives_are_symmetric():
    programme = recorded(lambda x: [FN.sin(x[0] * x[1]) / (2.0 + x[2] * x[2])], 3)
    hessian = Kernel(derivative(derivative(programme, "x"), "x"))([0.3, -0.7, 1.1])[0]
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-15)


def test_values_and_derivatives_share_sines_and_cosines():
    programme = recorded(lambda x: [FN.sin(x[0]) * FN.cos(x[0])], 1)
    assert derivative(programme, "x").counts.sines_cosines == 2


def test_an_unknown_argument_is_named_with_those_that_exist():
    with pytest.raises(EquationError, match="no argument 'z' to differentiate by; it has x, y"):
        derivative(recorded(lambda x, y: [x[0] + y[0]], 1, 1), "z")


def test_the_root_at_zero_has_no_derivative():
    found = derivative(recorded(lambda x: [FN.sqrt(x[0])], 1), "x")
    with np.errstate(divide="ignore"):
        assert np.isinf(Kernel(found, "numpy")([0.0])).all()


def test_nan_stays_in_its_own_derivatives():
    found = derivative(recorded(lambda x: [x[0] * x[0], x[1] * x[1]], 2), "x")
    J = Kernel(found, "numpy")([np.nan, 2.0])
    assert np.isnan(J[0, 0])
    np.testing.assert_array_equal(J[1], [0.0, 4.0])


# --- mechanisms ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(3), gate=1))
@pytest.mark.parametrize("name", ["torques", "forward_dynamics", "jacobian", "energies"])
def test_derivatives_agree_with_finite_differences(name, seed, make_mechanism):
    mechanism = make_mechanism(seed)
    programme = quantity(name).record(mechanism)
    rng = np.random.default_rng(seed)
    state = [rng.uniform(-1, 1, size=argument.shape) for argument in programme.arguments]
    n, h = mechanism.dof, 1e-4
    for place, argument in enumerate(programme.arguments):
        found = Kernel(derivative(programme, argument.name), "numpy")(*state)
        steps = np.array([-2, -1, 1, 2])[:, None, None] * h * np.eye(n)
        moved = [*state[:place], state[place] + steps, *state[place + 1 :]]
        values = Kernel(programme, "numpy")(*moved)
        weights = np.array([1, -8, 8, -1]) / (12 * h)
        expected = np.moveaxis(np.einsum("sk...,s->k...", values, weights), 0, -1)
        # Fourth order: truncation h⁴ = 1e-16 times a fifth derivative, rounding 1e-16/h = 1e-12;
        # the latter meets the condition of the mass matrix in the forward dynamics.
        scale = max(1.0, np.abs(expected).max())
        assert np.abs(found - expected).max() <= 1e-8 * scale


@pytest.mark.parametrize("seed", range(cases(gate=3, soak=60)))
def test_christoffel_terms_of_the_mass_matrix_are_the_lagrange_coefficients(seed, make_mechanism):
    """B and C from exact derivatives of A.

    Source: [LAMMARI12] §IV.4; [LIEGEOIS80] eqs. (3-18) with the corrected factors of sources.md.
    """
    mechanism = make_mechanism(seed)
    programme = derivative(quantity("mass_matrix").record(mechanism), "q")
    n = mechanism.dof
    q = np.random.default_rng(seed).uniform(-2.5, 2.5, size=(2, n))
    dA = Kernel(programme, "numpy")(q)  # dA_ij/dq_k
    B = dA + np.swapaxes(dA, -1, -2) - np.einsum("...jki->...ijk", dA)
    C = np.einsum("...ijj->...ij", dA) - 0.5 * np.einsum("...jji->...ij", dA)
    found = Model(mechanism, "numpy").lagrange(q)
    upper = np.triu(np.ones((n, n)), 1).astype(bool)
    scale = max(1.0, np.abs(found.B).max(), np.abs(found.C).max())
    assert np.abs(found.B[..., upper] - B[..., upper]).max(initial=0.0) <= 1e-10 * scale
    assert np.abs(found.C - C).max() <= 1e-10 * scale


@pytest.mark.parametrize("seed", range(cases(gate=3, soak=20)))
def test_derivative_of_the_pose_is_the_geometric_jacobian(seed, make_mechanism):
    """∂p/∂q is the linear part; (∂R/∂q)·Rᵀ is the cross-product matrix of the angular part."""
    mechanism = make_mechanism(seed)
    q = np.random.default_rng(seed).uniform(-2.5, 2.5, size=mechanism.dof)
    dT = Kernel(derivative(quantity("forward").record(mechanism), "q"), "numpy")(q)
    model = Model(mechanism, "numpy")
    J, T = model.jacobian(q), model.forward(q)
    np.testing.assert_allclose(dT[:3, 3], J[:3], atol=1e-13)
    spin = np.einsum("ijk,lj->ilk", dT[:3, :3], T[:3, :3])
    np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], J[3:], atol=1e-13)
    assert not np.any(dT[3])


@pytest.mark.parametrize("seed", range(cases(gate=3, soak=20)))
def test_gravity_torques_are_the_derivative_of_the_potential_energy(seed, make_mechanism):
    mechanism = make_mechanism(seed)
    q = np.random.default_rng(seed).uniform(-2.5, 2.5, size=mechanism.dof)
    slope = Kernel(derivative(quantity("energies").record(mechanism), "q"), "numpy")
    found = slope(q, np.zeros(mechanism.dof))[1]
    expected = Model(mechanism, "numpy").gravity_torques(q)
    np.testing.assert_allclose(found, expected, atol=1e-11 * max(1.0, np.abs(expected).max()))


def test_what_has_no_derivative_here_is_refused():
    programme = recorded(lambda x: [FN.atan2(x[0], x[1])], 2)
    with pytest.raises(EquationError, match="no derivative here"):
        derivative(programme, "x")
