"""Histograms: how a number is spread over the jobs of a batch, as counts and as drawings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reports.batch.rows import (
    DRAWN,
    MEMORY,
    SECONDS,
    UNLIMITED,
    Figure,
    JobRow,
    figures_among,
    figures_of,
    shown,
)
from reports.page.curves import ticks
from robots.core.arrays import Array

WIDTH, HEIGHT = 400, 150  # of a drawing
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 392, 10, 128  # of its field
_BINS = 36
_FAR = 3.0  # times the span of the middle 98 %: a range wider than that is cut
_EQUAL = 1e-9  # relative
_DECADES = 30.0  # ratio from which on bins are equally wide in decades


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
        label=f"{words}: {item.count:,} jobs{failed}",
    )


def _outline(left: float, right: float, foot: float, top: float) -> str:
    return f"M{left:.1f} {foot:.1f}V{top:.1f}H{right:.1f}V{foot:.1f}z"


def _summary(one: Histogram) -> str:
    cut = one.below + one.above
    far = f"; {cut:,} far ones counted at the ends" if cut else ""
    return f"{one.count:,} jobs, median {_told(one.median, one.figure)}{far}"


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
    """How a number is spread.

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
