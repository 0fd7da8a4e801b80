"""An evaluation, or an uncertainty, as a PDF for signature, typeset by typst."""

from __future__ import annotations

import json
from importlib.metadata import version
from importlib.resources import as_file, files
from typing import Any

from reports.evaluation.content import EvaluationContent
from reports.evaluation.page import Pictures
from reports.pdf.document import (
    FINDINGS,
    SENTENCE,
    SIZE,
    STANDARD,
    TITLE,
    boxes,
    laid_out,
    printed_findings,
    titles,
)
from reports.pdf.text import folder, shown

_SCREEN = ("branches",)  # tables too long for paper; page and workbook have them
_FIRST = ("characteristics", "features", "sizes", "uncertainty")  # tables before the figures


def evaluation_pdf(content: EvaluationContent, pictures: Pictures) -> bytes:
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


def _document(content: EvaluationContent, pictures: Pictures) -> dict[str, Any]:
    """What the template prints, as plain data."""
    return {
        **titles(content.title),
        "kind": content.kind,
        "sha256": content.sha256,
        "version": version("palpeur"),
        "verdict": shown(content.verdict, SENTENCE),
        "status": content.status.value,
        "facts": boxes(content.facts, content.findings),
        "findings": printed_findings(content.findings),
        "findings_left_out": 0,  # the shared part would name a file of the plan
        "left_out": max(0, len(content.findings) - FINDINGS),
        "first": [laid_out(one) for one in content.tables if one.key in _FIRST],
        "rest": [laid_out(one) for one in content.tables if one.key not in (*_FIRST, *_SCREEN)],
        "figures": [
            {
                "title": shown(one.title, TITLE),
                "words": shown(one.words, SENTENCE),
                "svg": pictures.figures[f"{one.key}.svg"].decode("utf-8"),
            }
            for one in pictures.drawings
        ],
        "undrawn": pictures.left_out,
        "size": SIZE,
    }
