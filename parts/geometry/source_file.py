"""The bytes of a geometry file, with what messages and readers need beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from parts.errors import PartError
from robots.core.caps import Cap, reason_of
from robots.core.caps import read_capped as read_file

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SourceFile:
    """A file read into memory.

    Args:
        name: for messages.
        raw: its bytes.
        folder: that files named by it must lie in; None allows no other file.
    """

    name: str
    raw: bytes
    folder: Path | None

    def error(self, sentence: str, **facts: object) -> PartError:
        """An error about this file; ``sentence`` starts in lower case, ends with a full stop."""
        return PartError(f"{self.name}: {sentence}", file=self.name, **facts)

    def check_count(self, what: str, count: int, cap: Cap, *, times: int = 1) -> None:
        """Refuse more of something than a cap allows.

        Args:
            what: is counted.
            count: of it.
            cap: that holds.
            times: how many of it one unit of the cap stands for.

        Raises:
            PartError: there are more.
        """
        if count > times * cap.limit:
            raise self.error(
                f"it has {count} {what}; expected at most {times * cap.limit}. Export it coarser, "
                f"or, if the file is trusted, {cap.advice}.",
                found=count,
                limit=times * cap.limit,
            )


def lines_of(file: SourceFile) -> Iterator[bytes]:
    """Lines of a text file one after the other, whatever ends them; never a list of all.

    Raises:
        PartError: a line over the cap.
    """
    cap, place, number = Cap.GEOMETRY_LINE, 0, 0
    limit = cap.limit
    while place < len(file.raw):
        number += 1
        end = _LINE_END.search(file.raw, place, place + limit + 2)
        if end is None and len(file.raw) - place > limit:
            raise file.error(
                f"line {number} has more than {limit} bytes; it is not text, or damaged. "
                f"Export it again, or, if the file is trusted, {cap.advice}.",
                line=number,
                limit=limit,
            )
        yield file.raw[place : end.start() if end else None]
        place = end.end() if end else len(file.raw)


def read_source(path: Path) -> SourceFile:
    """Read a file, not more of it than the cap.

    Raises:
        PartError: not readable, no regular file, empty, or over the cap.
    """
    raw = read_capped(path, path.name)
    if not raw:
        raise PartError(f"{path.name}: the file is empty; export it again.", file=path.name)
    return SourceFile(name=path.name, raw=raw, folder=path.parent)


def read_capped(path: Path, name: str, *, spent: int = 0) -> bytes:
    """Content of a geometry file, or of one that it names.

    Args:
        path: of the file.
        name: for messages.
        spent: bytes that the files before it had.

    Raises:
        PartError: not readable, no regular file, or over the cap.
    """
    try:
        return read_file(path, Cap.GEOMETRY_BYTES, spent=spent)
    except OSError as error:
        raise PartError(
            f"{name}: the file cannot be read: {reason_of(error)}.", file=name
        ) from error
