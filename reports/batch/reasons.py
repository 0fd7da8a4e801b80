"""Why jobs failed: equal codes together, in words, with the page that explains them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from planner.batch.outcome import CaseStatus, Outcome
from planner.findings import Page, pages
from reports.batch.rows import JobRow

_EXAMPLES = 3
_REASONS = 60
_KINDS = {
    "time-cap": "The job took longer than the run allowed.",
    "memory-cap": "The job took more memory than the run allowed.",
    "crash": "The worker died of the job each time it was tried. This is a bug in Palpeur.",
    "changing": "Files of the job were written while it was read.",
    "validation": "The plan failed its own independent check. This is a fault of Palpeur's.",
    "JobError": "The job file cannot be read as a job.",
    "OptionError": "The job requests what it cannot have.",
}
_WORDS = {
    "time-cap": "time cap",
    "memory-cap": "memory cap",
    "crash": "crashed: worker died",
    "changing": "crashed: files changed while read",
    "validation": "not validated: own check failed",
}
_REFUSED = {
    "JobError": "refused: job file",
    "CapError": "refused: too large",
    "OptionError": "refused: what cannot be had",
    "StateError": "refused: joint values",
    "StatesError": "refused: table of states",
}
_HUMP = re.compile("(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """All jobs that failed for one reason.

    Args:
        code: of the reason, untrusted; empty where none was told.
        status: of the first job.
        count: of jobs.
        share: of all failed jobs, in percent.
        examples: the first ones.
        page: what the code means; None for one without a page.
        kind: what it means in a sentence, where it has no page.
        words: the reason as the table of jobs tells it.
    """

    code: str
    status: str
    count: int
    share: float
    examples: tuple[JobRow, ...]
    page: Page | None
    kind: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingTotal:
    """A finding over all jobs, feasible ones too.

    Args:
        code: of the finding, untrusted.
        title: of its page; empty for none.
        jobs: that have it.
        count: how often it was found.
    """

    code: str
    title: str
    jobs: int
    count: int


def reasons(rows: Sequence[JobRow]) -> tuple[Reason, ...]:
    """Reasons of all failed rows, the most frequent ones first.

    Args:
        rows: of a batch.
    """
    groups: dict[str, list[JobRow]] = {}
    for row in rows:
        if row.outcome.status.failed:
            groups.setdefault(row.outcome.code, []).append(row)
    known = {page.code: page for page in pages()}
    failed = sum(map(len, groups.values()))
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        Reason(
            code=code,
            status=group[0].outcome.status.value,
            count=len(group),
            share=100.0 * len(group) / failed,
            examples=tuple(group[:_EXAMPLES]),
            page=known.get(code),
            kind=_KINDS.get(code, ""),
            words=brief_reason(group[0].outcome) or group[0].outcome.status.value,
        )
        for code, group in ordered[:_REASONS]
    )


def finding_totals(rows: Sequence[JobRow]) -> tuple[FindingTotal, ...]:
    """Findings of all rows by code, those of most jobs first."""
    jobs: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for row in rows:
        jobs.update(row.outcome.findings.keys())
        counts.update(row.outcome.findings)
    titles = {page.code: page.title for page in pages()}
    ordered = sorted(jobs, key=lambda code: (-jobs[code], code))
    return tuple(
        FindingTotal(code=code, title=titles.get(code, ""), jobs=jobs[code], count=counts[code])
        for code in ordered[:_REASONS]
    )


def reason_words(outcome: Outcome) -> str:
    """Why a job failed, in a few words, with the code of a finding and its title.

    Args:
        outcome: of the job, its code untrusted.
    """
    title = {page.code: page.title for page in pages()}.get(outcome.code, "")
    return f"{outcome.code}: {title}" if title else brief_reason(outcome)


def brief_reason(outcome: Outcome) -> str:
    """The same in a cell: of a finding its code alone.

    Args:
        outcome: of the job, its code untrusted.
    """
    code = outcome.code
    if outcome.status is CaseStatus.REFUSED and code.endswith("Error"):
        said = _HUMP.sub(" ", code.removesuffix("Error")).lower()
        return _REFUSED.get(code, f"refused: {said}" if said else "refused")
    return _WORDS.get(code, code)


def verdict_words(outcome: Outcome) -> str:
    """How a job ended and why, in a few words."""
    status, reason = outcome.status.value, brief_reason(outcome)
    return reason if reason.startswith(status) else f"{status} {reason}".strip()
