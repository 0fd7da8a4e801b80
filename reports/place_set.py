"""The files of a placing: its document and its reach map, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from reports.atomic_folder import atomic_folder
from reports.own_files import check_own_files

DOCUMENT, FIGURE = "place.json", "reach-map.png"


def write_place_set(folder: Path, document: str, figure: bytes | None) -> None:
    """Write the files; those of an earlier placing are replaced.

    Args:
        folder: new, empty, or holding an earlier placing and nothing else.
        document: text of the JSON document.
        figure: the reach map as PNG; None where it is not drawn.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    with atomic_folder(folder, check_place_set) as fresh:
        (fresh / DOCUMENT).write_text(document, encoding="utf-8", newline="")
        if figure is not None:
            (fresh / FIGURE).write_bytes(figure)


def check_place_set(folder: Path) -> None:
    """Whether a placing may take a place: it is free, empty, or holds an earlier one.

    Raises:
        OutputError: it holds anything else; the message names it.
    """
    check_own_files(folder, (DOCUMENT, FIGURE), "palpeur place")
