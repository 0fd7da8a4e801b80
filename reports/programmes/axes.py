"""Axes of a controller: which joints they are, and their units."""

from __future__ import annotations

import numpy as np

from planner.plan import Plan
from robots.core.arrays import Array
from robots.core.controller import Controller
from robots.core.mechanism import Mechanism

ROBOT_AXES = 6
EXTERNAL_AXES = 6


def axes_fault(mechanism: Mechanism, controller: Controller) -> str:
    """Say why joints cannot stand in six robot axes and six external ones; empty where they can.

    Where the controller solves straight lines its first six axes are those of an arm, which turn;
    where it does not they are single axes, of which each turns or slides as its machine data say.
    """
    kinds = {joint.name: joint.kind.angular for joint in mechanism.movable}
    sliding = [name for name in controller.axes[:ROBOT_AXES] if not kinds[name]]
    if sliding and controller.cartesian:
        return (
            f"joint {sliding[0]!r} slides, but an arm's six axes turn; name a track after them in "
            "controller.axes, or say controller.cartesian = false"
        )
    if mechanism.dof > ROBOT_AXES + EXTERNAL_AXES:
        return (
            f"the robot has {mechanism.dof} joints, but the controller {ROBOT_AXES} axes and "
            f"{EXTERNAL_AXES} external ones"
        )
    return ""


def six_rotary_fault(mechanism: Mechanism, controller: Controller) -> str:
    """Say why joints are not the six rotary ones of an arm; empty where they are."""
    del controller
    angular = [joint.kind.angular for joint in mechanism.movable]
    if angular == [True] * ROBOT_AXES:
        return ""
    sliding = angular.count(False)
    told = f", {sliding} of them sliding" if sliding else ""
    return f"it takes exactly {ROBOT_AXES} rotary joints, the robot has {len(angular)} joints{told}"


def angular_joints(plan: Plan) -> tuple[bool, ...]:
    """Whether each joint turns."""
    return tuple(joint.kind.angular for joint in plan.job.mechanism.movable)


def to_degrees(plan: Plan) -> Array:
    """Degrees per radian, or millimetres per metre, of each joint. # (n,)."""
    return np.where(angular_joints(plan), 180.0 / np.pi, 1e3)


def axis_scales(plan: Plan, controller: Controller) -> Array:
    """Degrees per radian, or millimetres per metre, of each axis of the controller. # (n,)."""
    return np.asarray(to_degrees(plan)[controller.order])


def axis_values(plan: Plan, controller: Controller, q: Array) -> Array:
    """Values that the controller shows. # (..., n) → (..., n) [deg, or mm where it slides]."""
    return np.asarray(controller.to_controller(q) * axis_scales(plan, controller))
