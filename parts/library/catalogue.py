"""Library parts by name."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from parts.errors import LibraryError
from parts.library.ball import ball
from parts.library.blade import blade
from parts.library.block import block
from parts.library.inclined_plate import inclined_plate
from parts.library.quilt import LibraryPart

_MAKERS: dict[str, Callable[[], LibraryPart]] = {
    "ball": ball,
    "blade": blade,
    "block": block,
    "inclined-plate": inclined_plate,
}


def names() -> tuple[str, ...]:
    """Names of the library's parts, sorted."""
    return tuple(sorted(_MAKERS))


def open_part(name: str) -> LibraryPart:
    """Make a part of the library.

    Raises:
        LibraryError: no such name; the message gives the nearest.
    """
    if name not in _MAKERS:
        close = get_close_matches(name, names(), n=1, cutoff=0.4)
        advice = f"did you mean {close[0]!r}? The" if close else "the"
        raise LibraryError(
            f"There is no library part {name!r}; {advice} library has {', '.join(names())}.",
            name=name,
            known=names(),
        )
    return _MAKERS[name]()
