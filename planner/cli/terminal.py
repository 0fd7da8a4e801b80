"""The edge to the terminal: what comes from files and names is text there, never a command.

A terminal obeys control characters: one name with an escape sequence could move the cursor over a
verdict, set the title, or answer in the user's place. So both streams of the command write every
unseen character as its code; only the two sequences of our own emphasis pass, on a terminal.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from reports.visible_text import BOLD, PLAIN, visible


class EscapedStream:
    """A text stream that shows control characters as their codes, such as ⟨U+001B⟩.

    Args:
        stream: that it writes to; everything but ``write`` is the stream's own.
    """

    def __init__(self, stream: TextIO) -> None:
        self.terminal_stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.terminal_stream, name)

    def write(self, text: str) -> int:
        """See ``io.TextIOBase``."""
        if BOLD in text and self.terminal_stream.isatty():
            parts = [visible(part).replace(visible(PLAIN), PLAIN) for part in text.split(BOLD)]
            self.terminal_stream.write(BOLD.join(parts))
        else:
            self.terminal_stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """See ``io.TextIOBase``."""
        for line in lines:
            self.write(line)


@contextlib.contextmanager
def escaped_streams() -> Iterator[None]:
    """Escape what is written to stdout and stderr."""
    before = sys.stdout, sys.stderr
    sys.stdout = EscapedStream(sys.stdout)
    sys.stderr = EscapedStream(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def quiet_libraries(note: Callable[[str], object]) -> None:
    """Send warnings and log records of libraries to a log; nothing in them is meant for a user.

    Args:
        note: writes a text into the log.
    """

    def on_warning(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        del file
        text = warnings.formatwarning(message, category, filename, lineno, line)
        note(text)
        if os.environ.get("PALPEUR_DEBUG"):
            sys.stderr.write(text)

    warnings.showwarning = on_warning
    logging.lastResort = _Noted(note)


class _Noted(logging.Handler):
    """Records of libraries that nobody handles.

    Args:
        note: writes a text into the log.
    """

    def __init__(self, note: Callable[[str], object]) -> None:
        super().__init__(logging.WARNING)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        """See ``logging.Handler``."""
        self._note(f"{record.name}: {record.getMessage()}\n")
