"""``index.parquet``: all results of a ledger in one table, made anew from their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.batch.ledger import Ledger, Result
from planner.result_files import RESULTS_KEPT, whole_file
from reports.batch.columns import storable

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "index.parquet"
_ROWS = 4096  # read before they are written: bounds the memory


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexCount:
    """What an index was made of.

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

    schema = _schema()
    results = corrupted = 0
    with (
        whole_file(ledger.folder / NAME, RESULTS_KEPT) as path,
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
        if len(found) == _ROWS:
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


def _schema() -> pa.Schema:
    import pyarrow as pa

    text = pa.string()
    texts = [(name, text) for name in ("digest", "status", "code", "where", "message")]
    maps = [("figures", pa.float64()), ("findings", pa.int64()), ("inputs", text)]
    tables = [(name, pa.map_(text, kind)) for name, kind in maps]
    unchecked = ("unchecked", pa.list_(text))
    return pa.schema([*texts, *tables[:2], unchecked, *tables[2:], ("cap", pa.float64())])
