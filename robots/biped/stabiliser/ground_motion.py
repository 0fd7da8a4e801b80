"""How a ground tilts in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from robots.biped.errors import BipedError
from robots.biped.verdict import Stance, Verdict
from robots.core.arrays import Array
from robots.core.motion.motion_law import QUINTIC

_SHORTEST = 0.1  # [s]; a sample is told every 20 ms


class GroundMotion(Protocol):
    """A ground whose roll α and pitch β are known at any time."""

    @property
    def duration(self) -> float:
        """How long it moves. [s]."""

    def samples(self, t: Array) -> Array:
        """α, β, their speeds and their accelerations. # (k,) -> (k, 6) [rad, rad/s, rad/s²]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThereAndBack:
    """From level to (α, β) and back, each way by the quintic law.

    Args:
        alpha: roll. [rad]
        beta: pitch; positive lowers the front. [rad]
        each_way: time of one way, 0.1 s or more. [s]

    Raises:
        BipedError: an angle not finite or steeper than 80 deg, a time that is too short.

    Source: [GASTEBOIS17] §2.5.12
    """

    alpha: float
    beta: float
    each_way: float = 7.0

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not abs(value) <= np.radians(80.0):
                raise BipedError(
                    f"The ground tilts by {name} = {np.degrees(value):g} deg; it must be finite "
                    "and within ±80 deg.",
                    angle=name,
                    value=value,
                )
        if not (np.isfinite(self.each_way) and self.each_way >= _SHORTEST):
            raise BipedError(
                f"The ground tilts in {self.each_way!r} s; it takes at least {_SHORTEST:g} s.",
                value=self.each_way,
                limit=_SHORTEST,
                unit="s",
            )

    @property
    def duration(self) -> float:
        """Both ways. [s]."""
        return 2.0 * self.each_way

    def samples(self, t: Array) -> Array:
        """α, β, their speeds and their accelerations. # (k,) -> (k, 6)."""
        T = self.each_way
        back = t > T
        s = np.where(back, 2.0 - t / T, t / T)
        turn = np.where(back, -1.0, 1.0)
        law = (QUINTIC.r(s), turn * QUINTIC.dr(s) / T, QUINTIC.ddr(s) / T**2)
        return np.stack([angle * x for x in law for angle in (self.alpha, self.beta)], axis=-1)


def less_tilt(t: Array, tilts: Array, verdict: Verdict) -> str:
    """What would do on a ground where the robot falls; empty where it does not, or on level ground.

    Args:
        t: # (k,) [s]
        tilts: α and β at these instants. # (k, 2 or more) [rad]
        verdict: of the motion.
    """
    if verdict.stance is not Stance.FALLEN:
        return ""
    roll, pitch = (float(np.degrees(np.interp(verdict.time, t, tilts[:, k]))) for k in (0, 1))
    if roll == pitch == 0.0:
        return ""
    return (
        f"The ground is at roll {roll:.2f}, pitch {pitch:.2f} deg then: tilt it less or slower, or "
        "start in another posture."
    )
