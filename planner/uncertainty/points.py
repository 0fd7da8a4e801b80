"""Uncertainty of every point of a plan: the door of this package."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from planner.plan_types import Plan
from planner.uncertainty.branches import branch_sigmas
from planner.uncertainty.first_order import FirstOrder, first_order
from planner.uncertainty.intervals import normal_interval
from planner.uncertainty.measuring import (
    Measuring,
    measuring_of,
    measuring_of_presentation,
)
from planner.uncertainty.monte_carlo import PointDraws, monte_carlo
from planner.uncertainty.types import PointUncertainty

if TYPE_CHECKING:
    from planner.presenting.presentation import Presentation


def point_uncertainties(
    measured: Plan | Presentation | Measuring, *, branches: bool = True, threads: int = 1
) -> tuple[PointUncertainty, ...]:
    """Uncertainty of the points that are reached, in the job's order; on a presenter by pose.

    Moments and interval are those of ``samples`` Monte Carlo draws, or of as many as ``digits``
    asks for; with neither those of the first order. The budget is always of the first order.

    Args:
        measured: a plan, a presentation, or points with their postures.
        branches: whether the other branches of plans are looked at too.
        threads: processor cores to use; the result does not depend on it.

    Raises:
        JobError: the job has no [uncertainty].
    """
    measuring, plans = _looked_at(measured)
    linear = first_order(measuring)
    found = [_to_first_order(measuring, linear, k) for k in range(len(measuring))]
    settings = measuring.settings
    if settings.samples or settings.digits:
        runs = monte_carlo(measuring, threads=threads)
        found = [_drawn(point, run) for point, run in zip(found, runs, strict=True)]
    if branches and plans:
        told = [branch_sigmas(plan, measuring) for plan in plans]
        by_name = {name: own for names in told for name, own in names.items()}
        found = [replace(point, branches=by_name.get(point.name, ())) for point in found]
    return tuple(found)


def _looked_at(measured: Plan | Presentation | Measuring) -> tuple[Measuring, tuple[Plan, ...]]:
    """The points, and the plans whose branches can be compared."""
    if isinstance(measured, Measuring):
        return measured, ()
    if isinstance(measured, Plan):
        return measuring_of(measured), (measured,)
    return measuring_of_presentation(measured), tuple(pose.plan for pose in measured.poses)


def _to_first_order(measuring: Measuring, linear: FirstOrder, k: int) -> PointUncertainty:
    sigma = float(linear.sigma_normal[k])
    coverage = measuring.settings.coverage
    return PointUncertainty(
        name=measuring.names[k],
        mean=np.zeros(3),
        covariance=linear.covariances[k],
        sigma_normal=sigma,
        interval=normal_interval(sigma, coverage),
        coverage=coverage,
        method="first order",
        samples=0,
        settled=False,
        sigma_first_order=sigma,
        budget=linear.budgets[k],
    )


def _drawn(point: PointUncertainty, run: PointDraws) -> PointUncertainty:
    return replace(
        point,
        mean=run.mean,
        covariance=run.covariance,
        sigma_normal=run.sigma_normal,
        interval=run.interval,
        method="Monte Carlo",
        samples=run.samples,
        settled=run.settled,
    )
