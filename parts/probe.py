"""The stylus of a touch probe, and its ball's centres over a surface."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import ProbeError
from robots.core.arrays import Array, frozen

_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tip:
    """One stylus: a shank that ends in a ball.

    Args:
        name: unique on its probe.
        direction: from the stylus's root to the ball, in the probe frame; brought to length one.
            # (3,)
        length: from the root to the ball's centre. [m]
        ball_radius: 0 for a point. [m]
        shank_radius: of the stylus, at most that of the ball. [m]
        offset: of the root in the probe frame, whose z axis leaves the probe. # (3,) [m]

    Raises:
        ProbeError: a number that is not finite or negative, no direction, a shank thicker than
            its ball.
    """

    name: str = "T1"
    direction: Array = field(default_factory=_UP.copy)
    length: float = 0.0
    ball_radius: float = 0.0
    shank_radius: float = 0.0
    offset: Array = field(default_factory=lambda: np.zeros(3))

    def __post_init__(self) -> None:
        for what in ("length", "ball_radius", "shank_radius"):
            value = getattr(self, what)
            if not np.isfinite(value) or value < 0.0:
                raise ProbeError(
                    f"Tip {self.name!r}: its {what.replace('_', ' ')} is {value} m; expected a "
                    "finite number, not negative.",
                    found=value,
                )
        if self.shank_radius > self.ball_radius > 0.0:
            raise ProbeError(
                f"Tip {self.name!r}: its shank (radius {self.shank_radius:g} m) is thicker than "
                f"its ball (radius {self.ball_radius:g} m) and would touch first.",
                found=self.shank_radius,
                limit=self.ball_radius,
            )
        direction = _three(self.direction, f"Tip {self.name!r}: its direction")
        length = float(np.linalg.norm(direction))
        if length < 1e-9:
            raise ProbeError(f"Tip {self.name!r}: its direction {direction.tolist()} has no length")
        object.__setattr__(self, "direction", frozen(direction / length))
        object.__setattr__(
            self, "offset", frozen(_three(self.offset, f"Tip {self.name!r}: its offset"))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeHead:
    """What carries a straight stylus, as a capsule that it stands out of.

    Args:
        length: between the centres of the capsule's ends. [m]
        radius: [m]
        clearance: that it keeps from every surface while the stylus touches. [m]
    """

    length: float
    radius: float
    clearance: float = 0.0


def uncompensate(contacts: ArrayLike, normals: ArrayLike, ball_radius: float) -> Array:
    """Ball centres from surface points: one radius out along the normal. # (k, 3) [m].

    Args:
        contacts: points of the surface. # (k, 3) [m]
        normals: out of the material, unit. # (k, 3)
        ball_radius: [m]
    """
    return np.asarray(np.asarray(contacts) + ball_radius * np.asarray(normals))


def _three(values: ArrayLike, what: str) -> Array:
    array = np.array(values, dtype=np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise ProbeError(f"{what} is {array.tolist()}; expected three finite numbers.")
    return array
