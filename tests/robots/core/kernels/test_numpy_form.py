"""The NumPy form against direct evaluation, at the borders of its chunks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from robots.core.equations.algebra import numbers
from robots.core.equations.dynamics import newton_euler
from robots.core.equations.tree import tree_of
from robots.core.kernels.numpy_form import CHUNK, NumpyForm
from robots.core.quantities import quantity
from robots.core.recording import Recorder, recording_functions

FN = recording_functions()


def run(programme, *inputs):
    rows = [np.asarray(x, dtype=np.float64) for x in inputs]
    out = np.full((len(rows[0]), programme.result.size), np.nan)
    NumpyForm(programme).run(rows, out)
    return out


@pytest.mark.parametrize("count", [0, 1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
def test_any_number_of_samples(count, example):
    assert CHUNK == 4096
    programme, direct = example
    rng = np.random.default_rng(count)
    x, y = rng.uniform(-4, 4, size=(count, 3)), rng.uniform(-1, 1, size=(count, 2))
    found = run(programme, x, y)
    assert found.shape == (count, 5)
    # Numbers below 10, sines within 4e-16 of the library's.
    np.testing.assert_allclose(found, direct(x, y), rtol=1e-14, atol=4e-15)


def test_samples_do_not_depend_on_their_neighbours(example):
    programme, _ = example
    rng = np.random.default_rng(5)
    x, y = rng.uniform(-4, 4, size=(CHUNK + 40, 3)), rng.uniform(-1, 1, size=(CHUNK + 40, 2))
    whole = run(programme, x, y)
    for k in (0, 17, CHUNK - 1, CHUNK, CHUNK + 39):
        alone = run(programme, x[k : k + 1], y[k : k + 1])[0]
        # Vector and scalar loops of NumPy may round a tangent differently.
        np.testing.assert_allclose(alone, whole[k], rtol=1e-15, atol=4e-16)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_in_its_sample(value, example):
    programme, direct = example
    x, y = np.full((9, 3), 0.4), np.full((9, 2), -0.3)
    clean = direct(x, y)
    x[4, 1] = value
    with np.errstate(invalid="ignore"):
        found = run(programme, x, y)
    assert np.isnan(found[4, :2]).all()
    np.testing.assert_allclose(found[4, 2:], clean[4, 2:])
    others = np.arange(9) != 4
    np.testing.assert_allclose(found[others], clean[others], rtol=1e-15)


@pytest.mark.parametrize("seed", [0, 4, 7])
def test_a_recording_agrees_with_its_equations_on_floats(seed, make_mechanism):
    """Newton-Euler on plain floats against its recording: the same equations, two readings."""
    mechanism = make_mechanism(seed)
    n = mechanism.dof
    state = np.random.default_rng(seed).uniform(-2, 2, size=(3, n))
    expected = newton_euler(tree_of(mechanism), tuple(state), numbers())
    found = run(quantity("torques").record(mechanism), *(s[None] for s in state))[0]
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("scale", [1.0, 100.0, 1e5, 1e9])
def test_sine_and_cosine_by_the_half_angle(scale):
    """Within 1e-15 of the library everywhere, poles of the half angle's tangent included."""
    recorder = Recorder()
    (x,) = recorder.argument("x", (1,))
    programme = recorder.programme("both", [FN.sin(x), FN.cos(x)], (2,))
    angles = np.random.default_rng(0).uniform(-scale, scale, size=20_000)
    special = np.arange(-40, 41) * (math.pi / 4)
    angles = np.concatenate([angles, special, [0.0, -0.0, 5e-324, -1e-300]])
    found = run(programme, angles[:, None])
    expected = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    assert np.abs(found - expected).max() <= 1e-15


def test_one_value_may_be_several_outputs():
    recorder = Recorder()
    a, b = recorder.argument("x", (2,))
    total = a + b
    programme = recorder.programme("f", [total, -total, a, total, total * a], (5,))
    np.testing.assert_array_equal(run(programme, [[2.0, 3.0]]), [[5, -5, 2, 5, 10]])


def test_registers_are_reused():
    """A long chain of sums needs a handful of arrays, not one per value."""
    recorder = Recorder()
    x = recorder.argument("x", (2,))
    value = x[0]
    for k in range(200):
        value = FN.sin(value) + x[1] * float(k + 2)
    form = NumpyForm(recorder.programme("f", [value], ()))
    assert form._registers < 12
    out = np.empty((1, 1))
    form.run([np.array([[0.3, 0.2]])], out)
    expected = 0.3
    for k in range(200):
        expected = math.sin(expected) + 0.2 * (k + 2)
    assert out[0, 0] == pytest.approx(expected, rel=1e-9)
