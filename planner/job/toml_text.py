"""A TOML document as text, so that a variant of a job can be read, hashed and stored as a job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from planner.errors import JobError
from robots.core.robot_file.source_text import toml_key, toml_string


def toml_text(document: Mapping[str, object]) -> str:
    """A document of tables, lists, texts, numbers and truth values as TOML.

    Reading it back gives the same document; what the text it came from said in comments is lost.

    Raises:
        JobError: a value that no job file holds, such as a date.
    """
    return "\n".join(_table(document, ())) + "\n"


def _table(table: Mapping[str, object], path: tuple[str, ...]) -> Iterator[str]:
    """The plain keys of a table first, then its sub-tables under their headers."""
    below = {name: value for name, value in table.items() if isinstance(value, dict)}
    for name, value in table.items():
        if name not in below:
            yield f"{toml_key(name)} = {toml_value(value, (*path, name))}"
    for name, value in below.items():
        deeper = (*path, name)
        yield ""
        yield f"[{'.'.join(toml_key(part) for part in deeper)}]"
        yield from _table(value, deeper)


def toml_value(value: object, path: tuple[str, ...]) -> str:
    """One value as it stands behind an equals sign.

    Args:
        value: of a document.
        path: of its key, for the error.

    Raises:
        JobError: a value that no job file holds.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | Decimal):
        return _number(value)
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item, path) for item in value) + "]"
    if isinstance(value, dict):
        items = (
            f"{toml_key(name)} = {toml_value(item, (*path, name))}" for name, item in value.items()
        )
        return "{ " + ", ".join(items) + " }"
    raise JobError(
        f"{'.'.join(path)} is {value!r}; a job file holds texts, numbers, lists and tables only.",
        key=".".join(path),
    )


def _number(value: float | Decimal) -> str:
    text = str(value).lower().replace("infinity", "inf")
    if any(mark in text for mark in (".", "e", "inf", "nan")):
        return text
    return f"{text}.0"
