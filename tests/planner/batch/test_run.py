"""The run: each pending case once, caps as rows, two batches on one folder, interruptions."""

from __future__ import annotations

import errno
import re
import time
from dataclasses import replace

import pytest

from planner.batch.case import Case, CaseKey
from planner.batch.engine import Done, Ending
from planner.batch.ledger import Claims
from planner.batch.outcome import CaseStatus, Outcome
from planner.batch.pool import Caps
from planner.batch.run import Pending, Run, Why, run_pending
from planner.errors import OutputError

CAPS = Caps(seconds=2.0, memory=600_000_000)
DONE = Outcome(status=CaseStatus.FEASIBLE)


class Bench:
    """An engine that writes a result for each task, or what ``ends`` says for its name."""

    def __init__(self, ledger, keys, ends=None, free=2):
        self.ledger, self.keys, self.ends, self.most = ledger, keys, ends or {}, free
        self.work, self.given, self.closed = [], [], 0
        self.before = lambda _: None

    @property
    def free(self):
        return self.most - len(self.work)

    def give(self, tasks):
        assert len(tasks) <= self.free
        self.given += [task.case.name for task in tasks]
        self.work += tasks

    def wait(self, seconds):
        if not self.work:
            time.sleep(min(seconds, 0.01))
            return []
        task = self.work.pop(0)
        self.before(task)
        ending = self.ends.get(task.case.name, Ending.WRITTEN)
        if ending is Ending.WRITTEN:
            self.ledger.write(self.keys[task.digest], DONE)
        return [Done(task=task, digest=task.digest, ending=ending, detail="why", seconds=1.0)]

    def close(self):
        self.closed += 1


@pytest.fixture
def items(around, tmp_path):
    """``items("a", "b")``: pending cases whose keys are made of their names."""

    def made(*names, why="new"):
        return [
            Pending(
                case=Case(name=name, job=tmp_path / name),
                key=CaseKey(inputs=((name.partition("=")[2] or name, "0"),), surroundings=around),
                why=Why(why, why),
            )
            for name in names
        ]

    return made


@pytest.fixture
def run(ledger):
    """``run(pending, ends)`` → engine and names that were told."""

    def go(pending, ends=None, prepare=lambda _: None, **options):
        keys = {item.key.digest: item.key for item in pending}
        bench = Bench(ledger, keys, ends, **options)
        prepare(bench)
        told = []
        the_run = Run(ledger=ledger, caps=CAPS, key=keys.__getitem__)
        try:
            run_pending(pending, the_run, bench, lambda done: told.append(done.task.case.name))
        finally:
            assert bench.closed == 1
            assert [p for p in ledger.folder.glob("claims/*") if bench.work == []] == []
        return bench, told

    return go


def test_every_pending_case_is_judged_once(run, items, ledger):
    pending = items(*"abcdefg") + items("x", why="")
    bench, told = run(pending)
    assert sorted(bench.given) == sorted(told) == list("abcdefg")
    assert len(list(ledger.digests())) == 7


def test_cases_with_one_key_are_judged_once_and_told_twice(run, items):
    bench, told = run(items("a=k", "b=k", "c=k"))
    assert len(bench.given) == 1
    assert sorted(told) == ["a=k", "b=k", "c=k"]


@pytest.mark.parametrize(
    ("ending", "status", "code", "told", "cap"),
    [
        (Ending.TIME_CAP, CaseStatus.TIME_CAP, "time-cap", r"more than 2 s; .*--time-cap", 2.0),
        (Ending.MEMORY_CAP, CaseStatus.MEMORY_CAP, "memory-cap", "more than 600 MB of memory", 6e8),
        (Ending.CRASHED, CaseStatus.CRASHED, "crash", "the worker failed: why. This is a bug", 0.0),
        (Ending.LOST, CaseStatus.CRASHED, "crash", "the worker failed: why", 0.0),
    ],
)
def test_other_endings_are_results_too(run, items, ledger, ending, status, code, told, cap):
    pending = items("a", "b")
    run(pending, {"a": ending})
    outcome = ledger.read(pending[0].key.digest).outcome
    assert (outcome.status, outcome.code, outcome.cap) == (status, code, cap)
    assert re.search(told, outcome.message)
    assert ledger.read(pending[1].key.digest).outcome == DONE


def test_a_ledger_that_a_worker_cannot_write_ends_the_run(run, items):
    with pytest.raises(OutputError, match="why"):
        run(items(*"abc"), {"b": Ending.UNWRITABLE})


def test_a_ledger_that_we_cannot_write_ends_the_run(run, items, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Claims, "take", full)
    with pytest.raises(OutputError, match=r"cannot be written: No space.*is kept"):
        run(items("a"))


def test_what_another_batch_finished_is_not_done_again(run, items, ledger):
    pending = items("a", "b")
    ledger.write(pending[0].key, DONE)
    bench, told = run(pending)
    assert bench.given == ["b"]
    assert sorted(told) == ["a", "b"]


def test_what_another_batch_finishes_between_look_and_claim_is_not_done_again(
    run, items, ledger, monkeypatch
):
    pending = items("a")
    take = Claims.take

    def late(self, digest):
        ledger.write(pending[0].key, DONE)
        return take(self, digest)

    monkeypatch.setattr(Claims, "take", late)
    bench, told = run(pending)
    assert (bench.given, told) == ([], ["a"])


def test_a_result_that_is_done_again_does_not_count_as_done(run, items, ledger):
    capped = Outcome(status=CaseStatus.TIME_CAP, cap=1.0)
    (item,) = items("a", why="failed before")
    ledger.write(item.key, capped)
    item = replace(item, stale=ledger.read(item.key.digest))
    bench, _ = run([item])
    assert bench.given == ["a"]
    assert ledger.read(item.key.digest).outcome == DONE


def test_what_another_batch_works_on_is_waited_for(run, items, ledger):
    """The other one holds a claim until we have done everything else, then its result is there."""
    pending = items("theirs", "a", "b")
    claims = Claims(folder=ledger.folder)
    assert claims.take(pending[0].key.digest)

    def prepare(bench):
        def before(task):
            if task.case.name == "b":
                ledger.write(pending[0].key, DONE)
                claims.drop(pending[0].key.digest)

        bench.before = before

    bench, told = run(pending, prepare=prepare)
    assert sorted(bench.given) == ["a", "b"]
    assert sorted(told) == ["a", "b", "theirs"]


def test_an_interruption_closes_the_engine_and_gives_the_claims_back(run, items, ledger):
    def prepare(bench):
        def before(_):
            raise KeyboardInterrupt

        bench.before = before

    with pytest.raises(KeyboardInterrupt):
        run(items(*"abc"), prepare=prepare)
    assert list(ledger.folder.glob("claims/*")) == []


def test_claims_are_touched_while_the_work_goes_on(run, items, monkeypatch):
    touched = []
    monkeypatch.setattr("planner.batch.run._TOUCH", 0.0)
    monkeypatch.setattr(Claims, "touch", lambda _, digest: touched.append(digest))
    pending = items(*"abc")
    run(pending)
    assert set(touched) <= {item.key.digest for item in pending}
    assert touched
