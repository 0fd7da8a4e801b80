"""What a batch costs beside planning the same jobs in one process, and what workers bring.

A small job: ten points on a plane, a robot of the library, no part geometry. Batches are whole
commands as a user starts them, summary and dashboard included; a cluster stands before: a
scheduler, two workers of one thread each.

The overhead per job has two parts. What a worker does beside planning: a worker process and a bare
loop (read, plan and prove through the front door, write nothing) get each job in turn, and the
median of the differences in the processes' own CPU time is taken, so that a neighbour of the
machine's meets both. And what the command itself does per job: what its process takes longer with
all jobs than with the first few; so no start counts.

All figures of 200 jobs, by one command (about four minutes on a quiet machine)::

    python -m pytest -s -n0 -m benchmark tests/benchmarks/test_batch.py -k two_hundred
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import pytest

from planner.batch.case import Case, FileHashes, key_of
from planner.batch.engine import CaseTask, Ending
from planner.batch.ledger import Ledger
from planner.batch.run import RedoRule, decide
from planner.batch.surroundings import surroundings
from planner.batch.worker import WorkerRequest
from planner.library import path_of
from tests.benchmarks.conftest import ONCE
from tests.cases import sized
from tests.planner.batch.batch_processes import Cluster, worker_processes
from tests.planner.batch.generated_jobs import generate

pytestmark = pytest.mark.benchmark

JOBS, FIRST, POINTS = sized(200, once=4), sized(8, once=2), 10
ROUNDS = 3
RUNS = 9
MANY_CASES = sized(1000, once=50)
PROGRAM = """
import atexit, sys, time
from planner.cli.main import run

atexit.register(lambda: print(time.process_time(), file=sys.stderr))
run()
"""
COMMAND = (sys.executable, "-c", PROGRAM, "--quiet", "batch")
LOOP = """
import sys
import palpeur as pp

pp.plan, pp.prove, pp.read_job
print("ready", flush=True)
for job in sys.stdin:
    print(pp.prove(pp.plan(pp.read_job(job.strip()))).passed, flush=True)
"""


class Cost(NamedTuple):
    """Of a command: its workers too where it starts them itself, but for what it does alone."""

    wall: float  # [s]
    cpu: float  # [s]
    alone: float  # CPU [s]


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """Ten points in a row, the part in another pose for each job."""
    folder = tmp_path_factory.mktemp("small") / "jobs"
    folder.mkdir()
    text = path_of("nine-points-corrected").read_text(encoding="utf-8")
    x, y = np.linspace(0.0, 0.15, POINTS), np.linspace(0.05, 0.35, POINTS)
    normal = np.array([0.10, 0.25, 1.0]) / np.linalg.norm([0.10, 0.25, 1.0])
    table = np.column_stack([1e3 * x, 1e3 * y, 1e3 * (0.40 - 0.10 * x - 0.25 * y)])
    rows = [[f"P{k}", *place, *normal] for k, place in enumerate(table)]
    lines = ["name,x_mm,y_mm,z_mm,nx,ny,nz", *(",".join(map(str, row)) for row in rows)]
    (folder / "points.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    draw = np.random.default_rng(22)
    for number in range(JOBS):
        turn, y = draw.uniform(28.0, 32.0), draw.uniform(1490.0, 1510.0)
        pose = f"translation_mm = [0, {y:.3f}, 840], rotation_zyx_deg = [{turn:.3f}, 0, 0]"
        old = "translation_mm = [0, 1500, 840], rotation_zyx_deg = [30, 0, 0]"
        assert text.count(old) == 1
        (folder / f"{number:03d}.toml").write_text(text.replace(old, pose), encoding="utf-8")
    return sorted(folder.glob("*.toml"))


@pytest.fixture
def command(tmp_path, monkeypatch):
    """``command(jobs, option, value)``: what a batch costs, and the files that hold its results."""
    for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS"):
        monkeypatch.setenv(f"{library}_NUM_THREADS", "1")

    def run(jobs, option, value):
        out = tmp_path / f"{option[2:]}-{time.monotonic_ns()}"
        sources = [jobs[0].parent] if len(jobs) == JOBS else jobs
        cost = _timed([*COMMAND, *sources, "--out", out, option, value])
        assert worker_processes(ledger=out) == []
        assert list((out / "claims").iterdir()) == []
        assert json.loads((out / "summary.json").read_text())["by_status"] == {
            "feasible": len(jobs)
        }
        same = ("results/*/*.json", "summary.*", "junit.xml", "batch.json", "index.parquet")
        files = [path for pattern in same for path in sorted(out.glob(pattern))]
        return cost, {path.relative_to(out).as_posix(): path.read_bytes() for path in files}

    return run


def _timed(arguments):
    """What a command costs; on a cluster its workers belong to another process."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(list(map(str, arguments)), check=True, capture_output=True, text=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall, sum(after[:2]) - sum(before[:2]), float(done.stderr.split()[-1]))


