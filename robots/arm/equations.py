"""Equations of the measuring arm over scalars: branches, probing lines, five-row task.

Position and probe axis fix the five joints up to eight families: the shoulder faces the point or
turns its back to it, the elbow bends one way or the other, the wrist is flipped or not.

The position is Paul's type 8 in (q2, q3) once q1 is known; the axis, carried into frame 3, gives q4
and q5 by type 3. No family is ever lost: roots that rounding makes slightly negative count as zero,
and how far a point lies out of reach is told by ``reserve``. Only a wrist centre at the shoulder
itself leaves q2 undefined; it is then an argument, as q1 is on the first joint's axis.

Source: [LAMMARI12] §VI.5.5 with atan2 for every quotient (sources.md: the printed forms lose the
quadrant, and Sq5 = …/Sq4 fails at q4 = 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from robots.arm.family import ArmFamily
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
from robots.core.equations.kinematics import Frame, Rates, frames, link_rates, tool_frame
from robots.core.equations.tree import Tree, tree_of
from robots.core.kernels.recordings import recorded
from robots.core.mechanism import Mechanism
from robots.core.recording import Node, Programme, Recorder, recording_functions

SIGNS = (1.0, -1.0)
FAMILIES = tuple(product(SIGNS, SIGNS, SIGNS))  # (shoulder, elbow, wrist)
_NOTHING = 1e-150  # lost beside any length; its square is still a number [m]
SineCosine = tuple[Scalar, Scalar]  # of one angle, up to a common positive factor


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmDimensions:
    """Dimensions of the arm that its inverse needs. [m]."""

    shoulder_height: Scalar  # r1
    upper_arm: Scalar  # d3
    forearm: Scalar  # r4
    stylus: SineCosine = (-1.0, 0.0)  # its direction about z5, from x5


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchTarget:
    """Target of the wrist centre and the stylus, and the first joint's direction.

    Args:
        center: wrist centre, base frame. [m]
        axis: unit direction of the stylus, from wrist to ball, base axes.
        facing: sine and cosine of the first joint when the arm faces the point.
        turned: the same up to a positive factor.
        along: wrist centre along the facing direction, from the first joint's axis, and its square
            (which needs no root). [m], [m²]
        raised: sine and cosine of the second joint where the target leaves it free.
    """

    center: Vec3
    axis: Vec3
    facing: SineCosine
    turned: SineCosine
    along: tuple[Scalar, Scalar]
    raised: SineCosine | None = None


def target(center: Vec3, axis: Vec3, fn: Functions, free: Sequence[Scalar] = ()) -> BranchTarget:
    """A target, with values for the joints that it leaves free.

    Args:
        center: wrist centre, base frame. [m]
        axis: unit direction of the stylus.
        fn: functions of the reading.
        free: nothing, so that the first joint faces the point; its value, where the point is on
            its axis; or values of the first two joints, where the point is the shoulder itself.
            [rad]
    """
    return _held_target(center, axis, fn, free) if free else _faced_target(center, axis, fn)


def _faced_target(center: Vec3, axis: Vec3, fn: Functions) -> BranchTarget:
    """The first joint faces the point; forward for a point on its axis."""
    x, y = center[0] + _NOTHING, center[1]
    square = x * x + y * y
    radius = fn.sqrt(square)
    scale = 1.0 / radius
    return BranchTarget(
        center=center,
        axis=axis,
        facing=(y * scale, x * scale),
        turned=(center[1], center[0]),
        along=(radius, square),
    )


def _held_target(center: Vec3, axis: Vec3, fn: Functions, free: Sequence[Scalar]) -> BranchTarget:
    pairs = [(fn.sin(angle), fn.cos(angle)) for angle in free]
    s1, c1 = pairs[0]
    along = center[0] * c1 + center[1] * s1
    return BranchTarget(
        center=center,
        axis=axis,
        facing=pairs[0],
        turned=pairs[0],
        along=(along, along * along),
        raised=pairs[1] if len(pairs) > 1 else None,
    )


def reserve(reach: ArmDimensions, goal: BranchTarget) -> Scalar:
    """cos² q3: zero when the arm is stretched or folded, negative out of reach."""
    s3 = _sine_of_elbow(reach, goal)
    return 1.0 - s3 * s3


def family_angles(
    reach: ArmDimensions, goal: BranchTarget, signs: tuple[Scalar, Scalar, Scalar], fn: Functions
) -> list[SineCosine]:
    """Joint angles of one family, as sines and cosines up to a positive factor.

    Args:
        reach: the arm's dimensions.
        goal: where to go.
        signs: +1 or -1 for shoulder, elbow and wrist.
        fn: functions of the reading.

    Returns:
        Five pairs; atan2 of each is the angle.
    """
    shoulder, elbow, wrist = signs
    s1, c1 = goal.facing
    axis = goal.axis
    s3 = _sine_of_elbow(reach, goal)
    square = fn.maximum(1.0 - s3 * s3, 0.0)
    c3 = fn.sqrt(square) * elbow
    if goal.raised is None:
        q2 = _upper_arm(reach, goal, shoulder, (s3, c3))
        scale = 1.0 / fn.sqrt(_square_of_upper_arm(reach, goal, (s3, square)))
    else:
        q2, scale = goal.raised, 1.0
    s2, c2 = q2[0] * scale, q2[1] * scale
    s23, c23 = s2 * c3 + c2 * s3, c2 * c3 - s2 * s3
    # The stylus in frame 3: in the arm's plane (vx, vy), and across it (w).
    u = (c1 * axis[0] + s1 * axis[1]) * shoulder
    w = (c1 * axis[1] - s1 * axis[0]) * shoulder
    vx = c23 * u + s23 * axis[2]
    vy = c23 * axis[2] - s23 * u
    side = fn.sqrt(vx * vx + w * w) * wrist
    sg, cg = reach.stylus
    return [
        (goal.turned[0] * shoulder, goal.turned[1] * shoulder),
        q2,
        (s3, c3),
        (-w * wrist, vx * wrist),
        (vy * cg - side * sg, side * cg + vy * sg),
    ]


def _sine_of_elbow(reach: ArmDimensions, goal: BranchTarget) -> Scalar:
    """Cosine rule of the triangle shoulder, elbow, wrist centre."""
    d, r = reach.upper_arm, reach.forearm
    far = _square_of_distance(reach, goal)
    return (far - (d * d + r * r)) * (1.0 / (2.0 * (d * r)))


def _square_of_distance(reach: ArmDimensions, goal: BranchTarget) -> Scalar:
    """Wrist centre from the shoulder. [m²]."""
    height = _height(reach, goal)
    return goal.along[1] + height * height


def _height(reach: ArmDimensions, goal: BranchTarget) -> Scalar:
    """Wrist centre above the shoulder. [m]."""
    return goal.center[2] - reach.shoulder_height


def _upper_arm(
    reach: ArmDimensions, goal: BranchTarget, shoulder: Scalar, elbow: SineCosine
) -> SineCosine:
    """Type 8 with the elbow known: d·C2 + r·S23 = A and d·S2 - r·C23 = B."""
    A, B = goal.along[0] * shoulder, _height(reach, goal)
    s3, c3 = elbow
    m, k = reach.upper_arm + reach.forearm * s3, reach.forearm * c3
    return k * A + m * B, m * A - k * B


def _square_of_upper_arm(
    reach: ArmDimensions, goal: BranchTarget, elbow: tuple[Scalar, Scalar]
) -> Scalar:
    """Sum of the squares of that pair, from s3 and c3²: it is the same for all families.

    Within the reach it is the fourth power of the distance; the clamped arm only points there.
    """
    s3, square = elbow
    m, r = reach.upper_arm + reach.forearm * s3, reach.forearm
    return (m * m + r * r * square) * _square_of_distance(reach, goal)


# -------------------------------------------------------------------------- Straight probing lines
# Holding the direction needs the angular velocity *along* the stylus, not zero (sources.md,
# decision 5). Rates are right for any stylus; postures in closed form are those of a straight one.
#
# Source: [LAMMARI12] §III.3-III.5 for the models of first and second order; the 6 x 5 pseudo-
# inverse with ω = 0 used there cannot hold the direction.


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedStylusLine:
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
class FixedStylusArm:
    """The arm as the equations of a line need it."""

    tree: Tree
    reach: ArmDimensions
    stylus_length: Scalar  # [m]
    offsets: Sequence[Scalar]  # (5,) [rad]


def line_state(
    arm: FixedStylusArm, line: FixedStylusLine, lam: Scalar, fn: Functions
) -> list[Scalar]:
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


# ---------------------------------------------------------------- Joint rates of the five-row task
# The first three joints move the wrist centre in the arm's plane and the wrist takes up whatever
# turns the stylus. A ball beside the stylus axis also moves when the stylus turns about itself,
# which the task leaves free: that spin is one more unknown, and its equation is linear.
#
# Source: [LAMMARI12] §III.3-III.5 for the models of first and second order; the 6 x 5 pseudo-
# inverse with ω = 0 used there cannot hold the direction (sources.md, decision 5).


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


# -------------------------------------------------------------------------------------- Programmes

ANGLES = len(FAMILIES) * 5
LINE_NUMBERS = 17  # start, tangent, axis, signs, posture at the start


@recorded(lambda family, *, free=0: (repr(_reach(family)), free))
def branch_programme(family: ArmFamily, *, free: int = 0) -> Programme:
    """Wrist centre and stylus direction to eight families and the reserve of reach. # (41,).

    Args:
        family: the arm.
        free: how many of the first joints are arguments: 1 for points on the first joint's axis, 2
            for the shoulder itself.
    """
    recorder = Recorder()
    fn = recording_functions()
    center = _vector(recorder.argument("center", (3,)))
    axis = _vector(recorder.argument("axis", (3,)))
    given = recorder.argument("free", (free,)) if free else []
    reach = _reach(family)
    goal = target(center, axis, fn, given)
    angles = [
        fn.atan2(sine, cosine)
        for signs in FAMILIES
        for sine, cosine in family_angles(reach, goal, signs, fn)
    ]
    return recorder.programme("arm_branches", [*angles, reserve(reach, goal)], (ANGLES + 1,))


@recorded(lambda mechanism, family: repr(_held(mechanism, family)))
def line_programme(mechanism: Mechanism, family: ArmFamily) -> Programme:
    """A line (17 numbers) and λ to q, dq/dλ and d²q/dλ², for a straight stylus. # (15,)."""
    recorder = Recorder()
    numbers = recorder.argument("line", (LINE_NUMBERS,))
    lam = recorder.argument("lam", (1,))[0]
    start, tangent, axis, signs = (_vector(numbers[k : k + 3]) for k in range(0, 12, 3))
    arm = _held(mechanism, family)
    line = FixedStylusLine(start=start, tangent=tangent, axis=axis, signs=signs, near=numbers[12:])
    outputs = line_state(arm, line, lam, recording_functions())
    return recorder.programme("line_state", outputs, (15,))


