"""The report as a PDF for signature, typeset by typst from plain data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from typing import Any, Literal

from planner.findings import Finding, Severity
from planner.plan import Segment
from reports.content import Column, Fact, Report, Table, Value, ValueStatus
from reports.pdf.curves import drawn_curves, shaded
from reports.pdf.text import folder, lines, pieces, shown, width

STANDARD: Literal["ua-1"] = (
    "ua-1"  # PDF/UA-1: tagged, searchable, every font embedded; PDF/A would ask for a date
)
PATH = "tip-path.svg"  # the figure that is taken over as it is
_LISTED, _COLUMNS, _ROWS = 400, 104, 4  # lines of the job file, their width, lines for a long one
_NOTE_ROOM = 48.0  # a line of the template in its letters' size [em]
FINDINGS = 200  # that are printed
TITLE, SENTENCE = 120, 600  # characters
_PHRASE = 100
# lines of the template in its letters' size [em]
_TITLE_ROOM, _VALUE_ROOM, _FACT_ROOM, _WHERE_ROOM, _MESSAGE_ROOM = 19.0, 12.0, 21.0, 8.0, 34.0
ROOM = 477.0  # between the margins [pt]
SIZE = 8.0  # of letters [pt]
PADDING = 10.0  # left and right of a cell together [pt]
_CELL, _LAST = 100, 700  # characters in a cell, and in one of a last column of texts
_BOLD = 1.08  # width of bold letters
_SLACK = 0.05  # for rounding [em]
_STRETCH = 1.3  # a table that finds more room stays narrower than the page
_WORDS = 70.0  # a column of texts is not made narrower than this [pt]
_SMALLEST = 0.62  # of the letters' size, for tables of very many columns


def report_pdf(report: Report, segments: Sequence[Segment], figures: Mapping[str, bytes]) -> bytes:
    """The report for signature: the same bytes for the same content, no date in them.

    Args:
        report: what it says; its texts are printed as they are, never read as markup.
        segments: of the motion, to shade the curves with.
        figures: SVG files by name; "tip-path.svg" is printed where it is there.
    """
    import typst

    data = json.dumps(document(report, segments, figures), ensure_ascii=False)
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(folder())])
    with as_file(files("reports.pdf") / "templates") as templates:
        compiler = typst.Compiler(
            templates / "report.typ",
            root=templates,
            font_paths=fonts,
            sys_inputs={"report": data},
        )
        made = compiler.compile(format="pdf", pdf_standards=[STANDARD])
    if not isinstance(made, bytes):
        raise TypeError("typst gave no single PDF")
    return made


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


def laid_out(table: Table) -> dict[str, Any]:
    """A table as the template draws it."""
    heads = [_head(column) for column in table.columns]
    limits = [_CELL] * len(table.columns)
    limits[-1] = _CELL if table.columns[-1].numeric else _LAST
    texts = [
        [shown(value.text, limit) for value, limit in zip(row, limits, strict=True)]
        for row in table.shown
    ]
    widths, scale = _widths(table, heads, texts)
    rooms = [(w - scale * PADDING) / (scale * SIZE) + _SLACK for w in widths]
    note = shown(table.note, 600)
    return {
        "key": table.key,
        "title": table.title,
        "note": note,
        "widths": widths,
        "size": scale * SIZE,
        "padding": scale * PADDING / 2,
        "right": [column.numeric for column in table.columns],
        "heads": [[pieces(w, room) for w in head] for head, room in zip(heads, rooms, strict=True)],
        "rows": [
            [_cell(value, text, room) for value, text, room in zip(row, told, rooms, strict=True)]
            for row, told in zip(table.shown, texts, strict=True)
        ],
        "left_out": table.left_out,
        "count": len(table.rows),
    }


def _head(column: Column) -> list[str]:
    return [shown(column.header, _CELL), f"[{column.unit}]" if column.unit else ""]


def _cell(value: Value, text: str, room: float) -> dict[str, Any] | str:
    told = pieces(text, room) if 2 * len(text) > room else [text]
    if value.status is ValueStatus.PLAIN and len(told) == 1:
        return told[0]
    return {"pieces": told, "status": value.status.value}


def _widths(
    table: Table, heads: Sequence[list[str]], texts: Sequence[list[str]]
) -> tuple[list[float], float]:
    """Widths of the columns, and the scale of the letters that they are for. [pt]."""
    wanted, least = [], []
    for k, column in enumerate(table.columns):
        words = [word for part in heads[k] for word in part.split(" ")]
        head = _BOLD * max(map(_natural, words))
        cells = max((_natural(row[k]) for row in texts), default=0.0)
        wanted.append(max(head, cells))
        least.append(wanted[-1] if column.numeric else max(head, min(cells, _WORDS)))
    total = sum(wanted)
    if total <= ROOM:
        return [min(_STRETCH, ROOM / total) * w for w in wanted], 1.0
    if sum(least) <= ROOM:
        share = (ROOM - sum(least)) / (total - sum(least))
        return [a + share * (b - a) for a, b in zip(least, wanted, strict=True)], 1.0
    squeeze = ROOM / sum(least)
    return [squeeze * w for w in least], max(squeeze, _SMALLEST)


def _natural(text: str) -> float:
    return SIZE * width(text) + PADDING


def parted(table: Table) -> tuple[Table, ...]:
    """A table of points as two, what became of them and their joints; any other as it is."""
    joints = [k for k, column in enumerate(table.columns) if column.joint]
    if not joints:
        return (table,)
    others = [k for k in range(len(table.columns)) if k not in joints]
    title = f"{table.title}: joints at contact"
    second = replace(_only(table, [0, *joints]), key=f"{table.key}-joints", title=title, note="")
    return _only(table, others), second


def _only(table: Table, kept: Sequence[int]) -> Table:
    return replace(
        table,
        columns=tuple(table.columns[k] for k in kept),
        rows=tuple(tuple(row[k] for k in kept) for row in table.rows),
    )
