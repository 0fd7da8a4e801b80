"""The folder that takes the results of a batch: a new one, or one of a batch before."""

from __future__ import annotations

from pathlib import Path

from planner.errors import OutputError

_MARK = "results"  # what tells the folder of a batch from any other
_OWN = frozenset(
    {
        *("results", "claims", "reports", "measured", "batch.json", "index.parquet", "workers.log"),
        *("summary.csv", "summary.parquet", "summary.json", "junit.xml", "dashboard.html"),
    }
)


def check_folder(folder: Path, *, force: bool = False) -> None:
    """Refuse a folder that holds other things than a batch, or cannot be looked into.

    Raises:
        OutputError: it is such a one.
    """
    try:
        folder.resolve()
        if not folder.exists():
            return
        if not folder.is_dir():
            raise OutputError(f"{folder} is a file, not a folder; give another place with --out.")
        names = sorted(path.name for path in folder.iterdir())
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"{folder}: {reason}; give another folder with --out.") from error
    foreign = [name for name in names if name not in _OWN and not name.startswith(".")]
    if foreign and _MARK not in names and not force:
        raise OutputError(
            f"{folder}: this folder holds {foreign[0]}, which is not of a batch; give a new or "
            "empty one with --out, or --force to put the results beside it."
        )


def make_folder(folder: Path) -> None:
    """Make the folder.

    Raises:
        OutputError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"{folder}: the folder cannot be made: {reason}; give another one with --out."
        ) from error
