"""Motions of the platform: courses over [0, 1] and their timing, moves, harmonics.

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
from robots.core.motion.motion_law import MotionLaw, Side
from robots.core.pose import as_pose, rotation_exp, rotation_log, rotation_x, rotation_y, rotation_z
from robots.stewart.errors import PlatformError
from robots.stewart.platform import Platform


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


class PoseCourse(Protocol):
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

    course: PoseCourse
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


# ----------------------------------------------------------------------------- Moves between poses

# Beyond this turn the shorter way round is a matter of rounding. [rad]
_HALF_TURN = np.pi - 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoseMove:
    """A course between two poses along the geodesic of each part, both under the same law.

    Args:
        start: T_base_platform. # (4, 4)
        end: likewise.
        law: how progress goes with s.
        travel: of the origin. # (3,) [m]
        turn: rotation vector of the whole turn, base frame. # (3,) [rad]
    """

    start: Array
    end: Array
    law: MotionLaw
    travel: Array
    turn: Array

    @property
    def breaks(self) -> tuple[float, ...]:
        """Where the law's second derivative jumps."""
        return self.law.switches

    def state(self, s: Array, side: Side = "right") -> PlatformState:
        """State with derivatives over s. Args: s. # (...); side of a break."""
        r = self.law.r(s)
        T = np.zeros((*np.shape(r), 4, 4))
        T[..., :3, :3] = rotation_exp(r[..., None] * self.turn) @ self.start[:3, :3]
        T[..., :3, 3] = self.start[:3, 3] + r[..., None] * self.travel
        T[..., 3, 3] = 1.0
        # The axis is fixed, so the turn's derivatives are along it as the travel's along the line.
        way = np.concatenate([self.travel, self.turn])
        rate, change = self.law.dr(s, side), self.law.ddr(s, side)
        return PlatformState(T=T, V=rate[..., None] * way, A=change[..., None] * way)

    def speed_bound(self) -> SpeedBound:
        """Largest speeds over s; reached where the law is fastest."""
        return SpeedBound(
            linear=float(np.linalg.norm(self.travel)) * self.law.peak_rate,
            angular=float(np.linalg.norm(self.turn)) * self.law.peak_rate,
        )


def pose_move(start: ArrayLike, end: ArrayLike, law: MotionLaw) -> PoseMove:
    """The move between two poses.

    Args:
        start: T_base_platform. # (4, 4)
        end: likewise.
        law: of ``robots.core.motion``.

    Raises:
        PoseError: not poses.
        PlatformError: two equal poses, or a half turn, which has no shorter way.
    """
    T0, T1 = as_pose(start, "The move's start"), as_pose(end, "The move's end")
    turn = rotation_log(T1[:3, :3] @ T0[:3, :3].T)
    travel = T1[:3, 3] - T0[:3, 3]
    angle = float(np.linalg.norm(turn))
    if angle > _HALF_TURN:
        raise PlatformError(
            f"The move turns the platform by {np.degrees(angle):.6g} deg: both directions of "
            "rotation are equally long; give a pose between.",
            angle=angle,
        )
    if angle == 0.0 and not np.any(travel):
        raise PlatformError("The move starts and ends in the same pose; give two different poses.")
    return PoseMove(start=T0, end=T1, law=law, travel=travel, turn=turn)


# ------------------------------------------------------------------------------ Prescribed motions
# Source: [STAICU09] §2 eqs. (5)-(7)

_SAME = 1e-6  # [m]; a point written to a thousandth of a millimetre is the same point


@dataclass(frozen=True, slots=True, kw_only=True)
class Harmonic:
    """x = sine·sin(φ) + versine·(1 - cos(φ)), with φ from 0 to ``turns`` full turns along s.

    Args:
        sine: amplitude. [m or rad]
        versine: likewise; such a part starts and ends at rest.
        turns: how many periods the motion has.
    """

    sine: float = 0.0
    versine: float = 0.0
    turns: float = 1.0

    def derivative(self, s: Array, order: int) -> Array:
        """Value (order 0) or derivative over s of order 1 or 2. # (...)."""
        w = 2.0 * np.pi * self.turns
        sin, cos = np.sin(w * s), np.cos(w * s)
        if order == 0:
            return np.asarray(self.sine * sin + self.versine * (1.0 - cos))
        if order == 1:
            return np.asarray(w * (self.sine * cos + self.versine * sin))
        return np.asarray(w * w * (self.versine * cos - self.sine * sin))

    def rate_bound(self) -> float:
        """Largest first derivative over s."""
        return float(2.0 * np.pi * self.turns * np.hypot(self.sine, self.versine))


