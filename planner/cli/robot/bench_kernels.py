"""Measurements behind ``palpeur robot bench``: interleaved runs of the same states.

Every run goes once through all quantities and engines, so that a spell in which the machine is slow
falls on all of them; the median over the runs counts. The fast kernels are bound by memory: whether
their arrays are still in the cache matters, so everyone, the peer included, is warmed alike. Beside
them stands how long it takes to look through the arguments and to fill the results with one number.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from planner.cli.robot.pinocchio_peer import PinocchioPeer
from planner.cli.robot.robot_document import defined
from robots.core.arrays import Array
from robots.core.joint_samples import joint_samples, unit_samples
from robots.core.kernels import Kernel
from robots.core.mechanism import Mechanism
from robots.core.quantities import quantity

Run = Callable[[], object]

MEASURED = ("forward", "jacobian", "torques", "mass_matrix", "forward_dynamics")
MEMORY = "memory"  # the engine that computes nothing
WARMING = 2  # untimed runs before each timed one
_COMPARED = 2000  # states on which results are compared with the peer's loops


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BenchStates:
    """States to measure with. # each (N, n), SI."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array

    def arguments(self, names: Iterable[str]) -> list[Array]:
        """The arrays of a quantity's arguments."""
        return [getattr(self, name) for name in names]


def bench_states(mechanism: Mechanism, count: int) -> BenchStates:
    """Postures within the limits; speeds, accelerations and torques between -1 and 1."""
    n = mechanism.dof
    rates = np.ascontiguousarray(2.0 * unit_samples(count, 3 * n) - 1.0)
    qd, qdd, tau = (np.ascontiguousarray(part) for part in np.split(rates, 3, axis=1))
    q = np.ascontiguousarray(joint_samples(mechanism, count, slide=1.0))
    return BenchStates(q=q, qd=qd, qdd=qdd, tau=tau)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One engine computing one quantity on all states."""

    quantity: str
    engine: str
    run: Run


def contenders(
    mechanism: Mechanism, states: BenchStates, engines: tuple[str, ...], peer: PinocchioPeer | None
) -> list[Contender]:
    """Everything to be measured; results go to memory that is allocated beforehand."""
    found = []
    for name in defined(mechanism, MEASURED):
        for engine in engines:
            found.append(_own(mechanism, states, name, engine))
        found.append(_memory(mechanism, states, name))
        if peer is not None:
            run = _peer_run(peer, states, name)
            found.append(Contender(quantity=name, engine="pinocchio", run=run))
    return found


def measured(
    runs: Iterable[object], field: list[Contender], samples: int
) -> dict[tuple[str, str], float]:
    """Median time per sample of every contender. [ns]."""
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
    return {key: 1e9 * statistics.median(found) / samples for key, found in times.items()}


def _seconds(contender: Contender) -> float:
    """Time of one run that follows others of the same, as in a programme that reuses its arrays."""
    for _ in range(WARMING):
        contender.run()
    start = time.perf_counter()
    contender.run()
    return time.perf_counter() - start


def largest_difference(
    mechanism: Mechanism, states: BenchStates, name: str, engine: str, peer: PinocchioPeer
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


def _own(mechanism: Mechanism, states: BenchStates, name: str, engine: str) -> Contender:
    programme = quantity(name).record(mechanism)
    kernel = Kernel(programme, engine)  # type: ignore[arg-type]
    arguments = states.arguments(quantity(name).arguments)
    out = np.empty((len(states.q), *programme.result.shape))
    return Contender(quantity=name, engine=engine, run=lambda: kernel(*arguments, out=out))


def _memory(mechanism: Mechanism, states: BenchStates, name: str) -> Contender:
    arguments = states.arguments(quantity(name).arguments)
    out = np.empty((len(states.q), quantity(name).record(mechanism).result.size))

    def run() -> None:
        for array in arguments:
            array.max()
        out.fill(1.0)

    return Contender(quantity=name, engine=MEMORY, run=run)


def _peer_run(peer: PinocchioPeer, states: BenchStates, name: str) -> Run:
    run = getattr(peer, f"run_{name}")
    if name in ("torques", "forward_dynamics"):
        columns = [peer.columns(array) for array in states.arguments(quantity(name).arguments)]
        out = np.zeros_like(columns[0], order="F")
        return lambda: run(*columns, out)
    rows = peer.rows(states.q)
    return lambda: run(rows)
