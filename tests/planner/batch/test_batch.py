"""Batches from Python: what comes of the jobs, going on, and being interrupted."""

from __future__ import annotations

import json
import re

import pytest

from planner.batch.batch import Batch, BatchInterrupted, BatchOptions, run_batch
from planner.batch.outcome import CaseStatus
from planner.errors import OptionError, OutputError
from tests.planner.batch.generated_jobs import generate
from tests.planner.batch.in_process import judge_here

ONE = BatchOptions(workers=1)


@pytest.fixture(scope="module", autouse=True)
def _judged_here():
    """Workers and their caps have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        judge_here(patch)
        yield


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """Two jobs that are refused and two that are planned."""
    folder = tmp_path_factory.mktemp("batch") / "jobs"
    generate(folder, 6, seed=3, kinds=("feasible", "infeasible", "corrupt"))
    return folder


@pytest.fixture(scope="module")
def first(jobs):
    """The first run, and what it told."""
    told = []
    found = run_batch([str(jobs)], jobs.parent / "out", ONE, lambda *counts: told.append(counts))
    return found, told


def test_every_job_has_a_row(first, jobs):
    found, told = first
    statuses = [row.outcome.status for row in found.rows]
    assert found.jobs == found.ran == len(found.rows) == len(list(jobs.glob("*.toml")))
    assert found.by_status == {
        name: sum(status.value == name for status in statuses)
        for name in sorted({status.value for status in statuses})
    }
    failed = sum(status is not CaseStatus.FEASIBLE for status in statuses)
    assert found.feasible is (failed == 0)
    assert sum(found.reasons.values()) == failed
    assert told[0] == (0, 0, found.jobs)
    assert told[-1] == (found.jobs, failed, found.jobs)
    assert [done for done, _, _ in told] == list(range(found.jobs + 1))


def test_the_same_call_runs_nothing_again(first, jobs):
    found, _ = first
    again = run_batch([str(jobs)], found.folder, ONE)
    assert again.ran == 0
    assert [row.digest for row in again.rows] == [row.digest for row in found.rows]
    assert again.changes is None


def test_a_batch_is_compared_with_another(first, jobs, tmp_path):
    found, _ = first
    options = BatchOptions(workers=1, compare=found.folder)
    again = run_batch([str(jobs)], tmp_path / "out", options)
    assert again.changes is not None
    assert again.changes.count("worse") == 0
    assert again.ran == found.jobs


def test_an_interrupted_batch_keeps_what_is_finished(first, jobs, tmp_path):
    found, _ = first

    def stop(done, failed, total):
        del failed, total
        if done == 2:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(BatchInterrupted) as stopped:
        run_batch([str(jobs)], out, ONE, stop)
    assert stopped.value.jobs == found.jobs
    assert 2 <= stopped.value.done < found.jobs
    kept = json.loads((out / "summary.json").read_text())["rows"]
    assert len(kept) == stopped.value.done
    rest = run_batch([str(jobs)], out, ONE)
    assert rest.ran == found.jobs - stopped.value.done
    assert [row.digest for row in rest.rows] == [row.digest for row in found.rows]


def test_shares_are_all_the_cases_once(jobs, tmp_path):
    whole = Batch.of([str(jobs)], tmp_path / "out", BatchOptions())
    shares = [
        Batch.of([str(jobs)], tmp_path / "out", BatchOptions(share=f"{k}/3")) for k in (1, 2, 3)
    ]
    names = sorted(case.name for share in shares for case in share.cases)
    assert names == sorted(case.name for case in whole.cases)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"workers": -1}, "--workers is -1"),
        ({"time_cap": 0.0}, "--time-cap is 0"),
        ({"time_cap": float("nan")}, "--time-cap is nan"),
        ({"memory_cap": 10.0}, "--memory-cap is 10"),
        ({"reports": "some"}, "--reports is 'some'"),
        ({"share": "4/3"}, "--share is '4/3'"),
        ({"cluster": "nowhere"}, "--cluster"),
    ],
)
def test_unusable_options_are_refused_before_anything_is_done(jobs, tmp_path, options, told):
    with pytest.raises(OptionError, match=re.escape(told)):
        run_batch([str(jobs)], tmp_path / "out", BatchOptions(**options))
    assert not (tmp_path / "out").exists()


def test_a_folder_of_something_else_is_kept(jobs, tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(OutputError, match=r"holds thesis\.tex"):
        run_batch([str(jobs)], tmp_path, ONE)
