"""A batch as one HTML file: offline, sortable, nothing of a job's texts executed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from urllib.parse import quote

import numpy as np

from planner.batch.case import Swept, swept_text
from planner.batch.outcome import CaseStatus
from planner.findings.finding import Aspect
from reports.batch.changes import BatchChanges, changes
from reports.batch.reasons import brief_reason, finding_totals, reasons
from reports.batch.rows import (
    DRAWN,
    KNOWN,
    MEMORY,
    SECONDS,
    UNLIMITED,
    Figure,
    JobRow,
    figures_among,
    figures_of,
    shown,
    storable,
    swept_keys,
    unchecked_text,
)
from reports.comparison.change import Sense
from reports.page.curves import ticks
from reports.page.html import asset, data_block, digest, environment, policy
from reports.visible_text import visible
from robots.core.arrays import Array

BUDGET = 10_000_000  # bytes of the page


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDetail:
    """Level of detail of the rows in a page.

    Args:
        rows: how many; failed ones come before others.
        name: characters of a name.
        text: characters of a message.
    """

    rows: int
    name: int
    text: int


_DETAILS = (
    RowDetail(rows=100_000, name=240, text=400),
    RowDetail(rows=50_000, name=120, text=160),
    RowDetail(rows=20_000, name=100, text=100),
    RowDetail(rows=5_000, name=80, text=80),
    RowDetail(rows=1_000, name=80, text=80),
)
_LOOKS = {CaseStatus.INFEASIBLE: "bad"}
_FIGURES = 24  # columns of them; more would be no table
SWEPT = 32  # columns of swept keys, which is one sweep's most
_LARGEST = 1e300
_CODES = 8  # of findings, in a cell
Reading = Callable[[int, JobRow], object]
WIDTH, HEIGHT = 400, 150  # of a drawing
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 392, 10, 128  # of its field
_BINS = 36
_FAR = 3.0  # times the span of the middle 98 %: a range wider than that is cut
_EQUAL = 1e-9  # relative
_DECADES = 30.0  # ratio from which on bins are equally wide in decades


def dashboard(
    rows: Sequence[JobRow],
    *,
    title: str,
    previous: Sequence[JobRow] | None = None,
    budget: int = BUDGET,
) -> str:
    """The page of a batch; where it would be larger than its budget it shows less, and says so.

    Args:
        rows: of the batch; every text in them may be hostile.
        title: of the page, as untrusted.
        previous: rows of another batch; None for none.
        budget: most bytes.
    """
    compared = changes(rows, previous) if previous is not None else None
    text = ""
    page = _Page(rows=rows, title=title, changes=compared)
    for detail in _DETAILS:
        text = page.text(detail)
        if len(text.encode("utf-8")) <= budget:
            break
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Jobs of one status.

    Args:
        status: in words.
        look: good, bad or doubtful.
        count: of jobs.
        start: of its share in a bar, in percent.
        share: of all jobs, in percent.
    """

    status: str
    look: str
    count: int
    start: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCost:
    """Cost of the measured jobs.

    Args:
        jobs: that were measured.
        hours: of work altogether, in words.
        median: of a job, in words.
        slowest: row that took longest.
        longest: its time, in words.
    """

    jobs: int
    hours: str
    median: str
    slowest: JobRow
    longest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """Content of the page at every level of detail."""

    rows: Sequence[JobRow]
    title: str
    changes: BatchChanges | None

    def text(self, detail: RowDetail) -> str:
        """The page with so many rows."""
        from markupsafe import Markup

        style = asset("report.css") + asset("dashboard.css", "reports.batch/assets")
        script = asset("dashboard.js", "reports.batch/assets")
        verdicts = self.changes.verdicts if self.changes is not None else None
        ran = Counter(row.cause for row in self.rows)
        there = ran.pop("", 0)
        drawn = plots(self.rows)
        swept = len(swept_keys(self.rows))
        return (
            environment("reports.batch", href)
            .get_template("dashboard.html.j2")
            .render(
                title=self.title,
                rows=self.rows,
                left_out=max(0, len(self.rows) - detail.rows),
                totals=totals(self.rows),
                unchecked=unchecked_counts(self.rows),
                failed=sum(row.outcome.status.failed for row in self.rows),
                ran=ran.most_common(8),
                there=there,
                cost=_cost(self.rows),
                reasons=reasons(self.rows),
                findings=finding_totals(self.rows),
                plots=drawn,
                limited=any(one.limit for one in drawn),
                swept=min(swept, SWEPT),
                unshown=max(0, swept - SWEPT),
                size=(WIDTH, HEIGHT),
                changes=self.changes,
                watched=[one for one in KNOWN if one.sense is not Sense.NEITHER],
                policy=policy(scripts=[digest(script)], styles=[digest(style)], scene=False),
                style=Markup(style),
                script=Markup(script),
                data=Markup(data_block(row_data(self.rows, detail, verdicts))),
            )
        )


