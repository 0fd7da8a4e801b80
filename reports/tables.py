"""Tables of a plan: the trajectory as Parquet and CSV, and the points as CSV.

At a switch of law a row means the side after it, so an acceleration that jumps is the later one.
The last row is the end of the motion, which need not lie on the grid of the sampling period.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.motion.sampled_motion import SampledMotion
from planner.plan import Plan, point_columns, point_rows, sample_columns
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    import pyarrow as pa

SIDE = "at a switch of law a row means the side after it; the last row is the end of the motion"
_ROWS = 65_536  # per batch: bounds the memory beside the samples
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a spreadsheet knows a formula


def write_trajectory(plan: Plan, motion: SampledMotion, folder: Path) -> tuple[Path, ...]:
    """Write ``trajectory.parquet`` and ``trajectory.csv``.

    ``segment`` is the index in the segments of ``plan.json``, from 0; ``point`` is the point that
    the segment serves.

    Args:
        plan: whose motion it is.
        motion: samples of its trajectory.
        folder: that exists.
    """
    import pyarrow.csv
    import pyarrow.parquet

    paths = (folder / "trajectory.parquet", folder / "trajectory.csv")
    names = [segment.point.encode() for segment in plan.timeline]
    safe = [spreadsheet_text(segment.point).encode() for segment in plan.timeline]
    schema = _schema(plan)
    with (
        paths[0].open("wb") as binary,  # Arrow itself opens no path that is not UTF-8
        pyarrow.parquet.ParquetWriter(binary, schema, **_parquet_options(schema)) as parquet,
        paths[1].open("wb") as text,
    ):
        text.write((",".join(schema.names) + "\n").encode())
        rows = pyarrow.csv.WriteOptions(include_header=False)
        for numbers, segment in _parts(motion):
            parquet.write_batch(_batch(numbers, segment, names, schema))
            named = _batch(numbers, segment, safe, schema)
            pyarrow.csv.write_csv(named, text, write_options=rows)
    return paths


def write_points(plan: Plan, folder: Path) -> Path:
    """Write ``points.csv``: what became of every point, in the base frame.

    x, y, z are the ball's centre at contact. Cells of a point that is not reached are empty.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(point_columns(plan.job.mechanism))
    for name, reachable, *cells in point_rows(plan):
        named = spreadsheet_text(str(name))
        writer.writerow([named, "true" if reachable else "false", *map(_cell, cells)])
    path = folder / "points.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


def spreadsheet_text(text: str) -> str:
    """A name that no spreadsheet takes for a formula: an apostrophe before = + - @ and tab."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cell(value: object) -> object:
    """A number that does not exist is an empty cell."""
    return "" if isinstance(value, float) and not np.isfinite(value) else value


def _schema(plan: Plan) -> pa.Schema:
    import pyarrow as pa

    names = sample_columns(plan.job.mechanism)[3:]
    first = [("t_s", pa.float64()), ("segment", pa.int64()), ("point", pa.string())]
    described = {
        "palpeur.rows": SIDE,
        "palpeur.segment": "index in the segments of plan.json, from 0",
        "palpeur.position": "ball centre in the base frame",
        "palpeur.job_sha256": plan.job.sha256,
    }
    return pa.schema([*first, *((name, pa.float64()) for name in names)], metadata=described)


def _parquet_options(schema: pa.Schema) -> dict[str, object]:
    """The same bytes for the same rows; floats are split by byte, which compresses them best."""
    floats = [name for name in schema.names if name not in ("segment", "point")]
    return {
        "compression": "snappy",
        "use_dictionary": ["segment", "point"],
        "use_byte_stream_split": floats,
    }


def _batch(
    numbers: Array, segment: Indices, labels: list[bytes], schema: pa.Schema
) -> pa.RecordBatch:
    import pyarrow as pa

    t, *others = (_numbers(column, pa.float64()) for column in numbers)
    cells = [t, _numbers(segment, pa.int64()), _repeated(labels, segment), *others]
    return pa.record_batch(cells, schema=schema)


def _numbers(values: Array | Indices, type: pa.DataType) -> pa.Array:
    """A column of numbers; ``pyarrow.array`` would import pandas to do it.

    A column without any number, as torques of a robot whose masses are not known, is empty.
    """
    import pyarrow as pa

    if np.isnan(values[:1]).any() and np.isnan(values).all():
        return pa.nulls(len(values), type)
    buffers = [None, pa.py_buffer(np.ascontiguousarray(values))]
    return pa.Array.from_buffers(type, len(values), buffers)


def _repeated(texts: list[bytes], rows: Indices) -> pa.Array:
    """A column of texts, one for every row; samples in order of time are runs of one text each."""
    import pyarrow as pa

    edges = np.flatnonzero(np.diff(rows, prepend=-1, append=-1))
    runs = list(zip(rows[edges[:-1]].tolist(), np.diff(edges).tolist(), strict=True))
    lengths = np.repeat([len(texts[k]) for k, _ in runs], [count for _, count in runs])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    joined = b"".join(texts[k] * count for k, count in runs)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(joined)]
    return pa.Array.from_buffers(pa.string(), len(rows), buffers)


def _parts(motion: SampledMotion) -> Iterator[tuple[Array, Indices]]:
    """Numbers column by column in the order of the schema, and segments, of some rows."""
    for samples in motion.blocks():
        blocks = (samples.q, samples.qd, samples.qdd, samples.tau)
        columns = [samples.t, *(column for block in blocks for column in block.T)]
        columns += [samples.power, *samples.position.T]
        for start in range(0, len(samples.t), _ROWS):
            rows = slice(start, start + _ROWS)
            yield np.stack([column[rows] for column in columns]), samples.segment[rows]
