"""Synchronised joint motions, and their minimum duration under the drives' limits.

Source: [LAMMARI12] §V.3. Its formulas for the linear law and the trapezoid take the displacement
with its sign, so a joint that turns backwards gets a negative or too short time; here |D| stands
everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask, freeze_field
from robots.core.errors import MotionError
from robots.core.motion.joint_limits import Binding, JointLimits, LimitKind
from robots.core.motion.motion_law import (
    LAW_NAMES,
    SHORTEST_RISE,
    MotionLaw,
    Side,
    double_s,
    double_s_phases,
    motion_law,
    trapezoid,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MinimumTime:
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


def minimum_time(law_name: str, displacement: ArrayLike, limits: JointLimits) -> MinimumTime:
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
        return MinimumTime(law=law, displacement=D, duration=0.0, bindings=())
    if law_name == "trapezoid":
        Mrv, Mra = float(per_speed.max()), float(per_acceleration.max())
        if math.sqrt(Mra) < Mrv:
            bindings = (
                _binding(limits, per_speed, "velocity", 0.5),
                _binding(limits, per_acceleration, "acceleration", 0.0),
            )
            duration = Mrv + Mra / Mrv
            law = trapezoid(min((Mra / Mrv) / duration, 0.5))  # rounding at the switch to 1/2
            return MinimumTime(law=law, displacement=D, duration=duration, bindings=bindings)
    by_speed = law.peak_rate * per_speed
    by_acceleration = np.sqrt(law.peak_acceleration * per_acceleration)
    if by_speed.max() > by_acceleration.max():
        binding = _binding(limits, by_speed, "velocity", 0.5)
    else:
        binding = _binding(limits, by_acceleration, "acceleration", law.peak_acceleration_at)
    duration = max(float(by_speed.max()), float(by_acceleration.max()))
    return MinimumTime(law=law, displacement=D, duration=duration, bindings=(binding,))


def _double_s_time(resting: MotionLaw, D: Array, limits: JointLimits) -> MinimumTime:
    """The least time of the double-S, its shape and every limit that it reaches."""
    per_jerk = np.abs(D) / limits.require_jerk()
    if not np.any(D):
        return MinimumTime(law=resting, displacement=D, duration=0.0, bindings=())
    per_speed = np.abs(D) / limits.max_speed
    per_acceleration = np.abs(D) / limits.max_acceleration
    phases = double_s_phases(per_speed.max(), per_acceleration.max(), per_jerk.max())
    duration = float(phases.duration)
    fraction = min(float(phases.acceleration) / duration, 0.5)  # rounding at the switch to 1/2
    rise = min(max(float(phases.jerk) / duration, SHORTEST_RISE), fraction / 2.0)
    reached: list[tuple[bool, Array, LimitKind, float]] = [
        (bool(phases.reaches_speed), per_speed, "velocity", 0.5),
        (bool(phases.reaches_acceleration), per_acceleration, "acceleration", rise),
        (True, per_jerk, "jerk", 0.0),
    ]
    return MinimumTime(
        law=double_s(fraction, rise),
        displacement=D,
        duration=duration,
        bindings=tuple(_binding(limits, per, kind, s) for yes, per, kind, s in reached if yes),
    )


def _binding(limits: JointLimits, durations: Array, kind: LimitKind, s: float) -> Binding:
    joint = int(np.argmax(durations))
    return Binding(joint=joint, name=limits.names[joint], kind=kind, s=s)


# ------------------------------------------------------------------------------------ Joint motion
# Source: [LAMMARI12] §V.3 eq. (V.1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointMotion:
    """q(t) = start + r(t/T)·displacement; at rest before 0 and after T.

    It is also a ``Path``: ``state`` and ``breaks`` do not depend on the duration.

    Args:
        law: how r goes from 0 to 1.
        start: # (n,) [rad or m]
        displacement: any sign. # (n,) [rad or m]
        duration: T, zero only when nothing moves. [s]

    Raises:
        MotionError: values that are not finite, unequal lengths, or a displacement in no time.
    """

    law: MotionLaw
    start: Array
    displacement: Array
    duration: float

    def __post_init__(self) -> None:
        for name in ("start", "displacement"):
            array = np.array(getattr(self, name), dtype=np.float64, ndmin=1)
            if array.ndim != 1 or not np.all(np.isfinite(array)):
                raise MotionError(
                    f"A motion's {name} is {array.tolist()}; give one finite number per joint."
                )
            freeze_field(self, name, array)
        if self.start.shape != self.displacement.shape:
            raise MotionError(
                f"A motion starts with {self.start.size} joints and displaces "
                f"{self.displacement.size}; give as many of each."
            )
        still = not np.any(self.displacement)
        if not (0.0 < self.duration < np.inf or (self.duration == 0.0 and still)):
            raise MotionError(
                f"A motion's duration is {self.duration!r} s; it must be finite and above zero "
                "(zero only when no joint moves).",
                duration=self.duration,
            )

    @property
    def end(self) -> Array:
        """Configuration after the motion. # (n,) [rad or m]."""
        return self.start + self.displacement

    @property
    def switches(self) -> Array:
        """Instants where the acceleration or its slope jumps inside the motion. # (k,) [s]."""
        return self.duration * np.array(self.law.switches)

    @property
    def breaks(self) -> tuple[float, ...]:
        """The same instants as fractions s of the duration."""
        return self.law.switches

    @property
    def peak_velocity(self) -> Array:
        """Largest |q̇|, closed form. # (n,) [rad/s or m/s]."""
        return self._scaled(np.abs(self.displacement) * self.law.peak_rate, 1)

    @property
    def peak_acceleration(self) -> Array:
        """Largest |q̈| inside the motion, closed form. # (n,) [rad/s² or m/s²]."""
        return self._scaled(np.abs(self.displacement) * self.law.peak_acceleration, 2)

    @property
    def peak_jerk(self) -> Array:
        """Largest |d³q/dt³|, closed form; infinite where q̈ jumps. # (n,) [rad/s³ or m/s³]."""
        moving = self.displacement != 0.0
        jerk = np.where(moving, self.law.peak_jerk, 0.0)
        return self._scaled(np.abs(np.where(moving, self.displacement, 1.0)) * jerk, 3)

    def position(self, t: ArrayLike) -> Array:
        """Joint values at t. Args: t, any shape. [s] # (..., n) [rad or m]."""
        return self.start + self.law.r(self._fraction(t))[..., None] * self.displacement

    def velocity(self, t: ArrayLike, side: Side = "right") -> Array:
        """Joint rates at t, from one side of a switch. # (..., n) [rad/s or m/s]."""
        rate = self.law.dr(self._fraction(t), side)[..., None] * self.displacement
        return self._scaled(rate, 1)

    def acceleration(self, t: ArrayLike, side: Side = "right") -> Array:
        """Joint accelerations at t, from one side of a switch. # (..., n) [rad/s² or m/s²]."""
        rate = self.law.ddr(self._fraction(t), side)[..., None] * self.displacement
        return self._scaled(rate, 2)

    def state(self, s: ArrayLike, side: Side = "right") -> PathState:
        """The motion as a path in s = t/T. Args: s, any shape; side of a switch."""
        return PathState(
            q=self.start + self.law.r(s)[..., None] * self.displacement,
            dq=self.law.dr(s, side)[..., None] * self.displacement,
            ddq=self.law.ddr(s, side)[..., None] * self.displacement,
        )

    def _fraction(self, t: ArrayLike) -> Array:
        t = np.asarray(t, dtype=np.float64)
        if self.duration == 0.0:
            return np.where(np.isnan(t), t, 0.0)
        s = np.asarray(t / self.duration)
        # An instant at a switch must stay at it: T·s/T may differ from s by rounding.
        for switch in self.law.switches:
            s = np.where(np.abs(s - switch) <= 4.0 * np.spacing(switch), switch, s)
        return s

    def _scaled(self, derivative: Array, order: int) -> Array:
        """Derivative with respect to s turned into one with respect to t."""
        if self.duration == 0.0:
            return np.zeros_like(derivative)
        return np.asarray(derivative / self.duration**order)


