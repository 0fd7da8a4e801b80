"""Batches through the command: in this process, and as processes of their own that get killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from planner.cli.main import main
from planner.library import path_of
from tests.planner.batch.generated_jobs import generate
from tests.planner.batch.in_process import hash_code_once, judge_here

COMMAND = (sys.executable, "-c", "from planner.cli.main import run; run()")
COMPARED = ("summary.csv", "summary.parquet", "summary.json", "junit.xml", "batch.json")
QUICK = ("feasible", "infeasible", "corrupt")


@pytest.fixture(scope="module", autouse=True)
def _code_is_hashed_once():
    with pytest.MonkeyPatch.context() as patch:
        hash_code_once(patch)
        yield


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """A few quick jobs of every kind, in ``jobs``; the current folder is above it."""
    monkeypatch.chdir(tmp_path)
    generate(tmp_path / "jobs", 6, seed=3, kinds=QUICK)
    return tmp_path / "jobs"


@pytest.fixture(scope="session")
def judged_once(tmp_path_factory):
    """The same jobs with a batch of them in ``out``, to be copied."""
    folder = tmp_path_factory.mktemp("judged")
    generate(folder / "jobs", 6, seed=3, kinds=QUICK)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        judge_here(patch)
        assert main(["--quiet", "batch", "jobs/*.toml", "--out", "out"]) == 1
    return folder


@pytest.fixture
def judged(judged_once, tmp_path, monkeypatch):
    """As ``jobs``, with a finished batch in ``out``."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(judged_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "jobs"


@pytest.fixture
def nine(tmp_path, monkeypatch):
    """The corrected nine-point job as ``nine/job.toml``."""
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(path_of("nine-points-corrected").parent, tmp_path / "nine")


@pytest.fixture
def here(monkeypatch):
    """Batches judge in this process; the tests of workers, caps and kills start the real ones."""
    judge_here(monkeypatch)


@pytest.fixture(scope="module")
def undisturbed(folder, whole):
    """What a batch of the jobs in ``folder`` holds when nobody disturbs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        judge_here(patch)
        assert main(["--quiet", "batch", "jobs/*.toml", "--out", "undisturbed"]) == 1
    return whole(folder / "undisturbed")


@pytest.fixture(scope="session")
def whole():
    """``whole(folder)``: everything of a batch that does not differ from run to run."""

    def read(folder: Path) -> dict[str, bytes]:
        names = [path for path in sorted((folder / "results").rglob("*")) if path.is_file()]
        names += [folder / name for name in (*COMPARED, "index.parquet")]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}

    return read


@pytest.fixture(scope="session")
def statuses():
    """Status of each job by its name, from the summary."""

    def read(folder: Path) -> dict[str, str]:
        document = json.loads((folder / "summary.json").read_text())
        return {row["name"]: row["status"] for row in document["rows"]}

    return read


@dataclass
class Started:
    """A batch that runs as a process of its own."""

    process: subprocess.Popen
    folder: Path
    before: set = field(default_factory=set)

    @property
    def results(self) -> int:
        return len(list(self.folder.glob("results/??/[!.]*.json"))) - len(self.before)

    @property
    def workers(self) -> list[int]:
        """Its worker processes that live."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid and fields[0] != "Z":
                found.append(int(path.parent.name))
        return found

    def until(self, wanted, seconds=60.0) -> bool:
        """Wait until something is so, or the batch has ended."""
        limit = time.monotonic() + seconds
        while self.process.poll() is None and not wanted():
            assert time.monotonic() < limit
            time.sleep(0.002)
        return self.process.poll() is None

    def end(self, seconds=120.0):
        """Exit code and stderr."""
        _, err = self.process.communicate(timeout=seconds)
        return self.process.returncode, err


@pytest.fixture
def start():
    """``start("jobs", "--out", …)``: the real command; what still runs at the end is killed."""
    started = []

    def run(*arguments, out, environment=None):
        before = set(Path(out).glob("results/??/*.json"))
        process = subprocess.Popen(
            [*COMMAND, "batch", *map(str, arguments), "--out", str(out)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | (environment or {}),
        )
        started.append(process)
        return Started(process=process, folder=Path(out), before=before)

    yield run
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()
