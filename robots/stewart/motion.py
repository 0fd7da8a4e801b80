"""What a motion of the platform is: a course over s in [0, 1], and the time it takes.

With s = t / duration, velocities are the course's first derivatives divided by the duration, and
accelerations its second derivatives divided by the square of it: the course decides the shape, the
duration only scales it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.motion.motion_law import Side
from robots.stewart.errors import PlatformError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlatformState:
    """Pose of the platform with its first two derivatives, over s or over time.

    Args:
        T: T_base_platform. # (..., 4, 4)
        V: of the platform frame's origin, then angular. Base frame. # (..., 6) [m, rad (/s)]
        A: likewise. # (..., 6) [m, rad (/s²)]
    """

    T: Array
    V: Array
    A: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedBound:
    """Largest speeds over s that a course can have.

    Args:
        linear: of the platform frame's origin. [m]
        angular: [rad]
    """

    linear: float
    angular: float


class Course(Protocol):
    """Poses over s in [0, 1], the motion law included."""

    @property
    def breaks(self) -> tuple[float, ...]:
        """Values of s, rising and inside (0, 1), where a second derivative jumps."""

    def state(self, s: Array, side: Side = "right") -> PlatformState:
        """State with derivatives over s, from the given side of a break. Args: s. # (...)."""

    def speed_bound(self) -> SpeedBound:
        """Speeds over s that are not exceeded anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedMotion:
    """A course in time.

    Args:
        course: its shape.
        duration: above zero. [s]

    Raises:
        PlatformError: a duration that is not a finite number above zero.
    """

    course: Course
    duration: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.duration) and self.duration > 0.0):
            raise PlatformError(
                f"The motion's duration is {self.duration!r} s; it must be a finite number above "
                "zero.",
                duration=self.duration,
            )

    def state(self, t: ArrayLike, side: Side = "right") -> PlatformState:
        """Pose, velocity [m/s, rad/s] and acceleration [m/s², rad/s²] at times.

        Args:
            t: from 0 to the duration. # (...) [s]
            side: from which a jump is seen.

        Raises:
            PlatformError: a time outside the motion, or not a number.
        """
        times = np.asarray(t, dtype=np.float64)
        outside = ~((times >= 0.0) & (times <= self.duration))
        if np.any(outside):
            value = float(times[outside].flat[0])
            raise PlatformError(
                f"The motion was asked for t = {value:g} s; it lasts from 0 to "
                f"{self.duration:g} s.",
                value=value,
                limit=self.duration,
            )
        found = self.course.state(times / self.duration, side)
        return PlatformState(T=found.T, V=found.V / self.duration, A=found.A / self.duration**2)