def totals(rows: Sequence[JobRow]) -> tuple[Total, ...]:
    """Jobs by status, in the order of the statuses; those that occur."""
    counts = Counter(row.outcome.status for row in rows)
    found: list[Total] = []
    start = 0.0
    for status in CaseStatus:
        if counts[status]:
            share = 100.0 * counts[status] / len(rows)
            found.append(
                Total(
                    status=status.value,
                    look=_look(status, rows),
                    count=counts[status],
                    start=start,
                    share=share,
                )
            )
            start += share
    return tuple(found)


def unchecked_counts(rows: Sequence[JobRow]) -> tuple[tuple[str, int], ...]:
    """What plans did not check, and of how many jobs, in the order of ``Aspect``."""
    counts = Counter(aspect for row in rows for aspect in row.outcome.unchecked)
    return tuple((aspect.value, counts[aspect]) for aspect in Aspect if counts[aspect])


def _look(status: CaseStatus, rows: Sequence[JobRow]) -> str:
    """Green only where every plan of the status was checked in every respect."""
    if status is not CaseStatus.FEASIBLE:
        return _LOOKS.get(status, "doubtful")
    unproven = any(row.outcome.status is status and row.outcome.unchecked for row in rows)
    return "doubtful" if unproven else "good"


def _cost(rows: Sequence[JobRow]) -> MeasuredCost | None:
    measured = [row for row in rows if math.isfinite(row.seconds)]
    if not measured:
        return None
    slowest = max(measured, key=lambda row: row.seconds)
    return MeasuredCost(
        jobs=len(measured),
        hours=_time(sum(row.seconds for row in measured)),
        median=_time(median(row.seconds for row in measured)),
        slowest=slowest,
        longest=_time(slowest.seconds),
    )


def _time(seconds: float) -> str:
    if seconds < 600.0:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60.0)
    return f"{minutes} min" if minutes < 600 else f"{minutes / 60.0:,.1f} h"


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
            key="name", title="job", kind="name", cell=lambda _, row: brief(row.name, detail.name)
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
        key=key, title=title, kind="word", cell=lambda _, row: words.number(text(row)), words=words
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


