"""Histograms as drawings: rectangles and words with places."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reports.batch.columns import figures_of
from reports.batch.figures import (
    DRAWN,
    MEMORY,
    SECONDS,
    UNLIMITED,
    Figure,
    figures_among,
    shown,
)
from reports.batch.histogram import Bin, Histogram, JobValue, histogram
from reports.batch.row import JobRow
from reports.page.ticks import ticks

WIDTH, HEIGHT = 400, 150  # of a drawing
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 392, 10, 128  # of its field


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
