"""What became worse: by status, by figures and their steps, new and gone jobs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.batch.outcome import CaseStatus, Outcome
from reports.batch.changes import changes
from reports.batch.rows import JobRow


def row(name, status=CaseStatus.FEASIBLE, code="", **figures):
    outcome = Outcome(status=status, code=code, figures=figures)
    return JobRow(
        name=name, digest="", why="", outcome=outcome, seconds=math.nan, peak_bytes=0, report=""
    )


def only(old, new):
    found = changes([new], [old])
    return found.verdicts[0], found.lines


@pytest.mark.parametrize(
    ("was", "now", "verdict"),
    [
        (CaseStatus.FEASIBLE, CaseStatus.INFEASIBLE, "worse"),
        (CaseStatus.FEASIBLE, CaseStatus.CRASHED, "worse"),
        (CaseStatus.INFEASIBLE, CaseStatus.TIME_CAP, "worse"),
        (CaseStatus.INFEASIBLE, CaseStatus.FEASIBLE, "better"),
        (CaseStatus.REFUSED, CaseStatus.INFEASIBLE, "better"),
        (CaseStatus.REFUSED, CaseStatus.CRASHED, "changed"),
        (CaseStatus.FEASIBLE, CaseStatus.FEASIBLE, "same"),
    ],
)
def test_a_status_is_better_worse_or_another(was, now, verdict):
    found, lines = only(row("a", was), row("a", now))
    assert found == verdict
    assert [line.what for line in lines] == (["status"] if was is not now else [])


def test_another_reason_is_a_change():
    found, (line,) = only(
        row("a", CaseStatus.INFEASIBLE, "P101"), row("a", CaseStatus.INFEASIBLE, "P102")
    )
    assert (found, line.what, line.before) == ("changed", "reason", "infeasible P101")


@pytest.mark.parametrize(
    ("figure", "was", "now", "verdict"),
    [
        ("duration_s", 10.0, 10.19, "same"),  # 2 %
        ("duration_s", 10.0, 10.21, "worse"),
        ("duration_s", 10.0, 9.7, "better"),
        ("joint_margin_deg", 5.0, 4.6, "same"),  # half a degree
        ("joint_margin_deg", 5.0, 4.4, "worse"),
        ("joint_margin_deg", -5.0, -4.0, "better"),
        ("clearance_mm", 1.0, 0.95, "same"),
        ("clearance_mm", 1.0, 0.85, "worse"),
        ("torque_fraction", 0.50, 0.509, "same"),  # a hundredth of the limit
        ("torque_fraction", 0.50, 0.52, "worse"),
        ("points_reached", 9.0, 8.0, "worse"),
        ("points", 9.0, 8.0, "same"),  # neither is better
        ("energy_j", 0.0, 0.0, "same"),
        ("energy_j", 0.0, 1e-6, "worse"),
        ("duration_s", -1e308, 1e308, "same"),  # no number says how much
    ],
)
def test_a_figure_counts_from_its_step_on(figure, was, now, verdict):
    found, _ = only(row("a", **{figure: was}), row("a", **{figure: now}))
    assert found == verdict


def test_a_line_says_before_now_and_by_how_much():
    _, (line,) = only(row("a", torque_fraction=0.5), row("a", torque_fraction=0.6))
    told = (line.what, line.before, line.now, line.change)
    assert told == ("torque of limit", "50 %", "60 %", "+10 % (+20 %)")
    _, (line,) = only(row("a", joint_margin_deg=2.0), row("a", joint_margin_deg=0.5))
    assert line.change == "−1.5 ° (−75 %)"


def test_worse_beats_better_and_both_are_told():
    old = row("a", duration_s=2.0, clearance_mm=3.0)
    found, lines = only(old, row("a", duration_s=1.0, clearance_mm=2.0))
    assert found == "worse"
    assert {(line.what, line.verdict) for line in lines} == {
        ("duration", "better"),
        ("minimum clearance, proven", "worse"),
    }


def test_a_motion_to_fewer_points_is_not_better_for_being_shorter():
    old = row("a", points_reached=9.0, duration_s=3.0, clearance_mm=2.0)
    found, (line,) = only(old, row("a", points_reached=3.0, duration_s=1.0, clearance_mm=1.0))
    assert (found, line.what) == ("worse", "points reached")
    found, (line,) = only(row("a", points_reached=3.0, duration_s=1.0), old)
    assert (found, line.what) == ("better", "points reached")


def test_new_and_gone_jobs():
    old = [row("kept"), row("lost"), row("dropped")]
    found = changes([row("kept"), row("x"), row("y", CaseStatus.REFUSED)], old)
    assert found.verdicts == ("same", "new", "new")
    assert (found.count("new"), found.new_failed, found.count("gone")) == (2, 1, 2)
    assert found.gone == ("lost", "dropped")


def test_the_gravest_come_first():
    old = [row("a", duration_s=1.0), row("b", duration_s=1.0), row("c")]
    new = [row("a", duration_s=1.1), row("b", duration_s=1.5), row("c", CaseStatus.CRASHED)]
    assert [line.name for line in changes(new, old).of("worse")] == ["c", "b", "a"]


@given(
    was=st.floats(1e-3, 1e6),
    now=st.floats(1e-3, 1e6),
    figure=st.sampled_from(["duration_s", "joint_margin_deg", "torque_fraction", "clearance_mm"]),
)
def test_what_is_no_change_one_way_is_none_the_other_and_better_is_never_worse(was, now, figure):
    there, _ = only(row("a", **{figure: was}), row("a", **{figure: now}))
    back, _ = only(row("a", **{figure: now}), row("a", **{figure: was}))
    assert (there, back) not in {("worse", "worse"), ("better", "better")}


def test_a_batch_beside_itself_is_the_same(generated):
    found = changes(generated, generated)
    assert set(found.verdicts) == {"same"}
    assert (found.lines, found.gone) == ((), ())


def test_a_large_batch(generated, before):
    found = changes(generated, before)
    assert len(found.verdicts) == len(generated)
    counts = {word: found.count(word) for word in ("worse", "better", "changed", "same", "new")}
    assert sum(counts.values()) == len(generated)
    assert (counts["new"], found.count("gone")) == (40, 25)
    assert counts["worse"] > 100
