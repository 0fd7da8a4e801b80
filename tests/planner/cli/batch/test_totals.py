"""What the console says at the end of a batch: which jobs failed, in short."""

from __future__ import annotations

from planner.batch.outcome import CaseStatus, Outcome
from planner.cli.batch.batched import print_totals
from reports.batch.rows import JobRow


def row(name, status=CaseStatus.REFUSED, code="JobError"):
    return JobRow(
        name=name,
        digest="ab",
        why="",
        outcome=Outcome(status=status, code=code),
        seconds=1.0,
        peak_bytes=0,
        report="",
    )


def test_the_first_jobs_of_each_reason_are_named(capsys):
    rows = [row(f"{k}.toml") for k in range(4)]
    rows += [
        row("cap.toml", CaseStatus.TIME_CAP, "time-cap"),
        row("ok.toml", CaseStatus.FEASIBLE, ""),
    ]
    print_totals(rows)
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "reason             jobs  such as",
        "refused: job file     4  0.toml, 1.toml, 2.toml, …",
        "time cap              1  cap.toml",
    ]


def test_long_names_are_cut_at_their_beginning_and_odd_ones_seen(capsys):
    print_totals([row("x" * 50 + "/last.toml"), row("a\x1b[31m\n.toml")])
    (line,) = capsys.readouterr().out.splitlines()[-1:]
    assert line.endswith(f"2  …{'x' * 30}/last.toml, a⟨U+001B⟩[31m⏎.toml")


def test_where_none_failed_no_reason_is_told(capsys):
    print_totals([row("ok.toml", CaseStatus.FEASIBLE, "")])
    assert capsys.readouterr().out == "status    jobs\nfeasible     1\n"
