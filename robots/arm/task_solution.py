"""The five-row task solved for the joints, in closed form and for any stylus.

The first three joints move the wrist centre in the arm's plane and the wrist takes up whatever
turns the stylus. A ball beside the stylus axis also moves when the stylus turns about itself, which
the task leaves free: that spin is one more unknown, and its equation is linear.

Source: [LAMMARI12] §III.3-III.5 for the models of first and second order; the 6 x 5 pseudo-inverse
with ω = 0 used there cannot hold the direction (sources.md, decision 5).
"""

from __future__ import annotations

from collections.abc import Sequence

from robots.core.equations.algebra import (
    ZERO,
    Functions,
    Scalar,
    Vec3,
    add,
    cross,
    dot,
    scale,
    subtract,
)
from robots.core.equations.kinematics import Frame, frames, tool_frame
from robots.core.equations.tree import Tree


def task_solution(
    placed: Sequence[Frame], tool: Frame, wanted: tuple[Vec3, Vec3], *, bent: bool
) -> list[Scalar]:
    """Joint rates that move the ball and turn the stylus.

    Args:
        placed: frames of the five links at the posture.
        tool: frame of the tool.
        wanted: motion of the ball [m] and rotation of the stylus [rad], base axes; the rotation
            counts only across the stylus.
        bent: whether the ball may lie beside the stylus axis.

    Returns:
        One per joint. # (5,) [rad]
    """
    linear, turning = wanted
    d, lever = tool.z, subtract(tool.origin, placed[4].origin)
    across = subtract(turning, scale(dot(turning, d), d))
    still = _of_wrist(placed, d, subtract(linear, cross(across, lever)), across)
    if not bent:
        return still
    # The stylus turning once about itself, the ball and the stylus's direction held.
    side = subtract(lever, scale(dot(lever, d), d))
    spinning = _of_wrist(placed, d, cross(side, d), ZERO)
    spin = _spin(placed, still, d) / (1.0 - _spin(placed, spinning, d))
    return [a + spin * b for a, b in zip(still, spinning, strict=True)]


def newton_step(
    tree: Tree, q: Sequence[Scalar], wanted: tuple[Vec3, Vec3], fn: Functions
) -> list[Scalar]:
    """Newton's step towards a ball position and a unit stylus direction.

    Args:
        tree: an arm of the family, its tool anywhere on the last link.
        q: joints. # (5,) [rad]
        wanted: position [m] and direction, base frame.
        fn: functions of the reading.

    Returns:
        The step, then distance [m] and sine of the angle still missing. # (7,)
    """
    placed = frames(tree, q, fn)
    tool = tool_frame(tree, placed)
    off, turning = subtract(wanted[0], tool.origin), cross(tool.z, wanted[1])
    missing = [fn.sqrt(dot(v, v)) for v in (off, turning)]
    return [*task_solution(placed, tool, (off, turning), bent=True), *missing]


def _of_wrist(placed: Sequence[Frame], d: Vec3, center: Vec3, turning: Vec3) -> list[Scalar]:
    """Joint rates that move the wrist centre and turn the stylus's direction."""
    q1, q2, q3 = _arm_rates(placed, center)
    z5 = placed[4].z
    swing = add(scale(q1, placed[0].z), scale(q2 + q3, placed[1].z))
    missing = subtract(turning, swing)
    side = cross(z5, d)
    return [q1, q2, q3, dot(missing, side) / dot(placed[3].z, side), dot(missing, z5)]


def _spin(placed: Sequence[Frame], rates: Sequence[Scalar], d: Vec3) -> Scalar:
    """Turning of the last link about the stylus direction."""
    total: Scalar = 0.0
    for frame, rate in zip(placed, rates, strict=True):
        total = total + rate * dot(frame.z, d)
    return total


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
