"""Tables of two report sets side by side, in blocks: a long trajectory never stands in memory."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from reports.verification.numbers import Difference, Tally

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 65_536
_SHOWN = 120


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
    tally: Tally,
    file: str,
    numbers: tuple[np.ndarray, np.ndarray],
    column: tuple[str, float, int],
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
