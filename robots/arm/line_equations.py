"""Joint rates of a straight probing line: the ball moves, the stylus keeps its direction.

Holding the direction needs the angular velocity *along* the stylus, not zero (sources.md,
decision 5). With the stylus held, wrist centre and ball move alike: the first three joints follow
the wrist centre in the arm's plane, and the wrist takes up whatever turns the stylus.

Source: [LAMMARI12] §III.3-III.5 for the models of first and second order; the 6 x 5 pseudo-inverse
with ω = 0 used there cannot hold the direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robots.arm.branch_equations import Reach, family_angles, target
from robots.core.equations.algebra import (
    Scalar,
    Vec3,
    add,
    cross,
    dot,
    scale,
    subtract,
)
from robots.core.equations.functions import Functions
from robots.core.equations.rates import Rates, link_rates
from robots.core.equations.transforms import Frame, frames, tool_frame
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
    """Joints and their two derivatives by λ at one place of a line.

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
    return [*q, *line_rates(arm.tree, q, line.tangent, fn)]


def line_rates(tree: Tree, q: Sequence[Scalar], tangent: Vec3, fn: Functions) -> list[Scalar]:
    """First and second derivative of the joints along a line of constant tangent.

    Args:
        tree: an arm of the family.
        q: joints on the line. # (5,) [rad]
        tangent: motion of the ball per unit of the path parameter, base axes. [m]
        fn: functions of the reading.

    Returns:
        dq/dλ then d²q/dλ². # (10,) [rad]
    """
    placed = frames(tree, q, fn)
    tool = tool_frame(tree, placed)
    still = [0.0] * tree.dof
    first = _solve(placed, tool, tangent, (0.0, 0.0, 0.0))
    carried = link_rates(tree, placed, first, still)[-1]
    bias = carried.at(subtract(tool.origin, placed[-1].origin))
    second = _solve(placed, tool, scale(-1.0, bias.vd), _axis_bias(bias, tool.z))
    return [*first, *second]


def _axis_bias(bias: Rates, d: Vec3) -> Vec3:
    """Angular acceleration that would cancel the stylus's acceleration at zero joint acceleration.

    d̈ = ω̇ × d + ω × (ω × d); with ω along d the last term vanishes, and ω̇ must lie along d.
    """
    along = dot(bias.wd, d)
    return subtract(scale(along, d), bias.wd)


def _solve(placed: Sequence[Frame], tool: Frame, linear: Vec3, turning: Vec3) -> list[Scalar]:
    """Joint rates that move the ball by ``linear`` and add ``turning`` to the stylus's turning.

    ``turning`` counts only across the stylus.
    """
    q1, q2, q3 = _arm_rates(placed, _of_wrist(placed, tool, linear, turning))
    z5, d = placed[4].z, tool.z
    swing = (scale(q1, placed[0].z), scale(q2 + q3, placed[1].z))
    missing = subtract(subtract(turning, swing[0]), swing[1])
    side = cross(z5, d)
    q4 = dot(missing, side) / dot(placed[3].z, side)
    return [q1, q2, q3, q4, dot(missing, z5)]


def _of_wrist(placed: Sequence[Frame], tool: Frame, linear: Vec3, turning: Vec3) -> Vec3:
    """Motion of the wrist centre that goes with a motion of the ball."""
    lever = subtract(tool.origin, placed[4].origin)
    return subtract(linear, cross(turning, lever))


def _arm_rates(placed: Sequence[Frame], v: Vec3) -> tuple[Scalar, Scalar, Scalar]:
    """Rates of the first three joints for a motion of the wrist centre.

    Across the arm's plane only the shoulder moves it; in the plane, two parallel axes do.
    """
    shoulder, elbow, center = placed[1].origin, placed[2].origin, placed[3].origin
    z1, z2 = placed[0].z, placed[1].z
    reach, forearm = subtract(center, shoulder), subtract(center, elbow)
    upper = subtract(elbow, shoulder)
    # z1 x reach is along -z2 by the signed radius, as z2 is normal to the arm's plane.
    q1 = dot(v, z2) / dot(cross(z1, reach), z2)
    in_plane = subtract(v, scale(q1, cross(z1, reach)))
    # With both axes along z2: v = q2·(z2 x reach) + q3·(z2 x forearm).
    span = dot(cross(upper, forearm), z2)
    q2 = dot(in_plane, forearm) / span
    q3 = -(dot(in_plane, reach) / span)
    return q1, q2, q3
