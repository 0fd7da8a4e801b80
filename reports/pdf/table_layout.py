"""Tables on paper: widths of columns, breaks of long words, rows that other files hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reports.content import Column, Table, Value, ValueStatus
from reports.pdf.shown_text import pieces, shown
from reports.pdf.typeface import width

ROOM = 477.0  # between the margins [pt]
SIZE = 8.0  # of letters [pt]
PADDING = 10.0  # left and right of a cell together [pt]
_CELL, _LAST = 100, 700  # characters in a cell, and in one of a last column of texts
_BOLD = 1.08  # width of bold letters
_SLACK = 0.05  # for rounding [em]
_STRETCH = 1.3  # a table that finds more room stays narrower than the page
_WORDS = 70.0  # a column of texts is not made narrower than this [pt]
_SMALLEST = 0.62  # of the letters' size, for tables of very many columns


def laid_out(table: Table) -> dict[str, Any]:
    """A table as the template draws it."""
    heads = [_head(column) for column in table.columns]
    limits = [_CELL] * len(table.columns)
    limits[-1] = _CELL if table.columns[-1].numeric else _LAST
    texts = [
        [shown(value.text, limit) for value, limit in zip(row, limits, strict=True)]
        for row in table.shown
    ]
    widths, scale = _widths(table, heads, texts)
    rooms = [(w - scale * PADDING) / (scale * SIZE) + _SLACK for w in widths]
    note = shown(table.note, 600)
    return {
        "key": table.key,
        "title": table.title,
        "note": note,
        "widths": widths,
        "size": scale * SIZE,
        "padding": scale * PADDING / 2,
        "right": [column.numeric for column in table.columns],
        "heads": [[pieces(w, room) for w in head] for head, room in zip(heads, rooms, strict=True)],
        "rows": [
            [_cell(value, text, room) for value, text, room in zip(row, told, rooms, strict=True)]
            for row, told in zip(table.shown, texts, strict=True)
        ],
        "left_out": table.left_out,
        "count": len(table.rows),
    }


def _head(column: Column) -> list[str]:
    return [shown(column.header, _CELL), f"[{column.unit}]" if column.unit else ""]


def _cell(value: Value, text: str, room: float) -> dict[str, Any] | str:
    told = pieces(text, room) if 2 * len(text) > room else [text]
    if value.status is ValueStatus.PLAIN and len(told) == 1:
        return told[0]
    return {"pieces": told, "status": value.status.value}


def _widths(
    table: Table, heads: Sequence[list[str]], texts: Sequence[list[str]]
) -> tuple[list[float], float]:
    """Widths of the columns, and the scale of the letters that they are for. [pt]."""
    wanted, least = [], []
    for k, column in enumerate(table.columns):
        words = [word for part in heads[k] for word in part.split(" ")]
        head = _BOLD * max(map(_natural, words))
        cells = max((_natural(row[k]) for row in texts), default=0.0)
        wanted.append(max(head, cells))
        least.append(wanted[-1] if column.numeric else max(head, min(cells, _WORDS)))
    total = sum(wanted)
    if total <= ROOM:
        return [min(_STRETCH, ROOM / total) * w for w in wanted], 1.0
    if sum(least) <= ROOM:
        share = (ROOM - sum(least)) / (total - sum(least))
        return [a + share * (b - a) for a, b in zip(least, wanted, strict=True)], 1.0
    squeeze = ROOM / sum(least)
    return [squeeze * w for w in least], max(squeeze, _SMALLEST)


def _natural(text: str) -> float:
    return SIZE * width(text) + PADDING


def parted(table: Table) -> tuple[Table, ...]:
    """A table of points as two, what became of them and their joints; any other as it is."""
    joints = [k for k, column in enumerate(table.columns) if column.joint]
    if not joints:
        return (table,)
    others = [k for k in range(len(table.columns)) if k not in joints]
    title = f"{table.title}: joints at contact"
    second = replace(_only(table, [0, *joints]), key=f"{table.key}-joints", title=title, note="")
    return _only(table, others), second


def _only(table: Table, kept: Sequence[int]) -> Table:
    return replace(
        table,
        columns=tuple(table.columns[k] for k in kept),
        rows=tuple(tuple(row[k] for k in kept) for row in table.rows),
    )