def href(path: str) -> str:
    """A path from the batch's folder as a link that leads nowhere else, whatever it holds."""
    if ".." in path.split("/"):
        return "./"
    return f"./{quote(storable(path))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramBar:
    """One bin.

    Args:
        good: outline of its feasible part; empty for none.
        failed: outline of the other part, above.
        label: in words.
    """

    good: str
    failed: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisMark:
    """A number beside an axis."""

    at: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A drawing of a histogram.

    Args:
        figure: which number.
        bars: from left to right.
        across: marks of the horizontal axis.
        up: marks of the vertical axis.
        limit: place of the limit; empty where it is outside.
        summary: what is seen, in words.
        least: row with the least number, and the number.
        most: row with the largest.
    """

    figure: Figure
    bars: tuple[HistogramBar, ...]
    across: tuple[AxisMark, ...]
    up: tuple[AxisMark, ...]
    limit: str
    summary: str
    least: tuple[int, str]
    most: tuple[int, str]


def plots(rows: Sequence[JobRow]) -> tuple[Plot, ...]:
    """Drawings of what is spread over the rows, those that have something to show."""
    found = (histogram(figure, samples) for figure, samples in _samples(rows))
    return tuple(_plot(one) for one in found if one is not None)


def _samples(rows: Sequence[JobRow]) -> Iterator[tuple[Figure, list[JobValue]]]:
    numbers = [figures_of(row) for row in rows]
    limited = any("torque_fraction" in found for found in numbers)
    for figure in figures_among(DRAWN if limited else (*DRAWN, UNLIMITED)):
        yield figure, _scaled(figure, rows, [found.get(figure.key) for found in numbers])
    yield SECONDS, _scaled(SECONDS, rows, [row.seconds for row in rows])
    yield MEMORY, _scaled(MEMORY, rows, [row.peak_bytes or None for row in rows])


def _scaled(
    figure: Figure, rows: Sequence[JobRow], values: Sequence[float | None]
) -> list[JobValue]:
    return [
        JobValue(value=figure.scale * value, failed=row.outcome.status.failed, row=number)
        for number, (row, value) in enumerate(zip(rows, values, strict=True))
        if value is not None and value == value  # noqa: PLR0124 not a number is not itself
    ]


def _plot(one: Histogram) -> Plot:
    low, high = one.bins[0].low, one.bins[-1].high
    most = max(item.count for item in one.bins)
    limit = one.figure.limit
    inside = limit is not None and low <= limit <= high
    return Plot(
        figure=one.figure,
        bars=tuple(_bar(item, one, most) for item in one.bins if item.count),
        across=tuple(_across(one)),
        up=tuple(
            AxisMark(at=f"{_y(mark.at, most):.1f}", text=f"{round(mark.at)}")
            for mark in ticks(0.0, most, 3)
            if mark.at == round(mark.at)
        ),
        limit=f"{_x(limit, one):.1f}" if inside and limit is not None else "",
        summary=_summary(one),
        least=(one.least.row, _told(one.least.value, one.figure)),
        most=(one.most.row, _told(one.most.value, one.figure)),
    )


def _across(one: Histogram) -> Iterator[AxisMark]:
    low, high = one.bins[0].low, one.bins[-1].high
    if not one.decades:
        for mark in ticks(low, high, 5):
            yield AxisMark(at=f"{_x(mark.at, one):.1f}", text=mark.text)
        return
    for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1):
        yield AxisMark(at=f"{_x(10.0**power, one):.1f}", text=f"{10.0**power:g}")


def _bar(item: Bin, one: Histogram, most: int) -> HistogramBar:
    left, right = _x(item.low, one) + 0.5, _x(item.high, one) - 0.5
    foot, middle, top = _BOTTOM, _y(item.good, most), _y(item.count, most)
    unit = one.figure.unit
    words = f"{shown(item.low)} to {shown(item.high)} {unit}".strip()
    if item is one.bins[0] and one.below:
        words = f"up to {shown(item.high)} {unit}".strip()
    if item is one.bins[-1] and one.above:
        words = f"from {shown(item.low)} {unit}".strip()
    failed = f", {item.failed:,} of them not feasible" if item.failed else ""
    return HistogramBar(
        good=_outline(left, right, foot, middle) if item.good else "",
        failed=_outline(left, right, middle, top) if item.failed else "",
        label=f"{words}: {_jobs(item.count)}{failed}",
    )


def _outline(left: float, right: float, foot: float, top: float) -> str:
    return f"M{left:.1f} {foot:.1f}V{top:.1f}H{right:.1f}V{foot:.1f}z"


def _summary(one: Histogram) -> str:
    cut = one.below + one.above
    far = f"; {cut:,} far ones counted at the ends" if cut else ""
    return f"{_jobs(one.count)}, median {_told(one.median, one.figure)}{far}"


def _jobs(count: int) -> str:
    return f"{count:,} {'job' if count == 1 else 'jobs'}"


def _told(value: float, figure: Figure) -> str:
    return f"{shown(value)} {figure.unit}".strip()


def _x(value: float, one: Histogram) -> float:
    low, high = one.bins[0].low, one.bins[-1].high
    if one.decades:
        low, value, high = math.log10(low), math.log10(value), math.log10(high)
    return _LEFT + (_RIGHT - _LEFT) * (value - low) / (high - low)


def _y(count: float, most: int) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * count / most


@dataclass(frozen=True, slots=True, kw_only=True)
class JobValue:
    """A job's number.

    Args:
        value: as it is shown.
        failed: whether the job needs a look.
        row: index of the job.
    """

    value: float
    failed: bool
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Jobs whose number lies in a range.

    Args:
        low: end of the range.
        high: other end.
        good: feasible jobs.
        failed: others.
    """

    low: float
    high: float
    good: int
    failed: int

    @property
    def count(self) -> int:
        """All of them."""
        return self.good + self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Histogram of a number.

    Args:
        figure: which number.
        bins: in order, each beginning where the one before ends.
        decades: whether they are equally wide in decades.
        below: how many jobs lie under the first bin; they are counted in it.
        above: likewise over the last one.
        median: of all.
        least: sample with the least number.
        most: with the largest.
    """

    figure: Figure
    bins: tuple[Bin, ...]
    decades: bool
    below: int
    above: int
    median: float
    least: JobValue
    most: JobValue

    @property
    def count(self) -> int:
        """All jobs that have the number."""
        return sum(item.count for item in self.bins)


def histogram(figure: Figure, samples: Sequence[JobValue]) -> Histogram | None:
    """Count samples in ranges between round numbers; None where nothing can be drawn.

    A few numbers far from all others are counted in the outermost bins, so that one slow job does
    not hide how the rest is spread.

    Args:
        figure: which number.
        samples: in the order of the rows.
    """
    values = np.array([sample.value for sample in samples])  # (N,)
    if not values.size or not math.isfinite(float(values.max()) - float(values.min())):
        return None
    decades = _over_decades(figure, values)
    edges = 10.0 ** _edges(np.log10(values)) if decades else _edges(values)
    failed = np.array([sample.failed for sample in samples])
    inside = np.clip(values, edges[0], edges[-1])
    bad, _ = np.histogram(inside[failed], edges)
    good, _ = np.histogram(inside[~failed], edges)
    return Histogram(
        figure=figure,
        bins=tuple(
            Bin(low=float(low), high=float(high), good=int(a), failed=int(b))
            for low, high, a, b in zip(edges, edges[1:], good, bad, strict=False)
        ),
        decades=decades,
        below=int(np.sum(values < edges[0])),
        above=int(np.sum(values > edges[-1])),
        median=float(np.median(values)),
        least=samples[int(values.argmin())],
        most=samples[int(values.argmax())],
    )


def _over_decades(figure: Figure, values: Array) -> bool:
    return figure.wide and float(values.min()) > 0.0 and values.max() > _DECADES * values.min()


def _edges(values: Array) -> Array:
    """Equidistant round numbers around the values. # (bins + 1,)."""
    low, high = float(values.min()), float(values.max())
    first, last = np.percentile(values, [1.0, 99.0])
    if last > first and high - low > _FAR * (last - first):
        low, high = float(first), float(last)
    size = max(abs(low), abs(high))
    if high - low <= max(_EQUAL * size, 1e-200):
        half = 0.05 * size or 0.5
        low, high = low - half, high + half
    marks = [mark.at for mark in ticks(low, high, _BINS)]
    step = marks[1] - marks[0]
    count = 2 + round((marks[-1] - marks[0]) / step)
    edges: Array = marks[0] - step + step * np.arange(count + 1.0)
    return edges
