"""Tables of numbers: CSV with a unit in every column's name → arrays in SI.

Strict on purpose: a cell is a plain decimal number, a column is known, complete and given once.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.cli.separator import SEPARATORS, separator_of
from planner.cli.unit_columns import Column, group_headers, unit_of
from planner.errors import StatesError
from robots.core.arrays import Array
from robots.core.caps import Cap

Advice = Callable[[str], str]
_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)
_COMMA = re.compile(r"[+-]?\d*+,\d++(?:[eE][+-]?\d++)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class States:
    """States read from a table.

    Args:
        origin: the file's name, for messages.
        lines: line of every state in the file. # (N,)
        groups: by name, complete ones only. # each (N, size), SI
        headers: preferred headers of every group, for messages.
    """

    origin: str
    lines: tuple[int, ...]
    groups: dict[str, Array]
    headers: dict[str, list[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Number of states."""
        return len(self.lines)

    def __contains__(self, group: str) -> bool:
        """Whether the table has all columns of a group."""
        return group in self.groups

    def require(self, group: str, purpose: str) -> Array:
        """The columns of a group. # (N, size).

        Raises:
            StatesError: the table does not have them.
        """
        if group not in self.groups:
            raise StatesError(
                f"{self.origin}, line 1: {purpose} needs the columns "
                f"{', '.join(self.headers[group])}, which are missing.",
                file=self.origin,
                line=1,
                missing=self.headers[group],
            )
        return self.groups[group]

    def or_zero(self, group: str) -> Array:
        """The columns of a group, or zeros. # (N, size)."""
        if group in self.groups:
            return self.groups[group]
        return np.zeros((len(self), len(self.headers[group])))


def table_of(text: str, origin: str, known: Mapping[str, Column], advice: Advice) -> States:
    """States from the text of a table.

    Args:
        text: header, then one state per line; what separates the header's names separates all.
        origin: names the file in messages.
        known: headers that may stand in it.
        advice: what could stand in place of a header that is not known.

    Raises:
        StatesError: a column or a cell that is not right; with file, line, column, what was found
            and what was expected.
    """
    separator = separator_of(text, origin)
    records = _records(text, origin, separator)
    try:
        line, header = next(records)
    except StopIteration:
        raise StatesError(f"{origin}: the file is empty; give a header and states.") from None
    names = [name.strip() for name in header]
    columns = _columns(names, _Place(origin, line), known, advice)
    lines, numbers = _numbers(records, names, origin, SEPARATORS[separator])
    headers = {c.group: group_headers(c.group, known) for c in known.values()}
    groups = _groups(columns, numbers)
    return States(origin=origin, lines=tuple(lines), groups=groups, headers=headers)


@dataclass(frozen=True, slots=True)
class _Place:
    origin: str
    line: int

    def error(self, sentence: str, column: str = "", **facts: object) -> StatesError:
        where = f"{self.origin}, line {self.line}" + (f", column {column}" if column else "")
        return StatesError(
            f"{where}: {sentence}", file=self.origin, line=self.line, column=column, **facts
        )


