"""Two sets of numbers side by side: how many were compared, the first and the worst difference.

A number is compared with the largest of its kind in the same file: a position of 1e-17 m beside
others of 1 m is zero.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

TOLERANCE = 1e-9
# Words of plan.json that another version may choose, and residuals, which are rounding itself.
_WORDING = ("palpeur", "message", "hint")
_CHECKS = "validation.checks"


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_ABSENT = _Absent()
_ROWS = 65_536
_SHOWN = 120


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
    """Numbers compared so far.

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


def compare_points(tally: Tally, file: str, claimed: Path, found: Path) -> None:
    """Compare two small CSV tables cell by cell.

    Args:
        tally: that gets the result.
        file: their path within a set.
        claimed: of the set.
        found: made from its inputs.
    """
    try:
        mine, other = _cells(claimed), _cells(found)
    except (OSError, ValueError, csv.Error) as error:
        _unreadable(tally, file, error)
        return
    if not _same_shape(tally, file, mine, other):
        return
    for column, header in enumerate(other[0]):
        numbers = [_number(row[column]) for row in other[1:]]
        scale = max((abs(n) for n in numbers if n is not None), default=0.0)
        for row, number in enumerate(numbers, start=1):
            cell, where = mine[row][column], f"row {row}, {header}"
            claim = _number(cell)
            if number is None or claim is None:
                tally.values(file, where, cell, other[row][column])
            else:
                tally.numbers(file, where, (claim, number), scale)


def compare_trajectories(tally: Tally, file: str, claimed: Path, found: Path) -> None:
    """Compare two trajectories, as Parquet or CSV by their ending.

    Args:
        tally: that gets the result.
        file: their path within a set.
        claimed: of the set.
        found: made from its inputs.
    """
    import pyarrow as pa

    try:
        schema = _schema(found)
        scales = _scales(found, schema)
        row = 0
        for mine, other in _aligned(_batches(claimed, schema), _batches(found, schema)):
            if mine is None or other is None:
                rows = [_count(path, schema) for path in (claimed, found)]
                tally.values(file, "rows", *rows)
                return
            _compare_batch(tally, file, (mine, other), scales, row)
            row += other.num_rows
    except (OSError, ValueError, pa.ArrowException) as error:
        _unreadable(tally, file, error)


def _compare_batch(
    tally: Tally,
    file: str,
    pair: tuple[pa.RecordBatch, pa.RecordBatch],
    scales: dict[str, float],
    first: int,
) -> None:
    mine, other = pair
    for name in other.schema.names:
        claimed, found = mine.column(name), other.column(name)
        tally.count(len(found))
        if name in scales:
            numbers = _floats(claimed), _floats(found)
            _compare_numbers(tally, file, numbers, (name, scales[name], first))
        elif not claimed.equals(found):
            texts = zip(claimed.to_pylist(), found.to_pylist(), strict=True)
            for row, (claim, text) in enumerate(texts, start=first + 1):
                if claim != text:
                    tally.differ(
                        Difference(
                            file=file,
                            where=f"row {row}, {name}",
                            claimed=str(claim)[:_SHOWN],
                            found=str(text)[:_SHOWN],
                        )
                    )


def _compare_numbers(
    tally: Tally, file: str, numbers: tuple[np.ndarray, np.ndarray], column: tuple[str, float, int]
) -> None:
    """Compare numbers. Args: column, its name, its largest number, the row it starts at."""
    claimed, found = numbers
    name, scale, first = column
    with np.errstate(all="ignore"):
        relative = np.abs(claimed - found) / scale if scale > 0.0 else np.full(len(found), np.inf)
    same = (claimed == found) | (np.isnan(claimed) & np.isnan(found))
    rows = np.flatnonzero(~same & ~(relative <= tally.tolerance))
    if not len(rows):
        return
    relative = np.where(np.isfinite(relative), relative, np.inf)
    chosen = [rows[0], rows[np.argmax(relative[rows])]]
    for times, k in zip((len(rows), 0), chosen, strict=True):
        tally.differ(
            Difference(
                file=file,
                where=f"row {first + k + 1}, {name}",
                claimed=repr(float(claimed[k])),
                found=repr(float(found[k])),
                relative=float(relative[k]),
            ),
            times,
        )


def _schema(found: Path) -> pa.Schema:
    """Names and types of the columns; those of a CSV stand in its Parquet twin."""
    import pyarrow.parquet

    with found.with_suffix(".parquet").open("rb") as binary:
        return pyarrow.parquet.read_schema(binary).remove_metadata()


def _batches(path: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows in blocks, with the columns of a schema and nothing else."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    if path.suffix == ".parquet":
        with path.open("rb") as binary, pa.parquet.ParquetFile(binary) as table:
            if table.schema_arrow.remove_metadata() != schema:
                raise ValueError("it has other columns")
            yield from table.iter_batches(_ROWS)
        return
    options = pa.csv.ConvertOptions(column_types=schema)
    with path.open("rb") as text, pa.csv.open_csv(text, convert_options=options) as reader:
        if reader.schema != schema:
            raise ValueError("it has other columns")
        yield from reader


def _aligned(
    mine: Iterator[pa.RecordBatch], other: Iterator[pa.RecordBatch]
) -> Iterator[tuple[pa.RecordBatch | None, pa.RecordBatch | None]]:
    """Blocks of equal length; None for the one that ends first."""
    left = right = None
    while True:
        left, right = _next(left, mine), _next(right, other)
        if left is None and right is None:
            return
        if left is None or right is None:
            yield left, right
            return
        rows = min(left.num_rows, right.num_rows)
        yield left.slice(0, rows), right.slice(0, rows)
        left, right = left.slice(rows), right.slice(rows)


def _next(batch: pa.RecordBatch | None, rest: Iterator[pa.RecordBatch]) -> pa.RecordBatch | None:
    while batch is None or not batch.num_rows:
        batch = next(rest, None)
        if batch is None:
            return None
    return batch


def _scales(found: Path, schema: pa.Schema) -> dict[str, float]:
    """Largest absolute number of every column that holds numbers."""
    import pyarrow as pa

    names = [field.name for field in schema if not pa.types.is_string(field.type)]
    scales = dict.fromkeys(names, 0.0)
    for batch in _batches(found, schema):
        for name in names:
            values = _floats(batch.column(name))
            scales[name] = max(scales[name], float(np.abs(values).max(initial=0.0)))
    return scales


def _count(path: Path, schema: pa.Schema) -> int:
    return sum(batch.num_rows for batch in _batches(path, schema))


def _floats(column: pa.Array) -> np.ndarray:
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def _cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _same_shape(
    tally: Tally, file: str, mine: Sequence[list[str]], other: Sequence[list[str]]
) -> bool:
    if not mine or len(mine) != len(other):
        tally.values(file, "rows", len(mine) - 1, len(other) - 1)
        return False
    if mine[0] != other[0] or any(len(row) != len(other[0]) for row in mine):
        widths = {len(row) for row in mine}
        claimed = f"{', '.join(mine[0])}; {min(widths)} to {max(widths)} cells in a row"
        tally.values(file, "columns", claimed, ", ".join(other[0]))
        return False
    return True


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _unreadable(tally: Tally, file: str, error: Exception) -> None:
    reason = str(error).splitlines()[0][:_SHOWN] if str(error) else type(error).__name__
    tally.unreadable(file, f"it cannot be read as a table: {reason}")
