"""Two sets of numbers side by side: how many were compared, the first and the worst difference.

A number is compared with the largest of its kind in the same file: a position of 1e-17 m beside
others of 1 m is zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

TOLERANCE = 1e-9

# Words of plan.json that another version may choose, and residuals, which are rounding itself.
_WORDING = ("palpeur", "message", "hint")
_CHECKS = "validation.checks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A place where two sets say different things.

    Args:
        file: path within the set.
        where: in the file.
        claimed: what the set says.
        found: what its inputs give.
        relative: difference in relation to the largest number of its kind; infinite where the two
            cannot be compared.
        unreadable: why the whole file cannot be compared; empty where it can.
    """

    file: str
    where: str
    claimed: str
    found: str
    relative: float = math.inf
    unreadable: str = ""


@dataclass(slots=True, kw_only=True)
class Tally:
    """What was compared so far.

    Args:
        tolerance: relative difference up to which numbers are equal.
        compared: numbers and texts.
        differing: those that are not equal.
        first: difference in the order of the files.
        worst: difference; among those that cannot be compared, the first.
        files: that hold differences.
    """

    tolerance: float = TOLERANCE
    compared: int = 0
    differing: int = 0
    first: Difference | None = None
    worst: Difference | None = None
    files: set[str] = field(default_factory=set)

    def count(self, compared: int) -> None:
        """Note that something was compared."""
        self.compared += compared

    def differ(self, difference: Difference, times: int = 1) -> None:
        """Note a difference that stands for as many of its kind."""
        self.differing += times
        self.files.add(difference.file)
        if self.first is None:
            self.first = difference
        if self.worst is None or difference.relative > self.worst.relative:
            self.worst = difference

    def numbers(self, file: str, where: str, pair: tuple[float, float], scale: float) -> None:
        """Compare two numbers; NaN equals NaN."""
        self.count(1)
        claimed, found = pair
        if claimed == found or (math.isnan(claimed) and math.isnan(found)):
            return
        relative = abs(claimed - found) / scale if scale > 0.0 else math.inf
        if not relative <= self.tolerance:
            self.differ(
                Difference(
                    file=file,
                    where=where,
                    claimed=repr(claimed),
                    found=repr(found),
                    relative=relative if math.isfinite(relative) else math.inf,
                )
            )

    def unreadable(self, file: str, reason: str) -> None:
        """Note a file of the set that cannot be compared at all."""
        self.differ(
            Difference(
                file=file,
                where="the whole file",
                claimed="a file that cannot be read",
                found="one that can",
                unreadable=reason,
            )
        )

    def values(self, file: str, where: str, claimed: object, found: object) -> None:
        """Compare anything else."""
        self.count(1)
        if type(claimed) is not type(found) or claimed != found:
            self.differ(
                Difference(file=file, where=where, claimed=_shown(claimed), found=_shown(found))
            )


def compare_documents(tally: Tally, file: str, claimed: object, found: object) -> None:
    """Compare two JSON documents deeply.

    Args:
        tally: that gets the result.
        file: their path within a set.
        claimed: of the set.
        found: of its inputs.
    """
    scales: dict[str, float] = {}
    for kind, value in _numbers(found, ""):  # of the claimed ones, a huge one would excuse others
        scales[kind] = max(scales.get(kind, 0.0), abs(value))
    for row in _checks(found):
        # A residual is rounding; that two of them lie below the limit is all that can be said.
        limit = row.get("limit")
        if _is_number(limit):
            kind = f"{_CHECKS}[].value"
            scales[kind] = max(scales.get(kind, 0.0), abs(_float(limit)) / tally.tolerance)
    _compare(_Place(tally=tally, file=file, scales=scales), "", "", (claimed, found))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    tally: Tally
    file: str
    scales: Mapping[str, float]


def _compare(place: _Place, where: str, kind: str, pair: tuple[object, object]) -> None:
    """Compare two values. Args: kind, ``where`` without its indices."""
    claimed, found = pair
    if isinstance(claimed, dict) and isinstance(found, dict):
        keys = [*found, *(key for key in claimed if key not in found)]
        for key in keys:
            if key not in _WORDING:
                dot = "." if where else ""
                both = (claimed.get(key, _ABSENT), found.get(key, _ABSENT))
                _compare(place, f"{where}{dot}{key}", f"{kind}{dot}{key}", both)
    elif isinstance(claimed, list) and isinstance(found, list):
        if len(claimed) != len(found):
            place.tally.values(place.file, f"{where} (how many)", len(claimed), len(found))
        for number, both in enumerate(zip(claimed, found, strict=False)):
            _compare(place, f"{where}[{number}]", f"{kind}[]", both)
    elif _is_number(claimed) and _is_number(found):
        numbers = (_float(claimed), _float(found))
        place.tally.numbers(place.file, where, numbers, place.scales.get(kind, 0.0))
    else:
        place.tally.values(place.file, where, claimed, found)


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_ABSENT = _Absent()


def _numbers(value: object, kind: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, f"{kind}.{key}" if kind else str(key))
    elif isinstance(value, list):
        for item in value:
            yield from _numbers(item, f"{kind}[]")
    elif _is_number(value):
        yield kind, _float(value)


def _checks(document: object) -> list[dict[str, object]]:
    found = document
    for key in _CHECKS.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _float(value: object) -> float:
    """A whole number of any size, too; infinite where floats end."""
    return float(str(value))


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 120 else f"{text[:120]}…"
