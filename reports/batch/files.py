"""The files of a batch: summary.csv, summary.parquet, summary.json, index.parquet, junit.xml."""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from planner.batch.case import Swept, swept_text
from planner.batch.ledger import Ledger, Result
from planner.batch.outcome import CaseStatus, outcome_of
from planner.errors import OptionError
from planner.result_files import RESULTS_KEPT, whole_file
from reports.batch.dashboard import dashboard
from reports.batch.rows import (
    FIRST,
    LAST,
    Cell,
    Columns,
    JobRow,
    columns_of,
    figures_of,
    storable,
    unchecked_text,
)
from reports.visible_text import spreadsheet_text, visible
from robots.core.caps import Cap, read_capped

if TYPE_CHECKING:
    import pyarrow as pa


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


def write_junit(rows: Sequence[JobRow], path: Path) -> None:
    """Write one suite; the same bytes for the same results, so without times."""
    failures = sum(row.outcome.status is CaseStatus.INFEASIBLE for row in rows)
    errors = sum(row.outcome.status.failed for row in rows) - failures
    counts = f'tests="{len(rows)}" failures="{failures}" errors="{errors}"'
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write(f"<testsuites name={_quoted(_SUITE)} {counts}>\n")
        file.write(f'<testsuite name={_quoted(_SUITE)} {counts} skipped="0">\n')
        file.writelines(_testcase(row) for row in rows)
        file.write("</testsuite>\n</testsuites>\n")


_WRITERS: Mapping[str, Callable[[Sequence[JobRow], Path], None]] = {
    "summary.csv": write_csv,
    "summary.parquet": write_parquet,
    "summary.json": write_json,
    "junit.xml": write_junit,
}
_PAGE = "dashboard.html"
INDEX = "index.parquet"
_INDEX_ROWS = 4096  # read before they are written: bounds the memory
SUMMARY = "summary.json"


def write_summary(
    rows: Sequence[JobRow], folder: Path, *, title: str, previous: Sequence[JobRow] | None = None
) -> None:
    """Write tables, JUnit and the page of a batch, each whole or not at all.

    Args:
        rows: of all jobs that have a result. Equal results give equal bytes, except in the page,
            which shows what was measured too.
        folder: of the batch.
        title: of the page.
        previous: rows of another batch that the page compares with; None for none.

    Raises:
        OutputError: the folder cannot be written.
    """
    for name, write in _WRITERS.items():
        with whole_file(folder / name, RESULTS_KEPT) as path:
            write(rows, path)
    with whole_file(folder / _PAGE, RESULTS_KEPT) as path:
        path.write_bytes(dashboard(rows, title=title, previous=previous).encode("utf-8"))


# ------------------------------------------------------------------------------------------ Tables
# Nothing of times, hosts and places, so that equal results give equal bytes.

FORMAT = 1
_ROWS = 16_384  # per batch of Parquet
_EXACT = 2**53  # whole numbers beyond are not told apart by what reads them as decimals


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


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexCount:
    """Number of reports in an index.

    Args:
        results: that are in it.
        corrupted: result files that were passed over.
    """

    results: int
    corrupted: int


