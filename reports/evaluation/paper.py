"""An evaluation, or an uncertainty, as a PDF for signature, typeset by typst."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import as_file, files
from typing import Any

from planner.findings import Finding, Severity
from reports.content.table import Fact
from reports.evaluation.content import Content
from reports.evaluation.page import Pictures
from reports.pdf.report_pdf import STANDARD
from reports.pdf.shown_text import pieces, shown
from reports.pdf.table_layout import SIZE, laid_out
from reports.pdf.typeface import folder

_FINDINGS = 200  # that are printed
_SCREEN = ("branches",)  # tables too long for paper; page and workbook have them
_FIRST = ("characteristics", "features", "sizes", "uncertainty")  # tables before the figures
_TITLE, _SENTENCE, _PHRASE = 120, 600, 100  # characters
# lines of the template in its letters' size [em]
_TITLE_ROOM, _VALUE_ROOM, _FACT_ROOM, _WHERE_ROOM, _MESSAGE_ROOM = 19.0, 12.0, 21.0, 8.0, 34.0


def evaluation_pdf(content: Content, pictures: Pictures) -> bytes:
    """The report: the same bytes for the same content, no date in them.

    Args:
        content: its texts are printed as they are, never read as markup.
        pictures: of which the drawings are printed.
    """
    import typst

    data = json.dumps(_document(content, pictures), ensure_ascii=False)
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(folder())])
    with as_file(files("reports")) as root:
        compiler = typst.Compiler(
            root / "evaluation" / "templates" / "evaluation.typ",
            root=root,
            font_paths=fonts,
            sys_inputs={"report": data},
        )
        made = compiler.compile(format="pdf", pdf_standards=[STANDARD])
    if not isinstance(made, bytes):
        raise TypeError("typst gave no single PDF")
    return made


def _document(content: Content, pictures: Pictures) -> dict[str, Any]:
    """What the template prints, as plain data."""
    title = shown(content.title, _TITLE)
    return {
        "title": title,
        "title_pieces": pieces(title, _TITLE_ROOM),
        "head": shown(content.title, 60),
        "kind": content.kind,
        "sha256": content.sha256,
        "version": version("palpeur"),
        "verdict": shown(content.verdict, _SENTENCE),
        "status": content.status.value,
        "facts": [*map(_fact, content.facts), _count(content.findings)],
        "findings": [_finding(finding) for finding in content.findings[:_FINDINGS]],
        "findings_left_out": 0,  # the shared part would name a file of the plan
        "left_out": max(0, len(content.findings) - _FINDINGS),
        "first": [laid_out(one) for one in content.tables if one.key in _FIRST],
        "rest": [laid_out(one) for one in content.tables if one.key not in (*_FIRST, *_SCREEN)],
        "figures": [
            {
                "title": shown(one.title, _TITLE),
                "words": shown(one.words, _SENTENCE),
                "svg": pictures.figures[f"{one.key}.svg"].decode("utf-8"),
            }
            for one in pictures.drawings
        ],
        "undrawn": pictures.left_out,
        "size": SIZE,
    }


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
    told = [f"{counts[s]} {s.value}{'s' if counts[s] > 1 else ''}" for s in Severity if counts[s]]
    doubtful = "doubtful" if counts[Severity.WARNING] else "plain"
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
        "message": pieces(shown(finding.message, _SENTENCE), _MESSAGE_ROOM),
        "hint": pieces(shown(finding.hint, _SENTENCE), _MESSAGE_ROOM),
    }
