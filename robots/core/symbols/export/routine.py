"""What a printer needs to know of one quantity and of the file that it goes into."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from robots.core.recording import Programme
from robots.core.symbols.export.check_table import CheckedState
from robots.core.symbols.export.listing import Listing

WIDTH = 98


@dataclass(frozen=True, slots=True, kw_only=True)
class Routine:
    """One exported function.

    Args:
        name: safe identifier, different from the others of the file.
        purpose: one line for readers.
        programme: what it computes.
        listing: the programme in the file's language.
        states: with known results; empty in languages that cannot run.
    """

    name: str
    purpose: str
    programme: Programme
    listing: Listing
    states: tuple[CheckedState, ...]

    @property
    def arguments(self) -> str:
        """Parameter list of the definition."""
        return ", ".join(self.listing.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file: safe ``name`` of the robot, comment lines of its head, and its functions."""

    name: str
    head: tuple[str, ...]
    routines: tuple[Routine, ...]


def filled(items: Iterable[str], indent: str, separator: str = ", ") -> Iterator[str]:
    """Items in lines of bounded width; the separator stands at the ends of lines too."""
    line = ""
    for item in items:
        if line and len(indent) + len(line) + len(item) + len(separator) > WIDTH:
            yield indent + line.rstrip()
            line = ""
        line += item + separator
    if line:
        yield indent + line.rstrip().removesuffix(separator.strip())


def head_lines(routine: Routine) -> Iterator[str]:
    """Name, shapes, purpose and operation counts of one function, for comments."""
    programme = routine.programme
    shapes = [
        f"{name} {_shape(argument.shape)}"
        for name, argument in zip(routine.listing.arguments, programme.arguments, strict=True)
    ]
    yield f"{routine.name}({', '.join(shapes)}) -> {_shape(programme.result.shape)}"
    yield from textwrap.wrap(routine.purpose, 90, initial_indent="    ", subsequent_indent="    ")
    yield f"    {programme.counts}"


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) if shape else "number"
