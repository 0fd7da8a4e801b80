"""Axes of a controller: which joints they are, and their units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.plan import Plan
from robots.core.arrays import Array
from robots.core.mechanism import Mechanism

ROBOT_AXES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """Joints by the axes of a controller with six rotary axes.

    Args:
        robot: indices of the variables that are robot axes, from axis 1 on.
        track: index of the variable that is the external axis; None where there is none.
    """

    robot: tuple[int, ...]
    track: int | None = None

    @property
    def idle(self) -> range:
        """Numbers of the robot axes that no joint of the job moves."""
        return range(len(self.robot) + 1, ROBOT_AXES + 1)


def axes_of(mechanism: Mechanism) -> Axes:
    """Assign joints to axes.

    A prismatic joint that carries six revolute ones is the track that an arm stands on, which
    controllers know as an external axis.

    Raises:
        ValueError: ``axes_fault`` names a reason.
    """
    fault = axes_fault(mechanism)
    if fault:
        raise ValueError(fault)
    if _has_track(mechanism):
        return Axes(robot=tuple(range(1, 1 + ROBOT_AXES)), track=0)
    return Axes(robot=tuple(range(mechanism.dof)))


def axes_fault(mechanism: Mechanism) -> str:
    """Say why joints cannot stand in six rotary axes and a track; empty where they can."""
    if _has_track(mechanism):
        return ""
    sliding = [joint.name for joint in mechanism.movable if not joint.kind.angular]
    if sliding:
        return (
            f"joint {sliding[0]!r} slides, but the robot axes are angles; only a track that "
            "carries six rotary joints can be an external axis"
        )
    if mechanism.dof > ROBOT_AXES:
        return f"the robot has {mechanism.dof} rotary joints, but the controller {ROBOT_AXES}"
    return ""


def six_rotary_fault(mechanism: Mechanism) -> str:
    """Say why joints are not the six rotary ones of an arm; empty where they are."""
    angular = [joint.kind.angular for joint in mechanism.movable]
    if angular == [True] * ROBOT_AXES:
        return ""
    sliding = angular.count(False)
    told = f", {sliding} of them sliding" if sliding else ""
    return f"it takes exactly {ROBOT_AXES} rotary joints, the robot has {len(angular)} joints{told}"


def _has_track(mechanism: Mechanism) -> bool:
    angular = [joint.kind.angular for joint in mechanism.movable]
    return mechanism.is_chain and angular == [False, *[True] * ROBOT_AXES]


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
