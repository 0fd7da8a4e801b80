"""The directions that a leg's joints are built on, taken from the platform at home.

The base triad is (e, s, u): e the universal joint's first axis, u the part of the home leg square
to it, s = u × e the second axis at home. On the platform, d points on from B as the leg does in
the middle of its cone, and r, square to it, is the axis of the end joint's other fork.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.stewart.errors import PlatformError
from robots.stewart.platform import Leg, LegEnd, Platform

# Sine below which two directions count as parallel: no joint is built that near to its lock.
PARALLEL = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegAxes:
    """One leg's points and directions.

    Args:
        base: A. Base frame. # (3,) [m]
        platform: B. Platform frame. # (3,) [m]
        triad: columns e, s, u. Base frame. # (3, 3)
        plate: columns r, d × r, d. Platform frame. # (3, 3)
        cardan: whether the end is a Cardan joint.
    """

    base: Array
    platform: Array
    triad: Array
    plate: Array
    cardan: bool


def leg_axes(platform: Platform, index: int) -> LegAxes:
    """Axes of one leg.

    Args:
        platform: with its home pose.
        index: 0 to 5.

    Raises:
        PlatformError: the leg has no length at home, lies along its first axis, or a Cardan end
            is locked there.
    """
    leg = platform.legs[index]
    triad = _triad(platform, leg)
    return LegAxes(
        base=leg.base,
        platform=leg.platform,
        triad=triad,
        plate=_plate(platform, leg, triad[:, 1]),
        cardan=leg.end is LegEnd.CARDAN,
    )


def _triad(platform: Platform, leg: Leg) -> Array:
    home = platform.home
    vector = home[:3, :3] @ leg.platform + home[:3, 3] - leg.base
    length = float(np.linalg.norm(vector))
    if length < PARALLEL:
        raise PlatformError(
            f"Leg {leg.name!r} has no length at home ({length:.3g} m): its points A and B are one; "
            "move the home pose.",
            leg=leg.name,
        )
    e = leg.first_axis
    square = vector - (vector @ e) * e
    sine = float(np.linalg.norm(square)) / length
    if sine < PARALLEL:
        raise PlatformError(
            f"Leg {leg.name!r} lies along the first axis of its universal joint at home "
            f"(sine {sine:.3g}): the joint is locked there; turn first_axis away from the leg.",
            leg=leg.name,
        )
    u = square / np.linalg.norm(square)
    return np.column_stack([e, np.cross(u, e), u])


def _plate(platform: Platform, leg: Leg, s: Array) -> Array:
    """Columns r, d × r, d; r is square to the leg's second axis at home too."""
    d = -leg.platform_direction
    r = np.cross(platform.home[:3, :3].T @ s, d)
    if np.linalg.norm(r) < PARALLEL:
        _check_unloaded(leg)
        r = np.cross(d, np.eye(3)[int(np.argmin(np.abs(d)))])
    r = r / np.linalg.norm(r)
    return np.column_stack([r, np.cross(d, r), d])


def _check_unloaded(leg: Leg) -> None:
    """Refuse a locked end joint, except a ball without bodies of its own: it cannot lock."""
    loaded = any(body.mass or body.inertia.any() for body in (leg.bodies.end_cross, leg.bodies.end))
    if leg.end is LegEnd.CARDAN or loaded:
        raise PlatformError(
            f"Leg {leg.name!r}: its end joint is locked at home, because platform_direction is "
            "parallel to the second axis of the universal joint; give the leg's own direction.",
            leg=leg.name,
        )
