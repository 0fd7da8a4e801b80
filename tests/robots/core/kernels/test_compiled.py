"""Machine code against the NumPy form: remainders, threads, what is not finite, accuracy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from robots.core.kernels import Kernel
from robots.core.kernels.compiled import compiled_form
from robots.core.kernels.llvm import RANGE, llvm_text
from robots.core.quantities import QUANTITIES, quantity
from robots.core.recording import Recorder, recording_functions
from tests.cases import some

pytestmark = pytest.mark.usefixtures("machine")
FN = recording_functions()


def agree(found, expected):
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    assert np.abs(found - expected).max(initial=0.0) <= 1e-12 * scale


@pytest.mark.parametrize("seed", some([6, 1, 11], gate=1))
def test_every_quantity_agrees_with_numpy(seed, make_mechanism):
    mechanism = make_mechanism(seed)
    rng = np.random.default_rng(seed)
    for name in QUANTITIES:
        programme = quantity(name).record(mechanism)
        state = [rng.uniform(-2, 2, size=(13, *a.shape)) for a in programme.arguments]
        agree(Kernel(programme, "compiled")(*state), Kernel(programme, "numpy")(*state))


def test_remainders_of_every_length(example):
    programme, direct = example
    compiled = Kernel(programme, "compiled")
    rng = np.random.default_rng(0)
    for count in range(18):
        x, y = rng.uniform(-4, 4, size=(count, 3)), rng.uniform(-1, 1, size=(count, 2))
        agree(compiled(x, y), direct(x, y))


@pytest.mark.parametrize("size", range(1, 20))
def test_rows_of_every_width_are_read_and_written(size):
    """Each output is its input's neighbour, so a wrong lane shows as a wrong number."""
    recorder = Recorder()
    x = recorder.argument("x", (size,))
    outputs = [x[k] * 2.0 + x[k - 1] for k in range(size)]
    compiled = Kernel(recorder.programme("f", outputs, (size,)), "compiled")
    rows = np.arange(21.0 * size).reshape(21, size)
    np.testing.assert_array_equal(compiled(rows), rows * 2 + np.roll(rows, 1, axis=1))


@pytest.mark.parametrize("count", [0, 1, 7, 16, 1001])
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_give_the_same_bits(count, threads, example):
    programme, _ = example
    compiled = Kernel(programme, "compiled")
    rng = np.random.default_rng(count)
    x, y = rng.uniform(-4, 4, size=(count, 3)), rng.uniform(-1, 1, size=(count, 2))
    np.testing.assert_array_equal(compiled(x, y, threads=threads), compiled(x, y))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 5, 16])
def test_what_is_not_finite_stays_in_its_sample(value, place, example):
    programme, direct = example
    x, y = np.full((17, 3), 0.4), np.full((17, 2), -0.3)
    clean = direct(x, y)
    x[place, 1] = value
    found = Kernel(programme, "compiled")(x, y)
    assert np.isnan(found[place, :2]).all()
    agree(found[place, 2:], clean[place, 2:])
    others = np.arange(17) != place
    agree(found[others], clean[others])


def test_torques_of_a_bad_sample_leave_the_others_alone(make_mechanism):
    mechanism = make_mechanism(6)
    compiled = Kernel(quantity("torques").record(mechanism), "compiled")
    state = np.random.default_rng(0).uniform(-2, 2, size=(3, 11, mechanism.dof))
    clean = compiled(*state)
    state[0, 3, -1] = np.nan
    dirty = compiled(*state)
    others = np.arange(11) != 3
    np.testing.assert_array_equal(dirty[others], clean[others])
    assert np.isnan(dirty[3]).any()


# --- single operations ---------------------------------------------------------------------------


def unary(function):
    recorder = Recorder()
    (x,) = recorder.argument("x", (1,))
    f = Kernel(recorder.programme("f", [function(x)], ()), "compiled")
    return lambda values: f(np.asarray(values, dtype=np.float64)[:, None])


def test_signs():
    values = [-3.5, -5e-324, -0.0, 0.0, 5e-324, 2.0, np.inf, -np.inf, np.nan]
    np.testing.assert_array_equal(unary(FN.sign)(values), np.sign(values))


def test_roots():
    values = np.array([0.0, 5e-324, 2.0, 1e308, np.inf, -1.0, np.nan])
    with np.errstate(invalid="ignore"):
        expected = np.sqrt(values)
    np.testing.assert_array_equal(unary(FN.sqrt)(values), expected)


def test_division_by_zero_is_infinite():
    np.testing.assert_array_equal(
        unary(lambda x: 1.0 / x)([0.0, -0.0, 2.0]), [np.inf, -np.inf, 0.5]
    )


def angles(scale):
    """Random angles, and those nearest to multiples of π/4, where the reduction is hardest."""
    rng = np.random.default_rng(int(scale))
    spread = rng.uniform(-scale, scale, size=50_000)
    multiples = np.round(rng.uniform(-1, 1, size=20_000) * scale / (math.pi / 4)) * (math.pi / 4)
    near = [np.nextafter(multiples, s) for s in (-np.inf, np.inf)]
    values = np.concatenate([spread, multiples, *near, [0.0, -0.0, 1e-300, scale, -scale]])
    return values[np.abs(values) <= scale]


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no extended precision to compare")
@pytest.mark.parametrize("scale", [1.0, 10.0, 1e3, 1e6, RANGE])
def test_sine_and_cosine_are_accurate_over_their_range(scale):
    """4e-16 absolute, against extended precision."""
    assert RANGE == 1e9
    x = angles(scale)
    exact = x.astype(np.longdouble)
    assert np.abs(unary(FN.sin)(x) - np.sin(exact)).max() <= 4e-16
    assert np.abs(unary(FN.cos)(x) - np.cos(exact)).max() <= 4e-16


def test_sine_and_cosine_against_fifty_digits():
    import mpmath

    x = angles(RANGE)[::997]
    with mpmath.workdps(50):
        for function, exact in ((FN.sin, mpmath.sin), (FN.cos, mpmath.cos)):
            pairs = zip(unary(function)(x).ravel(), x, strict=True)
            errors = [abs(mpmath.mpf(float(y)) - exact(mpmath.mpf(float(v)))) for y, v in pairs]
            assert max(errors) <= 4e-16


def test_beyond_their_range_sine_and_cosine_are_nan():
    outside = [np.nextafter(RANGE, np.inf), -2 * RANGE, 1e300, np.inf, -np.inf, np.nan]
    for function in (FN.sin, FN.cos):
        found = unary(function)([*outside, RANGE, -RANGE])
        assert np.isnan(found[:-2]).all()
        assert np.isfinite(found[-2:]).all()


# --- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_the_text_depends_on_the_programme_and_lanes_only(lanes, example):
    programme, _ = example
    assert llvm_text(programme, lanes) == llvm_text(programme, lanes)
    assert llvm_text(programme, lanes) != llvm_text(programme, 2 if lanes == 4 else 4)


def test_the_text_allows_no_unsafe_arithmetic(example):
    words = llvm_text(example[0], 4).split()
    assert not {"fast", "nnan", "ninf", "nsz", "arcp", "reassoc", "afn"} & set(words)


def test_a_programme_is_loaded_once(example, machine):
    programme = example[0]
    assert compiled_form(programme, machine) is compiled_form(programme, machine)
    copy = replace(programme, name="copy")
    assert compiled_form(copy, machine) is not compiled_form(programme, machine)
