"""Rows of a batch as the page's script reads them: few bytes, every text fit to be shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from planner.batch.case import Swept, swept_text
from reports.batch.columns import figures_of, swept_keys, unchecked_text
from reports.batch.figures import MEMORY, SECONDS, Figure, figures_among
from reports.batch.links import href
from reports.batch.reason_words import brief_reason
from reports.batch.row import JobRow
from reports.visible_text import visible

_FIGURES = 24  # columns of them; more would be no table
SWEPT = 32  # columns of swept keys, which is one sweep's most
_LARGEST = 1e300
_CODES = 8  # of findings, in a cell


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDetail:
    """How much of the rows a page holds.

    Args:
        rows: how many; failed ones come before others.
        name: characters of a name.
        text: characters of a message.
    """

    rows: int
    name: int
    text: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Texts that stand once and are meant by their number.

    Args:
        limit: characters of each.
    """

    limit: int
    known: dict[str, int] = field(default_factory=dict)

    def number(self, text: str) -> int:
        """Of a text, as it is shown."""
        return self.known.setdefault(brief(text, self.limit), len(self.known))


def brief(text: str, limit: int) -> str:
    """The beginning of a text as it is shown; no more work than that for a long one."""
    begin = visible(text[:limit])
    whole = len(text) <= limit and len(begin) <= limit
    return begin if whole else f"{begin[:limit]}…"


Reading = Callable[[int, JobRow], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """One column of the table.

    Args:
        key: stable, for the script.
        title: for readers.
        kind: "name", "word" or "number".
        cell: of a row and its index.
        unit: empty for none.
        words: that its numbers mean; None where it has none.
        swept: whether a sweep varies it, so that a reader may choose among its values.
    """

    key: str
    title: str
    kind: str
    cell: Reading
    unit: str = ""
    words: Words | None = None
    swept: bool = False


def row_data(
    rows: Sequence[JobRow], detail: RowDetail, verdicts: Sequence[str] | None
) -> dict[str, object]:
    """What the script makes its table of.

    Args:
        rows: of the batch; names and messages may be hostile.
        detail: how much of them is told.
        verdicts: what became of each since another batch; None without one.
    """
    chosen = _chosen(rows, detail.rows)
    columns = _columns(rows, detail, verdicts)
    told = [[*(c.cell(k, rows[k]) for c in columns), _link(rows[k])] for k in chosen]
    return {
        "columns": [
            {
                "key": column.key,
                "title": column.title,
                "unit": column.unit,
                "kind": column.kind,
                "words": list(column.words.known) if column.words else None,
                "swept": column.swept,
            }
            for column in columns
        ],
        "rows": told,
        "total": len(rows),
    }


def _chosen(rows: Sequence[JobRow], most: int) -> list[int]:
    """Rows that are told, in their order; failed ones where not all have room."""
    if len(rows) <= most:
        return list(range(len(rows)))
    ordered = sorted(range(len(rows)), key=lambda k: not rows[k].outcome.status.failed)
    return sorted(ordered[:most])


def _columns(
    rows: Sequence[JobRow], detail: RowDetail, verdicts: Sequence[str] | None
) -> list[_Column]:
    swept = swept_keys(rows)
    names = {name for row in rows for name in figures_of(row)}
    columns = [
        _Column(
            key="name",
            title="job",
            kind="name",
            cell=lambda _, row: brief(row.name, detail.name),
        ),
        _word("status", "status", lambda row: row.outcome.status.value, detail),
    ]
    if verdicts is not None:
        columns.append(_verdict(verdicts))
    columns += [
        _word("code", "reason", lambda row: brief_reason(row.outcome), detail),
        *(_swept(key, rows, detail, number) for number, key in enumerate(swept[:SWEPT])),
        _word("unchecked", "not checked", unchecked_text, detail),
        _word("message", "message", _message, detail),
        *(_figure(figure) for figure in figures_among(names)[:_FIGURES]),
        _word("findings", "findings", _findings, detail),
        _number(SECONDS, lambda row: row.seconds),
        _number(MEMORY, lambda row: row.peak_bytes or math.nan),
        _word("why", "ran because", lambda row: row.why, detail),
    ]
    return columns


def _word(key: str, title: str, text: Callable[[JobRow], str], detail: RowDetail) -> _Column:
    words = Words(limit=detail.text)
    return _Column(
        key=key,
        title=title,
        kind="word",
        cell=lambda _, row: words.number(text(row)),
        words=words,
    )


def _swept(key: str, rows: Sequence[JobRow], detail: RowDetail, number: int) -> _Column:
    """A key that sweeps vary: as numbers where all its values are, else as words."""
    title = brief(key, 60)
    values = (row.swept[key] for row in rows if key in row.swept)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        figure = Figure(key=f"swept{number}", title=title)
        return _number(figure, lambda row: _near(row.swept.get(key)), swept=True)
    words = Words(limit=detail.text)
    return _Column(
        key=f"swept{number}",
        title=title,
        kind="word",
        cell=lambda _, row: words.number(swept_text(row.swept.get(key, ""))),
        words=words,
        swept=True,
    )


def _near(value: Swept | None) -> float:
    """A number as far as a page's script holds it; not a number for none."""
    if isinstance(value, int | float) and abs(value) < _LARGEST:
        return float(value)
    return math.nan


def _verdict(verdicts: Sequence[str]) -> _Column:
    words = Words(limit=20)
    return _Column(
        key="change",
        title="change",
        kind="word",
        cell=lambda k, _: words.number(verdicts[k]),
        words=words,
    )


def _figure(figure: Figure) -> _Column:
    return _number(figure, lambda row: row.outcome.figures.get(figure.key, math.nan))


def _number(figure: Figure, value: Callable[[JobRow], float], *, swept: bool = False) -> _Column:
    return _Column(
        key=brief(figure.key, 60),
        title=brief(figure.title, 60),
        unit=figure.unit,
        kind="number",
        cell=lambda _, row: _short(figure.scale * value(row)),
        swept=swept,
    )


def _short(value: float) -> float | None:
    """Six digits of a number, which is more than a reader sees."""
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def _message(row: JobRow) -> str:
    where, message = row.outcome.where, row.outcome.message
    return f"{where}: {message}" if where and not message.startswith(where) else message


def _findings(row: JobRow) -> str:
    found = sorted(row.outcome.findings.items())
    told = [f"{code} ×{count}" if count > 1 else code for code, count in found[:_CODES]]
    return ", ".join([*told, f"{len(found) - _CODES} more"] if len(found) > _CODES else told)


def _link(row: JobRow) -> str:
    """Where a row leads; places that follow from the digest are told by it."""
    digest = row.digest
    if row.report == f"results/{digest[:2]}/{digest}.json":
        return f"r{digest}"
    if row.report == f"reports/{digest}/report.html":
        return f"p{digest}"
    return f"={href(row.report)}"
