"""A comparison as JSON (format 1) and as one HTML file: every change, absolute and relative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.comparison.change import Change, Counterparts, Presence, Section, Value
from reports.comparison.compare import PlanComparison, PlanSide
from reports.comparison.rules import RuleVerdict
from reports.comparison.text import ComparisonLine, headline, section_lines, summary_lines
from reports.page.html import asset, filled

FORMAT = 1
Document = dict[str, object]


def comparison_document(
    comparison: PlanComparison, judgements: Sequence[RuleVerdict] = ()
) -> Document:
    """The whole comparison; of a point, motion and so on only what changed.

    Args:
        comparison: of two plans.
        judgements: of rules.
    """
    sections = comparison.sections
    return {
        "format": FORMAT,
        "equal": comparison.equal,
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "summary": [_summed(change) for change in comparison.summary],
        **{section.key: [_pair(section, pair) for pair in section.pairs] for section in sections},
        "rules": [_rule(judgement) for judgement in judgements],
        "failed": any(judgement.fired for judgement in judgements),
    }


def _side(side: PlanSide) -> Document:
    return {"job": side.name, "sha256": side.sha256, "robot": side.robot, "palpeur": side.palpeur}


def _summed(change: Change) -> Document:
    places = {"where_a": change.where_a or None, "where_b": change.where_b or None}
    return {**_change(change), **places}


def _change(change: Change) -> Document:
    return {
        "quantity": change.quantity.key,
        "unit": change.quantity.unit,
        "a": _plain(change.a, change),
        "b": _plain(change.b, change),
        "change": _plain(change.absolute, change),
        "relative": change.relative,
        "verdict": change.verdict.value,
    }


def _pair(section: Section, pair: Counterparts) -> Document:
    names: Document = dict(zip(section.labels, pair.names, strict=True))
    if "number" in names:
        names["number"] = int(pair.names[-1])
    changes = [_change(change) for change in pair.changed]
    return {**names, "in": pair.presence.value, "changes": changes}


def _rule(judgement: RuleVerdict) -> Document:
    change = judgement.change
    return {
        "rule": judgement.rule.text,
        "quantity": change.quantity.key,
        "change": _plain(change.absolute, change),
        "relative": change.relative,
        "fired": judgement.fired,
        "reason": judgement.reason,
    }


def _plain(value: Value, change: Change) -> object:
    if isinstance(value, float) and change.quantity.whole and value.is_integer():
        return int(value)
    return list(value) if isinstance(value, tuple) else value


# --------------------------------------------------------------------------------------------- Page
# Offline, sortable, nothing of a job's texts executed.

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
