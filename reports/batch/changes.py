"""Changes of the jobs of a batch since another one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planner.batch.outcome import CaseStatus
from reports.batch.reasons import verdict_words
from reports.batch.rows import KNOWN, Figure, JobRow, figures_of, shown
from reports.comparison.change import Sense

WORSE, BETTER, CHANGED, SAME, NEW, GONE = "worse", "better", "changed", "same", "new", "gone"
VERDICTS = (WORSE, BETTER, CHANGED, SAME, NEW, GONE)
_RANKS = {CaseStatus.FEASIBLE: 0, CaseStatus.INFEASIBLE: 1}  # everything else is no verdict at all
_NO_VERDICT = 2
_ROUNDING = 1e-9
_REACHED = "points_reached"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLine:
    """One thing about a job that changed.

    Args:
        name: of the job, untrusted.
        report: of the job now.
        what: status, reason or figure.
        before: in the other batch.
        now: in this one.
        change: signed, with unit; empty for words.
        verdict: worse, better or changed.
        weight: for sorting; of a figure the change in units of the smallest that counts.
    """

    name: str
    report: str
    what: str
    before: str
    now: str
    change: str
    verdict: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchChanges:
    """A batch beside another.

    Args:
        verdicts: of every job of this batch, in the order of its rows.
        lines: what changed, gravest first.
        gone: names of jobs that only the other batch has.
        new_failed: how many of the new jobs are not feasible.
    """

    verdicts: tuple[str, ...]
    lines: tuple[ChangeLine, ...]
    gone: tuple[str, ...]
    new_failed: int

    def count(self, verdict: str) -> int:
        """Jobs of this verdict."""
        return len(self.gone) if verdict == GONE else Counter(self.verdicts)[verdict]

    def of(self, verdict: str) -> tuple[ChangeLine, ...]:
        """Lines of one verdict, gravest first."""
        return tuple(line for line in self.lines if line.verdict == verdict)


def changes(rows: Sequence[JobRow], previous: Sequence[JobRow]) -> BatchChanges:
    """Compare job by job, by name.

    Args:
        rows: of this batch.
        previous: of the other one.
    """
    before = {row.name: row for row in previous}
    verdicts: list[str] = []
    lines: list[ChangeLine] = []
    new_failed = 0
    for row in rows:
        old = before.pop(row.name, None)
        if old is None:
            verdicts.append(NEW)
            new_failed += row.outcome.status.failed
            continue
        found = tuple(_lines(old, row))
        verdicts.append(_verdict(found))
        lines += found
    lines.sort(key=lambda line: -line.weight)  # equal ones stay in the order of the rows
    return BatchChanges(
        verdicts=tuple(verdicts), lines=tuple(lines), gone=tuple(before), new_failed=new_failed
    )


def _verdict(lines: Sequence[ChangeLine]) -> str:
    found = {line.verdict for line in lines}
    return next((word for word in (WORSE, BETTER, CHANGED) if word in found), SAME)


def _lines(old: JobRow, row: JobRow) -> Iterator[ChangeLine]:
    status = _status_line(old, row)
    if status is not None:
        yield status
    was, now = figures_of(old), figures_of(row)
    # a motion to fewer points is shorter, and no better for it
    alike = was.get(_REACHED) == now.get(_REACHED)
    for figure in KNOWN:
        if not alike and figure.key != _REACHED:
            continue
        if figure.sense is not Sense.NEITHER and figure.key in was and figure.key in now:
            line = _figure_line(figure, was[figure.key], now[figure.key], row)
            if line is not None:
                yield line


def _status_line(old: JobRow, row: JobRow) -> ChangeLine | None:
    was, now = old.outcome, row.outcome
    if was.status is now.status and was.code == now.code:
        return None
    step = _RANKS.get(now.status, _NO_VERDICT) - _RANKS.get(was.status, _NO_VERDICT)
    return ChangeLine(
        name=row.name,
        report=row.report,
        what="status" if was.status is not now.status else "reason",
        before=verdict_words(was),
        now=verdict_words(now),
        change="",
        verdict=WORSE if step > 0 else BETTER if step < 0 else CHANGED,
        weight=math.inf,
    )


def _figure_line(figure: Figure, was: float, now: float, row: JobRow) -> ChangeLine | None:
    was, now = figure.scale * was, figure.scale * now
    least = max(figure.step, figure.share * abs(was), _ROUNDING * max(abs(was), abs(now)))
    change = now - was
    if abs(change) <= least or not math.isfinite(change):
        return None
    better = (change > 0.0) is (figure.sense is Sense.MORE)
    unit = f" {figure.unit}" if figure.unit else ""
    return ChangeLine(
        name=row.name,
        report=row.report,
        what=figure.title,
        before=shown(was) + unit,
        now=shown(now) + unit,
        change=f"{'+' if change > 0.0 else ''}{shown(change)}{unit}{_percent(change, was)}",
        verdict=BETTER if better else WORSE,
        weight=abs(change) / max(least, 1e-300),
    )


def _percent(change: float, was: float) -> str:
    if not was or abs(change) > 10.0 * abs(was):
        return ""
    return f" ({'+' if change > 0.0 else ''}{shown(round(100.0 * change / abs(was), 1))} %)"
