"""Workers that are a few lines of Python, ledgers, keys: batches without planning."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from pathlib import Path

import pytest

from planner.batch.case import Case, Environment, FileHashes, key_of
from planner.batch.engine import CaseTask
from planner.batch.ledger import Ledger
from planner.batch.outcome import CaseStatus, Outcome
from planner.batch.pool import Caps, PoolOptions, WorkerPool
from planner.library import path_of

MEGABYTE = 1_000_000

# Speaks as a worker does; what it does with a task is said by the name of the task's case.
STAND_IN = """
import json, os, signal, sys, time
from pathlib import Path
folder = Path({folder!r})
def tries(name):
    with (folder / "tries").open("a") as file:
        file.write(name + "\\n")
    return (folder / "tries").read_text().split("\\n").count(name)
def say(**said):
    sys.stdout.write(json.dumps(said) + "\\n")
    sys.stdout.flush()
{start}
say(ready=True)
for line in sys.stdin:
    said = json.loads(line)
    name, number = said["name"], tries(said["name"])
    end = dict(ending="written", digest=said["digest"], detail="", peak=1)
{act}
    say(**end)
"""


@pytest.fixture
def around():
    return Environment(
        parameters=(("allow-outside", "false"),),
        code="c0de",
        environment=(("machine", "abacus"), ("numpy", "2.0")),
    )


@pytest.fixture
def job(tmp_path):
    """A job file that names two files, one of which is there."""
    folder = tmp_path / "jobs"
    folder.mkdir()
    (folder / "points.csv").write_text("name,x\nA,1\n")
    path = folder / "job.toml"
    path.write_text('[job]\nname = "one"\n[points]\nfile = "points.csv"\n[part]\nfile = "p.stl"\n')
    return path


@pytest.fixture
def ledger(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return Ledger(folder=folder)


@pytest.fixture
def key(job, around):
    return key_of(Case(name="one", job=job), around, FileHashes())


@pytest.fixture
def outcome():
    return Outcome(
        status=CaseStatus.INFEASIBLE,
        code="P101",
        where="A",
        message="a point, and 1 more: é \ud800",
        figures={"duration_s": 0.1 + 0.2, "energy_j": 1e-300},
        findings={"P101": 2},
        inputs={"part.stl": "ab" * 32},
    )


@pytest.fixture
def task(tmp_path):
    """``task("name")``: a task whose digest is made of its name."""

    def made(name, text=""):
        digest = name.encode().hex().ljust(64, "0")
        return CaseTask(
            case=Case(name=name, job=tmp_path / f"{name}.toml", text=text), digest=digest
        )

    return made


@pytest.fixture
def stand_in(tmp_path):
    """``stand_in(act)``: command of a worker that runs ``act`` for each task."""

    def made(act="    pass", start=""):
        act = textwrap.indent(textwrap.dedent(act).strip(), "    ")
        text = STAND_IN.format(folder=str(tmp_path), act=act, start=textwrap.dedent(start))
        path = tmp_path / "worker.py"
        path.write_text(text)
        return (sys.executable, str(path))

    return made


@pytest.fixture
def pool(tmp_path, stand_in):
    """``pool(act, workers=…, seconds=…, megabytes=…)``; closed at the end of the test."""
    made = []

    def make(act="pass", *, start="", workers=1, seconds=60.0, megabytes=1000):
        options = PoolOptions(
            command=stand_in(act, start),
            workers=workers,
            caps=Caps(seconds=seconds, memory=megabytes * MEGABYTE),
            log=tmp_path / "workers.log",
        )
        made.append(WorkerPool(options))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def tries(tmp_path):
    """How often each task was begun by a stand-in worker."""

    def counted():
        path = tmp_path / "tries"
        lines = path.read_text().split() if path.exists() else []
        return {name: lines.count(name) for name in lines}

    return counted


@pytest.fixture
def open_files():
    """Open file descriptors of this process."""

    def count():
        return len(list(Path("/proc/self/fd").iterdir()))

    return count


@pytest.fixture
def children():
    """Process ids of this process's children, zombies too."""

    def found():
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        return set(map(int, text.split()))

    return found


@pytest.fixture
def lines_of():
    def read(path):
        return [json.loads(line) for line in path.read_text().splitlines()]

    return read


@pytest.fixture
def nine(tmp_path, monkeypatch):
    """The corrected nine-point job as ``nine/job.toml``; the current folder is above it."""
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(path_of("nine-points-corrected").parent, tmp_path / "nine")
