"""The report set of a plan: written whole or not at all, the same bytes for the same input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import OutputError
from planner.plan_types import Plan
from planner.sampled_motion import SampledMotion, sampled
from reports.atomic_folder import atomic_folder
from reports.plan_document import document_text, plan_document
from reports.read_me import read_me
from reports.tables import write_points, write_trajectory

if TYPE_CHECKING:
    from reports.validation import Validation

FIGURES = "figures"
_DOCUMENT = "plan.json"
_FILES = (_DOCUMENT, "trajectory.parquet", "trajectory.csv", "points.csv", "README.txt")
_MARK = '"palpeur":'  # in the first lines of every plan.json
_PICTURES = (".png", ".svg")


def export(
    plan: Plan,
    validation: Validation,
    folder: Path | str,
    *,
    motion: SampledMotion | None = None,
    figures: bool = True,
) -> tuple[Path, ...]:
    """Write the report set of a plan that passed its validation.

    A set that is in the folder already is replaced at the very end, in one step.

    Args:
        plan: what was planned.
        validation: what its independent check found.
        folder: new, empty, or holding an earlier set and nothing else.
        motion: the samples that were validated; drawn at the job's period when None.
        figures: whether the figures are drawn, too.

    Returns:
        The files, in the order of their names.

    Raises:
        OutputError: the validation failed; the folder holds other files, or cannot be written.
    """
    if not validation.passed:
        raise OutputError(
            f"The plan of {plan.job.name!r} failed its own validation; nothing is exported.",
            job=plan.job.name,
        )
    folder = Path(folder)
    motion = sampled(plan) if motion is None else motion
    with atomic_folder(folder, check_place) as fresh:
        _fill(fresh, plan, validation, motion, figures=figures)
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file()))


def check_place(folder: Path) -> None:
    """Whether a report set may take a place: it is free, empty, or holds an earlier set.

    Raises:
        OutputError: it holds anything else; the message names it.
    """
    try:
        if folder.exists():
            _check_folder(folder)
    except OSError as error:
        raise OutputError(
            f"{folder}: the folder cannot be looked into: {error.strerror}.", folder=str(folder)
        ) from error


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise OutputError(
            f"{folder} is a file, not a folder; give another place with --out.", folder=str(folder)
        )
    held = sorted(folder.rglob("*"))
    foreign = [path for path in held if not _ours(path, folder)]
    if held and not foreign and not _is_set(folder):
        foreign = held
    if foreign:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise OutputError(
            f"{folder} holds {foreign[0].relative_to(folder)}{more}, which is no report set of "
            "Palpeur's; give a new folder with --out.",
            folder=str(folder),
            foreign=tuple(map(str, foreign)),
        )


def _fill(
    folder: Path, plan: Plan, validation: Validation, motion: SampledMotion, *, figures: bool
) -> None:
    text = document_text(plan_document(plan, validation))
    (folder / _DOCUMENT).write_text(text, encoding="utf-8", newline="")
    write_trajectory(plan, motion, folder)
    write_points(plan, folder)
    (folder / "README.txt").write_text(read_me(plan), encoding="utf-8", newline="")
    if figures:
        from reports.drawn_samples import drawn_samples
        from reports.figures import draw_figures

        (folder / FIGURES).mkdir()
        for name, content in draw_figures(plan, drawn_samples(motion)).items():
            (folder / FIGURES / name).write_bytes(content)


def _ours(path: Path, folder: Path) -> bool:
    relative = path.relative_to(folder)
    if path.is_symlink():
        return False
    if path.is_dir():
        return relative == Path(FIGURES)
    if relative.parent == Path(FIGURES):
        return relative.suffix in _PICTURES
    return str(relative) in _FILES


def _is_set(folder: Path) -> bool:
    try:
        with (folder / _DOCUMENT).open(encoding="utf-8") as file:
            return _MARK in file.read(200)
    except (OSError, UnicodeDecodeError):
        return False