# ------------------------------------------------------------------------------------------- Paths
# With s = t/T, q̇ = q'/T and q̈ = q''/T²: the path decides the shape, the duration only scales it.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PathState:
    """Joint values along a path and their derivatives with respect to s.

    Args:
        q: # (..., n) [rad or m]
        dq: first derivative q'. # (..., n) [rad or m]
        ddq: second derivative q''. # (..., n) [rad or m]
    """

    q: Array
    dq: Array
    ddq: Array


class Path(Protocol):
    """A path for time scaling, its motion law included."""

    @property
    def breaks(self) -> tuple[float, ...]:
        """Values of s, rising and inside (0, 1), where q' or q'' jumps."""

    def state(self, s: Array, side: Side = "right") -> PathState:
        """State at s, from the given side of a break. Args: s. # (...)."""


# -------------------------------------------------------------------------------------------- Rest
# Joint positions come out of inverse models with an error of about ε·|q|·κ, where κ is the
# condition number of the task. A joint that has nothing to do (on a plane of symmetry, along an
# axis, between two equal points) therefore "moves" by 1e-17 to 7e-11 rad, and the sign of that
# speed is noise. Dry friction, which acts against the sign of the speed, would turn the noise into
# its whole torque.
#
# ``REST`` is ε·2π at κ = 70,000, just above the largest noise met in thousands of random jobs and a
# thousandth of the smallest step an encoder resolves: 0.1 nm at a metre. A joint that moves by no
# more than this during a motion stands still: its speed and acceleration are exactly zero
# in every stage, planning and validation alike.

REST = 1e-10
"""Largest change of a joint's position during a motion that counts as rest. [rad or m]"""


def at_rest(swing: Array) -> Mask:
    """Tell which joints are at rest, given what they move by during a motion. # (...) [rad or m].

    A swing that is not a number is no rest: a lost posture must stay visible.
    """
    return np.asarray(np.abs(swing) <= REST)
