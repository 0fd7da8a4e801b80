"""One row per job of a batch: what every table of a batch is made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from planner.batch.case import Swept
from planner.batch.outcome import Outcome
from reports.comparison.change import Sense

FIRST = ("name", "status", "code", "where", "message", "unchecked")
LAST = ("digest", "report")
_FINDINGS = "findings_"
_SWEPT = "swept_"  # before the name of a key that is called like another column
Cell = str | float | int | None
_LESS, _MORE = Sense.LESS, Sense.MORE


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of an outcome.

    Args:
        key: in ``Outcome.figures``.
        title: for readers.
        unit: empty for none.
        scale: from the figure to what is shown.
        sense: which way is better.
        step: smallest difference that counts as a change, as it is shown.
        share: smallest one as a part of the value before; the larger of both counts.
        limit: that a plan must keep, as it is shown; None for none.
        wide: whether it may range over decades.
    """

    key: str
    title: str
    unit: str = ""
    scale: float = 1.0
    sense: Sense = Sense.NEITHER
    step: float = 0.0
    share: float = 0.0
    limit: float | None = None
    wide: bool = False

    @property
    def rule(self) -> str:
        """From which difference on a change counts, in words."""
        share = f"{100.0 * self.share:g} %" if self.share else ""
        step = f"{self.step:g} {self.unit}".strip() if self.step else ""
        return " and ".join(filter(None, (share, step))) or "0"


KNOWN = (
    Figure(key="points", title="points"),
    Figure(key="points_reached", title="points reached", sense=_MORE),
    Figure(key="duration_s", title="duration", unit="s", sense=_LESS, share=0.02),
    Figure(key="energy_j", title="energy", unit="J", sense=_LESS, share=0.02),
    Figure(key="peak_power_w", title="peak power", unit="W", sense=_LESS, share=0.02),
    Figure(
        key="joint_margin_deg", title="joint margin", unit="°", sense=_MORE, step=0.5, limit=0.0
    ),
    Figure(
        key="joint_margin_mm", title="joint margin", unit="mm", sense=_MORE, step=0.5, limit=0.0
    ),
    Figure(
        key="clearance_mm",
        title="minimum clearance, proven",
        unit="mm",
        sense=_MORE,
        step=0.1,
        limit=0.0,
    ),
    Figure(key="singularity_margin", title="singularity margin", sense=_MORE, share=0.02),
    Figure(key="peak_torque_nm", title="peak torque", unit="N m", sense=_LESS, share=0.02),
    Figure(
        key="torque_fraction",
        title="torque of limit",
        unit="%",
        scale=100.0,
        sense=_LESS,
        step=1.0,
        limit=100.0,
    ),
)
SECONDS = Figure(key="seconds", title="time per job", unit="s", wide=True)
MEMORY = Figure(key="peak_bytes", title="memory per job", unit="MB", scale=1e-6, wide=True)
DRAWN = ("duration_s", "joint_margin_deg", "joint_margin_mm", "clearance_mm", "torque_fraction")
UNLIMITED = "peak_torque_nm"  # drawn where no job knows what part of a limit its torque is


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """One job of a batch.

    Args:
        name: what a reader calls it; unique within a batch, and untrusted like every text here.
        digest: of its key.
        why: it ran this time, in words; empty where its result was there.
        outcome: what came of it.
        seconds: of work; not a number where nobody measured. [s]
        peak_bytes: most memory its worker held; zero where nobody measured. [bytes]
        report: its report, or its result, from the folder of the batch.
        cause: kind of ``why``, such as "input changed"; empty where its result was there.
        swept: of a sweep's job, each key that varies and its value; empty for others.
    """

    name: str
    digest: str
    why: str
    outcome: Outcome
    seconds: float
    peak_bytes: int
    report: str
    cause: str = ""
    swept: Mapping[str, Swept] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Figures and findings that occur in a batch.

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


def figures_among(names: Iterable[str]) -> tuple[Figure, ...]:
    """Figures of these names: known ones first, then those that nobody described."""
    wanted = set(names)
    known = [figure for figure in KNOWN if figure.key in wanted]
    others = sorted(wanted - {figure.key for figure in known})
    return (*known, *(Figure(key=name, title=name) for name in others))


def shown(value: float) -> str:
    """A number for readers: four digits."""
    return f"{value:.4g}".replace("-", "−")
