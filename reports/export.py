"""The report set of a plan: written whole or not at all, the same bytes for the same input."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import OutputError
from planner.plan import Plan
from planner.processes import return_memory
from planner.progress import Progress, silent
from planner.proof import Proof
from planner.result_files import RECORD, REPORT_SET, listed_files, result_set
from reports.plan_document import document_text, plan_document
from reports.provenance import Provenance, SetOptions, provenance, provenance_document, write_inputs
from reports.tables import (
    interpolation_text,
    row_text,
    sampling_text,
    write_points,
    write_trajectory,
)
from reports.verdict import not_checked, withheld

if TYPE_CHECKING:
    from reports.drawn_samples import DrawnSamples

STAGE = "report set"
_PATH = "tip-path.svg"  # the figure that the paper shows
_WIDTH = 88
_FILES = {
    "plan.json": "the plan: points, segments, joints, findings, validation. Format 1. Peaks are of "
    "the exact motion, not of the samples.",
    "trajectory.parquet": "the motion, {sampling}: time; segment, "
    "the index in the segments of plan.json, from 0; the point that the segment serves; joint "
    "positions q, speeds qd, accelerations qdd, torques tau; total power; ball centre x, y, z in "
    "the base frame. SI units and radians, as the column names say. Read the rows so: {side}. "
    "{interpolation}trajectory.csv, if it is there, has the same rows (palpeur plan --csv).",
    "points.csv": "every point: ball centre at contact and normal in the base frame, joints at "
    "contact and at the clearance point, least margins along its probing line. Cells are empty "
    "where a point is not reached.",
    "report.html": "everything for a reader, in one page that needs no network: summary, findings, "
    "replay, curves, tables, validation.",
    "report.pdf": "the same for signature; of a table of more than 500 rows the first 50 and "
    "those that need attention.",
    "tables.xlsx": "the tables of the report as a workbook.",
    "scene.glb": "cell, robot and motion as glTF. scene.html, if it is there: the replay alone.",
    "plan.qif": "the measuring plan as QIF 3.0: features and points, no motion.",
    "program.dmi, program.ipp": "the same as programmes in DMIS and I++ DME; all motion stands in "
    "them. The comments of a DMIS programme say what is proven; I++ has none.",
    "robot/": "robot programmes, those that were asked for.",
    "inputs/": "the job and the files it names, as they were read.",
    "provenance.json": "hashes of all files, versions, command; palpeur verify reads it.",
    "figures/": "position, speed, acceleration, torque and power of every joint, total power, and "
    "the path of the ball, as PNG and SVG; only where they were asked for.",
}
_FORMULAS = (
    "In the CSV files an apostrophe stands before names that begin with = + - @ or a tab, so that "
    "no spreadsheet takes them for a formula. plan.json and the Parquet file have the names as "
    "they are."
)
DOCUMENT = "plan.json"
READ_ME = "README.txt"
FIGURES = "figures"
PAGE, PAPER, WORKBOOK = "report.html", "report.pdf", "tables.xlsx"
SCENE, REPLAY = "scene.glb", "scene.html"
ALWAYS = ("dmis", "ipp", "qif")  # programmes that every set holds


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
        TypeError: no proof, such as a plan that nobody has checked.
    """
    if not isinstance(proof, Proof):  # the first slip of a script: nothing unproven is exported
        raise TypeError(
            f"export takes a Proof, not a {type(proof).__name__}; prove the plan first: "
            "export(prove(plan), folder)."
        )
    plan = proof.plan
    if not proof.passed:
        raise OutputError(
            f"The plan of {plan.job.name!r} failed its own validation; nothing is exported.",
            job=plan.job.name,
        )
    folder = Path(folder)
    options, made = options or SetOptions(), made or provenance(plan)
    steps = 3 + int(options.pages or options.figures) + int(options.pages)
    return_memory()
    with result_set(folder, REPORT_SET, force=force) as fresh:
        for done, _ in enumerate(_written(fresh, proof, options, made), start=1):
            return_memory()
            progress(STAGE, done, steps)
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file()))


def _written(folder: Path, proof: Proof, options: SetOptions, made: Provenance) -> Iterator[str]:
    """Write part after part; the record comes last, with the hashes of all others."""
    plan = proof.plan
    _text(folder / DOCUMENT, document_text(plan_document(proof)))
    write_trajectory(plan, proof.motion, folder, as_csv=options.csv)
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
    from reports.programmes.exports import programmes

    for name, content in programmes(plan, chosen, options).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)


def _figures(
    folder: Path, plan: Plan, options: SetOptions, drawn: DrawnSamples
) -> dict[str, bytes]:
    """The figures, in the set where they were asked for; the paper needs one anyway."""
    from reports.figures.motion import draw_figures

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
    from reports.content.report import report_content
    from reports.page.page import page
    from reports.pdf.document import paper_data, typeset
    from reports.workbook import workbook

    plan = proof.plan
    # The scene of a long motion, the rows of its tables and the typesetter are the largest things
    # of a report: one is gone before the next is there.
    replay = _replay(folder, plan)
    return_memory()
    content = report_content(proof, drawn, made, errata=plan.job.errata, options=options)
    _text(folder / PAGE, page(content, plan.timeline, replay))
    del replay
    return_memory()
    (folder / WORKBOOK).write_bytes(workbook(content))
    paper = paper_data(content, plan.timeline, pictures)
    del content
    return_memory()
    (folder / PAPER).write_bytes(typeset(paper))


def _replay(folder: Path, plan: Plan) -> str:
    """The replay for the page; one too large for it stands beside it. The scene as glTF."""
    from reports.page.scene import embeds
    from reports.scene.build import scene_of
    from reports.scene.gltf import scene_glb
    from reports.scene.viser_scene import scene_html

    scene = scene_of(plan)
    (folder / SCENE).write_bytes(scene_glb(scene))
    replay = scene_html(scene, dark=None)
    if not embeds(replay):
        _text(folder / REPLAY, replay)
    return replay


def _text(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8", newline="")


def read_me(plan: Plan, options: SetOptions) -> str:
    """Text of the file.

    Args:
        plan: that the set is of.
        options: what the set holds.
    """
    job = plan.job
    inputs = [f"  {item.sha256}  {item.name}" for item in job.inputs]
    rows = {
        "sampling": sampling_text(plan),
        "side": row_text(plan),
        "interpolation": interpolation_text(plan),
    }
    files = [f"{name}\n{_paragraph(text.format(**rows))}" for name, text in _FILES.items()]
    parts = [
        f"Report set of the job {job.name!r}, written by palpeur {version('palpeur')}.",
        "\n".join(["Verdict", *map(_paragraph, _verdict(plan, options))]),
        *files,
        _paragraph(_FORMULAS),
        "\n".join(["Inputs, by SHA-256:", f"  {job.sha256}  the job file", *inputs]),
    ]
    return "\n\n".join(parts) + "\n"


def _verdict(plan: Plan, options: SetOptions) -> Iterator[str]:
    """Whether it is feasible, what was not checked, and which programmes there are."""
    missing = not_checked(plan.unchecked)
    yield ("feasible" if plan.feasible else "NOT FEASIBLE") + (f"; {missing}" if missing else "")
    refused = withheld(plan, options)
    if refused:
        yield f"No programmes that could move a machine are written: {refused}."
    elif plan.left_out:
        yield f"The programmes leave out {len(plan.left_out)} of {len(plan.planned_points)} points:"
        yield from plan.left_out


def _paragraph(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
