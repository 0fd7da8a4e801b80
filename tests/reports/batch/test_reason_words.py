"""Reasons in words: no name of a class before a reader."""

from __future__ import annotations

import re

import pytest

import parts.errors
import planner.errors
import robots.core.errors
from planner.batch.outcome import CaseStatus, Outcome
from reports.batch.reasons import brief_reason, reason_words, verdict_words

ROOMS = (parts.errors, planner.errors, robots.core.errors)
CLASSES = sorted({name for room in ROOMS for name in vars(room) if name.endswith("Error")})


@pytest.mark.parametrize("code", CLASSES)
def test_every_error_has_words(code):
    words = reason_words(Outcome(status=CaseStatus.REFUSED, code=code))
    assert re.fullmatch("refused: [a-z ]+", words)
    assert "error" not in words


@pytest.mark.parametrize(
    ("status", "code", "brief", "verdict"),
    [
        (CaseStatus.REFUSED, "JobError", "refused: job file", "refused: job file"),
        (CaseStatus.REFUSED, "MotionError", "refused: motion", "refused: motion"),
        (CaseStatus.REFUSED, "RobotFileError", "refused: robot file", "refused: robot file"),
        (CaseStatus.INFEASIBLE, "P101", "P101", "infeasible P101"),
        (CaseStatus.TIME_CAP, "time-cap", "time cap", "time cap"),
        (CaseStatus.CRASHED, "crash", "crashed: worker died", "crashed: worker died"),
        (CaseStatus.FEASIBLE, "", "", "feasible"),
        (CaseStatus.CRASHED, "<odd>", "<odd>", "crashed <odd>"),
    ],
)
def test_words(status, code, brief, verdict):
    outcome = Outcome(status=status, code=code)
    assert (brief_reason(outcome), verdict_words(outcome)) == (brief, verdict)


def test_a_finding_has_its_title():
    told = reason_words(Outcome(status=CaseStatus.INFEASIBLE, code="P101"))
    assert told == "P101: point out of reach"
