"""The report as a PDF, typeset by typst."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import as_file, files
from typing import Literal

from planner.plan import Segment
from reports.content import Report
from reports.pdf.document import document
from reports.pdf.typeface import folder

STANDARD: Literal["ua-1"] = (
    "ua-1"  # PDF/UA-1: tagged, searchable, every font embedded; PDF/A would ask for a date
)


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
