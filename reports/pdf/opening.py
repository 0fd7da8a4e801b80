"""What every paper opens with, as plain data for its template: facts, and findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from planner.findings import Finding, Severity
from reports.content import Fact
from reports.pdf.shown_text import pieces, shown

FINDINGS = 200  # that are printed
TITLE, SENTENCE = 120, 600  # characters
_PHRASE = 100
# lines of the template in its letters' size [em]
_TITLE_ROOM, _VALUE_ROOM, _FACT_ROOM, _WHERE_ROOM, _MESSAGE_ROOM = 19.0, 12.0, 21.0, 8.0, 34.0


def titles(title: str) -> dict[str, Any]:
    """The title as the front page, the document's properties and the running head take it."""
    return {
        "title": shown(title, TITLE),
        "title_pieces": pieces(shown(title, TITLE), _TITLE_ROOM),
        "head": shown(title, 60),
    }


def boxes(facts: Sequence[Fact], findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The boxes of the front page; the last counts the findings."""
    return [*map(told, facts), _count(findings)]


def printed_findings(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Those that are printed."""
    return [_finding(finding) for finding in findings[:FINDINGS]]


def told(fact: Fact) -> dict[str, Any]:
    """A fact as the template takes it."""
    return {
        "label": shown(fact.label, _PHRASE),
        "value": pieces(shown(fact.value.text, _PHRASE), _VALUE_ROOM),
        "unit": shown(fact.unit, 20),
        "detail": pieces(shown(fact.detail, SENTENCE), _FACT_ROOM),
        "status": fact.value.status.value,
    }


def _count(findings: Sequence[Finding]) -> dict[str, Any]:
    counts = Counter(finding.severity for finding in findings)
    doubtful = "doubtful" if counts[Severity.WARNING] else "plain"
    told = [f"{counts[s]} {s.value}{'s' if counts[s] > 1 else ''}" for s in Severity if counts[s]]
    return {
        "label": "findings",
        "value": [", ".join(told) or "none"],
        "unit": "",
        "detail": ["in section 1" if findings else ""],
        "status": "bad" if counts[Severity.ERROR] else doubtful,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": shown(finding.code, 12),
        "severity": finding.severity.value,
        "where": pieces(shown(finding.where, _PHRASE), _WHERE_ROOM),
        "message": pieces(shown(finding.message, SENTENCE), _MESSAGE_ROOM),
        "hint": pieces(shown(finding.hint, SENTENCE), _MESSAGE_ROOM),
    }
