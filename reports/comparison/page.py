"""A comparison as one HTML file: offline, sortable, nothing of a job's texts executed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.comparison.change import Presence, Section
from reports.comparison.compare import PlanComparison
from reports.comparison.rules import RuleVerdict
from reports.comparison.text import ComparisonLine, headline, section_lines, summary_lines
from reports.page.html import asset, filled

MARK = "<!doctype html>"  # how the page begins
_ROWS = 500  # of a section


@dataclass(frozen=True, slots=True, kw_only=True)
class _PageSection:
    """A section as the page shows it."""

    section: Section
    labels: str
    lines: tuple[ComparisonLine, ...]
    left_out: int
    gone: int
    new: int


def comparison_page(comparison: PlanComparison, judgements: Sequence[RuleVerdict] = ()) -> str:
    """The page; the same bytes for the same plans and rules.

    Args:
        comparison: of two plans; every text in it may be hostile.
        judgements: of rules.
    """
    return filled(
        "comparison.html.j2",
        "reports.comparison",
        style=asset("report.css") + asset("comparison.css", "reports.comparison/assets"),
        script=asset("comparison.js", "reports.comparison/assets"),
        comparison=comparison,
        headline=headline(comparison),
        totals=summary_lines(comparison),
        sections=[_shown(section) for section in comparison.sections],
        judgements=judgements,
    )


def _shown(section: Section) -> _PageSection:
    lines = section_lines(section)
    return _PageSection(
        section=section,
        labels=" ".join(label for label in section.labels if label != "number"),
        lines=lines[:_ROWS],
        left_out=max(0, len(lines) - _ROWS),
        gone=section.count(Presence.GONE),
        new=section.count(Presence.NEW),
    )
