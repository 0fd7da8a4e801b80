"""The files of a placing: its document and its reach map, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from planner.result_files import result_set

KIND = "placing"
DOCUMENT, FIGURE = "place.json", "reach-map.png"


def write_place_set(
    folder: Path, document: str, figure: bytes | None, *, force: bool = False
) -> None:
    """Write the files; those of an earlier placing are replaced.

    Args:
        folder: new, empty, or holding an earlier placing and nothing else.
        force: whether a folder with other files is written to all the same.
        document: text of the JSON document.
        figure: the reach map as PNG; None where it is not drawn.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    with result_set(folder, KIND, force=force) as fresh:
        (fresh / DOCUMENT).write_text(document, encoding="utf-8", newline="")
        if figure is not None:
            (fresh / FIGURE).write_bytes(figure)
