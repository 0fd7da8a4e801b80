"""The motion as rows, block by block: a long one never stands in memory whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from planner.plan import Instants, Plan, Samples, check_sample_count

BLOCK = 65_536  # samples drawn at once: with what they are made of, about 50 MB for five joints


class SampledMotion(Protocol):
    """Samples in order of time."""

    @property
    def count(self) -> int:
        """How many there are."""

    def blocks(self) -> Iterator[Samples]:
        """All of them, in runs; the same every time."""


@dataclass(slots=True, eq=False)
class _Drawn:
    """Samples of a trajectory; a motion of one block is kept, a longer one drawn every time."""

    plan: Plan
    period: float
    count: int
    _only: Samples | None = field(default=None)

    def blocks(self) -> Iterator[Samples]:
        period, trajectory = self.period, self.plan.trajectory
        if self.count > BLOCK:
            for first in range(0, self.count, BLOCK):
                yield trajectory.sample(period, first, min(first + BLOCK, self.count))
        else:
            if self._only is None:
                self._only = trajectory.sample(period)
            yield self._only


@dataclass(slots=True, eq=False)
class _Spaced:
    """Rows between which straight lines keep the plan's bounds; they are chosen once."""

    plan: Plan
    instants: Instants

    @property
    def count(self) -> int:
        return len(self.instants.t)

    def blocks(self) -> Iterator[Samples]:
        for first in range(0, self.count, BLOCK):
            yield self.plan.trajectory.samples_at(self.instants.take(slice(first, first + BLOCK)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InMemory:
    """Samples that are there already.

    Args:
        samples: all of them.
    """

    samples: Samples

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.samples.t)

    def blocks(self) -> Iterator[Samples]:
        """All of them at once."""
        yield self.samples


def sampled(plan: Plan) -> SampledMotion:
    """The motion at the job's sampling period, or spaced by the job's interpolation error.

    There is no row where no point is reached.

    Raises:
        JobError: more samples than are worth drawing, as of a robot that is made to creep.
    """
    period = plan.job.sampling_period
    if plan.timeline and period is None:
        bounds = np.array([*plan.interpolation_bounds.values()])
        return _Spaced(plan, plan.trajectory.spaced(bounds))
    if plan.timeline and period is not None:
        check_sample_count(plan, period)
        return _Drawn(plan, period, plan.trajectory.sample_count(period))
    n = plan.job.mechanism.dof
    joints, place = np.zeros((0, n)), np.zeros((0, 3))
    t, segment = np.zeros(0), np.zeros(0, dtype=np.int64)
    return InMemory(
        samples=Samples(
            t=t, segment=segment, q=joints, qd=joints, qdd=joints, tau=joints, position=place
        )
    )
