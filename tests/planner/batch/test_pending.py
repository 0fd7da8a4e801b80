"""What has to run, and why, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.batch.case import Case, FileHashes, key_of
from planner.batch.outcome import CaseStatus, Outcome
from planner.batch.run import RedoRule, decide

FEASIBLE = Outcome(status=CaseStatus.FEASIBLE)
REDO = RedoRule(time_cap=10.0, memory_cap=1e9)


@pytest.fixture
def case(job):
    return Case(name="one", job=job)


@pytest.fixture
def why(case, ledger, around):
    """Why the case has to run; ``known`` is its digest of the run before."""

    def told(known=None, *, redo=REDO, around=around):
        known = {"one": known} if known else {}
        (item,) = decide([case], ledger, around, redo, known=known, hashes=FileHashes())
        assert (item.result is None) == bool(item.why)
        return item.why.words

    return told


@pytest.fixture
def done(case, ledger, around):
    """Write a result as of now; its digest."""

    def write(outcome=FEASIBLE):
        key = key_of(case, around, FileHashes())
        ledger.write(key, outcome)
        return key.digest

    return write


def test_new_then_there(why, done):
    assert why() == "new"
    digest = done()
    assert why() == why(digest) == ""


def test_a_result_is_found_by_what_it_depends_on_not_by_a_name(why, done):
    done()
    assert why("0" * 64) == ""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda f: (f / "points.csv").write_text("?"), "input changed: points.csv"),
        (lambda f: (f / "points.csv").unlink(), "input removed: points.csv"),
        (lambda f: (f / "p.stl").write_text("?"), "input added: p.stl"),
        (lambda f: (f / "job.toml").write_text("[job]"),
         "input changed: job.toml; input removed: points.csv"),
    ],
)  # fmt: skip
def test_changed_inputs_are_named(why, done, job, change, told):
    digest = done()
    change(job.parent)
    assert why(digest) == told
    assert why() == "new"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"code": "other"}, "code changed"),
        ({"environment": (("machine", "abacus"), ("numpy", "2.1"))},
         "version changed: numpy 2.0 → 2.1"),
        ({"environment": (("machine", "abacus"),)}, "version changed: numpy 2.0 → none"),
        ({"parameters": (("allow-outside", "true"),)},
         "parameter changed: allow-outside false → true"),
        ({"parameters": (("allow-outside", "true"),), "code": "other"},
         "parameter changed: allow-outside false → true; code changed"),
    ],
)  # fmt: skip
def test_changed_surroundings_are_named(why, done, around, change, told):
    assert why(done(), around=replace(around, **change)) == told


def test_what_was_not_finished_or_torn_is_said(why, done, ledger):
    assert why("0" * 64) == "not finished before"
    path = ledger.path(done())
    path.write_bytes(path.read_bytes()[:-1])
    assert why() == "result corrupted"


def test_a_cap_is_tried_again_when_it_was_raised_or_when_asked(why, done):
    done(Outcome(status=CaseStatus.TIME_CAP, message="took more than 10 s", cap=10.0))
    assert why() == ""
    assert why(redo=replace(REDO, time_cap=5.0)) == ""
    told = "failed before: took more than 10 s"
    assert why(redo=replace(REDO, time_cap=10.5)) == told
    assert why(redo=replace(REDO, failed=True)) == told
    done(Outcome(status=CaseStatus.MEMORY_CAP, message="took too much", cap=1e9))
    assert why(redo=replace(REDO, time_cap=99.0)) == ""
    assert why(redo=replace(REDO, memory_cap=2e9)) == "failed before: took too much"


def test_a_crash_is_always_tried_again(why, done):
    done(Outcome(status=CaseStatus.CRASHED))
    assert why() == "failed before: its worker died"


@pytest.mark.parametrize("status", [s for s in CaseStatus if s.final])
def test_what_is_final_is_never_tried_again(why, done, status):
    done(Outcome(status=status))
    assert why(redo=replace(REDO, failed=True, time_cap=1e9)) == ""


def test_further_inputs_of_a_result_are_compared(why, done, job):
    (job.parent / "sub.stl").write_text("a")
    digest = FileHashes().of(job.parent / "sub.stl")
    done(Outcome(status=CaseStatus.FEASIBLE, inputs={"sub.stl": digest}))
    assert why() == ""
    (job.parent / "sub.stl").write_text("b")
    assert why() == "input changed: sub.stl"


def test_a_missing_report_is_a_reason(why, done):
    done()
    assert why(redo=replace(REDO, report=lambda _: True)) == "report missing"
