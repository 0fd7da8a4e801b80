"""Tables of calibration measurements: joint readings, and what is known about the ball there.

The joint columns are those of states files; beside them stand ``sphere`` (a name), or ``length_mm``
and ``pair`` (a name; without it rows 1 and 2, 3 and 4 … belong together), or ``x_mm,y_mm,z_mm``.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from planner.cli.robot.states import states_of
from planner.cli.separator import SEPARATORS, separator_of
from planner.cli.table_text import origin_of, table_text
from planner.cli.unit_columns import POSITION
from planner.cli.unit_table import States
from planner.errors import OptionError, StatesError
from robots.core.identification import ArmMeasurements, MeasurementKind
from robots.core.mechanism import Mechanism

SPHERE, PAIR = "sphere", "pair"
LENGTHS = {"length_mm": 1e-3, "length_m": 1.0}
_OWN = (SPHERE, PAIR, *LENGTHS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Table:
    """A table whose own columns are taken out."""

    states: States
    own: dict[str, list[str]]  # column -> its cells


def read_measurements(source: str, mechanism: Mechanism, kind: str) -> ArmMeasurements:
    """Read a table of measurements.

    Args:
        source: path of a CSV file; "-" reads standard input.
        mechanism: whose joints the columns name.
        kind: sphere, length or point; nothing takes what the columns say.

    Raises:
        StatesError: a table that cannot be read; with file, line and column.
        OptionError: a kind that does not exist, or that the columns leave open.
        IdentificationError: measurements that do not fit together.
    """
    table = _read(table_text(source), origin_of(source), mechanism)
    chosen = measurement_kind(kind) if kind else _kind_of(table)
    q = table.states.require("q", "calibration")
    if chosen is MeasurementKind.POINT:
        points = table.states.require(POSITION, "calibration by points")
        return ArmMeasurements(kind=chosen, q=q, points=points)
    if chosen is MeasurementKind.SPHERE:
        groups = tuple(table.own.get(SPHERE, ["1"] * len(q)))
        _check_named(table, SPHERE)
        return ArmMeasurements(kind=chosen, q=q, groups=groups)
    groups = _pairs(table)
    lengths = _lengths(table, groups)
    return ArmMeasurements(kind=chosen, q=q, groups=groups, lengths=lengths)


def measurement_kind(name: str) -> MeasurementKind:
    """The kind that an option names.

    Raises:
        OptionError: there is none.
    """
    names = [kind.value for kind in MeasurementKind]
    if name not in names:
        raise OptionError(
            f"--kind {name!r} is not a kind of measurement; choose one of {', '.join(names)}.",
            option="--kind",
            value=name,
        )
    return MeasurementKind(name)


def _kind_of(table: _Table) -> MeasurementKind:
    told = {
        MeasurementKind.SPHERE: SPHERE in table.own,
        MeasurementKind.LENGTH: any(header in table.own for header in LENGTHS),
        MeasurementKind.POINT: POSITION in table.states,
    }
    found = [kind for kind, there in told.items() if there]
    if len(found) != 1:
        which = " and ".join(kind.value for kind in found) or "none"
        raise OptionError(
            f"{table.states.origin}: the columns speak of {which}; say which with --kind sphere, "
            "length or point.",
            option="--kind",
        )
    return found[0]


def _read(text: str, origin: str, mechanism: Mechanism) -> _Table:
    records = [(line, cells) for line, cells in _records(text, origin) if any(cells)]
    if not records:
        raise StatesError(f"{origin}: the file is empty; give a header and measurements.")
    header = [name.strip() for name in records[0][1]]
    own = [place for place, name in enumerate(header) if name in _OWN]
    names = [header[place] for place in own]
    if len(set(names)) < len(names):
        raise StatesError(f"{origin}, line {records[0][0]}: a column of {names} stands twice.")
    for line, cells in records[1:]:
        if len(cells) != len(header):
            raise StatesError(
                f"{origin}, line {line}: {len(cells)} cells where the header has {len(header)} "
                f"columns; separate by {SEPARATORS[separator_of(text, origin)]} and write "
                "decimals with a point.",
                file=origin,
                line=line,
            )
    states = states_of(_without(records, own), origin, mechanism)
    columns = {header[k]: [cells[k].strip() for _, cells in records[1:]] for k in own}
    return _Table(states=states, own=columns)


def _records(text: str, origin: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator_of(text, origin), strict=True
    )
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise StatesError(f"{origin}, line {reader.line_num}: this is not CSV: {error}.") from None


def _without(records: Sequence[tuple[int, list[str]]], places: Sequence[int]) -> str:
    """The table without some columns, every record on its own line number."""
    lines: list[str] = []
    for line, cells in records:
        lines.extend([""] * (line - 1 - len(lines)))
        buffer = io.StringIO()
        kept = [cell for place, cell in enumerate(cells) if place not in places]
        csv.writer(buffer, lineterminator="").writerow(kept)
        lines.append(buffer.getvalue())
    return "\n".join(lines) + "\n"


def _check_named(table: _Table, column: str) -> None:
    for line, cell in zip(table.states.lines, table.own.get(column, []), strict=False):
        if not cell:
            raise StatesError(
                f"{table.states.origin}, line {line}, column {column}: the cell is empty; name "
                f"the {column} of every row.",
                file=table.states.origin,
                line=line,
                column=column,
            )


def _pairs(table: _Table) -> tuple[str, ...]:
    if PAIR in table.own:
        _check_named(table, PAIR)
        return tuple(table.own[PAIR])
    return tuple(str(row // 2 + 1) for row in range(len(table.states)))


def _lengths(table: _Table, groups: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """One length per pair, in the order of their first rows. [m]."""
    header = next((name for name in LENGTHS if name in table.own), None)
    if header is None:
        raise StatesError(
            f"{table.states.origin}, line 1: calibration by lengths needs the column length_mm, "
            "which is missing.",
            file=table.states.origin,
            line=1,
        )
    found: dict[str, float] = {}
    rows = zip(table.states.lines, groups, table.own[header], strict=True)
    for line, name, cell in rows:
        value = LENGTHS[header] * _number(cell)
        if not math.isfinite(value) or found.setdefault(name, value) != value:
            wrong = f"found {cell!r}; expected the length of pair {name!r}"
            raise StatesError(
                f"{table.states.origin}, line {line}, column {header}: {wrong}, the same in both "
                "of its rows.",
                file=table.states.origin,
                line=line,
                column=header,
            )
    return np.array(list(found.values()))


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
