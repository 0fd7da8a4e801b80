"""Joints in the units that controllers have: degrees, and millimetres where a joint slides."""

from __future__ import annotations

import numpy as np

from planner.plan import Plan
from reports.programmes.axes import ROBOT_AXES, Axes
from robots.core.arrays import Array


def angular_joints(plan: Plan) -> tuple[bool, ...]:
    """Whether each joint turns."""
    return tuple(joint.kind.angular for joint in plan.job.mechanism.movable)


def to_degrees(plan: Plan) -> Array:
    """Degrees per radian, or millimetres per metre, of each joint. # (n,)."""
    return np.where(angular_joints(plan), 180.0 / np.pi, 1e3)


def robot_axes(plan: Plan, q: Array, axes: Axes) -> Array:
    """Values of the six robot axes, 0 where no joint moves one. # (m, 6) [deg]."""
    shown = (to_degrees(plan) * q)[:, list(axes.robot)]
    return np.pad(shown, ((0, 0), (0, ROBOT_AXES - shown.shape[1])))


def track_axis(plan: Plan, q: Array, axes: Axes) -> Array:
    """Values of the external axis, one column where there is one. # (m, 0 or 1) [mm]."""
    columns = [] if axes.track is None else [axes.track]
    return (to_degrees(plan) * q)[:, columns]
