"""A rod of constant length between a carriage on a screw and a pin that a joint carries.

Axes of the screw's body: x along the screw, y along the joint's lateral direction, z across. The
carriage runs on the line (·, guide y, guide z) and is always ahead of the pin in x. Generic over
scalars, so that the equations can be computed, differentiated by SymPy or recorded.

Source: [GASTEBOIS17] §2.3.3 eqs (12), (18), (24), whose square roots are `sqrt(reach)` here. They
print a modulus under the root, which gives a length to postures that the rod cannot reach; here the
sign is kept and callers refuse what is not above zero.
"""

from __future__ import annotations

from robots.core.equations.algebra import Scalar, Vec3
from robots.core.equations.functions import Functions

Guide = tuple[Scalar, Scalar]  # y and z of the screw's line


def reach(pin: Vec3, guide: Guide, rod: Scalar) -> Scalar:
    """Square of the rod's length along the screw; below zero the rod is too short. # [m²]."""
    v, u = guide[0] - pin[1], guide[1] - pin[2]
    return rod * rod - u * u - v * v


def carriage(F: Functions, pin: Vec3, guide: Guide, rod: Scalar) -> Scalar:
    """Where the carriage is on its screw. # [m]."""
    return pin[0] + F.sqrt(reach(pin, guide, rod))


def carriage_speed(F: Functions, pin: Vec3, rate: Vec3, guide: Guide, rod: Scalar) -> Scalar:
    """Its speed when the pin moves with ``rate``. # [m/s]."""
    along = F.sqrt(reach(pin, guide, rod))
    return rate[0] + _across(pin, rate, guide) / along


def carriage_acceleration(
    F: Functions, pin: tuple[Vec3, Vec3, Vec3], guide: Guide, rod: Scalar
) -> Scalar:
    """Its acceleration. # [m/s²].

    Args:
        F: the reading's functions.
        pin: position, rate and second rate of the pin. # [m], [m/s], [m/s²]
        guide: line of the screw. # [m]
        rod: length. # [m]
    """
    position, rate, second = pin
    along = F.sqrt(reach(position, guide, rod))
    shortening = _across(position, rate, guide) / along
    turning = rate[1] * rate[1] + rate[2] * rate[2] + shortening * shortening
    return second[0] + (_across(position, second, guide) - turning) / along


def _across(pin: Vec3, rate: Vec3, guide: Guide) -> Scalar:
    """Product of the rod's part across the screw with a rate of the pin."""
    return (guide[1] - pin[2]) * rate[2] + (guide[0] - pin[1]) * rate[1]
