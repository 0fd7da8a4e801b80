"""Outcomes: written, read back, the same."""

from __future__ import annotations

import json

import pytest

from planner.batch.outcome import CaseStatus, Outcome, outcome_of


@pytest.mark.parametrize("status", CaseStatus)
def test_read_back_it_is_the_same(outcome, status):
    made = Outcome(status=status, figures=outcome.figures, message=outcome.message, cap=3.5)
    assert outcome_of(json.loads(json.dumps(made.document()))) == made


def test_only_a_feasible_job_has_not_failed():
    assert [status for status in CaseStatus if not status.failed] == [CaseStatus.FEASIBLE]


def test_caps_and_crashes_are_not_final():
    again = {CaseStatus.TIME_CAP, CaseStatus.MEMORY_CAP, CaseStatus.CRASHED}
    assert {status for status in CaseStatus if not status.final} == again


@pytest.mark.parametrize(
    "change",
    [
        {"status": "perhaps"},
        {"code": 1},
        {"figures": []},
        {"figures": {"a": "b"}},
        {"findings": {"P101": "many"}},
        {"inputs": {"a": 1}},
        {"cap": None},
    ],
)
def test_what_is_no_outcome_is_refused(outcome, change):
    with pytest.raises((KeyError, TypeError, ValueError)):
        outcome_of({**outcome.document(), **change})


def test_nothing_may_be_missing(outcome):
    for name in outcome.document():
        document = outcome.document()
        del document[name]
        with pytest.raises(KeyError):
            outcome_of(document)
