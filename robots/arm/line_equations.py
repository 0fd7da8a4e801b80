"""Postures and joint rates of a straight probing line: the stylus keeps its direction.

Holding the direction needs the angular velocity *along* the stylus, not zero (sources.md,
decision 5). Rates are right for any stylus; postures in closed form are those of a straight one.

Source: [LAMMARI12] §III.3-III.5 for the models of first and second order; the 6 x 5 pseudo-inverse
with ω = 0 used there cannot hold the direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robots.arm.branch_equations import Reach, family_angles, target
from robots.arm.task_solution import task_solution
from robots.core.equations.algebra import ZERO, Functions, Scalar, Vec3, add, dot, scale, subtract
from robots.core.equations.kinematics import Rates, frames, link_rates, tool_frame
from robots.core.equations.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLine:
    """One straight line of the ball with the stylus held, and the family that follows it.

    Args:
        start: of the ball, base frame. [m]
        tangent: from start to end, base axes. [m]
        axis: unit stylus direction.
        signs: of shoulder, elbow and wrist.
        near: posture at the start; angles along the line join it without a jump. # (5,) [rad]
    """

    start: Vec3
    tangent: Vec3
    axis: Vec3
    signs: Vec3
    near: Sequence[Scalar]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldArm:
    """What of the arm the line needs beside its tree."""

    tree: Tree
    reach: Reach
    stylus_length: Scalar  # [m]
    offsets: Sequence[Scalar]  # (5,) [rad]


def line_state(arm: HeldArm, line: HeldLine, lam: Scalar, fn: Functions) -> list[Scalar]:
    """Joints and their two derivatives by λ at one place of a line, for a straight stylus.

    Each angle is its start plus atan2 of the turn since then, so whole turns never appear.

    Returns:
        q, dq/dλ, d²q/dλ². # (15,) [rad]
    """
    ball = add(line.start, scale(lam, line.tangent))
    goal = target(subtract(ball, scale(arm.stylus_length, line.axis)), line.axis, fn)
    q = []
    pairs = family_angles(arm.reach, goal, line.signs, fn)
    for (s, c), start, offset in zip(pairs, line.near, arm.offsets, strict=True):
        s0, c0 = fn.sin(start + offset), fn.cos(start + offset)
        q.append(start + fn.atan2(s * c0 - c * s0, c * c0 + s * s0))
    return [*q, *line_rates(arm.tree, q, line.tangent, fn, bent=False)]


def line_rates(
    tree: Tree, q: Sequence[Scalar], tangent: Vec3, fn: Functions, *, bent: bool
) -> list[Scalar]:
    """First and second derivative of the joints along a line of constant tangent.

    Args:
        tree: an arm of the family.
        q: joints on the line. # (5,) [rad]
        tangent: motion of the ball per unit of the path parameter, base axes. [m]
        fn: functions of the reading.
        bent: whether the ball may lie beside the stylus axis.

    Returns:
        dq/dλ then d²q/dλ². # (10,) [rad]
    """
    placed = frames(tree, q, fn)
    tool = tool_frame(tree, placed)
    still = [0.0] * tree.dof
    first = task_solution(placed, tool, (tangent, ZERO), bent=bent)
    carried = link_rates(tree, placed, first, still)[-1]
    bias = carried.at(subtract(tool.origin, placed[-1].origin))
    back = (scale(-1.0, bias.vd), _axis_bias(bias, tool.z))
    second = task_solution(placed, tool, back, bent=bent)
    return [*first, *second]


def _axis_bias(bias: Rates, d: Vec3) -> Vec3:
    """Angular acceleration that would cancel the stylus's acceleration at zero joint acceleration.

    d̈ = ω̇ × d + ω × (ω × d); with ω along d the last term vanishes, and ω̇ must lie along d.
    """
    along = dot(bias.wd, d)
    return subtract(scale(along, d), bias.wd)
