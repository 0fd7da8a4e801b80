"""The posture that a stabilised motion starts from, checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.biped import Biped
from robots.biped.errors import BipedError, PostureError
from robots.core.arrays import Array
from robots.core.rounding import apart


def starting_posture(biped: Biped, posture: ArrayLike, limits: Array) -> Array:
    """A posture whose joints are all within their limits. # (n,) [rad].

    Args:
        biped: whose posture.
        posture: # (n,) [rad]
        limits: lower and upper ones. # (2, n) [rad]

    Raises:
        BipedError: another number of joints, or angles that are not finite.
        PostureError: a joint past its limit.
    """
    mechanism = biped.mechanism
    q = np.array(posture, dtype=float)
    if q.shape != (mechanism.dof,) or not np.isfinite(q).all():
        raise BipedError(
            f"A posture of {mechanism.name} has shape {q.shape}; give {mechanism.dof} finite "
            "angles in radians."
        )
    for joint, value, low, high in zip(mechanism.movable, q, *limits, strict=True):
        if not low <= value <= high:
            limit = float(low if value < low else high)
            start, end = apart(float(np.degrees(value)), float(np.degrees(limit)), 3)
            raise PostureError(
                f"Joint {joint.name!r} of {mechanism.name} starts at {start} deg, past its limit "
                f"of {end} deg; start inside.",
                joint=joint.name,
                value=float(value),
                limit=limit,
                unit="rad",
            )
    return q
