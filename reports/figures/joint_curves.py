"""Position, speed, acceleration, torque and power of every joint over time, with their limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from planner.plan import Plan, Samples
from reports.drawn_samples import DrawnSamples
from reports.figures import time_axis
from reports.figures.decimation import decimated
from reports.figures.style import BLUE, LIMIT, LIMIT_DASHES, QUIET, WIDTH, caption
from reports.limits import torque_limits
from robots.core.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = 1.45  # [in]
_ABOVE, _BELOW = 0.75, 0.75  # [in]
_NEAR = 1.2  # a limit is drawn where it is no farther than this many heights of the curve


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointCurve:
    """What one figure shows of all joints.

    Args:
        name: of the file.
        title: of the figure.
        values: # (N, n)
        lower: limits, infinite where there are none. # (n,)
        upper: # (n,)
        units: of each joint.
    """

    name: str
    title: str
    values: Array
    lower: Array
    upper: Array
    units: tuple[str, ...]


def quantities(plan: Plan, samples: Samples) -> Iterator[JointCurve]:
    """The five quantities, in the units a reader expects; angles in degrees."""
    mechanism = plan.job.mechanism
    angular = np.array([joint.kind.angular for joint in mechanism.movable])
    scale = np.where(angular, 180.0 / np.pi, 1e3)
    none = np.full(mechanism.dof, np.inf)

    def quantity(
        name: str, title: str, values: Array, limits: Array, units: tuple[str, str]
    ) -> JointCurve:
        told = tuple(units[0] if turning else units[1] for turning in angular)
        return JointCurve(
            name=name, title=title, values=values, lower=-limits, upper=limits, units=told
        )

    yield JointCurve(
        name="joint-position",
        title="Joint positions",
        values=scale * samples.q,
        lower=scale * mechanism.q_min,
        upper=scale * mechanism.q_max,
        units=tuple("deg" if turning else "mm" for turning in angular),
    )
    yield quantity("joint-speed", "Joint speeds", samples.qd, mechanism.max_speed, ("rad/s", "m/s"))
    yield quantity(
        "joint-acceleration",
        "Joint accelerations",
        samples.qdd,
        mechanism.max_acceleration,
        ("rad/s²", "m/s²"),
    )
    limits = torque_limits(plan)
    yield quantity("joint-torque", "Joint torques", samples.tau, limits, ("N m", "N"))
    yield quantity("joint-power", "Joint powers", samples.tau * samples.qd, none, ("W", "W"))


def joint_figure(plan: Plan, drawn: DrawnSamples, shown: JointCurve) -> Figure:
    """One panel per joint, one above the other."""
    from matplotlib.figure import Figure

    count = shown.values.shape[1]
    height = count * _PANEL + _ABOVE + _BELOW
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.1, right=0.965, top=1 - _ABOVE / height, bottom=_BELOW / height, hspace=0.16
    )
    for joint, axis in enumerate(axes):
        _draw_joint(axis, plan, drawn.samples.t, shown, joint)
    time_axis.name_points(axes[0], plan)
    time_axis.limit_time(axes[-1], plan)
    time_axis.kind_legend(figure, plan, limits=bool(np.any(np.isfinite(shown.upper))))
    figure.align_ylabels(list(axes))
    note = time_axis.drawing_note(plan, drawn)
    caption(figure, f"{shown.title}: {plan.job.name}", note)
    return figure


def _draw_joint(axis: Axes, plan: Plan, t: Array, shown: JointCurve, joint: int) -> None:
    values = shown.values[:, joint]
    time_axis.shade(axis, plan)
    curve = decimated(t, values)
    axis.plot(curve.t, curve.values, color=BLUE, linewidth=time_axis.line_width(plan))
    name, unit = plan.joint_loads[joint].name, shown.units[joint]
    axis.set_ylabel(f"{name} [{unit}]")
    axis.margins(y=0.08)
    _draw_limits(axis, values, shown, joint)


def _draw_limits(axis: Axes, values: Array, shown: JointCurve, joint: int) -> None:
    """Limits beside the panel, and as dashed lines where they do not flatten the curve."""
    lower, upper = float(shown.lower[joint]), float(shown.upper[joint])
    low, high = float(values.min()), float(values.max())
    for limit, distance in ((lower, low - lower), (upper, upper - high)):
        if distance <= _NEAR * (high - low):
            axis.axhline(limit, color=LIMIT, linewidth=1.0, linestyle=LIMIT_DASHES)
    axis.text(
        *(1.008, 0.5, _limit_text(lower, upper, shown.units[joint])),
        transform=axis.transAxes,
        rotation=90.0,
        va="center",
        fontsize=7.0,
        color=QUIET,
    )


def _limit_text(lower: float, upper: float, unit: str) -> str:
    if np.isinf(lower) and np.isinf(upper):
        return ""
    if lower == -upper:
        return f"limit ±{upper:.4g} {unit}"
    return f"limits {lower:.4g} to {upper:.4g} {unit}"
