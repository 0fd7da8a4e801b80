"""The touch probe: tips as data, and the way between ball centres and the surface."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

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

    @property
    def ball_centre(self) -> Array:
        """Centre of the ball in the probe frame. # (3,) [m]."""
        return np.asarray(self.offset + self.length * self.direction)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Probe:
    """A probe head with one tip or several.

    Raises:
        ProbeError: no tip, or a name twice.
    """

    tips: tuple[Tip, ...]

    def __post_init__(self) -> None:
        names = [tip.name for tip in self.tips]
        if not names or len(set(names)) < len(names):
            raise ProbeError(
                f"A probe has tips {names}; expected at least one, each with its own name.",
                found=names,
            )

    def tip(self, name: str) -> Tip:
        """The tip called ``name``.

        Raises:
            ProbeError: there is none.
        """
        for tip in self.tips:
            if tip.name == name:
                return tip
        known = ", ".join(tip.name for tip in self.tips)
        raise ProbeError(f"The probe has no tip {name!r}; it has {known}.", name=name)

    def best_tip(self, normal: ArrayLike) -> Tip:
        """The tip that looks most against a surface normal, given in the probe frame. # (3,)."""
        n = _three(normal, "The normal")
        return max(self.tips, key=lambda tip: float(-tip.direction @ n))


def straight_probe(*, length: float, ball_diameter: float, shank_diameter: float = 0.0) -> Probe:
    """One stylus along the probe axis. Lengths in [m]."""
    tip = Tip(length=length, ball_radius=ball_diameter / 2, shank_radius=shank_diameter / 2)
    return Probe(tips=(tip,))


def star_probe(
    *,
    reach: float,
    ball_diameter: float,
    shank_diameter: float = 0.0,
    hub: float = 0.0,
    arms: int = 4,
    straight: float | None = None,
) -> Probe:
    """Arms across the probe axis, and one along it.

    Args:
        reach: from the hub to the balls of the arms. [m]
        ball_diameter: of every ball. [m]
        shank_diameter: of every shank. [m]
        hub: distance of the hub along the probe axis. [m]
        arms: their number, at least 1, evenly about the axis, the first along x.
        straight: length of the stylus along the axis, from the hub; none where left out. [m]

    Raises:
        ProbeError: no arm, or a tip that cannot exist.
    """
    if arms < 1:
        raise ProbeError(f"A star has {arms} arms; expected at least 1.", found=arms)
    offset = np.array([0.0, 0.0, hub])
    angles = 2.0 * np.pi * np.arange(arms) / arms
    directions = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(arms)])
    directions[np.abs(directions) < 1e-15] = 0.0
    tips = [
        Tip(
            name=f"T{place}",
            direction=direction,
            length=reach,
            ball_radius=ball_diameter / 2,
            shank_radius=shank_diameter / 2,
            offset=offset,
        )
        for place, direction in enumerate(directions, start=1)
    ]
    if straight is not None:
        last = replace(tips[0], name=f"T{arms + 1}", direction=_UP, length=straight)
        tips.append(last)
    return Probe(tips=tuple(tips))


def compensate(centres: ArrayLike, normals: ArrayLike, ball_radius: float) -> Array:
    """Surface points from ball centres: one radius back along the normal. # (k, 3) [m].

    Args:
        centres: of the ball at contact. # (k, 3) [m]
        normals: out of the material, unit. # (k, 3)
        ball_radius: [m]
    """
    return np.asarray(np.asarray(centres) - ball_radius * np.asarray(normals))


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
