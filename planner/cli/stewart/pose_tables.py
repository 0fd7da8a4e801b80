"""Tables about a platform: CSV with a unit in every column's name → poses and lengths in SI."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.cli.robot.states import States
from planner.cli.robot.states_columns import Column, group_headers
from planner.cli.stewart import pose_columns as columns
from planner.cli.table_text import origin_of, table_text
from planner.errors import StatesError
from robots.core.caps import Cap
from robots.core.orientation.angles import rotation_zyx
from robots.core.orientation.rotation import as_rotation
from robots.core.pose import make_pose

Array = NDArray[np.float64]

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_LARGEST = 1e9
_SHOWN = 40  # characters of a cell that a message repeats


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something stands, for messages."""

    origin: str
    line: int

    def error(self, sentence: str, column: str = "") -> StatesError:
        where = f"{self.origin}, line {self.line}" + (f", column {column}" if column else "")
        return StatesError(f"{where}: {sentence}", file=self.origin, line=self.line, column=column)


def read_table(source: str, known: dict[str, Column]) -> States:
    """Read a table.

    Args:
        source: path of a CSV file; "-" reads standard input.
        known: headers that may stand in it.

    Raises:
        StatesError: a file that cannot be read, a column or a cell that is not right; with file,
            line, column, what was found and what was expected.
    """
    most = Cap.TABLE_ROWS.limit
    origin = origin_of(source)
    records = _records(table_text(source), origin)
    line, header = next(records, (1, []))
    names = [name.strip() for name in header]
    _check_header(names, _Place(origin, line), known)
    lines, rows = [], []
    for line, cells in records:
        lines.append(line)
        rows.append(_row(cells, names, _Place(origin, line)))
        if len(lines) > most:
            raise _Place(origin, line).error(
                f"there are more than {most} rows; split the file, or {Cap.TABLE_ROWS.advice}."
            )
    if not rows:
        raise StatesError(f"{origin}: there is no row of numbers; give a header and at least one.")
    return _states(origin, lines, names, np.array(rows), known)


def poses_of(states: States) -> Array:
    """T_base_platform of every row. # (N, 4, 4).

    Raises:
        StatesError: neither ``x_mm,y_mm,z_mm`` nor ``T11..T34``, or both; a matrix that is none.
    """
    if columns.POSE in states:
        if columns.POSITION in states or columns.ANGLES in states:
            raise StatesError(
                f"{states.origin}, line 1: T11..T34 and x_mm, rz_deg … say the same; keep one."
            )
        return _matrices(states)
    place = states.require(columns.POSITION, "a pose")
    return make_pose(rotation_zyx(states.or_zero(columns.ANGLES)), place)


def rates_of(states: States) -> tuple[Array, Array]:
    """Velocity and acceleration of the platform; zero where the table has none. # (N, 6) each."""
    V = [states.or_zero(columns.VELOCITY), states.or_zero(columns.SPIN)]
    A = [states.or_zero(columns.ACCELERATION), states.or_zero(columns.SPIN_RATE)]
    return np.hstack(V), np.hstack(A)


def _matrices(states: States) -> Array:
    T = np.tile(np.eye(4), (len(states), 1, 1))
    T[:, :3, :] = states.groups[columns.POSE].reshape(-1, 3, 4)
    for line, matrix in zip(states.lines, T, strict=True):
        as_rotation(matrix[:3, :3], f"{states.origin}, line {line}: the rotation in T11..T33")
    return T


def _records(text: str, origin: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _Place(origin, reader.line_num).error(f"this is not CSV: {error}.") from None
        if any(cell.strip() for cell in cells):
            yield reader.line_num, cells


def _check_header(names: Sequence[str], place: _Place, known: dict[str, Column]) -> None:
    taken: dict[tuple[str, int], str] = {}
    for name in names:
        if name not in known:
            shown = name[:_SHOWN] or "without a name"
            raise place.error(
                f"this column is not known: {columns.advice_for(name, known)}.", shown
            )
        entry = (known[name].group, known[name].place)
        if entry in taken:
            raise place.error(f"it says the same as column {taken[entry]}; remove one.", name)
        taken[entry] = name
    for group in dict.fromkeys(group for group, _ in taken):
        headers = group_headers(group, known)
        missing = [h for index, h in enumerate(headers) if (group, index) not in taken]
        if missing:
            given = [name for (other, _), name in taken.items() if other == group]
            raise place.error(f"column {', '.join(missing)} is missing beside {', '.join(given)}.")


def _row(cells: Sequence[str], names: Sequence[str], place: _Place) -> list[float]:
    if len(cells) != len(names):
        raise place.error(
            f"{len(cells)} cells where the header has {len(names)} columns; separate by commas "
            "and write decimals with a point."
        )
    return [_number(cell.strip(), place, name) for cell, name in zip(cells, names, strict=True)]


def _number(text: str, place: _Place, name: str) -> float:
    if not _NUMBER.fullmatch(text):
        found = repr(text[:_SHOWN]) if text else "an empty cell"
        raise place.error(f"found {found}; expected a finite number.", name)
    value = float(text)
    if not abs(value) < _LARGEST:
        raise place.error(f"found {text[:_SHOWN]}; expected less than {_LARGEST:g}.", name)
    return value


def _states(
    origin: str,
    lines: Sequence[int],
    names: Sequence[str],
    numbers: Array,
    known: dict[str, Column],
) -> States:
    headers = {c.group: group_headers(c.group, known) for c in known.values()}
    groups: dict[str, Array] = {}
    for position, name in enumerate(names):
        column = known[name]
        group = groups.setdefault(
            column.group, np.empty((len(numbers), len(headers[column.group])))
        )
        group[:, column.place] = numbers[:, position] * column.factor
    return States(origin=origin, lines=tuple(lines), groups=groups, headers=headers)
