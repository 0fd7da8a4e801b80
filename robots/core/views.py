"""Views: how an object shows itself, and how it is shown by a room above its own.

``reports`` draws and stands above all other rooms, so none of them imports it. An object names the
view that it wants, and ``reports.views`` is looked up when somebody asks for one, as pandas looks
up its plotting backend. This is the only such hook; nothing that plans or proves goes through it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from html import escape
from importlib import import_module
from typing import Any

_VIEWS = "reports.views"


def view(name: str, *arguments: object, **options: object) -> Any:
    """Return what a view makes of an object.

    Args:
        name: of a function in ``reports.views``.
        *arguments: the object first.
        **options: of the view.
    """
    return getattr(import_module(_VIEWS), name)(*arguments, **options)


class Shown(ABC):
    """An object of the front door: a few lines as text, the same and its tables in a notebook."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The lines."""
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        """The same with tables, for notebooks."""
        head = "<br>".join(escape(line) for line in self._lines())
        return f"<div><p>{head}</p>{''.join(self._tables())}</div>"

    @abstractmethod
    def _lines(self) -> Iterator[str]:
        """What a reader wants to know first."""

    @abstractmethod
    def _tables(self) -> Iterator[str]:
        """Tables in HTML."""
