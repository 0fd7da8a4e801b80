"""Joints in the units that controllers have: degrees, and millimetres where a joint slides."""

from __future__ import annotations

import numpy as np

from planner.plan_types import Array, Plan


def angular_joints(plan: Plan) -> tuple[bool, ...]:
    """Whether each joint turns."""
    return tuple(joint.kind.angular for joint in plan.job.mechanism.movable)


def to_degrees(plan: Plan) -> Array:
    """Degrees per radian, or millimetres per metre, of each joint. # (n,)."""
    return np.where(angular_joints(plan), 180.0 / np.pi, 1e3)


def filled(q: Array, axes: int) -> Array:
    """Joint values with zeros for the axes that the robot of the job has not. # (m, axes)."""
    return np.pad(q, ((0, 0), (0, axes - q.shape[1])))
