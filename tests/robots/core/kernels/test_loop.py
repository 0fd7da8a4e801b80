"""Loops: compiled and plain Python give the same; damaged and wrong calls are refused."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FunctionType
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import robots.core.kernels.loop
from robots.core.errors import EquationError
from robots.core.kernels.loop import _JITTED, Loop, _Jitted
from robots.core.kernels.machine import LOOP_ENTRY, Processor, host, object_of_bitcode

SUBJECT = '''
"""A module with a loop and what it calls."""
import math
LIMIT = 3

def hypotenuse(a, b):
    return math.sqrt(a * a + b * b)

def lengths(points, count, out):
    out[:] = 0.0
    for k in range(count):
        s = 0.0
        for turn in range(LIMIT):
            s += hypotenuse(points[k, 0], points[k, 1])
        out[k] = math.sin(s) * math.log(s + 1.0)
'''

CALL = """
import sys; sys.path.insert(0, {folder!r})
import numpy as np, subject
from robots.core.kernels.loop import Loop
points = np.arange(10.0).reshape(5, 2)
plain, fast = np.zeros(5), np.zeros(5)
subject.lengths(points, 5, plain)
Loop(subject.lengths, "f8[2] i8 f8[1]")(points, 5, fast)
assert np.array_equal(plain, fast), (plain, fast)
print("numba" in sys.modules)
"""


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "subject.py").write_text(SUBJECT)
    root = str(Path(__file__).parents[4])

    def run() -> str:
        done = subprocess.run(
            [sys.executable, "-c", CALL.format(folder=str(tmp_path))],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def compiled_here(folder: Path) -> int:
    """Call the loop in this process, as its text is now; how many the cache holds then."""
    sys.modules.pop("subject", None)
    subject = importlib.import_module("subject")
    Loop(subject.lengths, "f8[2] i8 f8[1]")(np.ones((5, 2)), 5, np.zeros(5))
    del sys.modules["subject"]
    return len(list((folder / "cache" / "kernels").glob("*.o")))


def test_the_second_process_loads_without_numba_and_a_changed_text_compiles_again(
    call, tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # the second text is as old and as long
    assert compiled_here(tmp_path) == 1
    assert call() == "False"
    (tmp_path / "subject.py").write_text(SUBJECT.replace("LIMIT = 3", "LIMIT = 4"))
    assert compiled_here(tmp_path) == 2


@pytest.mark.soak
def test_a_damaged_entry_is_compiled_again(call, tmp_path):
    call()
    (entry,) = (tmp_path / "cache" / "kernels").glob("*.o")
    entry.write_bytes(entry.read_bytes()[:-7])
    assert call() == "True"


def fill(values, factor, out):
    for k in range(values.shape[0]):
        out[k] = factor * values[k]


@pytest.mark.parametrize(
    "wrong",
    [np.zeros(3, dtype=np.float32), np.zeros((3, 1)), np.zeros(6)[::2], [0.0, 0.0, 0.0]],
)
def test_another_type_rank_or_order_is_refused(wrong):
    with pytest.raises(EquationError, match=r"Argument values of loop fill is .* with 1 axes"):
        Loop(fill, "f8[1] f8 f8[1]")(wrong, 2.0, np.zeros(3))


def test_an_unknown_type_is_refused():
    with pytest.raises(EquationError, match="no argument type 'c16"):
        Loop(fill, "c16[1]")
    with pytest.raises(EquationError, match="left open"):
        Loop(fill, "f8[1] (f8[1]")


def raised(value, exponent):
    result = 1.0
    for _ in range(exponent):
        result *= value
    return result


def powers(values, exponent, out):
    for k in range(values.shape[0]):
        out[k] = raised(values[k], exponent) - raised(values[k], 2) + raised(values[k], 3)


def test_a_function_is_compiled_once_and_an_object_shows_its_entry_alone():
    """A constant argument made a function of its own; every function of a loop was visible."""
    code = object_of_bitcode(Loop(powers, "f8[1] i8 f8[1]").bitcode(), host())
    (types,) = _JITTED.function(raised).overloads
    assert [str(kind) for kind in types] == ["float64", "int64"]
    assert LOOP_ENTRY.encode() in code
    assert b"wrapper" not in code
    assert b"raised" not in code
    assert b"powers" not in code

    values, out = np.linspace(-2.0, 2.0, 7), np.zeros(7)
    Loop(powers, "f8[1] i8 f8[1]")(values, 4, out)
    plain = np.zeros(7)
    powers(values, 4, plain)
    assert np.array_equal(out, plain)


def roots(values, limit, out):
    for k in range(values.shape[0]):
        size = abs(values[k])
        out[k] = math.floor(math.sqrt(size)) if size < limit else size * values[k] + 0.1


def test_another_processor_gives_the_same_bits(tmp_path, monkeypatch):
    """Bitcode made for wide vectors with fused products, on one that has neither."""
    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path))
    values = np.random.default_rng(5).normal(scale=10.0, size=101)
    plain, own, other = np.zeros((3, 101))
    roots(values, 9.0, plain)
    Loop(roots, "f8[1] f8 f8[1]")(values, 9.0, own)
    monkeypatch.setattr(robots.core.kernels.loop, "runs_baseline", lambda: False)
    monkeypatch.setattr(robots.core.kernels.loop, "host", Processor)
    Loop(roots, "f8[1] f8 f8[1]")(values, 9.0, other)
    assert len(list((tmp_path / "kernels").glob("*.o"))) == 2
    assert np.array_equal(own, plain)
    assert np.array_equal(other, plain)


class Pair(NamedTuple):
    low: NDArray[np.float64]
    high: NDArray[np.int64]


class Table(NamedTuple):
    pair: Pair
    out: NDArray[np.float64]


def add(table: Table, factor: float, pair: Pair) -> None:
    for k in range(len(table.out)):
        table.out[k] = factor * table.pair.low[k] + pair.high[k]


ADD = Loop(add, "((f8[1] i8[1]) f8[1]) f8 (f8[1] i8[1])")


def test_tuples_of_arrays_arrive_by_their_names():
    one = Pair(low=np.arange(3.0), high=np.zeros(3, dtype=np.int64))
    other = Pair(low=np.zeros(3), high=np.arange(10, 13))
    table = Table(pair=one, out=np.zeros(3))
    ADD(table, 2.0, other)
    np.testing.assert_array_equal(table.out, [10.0, 13.0, 16.0])


def test_what_is_wrong_in_a_tuple_is_named():
    pair = Pair(low=np.arange(3.0), high=np.zeros(3, dtype=np.int64))
    bad = Table(pair=pair._replace(high=np.zeros(3)), out=np.zeros(3))
    with pytest.raises(EquationError, match=r"Argument table\.pair\.high of loop add is float64"):
        ADD(bad, 2.0, pair)
    with pytest.raises(EquationError, match=r"Argument pair of loop add is .* expected a Pair"):
        ADD(Table(pair=pair, out=np.zeros(3)), 2.0, tuple(pair))
    with pytest.raises(EquationError, match="declares 2 types for the 3 parameters table, factor"):
        Loop(add, "f8[1] f8")(np.zeros(3), 2.0)


def test_threads_may_call_before_it_is_loaded():
    """Two that load at once would free each other's machine code."""
    for _ in range(5):
        loop = Loop(fill, "f8[1] f8 f8[1]")
        outs = [np.zeros(3) for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda out, loop=loop: loop(np.arange(3.0), 2.0, out), outs))
        assert all(np.array_equal(out, [0.0, 2.0, 4.0]) for out in outs)


def test_threads_that_compile_at_once_see_whole_modules(monkeypatch):
    """One that came while another filled a module's namespace was given plain Python out of it."""
    from robots.core.kernels import lowering

    function = lowering.Function

    def slow_function(plain):
        time.sleep(2e-3)
        return function(plain)

    monkeypatch.setattr(lowering, "Function", slow_function)
    jitted = _Jitted()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: jitted.function(fill), range(8)))
    assert not isinstance(found[0], FunctionType)
    assert all(one is found[0] for one in found)
