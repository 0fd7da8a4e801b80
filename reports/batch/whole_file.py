"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planner.disk import to_disk
from planner.errors import OutputError
from planner.processes import half_written


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Write a file under another name; at the end it takes its own, on the disk.

    If the body fails, what stood there before stays, and nothing half-written does.

    Args:
        path: of the file; its folder exists.

    Raises:
        OutputError: the folder cannot be written.
    """
    fresh = half_written(path)
    try:
        yield fresh
        to_disk(fresh)
        fresh.replace(path)
        to_disk(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(
            f"{path}: cannot be written: {reason}. The results are kept; make room and run the "
            "same command again.",
            path=str(path),
            errno=error.errno,
        ) from error
    finally:
        with contextlib.suppress(OSError):  # what cannot be written cannot be tidied either
            fresh.unlink(missing_ok=True)
