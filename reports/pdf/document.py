"""What the template prints, as plain data: texts stay texts and never become markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.plan import Segment
from reports.content import Report
from reports.pdf.curves import drawn_curves, shaded
from reports.pdf.opening import FINDINGS, SENTENCE, boxes, printed_findings, titles, told
from reports.pdf.shown_text import lines, pieces, shown
from reports.pdf.table_layout import SIZE, laid_out, parted

PATH = "tip-path.svg"  # the figure that is taken over as it is
_LISTED, _COLUMNS, _ROWS = 400, 104, 4  # lines of the job file, their width, lines for a long one
_NOTE_ROOM = 48.0  # a line of the template in its letters' size [em]


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
        **titles(report.title),
        "sha256": report.sha256,
        "version": shown(report.version, 40),
        "verdict": shown(report.verdict, SENTENCE),
        "status": report.status.value,
        "unchecked": [told(fact) for fact in report.unchecked],
        "facts": boxes(report.facts, report.findings),
        "findings": printed_findings(report.findings),
        "findings_left_out": max(0, len(report.findings) - FINDINGS),
        "errata": [pieces(shown(text, SENTENCE), _NOTE_ROOM) for text in report.errata],
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
