"""A sweep: one base job and the keys that vary, as TOML; each combination is a case."""

from __future__ import annotations

import copy
import itertools
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from planner.batch.case import Case
from planner.batch.sweep_file import Path_, SweepFile, sweep_file
from planner.batch.swept import swept_value
from planner.job.job_text import JobText, read_job_text
from robots.core.caps import Cap
from robots.core.robot_file.source_text import toml_text
from robots.core.schema_problems import shown


def sweep_cases(path: Path, name: str) -> Iterator[Case]:
    """The cases of a sweep file, each made when it is asked for.

    Args:
        path: of the file.
        name: what the file is called in the names of its cases.

    Raises:
        JobError: a fault in the sweep, its base job unreadable, a key that the base cannot have.
    """
    source = read_job_text(path)
    sweep = sweep_file(source)
    base = _base(path.parent, sweep.sweep.base, source)
    document = read_job_text(base).document()
    rows = list(_rows(sweep, source))
    width = len(str(len(rows)))
    for number, row in enumerate(rows, start=1):
        varied = copy.deepcopy(document)
        for place, (variation, value) in enumerate(zip(sweep.vary, row, strict=True)):
            _put(varied, variation.path, value, source, place)
        yield Case(
            name=f"{name}#{number:0{width}d}",
            job=base,
            text=toml_text(varied),
            swept=tuple(
                (v.key, swept_value(v.key, x)) for v, x in zip(sweep.vary, row, strict=True)
            ),
        )


def _base(folder: Path, name: str, source: JobText) -> Path:
    """The whole path of the base job; workers may stand elsewhere."""
    try:
        base = (folder / name).resolve()
        inside = base.is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError) as error:  # a zero byte, links in a circle
        raise source.error(
            ("sweep", "base"), f"is {shown(name)}, which is no usable path: {error}."
        ) from None
    if not inside:
        raise source.error(("sweep", "base"), f"is {shown(name)}, which leaves the sweep's folder.")
    if not os.path.lexists(base):
        raise source.error(
            ("sweep", "base"), f"is {shown(name)}, and no such file is there; name a job beside it."
        )
    return base


def _rows(sweep: SweepFile, source: JobText) -> Iterator[Sequence[object]]:
    """Values of every case, one for each variation."""
    if sweep.sweep.design == "random":
        if not sweep.sweep.count:
            raise source.error(
                ("sweep", "count"), 'is 0; a random design says how many, as "count = 200".'
            )
        draw = random.Random(sweep.sweep.seed)
        for _ in range(sweep.sweep.count):
            yield [variation.drawn(draw) for variation in sweep.vary]
        return
    columns = [variation.listed() for variation in sweep.vary]
    for place, column in enumerate(columns):
        if not column:
            raise source.error(
                ("vary", place), 'has a range without "steps"; say how many values it has.'
            )
    if sweep.sweep.design == "zip":
        _check_equal(columns, source)
        yield from zip(*columns, strict=True)
        return
    total = 1
    for column in columns:
        total *= len(column)
    if total > (cap := Cap.SWEEP_JOBS).limit:
        raise source.error(
            ("vary",),
            f"gives {total} combinations; at most {cap.limit} are made: give fewer values, "
            f'design = "random" with a count, or {cap.advice}.',
            value=total,
            limit=cap.limit,
        )
    yield from itertools.product(*columns)


def _check_equal(columns: list[list[object]], source: JobText) -> None:
    for place, column in enumerate(columns):
        if len(column) != len(columns[0]):
            raise source.error(
                ("vary", place),
                f"has {len(column)} values and the first one {len(columns[0])}; a zip takes them "
                'side by side, so give equally many, or design = "grid".',
            )


def _put(document: object, path: Path_, value: object, source: JobText, place: int) -> None:
    """Set one key; tables on the way are made, lists are not made longer."""
    at = document
    for step, below in itertools.pairwise(path):
        if isinstance(at, dict) and step not in at:
            at[step] = {} if isinstance(below, str) else []
        at = _table(at, step, path, source, place)[step]
    _table(at, path[-1], path, source, place)[path[-1]] = value


def _table(
    at: object, step: str | int, path: Path_, source: JobText, place: int
) -> dict[str | int, object]:
    """A table or list in which a step can be taken; both are asked in the same way."""
    named = isinstance(at, dict) and isinstance(step, str)
    counted = isinstance(at, list) and isinstance(step, int) and step < len(at)
    if not named and not counted:
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        raise source.error(
            ("vary", place, "key"),
            f"is {text.lstrip('.')!r}, which the base job has no place for: a list there is "
            "shorter, or the way leads through a value. Indices count from 0.",
        )
    return cast("dict[str | int, object]", at)
