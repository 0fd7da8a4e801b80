"""Histograms: how a number is spread over the jobs of a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.batch.figures import Figure
from reports.page.ticks import ticks
from robots.core.arrays import Array

_BINS = 36
_FAR = 3.0  # times the span of the middle 98 %: a range wider than that is cut
_EQUAL = 1e-9  # relative
_DECADES = 30.0  # ratio from which on bins are equally wide in decades


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
