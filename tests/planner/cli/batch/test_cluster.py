"""A dask cluster of real processes on loopback: results as by the local pool, losses survived."""

from __future__ import annotations

import json
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from planner.errors import ClusterError
from tests.cases import SOAK, cases
from tests.planner.batch.batch_processes import Cluster, worker_processes
from tests.planner.batch.generated_jobs import generate

pytest.importorskip("distributed")

MANY = 12


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """A cluster that no test harms; one worker has the room of several batches."""
    made = Cluster(tmp_path_factory.mktemp("standing"))
    try:
        made.start_scheduler()
        made.workers = [made.start_worker() for _ in range(cases(gate=1, soak=2))]
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def harmed(tmp_path_factory):
    """A cluster whose processes tests kill; who uses it starts the workers it needs."""
    made = Cluster(tmp_path_factory.mktemp("harmed"))
    try:
        made.start_scheduler()
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster-jobs")
    generate(folder / "jobs", MANY, seed=21, kinds=("feasible", "infeasible", "corrupt"))
    return folder


@pytest.fixture(autouse=True)
def _there(folder, monkeypatch):
    monkeypatch.chdir(folder)


def unharmed(cluster):
    """Its workers live, none of ours stays beside them, and none of them complained."""
    assert [process.poll() for process in cluster.workers] == [None] * len(cluster.workers)
    assert worker_processes(of={process.pid for process in cluster.workers}) == []
    assert "Traceback" not in cluster.log(), cluster.log()


@pytest.mark.soak
def test_batches_at_once_find_what_the_local_pool_finds(
    start, standing, folder, undisturbed, whole
):
    """Two commands share dask workers; the end of the one disturbs nothing of the other."""
    outs = [folder / "first", folder / "second"]
    first = start("jobs/*.toml", "--cluster", standing.address, out=outs[0])
    assert first.until(lambda: first.results >= 1)
    second = start("jobs/*.toml", "--cluster", standing.address, out=outs[1])
    assert first.end() == (1, "")
    assert second.end() == (1, "")
    for out in outs:
        assert whole(out) == undisturbed
        assert list((out / "claims").iterdir()) == []
    unharmed(standing)


def test_an_interrupted_batch_leaves_the_cluster_as_it_was(
    start, standing, folder, undisturbed, whole, request
):
    """What is done is what the local pool finds; in the soak a batch beside it goes on."""
    out, other = folder / "interrupted", folder / "beside"
    batch = start("jobs/*.toml", "--cluster", standing.address, out=out)
    assert batch.until(lambda: batch.results >= 1)
    second = start("jobs/*.toml", "--cluster", standing.address, out=other) if SOAK else None
    batch.process.send_signal(signal.SIGINT)
    code, err = batch.end()
    done = len(json.loads((out / "summary.json").read_text())["rows"])
    told = f"{done} of {MANY} jobs are done; the same command goes on.\nInterrupted.\n"
    assert (code, err) == (130, told)
    if second is not None:
        assert second.end() == (1, "")
        assert whole(other) == undisturbed
        assert list((other / "claims").iterdir()) == []
    unharmed(standing)
    request.getfixturevalue("here")  # the rest needs no cluster
    assert request.getfixturevalue("palpeur")("batch", "jobs/*.toml", "--out", out).code == 1
    assert whole(out) == undisturbed


@pytest.mark.soak
def test_a_worker_and_then_the_scheduler_of_the_cluster_are_killed(
    start, harmed, standing, folder, undisturbed, whole
):
    victim, _ = harmed.start_worker(), harmed.start_worker()
    out = folder / "worker-killed"
    batch = start("jobs/*.toml", "--cluster", harmed.address, out=out)
    assert batch.until(lambda: batch.results >= 1)
    victim.kill()
    assert batch.end() == (1, "")
    assert whole(out) == undisturbed
    out = folder / "scheduler-killed"
    batch = start("jobs/*.toml", "--cluster", harmed.address, out=out)
    assert batch.until(lambda: batch.results >= 2)
    harmed.scheduler.kill()
    code, err = batch.end()
    assert code == 2
    assert f"The scheduler {harmed.address} is gone" in err
    assert "Traceback" not in err, err
    again = start("jobs/*.toml", "--cluster", standing.address, out=out)
    assert again.end() == (1, "")
    assert whole(out) == undisturbed


def lose_scheduler(start, place, out, draw):
    """Kill a scheduler at a random moment; whether the batch still ran, its code and its words."""
    cluster = Cluster(place)
    try:
        cluster.start_scheduler()
        cluster.start_worker()
        batch = start("jobs/*.toml", "--cluster", cluster.address, out=out)
        results = draw.randrange(MANY - 4)
        batch.until(lambda: batch.results >= results)
        time.sleep(draw.uniform(0.0, 0.3))
        hit = batch.process.poll() is None
        cluster.scheduler.kill()
        return hit, *batch.end()
    finally:
        cluster.end()


