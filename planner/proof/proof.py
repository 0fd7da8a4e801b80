"""prove(plan): everything that matters in a plan, computed again by independent methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from planner.motion.sampled_motion import SampledMotion, sampled
from planner.plan import Plan
from planner.proof.check import Check
from planner.proof.dynamics import Dynamics, NoLoads
from planner.proof.evidence import CheckGroup, Evidence, gather, passages, segment_passages
from planner.proof.geometry import GeometryCheck
from planner.proof.limits import EffortLimits, JerkLimits, Limits
from planner.proof.line_rests import LineRests
from planner.proof.rates import Derivatives, InverseModels
from planner.proof.stated_points import StatedPoints
from planner.proof.timing import InterpolationCheck, TimingCheck, miss_borders
from planner.proof.touch import TouchCheck
from robots.core.views import Shown

if TYPE_CHECKING:
    from pandas import DataFrame

_NAMED = 5  # failed checks that a short text names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Proof(Shown):
    """A plan, the samples to be written of it, and every check of both.

    Args:
        plan: that was checked.
        motion: its samples, as they were checked and will be written.
        check_list: in the order in which the checks build on each other.
    """

    plan: Plan
    motion: SampledMotion
    check_list: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.check_list)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.check_list if not check.passed)

    @property
    def checks(self) -> DataFrame:
        """One row per check: its worst value beside its limit, and what was compared."""
        import pandas as pd

        names = ("name", "value", "limit", "unit", "passed", "explanation")
        rows = [[getattr(check, name) for name in names] for check in self.check_list]
        return pd.DataFrame(rows, columns=list(names))

    def _tables(self) -> Iterator[str]:
        yield self.checks.to_html(index=False)

    def _lines(self) -> Iterator[str]:
        verdict = "passed" if self.passed else "FAILED"
        yield f"Proof {verdict}: {len(self.check_list)} checks, {self.motion.count} samples"
        for check in self.failures[:_NAMED]:
            yield f"  {check.name}: {check.value:.4g} {check.unit}, limit {check.limit:.4g}"
        if len(self.failures) > _NAMED:
            yield f"  and {len(self.failures) - _NAMED} more"
        yield f"  of {repr(self.plan).splitlines()[0]}"


def prove(plan: Plan, motion: SampledMotion | None = None) -> Proof:
    """Check a plan by methods that share no formula with those that made it.

    The motion is checked in parts, so that memory does not grow with its length.

    Args:
        plan: to be checked.
        motion: samples that will be written; drawn at the job's period when None.

    Raises:
        JobError: more samples than are worth drawing.
        TypeError: no plan, such as a job that nobody has planned.

    Source: [LAMMARI12] §VI.7, figures 9-14 and 33-38 (direct models against inverse ones)
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"prove takes a Plan, not a {type(plan).__name__}: prove(plan(job)).")
    motion = sampled(plan) if motion is None else motion
    evidence = gather(plan)
    groups: list[CheckGroup] = [
        TimingCheck(evidence),
        GeometryCheck(evidence),
        points := StatedPoints(evidence),
        TouchCheck(evidence),
        Derivatives(evidence),
        InverseModels(evidence),
        Dynamics(evidence) if evidence.torques.known else NoLoads(evidence),
        Limits(evidence),
        JerkLimits(evidence),
        EffortLimits(evidence),
    ]
    if plan.job.sampling_period is None:
        groups.append(InterpolationCheck(evidence))
    groups += _clearance_checks(evidence)
    for passage, drawn in passages(evidence, motion):
        for group in groups:
            group.on_segments(passage)
        for samples in drawn:
            for group in groups:
                group.on_samples(samples)
    misses = _miss_checks(evidence, points)
    checks = (*(check for group in groups for check in group.checks()), *misses)
    return Proof(plan=plan, motion=motion, check_list=checks)


def _clearance_checks(evidence: Evidence, rests: LineRests | None = None) -> list[CheckGroup]:
    if not (evidence.plan.job.cell.solids or evidence.plan.job.mechanism.self_pairs):
        return []
    from planner.proof.clearances import ClearanceCheck

    return [ClearanceCheck(evidence, rests)]


def _miss_checks(evidence: Evidence, points: StatedPoints) -> list[Check]:
    """The searches that find nothing, checked like the motion that is meant to happen."""
    plan = evidence.plan
    if plan.miss is None:
        return []
    missed = replace(plan, timeline=plan.miss.timeline, trajectory=plan.miss.trajectory, miss=None)
    other = replace(evidence, plan=missed)
    own_points = np.array([s.point_index for s in missed.timeline], dtype=np.int64)
    geometry, derivatives, limits = GeometryCheck(other), Derivatives(other), Limits(other)
    others: list[CheckGroup] = [InverseModels(other), EffortLimits(other), TouchCheck(other)]
    others += _clearance_checks(other, evidence.rests)
    for passage in segment_passages(other):
        for group in (geometry, derivatives, limits, *others):
            group.on_segments(passage)
        points.on_misses(passage, own_points)
    found = [
        *miss_borders(plan),
        *geometry.on_lines("at Chebyshev's instants"),
        *derivatives.on_nodes(),
        *limits.within(),
        *(one for group in others for one in group.checks()),
    ]
    return [replace(one, name=f"miss: {one.name}") for one in found]
