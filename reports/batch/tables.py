"""``summary.csv``, ``summary.parquet`` and ``summary.json``: one row per job.

Nothing of times, hosts and places, so that equal results give equal bytes.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from planner.batch.case import Swept, swept_text
from reports.batch.columns import FIRST, LAST, Cell, Columns, columns_of, figures_of, storable
from reports.batch.row import JobRow
from reports.tables import spreadsheet_text

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
_ROWS = 16_384  # per batch of Parquet
_EXACT = 2**53  # whole numbers beyond are not told apart by what reads them as decimals


def write_csv(rows: Sequence[JobRow], path: Path) -> None:
    """Write the table for spreadsheets: no text in it is taken for a formula."""
    columns = columns_of(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([_cell(name) for name in columns.names])
        writer.writerows([_cell(value) for value in columns.cells(row)] for row in rows)


def write_parquet(rows: Sequence[JobRow], path: Path) -> None:
    """Write the table for programs; numbers that do not exist are null."""
    import pyarrow as pa
    import pyarrow.parquet

    columns = columns_of(rows)
    schema = _schema(columns, rows)
    with (
        path.open("wb") as binary,  # Arrow itself opens no path that is not UTF-8
        pa.parquet.ParquetWriter(binary, schema, compression="snappy") as writer,
    ):
        for start in range(0, len(rows), _ROWS):
            cells = [columns.cells(row) for row in rows[start : start + _ROWS]]
            arrays = [
                pa.array([_stored(line[k], field.type) for line in cells], field.type)
                for k, field in enumerate(schema)
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def write_json(rows: Sequence[JobRow], path: Path) -> None:
    """Write totals, then one row to a line."""
    status = Counter(row.outcome.status.value for row in rows)
    reasons = Counter(row.outcome.code for row in rows if row.outcome.status.failed)
    head = {
        "format": FORMAT,
        "palpeur": version("palpeur"),
        "jobs": len(rows),
        "by_status": dict(sorted(status.items())),
        "reasons": {storable(code): n for code, n in sorted(reasons.items())},
    }
    with path.open("w", encoding="ascii", newline="") as file:
        file.write(json.dumps(head, indent=1)[:-2] + ',\n "rows": [')
        file.writelines(_lines(rows))
        file.write("\n ]\n}\n")


def _lines(rows: Sequence[JobRow]) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield ",\n" if number else "\n"
        yield json.dumps(_document(row), allow_nan=False)


def _document(row: JobRow) -> dict[str, object]:
    outcome = row.outcome
    return {
        "name": storable(row.name),
        "status": outcome.status.value,
        "code": storable(outcome.code),
        "where": storable(outcome.where),
        "message": storable(outcome.message),
        "unchecked": [aspect.value for aspect in outcome.unchecked],
        "figures": {storable(name): value for name, value in sorted(figures_of(row).items())},
        "findings": {storable(code): n for code, n in sorted(outcome.findings.items())},
        "swept": {storable(key): _plain(value) for key, value in row.swept.items()},
        "digest": row.digest,
        "report": storable(row.report),
    }


def _plain(value: Swept) -> Swept:
    return storable(value) if isinstance(value, str) else value


def _schema(columns: Columns, rows: Sequence[JobRow]) -> pa.Schema:
    import pyarrow as pa

    kinds = [
        *(pa.string() for _ in FIRST),
        *(_kind([row.swept[key] for row in rows if key in row.swept]) for key in columns.swept),
        *(pa.float64() for _ in columns.figures),
        *(pa.int64() for _ in columns.findings),
        *(pa.string() for _ in LAST),
    ]
    names = map(storable, columns.names)
    return pa.schema(list(zip(names, kinds, strict=True)))


def _kind(values: Sequence[Swept]) -> pa.DataType:
    """What holds all values of a swept key: truth values, whole numbers, numbers, else texts."""
    import pyarrow as pa

    if all(isinstance(value, bool) for value in values):
        return pa.bool_()
    if any(isinstance(value, bool | str) for value in values):
        return pa.string()
    whole = [value for value in values if isinstance(value, int)]
    if any(abs(value) > _EXACT for value in whole):
        return pa.string()
    return pa.int64() if len(whole) == len(values) else pa.float64()


def _cell(value: Cell) -> Cell:
    if isinstance(value, bool):
        return swept_text(value)
    return spreadsheet_text(storable(value)) if isinstance(value, str) else value


def _stored(value: Cell, kind: pa.DataType) -> Cell:
    import pyarrow as pa

    if value is not None and kind == pa.string():
        return storable(swept_text(value))
    return value
