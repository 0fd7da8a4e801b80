"""Monte Carlo propagation, point by point: moments, interval along the normal, settled digits.

Source: JCGM 101:2008 (GUM Supplement 1) §7; several outputs as in JCGM 102:2011 §7
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from planner.errors import JobError
from planner.job.uncertainty import Interval
from planner.plan import Plan
from planner.uncertainty.deviations import DeviationKernel, Inputs
from planner.uncertainty.measuring import Measuring, measuring_of
from robots.core.arrays import Array, Indices

_ROWS = 8192  # draws at a time, at most: they stay in the processor's cache
_KEPT = 16_000_000  # common draws kept for the next point [numbers]
_MOST_BLOCKS = 1000  # of the adaptive procedure
_LEAST = 2
_LEAST_BLOCKS = 5  # the source asks for two, which agree by chance too often
_DRAWS_ROWS = 16_384  # point evaluations at a time: they stay in the processor's cache
_BLOCKS = 4  # of touches drawn at a time: asking the stream of each point takes a microsecond


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointDraws:
    """Monte Carlo draws of one point. Deviations are measured minus true, base axes.

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
    measuring: Measuring, *, count: int | None = None, seed: int | None = None, threads: int = 1
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


def draws(
    measured: Plan | Measuring,
    *,
    count: int | None = None,
    seed: int | None = None,
    threads: int = 1,
) -> Iterator[Array]:
    """Deviations of the measured points, measured less true, in chunks of draws.

    One draw is one virtual measurement of the whole job: the arm's geometry, the temperatures and
    the part's pose are drawn once for all its points, readings and touches for each. Add
    ``surfaces`` to have measured points; turn them into the part's frame to compare there.

    Args:
        measured: a plan, of which the points are those reached, or the points themselves.
        count: draws; default the job's ``samples``.
        seed: default the job's.
        threads: processor cores to use; the draws do not depend on it.

    Yields:
        # (m, points, 3) [m], base axes; all m add up to ``count``.

    Raises:
        JobError: the job has no [uncertainty].
    """
    measuring = measuring_of(measured) if isinstance(measured, Plan) else measured
    settings = measuring.settings
    count = settings.samples if count is None else count
    return _chunks(measuring, count, settings.seed if seed is None else seed, threads)


def _chunks(measuring: Measuring, count: int, seed: int, threads: int) -> Iterator[Array]:
    deviations = DeviationKernel(measuring, threads)
    points = np.arange(len(measuring))
    common = CommonStream(deviations.inputs, seed)
    touches = TouchStreams(deviations.inputs, points, seed)
    size = max(1, _DRAWS_ROWS * threads // max(len(measuring), 1))
    at_once = _BLOCKS * size
    for start in range(0, count, at_once):
        m = min(at_once, count - start)
        block, errors = touches.next(m), common.next(m)
        for first in range(0, m, size):
            part = slice(first, first + size)
            yield deviations(errors[part], block.own[part], block.steps[part], points)


# ----------------------------------------------------------------------------------------- Streams
# Every stream is NumPy's SFC64, seeded by SeedSequence(seed, spawn_key=(kind, point)), kind 0 for
# the common inputs, 1 for the normal and 2 for the uniform inputs of a touch, and read in order of
# draws. So a draw depends on the seed and the point's place only: not on chunks, threads, other
# points.

_COMMON, _NORMAL, _UNIFORM = range(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """The next draws of some points.

    Args:
        own: standard normal. # (m, k, w)
        steps: uniform from -1/2 to 1/2. # (m, k, s)
    """

    own: Array
    steps: Array


class CommonStream:
    """Draws of the inputs that all points share.

    Args:
        inputs: how many there are.
        seed: of everything.
    """

    def __init__(self, inputs: Inputs, seed: int) -> None:
        self._width = inputs.common
        self._generator = _generator(seed, _COMMON, 0)

    def next(self, draws: int) -> Array:
        """Standard normal draws. # (draws, S)."""
        return self._generator.standard_normal((draws, self._width))


class TouchStreams:
    """Draws of the inputs of each touch.

    Args:
        inputs: how many there are.
        points: places of the points. # (k,)
        seed: of everything.
    """

    def __init__(self, inputs: Inputs, points: Indices, seed: int) -> None:
        self._normal = inputs.own
        self._uniform = len(inputs.stepped)
        self._generators = [
            (_generator(seed, _NORMAL, k), _generator(seed, _UNIFORM, k)) for k in points.tolist()
        ]

    def next(self, draws: int) -> Block:
        """The next draws of every point."""
        count = len(self._generators)
        own = np.empty((count, draws, self._normal))
        steps = np.empty((count, draws, self._uniform))
        for k, (normal, uniform) in enumerate(self._generators):
            normal.standard_normal(out=own[k])
            uniform.random(out=steps[k])
        steps -= 0.5
        return Block(own=own.swapaxes(0, 1), steps=steps.swapaxes(0, 1))


def _generator(seed: int, kind: int, point: int) -> np.random.Generator:
    sequence = np.random.SeedSequence(seed, spawn_key=(kind, point))
    return np.random.Generator(np.random.SFC64(sequence))


# --------------------------------------------------------------------------------------- Intervals
# Source: JCGM 101:2008 (GUM Supplement 1) §7.7 intervals, §7.9 adaptive procedure


def coverage_interval(values: Array, coverage: float, kind: Interval) -> tuple[float, float]:
    """Interval that holds a stated part of the drawn values.

    Args:
        values: draws. # (m,)
        coverage: probability, above 0 and below 1.
        kind: "symmetric": as many values beyond either end; "shortest": the narrowest.
    """
    ordered = np.sort(values)
    m = ordered.size
    inside = min(max(math.floor(coverage * m + 0.5), 1), m - 1)
    if kind == "symmetric":
        first = (m - inside) // 2
    else:
        first = int(np.argmin(ordered[inside:] - ordered[: m - inside]))
    return float(ordered[first]), float(ordered[first + inside])


def normal_interval(sigma: float, coverage: float) -> tuple[float, float]:
    """Interval of a normal distribution about zero."""
    half = NormalDist().inv_cdf(0.5 + 0.5 * coverage) * sigma
    return -half, half


def block_size(coverage: float) -> int:
    """Draws of one block of the adaptive procedure: enough beyond the ends of the interval."""
    return max(math.ceil(100.0 / (1.0 - coverage)), 10_000)


def tolerance(sigma: float, digits: int) -> float:
    """Half a unit in the last of some significant digits of a standard deviation."""
    if sigma <= 0.0:
        return 0.0
    exponent = math.floor(math.log10(sigma)) - digits + 1
    if round(sigma / 10.0**exponent) >= 10**digits:  # 0.0996 to two digits is 0.10
        exponent += 1
    return 0.5 * 10.0**exponent


def settled(blocks: Sequence[Array], sigma: float, digits: int) -> bool:
    """Return whether twice the standard deviation of every mean statistic is below the tolerance.

    Args:
        blocks: mean, standard deviation, both ends of the interval, of each block. # each (4,)
        sigma: standard deviation of all draws so far.
        digits: significant digits of it that are to hold.
    """
    if len(blocks) < 2:
        return False
    spread = np.std(np.array(blocks), axis=0, ddof=1) / math.sqrt(len(blocks))
    return bool(np.all(2.0 * spread <= tolerance(sigma, digits)))
