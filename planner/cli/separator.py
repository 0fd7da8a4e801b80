"""What separates the columns of a table, by its header, as in point files."""

from __future__ import annotations

import re

from planner.errors import StatesError

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_HEADER = re.compile(r"\S[^\r\n]*")


def separator_of(text: str, origin: str) -> str:
    """What separates the names of the header, and so all columns; a comma where there is one name.

    Args:
        text: of the table; its first line that is not empty is the header.
        origin: names the file in messages.

    Raises:
        StatesError: two of them occur.
    """
    header = _HEADER.search(text)
    if header is None:
        return ","
    found = [sign for sign in SEPARATORS if sign in header[0].rstrip()]
    if len(found) > 1:
        line = len(text[: header.start()].splitlines()) + 1
        names = " and ".join(SEPARATORS[sign] for sign in found)
        raise StatesError(
            f"{origin}, line {line}: the header has {names}; separate all columns by one of them.",
            file=origin,
            line=line,
        )
    return found[0] if found else ","
