"""Templates of the pages: whatever they write is text, unless we made it markup ourselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from reports.visible_text import cut, visible

if TYPE_CHECKING:
    from jinja2 import Environment

SHARED = "reports.page"


@cache
def environment(package: str, *filters: Callable[[str], str]) -> Environment:
    """Templates of a package; those of the report page are found behind them.

    Args:
        package: with a folder ``templates``.
        filters: further ones, known to templates by their names.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, SHARED))]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )
    made.filters["cut"] = cut
    made.filters.update({function.__name__: function for function in filters})
    return made


@cache
def asset(name: str, folder: str = f"{SHARED}/assets") -> str:
    """A style or script that goes into a page.

    Args:
        name: of the file.
        folder: package and folder in it, as "reports.page/assets".
    """
    package, _, inside = folder.partition("/")
    return (files(package) / inside / name).read_text(encoding="utf-8")


def _seen(value: object) -> object:
    """Every text that a template writes has nothing hidden in it; markup is ours."""
    return visible(value) if type(value) is str else value
