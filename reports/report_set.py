"""What a report set holds, and whether a place may be taken by one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from planner.errors import OutputError
from reports.provenance import RECORD
from robots.core.caps import Cap, read_capped

DOCUMENT = "plan.json"
TRAJECTORY = ("trajectory.parquet", "trajectory.csv")
POINTS = "points.csv"
READ_ME = "README.txt"
FIGURES = "figures"
PAGE, PAPER, WORKBOOK = "report.html", "report.pdf", "tables.xlsx"
SCENE, REPLAY = "scene.glb", "scene.html"
ALWAYS = ("dmis", "ipp", "qif")  # programmes that every set holds

_MARK = '"palpeur":'  # in the first lines of every plan.json
_BARE = {DOCUMENT, *TRAJECTORY, POINTS, READ_ME}
_PICTURES = (".png", ".svg")


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
    listed = _listed(folder)
    foreign = [path for path in held if not _ours(path, folder, listed)]
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


def _ours(path: Path, folder: Path, listed: set[str]) -> bool:
    """Whether a set that was written here holds this, by its own record or by its name."""
    name = path.relative_to(folder).as_posix()
    if path.is_symlink():
        return False
    if path.is_dir():
        return name == FIGURES or any(item.startswith(f"{name}/") for item in listed)
    if path.parent == folder / FIGURES:
        return path.suffix in _PICTURES
    return name in listed or name in _BARE


def _listed(folder: Path) -> set[str]:
    """Files that the record of an earlier set names, the record too; none where it has none."""
    record = folder / RECORD
    try:
        document = json.loads(read_capped(record, Cap.RECORD_BYTES))
    except (OSError, ValueError, RecursionError):
        return set()
    files = document.get("files") if isinstance(document, dict) else None
    return {RECORD, *_names(files if isinstance(files, list) else ())}


def _names(files: Iterable[object]) -> Iterable[str]:
    for item in files:
        if isinstance(item, dict) and isinstance(item.get("name"), str):
            yield item["name"]


def _is_set(folder: Path) -> bool:
    document = folder / DOCUMENT
    try:
        if not document.is_file():
            return False
        with document.open(encoding="utf-8") as file:
            return _MARK in file.read(200)
    except (OSError, UnicodeDecodeError):
        return False
