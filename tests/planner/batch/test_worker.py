"""The worker: as a process, spoken to over pipes; and its parts in this process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from planner.batch import worker
from planner.batch.case import Case, FileHashes, key_of
from planner.batch.ledger import Ledger
from planner.batch.outcome import CaseStatus
from planner.batch.surroundings import surroundings
from planner.batch.worker import WorkerRequest, order_of
from planner.errors import OutputError

AROUND = surroundings(allow_outside=False)


@pytest.fixture
def order(tmp_path):
    return WorkerRequest(
        ledger=tmp_path / "out",
        surroundings=AROUND,
        allow_outside=False,
        reports="none",
        memory=0,
        parent=0,
    )


@pytest.fixture
def said(nine):
    """The nine-point job as a task says it."""
    case = Case(name="nine", job=nine / "job.toml")
    digest = key_of(case, AROUND, FileHashes()).digest
    return case.document() | {"digest": digest}


@pytest.fixture
def mine(order):
    return worker._Worker(order=order, ledger=Ledger(folder=order.ledger))


def speak(order, *lines, python=("-m", "planner.batch.worker"), **options):
    """Answers of a worker process to some lines, its exit code and stderr."""
    done = subprocess.run(
        [sys.executable, "-P", *python, order.text()],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode, done.stderr


def test_an_order_is_read_back(order):
    assert order_of(order.text()) == order


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"code": "other"}, "Palpeur's own files"),
        ({"environment": (*AROUND.environment, ("cobol", "85"))}, "cobol"),
        ({"parameters": (*AROUND.parameters, ("cap POINTS", "7"))}, "cap POINTS"),
    ],
)
def test_another_installation_is_told(order, change, told):
    order = replace(order, surroundings=replace(AROUND, **change))
    with pytest.raises(SystemExit) as end:
        worker._check_same(order)
    assert end.value.code.endswith(
        f"started with: {told}; run the same command again with equal ones"
    )


@pytest.mark.soak
def test_another_installation_does_not_judge_under_our_keys(order, said):
    answers, code, err = speak(replace(order, surroundings=replace(AROUND, code="other")), said)
    assert (answers, code) == ([], 1)
    assert err.endswith("Palpeur's own files; run the same command again with equal ones\n")


# A library that prints, to file descriptor 1 and to Python's stdout.
LOUD = (
    "import os, sys; from planner.batch import worker\n"
    "old = worker.run_case\n"
    "def loud(*a, **k):\n"
    "    os.write(1, b'hello'); print('world', flush=True); return old(*a, **k)\n"
    "worker.run_case = loud; sys.argv[1:] = [sys.argv[1]]; worker.main()"
)


def test_ready_then_one_answer_to_a_task_then_the_end(order, said, tmp_path):
    """In a folder that holds modules of our names, of which none is imported.

    What is printed meanwhile is no answer; it goes to the log.
    """
    (tmp_path / "numpy.py").write_text("raise SystemExit('caught')")
    (tmp_path / "planner").mkdir()
    answers, code, err = speak(order, said, said, python=("-c", LOUD), cwd=tmp_path)
    assert answers[0] == {"ready": True}
    assert [answer["ending"] for answer in answers[1:]] == ["written", "written"]
    assert answers[1]["digest"] == said["digest"]
    assert answers[1]["peak"] > 10e6
    assert (code, err.count("hello"), err.count("world")) == (0, 2, 2)
    assert Ledger(folder=order.ledger).read(said["digest"]).outcome.status is CaseStatus.FEASIBLE


def test_a_worker_without_its_parent_ends_at_once(order, said):
    answers, code, _ = speak(replace(order, parent=1), said)
    assert (answers, code) == ([], 0)


def test_the_kernel_ends_a_worker_with_its_parent(order, tmp_path):
    """A parent that is killed cannot say anything, and its pipe may be held open by another."""
    reading, writing = os.pipe()
    code = f"""
