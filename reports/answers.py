"""The forms of a command's answer: a JSON document, rows of CSV, and lines for a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from reports.document_text import plain, without_unseen
from reports.visible_text import BOLD, PLAIN
from robots.core.arrays import Array

if TYPE_CHECKING:
    from robots.core.mechanism import Mechanism


Table = tuple[Sequence[str], Iterable[Sequence[object]]]  # headers, rows

FORMAT = 1
_ROUNDING = 1e-9  # of the largest of numbers that belong together, of which four digits are shown


# --- JSON ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The document ``{"format": 1, facts, "rows": [...]}``, written one state after another.

    Args:
        rows: one document per state.
        facts: that stand before the rows.
    """

    rows: Iterable[object]
    facts: Mapping[str, object] = field(default_factory=dict)

    def texts(self) -> Iterator[str]:
        """The document in pieces."""
        head = plain({"format": FORMAT, **self.facts})
        text = json.dumps(head, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        yield f'{text[:-1]},"rows":['
        for place, row in enumerate(self.rows):
            text = without_unseen(json.dumps(plain(row), ensure_ascii=False, allow_nan=False))
            yield ("," if place else "") + "\n" + text
        yield "\n]}\n"


def tip_document(mechanism: Mechanism) -> dict[str, object]:
    """What JSON says of the tool frame of a URDF file: key ``tip``; nothing of other robots."""
    tip = mechanism.tip
    if tip is None:
        return {}
    side = mechanism.side_branches
    return {
        "tip": {
            "link": tip.link,
            "root": tip.root,
            "rule": tip.rule.value,
            "moving_joints": tip.moving,
            "held_joints": [
                {"name": joint.name, f"value_{joint.unit}": joint.value} for joint in side.joints
            ],
            "held_links": list(side.links),
            "held_mass_kg": side.mass,
            "fixed_links": list(side.fixed_links),
            "fixed_mass_kg": side.fixed_mass,
        }
    }


# --- quantities of states ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StateQuantity:
    """One quantity of every state of a table.

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


def state_rows(
    quantities: Sequence[StateQuantity], facts: Mapping[str, object] | None = None
) -> Rows:
    """Quantities of every state as a JSON document."""
    count = len(quantities[0].values)
    rows = ({one.key: one.values[row] for one in quantities} for row in range(count))
    return Rows(rows=rows, facts=facts or {})


def state_table(quantities: Sequence[StateQuantity]) -> tuple[list[str], list[list[float]]]:
    """Quantities of every state as headers and rows of numbers."""
    rows: list[list[float]] = np.hstack([one.flat for one in quantities]).tolist()
    return [header for one in quantities for header in one.headers], rows


def state_lines(quantities: Sequence[StateQuantity]) -> Iterator[str]:
    """Quantities of every state for a terminal: one table, or matrices state by state."""
    if all(one.values.ndim == 2 for one in quantities):
        headers = [header for one in quantities for header in one.headers]
        rows = np.hstack([_without_noise(one.values) for one in quantities]).tolist()
        cells = [[str(k), *map(short, row)] for k, row in enumerate(rows, start=1)]
        yield from table_lines(["state", *headers], cells)
        return
    for state in range(len(quantities[0].values)):
        yield bold(f"state {state + 1}")
        for one in quantities:
            yield f"  {one.key}"
            yield from (f"    {line}" for line in _matrix_lines(one.values[state]))


# --- text ----------------------------------------------------------------------------------------


def table_lines(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns of equal width; the heading is bold on a terminal that shows colour."""
    for index, line in enumerate(aligned(headers, rows)):
        yield bold(line) if index == 0 else line


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


def short(value: float) -> str:
    """Four digits, for results that nobody copies; documents and tables have them all."""
    return f"{float(value):.4g}" if value else "0"


def limit_text(value: float, digits: int = 6) -> str:
    """A number; a dash where there is no limit."""
    return f"{value:.{digits}g}" if np.isfinite(value) else "-"


def finite(value: float) -> float | None:
    """A number; None where there is no limit."""
    return float(value) if np.isfinite(value) else None


def rounded_number(value: float | None) -> float | None:
    """Nine decimals; None where there is no number."""
    if value is None or not np.isfinite(value):
        return None
    return round(float(value), 9) + 0.0


def rounded_list(values: ArrayLike) -> list[float | None]:
    """The same of every number."""
    return [rounded_number(value) for value in np.asarray(values).tolist()]


def bold(text: str) -> str:
    """Emphasis where stdout is a terminal and colour is welcome."""
    shown = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.name != "nt"
    return f"{BOLD}{text}{PLAIN}" if shown else text


def without_rounding(value: Array) -> Array:
    """For a reader only: zero where a number is rounding beside the largest one."""
    magnitudes = np.abs(value[np.isfinite(value)])
    small = np.abs(value) <= _ROUNDING * magnitudes.max(initial=0.0)
    return np.where(small, 0.0, value)


def _without_noise(rows: Array) -> Array:
    """The same row by row. # (N, size)."""
    return np.array([without_rounding(row) for row in rows]).reshape(rows.shape)


def _matrix_lines(value: Array) -> Iterator[str]:
    if value.ndim == 3:
        for index, plane in enumerate(value):
            yield f"[{index + 1}]"
            yield from _matrix_lines(plane)
        return
    text = [[short(x) for x in row] for row in np.atleast_2d(without_rounding(value))]
    width = max(len(cell) for row in text for cell in row)
    for row in text:
        yield "  ".join(cell.rjust(width) for cell in row)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text in ("", "-")
    return True
