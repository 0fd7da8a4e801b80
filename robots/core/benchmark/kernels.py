"""Measured speed of a robot's kernels, beside Pinocchio where it is installed.

Every run goes once through all quantities and engines, so that a spell in which the machine is slow
falls on all of them; the median over the runs counts. The fast kernels are bound by memory: whether
their arrays are still in the cache matters, so everyone, the peer included, is warmed alike. Beside
them stands how long it takes to look through the arguments and to fill the results with one number.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

import numpy as np

from robots.core.arrays import Array
from robots.core.benchmark.pinocchio_peer import PinocchioPeer, pinocchio_version
from robots.core.errors import RobotError
from robots.core.joint_samples import joint_samples, unit_samples
from robots.core.kernels import Kernel
from robots.core.kernels.machine import this_machine
from robots.core.mechanism import Mechanism
from robots.core.quantities import defined, quantity

Run = Callable[[], object]

MEASURED = ("forward", "jacobian", "torques", "mass_matrix", "forward_dynamics")
MEMORY = "memory"  # the engine that computes nothing
WARMING = 2  # untimed runs before each timed one
AGREEMENT = 1e-10  # relative; a larger difference from Pinocchio is a disagreement
_COMPARED = 2000  # states on which results are compared with the peer's loops
_TRIED = 64  # states of the compiler's trial
_CACHE = "PALPEUR_CACHE_DIR"
_FIRST_USE = "from robots.core.benchmark.kernels import print_first_use; print_first_use()"


class BenchmarkError(RobotError):
    """The measuring process did not end well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstUse:
    """Seconds from nothing recorded to the first result, importing llvmlite left out.

    Args:
        compiling: by kernel, with an empty cache. [s]
        cached: by kernel, with the cache filled. [s]
        importing: of llvmlite, once per process. [s]
    """

    compiling: dict[str, float]
    cached: dict[str, float]
    importing: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """All measurements of one robot.

    Args:
        mechanism: what was measured.
        samples: states per run.
        runs: interleaved runs.
        nanoseconds: per sample, by quantity and engine.
        differences: from Pinocchio, relative, by quantity; empty without it.
        first: of the compiled kernels; None where none are made.
        pinocchio: its version; empty where it is not installed.
    """

    mechanism: Mechanism
    samples: int
    runs: int
    nanoseconds: dict[tuple[str, str], float]
    differences: dict[str, float]
    first: FirstUse | None
    pinocchio: str

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the quantities measured."""
        return tuple(dict.fromkeys(name for name, _ in self.nanoseconds))

    @property
    def agrees(self) -> bool:
        """Whether every result is Pinocchio's."""
        return all(difference <= AGREEMENT for difference in self.differences.values())


def benchmark(
    mechanism: Mechanism,
    samples: int = 100_000,
    runs: Iterable[object] = range(9),
    *,
    peer: PinocchioPeer | None = None,
) -> Benchmark:
    """Measure every kernel of a robot on this machine.

    Args:
        mechanism: what to measure.
        samples: states per run.
        runs: one item for each run.
        peer: Pinocchio's model of the same robot, to measure and compare with.

    Raises:
        BenchmarkError: the process that measures the first use failed.
    """
    compiles = this_machine() is not None
    engines = ("compiled", "numpy") if compiles else ("numpy",)
    states = _states(mechanism, samples)
    field = _contenders(mechanism, states, engines, peer)
    times = _measured(runs, field)
    differences = {}
    if peer is not None:
        for name in dict.fromkeys(contender.quantity for contender in field):
            difference = largest_difference(mechanism, states, name, engines[0], peer)
            differences[name] = difference
    return Benchmark(
        mechanism=mechanism,
        samples=samples,
        runs=len(next(iter(times.values()))),
        nanoseconds={key: 1e9 * median(found) / samples for key, found in times.items()},
        differences=differences,
        first=first_use(mechanism) if compiles else None,
        pinocchio=pinocchio_version(),
    )


def why_without_peer(mechanism: Mechanism) -> str:
    """Why Pinocchio cannot be measured beside a robot; empty where it can."""
    if not pinocchio_version():
        return "Pinocchio is not installed (pip install pin): measured alone."
    if any(joint.coulomb or joint.viscous for joint in mechanism.movable):
        return "Pinocchio is left out: it does not model this robot's friction as we do."
    return ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _States:
    """States to measure with. # each (N, n), SI."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def arguments(self, names: Iterable[str]) -> list[Array]:
        """The arrays of a quantity's arguments."""
        return [getattr(self, name) for name in names]


def _states(mechanism: Mechanism, count: int) -> _States:
    """Postures within the limits; speeds, accelerations and torques between -1 and 1."""
    n = mechanism.dof
    rates = np.ascontiguousarray(2.0 * unit_samples(count, 3 * n) - 1.0)
    qd, qdd, tau = (np.ascontiguousarray(part) for part in np.split(rates, 3, axis=1))
    q = np.ascontiguousarray(joint_samples(mechanism, count, slide=1.0))
    return _States(q=q, qd=qd, qdd=qdd, tau=tau)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contender:
    """One engine computing one quantity on all states."""

    quantity: str
    engine: str
    run: Run


def _contenders(
    mechanism: Mechanism, states: _States, engines: tuple[str, ...], peer: PinocchioPeer | None
) -> list[_Contender]:
    """Everything to be measured; results go to memory that is allocated beforehand."""
    found = []
    for name in defined(mechanism, MEASURED):
        for engine in engines:
            found.append(_own(mechanism, states, name, engine))
        found.append(_memory(mechanism, states, name))
        if peer is not None:
            run = _peer_run(peer, states, name)
            found.append(_Contender(quantity=name, engine="pinocchio", run=run))
    return found


