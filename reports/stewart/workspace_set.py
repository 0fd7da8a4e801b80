"""The files of a platform's workspace: figure, table and document; whole or not at all."""

from __future__ import annotations

from pathlib import Path

from reports.atomic_folder import atomic_folder
from reports.own_files import check_own_files
from reports.stewart.workspace_document import WorkspaceSlices, workspace_csv

_NAMES = ("workspace.json", "workspace.csv", "workspace.png", "workspace.svg")


def write_workspace_set(shown: WorkspaceSlices, document: str, folder: Path) -> None:
    """Write the files; those of an earlier workspace are replaced.

    Args:
        shown: what is written.
        document: text of its JSON document.
        folder: new, empty, or holding an earlier workspace and nothing else.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    from reports.figures.stewart_workspace import stewart_workspace_image
    from reports.figures.style import FORMATS

    with atomic_folder(folder, check_workspace_set) as fresh:
        (fresh / "workspace.json").write_text(document, encoding="utf-8", newline="")
        (fresh / "workspace.csv").write_text(workspace_csv(shown), encoding="utf-8", newline="")
        for kind in FORMATS:
            image = stewart_workspace_image(shown.position, shown.orientation, shown.name, kind)
            (fresh / f"workspace.{kind}").write_bytes(image)


def check_workspace_set(folder: Path) -> None:
    """Whether a workspace may take a place: it is free, empty, or holds an earlier one.

    Raises:
        OutputError: it holds anything else; the message names it.
    """
    check_own_files(folder, _NAMES, "palpeur stewart workspace")
