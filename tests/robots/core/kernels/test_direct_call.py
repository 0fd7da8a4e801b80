"""Kernels as built-in functions: every form of argument, the same bits alone and in any batch."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from robots.core.errors import StateError
from robots.core.kernels import Kernel, direct_call, kernel
from robots.core.kernels.compiled import CompiledForm
from robots.core.kernels.cycles import BoundCall
from robots.core.model import Model
from robots.core.quantities import quantity
from robots.core.recording import Recorder
from robots.library import load
from tests.cases import some

pytestmark = pytest.mark.usefixtures("machine")
QUANTITIES = ("forward", "torques", "mass_matrix", "forward_dynamics", "transforms", "lagrange")
BUILT_IN = type(len)


@pytest.fixture(scope="module")
def arm():
    return load("measuring-arm")


@pytest.fixture
def torques(arm):
    return Kernel(quantity("torques").record(arm))


def states(count, n=5, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, (3, count, n))


# --- the same bits -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_state_has_the_same_bits_alone_and_in_any_batch(arm, name):
    f = Kernel(quantity(name).record(arm))
    assert isinstance(f.function, BUILT_IN)
    given = states(1000)[: len(f.programme.arguments)]
    whole = f(*given)
    for count in (*range(1, 18), 999):
        np.testing.assert_array_equal(f(*given[:, :count]), whole[:count])
    for k in (0, 7, 8, 500, 999):
        np.testing.assert_array_equal(f(*given[:, k]), whole[k])
    np.testing.assert_array_equal(f(*given, threads=2), whole)
    np.testing.assert_array_equal(f(*given, out=np.empty_like(whole)), whole)


def test_a_state_has_the_same_bits_alone_and_among_a_hundred_thousand(torques):
    given = states(100_000)
    whole = torques(*given)
    for k in (0, 1, 49_999, 99_992, 99_999):
        np.testing.assert_array_equal(torques(*given[:, k]), whole[k])


@pytest.mark.parametrize("name", some(["torques", "forward_dynamics", "lagrange"], gate=1))
def test_lanes_and_optimisation_do_not_change_a_bit(arm, name, machine):
    """Products are fused with sums where the assembly says so, not where a compiler likes to."""
    programme = quantity(name).record(arm)
    given = [np.ascontiguousarray(a) for a in states(64)[: len(programme.arguments)]]
    found = []
    for lanes in (1, 2, machine.lanes):
        for effort in (0, 3):
            out = np.empty((64, programme.result.size))
            target = replace(machine, lanes=lanes, effort=effort)
            CompiledForm(programme, target).run(given, out, 1)
            found.append(out)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_a_bound_call_has_the_bits_of_the_kernel(torques):
    call = BoundCall(torques.programme)
    for q, qd, qdd in np.moveaxis(states(20), 1, 0):
        np.testing.assert_array_equal(call(q, qd, qdd), torques(q, qd, qdd))


@pytest.mark.parametrize("name", QUANTITIES)
def test_what_is_called_before_does_not_matter(arm, name):
    """No history: after batches, single states and other forms the numbers are the first ones."""
    f = Kernel(quantity(name).record(arm))
    given = states(300)[: len(f.programme.arguments)]
    first = f(*given[:, 5])
    f(*given)
    f(*given.tolist())
    f(*given[:, :3])
    np.testing.assert_array_equal(f(*given[:, 5]), first)
    np.testing.assert_array_equal(Kernel(f.programme)(*given)[5], first)


# --- forms of arguments --------------------------------------------------------------------------


class _Tagged(np.ndarray):
    """A subclass, whose memory may be anything."""


def _read_only(array):
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _misaligned(array):
    memory = np.zeros(array.nbytes + 1, dtype=np.uint8)[1:]
    found = memory.view(np.float64).reshape(array.shape)
    found[...] = array
    assert not found.flags.aligned
    return found


FORMS = {
    "list": lambda a: a.tolist(),
    "tuple": lambda a: tuple(a.tolist()),
    "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "reversed": lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1],
    "read-only": _read_only,
    "other byte order": lambda a: a.astype(">f8"),
    "subclass": lambda a: a.view(_Tagged),
    "objects": lambda a: a.astype(object),
    "unpickled": lambda a: pickle.loads(pickle.dumps(a)),
    "misaligned": _misaligned,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [None, 1, 3, 20])
def test_numbers_are_taken_in_every_form(torques, form, count):
    given = states(20)[:, 0 if count is None else slice(count)]
    expected = torques(*np.ascontiguousarray(given))
    found = torques(*(FORMS[form](np.ascontiguousarray(a)) for a in given))
    np.testing.assert_array_equal(found, expected)
    assert type(found) is np.ndarray
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    assert found.flags.owndata
    assert found.flags.writeable


def test_single_precision_and_integers_are_converted(torques):
    single = states(1)[:, 0].astype(np.float32)
    np.testing.assert_array_equal(torques(*single), torques(*single.astype(np.float64)))
    whole = np.array([1, -2, 0, 3, 1])
    np.testing.assert_array_equal(torques(whole, whole, whole), torques(*[whole.astype(float)] * 3))


def test_samples_broadcast_and_may_be_missing(torques):
    q, qd, qdd = states(4)
    rest = np.zeros(5)
    np.testing.assert_array_equal(torques(q, rest, rest)[2], torques(q[2], rest, rest))
    assert torques(q.reshape(2, 2, 5), qd[0], qdd[0]).shape == (2, 2, 5)
    assert torques(q[:0], qd[:0], qdd[:0]).shape == (0, 5)
    assert torques(q[:1], qd[:1], qdd[:1]).shape == (1, 5)


def test_a_result_of_one_number_is_an_array_too():
    recorder = Recorder()
    x, k = recorder.argument("x", (2,)), recorder.argument("k", ())
    f = Kernel(recorder.programme("f", [x[0] * k[0] + x[1]], ()))
    assert f(np.array([2.0, 1.0]), np.array(3.0)).shape == ()
    assert f([2.0, 1.0], 3.0) == 7.0
    np.testing.assert_array_equal(f(np.ones((3, 2)), np.arange(3.0)), [1.0, 2.0, 3.0])


def test_a_programme_without_work_or_arguments_has_its_rows():
    recorder = Recorder()
    recorder.argument("nothing", (0,))
    f = Kernel(recorder.programme("constant", [1.5, 2.5], (2,)))
    np.testing.assert_array_equal(f(np.zeros(0)), [1.5, 2.5])
    np.testing.assert_array_equal(f(np.zeros((9, 0))), np.tile([1.5, 2.5], (9, 1)))
    bare = Kernel(Recorder().programme("bare", [4.0], (1,)))
    np.testing.assert_array_equal(bare(), [4.0])


@pytest.mark.parametrize("shape", [(4,), (6,), (5, 1), (2, 4), ()])
def test_a_shape_that_does_not_fit_is_refused(torques, shape):
    torques.function  # noqa: B018 (loads it)
    rest = np.zeros(5)
    for place, name in enumerate(("q", "qd", "qdd")):
        given = [rest, rest, rest]
        given[place] = np.zeros(shape)
        with pytest.raises(StateError, match=rf"torques: {name} has shape .* must be \(5,\)"):
            torques(*given)


def test_other_numbers_of_arrays_or_samples_are_refused(torques):
    rest = np.zeros(5)
    with pytest.raises(StateError, match=r"takes 3 arrays \(q, qd, qdd\), but 2 were given"):
        torques(rest, rest)
    with pytest.raises(StateError, match="but 0 were given"):
        torques()
    with pytest.raises(StateError, match=r"\(4,\), \(3,\), \(\) samples; give the same number"):
        torques(np.zeros((4, 5)), np.zeros((3, 5)), rest)
    with pytest.raises(ValueError, match="could not convert string"):
        torques(rest, rest, ["a"] * 5)


# --- memory, threads, processes ------------------------------------------------------------------


def test_no_reference_is_lost_or_kept(torques):
    q, qd, qdd = states(20)
    dtype = np.dtype(np.float64)
    torques(q, qd, qdd)
    before = [sys.getrefcount(a) for a in (q, qd, qdd)], sys.getrefcount(dtype)
    for _ in range(1000):
        result = torques(q, qd, qdd)
        torques(q[0], qd[0], qdd[0])
        torques(q.tolist(), qd, qdd)
    assert sys.getrefcount(result) == 2
    del result
    assert [sys.getrefcount(a) for a in (q, qd, qdd)] == before[0]
    assert abs(sys.getrefcount(dtype) - before[1]) < 20


def test_the_function_outlives_its_kernel(arm):
    programme = replace(quantity("torques").record(arm))  # of its own: no form is remembered
    found = Kernel(programme)
    given = states(1)[:, 0]
    expected, function = found(*given), found.function
    del found, programme
    gc.collect()
    np.testing.assert_array_equal(function(*given), expected)
    np.testing.assert_array_equal(function(*given.tolist()), expected)


def test_threads_share_a_kernel(torques):
    given = states(5000)
    expected = torques(*given)

    def ask(k):
        alone = np.array([torques(*given[:, row]) for row in range(k, 5000, 97)])
        whole = torques(*given)
        return np.array_equal(alone, expected[k::97]) and np.array_equal(whole, expected)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(32)))


def _torques_of(model, q):
    return model.torques(q, 0.1 * q, q).tobytes(), model.kernel("torques")(q, q, q, threads=2).sum()


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(
            "fork", marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
        ),
        "spawn",
    ],
)
def test_child_processes_answer_alike(arm, method):
    """A model that has been used, its threads too, goes to children."""
    model, q = Model(arm), states(64)[0]
    expected = _torques_of(model, q)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map(partial(_torques_of, model), [q]) == [expected]


def test_a_model_and_its_kernels_can_be_pickled(arm):
    model = Model(arm)
    q = states(1)[0, 0]
    expected = model.forward(q)
    for copy in (pickle.loads(pickle.dumps(model)), Model(arm)):
        np.testing.assert_array_equal(copy.forward(q), expected)
    f = pickle.loads(pickle.dumps(model.kernel("forward")))
    np.testing.assert_array_equal(f(q), expected)


# --- where there is no direct call ---------------------------------------------------------------


@pytest.mark.parametrize("count", [None, 0, 1, 9])
def test_without_a_direct_call_the_bits_are_the_same(arm, monkeypatch, count):
    programme = quantity("torques").record(arm)
    given = states(9)[:, 0 if count is None else slice(count)]
    expected = Kernel(programme)(*given)
    monkeypatch.setattr(direct_call, "layout_is_known", lambda: False)
    other = Kernel(programme)
    np.testing.assert_array_equal(other(*given), expected)
    np.testing.assert_array_equal(other(*given.astype(">f8")), expected)
    assert not isinstance(other.function, BUILT_IN)


def test_the_layout_of_this_python_is_known():
    assert direct_call.layout_is_known() == (sys.implementation.name == "cpython")


def test_a_block_that_the_stack_does_not_hold_has_one_lane():
    recorder = Recorder()
    x = recorder.argument("x", (1,))
    programme = recorder.programme("wide", [x[0] + k for k in range(1500)], (1500,))
    f = Kernel(programme)
    given = np.arange(20.0)[:, None]
    np.testing.assert_array_equal(f(given), given + np.arange(1500.0))
    np.testing.assert_array_equal(f(given[3]), 3.0 + np.arange(1500.0))
    assert f._machine_code().target.lanes == 1
    assert programme.work <= kernel.LONG
