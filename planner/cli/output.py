"""Results on stdout: one JSON document, CSV, or text for a reader."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.errors import OptionError
from reports.console import BOLD, PLAIN
from reports.document_text import document_text, plain, without_unseen
from robots.core.arrays import Array

FORMAT = 1
_ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field:
    """One quantity of every state.

    Args:
        key: in JSON.
        values: # (N, ...)
        headers: of its flattened numbers, units included.
    """

    key: str
    values: Array
    headers: tuple[str, ...]

    @property
    def flat(self) -> Array:
        """One row of numbers per state. # (N, size)."""
        return self.values.reshape(len(self.values), -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a table of results is printed."""

    json: bool = False
    csv: bool = False

    def __post_init__(self) -> None:
        if self.json and self.csv:
            raise OptionError("--json and --csv exclude each other; give one.")


def print_json(document: object) -> None:
    """Print one JSON document; a value that is not finite becomes null."""
    sys.stdout.write(document_text(document))


def print_rows(rows: Iterable[object], facts: Mapping[str, object] | None = None) -> None:
    """Print ``{"format": 1, facts, "rows": [...]}``, one state after another."""
    head = {"format": FORMAT, **(facts or {})}
    text = json.dumps(plain(head), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    sys.stdout.write(f'{text[:-1]},"rows":[')
    for number, row in enumerate(rows):
        text = without_unseen(json.dumps(plain(row), ensure_ascii=False, allow_nan=False))
        sys.stdout.write(("," if number else "") + "\n" + text)
    sys.stdout.write("\n]}\n")


def print_fields(
    fields: Sequence[Field], form: Form, facts: Mapping[str, object] | None = None
) -> None:
    """Print quantities of every state in the chosen form. Args: facts: of JSON, before the rows."""
    if form.json:
        count = len(fields[0].values)
        print_rows(({f.key: f.values[row] for f in fields} for row in range(count)), facts)
    elif form.csv:
        print_csv(_headers(fields), _flat_rows(fields))
    elif all(field.values.ndim == 2 for field in fields):
        rows = [[number(x) for x in row] for row in _flat_rows(fields)]
        numbered = [[str(k), *row] for k, row in enumerate(rows, start=1)]
        print_table(["state", *_headers(fields)], numbered)
    else:
        _print_matrices(fields)


def print_csv(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print CSV in full precision."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns of equal width; the heading is bold on a terminal that shows colour."""
    for index, line in enumerate(aligned(headers, rows)):
        print(bold(line) if index == 0 else line)


def aligned(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table; text stands left, numbers right."""
    lines = [list(headers), *map(list, rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(headers))]
    numeric = [bool(rows) and all(_is_number(row[k]) for row in rows) for k in range(len(headers))]
    for line in lines:
        cells = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        )
        yield "  ".join(cells).rstrip()


def number(value: float) -> str:
    """Seven digits for a reader."""
    return f"{float(value):.7g}" if value else "0"


def without_rounding(value: Array) -> Array:
    """For a reader only: zero where a number is rounding beside the largest one."""
    finite = np.abs(value[np.isfinite(value)])
    small = np.abs(value) <= _ROUNDING * finite.max(initial=0.0)
    return np.where(small, 0.0, value)


def bold(text: str) -> str:
    """Emphasis where stdout is a terminal and colour is welcome."""
    shown = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.name != "nt"
    return f"{BOLD}{text}{PLAIN}" if shown else text


def _headers(fields: Sequence[Field]) -> list[str]:
    return [header for field in fields for header in field.headers]


def _flat_rows(fields: Sequence[Field]) -> list[list[float]]:
    rows: list[list[float]] = np.hstack([field.flat for field in fields]).tolist()
    return rows


def _print_matrices(fields: Sequence[Field]) -> None:
    for state in range(len(fields[0].values)):
        print(bold(f"state {state + 1}"))
        for field in fields:
            print(f"  {field.key}")
            for line in _matrix_lines(field.values[state]):
                print(f"    {line}")


def _matrix_lines(value: Array) -> Iterator[str]:
    if value.ndim == 3:
        for index, plane in enumerate(value):
            yield f"[{index + 1}]"
            yield from _matrix_lines(plane)
        return
    text = [[number(x) for x in row] for row in np.atleast_2d(without_rounding(value))]
    width = max(len(cell) for row in text for cell in row)
    for row in text:
        yield "  ".join(cell.rjust(width) for cell in row)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text in ("", "-")
    return True