@pytest.mark.soak
def test_the_scheduler_is_killed_at_many_moments(start, tmp_path, folder, undisturbed, whole):
    """Fifty kills -9; the last folder is finished without a cluster."""
    draw = random.Random(9)
    outs, killed = [folder / "kills-0"], 0
    while killed < 50:
        hit, code, err = lose_scheduler(start, tmp_path, outs[-1], draw)
        killed += hit
        assert "Traceback" not in err, err
        assert code in {1, 2}, err
        if code == 1:
            outs.append(folder / f"kills-{len(outs)}")
    assert start("jobs/*.toml", "--workers", 2, out=outs[-1]).end()[0] == 1
    assert [out.name for out in outs if whole(out) != undisturbed] == []


def test_no_scheduler_there(palpeur, folder, monkeypatch):
    monkeypatch.setattr("planner.batch.cluster._CONNECT", 0.5)
    ran = palpeur("batch", "jobs", "--out", "nobody", "--cluster", "tcp://127.0.0.1:9")
    assert ran.code == 2
    assert "--cluster tcp://127.0.0.1:9: no scheduler answers there within 0.5 s" in ran.err
    assert folder.is_dir()


def test_without_the_extra_it_says_what_to_install(palpeur, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = palpeur("batch", "jobs", "--out", "nobody", "--cluster", "tcp://127.0.0.1:9")
    assert ran.code == 2
    assert "install palpeur[cluster]" in ran.err


class Future:
    """A future of the cluster that has ended."""

    def __init__(self, status, value=None):
        self.status, self.value = status, value

    def done(self):
        return True

    def exception(self):
        return self.value

    result = exception


class Client:
    """Stands for dask's client: one thread, no network."""

    status = "running"

    def __init__(self):
        self.sent = []

    def nthreads(self):
        return {"tcp://one": 2}

    def cancel(self, _):
        pass

    def run(self, _, batch, on_error):
        assert (len(batch), on_error) == (16, "return")
        return {"tcp://one": None, "tcp://two": ValueError("No worker found")}

    def close(self, **_):
        pass

    def submit(self, _, *arguments, **options):
        assert (options["pure"], options["retries"]) == (False, 0)
        self.sent.append(arguments[-1])
        return object()


@pytest.fixture
def engine(monkeypatch, tmp_path):
    from planner.batch import cluster
    from planner.batch.case import Environment
    from planner.batch.pool import Caps
    from planner.batch.worker import WorkerRequest

    monkeypatch.setattr(cluster, "connected", lambda _: Client())
    order = WorkerRequest(
        ledger=tmp_path,
        surroundings=Environment(parameters=(), code="", environment=()),
        allow_outside=False,
        reports="none",
        memory=0,
        parent=0,
    )
    return cluster.ClusterEngine("tcp://here:1", order, Caps(seconds=1.0, memory=1))


def tasks(count):
    from planner.batch.case import Case
    from planner.batch.engine import CaseTask

    cases = [Case(name=str(k), job=Path(f"/{k}")) for k in range(count)]
    return [CaseTask(case=case, digest=f"{case.name:0>64}") for case in cases]


def ended(seconds, count):
    """The ends of a chunk of tasks that took so long each."""
    end = {"digest": "0" * 64, "ending": "written", "detail": "", "seconds": seconds, "peak": 1}
    return Future("finished", json.dumps([end] * count))


@pytest.mark.parametrize(("seconds", "chunk"), [(1e-3, 16), (0.05, 5), (0.2, 1), (60.0, 1)])
def test_chunks_keep_every_worker_busy_for_about_as_long(engine, seconds, chunk):
    """Two workers: one chunk in work, one on the way; single tasks until one came back."""
    assert engine.free == 4
    (first, *others) = tasks(4)
    engine.give([first, *others])
    assert len(engine._client.sent) == 4
    assert engine.free == 0
    future = ended(seconds, 1)
    engine._futures = {future: (first,)}
    assert [done.seconds for done in engine.wait(0.0)] == [seconds]
    assert engine.free == 4 * chunk
    engine.give(tasks(8))
    assert [len(sent) for sent in engine._futures.values()] == [min(chunk, 2)] * (
        8 // min(chunk, 2)
    )


def test_a_chunk_whose_workers_are_lost_is_tried_task_by_task(engine):
    from distributed.scheduler import KilledWorker

    from planner.batch.engine import Ending

    lost = KilledWorker(task="t", last_worker=None, allowed_failures=3)
    chunk = tuple(tasks(3))
    future = Future("error", lost)
    engine._futures[future] = chunk
    assert engine._ends(future) == []
    assert len(engine._futures) == 3
    single = Future("error", lost)
    engine._futures[single] = chunk[:1]
    (done,) = engine._ends(single)
    assert (done.ending, done.task) == (Ending.LOST, chunk[0])


@pytest.mark.parametrize(
    ("status", "value", "told"),
    [
        ("error", ModuleNotFoundError("planner"), "cannot run Palpeur: ModuleNotFoundError"),
        ("cancelled", None, "is gone"),
        ("lost", None, "is gone"),
    ],
)
def test_a_cluster_that_cannot_help_is_told(engine, status, value, told):
    future = Future(status, value)
    engine._futures[future] = tuple(tasks(2))
    with pytest.raises(ClusterError, match=told):
        engine.wait(1.0)


def test_a_worker_that_could_not_be_tidied_is_told(engine, capsys):
    engine.close()
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("Warning: tcp://two could not be tidied: ValueError: No worker found.")
