"""Kernels as users call them: shapes, errors, and which engine runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from robots.core.errors import EquationError, StateError
from robots.core.kernels import Kernel, kernel
from robots.core.quantities import quantity
from robots.core.recording import Recorder
from robots.library import load


@pytest.fixture(params=["numpy", "compiled"])
def engine(request):
    if request.param == "compiled":
        request.getfixturevalue("machine")
    return request.param


def test_leading_shapes_broadcast(engine, example):
    programme, direct = example
    f = Kernel(programme, engine)
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-2, 2, size=(4, 1, 3)), rng.uniform(-2, 2, size=(5, 2))
    found = f(x, y)
    assert found.shape == (4, 5, 5)
    expected = direct(*(np.broadcast_to(a, (4, 5, a.shape[-1])) for a in (x, y)))
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)
    assert f(x[0, 0], y[0]).shape == (5,)
    assert f(x[:0], y).shape == (0, 5, 5)


def test_lists_integers_and_strided_arrays_are_taken(engine, example):
    programme, direct = example
    f = Kernel(programme, engine)
    np.testing.assert_allclose(f([1, 2, 3], [4, 5]), direct(np.arange(1.0, 4), np.arange(4.0, 6)))
    wide = np.random.default_rng(1).uniform(-2, 2, size=(7, 10))
    turned = np.asfortranarray(wide)
    expected = direct(wide[::2, 6:0:-2], wide[::2, 7:9])
    found = f(turned[::2, 6:0:-2], turned[::2, 7:9])
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)


def test_arguments_and_results_of_several_dimensions(engine):
    recorder = Recorder()
    M, k = recorder.argument("M", (2, 2)), recorder.argument("k", ())
    turned = [k[0] * M[2 * j + i] for i in range(2) for j in range(2)]
    f = Kernel(recorder.programme("turned", turned, (2, 2)), engine)
    matrices = np.random.default_rng(0).normal(size=(3, 11, 2, 2))
    factors = np.arange(11.0)
    expected = factors[:, None, None] * np.swapaxes(matrices, -1, -2)
    np.testing.assert_allclose(f(matrices, factors), expected, rtol=1e-15)


def test_the_result_may_be_given(engine, example):
    programme, direct = example
    x, y = np.full((6, 3), 0.5), np.full((6, 2), 0.25)
    out = np.full((6, 5), np.nan)
    assert Kernel(programme, engine)(x, y, out=out) is out
    np.testing.assert_allclose(out, direct(x, y), rtol=1e-14)


def test_inputs_are_left_alone(engine, example):
    programme, _ = example
    x, y = np.full((6, 3), 0.5), np.full((6, 2), 0.25)
    Kernel(programme, engine)(x, y)
    assert np.all(x == 0.5)
    assert np.all(y == 0.25)


# --- refusals ------------------------------------------------------------------------------------


def test_the_number_of_arrays_is_checked(example):
    with pytest.raises(StateError, match=r"takes 2 arrays \(x, y\), but 1 were given"):
        Kernel(example[0])(np.zeros(3))


@pytest.mark.parametrize("shape", [(2,), (4,), (3, 1), ()])
def test_the_shape_of_an_array_is_checked(shape, example):
    with pytest.raises(
        StateError, match=r"x has shape .*; its last dimensions must be \(3,\)"
    ) as e:
        Kernel(example[0])(np.zeros(shape), np.zeros(2))
    assert e.value.facts["argument"] == "x"
    assert e.value.facts["found"] == shape


def test_numbers_of_samples_that_do_not_fit_are_refused(example):
    with pytest.raises(StateError, match=r"have \(4,\), \(5,\) samples; give the same number"):
        Kernel(example[0])(np.zeros((4, 3)), np.zeros((5, 2)))


@pytest.mark.parametrize(
    "out",
    [
        np.empty((6, 4)),
        np.empty((6, 5), dtype=np.float32),
        np.empty((5, 6)).T,
        np.empty((6, 10))[:, ::2],
    ],
)
def test_a_result_array_that_does_not_fit_is_refused(out, example):
    with pytest.raises(StateError, match=r"C-contiguous float64 array of shape \(6, 5\)"):
        Kernel(example[0])(np.zeros((6, 3)), np.zeros((6, 2)), out=out)


def test_an_unknown_engine_is_refused(example):
    with pytest.raises(EquationError, match="no engine 'fast'"):
        Kernel(example[0], "fast")


# --- which engine runs ---------------------------------------------------------------------------


def test_machine_code_runs_from_the_first_state_on(example, machine):
    assert machine is not None
    programme, direct = example
    f = Kernel(programme)
    f(np.zeros(3), np.zeros(2))
    assert f._compiled is not None
    assert f._compiled.target == machine
    x, y = np.full((100, 3), 0.3), np.full((100, 2), 0.2)
    np.testing.assert_allclose(f(x, y), direct(x, y), rtol=1e-14)
    assert f._numpy is None


def test_a_single_use_compiles_only_where_that_call_repays_it(example, monkeypatch, machine):
    assert machine is not None
    programme, direct = example
    monkeypatch.setattr(kernel, "COMPILATION_PAYS", 100 * programme.work)
    f = Kernel(programme, "single-use")
    for _ in range(3):
        f(np.zeros((99, 3)), np.zeros(2))
    assert f._compiled is None
    x, y = np.full((100, 3), 0.3), np.full((100, 2), 0.2)
    np.testing.assert_allclose(f(x, y), direct(x, y), rtol=1e-14)
    assert f._compiled is not None


def test_a_long_programme_is_compiled_without_optimising(machine):
    """Lagrange's coefficients of fifteen joints would take half a minute."""
    long, short = (
        Kernel(quantity("lagrange").record(load(name)), "compiled")
        for name in ("measuring-arm", "planar-3r")
    )
    for f, effort in ((long, 0), (short, 3)):
        assert f._machine_code().target == replace(machine, effort=effort)
        q = np.random.default_rng(0).uniform(-2, 2, (9, *f.programme.arguments[0].shape))
        expected = Kernel(f.programme, "numpy")(q)
        np.testing.assert_allclose(f(q), expected, atol=1e-12 * np.abs(expected).max())


def test_without_a_machine_to_compile_for_numpy_runs(example, monkeypatch):
    programme, direct = example
    monkeypatch.setattr(kernel, "this_machine", lambda: None)
    x, y = np.full((5, 3), 0.3), np.full((5, 2), 0.2)
    np.testing.assert_allclose(Kernel(programme)(x, y), direct(x, y), rtol=1e-14)
    with pytest.raises(EquationError, match=r"no fused multiply-add.*numpy"):
        Kernel(programme, "compiled")(x, y)
