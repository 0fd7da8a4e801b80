"""Files from strangers: regular ones only, and no byte beyond the cap."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from robots.core.caps.cap import Cap

_CHUNK = 1_000_000  # [byte]
_OWN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")  # what this process was given already open


def read_capped(path: Path | str, cap: Cap, *, spent: int = 0) -> bytes:
    """Content of a regular file.

    A pipe or a device may never begin or never end, so it is not waited for; only those that the
    shell has opened for us (``<(…)``) are read.

    Args:
        path: of the file.
        cap: of its bytes.
        spent: bytes of the cap that other files have taken already.

    Raises:
        OSError: not readable, not a regular file, longer than the cap; ``reason_of`` says it.
    """
    given = str(path).startswith(_OWN)
    try:
        with open(path, "rb", opener=None if given else _not_waiting) as file:
            found = os.fstat(file.fileno())
            regular = stat.S_ISREG(found.st_mode)
            if not given and not regular:
                raise OSError(errno.EINVAL, "it is no regular file")
            most = cap.limit - spent + 1
            # a read of so many bytes takes that much memory before the first one comes
            raw = file.read(min(most, found.st_size + 1)) if regular else _drained(file, most)
    except ValueError as error:  # a zero byte in the path
        raise OSError(errno.EINVAL, str(error)) from None
    if len(raw) > cap.limit - spent:
        with_others = ", with the files beside it" if spent else ""
        raise OSError(errno.EFBIG, f"it has more than {cap.limit} bytes{with_others}; {cap.advice}")
    return raw


def _drained(file: BinaryIO, most: int) -> bytes:
    """What comes from a pipe, at most so many bytes."""
    chunks: list[bytes] = []
    while most > 0 and (chunk := file.read(min(most, _CHUNK))):
        chunks.append(chunk)
        most -= len(chunk)
    return b"".join(chunks)


def reason_of(error: OSError) -> str:
    """Why a file cannot be read, as the end of a sentence."""
    return error.strerror or str(error)


def _not_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