STILL = Harmonic()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrescribedMotion:
    """A course about a pose: three translations and the angles about x, y, z of the moved frame.

    R = R_home·Rx(α1)·Ry(α2)·Rz(α3); the source's matrix a = a3·a2·a1 is its transpose.

    Args:
        home: T_base_platform for coordinates that are all zero. # (4, 4)
        translation: along the base's axes.
        angles: α1, α2, α3.
    """

    home: Array
    translation: tuple[Harmonic, Harmonic, Harmonic] = (STILL, STILL, STILL)
    angles: tuple[Harmonic, Harmonic, Harmonic] = (STILL, STILL, STILL)

    @property
    def breaks(self) -> tuple[float, ...]:
        """None: harmonic functions are smooth."""
        return ()

    def state(self, s: Array, side: Side = "right") -> PlatformState:  # noqa: ARG002
        """State with derivatives over s. Args: s. # (...).

        Source: [STAICU09] eqs. (5)-(7), (15) with a1ᵀa2ᵀu2 and a1ᵀa2ᵀa3ᵀu3 (corrected, sources.md)
        """
        s = np.asarray(s, dtype=np.float64)
        p, v, a = (self._of(self.translation, s, order) for order in range(3))
        al, dal, ddal = (self._of(self.angles, s, order) for order in range(3))
        R1, R2, R3 = rotation_x(al[..., 0]), rotation_y(al[..., 1]), rotation_z(al[..., 2])
        H, R12 = self.home[:3, :3], R1 @ R2
        # Axes of the three turns in base axes, each carried by the turns before it.
        axes = [np.broadcast_to(H[:, 0], p.shape), (H @ R1)[..., 1], (H @ R12)[..., 2]]
        w1 = dal[..., 0, None] * axes[0]
        w2 = w1 + dal[..., 1, None] * axes[1]
        angular = w2 + dal[..., 2, None] * axes[2]
        bias = np.cross(w1, dal[..., 1, None] * axes[1]) + np.cross(w2, dal[..., 2, None] * axes[2])
        change = bias + sum(ddal[..., k, None] * axes[k] for k in range(3))
        T = np.zeros((*s.shape, 4, 4))
        T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = H @ R12 @ R3, self.home[:3, 3] + p, 1.0
        return PlatformState(
            T=T, V=np.concatenate([v, angular], axis=-1), A=np.concatenate([a, change], axis=-1)
        )

    def speed_bound(self) -> SpeedBound:
        """Largest speeds over s, as if all parts were fastest together."""
        return SpeedBound(
            linear=float(np.linalg.norm([part.rate_bound() for part in self.translation])),
            angular=sum(part.rate_bound() for part in self.angles),
        )

    @staticmethod
    def _of(parts: tuple[Harmonic, Harmonic, Harmonic], s: Array, order: int) -> Array:
        return np.stack([part.derivative(s, order) for part in parts], axis=-1)


def has_joints_of(platform: Platform, owner: Platform) -> bool:
    """Return whether the joints stand where another platform's do: its motion means something here.

    Strokes, drives, masses and home may differ.
    """
    gaps = (
        platform.base_points - owner.base_points,
        platform.platform_points - owner.platform_points,
    )
    return bool(np.abs(gaps).max() <= _SAME)


def published_motion(platform: Platform) -> TimedMotion:
    """The motion of [STAICU09]'s example about a platform's home pose, 3 s.

    At t = 0 its speed along x is 0.0419 m/s, not zero.

    Source: [STAICU09] eqs. (5)-(6) and the example's data
    """
    course = PrescribedMotion(
        home=platform.home,
        translation=(Harmonic(sine=0.02), Harmonic(versine=0.04), Harmonic(versine=0.06)),
        angles=(
            Harmonic(versine=np.pi / 90),
            Harmonic(versine=np.pi / 45),
            Harmonic(versine=np.pi / 30),
        ),
    )
    return TimedMotion(course=course, duration=3.0)
