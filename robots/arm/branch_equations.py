"""All inverse solutions of the measuring arm in closed form, over scalars.

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

from robots.core.equations.algebra import Functions, Scalar, Vec3

SIGNS = (1.0, -1.0)
FAMILIES = tuple(product(SIGNS, SIGNS, SIGNS))  # (shoulder, elbow, wrist)

_NOTHING = 1e-150  # lost beside any length; its square is still a number [m]

SineCosine = tuple[Scalar, Scalar]  # of one angle, up to a common positive factor


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Dimensions of the arm that its inverse needs. [m]."""

    shoulder_height: Scalar  # r1
    upper_arm: Scalar  # d3
    forearm: Scalar  # r4
    stylus: SineCosine = (-1.0, 0.0)  # its direction about z5, from x5


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where the wrist centre and the stylus shall be, and the first joint's direction.

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


def target(center: Vec3, axis: Vec3, fn: Functions, free: Sequence[Scalar] = ()) -> Target:
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


def _faced_target(center: Vec3, axis: Vec3, fn: Functions) -> Target:
    """The first joint faces the point; forward for a point on its axis."""
    x, y = center[0] + _NOTHING, center[1]
    square = x * x + y * y
    radius = fn.sqrt(square)
    scale = 1.0 / radius
    return Target(
        center=center,
        axis=axis,
        facing=(y * scale, x * scale),
        turned=(center[1], center[0]),
        along=(radius, square),
    )


def _held_target(center: Vec3, axis: Vec3, fn: Functions, free: Sequence[Scalar]) -> Target:
    pairs = [(fn.sin(angle), fn.cos(angle)) for angle in free]
    s1, c1 = pairs[0]
    along = center[0] * c1 + center[1] * s1
    return Target(
        center=center,
        axis=axis,
        facing=pairs[0],
        turned=pairs[0],
        along=(along, along * along),
        raised=pairs[1] if len(pairs) > 1 else None,
    )


def reserve(reach: Reach, goal: Target) -> Scalar:
    """cos² q3: zero when the arm is stretched or folded, negative out of reach."""
    s3 = _sine_of_elbow(reach, goal)
    return 1.0 - s3 * s3


def family_angles(
    reach: Reach, goal: Target, signs: tuple[Scalar, Scalar, Scalar], fn: Functions
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


def _sine_of_elbow(reach: Reach, goal: Target) -> Scalar:
    """Cosine rule of the triangle shoulder, elbow, wrist centre."""
    d, r = reach.upper_arm, reach.forearm
    far = _square_of_distance(reach, goal)
    return (far - (d * d + r * r)) * (1.0 / (2.0 * (d * r)))


def _square_of_distance(reach: Reach, goal: Target) -> Scalar:
    """Wrist centre from the shoulder. [m²]."""
    height = _height(reach, goal)
    return goal.along[1] + height * height


def _height(reach: Reach, goal: Target) -> Scalar:
    """Wrist centre above the shoulder. [m]."""
    return goal.center[2] - reach.shoulder_height


def _upper_arm(reach: Reach, goal: Target, shoulder: Scalar, elbow: SineCosine) -> SineCosine:
    """Type 8 with the elbow known: d·C2 + r·S23 = A and d·S2 - r·C23 = B."""
    A, B = goal.along[0] * shoulder, _height(reach, goal)
    s3, c3 = elbow
    m, k = reach.upper_arm + reach.forearm * s3, reach.forearm * c3
    return k * A + m * B, m * A - k * B


def _square_of_upper_arm(reach: Reach, goal: Target, elbow: tuple[Scalar, Scalar]) -> Scalar:
    """Sum of the squares of that pair, from s3 and c3²: it is the same for all families.

    Within the reach it is the fourth power of the distance; the clamped arm only points there.
    """
    s3, square = elbow
    m, r = reach.upper_arm + reach.forearm * s3, reach.forearm
    return (m * m + r * r * square) * _square_of_distance(reach, goal)
