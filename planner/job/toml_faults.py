"""What makes a text no TOML, where people often mean something else: decimal commas, tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from robots.core.robot_file.source_text import KeyPath, SourceText

_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_COMMA = re.compile(
    r"([\w-]+)[\"']?\s*=\s*([+-]?\d+),(\d+)(?=\s*(?:#|$|\}|,\s*(?:\D|$)))", re.ASCII
)
_SEPARATORS = (",", ";", "\t")
_LONGEST = 40  # characters of a number that is told


@dataclass(frozen=True, slots=True, kw_only=True)
class DecimalComma:
    """A number with a decimal comma.

    Args:
        path: of its key.
        found: as it stands.
        better: with a point.
    """

    path: KeyPath
    found: str
    better: str


def decimal_comma(source: SourceText, fault: str) -> DecimalComma | None:
    """The number with a comma at which the parser stopped; None where it was something else.

    Args:
        source: text of the file.
        fault: what the parser said.
    """
    place = _LINE.search(fault)
    if place is None:
        return None
    line = int(place[1])
    comma = _COMMA.search(source.text.split("\n")[line - 1])
    if comma is None or len(comma[0]) > _LONGEST:
        return None
    path, key = source.key_at(line), comma[1]
    whole, rest = comma[2], comma[3]
    return DecimalComma(
        path=path if path[-1:] == (key,) else (*path, key),  # else it stands in an inline table
        found=f"{whole},{rest}",
        better=f"{whole}.{rest}",
    )


def looks_like_table(text: str) -> bool:
    """Whether a text that is no TOML begins as CSV does."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            separated = any(sign in line.strip() for sign in _SEPARATORS)
            return separated and "=" not in line and not line.lstrip().startswith("[")
    return False
