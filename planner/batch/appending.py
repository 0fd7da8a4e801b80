"""Files that grow by lines, such as logs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO


def open_to_append(path: Path) -> BinaryIO:
    """Open a file, made where there is none; a pipe that nobody reads is refused, not waited for.

    Raises:
        OSError: it cannot be written.
    """
    return open(path, "ab", opener=_not_waiting)


def _not_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600)
