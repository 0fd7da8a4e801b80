"""What became worse, on the console and for programs."""

from __future__ import annotations

import json

import pytest

from planner.batch.outcome import CaseStatus, Outcome
from planner.cli.batch.batched import compared_document, print_compared
from reports.batch.changes import changes
from reports.batch.rows import JobRow

HOSTILE = "a\x1b[31m\u202e\udcff"


def row(name, status=CaseStatus.FEASIBLE, code=""):
    return JobRow(
        name=name,
        digest="0" * 64,
        why="",
        outcome=Outcome(status=status, code=code),
        seconds=0.0,
        peak_bytes=0,
        report="",
    )


@pytest.fixture
def found():
    """``found(names)``: of jobs that were feasible and are not; one is the same, one gone."""

    def made(names):
        before = [row(name) for name in (*names, "same", "gone")]
        now = [row(name, CaseStatus.INFEASIBLE, "P101") for name in names]
        return changes([*now, row("same"), row("new", CaseStatus.REFUSED, "JobError")], before)

    return made


def test_counts_then_what_became_worse(found, capsys):
    print_compared(found(["a", "b"]), "old")
    assert capsys.readouterr().out == (
        "\nCompared with old: 2 worse, 0 better, 0 changed, 1 same, 1 new, 1 gone.\n"
        "became worse  what    from      to\n"
        "a             status  feasible  infeasible P101\n"
        "b             status  feasible  infeasible P101\n"
    )


def test_nothing_worse_is_no_table(found, capsys):
    print_compared(found([]), "old")
    assert capsys.readouterr().out.count("\n") == 2


def test_many_are_cut_on_the_console_only(found, capsys):
    many = found([f"{k:02d}" for k in range(25)])
    print_compared(many, "old")
    *_, last = capsys.readouterr().out.splitlines()
    assert last == "and 5 more, in dashboard.html."
    assert len(compared_document(many, "old")["became_worse"]) == 25


def test_for_programs(found):
    assert compared_document(found(["a"]), "old") == {
        "with": "old",
        **{"worse": 1, "better": 0, "changed": 0, "same": 1, "new": 1, "gone": 1},
        "new_failed": 1,
        "became_worse": [
            {"name": "a", "what": "status", "from": "feasible", "to": "infeasible P101"}
        ],
    }


def test_names_write_nothing_on_the_terminal(found, capsys):
    print_compared(found([HOSTILE]), HOSTILE)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert r"a⟨U+001B⟩[31m⟨U+202E⟩\xff" in out
    json.dumps(compared_document(found([HOSTILE]), HOSTILE), ensure_ascii=False).encode()
