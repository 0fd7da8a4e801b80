"""A rich console for text that comes from files: control characters are shown as their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from reports.visible_text import visible

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