import os, subprocess, sys
from dataclasses import replace
from planner.batch.worker import order_of
order = replace(order_of({order.text()!r}), parent=os.getpid())
child = subprocess.Popen([sys.executable, "-P", "-m", "planner.batch.worker", order.text()],
                         stdin={reading}, stdout=subprocess.PIPE)
child.stdout.readline()
open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
os.kill(os.getpid(), 9)
"""
    try:
        subprocess.run([sys.executable, "-c", code], check=False, pass_fds=[reading], timeout=120)
        pid = int((tmp_path / "pid").read_text())
        limit = time.monotonic() + 30.0
        while running(pid):
            if time.monotonic() > limit:
                os.kill(pid, signal.SIGKILL)
                pytest.fail("the worker outlived its parent")
            time.sleep(0.01)
    finally:
        os.close(writing)
        os.close(reading)


def running(pid):
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_fault_that_nobody_expected_is_an_answer(mine, said, monkeypatch, capsys):
    def fail(case, *_, **__):
        raise RuntimeError(f"bad thing in {case.job.parent}/points.csv")

    monkeypatch.setattr(worker, "run_case", fail)
    end = mine.do(said)
    assert (end["ending"], end["digest"]) == ("crashed", said["digest"])
    assert end["detail"] == "RuntimeError: bad thing in points.csv"
    assert "Traceback" in capsys.readouterr().err


def test_too_much_memory_is_an_answer(mine, said, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(worker, "run_case", fail)
    assert mine.do(said)["ending"] == "memory cap"


def test_a_ledger_that_cannot_be_written_is_an_answer(mine, said, monkeypatch):
    def fail(*_):
        raise OutputError("no room")

    monkeypatch.setattr(Ledger, "write", fail)
    end = mine.do(said)
    assert (end["ending"], end["detail"]) == ("unwritable", "no room")


def test_a_file_that_changes_while_it_is_read_is_read_again(mine, said, nine, monkeypatch):
    run, seen = worker.run_case, []

    def changing(case, key, **options):
        found = run(case, key, **options)
        if not seen:
            with (nine / "points.csv").open("a") as file:
                file.write("\n")
        seen.append(key.digest)
        return found

    monkeypatch.setattr(worker, "run_case", changing)
    end = mine.do(said)
    assert seen[0] == said["digest"] != end["digest"] == seen[1]
    assert mine.ledger.read(said["digest"]) is None
    assert mine.ledger.read(end["digest"]).outcome.status is CaseStatus.FEASIBLE


def test_files_that_never_rest_are_a_result(mine, said, nine, monkeypatch):
    run = worker.run_case

    def changing(case, key, **options):
        with (nine / "points.csv").open("a") as file:
            file.write("\n")
        return run(case, key, **options)

    monkeypatch.setattr(worker, "run_case", changing)
    outcome = mine.ledger.read(mine.do(said)["digest"]).outcome
    assert (outcome.status, outcome.code) == (CaseStatus.CRASHED, "changing")


def test_a_request_to_end_waits_for_a_result_that_is_being_written(mine, monkeypatch):
    left = []
    monkeypatch.setattr(os, "_exit", left.append)
    with mine.writing.section():
        mine.writing.on_signal(signal.SIGTERM, None)
        assert left == []
    assert left == [143]
    mine.writing.asked = False
    mine.writing.on_signal(signal.SIGTERM, None)
    assert left == [143, 143]


@pytest.mark.parametrize(
    ("reports", "made"),
    [("none", 0), ("failed", 0), pytest.param("all", 1, marks=pytest.mark.soak)],
)
def test_a_report_set_is_made_where_it_is_asked_for(order, said, reports, made):
    mine = worker._Worker(order=replace(order, reports=reports), ledger=Ledger(folder=order.ledger))
    assert mine.do(said)["ending"] == "written"
    pages = list(order.ledger.glob("reports/*/report.html"))
    assert [page.parent.name for page in pages] == [said["digest"]] * made
