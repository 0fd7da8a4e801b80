"""A console for readers: colour and the window's width on a terminal, plain text anywhere else.

Rich lays out what a terminal shows. A file or pipe gets text without it: importing Rich and laying
out two tables with it would be a tenth of a small job's time.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from reports.visible_text import visible

if TYPE_CHECKING:
    import rich.console

PLAIN_WIDTH = 110
_GAP = 2  # between columns

Cell = str | tuple[str, str]  # a text, and its style


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """Columns without lines between them.

    Args:
        headers: one for each column.
        rows: of as many cells.
        text: columns that stand left; numbers stand right.
    """

    headers: Sequence[str]
    rows: Iterable[Sequence[Cell]]
    text: Sequence[int] = (0,)


class Console:
    """Plain text; what is shown is escaped.

    Args:
        file: to write to.
    """

    def __init__(self, file: TextIO) -> None:
        # The one behind a stream that escapes everything, colours too.
        self._file: TextIO = getattr(file, "terminal_stream", file)

    def print(
        self, text: str, *, style: str | None = None, end: str = "\n", soft_wrap: bool = False
    ) -> None:
        """Print a text, broken between words unless it is soft-wrapped.

        Args:
            text: any; control characters are shown as their codes.
            style: such as "bold red", on a terminal.
            end: printed after it.
            soft_wrap: whether the terminal breaks lines.
        """
        del style
        lines = visible(text).split("\n")
        if not soft_wrap:
            lines = [part for line in lines for part in _broken(line)]
        self._file.write("\n".join(lines) + end)

    def table(self, table: Table) -> None:
        """Print a table; one that is wider than the page is not broken."""
        rows = [table.headers, *([_text(cell) for cell in row] for row in table.rows)]
        lines = [[visible(cell) for cell in row] for row in rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            cells = (
                cell.ljust(width) if k in table.text else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            self._file.write((" " * _GAP).join(cells).rstrip() + "\n")


class _Terminal(Console):
    """Colour and the width of the window; ``NO_COLOR`` is kept."""

    def __init__(self, file: TextIO) -> None:
        super().__init__(file)
        self._rich = rich_console(file)

    def print(
        self, text: str, *, style: str | None = None, end: str = "\n", soft_wrap: bool = False
    ) -> None:
        """See ``Console.print``."""
        self._rich.print(text, style=style, end=end, soft_wrap=soft_wrap)

    def table(self, table: Table) -> None:
        """Print a table; cells that do not fit are folded."""
        from rich.table import Table as Laid
        from rich.text import Text

        laid = Laid(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
        for k, header in enumerate(table.headers):
            laid.add_column(header, justify="left" if k in table.text else "right", overflow="fold")
        for row in table.rows:
            styles = (cell[1] if isinstance(cell, tuple) else "" for cell in row)
            texts = (visible(_text(cell)) for cell in row)
            laid.add_row(
                *(Text(text, style=style) for text, style in zip(texts, styles, strict=True))
            )
        self._rich.print(laid)


def console_on(file: TextIO) -> Console:
    """The console of a stream: a terminal's, or a plain one."""
    return _Terminal(file) if file.isatty() else Console(file)


def rich_console(file: TextIO) -> rich.console.Console:
    """Rich's console without markup on a terminal, for progress bars too.

    Strings, also those in tables, are escaped before they are styled, so the console writes to the
    stream behind one that escapes everything.
    """
    from rich.console import Console as Rich
    from rich.text import Text

    class EscapingConsole(Rich):
        """See ``rich_console``."""

        def render_str(self, text: str, **options: Any) -> Text:
            """See ``rich.console.Console``."""
            return super().render_str(visible(text), **options)

    return EscapingConsole(
        file=getattr(file, "terminal_stream", file),
        color_system="auto",
        force_terminal=True,
        highlight=False,
        markup=False,
        emoji=False,
    )


def _text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell[0]


def _broken(line: str) -> list[str]:
    if len(line) <= PLAIN_WIDTH:
        return [line]
    return textwrap.wrap(line, PLAIN_WIDTH, break_on_hyphens=False, drop_whitespace=True)
