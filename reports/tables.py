"""Tables of a plan: the trajectory as Parquet and, on request, CSV; the points as CSV.

Rows of a fixed period mean the side after a switch of law, so an acceleration that jumps is the
later one. Rows that are spaced have both sides where something jumps.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.motion.sampled_motion import SampledMotion
from planner.plan import (
    INTERPOLATION_PART,
    JUMP,
    Plan,
    point_columns,
    point_rows,
    sample_columns,
)
from reports.visible_text import spreadsheet_text
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    import pyarrow as pa

_AFTER = "at a switch of law a row means the side after it; the last row is the end of the motion"
_BOTH = (
    "where a column jumps at a switch of law there are two rows of one instant, the side before it "
    "first; the last row is the end of the motion"
)
_ROWS = 65_536  # per batch: bounds the memory beside the samples


def sampling_text(plan: Plan) -> str:
    """How far apart the rows of a trajectory are, for a reader."""
    job = plan.job
    if job.sampling_period is not None:
        return f"sampled every {1e3 * job.sampling_period:g} ms"
    return (
        "sampled so that straight lines between rows miss the ball by at most "
        f"{1e3 * job.interpolation_error:g} mm"
    )


def interpolation_text(plan: Plan) -> str:
    """What straight lines between rows may miss; empty for rows of a fixed period."""
    if plan.job.sampling_period is not None:
        return ""
    distance = 1e3 * plan.job.interpolation_error
    return (
        f"Straight lines between rows miss x, y, z and sliding joints by at most {distance:g} mm, "
        f"turning joints by {distance:g} mrad, and every other column by {INTERPOLATION_PART:.0%} "
        "of its largest value; a jump, as of dry friction where a joint turns, lies between rows "
        f"that are at most {1e3 * JUMP:g} ms apart. "
    )


def row_text(plan: Plan) -> str:
    """Which side of a switch a row means."""
    return _BOTH if plan.job.sampling_period is None else _AFTER


def write_trajectory(
    plan: Plan, motion: SampledMotion, folder: Path, *, as_csv: bool = False
) -> tuple[Path, ...]:
    """Write ``trajectory.parquet``, and ``trajectory.csv`` where it is asked for.

    ``segment`` is the index in the segments of ``plan.json``, from 0; ``point`` is the point that
    the segment serves.

    Args:
        plan: whose motion it is.
        motion: samples of its trajectory.
        folder: that exists.
        as_csv: whether the same rows are written as CSV, too, which is three times as large.
    """
    import pyarrow.parquet

    paths = [folder / "trajectory.parquet"]
    names = [segment.point.encode() for segment in plan.timeline]
    safe = [spreadsheet_text(segment.point).encode() for segment in plan.timeline]
    schema = _schema(plan)
    with ExitStack() as files:
        binary = files.enter_context(paths[0].open("wb"))  # Arrow opens no path that is not UTF-8
        parquet = files.enter_context(
            pyarrow.parquet.ParquetWriter(binary, schema, **_parquet_options(schema))
        )
        if as_csv:
            import pyarrow.csv

            paths.append(folder / "trajectory.csv")
            text = files.enter_context(paths[1].open("wb"))
            text.write((",".join(schema.names) + "\n").encode())
            rows = pyarrow.csv.WriteOptions(include_header=False)
        for numbers, segment in _parts(motion):
            parquet.write_batch(_batch(numbers, segment, names, schema))
            if as_csv:
                named = _batch(numbers, segment, safe, schema)
                pyarrow.csv.write_csv(named, text, write_options=rows)
    return tuple(paths)


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


def _cell(value: object) -> object:
    """A number that does not exist is an empty cell."""
    return "" if isinstance(value, float) and not math.isfinite(value) else value


def _schema(plan: Plan) -> pa.Schema:
    import pyarrow as pa

    names = sample_columns(plan.job.mechanism)[3:]
    first = [("t_s", pa.float64()), ("segment", pa.int64()), ("point", pa.string())]
    described = {
        "palpeur.rows": row_text(plan),
        "palpeur.segment": "index in the segments of plan.json, from 0",
        "palpeur.position": "ball centre in the base frame",
        "palpeur.job_sha256": plan.job.sha256,
    }
    if plan.job.sampling_period is None and plan.timeline:
        bounds = plan.interpolation_bounds
        known = {name: bound for name, bound in bounds.items() if np.isfinite(bound)}
        described["palpeur.interpolation"] = interpolation_text(plan).strip()
        described["palpeur.interpolation_error"] = json.dumps(known)
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
