"""What a batch costs beside planning: one worker beside a bare loop over the same jobs, in one run.

Each job is a batch of its own on a warm worker (decide, claim, send, judge, write, tell), then the
same job is judged here; the machine is shared, so of every job the quickest run counts.
Starting the worker is not per job.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from planner.batch.case import Case, FileHashes, key_of
from planner.batch.ledger import Ledger
from planner.batch.pool import Caps
from planner.batch.run import RedoRule, Run, decide, run_pending
from planner.batch.surroundings import surroundings
from planner.batch.worker import WorkerRequest, local_pool, run_case
from tests.cases import sized
from tests.planner.batch.generated_jobs import generate

pytestmark = pytest.mark.benchmark

MANY, FEW, RUNS = sized(24, once=3), sized(6, once=2), 9
TWO_WORKERS = 3  # runs
CAPS = Caps(seconds=600.0, memory=4_000_000_000)
MANY_CASES = sized(1000, once=50)


@pytest.fixture(scope="module")
def around():
    return surroundings(allow_outside=False)


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jobs")
    generate(folder, MANY, seed=2, kinds=("feasible",))
    return [Case(name=path.name, job=path) for path in sorted(folder.glob("*.toml"))]


class Kept:
    """An engine that outlives a run, so that its worker stays warm."""

    def __init__(self, engine):
        self.engine = engine
        self.give, self.wait = engine.give, engine.wait

    @property
    def free(self):
        return self.engine.free

    def close(self):
        """Not yet."""


def pool(folder, around, workers):
    order = WorkerRequest(
        ledger=folder,
        surroundings=around,
        allow_outside=False,
        reports="none",
        memory=CAPS.memory,
        parent=0,
    )
    return local_pool(order, CAPS, workers)


def batch_seconds(cases, ledger, around, engine):
    """Decide, claim, judge, write; nothing is there before."""
    for digest in list(ledger.digests()):
        ledger.path(digest).unlink()
    began = time.perf_counter()
    redo = RedoRule(time_cap=CAPS.seconds, memory_cap=float(CAPS.memory))
    pending = list(decide(cases, ledger, around, redo, known={}, hashes=FileHashes()))
    keys = {item.key.digest: item.key for item in pending}
    run = Run(ledger=ledger, caps=CAPS, key=keys.__getitem__)
    run_pending(pending, run, engine, lambda _: None)
    seconds = time.perf_counter() - began
    assert len(list(ledger.digests())) == len(cases)
    return seconds


def loop_seconds(case, around):
    key = key_of(case, around, FileHashes())
    began = time.perf_counter()
    run_case(case, key, allow_outside=False)
    return time.perf_counter() - began


def test_overhead_per_job(cases, around, tmp_path, monkeypatch, speed):
    for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS"):
        monkeypatch.setenv(f"{library}_NUM_THREADS", "1")
    one = pool(tmp_path, around, 1)
    engine = Kept(one)
    runs = speed.runs(RUNS)
    ours, bare = np.full((2, runs, MANY), np.inf)
    for run in range(runs + 1):
        for number, case in enumerate(cases):
            folder = Ledger(folder=tmp_path)
            times = batch_seconds([case], folder, around, engine), loop_seconds(case, around)
            if run:  # the first one compiles and fills caches
                ours[run - 1, number], bare[run - 1, number] = times
    one.close()
    per_job, planning = ours.min(axis=0).mean(), bare.min(axis=0).mean()
    print(
        f"\nper job: {1e3 * per_job:.1f} ms in a batch, {1e3 * planning:.1f} ms in a bare loop, "
        f"overhead {1e3 * (per_job - planning):.2f} ms"
    )
    speed.ratio("batch: bare loop over one worker, per job", planning / per_job)


def test_two_workers_beside_one(cases, around, tmp_path, speed):
    seconds = {}
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        made = pool(folder, around, workers)
        engine, ledger = Kept(made), Ledger(folder=folder)
        batch_seconds(cases[:FEW], ledger, around, engine)
        seconds[workers] = min(
            batch_seconds(cases, ledger, around, engine) for _ in range(speed.runs(TWO_WORKERS))
        )
        made.close()
    speed.ratio("batch: one worker over two", seconds[1] / seconds[2])


def test_a_key_beside_reading_toml(around, tmp_path, speed):
    """Deciding stays small beside what a reader of the same files needs for tomllib alone."""
    import tomllib

    generate(tmp_path, MANY_CASES, seed=4, kinds=("feasible",))
    paths = sorted(tmp_path.glob("*.toml"))
    cases = [Case(name=path.name, job=path) for path in paths]
    redo = RedoRule(time_cap=1.0, memory_cap=1.0)
    bare, ours = [], []
    for _ in range(speed.runs(RUNS)):
        began = time.perf_counter()
        for path in paths:
            tomllib.loads(path.read_text(encoding="utf-8"))
        bare.append(time.perf_counter() - began)
        began = time.perf_counter()
        ledger = Ledger(folder=Path(tmp_path / "out"))
        assert (
            len(list(decide(cases, ledger, around, redo, known={}, hashes=FileHashes())))
            == MANY_CASES
        )
        ours.append(time.perf_counter() - began)
    per_case = min(ours) / MANY_CASES
    print(
        f"\ndeciding: {1e3 * per_case:.2f} ms per case, {min(ours) / min(bare):.1f} times tomllib"
    )
    speed.ratio("batch: tomllib over deciding", min(bare) / min(ours))
