"""Terminal output of text that comes from files: control characters are shown as their codes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from reports.visible_text import BOLD, PLAIN, visible

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN_WIDTH = 110


def console_on(file: TextIO) -> Console:
    """A console without markup; colour and the window's width where ``file`` is a terminal.

    ``NO_COLOR`` is kept. Strings, also those in tables, are escaped before they are styled, so the
    console writes to the stream behind one that escapes everything.
    """
    from rich.console import Console
    from rich.text import Text

    class EscapingConsole(Console):
        """See ``console_on``."""

        def render_str(self, text: str, **options: Any) -> Text:
            """See ``rich.console.Console``."""
            return super().render_str(visible(text), **options)

    terminal = file.isatty()
    return EscapingConsole(
        file=getattr(file, "terminal_stream", file),
        width=None if terminal else _PLAIN_WIDTH,
        color_system="auto" if terminal else None,
        force_terminal=terminal,
        highlight=False,
        markup=False,
        emoji=False,
    )


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
