"""The columns of a batch's tables: what every job has, what sweeps vary, figures, findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reports.batch.row import JobRow

FIRST = ("name", "status", "code", "where", "message", "unchecked")
LAST = ("digest", "report")
_FINDINGS = "findings_"
_SWEPT = "swept_"  # before the name of a key that is called like another column

Cell = str | float | int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which figures and findings occur in a batch.

    Args:
        swept: keys that sweeps vary, in the order of the rows.
        figures: names, in order.
        findings: codes, in order.
    """

    swept: tuple[str, ...]
    figures: tuple[str, ...]
    findings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of all columns; each stands once."""
        figures = tuple(_figure_column(name) for name in self.figures)
        findings = tuple(f"{_FINDINGS}{code}" for code in self.findings)
        taken = {*FIRST, *figures, *findings, *LAST}
        swept: list[str] = []
        for key in self.swept:
            name = storable(key)
            while name in taken:
                name = f"{_SWEPT}{name}"
            swept.append(name)
            taken.add(name)
        return (*FIRST, *swept, *figures, *findings, *LAST)

    def cells(self, row: JobRow) -> tuple[Cell, ...]:
        """A row in the order of the names; None for what does not exist."""
        outcome = row.outcome
        numbers = figures_of(row)
        none = 0 if numbers else None  # of a job that was not planned nothing is known
        return (
            *(row.name, outcome.status.value, outcome.code, outcome.where, outcome.message),
            unchecked_text(row),
            *(row.swept.get(key) for key in self.swept),
            *(numbers.get(name) for name in self.figures),
            *(outcome.findings.get(code, none) for code in self.findings),
            *(row.digest, row.report),
        )


def columns_of(rows: Sequence[JobRow]) -> Columns:
    """Columns of all rows."""
    figures = {name for row in rows for name in figures_of(row)}
    findings = {code for row in rows for code in row.outcome.findings}
    return Columns(
        swept=swept_keys(rows), figures=tuple(sorted(figures)), findings=tuple(sorted(findings))
    )


def swept_keys(rows: Sequence[JobRow]) -> tuple[str, ...]:
    """Keys that sweeps vary, as the sweeps have them in order."""
    return tuple(dict.fromkeys(key for row in rows for key in row.swept))


def figures_of(row: JobRow) -> dict[str, float]:
    """Figures of a row that are numbers."""
    return {
        name: float(value) for name, value in row.outcome.figures.items() if math.isfinite(value)
    }


def unchecked_text(row: JobRow) -> str:
    """What the plan of a row did not check."""
    return ", ".join(aspect.value for aspect in row.outcome.unchecked)


def storable(text: str) -> str:
    """A text that UTF-8 can hold: halves of characters stand as their codes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _figure_column(name: str) -> str:
    taken = name in FIRST or name in LAST or name.startswith(_FINDINGS)
    return f"figure_{name}" if taken else name
