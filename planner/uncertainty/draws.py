"""Drawn deviations of all points of a job together, so that what they share is shared."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.plan_types import Plan
from planner.uncertainty.deviations import DeviationKernel
from planner.uncertainty.measuring import Measuring, measuring_of
from planner.uncertainty.streams import CommonStream, TouchStreams
from robots.core.arrays import Array

_ROWS = 16_384  # point evaluations at a time: they stay in the processor's cache
_BLOCKS = 4  # of touches drawn at a time: asking the stream of each point takes a microsecond


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
    size = max(1, _ROWS * threads // max(len(measuring), 1))
    at_once = _BLOCKS * size
    for start in range(0, count, at_once):
        m = min(at_once, count - start)
        block, errors = touches.next(m), common.next(m)
        for first in range(0, m, size):
            part = slice(first, first + size)
            yield deviations(errors[part], block.own[part], block.steps[part], points)
