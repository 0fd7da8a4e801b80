"""The summary: what a reader must see, plain where it is no terminal."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest

from planner.plan import SegmentClearance
from reports.content.report import facts
from reports.terminal import print_summary


class Terminal(io.StringIO):
    def isatty(self):
        return True


def summary(proof, file=None):
    file = file or io.StringIO()
    print_summary(proof, file)
    return file.getvalue()


@pytest.fixture
def text(plan, proved):
    return summary(proved(plan))


def test_the_verdict_stands_first(text):
    lines = text.splitlines()
    assert lines[0] == "nine points on an inclined plane, corrected"
    unchecked = ("part geometry", "stylus shape", "torque limits")
    assert lines[1] == f"NOT FEASIBLE; not checked: {', '.join(unchecked)}"
    assert lines[2] == "2 of 3 points reached by measuring-arm"
    for line, aspect in zip(lines[3:6], unchecked, strict=True):
        assert line.startswith(f"  {aspect}: ")
    assert lines[6] == (
        "duration 1.2003 s, energy 321.5 J, net work -10.88 J, power -513.3 to 456.3 W"
    )
    assert lines[7] == (
        "segments: 2 probe (0.4 s), 1 dwell (0.1 s), 2 retract (0.4002 s), 1 travel (0.3 s)"
    )


def test_a_feasible_plan_says_so(plan, proved):
    assert "\nfeasible; not checked: part geometry" in summary(
        proved(replace(plan, finding_list=()))
    )


def test_green_is_only_for_what_is_proven(plan, whole, proved, rejected, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)

    def first_line(proof):
        return summary(proof, Terminal()).splitlines()[1]

    green, yellow, red = "\x1b[32m", "\x1b[33m", "31m"
    assert first_line(proved(whole)) == f"{green}feasible\x1b[0m"
    assert first_line(proved(replace(plan, finding_list=()))).startswith(f"{yellow}feasible; not")
    assert red in first_line(proved(plan))
    failed = first_line(rejected(whole))
    assert red in failed
    assert "FAILED ITS OWN VALIDATION" in failed


def test_peaks_stand_beside_their_limits(text):
    row = next(line for line in text.splitlines() if line.startswith("q1 "))
    # speed 1 of 1.75 rad/s, acceleration 2 of 28 rad/s², torque without limit
    assert row.split() == ["q1", "1", "57.1", "%", "2", "7.1", "%", "3", "-", "1.5", "4", "5"]


def test_a_torque_limit_of_the_job_counts(plan, proved):
    checks = replace(plan.job.checks, torque_limits=np.full(5, 30.0))
    text = summary(proved(replace(plan, job=replace(plan.job, checks=checks))))
    assert "10.0 %" in text


def test_the_smallest_margins_say_where(text):
    assert "joint limit   5.73 deg, q2 at P3" in text
    assert "singularity   0.3 of 1, at P1" in text
    assert "clearance     not checked" in text


def test_a_clearance_is_told_where_it_was_checked(plan, proved):
    points = tuple(
        replace(point, min_clearance=clearance)
        for point, clearance in zip(plan.planned_points, (0.02, None, 0.0125), strict=True)
    )
    text = summary(proved(replace(plan, planned_points=points)))
    assert "clearance     12.5 mm, at P3, proven" in text


def test_the_least_clearance_of_all_motions_is_the_reports(plan, proved):
    segments = tuple(
        replace(one, clearance=_clearance(0.02 if one.kind.value == "probe" else 0.005, k))
        for k, one in enumerate(plan.timeline)
    )
    near = replace(plan, timeline=segments)
    first = next(one for one in segments if one.kind.value != "probe")
    told = (
        f"Minimum clearance, proven, of all motions: 5.00 mm, {first.kind.value} of {first.point}"
    )
    assert told in summary(proved(near))
    fact = next(f for f in facts(proved(near)) if f.label == "minimum clearance, proven")
    assert fact.value.text == "5.00"


def test_of_a_motion_that_fails_what_was_found_is_told_and_not_the_bound(plan, proved):
    """The certificate of a failed motion is a bound, metres below the truth."""
    proven = [replace(one, clearance=_clearance(0.005, k)) for k, one in enumerate(plan.timeline)]
    for seen, told, first in (
        (-0.0225, "-22.50 mm", "not kept, -22.5 mm found (forearm - table)"),
        (-1e-12, "contact, depth not known", "not kept, contact (forearm - table)"),
    ):
        failed = replace(_clearance(-1.949, 0), seen=seen)
        segments = [*proven[:3], replace(proven[3], clearance=failed), *proven[4:]]
        made = replace(plan, timeline=tuple(segments))
        assert made.nearest == (failed, segments[3])
        assert f"Minimum clearance, found, of all motions: {told}, " in summary(proved(made))
        fact = next(f for f in facts(proved(made)) if f.label == "minimum clearance, found")
        if fact.unit:
            assert fact.value.number == pytest.approx(1e3 * seen)
        else:
            assert fact.value.text == told
        assert f"minimum clearance {first}" in repr(made)


def _clearance(certified, k):
    return SegmentClearance(
        certified=certified + 1e-6 * k,
        seen=certified + 0.001,
        moving="forearm",
        against="table",
        place=(0.0, 0.0, 0.0),
        at=0.5,
    )


def test_findings_come_with_their_hints(text):
    assert "Findings: 1 error" in text
    assert "  P101 error P2: the clearance point is 0.212 m beyond the arm's reach" in text
    assert "      Move the part 0.212 m towards the robot." in text


def test_no_findings_are_told(plan, proved):
    assert "Findings: none" in summary(proved(replace(plan, finding_list=())))


def test_the_validation_shows_its_residuals(text):
    assert "Validation by independent methods: passed" in text
    row = next(line for line in text.splitlines() if line.startswith("samples reach"))
    assert row.split() == ["samples", "reach", "the", "points", "1.50e-15", "1e-09", "m", "ok"]


def test_a_failed_validation_is_loud(plan, rejected):
    text = summary(rejected(plan))
    assert "Validation by independent methods: FAILED, nothing is exported" in text
    assert text.splitlines()[-2].endswith("FAILED")
    assert (
        text.splitlines()[-1] == "  samples reach the points: what samples reach the points means"
    )


def test_off_a_terminal_there_is_no_colour_and_no_markup(plan, proved, renamed):
    name = "[bold]P1[/bold]"
    text = summary(proved(renamed(plan, name)))
    assert "\x1b" not in text
    assert f"at {name}" in text


def test_colour_on_a_terminal_unless_it_is_unwelcome(plan, proved, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in summary(proved(plan), Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    coloured = summary(proved(plan), Terminal())
    assert "\x1b[3" not in coloured


def test_a_plan_without_motion_is_told(plan, proved):
    lost = tuple(plan.planned_points[1:2])
    text = summary(proved(replace(plan, timeline=(), planned_points=lost)))
    assert "no motion" in text
    assert "margins" not in text
