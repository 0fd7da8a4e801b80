"""Postures that bring the ball to given places: what a sphere or a ball bar asks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Mask
from robots.core.geometric_errors import ErrorModel
from robots.core.mechanism import Mechanism

_STEPS = 60
_LONGEST = 0.4  # of a step of one joint [rad or m]
_THERE = 1e-12  # of the reach


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reached:
    """Postures at their targets.

    Args:
        q: # (N, n) [rad or m]
        there: whether the ball is at its target, and the joints within their limits. # (N,)
    """

    q: Array
    there: Mask


def reached(model: ErrorModel, targets: Array, starts: Array, size: float) -> Reached:
    """From each start by damped steps to its target; what does not get there is marked.

    Args:
        model: of the arm; its nominal self is looked at.
        targets: ball centres in the base frame. # (N, 3) [m]
        starts: # (N, n) [rad or m]
        size: reach of the arm, which scales the tolerance. [m]
    """
    none = np.zeros(len(model.parameters))
    q = np.array(starts, dtype=np.float64)
    for _ in range(_STEPS):
        gap = targets - model.positions(q, none)
        distance = np.linalg.norm(gap, axis=-1)
        if np.all(distance < _THERE * size):
            break
        J = model.reading_sensitivities(q, none)
        Jt = np.swapaxes(J, -1, -2)
        damping = 1e-12 * size**2 + 0.01 * distance**2
        square = J @ Jt + damping[:, None, None] * np.eye(3)
        step = (Jt @ np.linalg.solve(square, gap[..., None]))[..., 0]
        longest = np.max(np.abs(step), axis=-1, keepdims=True)
        q = q + step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300))
    gap = np.linalg.norm(targets - model.positions(q, none), axis=-1)
    mechanism = model.mechanism
    q = _unwound(mechanism, q)
    inside = np.all((q >= mechanism.q_min) & (q <= mechanism.q_max), axis=-1)
    return Reached(q=q, there=(gap < 10.0 * _THERE * size) & inside)


def _unwound(mechanism: Mechanism, q: Array) -> Array:
    """Angles out of limits by whole turns nearer to the middle of their range."""
    angular = np.array([joint.kind.angular for joint in mechanism.movable])
    bounded = angular & np.isfinite(mechanism.q_min) & np.isfinite(mechanism.q_max)
    low, high = (np.where(bounded, end, 0.0) for end in (mechanism.q_min, mechanism.q_max))
    middle = 0.5 * (low + high)
    out = (q < mechanism.q_min) | (q > mechanism.q_max)
    turns = np.where(bounded & out, np.round((q - middle) / (2.0 * np.pi)), 0.0)
    return np.asarray(q - 2.0 * np.pi * turns)
