"""What people mean where TOML sees a syntax error: a decimal comma, the path of a Windows file.

Everything here looks at each character of the faulty line a bounded number of times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robots.core.robot_file.source_text import SourceText
    from robots.core.schema_problems import KeyPath

_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_KEY_BEFORE = re.compile(r"[\w-]++\Z", re.ASCII)
_COMMA_AFTER = re.compile(r"\s*+([+-]?\d++),(\d++)(?=\s*+(?:#|$|\}|,\s*+(?:\D|$)))", re.ASCII)
_LONGEST = 40  # characters of a number or a path that is told whole
_WORD = 80  # characters before an equals sign that a key is looked for in
# What the parser says of a backslash; the last one of a path that ends with it: "C:\data\".
_ESCAPES = (
    "Unescaped '\\' in a string",
    "Invalid hex value",
    "Escaped character is not a Unicode scalar value",
    "Illegal character '\\n'",
    "Unterminated string",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlSlip:
    """A fault of TOML in the words of a file's author.

    Args:
        path: of the key.
        found: as it stands.
        better: what to write.
        sentence: as it follows the key in a message.
    """

    path: KeyPath
    found: str
    better: str
    sentence: str


def toml_slip(source: SourceText, fault: str) -> TomlSlip | None:
    """What was meant at the place where the parser stopped; None where nothing is known of it.

    Args:
        source: text of the file.
        fault: what the parser said.
    """
    place = _LINE.search(fault)
    if place is None:
        return None
    number = int(place[1])
    line = source.text.split("\n", number)[number - 1]
    if fault.startswith(_ESCAPES):
        return _backslash(source, number, line)
    return _decimal_comma(source, number, line)


def _decimal_comma(source: SourceText, number: int, line: str) -> TomlSlip | None:
    """The first number with a comma behind an equals sign."""
    sign = line.find("=")
    while sign >= 0:
        comma = _COMMA_AFTER.match(line, sign + 1)
        key = _key_before(line, sign)
        if comma and key:
            found, better = f"{comma[1]},{comma[2]}", f"{comma[1]}.{comma[2]}"
            if len(found) > _LONGEST:
                return None
            return TomlSlip(
                path=_path(source, number, key),
                found=found,
                better=better,
                sentence=f"is {found}; decimals have a point: write {better}.",
            )
        sign = line.find("=", sign + 1)
    return None


def _backslash(source: SourceText, number: int, line: str) -> TomlSlip | None:
    """The first backslash in double quotes, and its text in single ones."""
    slash = line.find("\\")
    quote = line.rfind('"', 0, max(slash, 0))
    sign = line.rfind("=", 0, max(quote, 0))
    if sign < 0:
        return None
    text = line[quote + 1 :].partition('"')[0].rstrip("\r\\")
    name = text.replace("\\\\", "\\")
    shown = name if len(name) <= _LONGEST else name[:_LONGEST] + "…"
    better = shown.replace("\\", "/")
    return TomlSlip(
        path=_path(source, number, _key_before(line, sign)),
        found=text,
        better=better,
        sentence=f"has a backslash in double quotes, where it begins an escape such as \\n; write "
        f"a path with /, as in \"{better}\", or in single quotes, as in '{shown}'.",
    )


def _key_before(line: str, sign: int) -> str:
    """The word before an equals sign; nothing where none is near."""
    before = line[max(0, sign - _WORD) : sign].rstrip().rstrip("\"'")
    found = _KEY_BEFORE.search(before, max(0, len(before) - _LONGEST))
    return found[0] if found else ""


def _path(source: SourceText, number: int, key: str) -> KeyPath:
    path = source.key_at(number)
    if not key or path[-1:] == (key,):
        return path
    return (*path, key)  # it stands in an inline table
