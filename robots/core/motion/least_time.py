"""Least duration of a synchronised motion under speed, acceleration and jerk limits.

Source: [LAMMARI12] §V.3. Its formulas for the linear law and the trapezoid take the displacement
with its sign, so a joint that turns backwards gets a negative or too short time; here |D| stands
everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.motion.double_s import SHORTEST_RISE, double_s_phases
from robots.core.motion.joint_limits import Binding, JointLimits, Kind
from robots.core.motion.joint_motion import JointMotion
from robots.core.motion.motion_law import LAW_NAMES, MotionLaw, double_s, motion_law, trapezoid


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeastTime:
    """The shortest motion of one law.

    Args:
        law: with its final shape: those of the trapezoid and the double-S depend on the limits.
        displacement: # (n,) [rad or m]
        duration: T. [s]
        bindings: limits that fix T: none when nothing moves, two for a trapezoid with plateau
            (the speed, then the acceleration), those that a double-S reaches (speed, acceleration,
            jerk), otherwise one.
    """

    law: MotionLaw
    displacement: Array
    duration: float
    bindings: tuple[Binding, ...]

    @property
    def binding(self) -> Binding | None:
        """The limit that binds first; nothing binds a motion that does not move."""
        return self.bindings[0] if self.bindings else None

    @property
    def acceleration_time(self) -> float:
        """t_a: how long the motion speeds up. [s]."""
        return self.law.acceleration_fraction * self.duration

    @property
    def jerk_time(self) -> float:
        """t_j of the double-S: how long its acceleration rises. [s]."""
        return self.law.jerk_fraction * self.duration

    @property
    def has_plateau(self) -> bool:
        """Whether part of the motion runs at constant speed."""
        return self.law.has_plateau

    def motion(self, start: ArrayLike) -> JointMotion:
        """The motion from a configuration. Args: start. # (n,) [rad or m]."""
        return JointMotion(
            law=self.law,
            start=np.asarray(start, dtype=np.float64),
            displacement=self.displacement,
            duration=self.duration,
        )


def usable_laws(limits: JointLimits) -> tuple[str, ...]:
    """The laws that the limits are enough for: the double-S needs jerk limits."""
    return tuple(name for name in LAW_NAMES if name != "double-s" or limits.has_jerk)


def least_time(law_name: str, displacement: ArrayLike, limits: JointLimits) -> LeastTime:
    """Least T for which every joint respects KV and KA, all joints starting and ending together.

    A linear law has jumps of speed at its ends; as in the source only KV limits it.

    Args:
        law_name: one of ``LAW_NAMES``.
        displacement: D = q_end - q_start, any sign, zero allowed. # (n,) [rad or m]
        limits: of the n joints.

    Raises:
        MotionError: unknown law, other number of joints, a displacement that is not finite, the
            double-S law for a joint without jerk limit.

    Source: [LAMMARI12] §V.3.1-V.3.3, annex A §II
    """
    D = limits.displacement(displacement)
    law = motion_law(law_name)
    if law_name == "double-s":
        return _double_s_time(law, D, limits)
    per_speed = np.abs(D) / limits.max_speed
    per_acceleration = np.abs(D) / limits.max_acceleration
    if not np.any(D):
        return LeastTime(law=law, displacement=D, duration=0.0, bindings=())
    if law_name == "trapezoid":
        Mrv, Mra = float(per_speed.max()), float(per_acceleration.max())
        if math.sqrt(Mra) < Mrv:
            bindings = (
                _binding(limits, per_speed, "velocity", 0.5),
                _binding(limits, per_acceleration, "acceleration", 0.0),
            )
            duration = Mrv + Mra / Mrv
            law = trapezoid(min((Mra / Mrv) / duration, 0.5))  # rounding at the switch to 1/2
            return LeastTime(law=law, displacement=D, duration=duration, bindings=bindings)
    by_speed = law.peak_rate * per_speed
    by_acceleration = np.sqrt(law.peak_acceleration * per_acceleration)
    if by_speed.max() > by_acceleration.max():
        binding = _binding(limits, by_speed, "velocity", 0.5)
    else:
        binding = _binding(limits, by_acceleration, "acceleration", law.peak_acceleration_at)
    duration = max(float(by_speed.max()), float(by_acceleration.max()))
    return LeastTime(law=law, displacement=D, duration=duration, bindings=(binding,))


def _double_s_time(resting: MotionLaw, D: Array, limits: JointLimits) -> LeastTime:
    """The least time of the double-S, its shape and every limit that it reaches."""
    per_jerk = np.abs(D) / limits.require_jerk()
    if not np.any(D):
        return LeastTime(law=resting, displacement=D, duration=0.0, bindings=())
    per_speed = np.abs(D) / limits.max_speed
    per_acceleration = np.abs(D) / limits.max_acceleration
    phases = double_s_phases(per_speed.max(), per_acceleration.max(), per_jerk.max())
    duration = float(phases.duration)
    fraction = min(float(phases.acceleration) / duration, 0.5)  # rounding at the switch to 1/2
    rise = min(max(float(phases.jerk) / duration, SHORTEST_RISE), fraction / 2.0)
    reached: list[tuple[bool, Array, Kind, float]] = [
        (bool(phases.reaches_speed), per_speed, "velocity", 0.5),
        (bool(phases.reaches_acceleration), per_acceleration, "acceleration", rise),
        (True, per_jerk, "jerk", 0.0),
    ]
    return LeastTime(
        law=double_s(fraction, rise),
        displacement=D,
        duration=duration,
        bindings=tuple(_binding(limits, per, kind, s) for yes, per, kind, s in reached if yes),
    )


def _binding(limits: JointLimits, durations: Array, kind: Kind, s: float) -> Binding:
    joint = int(np.argmax(durations))
    return Binding(joint=joint, name=limits.names[joint], kind=kind, s=s)
