"""The files of an evaluation, or of an uncertainty; whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from planner.result_files import result_set
from reports.document_text import document_text
from reports.evaluation.colours import Legend, deviation_scale, legend_of
from reports.evaluation.content import EvaluationContent, evaluation_content, uncertainty_content
from reports.evaluation.document import evaluation_document, uncertainty_document
from reports.evaluation.figures import (
    MOST_FEATURES,
    EvaluationFigure,
    evaluation_drawings,
    rendered_drawings,
    uncertainty_drawings,
)
from reports.evaluation.labels import labelled_part
from reports.evaluation.scene import DrawnScene, evaluation_scene, uncertainty_scene
from reports.evaluation.subject import EvaluationSubject, UncertaintySubject
from reports.evaluation.tables import deviations_csv, uncertainty_csv
from reports.page.html import asset, filled
from reports.page.page import PageDetail, cards, page_figure
from reports.page.scene import embeds, page_scene
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

if TYPE_CHECKING:
    from reports.content.report import Report

EVALUATION, UNCERTAINTY = "evaluation", "uncertainty"


def write_evaluation_set(shown: EvaluationSubject, folder: Path, *, force: bool = False) -> None:
    """Write the files; those of an earlier evaluation are replaced.

    Args:
        shown: what is written.
        folder: new, empty, or holding an earlier evaluation and nothing else.
        force: whether a folder with other files is written to all the same.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    from reports.evaluation.qif import results_qif

    labelled = EvaluationFigure(
        key="labels",
        title="Measured features",
        words=f"The part with its {len(shown.evaluation.features)} measured features numbered as "
        "in the tables, in the colours of their verdicts.",
        draw=partial(labelled_part, shown),
    )
    content, drawings = evaluation_content(shown), (labelled, *evaluation_drawings(shown))
    with result_set(folder, EVALUATION, force=force) as fresh:
        _write_text(fresh / "evaluation.json", document_text(evaluation_document(shown)))
        _write_text(fresh / "deviations.csv", deviations_csv(shown))
        (fresh / "results.qif").write_bytes(results_qif(shown))
        pictures = Pictures(
            scene=evaluation_scene(shown),
            drawings=drawings,
            figures=rendered_drawings(drawings),
            legend=legend_of(deviation_scale(shown)),
            left_out=max(0, len(shown.evaluation.features) - MOST_FEATURES),
        )
        _write_shared(content, pictures, fresh, "evaluation.xlsx")


def write_uncertainty_set(shown: UncertaintySubject, folder: Path, *, force: bool = False) -> None:
    """Write the files of an uncertainty; see ``write_evaluation_set``.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    content, drawings = uncertainty_content(shown), uncertainty_drawings(shown)
    with result_set(folder, UNCERTAINTY, force=force) as fresh:
        _write_text(fresh / "uncertainty.json", document_text(uncertainty_document(shown)))
        _write_text(fresh / "uncertainty.csv", uncertainty_csv(shown))
        pictures = Pictures(
            scene=uncertainty_scene(shown) if shown.points else None,
            drawings=drawings,
            figures=rendered_drawings(drawings),
        )
        _write_shared(content, pictures, fresh, "uncertainty.xlsx")


def _write_shared(
    content: EvaluationContent, pictures: Pictures, folder: Path, workbook_name: str
) -> None:
    """Page, paper, workbook, figures."""
    from reports.workbook import workbook

    for name, figure in pictures.figures.items():
        (folder / name).write_bytes(figure)
    if pictures.scene is not None and not embeds(pictures.scene.html):
        _write_text(folder / "scene.html", pictures.scene.html)
    _write_text(folder / "report.html", evaluation_page(content, pictures))
    (folder / "report.pdf").write_bytes(evaluation_pdf(content, pictures))
    # A content has all that the workbook reads of a report.
    (folder / workbook_name).write_bytes(workbook(cast("Report", content)))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")


_DETAIL = PageDetail(buckets=0, rows=500, cell=300, listing=0)
_FIRST = ("characteristics", "coordinates", "features", "uncertainty")  # tables before the figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """Scene and figures of a page.

    Args:
        scene: in 3D; None for none.
        drawings: in reading order.
        figures: content of their files by name.
        legend: of the colours of deviations; None where there are none.
        left_out: features without a figure.
    """

    scene: DrawnScene | None
    drawings: Sequence[EvaluationFigure]
    figures: Mapping[str, bytes]
    legend: Legend | None = None
    left_out: int = 0


def evaluation_page(content: EvaluationContent, pictures: Pictures) -> str:
    """The page; the same bytes for the same content.

    Args:
        content: what is said; every text in it may be hostile.
        pictures: a scene too large for a page is linked as ``scene.html``.
    """
    drawn = pictures.scene
    scene = page_scene(None if drawn is None else drawn.html)
    return filled(
        "evaluation.html.j2",
        "reports.evaluation",
        style=asset("report.css") + asset("evaluation.css", "reports.evaluation/templates"),
        script=asset("report.js"),
        scene=scene,
        beside=drawn is not None and scene is None,
        report=content,
        cards=cards(content.findings),
        detail=_DETAIL,
        first=[one for one in content.tables if one.key in _FIRST],
        rest=[one for one in content.tables if one.key not in _FIRST],
        drawings=[
            page_figure(one.key, one.title, one.words, pictures.figures[f"{one.key}.svg"])
            for one in pictures.drawings
        ],
        legend=pictures.legend,
        notes=() if drawn is None else drawn.notes,
        left_out=pictures.left_out,
    )


_SCREEN = ("branches",)  # tables too long for paper; page and workbook have them


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
        **titles(content.title, content.heading),
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
