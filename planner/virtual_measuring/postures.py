"""Postures that bring the ball to a place along an axis, found from a posture near by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Mask
from robots.core.model import Model

_ROUNDS = 40
_LONGEST = 0.3  # of one step of one joint [rad or m]
_THERE = 1e-12  # [m] and [rad]
_RANK = 1e-9  # of the largest singular value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TargetPostures:
    """Postures at their targets.

    Args:
        q: # (k, n) [rad or m]
        there: whether ball and axis are at their targets, and the joints within limits. # (k,)
    """

    q: Array
    there: Mask


def follow(model: Model, starts: Array, places: Array, axes: Array) -> TargetPostures:
    """From each start by steps of least length to the same branch's posture at its target.

    Args:
        model: of the arm, its tool frame at the ball, z the probe axis.
        starts: # (k, n) [rad or m]
        places: of the ball, base frame. # (k, 3) [m]
        axes: of the probe, from wrist to ball. # (k, 3) unit
    """
    q = np.array(starts, dtype=np.float64)
    open_ = np.arange(len(q))
    for _ in range(_ROUNDS):
        gaps = ball_gaps(model.forward(q[open_]), places[open_], axes[open_])
        left = np.abs(gaps).max(axis=1, initial=0.0) > _THERE
        open_, gaps = open_[left], gaps[left]
        if not open_.size:
            break
        step = (inverse_rates(model, q[open_]) @ gaps[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        q[open_] += step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300))
    return TargetPostures(q=q, there=_there(model, q, places, axes))


def ball_gaps(T: Array, places: Array, axes: Array) -> Array:
    """What ball and axis lack to their targets: a shift and a turn, base axes. # (..., 6)."""
    turn = np.cross(T[..., :3, 2], axes)
    return np.concatenate([places - T[..., :3, 3], turn], axis=-1)


def inverse_rates(model: Model, q: Array) -> Array:
    """Joint steps of least length per shift and turn of the probe; its spin is free.

    Args:
        model: of the arm.
        q: # (k, n) [rad or m]

    Returns:
        # (k, n, 6)
    """
    z = model.forward(q)[:, :3, 2]
    J = model.jacobian(q)
    across = np.eye(3) - z[:, :, None] * z[:, None, :]
    rows = np.concatenate([J[:, :3], across @ J[:, 3:]], axis=1)
    return np.asarray(np.linalg.pinv(rows, rcond=_RANK))


def _there(model: Model, q: Array, places: Array, axes: Array) -> Mask:
    T = model.forward(q)
    close = np.abs(ball_gaps(T, places, axes)).max(axis=1, initial=0.0) <= 100.0 * _THERE
    ahead = np.einsum("ki,ki->k", T[:, :3, 2], axes) > 0.0
    limits = model.mechanism
    inside = np.all((q >= limits.q_min) & (q <= limits.q_max), axis=1)
    return np.asarray(close & ahead & inside)