def _records(text: str, origin: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _Place(origin, reader.line_num).error(f"this is not CSV: {error}.") from None
        if cells and not (len(cells) == 1 and not cells[0].strip()):
            yield reader.line_num, cells


def _columns(
    names: Sequence[str], place: _Place, known: Mapping[str, Column], advice: Advice
) -> list[Column]:
    cap = Cap.TABLE_COLUMNS
    if len(names) > cap.limit:
        raise place.error(
            f"there are {len(names)} columns; at most {cap.limit} are read; {cap.advice}."
        )
    taken: dict[tuple[str, int], str] = {}
    for position, name in enumerate(names, start=1):
        if name not in known:
            shown = _shown(name) if name else f"number {position}"
            told = advice(name)
            end = "" if told.endswith("?") else "."
            raise place.error(f"this column is not known: {told}{end}", shown, found=name)
        entry = (known[name].group, known[name].place)
        if entry in taken:
            raise place.error(f"it says the same as column {taken[entry]}; remove one.", name)
        taken[entry] = name
    _check_complete(taken, place, known)
    return [known[name] for name in names]


def _check_complete(
    taken: dict[tuple[str, int], str], place: _Place, known: Mapping[str, Column]
) -> None:
    for group in dict.fromkeys(group for group, _ in taken):
        given = [name for (other, _), name in taken.items() if other == group]
        places = range(len(group_headers(group, known)))
        lacking = [index for index in places if (group, index) not in taken]
        if lacking:
            found = [_nearest_units((group, index), given, known) for index in lacking]
            missing = [units[0] for units in found]
            columns = "column {} is" if len(missing) == 1 else "columns {} are"
            told = columns.format(", ".join(missing))
            raise place.error(
                f"{told} missing beside {', '.join(given)}{_mixture(found[0])}.", missing=missing
            )


def _nearest_units(
    entry: tuple[str, int], given: Sequence[str], known: Mapping[str, Column]
) -> list[str]:
    """Headers of one entry in the units that were given, the most frequent one first."""
    headers = [h for h, column in known.items() if (column.group, column.place) == entry]
    counts = Counter(map(unit_of, given))
    ordered = sorted(headers, key=lambda header: -counts[unit_of(header)])
    return [h for h in ordered if counts[unit_of(h)]] or ordered[:1]


def _mixture(headers: Sequence[str]) -> str:
    """What is said where the given columns have several units that would do."""
    if len(headers) == 1:
        return ""
    units = " and ".join(map(unit_of, headers))
    return f", whose units are mixed ({units}); either will do"


def _numbers(
    records: Iterator[tuple[int, list[str]]], names: Sequence[str], origin: str, separators: str
) -> tuple[list[int], Array]:
    most = Cap.TABLE_ROWS.limit
    lines: list[int] = []
    numbers = array("d")  # a list of a million rows would take four times the memory
    for line, cells in records:
        place = _Place(origin, line)
        if len(lines) == most:
            raise place.error(
                f"there are more than {most} states; split the file, or {Cap.TABLE_ROWS.advice}."
            )
        if len(cells) != len(names):
            raise place.error(
                f"{len(cells)} cells where the header has {len(names)} columns; "
                f"separate by {separators} and write decimals with a point.",
            )
        numbers.extend(_number(c, place, n) for c, n in zip(cells, names, strict=True))
        lines.append(line)
    if not lines:
        raise StatesError(f"{origin}: there is a header but no state; give at least one line.")
    return lines, np.array(numbers).reshape(len(lines), len(names))


def _number(cell: str, place: _Place, name: str) -> float:
    text = cell.strip()
    if not _NUMBER.fullmatch(text):
        found = _shown(text) if text else "an empty cell"
        raise place.error(f"found {found}; expected {_expected(text)}.", name, found=text)
    value = float(text)
    if not abs(value) <= _LARGEST:
        raise place.error(f"found {_shown(text)}; expected at most {_LARGEST:g}.", name, found=text)
    return value


def _expected(text: str) -> str:
    if text.lower().lstrip("+-") in _NOT_FINITE:
        return "a finite number"
    if len(text) <= _LONGEST and _COMMA.fullmatch(text):
        return f"a number with a decimal point, as {text.replace(',', '.')}"
    return "a number"


_LONGEST = 40  # characters of a cell that is told
_NOT_FINITE = ("nan", "inf", "infinity")
_LARGEST = (
    1e9  # beyond it sine and cosine lose their digits, and nobody means such a length or force
)


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")


def _groups(columns: Sequence[Column], numbers: Array) -> dict[str, Array]:
    sizes: dict[str, int] = {}
    for column in columns:
        sizes[column.group] = sizes.get(column.group, 0) + 1
    groups = {group: np.empty((len(numbers), size)) for group, size in sizes.items()}
    for position, column in enumerate(columns):
        groups[column.group][:, column.place] = numbers[:, position] * column.factor
    return groups
