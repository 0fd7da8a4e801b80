"""One synchronised motion of all joints between two configurations.

Source: [LAMMARI12] §V.3 eq. (V.1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, freeze_field
from robots.core.errors import MotionError
from robots.core.motion.motion_law import MotionLaw, Side
from robots.core.motion.path import PathState


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
