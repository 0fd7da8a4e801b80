"""Identifiers of a QIF document: counted, so that idMax is exact; and references to them."""

from __future__ import annotations

from dataclasses import dataclass

from reports.programmes.xml_text import element, parent


@dataclass(slots=True)
class Numbering:
    """The last identifier that was given."""

    last: int = 0

    def next(self) -> int:
        """A new identifier."""
        self.last += 1
        return self.last


def ids(name: str, *numbers: int) -> str:
    """A list of references."""
    return parent(name, *(element("Id", str(k)) for k in numbers), n=len(numbers))


def reference(name: str, number: int) -> str:
    """One reference."""
    return element(name, str(number))


def listed(name: str, items: list[str]) -> str:
    """A list whose schema wants one entry at least; nothing where there is none."""
    return parent(name, *items, n=len(items)) if items else ""
