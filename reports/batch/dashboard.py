"""A batch as one HTML file: offline, sortable, nothing of a job's texts executed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from planner.batch.outcome import CaseStatus
from planner.findings.unchecked import Aspect
from reports.batch.changes import BatchChanges, changes
from reports.batch.columns import swept_keys
from reports.batch.figures import KNOWN
from reports.batch.links import href
from reports.batch.plots import HEIGHT, WIDTH, plots
from reports.batch.reasons import reasons, told_findings
from reports.batch.row import JobRow
from reports.batch.row_data import SWEPT, RowDetail, row_data
from reports.comparison.change import Sense
from reports.page.policy import data_block, digest, policy
from reports.page.templating import asset, environment

BUDGET = 10_000_000  # bytes of the page

_DETAILS = (
    RowDetail(rows=100_000, name=240, text=400),
    RowDetail(rows=50_000, name=120, text=160),
    RowDetail(rows=20_000, name=100, text=100),
    RowDetail(rows=5_000, name=80, text=80),
    RowDetail(rows=1_000, name=80, text=80),
)
_LOOKS = {CaseStatus.INFEASIBLE: "bad"}


def dashboard(
    rows: Sequence[JobRow],
    *,
    title: str,
    previous: Sequence[JobRow] | None = None,
    budget: int = BUDGET,
) -> str:
    """The page of a batch; where it would be larger than its budget it shows less, and says so.

    Args:
        rows: of the batch; every text in them may be hostile.
        title: of the page, as untrusted.
        previous: rows of another batch; None for none.
        budget: most bytes.
    """
    compared = changes(rows, previous) if previous is not None else None
    text = ""
    page = _Page(rows=rows, title=title, changes=compared)
    for detail in _DETAILS:
        text = page.text(detail)
        if len(text.encode("utf-8")) <= budget:
            break
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Jobs of one status.

    Args:
        status: in words.
        look: good, bad or doubtful.
        count: of jobs.
        start: of its share in a bar, in percent.
        share: of all jobs, in percent.
    """

    status: str
    look: str
    count: int
    start: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCost:
    """What the measured jobs cost.

    Args:
        jobs: that were measured.
        hours: of work altogether, in words.
        median: of a job, in words.
        slowest: row that took longest.
        longest: its time, in words.
    """

    jobs: int
    hours: str
    median: str
    slowest: JobRow
    longest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """What is said, whatever the detail."""

    rows: Sequence[JobRow]
    title: str
    changes: BatchChanges | None

    def text(self, detail: RowDetail) -> str:
        """The page with so many rows."""
        from markupsafe import Markup

        style = asset("report.css") + asset("dashboard.css", "reports.batch/assets")
        script = asset("dashboard.js", "reports.batch/assets")
        verdicts = self.changes.verdicts if self.changes is not None else None
        ran = Counter(row.cause for row in self.rows)
        there = ran.pop("", 0)
        drawn = plots(self.rows)
        swept = len(swept_keys(self.rows))
        return (
            environment("reports.batch", href)
            .get_template("dashboard.html.j2")
            .render(
                title=self.title,
                rows=self.rows,
                left_out=max(0, len(self.rows) - detail.rows),
                totals=totals(self.rows),
                unchecked=unchecked_counts(self.rows),
                failed=sum(row.outcome.status.failed for row in self.rows),
                ran=ran.most_common(8),
                there=there,
                cost=_cost(self.rows),
                reasons=reasons(self.rows),
                findings=told_findings(self.rows),
                plots=drawn,
                limited=any(one.limit for one in drawn),
                swept=min(swept, SWEPT),
                unshown=max(0, swept - SWEPT),
                size=(WIDTH, HEIGHT),
                changes=self.changes,
                watched=[one for one in KNOWN if one.sense is not Sense.NEITHER],
                policy=policy(scripts=[digest(script)], styles=[digest(style)], scene=False),
                style=Markup(style),
                script=Markup(script),
                data=Markup(data_block(row_data(self.rows, detail, verdicts))),
            )
        )


def totals(rows: Sequence[JobRow]) -> tuple[Total, ...]:
    """Jobs by status, in the order of the statuses; those that occur."""
    counts = Counter(row.outcome.status for row in rows)
    found: list[Total] = []
    start = 0.0
    for status in CaseStatus:
        if counts[status]:
            share = 100.0 * counts[status] / len(rows)
            found.append(
                Total(
                    status=status.value,
                    look=_look(status, rows),
                    count=counts[status],
                    start=start,
                    share=share,
                )
            )
            start += share
    return tuple(found)


def unchecked_counts(rows: Sequence[JobRow]) -> tuple[tuple[str, int], ...]:
    """What plans did not check, and of how many jobs, in the order of ``Aspect``."""
    counts = Counter(aspect for row in rows for aspect in row.outcome.unchecked)
    return tuple((aspect.value, counts[aspect]) for aspect in Aspect if counts[aspect])


def _look(status: CaseStatus, rows: Sequence[JobRow]) -> str:
    """Green only where every plan of the status was checked in every respect."""
    if status is not CaseStatus.FEASIBLE:
        return _LOOKS.get(status, "doubtful")
    unproven = any(row.outcome.status is status and row.outcome.unchecked for row in rows)
    return "doubtful" if unproven else "good"


def _cost(rows: Sequence[JobRow]) -> MeasuredCost | None:
    measured = [row for row in rows if math.isfinite(row.seconds)]
    if not measured:
        return None
    slowest = max(measured, key=lambda row: row.seconds)
    return MeasuredCost(
        jobs=len(measured),
        hours=_time(sum(row.seconds for row in measured)),
        median=_time(median(row.seconds for row in measured)),
        slowest=slowest,
        longest=_time(slowest.seconds),
    )


def _time(seconds: float) -> str:
    if seconds < 600.0:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60.0)
    return f"{minutes} min" if minutes < 600 else f"{minutes / 60.0:,.1f} h"