@recorded(lambda mechanism, *, bent: (repr(tree_of(mechanism)), bent))
def rates_programme(mechanism: Mechanism, *, bent: bool) -> Programme:
    """Joints and tangent to dq/dλ and d²q/dλ². # (10,)."""
    recorder = Recorder()
    q = recorder.argument("q", (5,))
    tangent = _vector(recorder.argument("tangent", (3,)))
    rates = line_rates(tree_of(mechanism), q, tangent, recording_functions(), bent=bent)
    return recorder.programme("line_rates", rates, (10,))


@recorded(lambda mechanism: repr(tree_of(mechanism)))
def newton_programme(mechanism: Mechanism) -> Programme:
    """Joints, ball and direction wanted to Newton's step and what is missing. # (7,)."""
    recorder = Recorder()
    q = recorder.argument("q", (5,))
    position = _vector(recorder.argument("position", (3,)))
    axis = _vector(recorder.argument("axis", (3,)))
    outputs = newton_step(tree_of(mechanism), q, (position, axis), recording_functions())
    return recorder.programme("newton_step", outputs, (7,))


def _vector(nodes: list[Node]) -> tuple[Node, Node, Node]:
    x, y, z = nodes
    return x, y, z


def _held(mechanism: Mechanism, family: ArmFamily) -> FixedStylusArm:
    return FixedStylusArm(
        tree=tree_of(mechanism),
        reach=_reach(family),
        stylus_length=family.stylus_length,
        offsets=[float(offset) for offset in family.offsets],
    )


def _reach(family: ArmFamily) -> ArmDimensions:
    cosine, sine = (float(x) for x in family.stylus_direction[:2])
    return ArmDimensions(
        shoulder_height=family.shoulder_height,
        upper_arm=family.upper_arm,
        forearm=family.forearm,
        stylus=(sine, cosine),
    )
