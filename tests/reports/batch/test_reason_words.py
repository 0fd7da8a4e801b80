"""Reasons in words: no name of a class before a reader."""

from __future__ import annotations

import re

import pytest

import parts.errors
import planner.errors
import robots.core.errors
from planner.batch.outcome import Outcome, Status
from reports.batch.reason_words import brief_reason, reason_words, verdict_words

ROOMS = (parts.errors, planner.errors, robots.core.errors)
CLASSES = sorted({name for room in ROOMS for name in vars(room) if name.endswith("Error")})


@pytest.mark.parametrize("code", CLASSES)
def test_every_error_has_words(code):
    words = reason_words(Outcome(status=Status.REFUSED, code=code))
    assert re.fullmatch("refused: [a-z ]+", words)
    assert "error" not in words


@pytest.mark.parametrize(
    ("status", "code", "brief", "verdict"),
    [
        (Status.REFUSED, "JobError", "refused: job file", "refused: job file"),
        (Status.REFUSED, "MotionError", "refused: motion", "refused: motion"),
        (Status.REFUSED, "RobotFileError", "refused: robot file", "refused: robot file"),
        (Status.INFEASIBLE, "P101", "P101", "infeasible P101"),
        (Status.TIME_CAP, "time-cap", "time cap", "time cap"),
        (Status.CRASHED, "crash", "crashed: worker died", "crashed: worker died"),
        (Status.FEASIBLE, "", "", "feasible"),
        (Status.CRASHED, "<odd>", "<odd>", "crashed <odd>"),
    ],
)
def test_words(status, code, brief, verdict):
    outcome = Outcome(status=status, code=code)
    assert (brief_reason(outcome), verdict_words(outcome)) == (brief, verdict)


def test_a_finding_has_its_title():
    told = reason_words(Outcome(status=Status.INFEASIBLE, code="P101"))
    assert told == "P101: point out of reach"
