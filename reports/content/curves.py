"""Curves over time, thinned so that no peak is lost, with the quantity's limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.plan import Plan
from reports.drawn_samples import DrawnSamples, decimated
from robots.core.arrays import Array

BUCKETS = 600  # per curve on a page: a peak and a trough in each


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """One curve.

    Args:
        name: of the joint, or "total".
        unit: of values and limits.
        t: ascending. # (M,) [s]
        values: # (M,)
        lower: limit, -inf for none.
        upper: limit, inf for none.
        peak: largest absolute value over the exact motion; NaN where only samples are known.
    """

    name: str
    unit: str
    t: Array
    values: Array
    lower: float
    upper: float
    peak: float = np.nan


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveSet:
    """One quantity of all joints.

    Args:
        key: short, for anchors.
        title: for readers.
        panels: one per joint.
    """

    key: str
    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Quantity:
    key: str
    title: str
    values: Array  # (M, n)
    lower: Array  # (n,)
    upper: Array  # (n,)
    units: tuple[str, str]  # of a joint that turns, of one that slides
    peaks: Array  # (n,)


def curve_sets(plan: Plan, drawn: DrawnSamples) -> tuple[CurveSet, ...]:
    """Position, speed, acceleration, torque and power of every joint, then total power.

    Torques and powers are left out where the robot's masses are not known.
    """
    if not plan.timeline:
        return ()
    joints = plan.job.mechanism.movable
    sets = []
    for quantity in _quantities(plan, drawn):
        panels = []
        for k, joint in enumerate(joints):
            curve = decimated(drawn.samples.t, quantity.values[:, k], BUCKETS)
            panels.append(
                Panel(
                    name=joint.name,
                    unit=quantity.units[0 if joint.kind.angular else 1],
                    t=curve.t,
                    values=curve.values,
                    lower=float(quantity.lower[k]),
                    upper=float(quantity.upper[k]),
                    peak=float(quantity.peaks[k]),
                )
            )
        sets.append(CurveSet(key=quantity.key, title=quantity.title, panels=tuple(panels)))
    return (*sets, *_total_power(plan, drawn))


def _quantities(plan: Plan, drawn: DrawnSamples) -> Iterator[_Quantity]:
    mechanism, samples, loads = plan.job.mechanism, drawn.samples, plan.joint_loads
    angular = np.array([joint.kind.angular for joint in mechanism.movable])
    scale = np.where(angular, 180.0 / np.pi, 1e3)
    none = np.full(mechanism.dof, np.inf)

    def both_ways(
        key: str, title: str, values: Array, limits: Array, units: tuple[str, str]
    ) -> _Quantity:
        field = f"peak_{key}"
        return _Quantity(
            key=key,
            title=title,
            values=values,
            lower=-limits,
            upper=limits,
            units=units,
            peaks=np.array([getattr(load, field) for load in loads]),
        )

    yield _Quantity(
        key="position",
        title="Joint positions",
        values=scale * samples.q,
        lower=scale * mechanism.q_min,
        upper=scale * mechanism.q_max,
        units=("deg", "mm"),
        peaks=np.full(mechanism.dof, np.nan),
    )
    speeds, pushes = mechanism.max_speed, mechanism.max_acceleration
    yield both_ways("velocity", "Joint speeds", samples.qd, speeds, ("rad/s", "m/s"))
    yield both_ways("acceleration", "Joint accelerations", samples.qdd, pushes, ("rad/s²", "m/s²"))
    if not mechanism.masses_known:
        return
    yield both_ways("torque", "Joint torques", samples.tau, plan.job.effort_limits, ("N m", "N"))
    yield both_ways("power", "Joint powers", samples.tau * samples.qd, none, ("W", "W"))


def _total_power(plan: Plan, drawn: DrawnSamples) -> Iterator[CurveSet]:
    """Yield the curve; nothing where power is not evaluated."""
    most, least = plan.totals.peak_power, plan.totals.min_power
    if most is None or least is None:
        return
    curve = decimated(drawn.samples.t, drawn.samples.power, BUCKETS)
    panel = Panel(
        name="total",
        unit="W",
        t=curve.t,
        values=curve.values,
        lower=-np.inf,
        upper=np.inf,
        peak=max(most, -least),
    )
    yield CurveSet(key="total-power", title="Total power", panels=(panel,))
