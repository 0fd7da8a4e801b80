"""The files of a platform's workspace: figure, table and document; whole or not at all."""

from __future__ import annotations

from pathlib import Path

from planner.result_files import result_set
from reports.stewart.workspace_document import WorkspaceSlices, workspace_csv

KIND = "platform workspace"


def write_workspace_set(
    shown: WorkspaceSlices, document: str, folder: Path, *, force: bool = False
) -> None:
    """Write the files; those of an earlier workspace are replaced.

    Args:
        shown: what is written.
        document: text of its JSON document.
        folder: new, empty, or holding an earlier workspace and nothing else.
        force: whether a folder with other files is written to all the same.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    from reports.figures.stewart_workspace import stewart_workspace_image
    from reports.figures.style import FORMATS

    with result_set(folder, KIND, force=force) as fresh:
        (fresh / "workspace.json").write_text(document, encoding="utf-8", newline="")
        (fresh / "workspace.csv").write_text(workspace_csv(shown), encoding="utf-8", newline="")
        for kind in FORMATS:
            image = stewart_workspace_image(shown.position, shown.orientation, shown.name, kind)
            (fresh / f"workspace.{kind}").write_bytes(image)
