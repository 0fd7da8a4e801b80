"""Postures against joint limits: whole turns that change nothing, and margins."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array, Mask
from robots.core.mechanism import Mechanism

TURN = 2.0 * np.pi
# A joint this far beyond its limit is at it: an iteration knows joints no better. [rad or m]
LIMIT_ROUNDING = 1e-9


def limit_margins(mechanism: Mechanism, q: Array) -> Array:
    """Distance from each joint to its nearer limit; negative beyond it. # (..., n) [rad or m]."""
    return np.asarray(np.minimum(q - mechanism.q_min, mechanism.q_max - q))


def inside_limits(mechanism: Mechanism, q: Array) -> Mask:
    """Return whether every joint is within its limits, to 1e-9 rad or m. # (...)."""
    return np.asarray(np.all(limit_margins(mechanism, q) >= -LIMIT_ROUNDING, axis=-1))


def wrapped(mechanism: Mechanism, q: Array, reference: Array) -> Array:
    """The same posture with whole turns taken off: within limits where that is possible.

    Of several equivalents within the limits, the one nearest to the reference is taken; where
    there is none, the one least beyond its limit.

    Args:
        mechanism: whose limits.
        q: # (..., n)
        reference: posture to stay near. # (..., n)
    """
    low, high = mechanism.q_min - LIMIT_ROUNDING, mechanism.q_max + LIMIT_ROUNDING
    angular = np.array([joint.kind.angular for joint in mechanism.movable])
    nearest = q - TURN * np.round((q - reference) / TURN)
    up = nearest + TURN * np.ceil((low - nearest) / TURN, where=np.isfinite(low), out=0.0 * nearest)
    down = nearest - TURN * np.ceil(
        (nearest - high) / TURN, where=np.isfinite(high), out=0.0 * nearest
    )
    moved = np.where(nearest < low, up, np.where(nearest > high, down, nearest))
    other = np.where(nearest < low, moved - TURN, moved + TURN)
    beyond = np.maximum(low - moved, moved - high)
    beyond_other = np.maximum(low - other, other - high)
    least = np.where((beyond > 0.0) & (beyond_other < beyond), other, moved)
    return np.where(angular, least, q)


def limit_breaches(mechanism: Mechanism, q: Array) -> str:
    """One phrase per joint beyond a limit; empty when all are within."""
    phrases = []
    margins = limit_margins(mechanism, q)
    for joint, value, margin in zip(mechanism.movable, q, margins, strict=True):
        if margin < -LIMIT_ROUNDING:
            side, limit = ("lower", joint.q_min) if value < joint.q_min else ("upper", joint.q_max)
            unit, factor = ("deg", np.degrees(1.0)) if joint.kind.angular else ("mm", 1e3)
            phrases.append(
                f"joint {joint.name!r} would stand at {factor * value:.6g} {unit}, "
                f"{-factor * margin:.3g} {unit} beyond its {side} limit {factor * limit:.6g}"
            )
    return "; ".join(phrases)
