"""What a motion of the platform asks of its legs: lengths, speeds, accelerations, forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.motion.joint_motion import PathState
from robots.core.motion.motion_law import Side
from robots.core.motion.time_scaling import Peak, highest
from robots.stewart.model import PlatformModel
from robots.stewart.motion import Course, PlatformState, TimedMotion


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegPathState(PathState):
    """Lengths q of the legs with derivatives over s, and the platform's state they come from."""

    platform: PlatformState


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegPath:
    """A course as a path in leg space, which is what the core's time scaling reads.

    Args:
        model: of the platform whose legs they are.
        course: of the platform.
    """

    model: PlatformModel
    course: Course

    @property
    def breaks(self) -> tuple[float, ...]:
        """Those of the course."""
        return self.course.breaks

    def state(self, s: Array, side: Side = "right") -> LegPathState:
        """Lengths and their derivatives over s. Args: s. # (...); side of a break."""
        found = self.course.state(s, side)
        return LegPathState(
            q=self.model.lengths(found.T),
            dq=self.model.length_rates(found.T, found.V),
            ddq=self.model.length_accelerations(found.T, found.V, found.A),
            platform=found,
        )


def has_force_limits(model: PlatformModel) -> bool:
    """Whether any drive's force is limited, so that forces need to be known."""
    return any(np.isfinite(leg.max_force) for leg in model.platform.legs)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegPeaks:
    """Highest value of a quantity on every leg during a motion, exact between samples.

    Args:
        value: # (6,)
        time: when. # (6,) [s]
    """

    value: Array
    time: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotionPeaks:
    """What a motion takes from every leg.

    Args:
        shortest: length. [m]
        longest: [m]
        speed: |l̇|. [m/s]
        acceleration: |l̈|. [m/s²]
        force: of the drives, absolute. [N]
    """

    shortest: LegPeaks
    longest: LegPeaks
    speed: LegPeaks
    acceleration: LegPeaks
    force: LegPeaks


def motion_peaks(model: PlatformModel, motion: TimedMotion) -> MotionPeaks:
    """Extremes of every leg over the whole motion.

    Found by dense samples whose brackets are narrowed to rounding
    (``robots.core.motion.time_scaling``):
    exact unless a peak is narrower than the spacing of two grids that agree.

    Args:
        model: of the platform.
        motion: in time.

    Raises:
        PlatformError: the motion meets a singularity, where forces have no bound.
    """
    T = motion.duration
    path = LegPath(model=model, course=motion.course)

    def of(quantity: Callable[[LegPathState], Array]) -> LegPeaks:
        return peaks(lambda s, side: quantity(path.state(s, side)), path.breaks, T)

    shortest = of(lambda state: -state.q)
    return MotionPeaks(
        shortest=LegPeaks(value=-shortest.value, time=shortest.time),
        longest=of(lambda state: state.q),
        speed=of(lambda state: np.abs(state.dq) / T),
        acceleration=of(lambda state: np.abs(state.ddq) / T**2),
        force=of(lambda state: np.abs(force_of(model, state, T))),
    )


def peaks(
    columns: Callable[[Array, Side], Array], breaks: tuple[float, ...], duration: float
) -> LegPeaks:
    """Highest value of every column over s, and when. # (m,) -> (m, k)."""
    count = columns(np.zeros(1), "right").shape[-1]
    found = [column_peak(columns, breaks, k) for k in range(count)]
    return LegPeaks(
        value=np.array([peak.value for peak in found]),
        time=np.array([duration * peak.s for peak in found]),
    )


def column_peak(columns: Callable[[Array, Side], Array], breaks: tuple[float, ...], k: int) -> Peak:
    """Highest value of one column."""
    return highest(lambda s, side: columns(s, side)[:, k : k + 1], breaks)


def force_of(model: PlatformModel, state: LegPathState, duration: float) -> Array:
    """Forces of the drives for a state over s, run in a duration. # (..., 6) [N]."""
    of = state.platform
    return model.forces(of.T, of.V / duration, of.A / duration**2)
