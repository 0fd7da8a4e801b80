"""The report set of a plan: written whole or not at all, the same bytes for the same input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import OutputError
from planner.plan_types import Plan
from planner.progress import Progress, silent
from planner.result_files import RECORD, REPORT_SET, listed_files, result_set
from reports.inputs import write_inputs
from reports.plan_document import document_text, plan_document
from reports.provenance import (
    Provenance,
    SetOptions,
    provenance,
    provenance_document,
)
from reports.read_me import read_me
from reports.report_set import (
    ALWAYS,
    DOCUMENT,
    FIGURES,
    PAGE,
    PAPER,
    READ_ME,
    REPLAY,
    SCENE,
    WORKBOOK,
)
from reports.tables import write_points, write_trajectory

if TYPE_CHECKING:
    from planner.proof import Proof
    from reports.content import Report
    from reports.drawn_samples import DrawnSamples

STAGE = "report set"
_PATH = "tip-path.svg"  # the figure that the paper shows


def export(
    proof: Proof,
    folder: Path | str,
    *,
    options: SetOptions | None = None,
    made: Provenance | None = None,
    progress: Progress = silent,
    force: bool = False,
) -> tuple[Path, ...]:
    """Write the report set of a proven plan.

    A set that is in the folder already is replaced at the very end, in one step.

    Args:
        proof: a plan, the samples to be written, and its checks.
        folder: new, empty, or holding an earlier set and nothing else.
        options: what the set holds; everything but robot programmes when None. Programmes are
            written of proven motions only, whatever is asked for.
        made: command and versions; those of ``palpeur plan job.toml`` when None.
        progress: told how many of the writers are done.
        force: whether a folder with other files is written to all the same.

    Returns:
        The files, in the order of their names.

    Raises:
        OutputError: a check failed; the folder holds other files, or cannot be written.
    """
    plan = proof.plan
    if not proof.passed:
        raise OutputError(
            f"The plan of {plan.job.name!r} failed its own validation; nothing is exported.",
            job=plan.job.name,
        )
    folder = Path(folder)
    options, made = options or SetOptions(), made or provenance(plan)
    steps = 3 + int(options.pages or options.figures) + int(options.pages)
    with result_set(folder, REPORT_SET, force=force) as fresh:
        for done, _ in enumerate(_written(fresh, proof, options, made), start=1):
            progress(STAGE, done, steps)
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file()))


def _written(folder: Path, proof: Proof, options: SetOptions, made: Provenance) -> Iterator[str]:
    """Write part after part; the record comes last, with the hashes of all others."""
    plan = proof.plan
    document = document_text(plan_document(proof))
    _text(folder / DOCUMENT, document)
    write_trajectory(plan, proof.motion, folder)
    write_points(plan, folder)
    _text(folder / READ_ME, read_me(plan, options))
    yield "data"
    _programmes(folder, plan, options)
    yield "programmes"
    if options.pages or options.figures:
        from reports.drawn_samples import drawn_samples

        drawn = drawn_samples(proof.motion)
        pictures = _figures(folder, plan, options, drawn)
        yield "figures"
        if options.pages:
            _pages(folder, proof, options, made, drawn, pictures)
            yield "pages"
    stored = write_inputs(plan.job, folder, made.job)
    record = provenance_document(made, stored, listed_files(folder), options)
    _text(folder / RECORD, json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    yield "provenance"


def _programmes(folder: Path, plan: Plan, options: SetOptions) -> None:
    chosen = (*(ALWAYS if options.pages else ()), *options.exports)
    if not chosen:
        return
    from reports.programmes import programmes

    for name, content in programmes(plan, chosen, options).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)


def _figures(
    folder: Path, plan: Plan, options: SetOptions, drawn: DrawnSamples
) -> dict[str, bytes]:
    """The figures, in the set where they were asked for; the paper needs one anyway."""
    from reports.figures import draw_figures

    wanted = None if options.figures else (_PATH,)
    pictures = draw_figures(plan, drawn, wanted)
    if options.figures:
        (folder / FIGURES).mkdir()
        for name, content in pictures.items():
            (folder / FIGURES / name).write_bytes(content)
    return pictures


def _pages(
    folder: Path,
    proof: Proof,
    options: SetOptions,
    made: Provenance,
    drawn: DrawnSamples,
    pictures: dict[str, bytes],
) -> None:
    from reports.content import report_content
    from reports.pdf import report_pdf
    from reports.workbook import workbook

    plan = proof.plan
    content = report_content(
        proof,
        drawn,
        made,
        errata=plan.job.errata,
        options=options,
    )
    _page(folder, plan, content)
    (folder / PAPER).write_bytes(report_pdf(content, plan.timeline, pictures))
    (folder / WORKBOOK).write_bytes(workbook(content))


def _page(folder: Path, plan: Plan, content: Report) -> None:
    """The page with its replay; a replay too large for it stands beside it."""
    from reports.page import embeds, page
    from reports.scene import scene_glb, scene_html, scene_of

    scene = scene_of(plan)
    (folder / SCENE).write_bytes(scene_glb(scene))
    replay = scene_html(scene, dark=None)
    if not embeds(replay):
        _text(folder / REPLAY, replay)
    _text(folder / PAGE, page(content, plan.timeline, replay))


def _text(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8", newline="")
