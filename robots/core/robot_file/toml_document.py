"""TOML documents: read in time and memory proportional to their length; the only writer of them."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from typing import Any

from robots.core.file_units import decimal_of

MOST_PARTS = 32  # of a dotted key; no file of ours has more than six
# For every part of a dotted key tomllib keeps all that stand before it, so that 50 kB of "a.a.a…"
# take 15 s and 1 MB more memory than there is.
_TOKEN = re.compile(
    r"""
    (?P<deep>
      (?<![\w-]) (?: (?: [\w-]++ | "[^"\n]*+" | '[^'\n]*+' ) [ \t]*+ \. [ \t]*+ ){MOST_PARTS}
    )
    | \#[^\n]*+
    | "{3} (?: [^"\\] | \\. | "(?!"") )*+ "{3,5} | '{3} (?: [^'] | '(?!'') )*+ '{3,5}
    | (?P<torn> "{3} | '{3} )
    | " (?: [^"\\\n] | \\[^\n] )*+ " | ' [^'\n]*+ '
    """.replace("MOST_PARTS", str(MOST_PARTS)),
    re.ASCII | re.VERBOSE | re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_WIDTH = 100  # of a line, where a value can be broken


def toml_document(text: str, parse_float: Callable[[str], object] = decimal_of) -> dict[str, Any]:
    """Read a TOML document, by default with its decimals exactly as printed.

    Args:
        text: of a file.
        parse_float: makes a value of a decimal.

    Raises:
        ValueError: not TOML; a dotted key with more than ``MOST_PARTS`` parts.
        RecursionError: nested too deeply.
    """
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "torn":
            break  # the parser stops there as well
        if token.lastgroup == "deep":
            line = text.count("\n", 0, token.start()) + 1
            raise tomllib.TOMLDecodeError(
                f"A dotted key has more than {MOST_PARTS} parts (at line {line}, column 1)"
            )
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of int, whose advice is meant for programmers
        limit = sys.get_int_max_str_digits()
        raise tomllib.TOMLDecodeError(f"A whole number has more than {limit} digits") from None


def toml_text(document: Mapping[str, object]) -> str:
    """Write a document that reads back the same; the comments of the text it came from are lost.

    Tables at the top and those with tables inside have headers, others stand in a line.

    Args:
        document: tables (dict), lists, texts, numbers (Decimal with all its digits), truth values
            and dates.

    Raises:
        TypeError: a value of another kind.
    """
    return "\n".join(_table(document, ())).lstrip("\n") + "\n"


def toml_value(value: object) -> str:
    """A value as it stands behind an equals sign, in one line.

    Raises:
        TypeError: not a value of TOML.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | Decimal):
        text = str(value).lower().replace("infinity", "inf")
        return text if any(mark in text for mark in (".", "e", "inf", "nan")) else f"{text}.0"
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, dict):
        items = (f"{toml_key(name)} = {toml_value(item)}" for name, item in value.items())
        return f"{{ {', '.join(items)} }}" if value else "{}"
    raise TypeError(f"{value!r} is no value of TOML.")


def toml_key(name: str) -> str:
    """A name as a key of TOML: bare where it can be, else in quotes."""
    return name if _BARE_KEY.fullmatch(name) else toml_string(name)


def toml_string(text: str) -> str:
    """A text in quotes, as TOML writes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _table(table: Mapping[str, object], path: tuple[str, ...]) -> Iterator[str]:
    """The plain keys of a table first, then its sub-tables under their headers."""
    below = {name: value for name, value in table.items() if _has_header(value, path)}
    for name, value in table.items():
        if name not in below:
            yield f"{toml_key(name)} = {_laid_out(value)}"
    for name, value in below.items():
        header = ".".join(map(toml_key, (*path, name)))
        entries: list[Any] = value if isinstance(value, list) else [value]
        for entry in entries:
            yield ""
            yield f"[[{header}]]" if isinstance(value, list) else f"[{header}]"
            yield from _table(entry, (*path, name))


def _has_header(value: object, path: tuple[str, ...]) -> bool:
    if isinstance(value, dict):
        return not path or any(isinstance(item, dict) for item in value.values())
    return isinstance(value, list) and not path and value != [] and _are_tables(value)


def _laid_out(value: object) -> str:
    """A value; a long list of lists or tables has a line for each of them."""
    text = toml_value(value)
    if not isinstance(value, list) or len(text) < _WIDTH:
        return text
    if not _are_tables(value) and not all(isinstance(item, list) for item in value):
        return text
    return "\n".join(["[", *(f"    {toml_value(item)}," for item in value), "]"])


def _are_tables(values: list[object]) -> bool:
    return all(isinstance(item, dict) for item in values)