def _measured(
    runs: Iterable[object], field: list[_Contender]
) -> dict[tuple[str, str], list[float]]:
    """Times of every run of every contender. [s]."""
    times: dict[tuple[str, str], list[float]] = {(c.quantity, c.engine): [] for c in field}
    for contender in field:
        contender.run()  # compiles, and touches all memory
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in runs:
            for contender in field:
                times[contender.quantity, contender.engine].append(_seconds(contender))
    finally:
        if collecting:
            gc.enable()
    return times


def _seconds(contender: _Contender) -> float:
    """Time of one run that follows others of the same, as in a programme that reuses its arrays."""
    for _ in range(WARMING):
        contender.run()
    start = time.perf_counter()
    contender.run()
    return time.perf_counter() - start


def largest_difference(
    mechanism: Mechanism, states: _States, name: str, engine: str, peer: PinocchioPeer
) -> float:
    """Largest difference from the peer, relative to the largest result of the same state."""
    item = quantity(name)
    few = [array[:_COMPARED] for array in states.arguments(item.arguments)]
    ours = Kernel(item.record(mechanism), engine)(*few)  # type: ignore[arg-type]
    theirs = getattr(peer, name)(*few)
    axes = tuple(range(1, ours.ndim))
    size = np.abs(theirs).max(axis=axes)
    difference = np.abs(ours - theirs).max(axis=axes)
    return float(np.max(difference / np.where(size > 0.0, size, 1.0)))


def _own(mechanism: Mechanism, states: _States, name: str, engine: str) -> _Contender:
    programme = quantity(name).record(mechanism)
    kernel = Kernel(programme, engine)  # type: ignore[arg-type]
    arguments = states.arguments(quantity(name).arguments)
    out = np.empty((len(states.q), *programme.result.shape))
    return _Contender(quantity=name, engine=engine, run=lambda: kernel(*arguments, out=out))


def _memory(mechanism: Mechanism, states: _States, name: str) -> _Contender:
    arguments = states.arguments(quantity(name).arguments)
    out = np.empty((len(states.q), quantity(name).record(mechanism).result.size))

    def run() -> None:
        for array in arguments:
            array.max()
        out.fill(1.0)

    return _Contender(quantity=name, engine=MEMORY, run=run)


def _peer_run(peer: PinocchioPeer, states: _States, name: str) -> Run:
    run = getattr(peer, f"run_{name}")
    if name in ("torques", "forward_dynamics"):
        columns = [peer.columns(array) for array in states.arguments(quantity(name).arguments)]
        out = np.zeros_like(columns[0], order="F")
        return lambda: run(*columns, out)
    rows = peer.rows(states.q)
    return lambda: run(rows)


def first_use(mechanism: Mechanism) -> FirstUse:
    """Measure the first use of every kernel: compiled anew, then found in the cache.

    Measured in processes of their own with a cache folder of their own, because what is loaded in
    this process would hide the cost.

    Raises:
        BenchmarkError: a measuring process failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = (_first_use_apart(mechanism, folder) for _ in range(2))
    importing = cold.pop("llvmlite")
    warm.pop("llvmlite")
    return FirstUse(compiling=cold, cached=warm, importing=importing)


def _first_use_apart(mechanism: Mechanism, folder: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", _FIRST_USE],
        check=False,
        capture_output=True,
        input=pickle.dumps(mechanism),
        env=os.environ | {_CACHE: folder},
    )
    if done.returncode != 0:
        told = done.stderr.decode(errors="replace").strip()[-400:]
        raise BenchmarkError(f"Measuring the first use of the kernels failed: {told}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def print_first_use() -> None:
    """Measure the pickled mechanism of standard input; print seconds by kernel as JSON."""
    mechanism = pickle.load(sys.stdin.buffer)
    start = time.perf_counter()
    from llvmlite import binding  # noqa: F401 its import is what is measured

    seconds = {"llvmlite": time.perf_counter() - start}
    for name in defined(mechanism, MEASURED):
        state = np.full((1, mechanism.dof), 0.1)
        start = time.perf_counter()
        item = quantity(name)
        Kernel(item.record(mechanism), "compiled")(*[state] * len(item.arguments))
        seconds[name] = time.perf_counter() - start
    print(json.dumps(seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerTrial:
    """A small kernel compiled anew and compared with NumPy.

    Args:
        seconds: from the recorded programme to the first result, nothing being cached. [s]
        difference: largest absolute difference from NumPy.
    """

    seconds: float
    difference: float


def try_compiler(mechanism: Mechanism) -> CompilerTrial:
    """Compile a robot's torques anew.

    Raises:
        EquationError: machine code is not made on this machine.
    """
    programme = quantity("torques").record(mechanism)
    q = joint_samples(mechanism, _TRIED, slide=1.0)
    with tempfile.TemporaryDirectory() as folder, _cache_in(folder):
        start = time.perf_counter()
        compiled = Kernel(programme, "compiled")(q, q, q)
        seconds = time.perf_counter() - start
    expected = Kernel(programme, "numpy")(q, q, q)
    return CompilerTrial(seconds=seconds, difference=float(np.abs(compiled - expected).max()))


@contextmanager
def _cache_in(folder: str) -> Iterator[None]:
    """A kernel cache of its own for as long as the block lasts."""
    before = os.environ.get(_CACHE)
    os.environ[_CACHE] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ[_CACHE]
        else:
            os.environ[_CACHE] = before
