"""Killed at any moment and run again, a batch ends as an undisturbed one, byte for byte.

A few moments in the normal run, many in the soak. Of writes that fail the gate has the quota; what
the ledger, the claims and the pool do by themselves is in ``tests/planner/batch``.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import time

import pytest

from tests.cases import cases
from tests.planner.batch.generated_jobs import generate

QUICK = ("feasible", "infeasible", "corrupt")
MANY = 10


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed")
    generate(folder / "jobs", MANY, seed=11, kinds=QUICK)
    return folder


@pytest.fixture(autouse=True)
def _there(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.fixture
def ends_well(request, palpeur, undisturbed, whole):
    """Run the command in this process until its end, and compare."""
    request.getfixturevalue("here")

    def check(out, *arguments):
        ran = palpeur("batch", "jobs/*.toml", *arguments, "--out", out)
        assert (ran.code, ran.err) == (1, "")
        assert whole(out) == undisturbed
        assert list((out / "claims").iterdir()) == []

    return check


def pause(batch, seconds):
    moment = time.monotonic() + seconds
    batch.until(lambda: time.monotonic() > moment)


def signal_at(batch, draw, number):
    """Send a signal to the batch or one of its workers at a random moment of its life."""
    results = draw.randrange(0, MANY // 2)
    if not batch.until(lambda: batch.results >= results):
        return "ended"
    pause(batch, draw.uniform(0.0, 0.25))
    victims = batch.workers if draw.random() < 0.4 and number == signal.SIGKILL else []
    if victims:
        os.kill(draw.choice(victims), number)
        return "worker"
    batch.process.send_signal(number)
    return "batch"


def disturb(start, folder, draw, moments, *, batches=0, workers=0, number=signal.SIGKILL):
    """Kill and run again; folders of batches that came to their end, the last one unfinished.

    Which process is hit depends on what runs at the moment drawn, so it goes on until each kind was
    hit often enough.
    """
    outs, hit = [folder / f"out-{draw.random()}"], []
    while len(hit) < moments or hit.count("batch") < batches or hit.count("worker") < workers:
        batch = start("jobs/*.toml", "--workers", 2, out=outs[-1])
        hit.append(signal_at(batch, draw, number))
        if hit[-1] == "batch":
            code, _ = batch.end()
            assert code in {-signal.SIGKILL, 130}
        else:
            assert batch.end()[0] == 1
        if hit[-1] != "batch":
            outs.append(folder / f"out-{draw.random()}")
    return outs, hit


def test_killed_at_some_moments(start, folder, ends_well):
    # The first moment is 16 ms after the first result: the batch has hardly ever ended by then.
    outs, hit = disturb(start, folder, random.Random(62), cases(gate=1, soak=5), batches=1)
    assert "batch" in hit
    for out in outs:
        ends_well(out)


@pytest.mark.soak
def test_killed_at_many_moments(start, folder, ends_well):
    outs, hit = disturb(start, folder, random.Random(6), 60, batches=20, workers=10)
    assert hit.count("batch") >= 20
    assert hit.count("worker") >= 10
    for out in outs:
        ends_well(out)


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.soak),
        pytest.param(signal.SIGHUP, marks=pytest.mark.soak),
    ],
)
def test_asked_to_end_it_finishes_writing_sums_up_and_goes_on_later(
    start, folder, ends_well, number
):
    out = folder / f"asked-{number}"
    batch = start("jobs/*.toml", "--workers", cases(gate=1, soak=2), out=out)
    assert batch.until(lambda: batch.results >= 3)
    workers = batch.workers
    batch.process.send_signal(number)
    code, err = batch.end()
    rows = json.loads((out / "summary.json").read_text())["rows"]
    said = f"{len(rows)} of {MANY} jobs are done; the same command goes on.\n"
    assert (code, err) == (130, said + "Interrupted.\n")
    assert len(rows) == batch.results < MANY
    assert list((out / "claims").iterdir()) == []
    assert list(out.rglob("*.partial")) == []
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    ends_well(out)


@pytest.mark.soak
def test_asked_twice_it_leaves_without_a_traceback(start, folder, ends_well):
    out = folder / "twice"
    batch = start("jobs/*.toml", "--workers", 1, out=out)
    assert batch.until(lambda: batch.results >= 1)
    batch.process.send_signal(signal.SIGINT)
    batch.process.send_signal(signal.SIGTERM)
    code, err = batch.end()
    assert code == 130, err
    assert "Traceback" not in err
    ends_well(out)


@pytest.mark.soak
def test_asked_before_it_has_begun(start, folder, ends_well):
    out = folder / "early"
    batch = start("jobs/*.toml", "--workers", 1, out=out)
    assert batch.until((out / "workers.log").exists)
    batch.process.send_signal(signal.SIGINT)
    code, err = batch.end()
    assert code == 130
    assert err.endswith(f" of {MANY} jobs are done; the same command goes on.\nInterrupted.\n")
    ends_well(out)


@pytest.mark.soak
def test_every_worker_killed_again_and_again(start, folder, ends_well):
    """Tasks whose workers are killed too often are rows, and the next run redoes them."""
    out = folder / "workers"
    batch = start("jobs/*.toml", "--workers", 2, out=out)
    draw, killed = random.Random(1), 0
    while killed < 6 and batch.until(lambda: batch.workers != []):
        pause(batch, draw.uniform(0.0, 0.6))
        for pid in batch.workers:
            os.kill(pid, signal.SIGKILL)
            killed += 1
    code, err = batch.end()
    assert (code, err) == (1, "")
    ends_well(out)


@pytest.mark.soak
def test_two_batches_on_one_folder_share_the_work(start, folder, ends_well):
    out = folder / "both"
    both = [start("jobs/*.toml", "--workers", 1, out=out) for _ in range(2)]
    assert [batch.end() for batch in both] == [(1, "")] * 2
    lines = [
        line for path in out.glob("measured/*.jsonl") for line in path.read_text().splitlines()
    ]
    assert len(lines) == MANY  # each one was judged once
    ends_well(out)


@pytest.mark.soak
def test_one_of_two_batches_is_killed(start, folder, ends_well):
    out = folder / "one-of-two"
    both = [start("jobs/*.toml", "--workers", 1, out=out) for _ in range(2)]
    assert both[0].until(lambda: both[0].results >= 3)
    both[0].process.kill()
    assert both[1].end() == (1, "")
    ends_well(out)


@pytest.mark.soak
def test_clocks_that_jump(start, folder, ends_well):
    out = folder / "clocks"
    batch = start("jobs/*.toml", "--workers", 1, out=out)
    assert batch.until(lambda: batch.results >= 3)
    batch.process.kill()
    batch.end()
    for place, when in zip(sorted(out.rglob("*")), [0.0, 4e9, 1e9] * 1000, strict=False):
        os.utime(place, (when, when))
    ends_well(out)


def test_files_that_cannot_grow(palpeur, folder, ends_well):
    """A quota as the kernel simulates it: no file may have more than 900 bytes."""
    out = folder / "quota"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (900, before[1]))
    try:
        ran = palpeur("batch", "jobs/*.toml", "--out", out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert ran.code == 2
    assert "cannot be written: File too large" in ran.err
    assert "run the same command again" in ran.err
    assert list(out.rglob("*.partial")) == []
    ends_well(out)


@pytest.fixture
def small_disk(folder):
    """A disk of its own that can be filled and made read-only; only root can have one."""
    place = folder / "disk"
    place.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", str(place)]
    done = subprocess.run(mount, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("mounting a small disk takes root and its capabilities")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.soak
@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(0, id="at once"),
        pytest.param(5, id="between results"),
        pytest.param(16, id="at the end"),
    ],
)
def test_a_full_disk(start, ends_well, small_disk, pages):
    out, ballast = small_disk / "out", small_disk / "ballast"
    ballast.write_bytes(b"x" * ((1 << 20) - pages * resource.getpagesize()))
    code, err = start("jobs/*.toml", "--workers", 1, out=out).end()
    assert code == 2
    assert "No space left on device" in err
    assert "kept" in err
    assert list(out.rglob("*.partial")) == []
    ballast.unlink()
    ends_well(out)


@pytest.mark.soak
def test_a_disk_that_becomes_read_only(start, ends_well, small_disk):
    out = small_disk / "out"
    batch = start("jobs/*.toml", "--workers", 1, out=out)
    assert batch.until(lambda: batch.results >= 2)
    batch.process.send_signal(signal.SIGINT)
    batch.end()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    code, err = start("jobs/*.toml", "--workers", 1, out=out).end()
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    assert code == 2
    assert "Read-only file system" in err
    assert "Internal error" not in err
    ends_well(out)
