"""What the template prints, as plain data: texts stay texts and never become markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from planner.findings import Finding, Severity
from planner.plan_types import Segment
from reports.content import Fact, Report
from reports.pdf.curves import drawn_curves, shaded
from reports.pdf.shown_text import lines, pieces, shown
from reports.pdf.table_layout import SIZE, laid_out, parted

PATH = "tip-path.svg"  # the figure that is taken over as it is
_FINDINGS = 200  # that are printed
_LISTED, _COLUMNS, _ROWS = 400, 104, 4  # lines of the job file, their width, lines for a long one
_TITLE, _SENTENCE, _PHRASE = 120, 600, 100  # characters
# lines of the template in its letters' size [em]
_TITLE_ROOM, _VALUE_ROOM, _FACT_ROOM, _WHERE_ROOM, _MESSAGE_ROOM = 19.0, 12.0, 21.0, 8.0, 34.0
_NOTE_ROOM = 48.0


def document(
    report: Report, segments: Sequence[Segment], figures: Mapping[str, bytes]
) -> dict[str, Any]:
    """The report as the template takes it.

    Args:
        report: what it says.
        segments: of the motion, to shade curves with.
        figures: by their names as files.
    """
    path = figures.get(PATH)
    listing = lines(report.job_text, _COLUMNS, _ROWS)
    return {
        "title": shown(report.title, _TITLE),
        "title_pieces": pieces(shown(report.title, _TITLE), _TITLE_ROOM),
        "head": shown(report.title, 60),
        "sha256": job_hash(report),
        "version": _version(report),
        "verdict": shown(report.verdict, _SENTENCE),
        "status": report.status.value,
        "facts": [*map(_fact, report.facts), _count(report.findings)],
        "findings": [_finding(finding) for finding in report.findings[:_FINDINGS]],
        "findings_left_out": max(0, len(report.findings) - _FINDINGS),
        "errata": [pieces(shown(text, _SENTENCE), _NOTE_ROOM) for text in report.errata],
        "joints": laid_out(report.joints),
        "curves": list(drawn_curves(report.curves, segments)),
        "shaded": shaded(segments),
        "path": path.decode("utf-8") if path is not None else None,
        "tables": [
            laid_out(table)
            for table in (
                *parted(report.points),
                *(report.segments, report.clearances, report.audit),
                *(report.cell, report.validation),
            )
            if table is not None
        ],
        "listing": [text for _, text in listing[:_LISTED]],
        "numbers": [number for number, _ in listing[:_LISTED]],
        "lines_left_out": max(0, len(listing) - _LISTED),
        "provenance": laid_out(report.provenance),
        "size": SIZE,
    }


def job_hash(report: Report) -> str:
    """SHA-256 of the job file as provenance tells it; empty where it does not."""
    for what, value in report.provenance.rows:
        found = re.fullmatch(r"SHA-256 ([0-9a-f]{64})", value.text)
        if found and what.text.startswith("job file"):
            return found[1]
    return ""


def _version(report: Report) -> str:
    told = [value.text for what, value in report.provenance.rows if what.text == "palpeur"]
    return shown(told[0], 40) if told else ""


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "label": shown(fact.label, _PHRASE),
        "value": pieces(shown(fact.value.text, _PHRASE), _VALUE_ROOM),
        "unit": shown(fact.unit, 20),
        "detail": pieces(shown(fact.detail, _SENTENCE), _FACT_ROOM),
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
        "detail": ["in section 1"] if findings else [""],
        "status": "bad" if counts[Severity.ERROR] else doubtful,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": shown(finding.code, 12),
        "severity": finding.severity.value,
        "where": pieces(shown(finding.where, _PHRASE), _WHERE_ROOM),
        "message": pieces(shown(finding.message, _SENTENCE), _MESSAGE_ROOM),
        "hint": pieces(shown(finding.hint, _SENTENCE), _MESSAGE_ROOM),
    }
