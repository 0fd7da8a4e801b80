"""Monte Carlo propagation, point by point: moments, interval along the normal, settled digits.

Source: JCGM 101:2008 (GUM Supplement 1) §7; several outputs as in JCGM 102:2011 §7
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.errors import JobError
from planner.uncertainty.deviations import DeviationKernel
from planner.uncertainty.intervals import block_size, coverage_interval, settled
from planner.uncertainty.measuring import Measuring
from planner.uncertainty.streams import CommonStream, TouchStreams
from robots.core.arrays import Array

_ROWS = 8192  # draws at a time, at most: they stay in the processor's cache
_KEPT = 16_000_000  # common draws kept for the next point [numbers]
_MOST_BLOCKS = 1000  # of the adaptive procedure
_LEAST = 2
_LEAST_BLOCKS = 5  # the source asks for two, which agree by chance too often


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointDraws:
    """What the draws of one point say. Deviations are measured less true, base axes.

    Args:
        mean: # (3,) [m]
        covariance: # (3, 3) [m²]
        sigma_normal: along the normal. [m]
        interval: of the deviation along the normal. [m]
        samples: draws.
        settled: whether the digits asked for are settled; False where none were asked for.
        along: the drawn deviations along the normal, for a histogram. # (samples,) [m]
    """

    mean: Array
    covariance: Array
    sigma_normal: float
    interval: tuple[float, float]
    samples: int
    settled: bool
    along: Array


def monte_carlo(
    measuring: Measuring,
    *,
    count: int | None = None,
    seed: int | None = None,
    threads: int = 1,
) -> Iterator[PointDraws]:
    """Draw every point; the draws are those of ``draws`` with the same seed.

    Args:
        measuring: the points.
        count: draws; default the settings' samples. With ``digits`` in the settings, blocks are
            drawn until they are settled, whatever the count.
        seed: default the settings'.
        threads: processor cores to use; the result does not depend on it.

    Yields:
        One per point, in order.

    Raises:
        JobError: fewer than two draws.
    """
    settings = measuring.settings
    count = settings.samples if count is None else count
    if settings.digits is None and count < _LEAST:
        raise JobError(
            f"Uncertainty by Monte Carlo: samples is {count}; expected 2 or more, better 10000, or "
            "use the first order.",
            key="uncertainty.samples",
            found=count,
        )
    deviations = DeviationKernel(measuring, threads)
    rows = _ROWS if settings.digits else min(count, _ROWS)
    return _points(_Run(deviations, settings.seed if seed is None else seed, rows), count)


def _points(run: _Run, count: int) -> Iterator[PointDraws]:
    for k in range(len(run.measuring)):
        yield run.adaptive(k) if run.measuring.settings.digits else run.point(k, count)


class _Run:
    """One seed's draws of some points, the common ones kept for the next point."""

    def __init__(self, deviations: DeviationKernel, seed: int, rows: int) -> None:
        self.measuring, self._deviations = deviations.measuring, deviations
        self._seed, self._rows = seed, rows
        self._blocks: list[Array] = []
        self._stream = CommonStream(self._deviations.inputs, seed)

    def point(self, k: int, count: int) -> PointDraws:
        """A stated number of draws of one point."""
        parts = []
        chunks = self._chunks(k)
        left = count
        while left > 0:
            part = next(chunks)[:left]
            parts.append(part)
            left -= len(part)
        return self._result(k, np.concatenate(parts), settled_digits=False)

    def adaptive(self, k: int) -> PointDraws:
        """Blocks of draws of one point until mean, sigma and interval are settled."""
        settings = self.measuring.settings
        digits = settings.digits or 1
        size = block_size(settings.coverage)
        normal = self.measuring.normals[k]
        parts: list[Array] = []
        blocks: list[Array] = []
        spare, done = np.empty((0, 3)), False
        chunks = self._chunks(k)
        while not done and len(blocks) < _MOST_BLOCKS:
            while len(spare) < size:
                spare = np.concatenate([spare, next(chunks)])
            block, spare = spare[:size], spare[size:]
            parts.append(block)
            along = block @ normal
            ends = coverage_interval(along, settings.coverage, settings.interval)
            blocks.append(np.array([np.mean(along), np.std(along, ddof=1), *ends]))
            sigma = float(np.sqrt(np.mean(np.square([b[1] for b in blocks]))))
            done = len(blocks) >= _LEAST_BLOCKS and settled(blocks, sigma, digits)
        return self._result(k, np.concatenate(parts), settled_digits=done)

    def _chunks(self, k: int) -> Iterator[Array]:
        """Deviations of one point, without end. # each (m, 3)."""
        points = np.array([k])
        touches = TouchStreams(self._deviations.inputs, points, self._seed)
        for common in self._common():
            block = touches.next(self._rows)
            yield self._deviations(common, block.own, block.steps, points)[:, 0]

    def _common(self) -> Iterator[Array]:
        """Common draws from the first on; those that are kept, then those that are drawn anew."""
        yield from self._blocks
        fits = _KEPT // max(self._rows * self._deviations.inputs.common, 1)
        while len(self._blocks) < fits:
            self._blocks.append(self._stream.next(self._rows))
            yield self._blocks[-1]
        again = CommonStream(self._deviations.inputs, self._seed)
        for _ in self._blocks:
            again.next(self._rows)
        while True:
            yield again.next(self._rows)

    def _result(self, k: int, drawn: Array, *, settled_digits: bool) -> PointDraws:
        settings = self.measuring.settings
        along = drawn @ self.measuring.normals[k]
        return PointDraws(
            mean=np.mean(drawn, axis=0),
            covariance=np.cov(drawn, rowvar=False),
            sigma_normal=float(np.std(along, ddof=1)),
            interval=coverage_interval(along, settings.coverage, settings.interval),
            samples=len(drawn),
            settled=settled_digits,
            along=along,
        )
