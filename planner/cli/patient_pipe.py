"""Standard output into a pipe whose reader may leave before the command is done.

``palpeur evaluate … | head`` must say with its exit code whether the part is good, however few
lines were read.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class PatientPipe(io.FileIO):
    """A pipe that takes everything; what nobody reads any more is dropped."""

    def write(self, data: ReadableBuffer) -> int:
        """Write, or drop from now on."""
        try:
            return super().write(data)
        except BrokenPipeError:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self.fileno())
            os.close(null)
            return memoryview(data).nbytes


def make_stdout_patient() -> None:
    """Let the command finish its work when the reader of its output leaves."""
    told = sys.stdout
    if not isinstance(told, io.TextIOWrapper):
        return
    try:
        piped = stat.S_ISFIFO(os.fstat(told.fileno()).st_mode)
    except OSError:  # no file behind it, as where a test listens
        return
    if piped:
        told.flush()
        pipe = io.BufferedWriter(PatientPipe(told.fileno(), "w", closefd=False))
        sys.stdout = io.TextIOWrapper(
            pipe,
            told.encoding,
            told.errors,
            line_buffering=told.line_buffering or told.write_through,
        )
