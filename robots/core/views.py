"""Views: how an object is shown by a room above its own.

``reports`` draws and stands above all other rooms, so none of them imports it. An object names the
view that it wants, and ``reports.views`` is looked up when somebody asks for one, as pandas looks
up its plotting backend. This is the only such hook; nothing that plans or proves goes through it.
"""

from __future__ import annotations

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