class Answering:
    """A process that answers each line with one, and its own clock."""

    def __init__(self, arguments, environment):
        self.process = subprocess.Popen(
            list(map(str, arguments)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.clock = (~self.process.pid << 3) | 2  # as clock_getcpuclockid of Linux makes it
        self.process.stdout.readline()  # it is ready

    def ask(self, line):
        """The answer to a line, and the CPU time it took in ms."""
        began = time.clock_gettime(self.clock)
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        return answer, 1e3 * (time.clock_gettime(self.clock) - began)

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0
        self.process.stdout.close()


def _beside_planning(jobs, out):
    """CPU time of each job in a worker and in the bare loop, in ms."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    around = surroundings(allow_outside=False)
    order = WorkerRequest(
        ledger=out,
        surroundings=around,
        allow_outside=False,
        reports="none",
        memory=0,
        parent=os.getpid(),
    )
    worker = Answering(
        [sys.executable, "-P", "-m", "planner.batch.worker", order.text()], environment
    )
    loop = Answering([sys.executable, "-c", LOOP], environment)
    costs = []
    for job in jobs:
        case, hashes = Case(name=job.name, job=job), FileHashes()
        task = CaseTask(case=case, digest=key_of(case, around, hashes).digest)
        ended, judged = worker.ask(json.dumps(task.document()))
        passed, planned = loop.ask(job)
        assert json.loads(ended)["ending"] == Ending.WRITTEN.value
        assert passed == "True\n"
        costs.append((judged, planned))
    worker.end(), loop.end()
    return np.array(costs[FIRST:])


@pytest.fixture
def cluster(tmp_path):
    """Its address; the two workers are the same in all rounds, and outlive the batches."""
    pytest.importorskip("distributed")
    made = Cluster(tmp_path)
    try:
        made.start_scheduler()
        workers = [made.start_worker() for _ in range(2)]
        yield made.address
        assert [process.poll() for process in workers] == [None, None]
        assert worker_processes(of={process.pid for process in workers}) == []
    finally:
        made.end()


def test_two_hundred_small_jobs(request, jobs, command, speed, tmp_path):
    if ONCE:  # of a cluster the gate has its own tests
        (_, one), (_, two) = (command(jobs, "--workers", count) for count in (1, 2))
        assert one == two
        return
    address = request.getfixturevalue("cluster")
    workers, spread, overheads = [], [], []
    for number in range(speed.runs(ROUNDS)):
        few, _ = command(jobs[:FIRST], "--workers", 1)
        one, expected = command(jobs, "--workers", 1)
        two, found = command(jobs, "--workers", 2)
        assert found == expected
        on_cluster, found = command(jobs, "--cluster", address)
        assert found == expected
        workers.append(one.wall / two.wall)
        spread.append(two.wall / on_cluster.wall)
        costs = _beside_planning(jobs, tmp_path / f"ledger-{number}")
        beside, planned = np.median(costs[:, 0] - costs[:, 1]), np.median(costs[:, 1])
        alone = 1e3 * (one.alone - few.alone) / (JOBS - FIRST)
        overheads.append(beside + alone)
        print(
            f"\nround {number + 1}, {JOBS} jobs: one worker {one.wall:.1f} s ({one.cpu:.1f} CPU), "
            f"two {two.wall:.1f} s ({two.cpu:.1f}), cluster of two {on_cluster.wall:.1f} s, "
            f"{FIRST} jobs {few.wall:.1f} s ({few.cpu:.1f})\n  CPU per job: read, planned and "
            f"proven {planned:.1f} ms; a worker {beside:.2f} ms more, the command {alone:.2f} ms"
        )
    print(
        f"overhead per job: median {median(overheads):.2f} ms CPU, "
        f"{min(overheads):.2f} to {max(overheads):.2f} (to be at most 3)"
    )
    speed.ratio("batch of 200: one worker over two (>= 1.7)", workers)
    speed.ratio("batch of 200: two over a cluster of two (>= 0.9)", spread)


@pytest.fixture(scope="module")
def around():
    return surroundings(allow_outside=False)


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
