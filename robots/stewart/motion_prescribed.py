"""Prescribed motions: every coordinate of the platform a harmonic function of time.

Source: [STAICU09] §2 eqs. (5)-(7)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.motion.motion_law import Side
from robots.core.orientation.rotation import rotation_x, rotation_y, rotation_z
from robots.stewart.motion import PlatformState, SpeedBound, TimedMotion
from robots.stewart.platform import Platform

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
    """Whether the joints stand where another platform's do: its motion means something here.

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