def write_index(ledger: Ledger) -> IndexCount:
    """Write the index of a ledger, those of its results too that no case has any more.

    Figures, findings and further inputs are maps, because their names are known only when
    everything was read; the number of corrupted files stands in the metadata.

    Args:
        ledger: read file by file.

    Raises:
        OutputError: the folder cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet

    schema = _index_schema()
    results = corrupted = 0
    with (
        whole_file(ledger.folder / INDEX, RESULTS_KEPT) as path,
        path.open("wb") as binary,  # Arrow itself opens no path that is not UTF-8
        pa.parquet.ParquetWriter(binary, schema, compression="snappy") as writer,
    ):
        for found, lost in _parts(ledger):
            results, corrupted = results + len(found), corrupted + lost
            writer.write_batch(pa.RecordBatch.from_pylist(list(map(_line, found)), schema))
        writer.add_key_value_metadata({"palpeur.corrupted": str(corrupted)})
    return IndexCount(results=results, corrupted=corrupted)


def _parts(ledger: Ledger) -> Iterator[tuple[list[Result], int]]:
    """Results that are whole, some at a time, and how many between them are not."""
    found: list[Result] = []
    lost = 0
    for digest in ledger.digests():
        result = ledger.read(digest)
        if result is None:
            lost += 1
        else:
            found.append(result)
        if len(found) == _INDEX_ROWS:
            yield found, lost
            found, lost = [], 0
    if found or lost:
        yield found, lost


def _line(result: Result) -> dict[str, object]:
    outcome = result.outcome
    return {
        "digest": result.digest,
        "status": outcome.status.value,
        "code": storable(outcome.code),
        "where": storable(outcome.where),
        "message": storable(outcome.message),
        "figures": _pairs(outcome.figures),
        "findings": _pairs(outcome.findings),
        "unchecked": [aspect.value for aspect in outcome.unchecked],
        "inputs": _pairs({name: storable(value) for name, value in outcome.inputs.items()}),
        "cap": outcome.cap,
    }


def _pairs(table: Mapping[str, object]) -> list[tuple[str, object]]:
    return [(storable(name), value) for name, value in sorted(table.items())]


def _index_schema() -> pa.Schema:
    import pyarrow as pa

    text = pa.string()
    texts = [(name, text) for name in ("digest", "status", "code", "where", "message")]
    maps = [("figures", pa.float64()), ("findings", pa.int64()), ("inputs", text)]
    tables = [(name, pa.map_(text, kind)) for name, kind in maps]
    unchecked = ("unchecked", pa.list_(text))
    return pa.schema([*texts, *tables[:2], unchecked, *tables[2:], ("cap", pa.float64())])


# ------------------------------------------------------------------------------------------- Junit
# A job that is not feasible is a failure; one that came to no verdict is an error.

_SUITE = "palpeur batch"
_NOT_XML = re.compile("[\ufffe\uffff]")  # beside what ``visible`` writes as codes


def _testcase(row: JobRow) -> str:
    head = f"<testcase classname={_quoted(_folder(row.name))} name={_quoted(row.name)}"
    outcome = row.outcome
    if not outcome.status.failed:
        missing = unchecked_text(row)
        if not missing:
            return f"{head}/>\n"
        return (
            f"{head}>\n<system-out>{_text(f'not checked: {missing}')}</system-out>\n</testcase>\n"
        )
    kind = "failure" if outcome.status is CaseStatus.INFEASIBLE else "error"
    reason = f"{outcome.code}: {outcome.message}" if outcome.code else outcome.message
    told = f"{outcome.status.value}\nwhere: {outcome.where}\n{reason}\n"
    return (
        f"{head}>\n<{kind} type={_quoted(outcome.code or outcome.status.value)} "
        f"message={_quoted(reason)}>{_text(told)}</{kind}>\n"
        f"<system-out>{_text(row.report)}</system-out>\n</testcase>\n"
    )


def _folder(name: str) -> str:
    """Of a job's name, as what groups it: readers of JUnit take dots for steps."""
    folder = name.rpartition("/")[0].strip("/")
    return f"batch.{folder.replace('/', '.')}" if folder else "batch"


def _text(text: str) -> str:
    return escape(_clean(text))


def _quoted(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    """Nothing that XML 1.0 cannot hold, and nothing unseen."""
    return _NOT_XML.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", visible(text))


def previous_rows(folder: Path) -> tuple[JobRow, ...]:
    """What came of the jobs of a batch that ran before.

    Args:
        folder: that ``palpeur batch --out`` wrote.

    Raises:
        OptionError: the folder holds no summary of a batch, or one that cannot be read.
    """
    file = folder / SUMMARY
    document = _previous_document(folder, file)
    if not isinstance(document, dict) or not isinstance(document.get("rows"), list):
        raise _no_summary(file, "it holds no rows of a batch")
    if document.get("format") != FORMAT:
        raise _no_summary(file, f"its format is {document.get('format')!r}, not {FORMAT}")
    rows: list[JobRow] = []
    for number, said in enumerate(document["rows"], start=1):
        try:
            rows.append(_row(said))
        except (KeyError, TypeError, ValueError) as error:
            raise _no_summary(file, f"row {number}: {error!r}") from None
    return tuple(rows)


def _previous_document(folder: Path, file: Path) -> object:
    try:
        if not file.is_file():
            raise OptionError(
                f"{folder} holds no {SUMMARY}; compare with the folder that `palpeur batch --out` "
                "wrote, once that batch has ended.",
                path=str(folder),
            )
        raw = read_capped(file, Cap.SUMMARY_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(f"{file} cannot be read: {reason}.", path=str(file)) from error
    try:
        return json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _no_summary(file, f"it is not JSON: {error}") from None


def _row(said: object) -> JobRow:
    if not isinstance(said, dict):
        raise TypeError(f"{said!r} is no table")
    texts = {name: said[name] for name in ("name", "digest", "report")}
    for text in texts.values():
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is no text")
    outcome = outcome_of({**said, "inputs": {}, "cap": 0.0})
    for name, value in outcome.figures.items():
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}")
    return JobRow(**texts, outcome=outcome, why="", seconds=math.nan, peak_bytes=0)


def _no_summary(file: Path, what: str) -> OptionError:
    return OptionError(
        f"{file} is no summary of a batch: {what[:300]}; run that batch again with `palpeur "
        "batch`, which writes it anew.",
        path=str(file),
    )
