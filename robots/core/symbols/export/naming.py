"""Names and comments that are safe in generated code, whatever a robot file calls its parts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

from robots.core.recording import Operation, Programme

# Characters besides letters and digits that no target language gives a meaning to in a comment:
# no backslash (C joins lines), no star, quote, question mark or percent sign.
_HARMLESS = " _-+.,:;=()[]°²³·/"
_LONGEST_NAME = 40  # MATLAB reads 63 characters; the rest is for our own prefix and suffix
_LONGEST_COMMENT = 160


def comment_text(text: str) -> str:
    """Foreign text for a one-line comment: what could end it or act in it becomes "_"."""
    line = " ".join(unicodedata.normalize("NFC", text).split())
    kept = "".join(c if c.isalnum() or c in _HARMLESS else "_" for c in line)
    return kept if len(kept) <= _LONGEST_COMMENT else kept[: _LONGEST_COMMENT - 3] + "..."


def identifier(text: str, fallback: str, reserved: Collection[str] = ()) -> str:
    """Foreign text as an ASCII identifier that is no reserved word.

    Args:
        text: what to name it after.
        fallback: prefix where the text does not start with a letter.
        reserved: words that are taken.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")[:_LONGEST_NAME].strip("_")
    if not name or not name[0].isalpha():
        name = f"{fallback}_{name}" if name else fallback
    while name in reserved:
        name += "_"
    return name


class Names:
    """Readable variable names of one programme, all different.

    Inputs are q1, qd1, …; the sine of q2 + q3 is s23 (s2_3 from ten variables on); all else is t1,
    t2, ….

    Args:
        programme: whose values are to be named.
        reserved: words that are taken.
    """

    def __init__(self, programme: Programme, reserved: Collection[str]) -> None:
        self._programme = programme
        self._taken = set(reserved)
        self._angles = _angle_sums(programme)
        self._temporaries = 0
        self.arguments = [self._new(identifier(a.name, "x")) for a in programme.arguments]

    def of(self, value: int) -> str:
        """A new name for a value."""
        item = self._programme.instructions[value]
        if item.operation is Operation.INPUT:
            return self._new(f"{self.arguments[item.a].rstrip('_')}{item.b + 1}")
        if self._angles[value]:
            return self._new(self.arguments[0] + self._label(self._angles[value]))
        if item.operation in (Operation.SIN, Operation.COS) and self._angles[item.a]:
            letter = "s" if item.operation is Operation.SIN else "c"
            return self._new(letter + self._label(self._angles[item.a]))
        self._temporaries += 1
        return self._new(f"t{self._temporaries}")

    def _label(self, places: Sequence[int]) -> str:
        separator = "" if self._programme.arguments[0].size < 10 else "_"
        return separator.join(str(place + 1) for place in places)

    def _new(self, wanted: str) -> str:
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted


def _angle_sums(programme: Programme) -> list[tuple[int, ...]]:
    """For each value, the numbers of the first argument that it adds up; empty if it does more."""
    sums: list[tuple[int, ...]] = []
    for item in programme.instructions:
        found: tuple[int, ...] = ()
        if item.operation is Operation.INPUT and item.a == 0:
            found = (item.b,)
        elif item.operation is Operation.ADD and sums[item.a] and sums[item.b]:
            found = tuple(sorted(sums[item.a] + sums[item.b]))
        sums.append(found)
    return sums
