"""A decimal comma in a TOML file: people mean a number and get a syntax error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robots.core.robot_file.source_text import KeyPath, SourceText

_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_COMMA = re.compile(
    r"([\w-]+)[\"']?\s*=\s*([+-]?\d+),(\d+)(?=\s*(?:#|$|\}|,\s*(?:\D|$)))", re.ASCII
)
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

    @property
    def sentence(self) -> str:
        """What to do, as it follows the key in a message."""
        return f"is {self.found}; decimals have a point: write {self.better}."


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
