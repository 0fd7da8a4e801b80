"""The files of an evaluation, or of an uncertainty; whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from planner.result_files import result_set
from reports.document_text import document_text
from reports.evaluation.colours import deviation_scale, legend_of
from reports.evaluation.content import EvaluationContent, evaluation_content, uncertainty_content
from reports.evaluation.document import evaluation_document, uncertainty_document
from reports.evaluation.figures import (
    MOST_FEATURES,
    evaluation_drawings,
    rendered_drawings,
    uncertainty_drawings,
)
from reports.evaluation.page import Pictures, evaluation_page
from reports.evaluation.paper import evaluation_pdf
from reports.evaluation.scene import evaluation_scene, uncertainty_scene
from reports.evaluation.subject import EvaluationSubject, UncertaintySubject
from reports.evaluation.tables import deviations_csv, uncertainty_csv
from reports.page.scene import embeds

if TYPE_CHECKING:
    from reports.content import Report

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

    content, drawings = evaluation_content(shown), evaluation_drawings(shown)
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
