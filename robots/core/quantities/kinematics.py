"""Recorded quantities of motion: poses, Jacobians, velocities, accelerations, statics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robots.core.equations.algebra import Vec3, subtract
from robots.core.equations.functions import Functions
from robots.core.equations.jacobian import (
    AngleSet,
    Column,
    analytic_jacobian,
    geometric_jacobian,
    statics,
)
from robots.core.equations.rates import Rates, link_rates
from robots.core.equations.transforms import Frame, frames, tool_frame
from robots.core.equations.tree import Tree
from robots.core.quantities.definition import Arguments, Equations, Quantity


def _placed(tree: Tree, q: Sequence[Any], fn: Functions) -> tuple[list[Frame], Frame]:
    placed = frames(tree, q, fn)
    return placed, tool_frame(tree, placed)


def _flat_pose(frame: Frame) -> list[Any]:
    rows = zip(frame.rotation, frame.origin, strict=True)
    return [x for row, p in rows for x in (*row, p)] + [0.0, 0.0, 0.0, 1.0]


def _by_rows(columns: Sequence[Sequence[Any]]) -> list[Any]:
    return [x for row in zip(*columns, strict=True) for x in row]


def _forward(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return _flat_pose(_placed(tree, args[0], fn)[1])


def _transforms(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return [x for frame in frames(tree, args[0], fn) for x in _flat_pose(frame)]


def _tool_columns(tree: Tree, q: Sequence[Any], fn: Functions) -> tuple[list[Column], Frame]:
    placed, tool = _placed(tree, q, fn)
    return geometric_jacobian(tree, placed, tree.tool_link, tool.origin), tool


def _jacobian(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return _by_rows(_tool_columns(tree, args[0], fn)[0])


def _tool_jacobian(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    placed, tool = _placed(tree, args[0], fn)
    return _by_rows(geometric_jacobian(tree, placed, tree.tool_link, tool.origin, tool.rotation))


def _analytic(angles: AngleSet) -> Equations:
    def equations(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
        columns, tool = _tool_columns(tree, args[0], fn)
        return _by_rows(analytic_jacobian(columns, tool.rotation, angles, fn))

    return equations


def _statics(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    q, wrench = args
    force: Vec3 = (wrench[0], wrench[1], wrench[2])
    moment: Vec3 = (wrench[3], wrench[4], wrench[5])
    return statics(_tool_columns(tree, q, fn)[0], force, moment)


def _tool_rates(
    tree: Tree, motion: tuple[Sequence[Any], Sequence[Any], Sequence[Any]], fn: Functions
) -> Rates:
    q, qd, qdd = motion
    placed, tool = _placed(tree, q, fn)
    carrier = link_rates(tree, placed, qd, qdd)[tree.tool_link]
    return carrier.at(subtract(tool.origin, placed[tree.tool_link].origin))


def _velocity(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    rates = _tool_rates(tree, (args[0], args[1], [0.0] * tree.dof), fn)
    return [*rates.v, *rates.w]


def _acceleration(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    rates = _tool_rates(tree, (args[0], args[1], args[2]), fn)
    return [*rates.vd, *rates.wd]


def _bias_acceleration(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    rates = _tool_rates(tree, (args[0], args[1], [0.0] * tree.dof), fn)
    return [*rates.vd, *rates.wd]


KINEMATICS = (
    Quantity(
        name="forward",
        purpose="pose of the tool in the base frame",
        arguments=("q",),
        shape=(4, 4),
        equations=_forward,
    ),
    Quantity(
        name="transforms",
        purpose="pose of every link in the base frame",
        arguments=("q",),
        shape=("links", 4, 4),
        equations=_transforms,
    ),
    Quantity(
        name="jacobian",
        purpose="geometric Jacobian at the tool, base axes, linear rows first",
        arguments=("q",),
        shape=(6, "n"),
        equations=_jacobian,
    ),
    Quantity(
        name="tool_jacobian",
        purpose="geometric Jacobian at the tool, tool axes",
        arguments=("q",),
        shape=(6, "n"),
        equations=_tool_jacobian,
    ),
    Quantity(
        name="jacobian_zxz",
        purpose="analytic Jacobian for Euler angles ZXZ",
        arguments=("q",),
        shape=(6, "n"),
        equations=_analytic(AngleSet.ZXZ),
    ),
    Quantity(
        name="jacobian_rpy",
        purpose="analytic Jacobian for yaw, pitch and roll",
        arguments=("q",),
        shape=(6, "n"),
        equations=_analytic(AngleSet.RPY),
    ),
    Quantity(
        name="statics",
        purpose="joint torques that a tool wrench on the environment asks for",
        arguments=("q", "wrench"),
        shape=("n",),
        equations=_statics,
    ),
    Quantity(
        name="velocity",
        purpose="linear and angular velocity of the tool, base axes",
        arguments=("q", "qd"),
        shape=(6,),
        equations=_velocity,
    ),
    Quantity(
        name="acceleration",
        purpose="linear and angular acceleration of the tool, base axes",
        arguments=("q", "qd", "qdd"),
        shape=(6,),
        equations=_acceleration,
    ),
    Quantity(
        name="bias_acceleration",
        purpose="acceleration of the tool at zero joint acceleration, J̇·qd",
        arguments=("q", "qd"),
        shape=(6,),
        equations=_bias_acceleration,
    ),
)
