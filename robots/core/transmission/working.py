"""Whether a transmission works over its whole range: rods reach, no dead point."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array
from robots.core.transmission.checks import first
from robots.core.transmission.errors import TransmissionError

_PLACES = 41  # per joint; ratios change by a few per cent from one to the next


def grid_of(joint_range: Array) -> Array:
    """Postures all over a range, its ends included. # (places, k) [rad].

    Raises:
        TransmissionError: a range without ends, where rods and screws cannot work.
    """
    if not np.isfinite(joint_range).all():
        raise TransmissionError(
            f"A range of {joint_range.tolist()} rad has no ends; rods and screws need some."
        )
    axes = [np.linspace(low, high, _PLACES) for low, high in joint_range]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


def require_reach(joints: tuple[str, ...], q: Array, reach: Array) -> None:
    """Every rod is long enough.

    Args:
        joints: names.
        q: postures. # (places, k) [rad]
        reach: square of every rod's length along its screw. # (places, rods) [m²]

    Raises:
        TransmissionError: a posture that a rod is too short for.
    """
    short = ~(reach > 0.0)
    if short.any():
        place = first(short)
        value = float(reach[place])
        raise TransmissionError(
            f"The rod of joint {', '.join(joints)} is too short at {_posture(q[place[0]])}: the "
            f"square of its length along the screw would be {1e6 * value:.4g} mm², and must be "
            "above 0. Narrow the range or lengthen the rod.",
            joint=joints[0],
            value=value,
            limit=0.0,
            unit="m²",
        )


def require_one_to_one(joints: tuple[str, ...], q: Array, determinant: Array) -> None:
    """Motors and joints are one to one.

    Args:
        joints: names.
        q: postures. # (places, k) [rad]
        determinant: of the Jacobian. # (places,)

    Raises:
        TransmissionError: a dead point.
    """
    turned = determinant * determinant[0] <= 0.0
    if turned.any():
        place = first(turned)
        raise TransmissionError(
            f"Joint {', '.join(joints)} has a dead point before {_posture(q[place[0]])}: there the "
            "motor moves and the joint does not know which way. Narrow the range.",
            joint=joints[0],
            value=float(determinant[place]),
            limit=0.0,
            unit="1",
        )


def _posture(q: Array) -> str:
    return ", ".join(f"{np.degrees(value):.4g}°" for value in q)
