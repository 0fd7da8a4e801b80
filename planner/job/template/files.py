"""The files of the job template, and writing them without overwriting anything."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from planner.errors import OutputError
from planner.result_files import write_file

_NAMES = ("job.toml", "points.csv")


def job_template() -> dict[str, str]:
    """Files of a small job that runs as it is: text by file name, the job file first."""
    folder = files("planner.job.template")
    return {name: (folder / name).read_text(encoding="utf-8") for name in _NAMES}


def write_template(folder: Path | str, *, force: bool = False) -> tuple[Path, ...]:
    """Write the template's files into a folder, which is made where it is not there.

    Args:
        folder: the place.
        force: whether files of these names are replaced.

    Returns:
        The paths written, the job file first.

    Raises:
        OutputError: a file of that name is there already, so nothing is written; or the folder
            cannot be written to.
    """
    folder = Path(folder)
    template = job_template()
    paths = tuple(folder / name for name in template)
    there = [path for path in paths if path.exists() or path.is_symlink()]
    if there and not force:
        raise OutputError(
            f"{there[0]} exists already and is not overwritten; give another folder, or "
            "--force to replace it.",
            file=str(there[0]),
        )
    if folder.exists() and not folder.is_dir():
        raise OutputError(
            f"{folder} is a file, not a folder; give another folder.", file=str(folder)
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in zip(paths, template.values(), strict=True):
            if force:
                write_file(path, text)
            else:  # what came there meanwhile stays
                with path.open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
    except OSError as error:
        where = error.filename or folder
        raise OutputError(
            f"{where}: the job cannot be written: {error.strerror}.", file=str(where)
        ) from error
    return paths
