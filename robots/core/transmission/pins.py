"""Where the rods' pins are, and how they move: on a crank, and on a body behind a cardan.

Axes as in `rod`: x along the screws, y lateral, z across; origin at the joint's centre. Crank and
sagittal turn are about y. Generic over scalars.
"""

from __future__ import annotations

from typing import NamedTuple

from robots.core.equations.algebra import Scalar, Vec3
from robots.core.equations.functions import Functions


class Anchor(NamedTuple):
    """Where a rod is fixed to the body behind the cardan, at q = 0 and γ = 0.

    Args:
        drop: distance behind the centre along the screws, negative x. # [m]
        side: lateral distance, y, with its sign. # [m]
        lever: distance across, z. # [m]
    """

    drop: Scalar
    side: Scalar
    lever: Scalar


def crank_pin(F: Functions, a: Scalar, R: Scalar) -> Vec3:
    """Pin of a crank of radius R at the angle a from the screw's direction. # [m]."""
    return (R * F.cos(a), 0.0, R * F.sin(a))


def crank_pin_rates(F: Functions, a: Scalar, ad: Scalar, R: Scalar) -> tuple[Vec3, Vec3]:
    """Its rate, and its second rate at constant ``ad``. # [m/s], [m/s²]."""
    x, _, z = crank_pin(F, a, R)
    return (-z * ad, 0.0, x * ad), (-x * ad * ad, 0.0, -z * ad * ad)


def cardan_pin(F: Functions, q: tuple[Scalar, Scalar], anchor: Anchor) -> Vec3:
    """Anchor after a frontal turn q[0] about z, and with it a sagittal turn q[1] about y. # [m]."""
    c1, s1, c2, s2 = F.cos(q[0]), F.sin(q[0]), F.cos(q[1]), F.sin(q[1])
    drop = anchor.drop * c1 - anchor.side * s1
    side = anchor.drop * s1 + anchor.side * c1
    return (anchor.lever * s2 - drop * c2, side, anchor.lever * c2 + drop * s2)


def cardan_pin_rates(
    F: Functions, q: tuple[Scalar, Scalar], qd: tuple[Scalar, Scalar], anchor: Anchor
) -> tuple[Vec3, Vec3]:
    """Its rate, and its second rate at constant ``qd``. # [m/s], [m/s²]."""
    c1, s1, c2, s2 = F.cos(q[0]), F.sin(q[0]), F.cos(q[1]), F.sin(q[1])
    u, w = qd
    drop = anchor.drop * c1 - anchor.side * s1
    x, y, z = cardan_pin(F, q, anchor)
    falling, falling_rate = -y * u, -drop * u * u  # of the drop, by the frontal turn
    xd, yd, zd = z * w - falling * c2, drop * u, falling * s2 - x * w
    xdd = zd * w - falling_rate * c2 + falling * s2 * w
    zdd = falling_rate * s2 + falling * c2 * w - xd * w
    return (xd, yd, zd), (xdd, falling * u, zdd)
