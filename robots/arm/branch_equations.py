"""All inverse solutions of the measuring arm in closed form, over scalars.

Position and probe axis fix the five joints up to eight families: the shoulder faces the point or
turns its back to it, the elbow bends one way or the other, the wrist is flipped or not.

The position is Paul's type 8 in (q2, q3) once q1 is known; the axis, carried into frame 3, gives q4
and q5 by type 3. No family is ever lost: roots that rounding makes slightly negative count as zero,
and how far a point lies out of reach is told by ``reserve``.

Source: [LAMMARI12] §VI.5.5 with atan2 for every quotient (sources.md: the printed forms lose the
quadrant, and Sq5 = …/Sq4 fails at q4 = 0)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

from robots.core.equations.algebra import Scalar, Vec3
from robots.core.equations.functions import Functions

SIGNS = (1.0, -1.0)
FAMILIES = tuple(product(SIGNS, SIGNS, SIGNS))  # (shoulder, elbow, wrist)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Dimensions of the arm that its inverse needs. [m]."""

    shoulder_height: Scalar  # r1
    upper_arm: Scalar  # d3
    forearm: Scalar  # r4
    stylus: tuple[Scalar, Scalar] = (0.0, -1.0)  # cos, sin of its direction about z5, from x5


@dataclass(frozen=True, slots=True, kw_only=True)
class Branches:
    """Joint angles of the eight families and how far the point is from the edge of reach."""

    angles: list[list[Scalar]]  # (8, 5) [rad], in (-π, π], families in the order of FAMILIES
    reserve: Scalar  # cos² q3 before clamping: negative out of reach


@dataclass(frozen=True, slots=True, kw_only=True)
class _Elbow:
    """Upper arm and forearm for one shoulder and elbow: angles and cos, sin of q2 + q3."""

    q2: Scalar
    q3: Scalar
    c23: Scalar
    s23: Scalar


def branches(
    reach: Reach, center: Vec3, axis: Vec3, fn: Functions, q1: Scalar | None = None
) -> Branches:
    """Solve for the wrist centre and the direction of the stylus.

    Args:
        reach: the arm's dimensions.
        center: wrist centre, base frame. [m]
        axis: unit direction of the stylus, from wrist to ball, base axes.
        fn: functions of the reading.
        q1: first joint of the facing families, where the point on its axis leaves it free.
    """
    x, y, z = center
    back = fn.atan2(-y, -x) if q1 is None else q1 + math.pi
    q1 = fn.atan2(y, x) if q1 is None else q1
    c1, s1 = fn.cos(q1), fn.sin(q1)
    radius = x * c1 + y * s1
    height = z - reach.shoulder_height
    d, r = reach.upper_arm, reach.forearm
    far = radius * radius + height * height
    s3 = (far - (d * d + r * r)) / (2.0 * (d * r))
    reserve = 1.0 - s3 * s3
    c3 = fn.sqrt(fn.maximum(reserve, 0.0))
    cg, sg = reach.stylus
    # The stylus in the axes of link 1: along the arm's plane, up, and across it.
    along, across = c1 * axis[0] + s1 * axis[1], c1 * axis[1] - s1 * axis[0]
    angles: list[list[Scalar]] = []
    for shoulder, elbow, wrist in FAMILIES:
        bent = _elbow(reach, (radius * shoulder, height), (c3 * elbow, s3), fn)
        u, w = along * shoulder, across * shoulder
        vx = bent.c23 * u + bent.s23 * axis[2]
        vy = bent.c23 * axis[2] - bent.s23 * u
        side = fn.sqrt(vx * vx + w * w)
        angles.append(
            [
                q1 if shoulder > 0.0 else back,
                bent.q2,
                bent.q3,
                fn.atan2(-w * wrist, vx * wrist),
                fn.atan2(vy * cg - side * wrist * sg, side * wrist * cg + vy * sg),
            ]
        )
    return Branches(angles=angles, reserve=reserve)


def _elbow(
    reach: Reach, point: tuple[Scalar, Scalar], bend: tuple[Scalar, Scalar], fn: Functions
) -> _Elbow:
    """Type 8 in the arm's plane: d·C2 + r·S23 = A and d·S2 - r·C23 = B, for cos and sin of q3."""
    A, B = point
    c3, s3 = bend
    m, k = reach.upper_arm + reach.forearm * s3, reach.forearm * c3
    sine, cosine = k * A + m * B, m * A - k * B
    q2 = fn.atan2(sine, cosine)
    q3 = fn.atan2(s3, c3)
    # m² + k² = A² + B² only within reach; outside, the clamped arm points at the target.
    scale = 1.0 / fn.sqrt(sine * sine + cosine * cosine)
    c2, s2 = cosine * scale, sine * scale
    return _Elbow(q2=q2, q3=q3, c23=c2 * c3 - s2 * s3, s23=s2 * c3 + c2 * s3)
