"""Library parts by name."""

from __future__ import annotations

from collections.abc import Callable

from parts.errors import LibraryError
from parts.library.artefacts import ball, blade, block, inclined_plate
from parts.library.synthetic import LibraryPart
from robots.core.catalogue import unknown_name

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
        raise unknown_name("part", name, names(), LibraryError)
    return _MAKERS[name]()
