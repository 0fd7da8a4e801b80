"""Least duration of a given joint path under speed and acceleration limits, exactly.

The path q(s) does not depend on the duration T; with s = t/T, q̇ = q'/T and q̈ = q''/T². So the
least T is the largest of |q'|/KV and √(|q''|/KA) over joints and s (sources.md, decision 4).
Efforts are treated in ``effort_scaling``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import MotionError
from robots.core.motion.joint_limits import Binding, JointLimits, Kind
from robots.core.motion.motion_law import Side
from robots.core.motion.path import Path, PathState
from robots.core.motion.peak import highest


@dataclass(frozen=True, slots=True, kw_only=True)
class PathDuration:
    """Least duration of a path and the limit that fixes it.

    Args:
        duration: T, zero when nothing moves. [s]
        bindings: one limit, or none when nothing moves.
    """

    duration: float
    bindings: tuple[Binding, ...]

    @property
    def binding(self) -> Binding | None:
        """The limit that fixes the duration; nothing binds a path that does not move."""
        return self.bindings[0] if self.bindings else None


def least_duration(path: Path, limits: JointLimits) -> PathDuration:
    """Least T for which the path respects KV and KA.

    Args:
        path: q(s), q'(s), q''(s) on [0, 1], the law included.
        limits: of the path's joints.

    Raises:
        MotionError: another number of joints, a state that is not finite, a path too rough.

    Source: sources.md decision 4; [LAMMARI12] §VI.7.3
    """
    n = limits.dof

    def durations(s: Array, side: Side) -> Array:
        state = checked_state(path, s, side, limits)
        by_speed = np.abs(state.dq) / limits.max_speed
        by_acceleration = np.sqrt(np.abs(state.ddq) / limits.max_acceleration)
        return np.concatenate([by_speed, by_acceleration], axis=-1)

    peak = highest(durations, path.breaks)
    if peak.value == 0.0:
        return PathDuration(duration=0.0, bindings=())
    joint = peak.column % n
    kind: Kind = "velocity" if peak.column < n else "acceleration"
    binding = Binding(joint=joint, name=limits.names[joint], kind=kind, s=peak.s)
    return PathDuration(duration=peak.value, bindings=(binding,))


def checked_state(path: Path, s: Array, side: Side, limits: JointLimits) -> PathState:
    """State of a path, refused where it is not finite or has another number of joints.

    Raises:
        MotionError: naming the joint, the quantity and s.
    """
    state = path.state(s, side)
    for what, values in (("q", state.q), ("q'", state.dq), ("q''", state.ddq)):
        if np.shape(values) != (*s.shape, limits.dof):
            raise MotionError(
                f"The path gives {what} of shape {np.shape(values)} at {s.size} values of s; "
                f"there are limits for {limits.dof} joints.",
                found=np.shape(values),
                expected=(*s.shape, limits.dof),
            )
        for row, joint in np.argwhere(~np.isfinite(values)):
            raise MotionError(
                f"Joint {limits.names[joint]}: the path gives {what} = {values[row, joint]} "
                f"{limits.units[joint]} at s = {s[row]:.6g}; it must be finite all along.",
                joint=int(joint),
                s=float(s[row]),
            )
    return state
