"""Travel between clearance points: synchronised joint motions."""

from __future__ import annotations

import numpy as np

from planner.motion.motions import LawState, LawTable
from robots.core.arrays import Array, Indices
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import PathState, at_rest, minimum_time
from robots.core.motion.motion_law import double_s_phases, motion_law, straight_law

_ROUNDING = 1e-9  # relative: of bounds that proofs are made with


class TravelMotions:
    """Joint motions from one configuration to the next; joints at rest keep their start.

    Args:
        starts: # (k, n) [rad]
        ends: # (k, n) [rad]
        law_name: of the motion law.
        limits: of speed and acceleration, and of jerk for the double-S law.

    Raises:
        MotionError: the double-S law for a joint without jerk limit.
    """

    def __init__(self, starts: Array, ends: Array, law_name: str, limits: JointLimits) -> None:
        self._law_name = law_name
        self.starts = starts
        moved = ends - starts
        self.displacements = np.where(at_rest(moved), 0.0, moved)
        if law_name == "trapezoid":
            timed = _trapezoids(self.displacements, limits)
        else:
            timed = _one_by_one(law_name, self.displacements, limits)
        self.duration, self.bindings, self._table = timed

    @property
    def count(self) -> int:
        """Number of motions."""
        return len(self.starts)

    @property
    def pieces(self) -> int:
        """Pieces of the laws."""
        return self._table.pieces

    def law_name(self, travel: int) -> str:
        """Name of a travel's law, the same for all."""
        del travel
        return self._law_name

    def law_state(self, index: Indices, piece: Indices, x: Array) -> LawState:
        """Progress inside a piece of each law. # (m,) each."""
        return self._table.state(index, piece, x)

    def law_at(self, index: Indices, s: Array, seen: Array | None = None) -> LawState:
        """Progress at s; at a switch the side after it, or that of ``seen``. # (m,) each."""
        return self._table.at(index, s, seen)

    def states(self, index: Indices, law: LawState) -> PathState:
        """Joints where the law is. # (m, n) each."""
        D = self.displacements[index]
        return PathState(
            q=self.starts[index] + D * law.r[:, None],
            dq=D * law.dr[:, None],
            ddq=D * law.ddr[:, None],
        )

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ, as paths to be certified. # (m, n)."""
        return np.asarray(self.starts[index] + self.displacements[index] * lam[:, None])

    def spread(self, index: Indices, low: Array, high: Array) -> Array:
        """Proven bound of |q(λ) - q(middle)| for λ in [low, high]. # (m, n)."""
        half = 0.5 * (high - low)[:, None] * (1.0 + _ROUNDING)
        return np.asarray(np.abs(self.displacements[index]) * half)

    def along(self, index: Indices, low: Array, high: Array) -> Array:
        """All that the joints turn from the middle to ``high``. # (m, n)."""
        return np.asarray(self.displacements[index] * (0.5 * (high - low))[:, None])


def _one_by_one(
    law_name: str, displacements: Array, limits: JointLimits
) -> tuple[Array, tuple[str, ...], LawTable]:
    """Durations, what fixes them, and laws. # (k,) [s]."""
    times = [minimum_time(law_name, D, limits) for D in displacements]
    return (
        np.array([time.duration for time in times]),
        tuple(", ".join(str(b) for b in time.bindings) for time in times),
        LawTable([time.law for time in times]),
    )


def _trapezoids(
    displacements: Array, limits: JointLimits
) -> tuple[Array, tuple[str, ...], LawTable]:
    """The same of trapezoids, of all at once: most travels of most jobs.

    Source: [LAMMARI12] §V.3.3; ``minimum_time`` of one at a time
    """
    D = np.abs(displacements)
    per_speed, per_acceleration = D / limits.max_speed, D / limits.max_acceleration
    v, a = np.max(per_speed, axis=1, initial=0.0), np.max(per_acceleration, axis=1, initial=0.0)
    plateau, moves = np.sqrt(a) < v, v > 0.0
    cruising = np.where(plateau, v, 1.0)
    long = v + a / cruising
    # Without a plateau r' peaks at 2 and r'' at 4.
    by_speed, by_acceleration = 2.0 * v, np.sqrt(4.0 * a)
    duration = np.where(plateau, long, np.maximum(by_speed, by_acceleration))
    fraction = np.where(
        plateau, np.minimum((a / cruising) / np.where(plateau, long, 1.0), 0.5), 0.5
    )
    fastest, hardest = np.argmax(per_speed, axis=1), np.argmax(per_acceleration, axis=1)
    names = limits.names
    bindings = []
    for k, moving in enumerate(moves.tolist()):
        speed = f"{names[fastest[k]]} velocity"
        acceleration = f"{names[hardest[k]]} acceleration"
        if not moving:
            bindings.append("")
        elif plateau[k]:
            bindings.append(f"{speed}, {acceleration}")
        else:
            bindings.append(speed if by_speed[k] > by_acceleration[k] else acceleration)
    return np.where(moves, duration, 0.0), tuple(bindings), _trapezoid_table(fraction)


def _trapezoid_table(fraction: Array) -> LawTable:
    """Trapezoids that speed up in these parts of their durations. # (k,)."""
    f = fraction
    bend, one, zero = 1.0 / (2.0 * f * (1.0 - f)), np.ones_like(f), np.zeros_like(f)
    rising = (f, zero, np.stack([zero, zero, bend], axis=1))
    cruise = (1.0 - f, 0.5 * one, np.stack([0.5 * one, 1.0 / (1.0 - f), zero], axis=1))
    falling = (one, one, np.stack([one, zero, -bend], axis=1))
    # Where there is no plateau its piece is empty, and nobody asks for it.
    pieces = (rising, cruise, falling) if np.any(f < 0.5) else (rising, falling)
    ends, origins, coefficients = zip(*pieces, strict=True)
    return LawTable.polynomials(
        np.stack(ends, axis=1), np.stack(origins, axis=1), np.stack(coefficients, axis=1)
    )


def travel_times(
    starts: Array, ends: Array, limits: JointLimits, law_name: str = "trapezoid"
) -> Array:
    """Least synchronised times between configurations, for choosing among many.

    Args:
        starts: # (..., n) [rad]
        ends: broadcast against starts. # (..., n) [rad]
        limits: of the joints.
        law_name: of the motion law.

    Returns:
        # (...) [s]

    Raises:
        MotionError: the double-S law for a joint without jerk limit.

    Source: [LAMMARI12] §V.3 with |D|
    """
    D, law_name = np.abs(ends - starts), straight_law(law_name)
    by_speed = np.max(D / limits.max_speed, axis=-1)
    by_acceleration = np.max(D / limits.max_acceleration, axis=-1)
    if law_name == "double-s":
        by_jerk = np.max(D / limits.require_jerk(), axis=-1)
        return double_s_phases(by_speed, by_acceleration, by_jerk).duration
    if law_name != "trapezoid":
        law = motion_law(law_name)
        by_root = np.sqrt(law.peak_acceleration * by_acceleration)
        return np.asarray(np.maximum(law.peak_rate * by_speed, by_root))
    root = np.sqrt(by_acceleration)
    plateau = root < by_speed
    with_plateau = by_speed + by_acceleration / np.where(plateau, by_speed, 1.0)
    return np.asarray(np.where(plateau, with_plateau, 2.0 * root))
