"""Tables of calibration measurements: joint readings, and what is known about the ball there.

The joint columns are those of states files; beside them stand ``sphere`` (a name), or ``length_mm``
and ``pair`` (a name; without it rows 1 and 2, 3 and 4 … belong together), or ``x_mm,y_mm,z_mm``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from planner.errors import OptionError, StatesError
from planner.tables import (
    POSITION,
    States,
    origin_of,
    states_of,
    table_text,
)
from robots.core.identification import ArmMeasurements, MeasurementKind
from robots.core.mechanism import Mechanism

SPHERE, PAIR = "sphere", "pair"
LENGTHS = {"length_mm": 1e-3, "length_m": 1.0}
_OWN = (SPHERE, PAIR, *LENGTHS)


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
    table = states_of(table_text(source), origin_of(source), mechanism, _OWN)
    chosen = measurement_kind(kind) if kind else _kind_of(table)
    q = table.require("q", "calibration")
    if chosen is MeasurementKind.POINT:
        points = table.require(POSITION, "calibration by points")
        return ArmMeasurements(kind=chosen, q=q, points=points)
    if chosen is MeasurementKind.SPHERE:
        groups = tuple(table.texts.get(SPHERE, ["1"] * len(q)))
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


def _kind_of(table: States) -> MeasurementKind:
    told = {
        MeasurementKind.SPHERE: SPHERE in table.texts,
        MeasurementKind.LENGTH: any(header in table.texts for header in LENGTHS),
        MeasurementKind.POINT: POSITION in table,
    }
    found = [kind for kind, there in told.items() if there]
    if len(found) != 1:
        which = " and ".join(kind.value for kind in found) or "none"
        raise OptionError(
            f"{table.origin}: the columns speak of {which}; say which with --kind sphere, "
            "length or point.",
            option="--kind",
        )
    return found[0]


def _check_named(table: States, column: str) -> None:
    for line, cell in zip(table.lines, table.texts.get(column, []), strict=False):
        if not cell:
            raise StatesError(
                f"{table.origin}, line {line}, column {column}: the cell is empty; name "
                f"the {column} of every row.",
                file=table.origin,
                line=line,
                column=column,
            )


def _pairs(table: States) -> tuple[str, ...]:
    if PAIR in table.texts:
        _check_named(table, PAIR)
        return tuple(table.texts[PAIR])
    return tuple(str(row // 2 + 1) for row in range(len(table)))


def _lengths(table: States, groups: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """One length per pair, in the order of their first rows. [m]."""
    header = next((name for name in LENGTHS if name in table.texts), None)
    if header is None:
        raise StatesError(
            f"{table.origin}, line 1: calibration by lengths needs the column length_mm, "
            "which is missing.",
            file=table.origin,
            line=1,
        )
    found: dict[str, float] = {}
    rows = zip(table.lines, groups, table.texts[header], strict=True)
    for line, name, cell in rows:
        value = LENGTHS[header] * _number(cell)
        if not math.isfinite(value) or found.setdefault(name, value) != value:
            wrong = f"found {cell!r}; expected the length of pair {name!r}"
            raise StatesError(
                f"{table.origin}, line {line}, column {header}: {wrong}, the same in both "
                "of its rows.",
                file=table.origin,
                line=line,
                column=header,
            )
    return np.array(list(found.values()))


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
