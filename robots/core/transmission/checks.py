"""Checks of transmissions: ranges, lengths and senses, rods that reach, no dead point."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask, frozen
from robots.core.errors import StateError, TransmissionError

ROUNDING = 1e-9  # [rad] a range is kept to this, so that its ends may be asked for


def finite_values(values: ArrayLike, names: tuple[str, ...], what: str) -> Array:
    """Values of joints or motors as an array with one entry per name. # (..., k).

    Raises:
        StateError: another number of values, or one that is not finite.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim == 0 or array.shape[-1] != len(names):
        raise StateError(
            f"{what} has shape {array.shape}; the last axis must have {len(names)} entries, "
            f"for {', '.join(names)}.",
            shape=array.shape,
            expected=len(names),
        )
    if not np.isfinite(array).all():
        place = first(~np.isfinite(array))
        raise StateError(
            f"{what} of {names[place[-1]]}{sample(place)} is {array[place]}; a finite number is "
            "needed.",
            name=names[place[-1]],
            sample=place[:-1],
        )
    return array


def first(wrong: Mask) -> tuple[int, ...]:
    """Place of the first entry that is true."""
    return tuple(int(k) for k in np.argwhere(wrong)[0])


def sample(place: tuple[int, ...]) -> str:
    """Where in a batch, in words, or nothing; ``place`` ends with the joint."""
    if len(place) < 2:
        return ""
    return " in sample " + ", ".join(str(k + 1) for k in place[:-1])


def checked_range(values: ArrayLike, joints: tuple[str, ...]) -> Array:
    """A working range, read-only. # (k, 2) [rad].

    Raises:
        TransmissionError: another shape, or a joint whose range is empty.
    """
    array = np.array(values, dtype=float).reshape(-1, 2) if np.size(values) else np.empty((0, 2))
    if len(array) != len(joints) or not (array[:, 0] < array[:, 1]).all():
        raise TransmissionError(
            f"The range of {', '.join(joints)} is {np.asarray(values).tolist()} rad; give a "
            "minimum and a larger maximum position for every joint.",
            joint=joints[0],
        )
    return frozen(array)


def outside(q: Array, joint_range: Array) -> Mask:
    """Which joints are beyond their range. # (..., k)."""
    return np.asarray((q < joint_range[:, 0] - ROUNDING) | (q > joint_range[:, 1] + ROUNDING))


def require_range(q: Array, joint_range: Array, joints: tuple[str, ...]) -> None:
    """Every joint within its working range.

    Raises:
        TransmissionError: one is beyond; with joint, value, limit and amount.
    """
    beyond = outside(q, joint_range)
    if not beyond.any():
        return
    place = first(beyond)
    low, high = joint_range[place[-1]]
    value = float(q[place])
    limit = float(low if value < low else high)
    raise TransmissionError(
        f"Joint {joints[place[-1]]} stands at {_degrees(value)}{sample(place)}; its transmission "
        f"works from {_degrees(low)} to {_degrees(high)}, which this passes by "
        f"{_degrees(abs(value - limit))}. Bring it to {_degrees(limit)} or less far.",
        joint=joints[place[-1]],
        value=value,
        limit=limit,
        unit="rad",
        sample=place[:-1],
    )


def require_lengths(owner: str, **lengths: float) -> None:
    """Dimensions that must be above zero.

    Raises:
        TransmissionError: one is not.
    """
    for name, value in lengths.items():
        if not (np.isfinite(value) and value > 0.0):
            raise TransmissionError(
                f"{owner}: {name} is {value} m; a length above zero is needed.",
                owner=owner,
                name=name,
                value=value,
                limit=0.0,
                unit="m",
            )


def require_sense(owner: str, **senses: int) -> None:
    """Signs of turning.

    Raises:
        TransmissionError: one is neither 1 nor -1.
    """
    for name, value in senses.items():
        if value not in (1, -1):
            raise TransmissionError(
                f"{owner}: {name} is {value}; give 1 or -1.", owner=owner, name=name, value=value
            )


def _degrees(value: float) -> str:
    return f"{np.degrees(value):.6g}°"


# ----------------------------------------------------------------------------------- Working range

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
