"""Motion laws: polynomial, trapezoidal and double-S, from rest to rest over unit time.

Every law is made of polynomial pieces. A law is defined on 0 ≤ s ≤ 1; its ends are taken from the
inside, so r' and r'' at s = 0 and s = 1 are those of the motion. Before and after it r rests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask
from robots.core.errors import MotionError

Side = Literal["left", "right"]
LAW_NAMES = ("linear", "cubic", "quintic", "bang-bang", "trapezoid", "double-s")
TIME_OPTIMAL = "time-optimal"
"""A path as fast as all limits allow; no law of its own, its shape depends on the path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LawPiece:
    """A polynomial in rising powers of s - origin, in force up to ``end``."""

    end: float
    origin: float
    coefficients: tuple[float, ...]

    def derivative(self, order: int) -> tuple[float, ...]:
        """Coefficients of the derivative of this order."""
        powers = range(order, len(self.coefficients))
        return tuple(math.perm(k, order) * self.coefficients[k] for k in powers) or (0.0,)


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionLaw:
    """One law r(s), with its peaks in closed form.

    Args:
        name: one of ``LAW_NAMES``.
        pieces: in order of s; the last one ends at 1.
        peak_rate: largest r'; all laws reach it at s = 1/2.
        peak_acceleration: largest |r''| inside; jumps of r' at the ends are not counted.
        peak_acceleration_at: where |r''| is first largest.
        acceleration_fraction: part of the duration in which the motion speeds up.
        peak_jerk: largest |r'''|; infinite where r'' jumps, at the ends or inside.
    """

    name: str
    pieces: tuple[LawPiece, ...]
    peak_rate: float
    peak_acceleration: float
    peak_acceleration_at: float
    acceleration_fraction: float
    peak_jerk: float = math.inf

    @property
    def jerk_fraction(self) -> float:
        """Part of the duration in which the acceleration of the double-S rises."""
        return self.peak_acceleration / self.peak_jerk

    @property
    def switches(self) -> tuple[float, ...]:
        """Instants s inside the motion where r'' jumps; in the double-S, where its slope does."""
        return tuple(piece.end for piece in self.pieces[:-1])

    @property
    def has_plateau(self) -> bool:
        """Whether part of the motion runs at constant speed."""
        return self.acceleration_fraction < 0.5

    def r(self, s: ArrayLike) -> Array:
        """Progress, 0 to 1. Args: s, any shape. # (...)."""
        return self._evaluate(s, 0, "right")

    def dr(self, s: ArrayLike, side: Side = "right") -> Array:
        """Rate r' = dr/ds. Args: s; side from which a switch is seen. # (...)."""
        return self._evaluate(s, 1, side)

    def ddr(self, s: ArrayLike, side: Side = "right") -> Array:
        """Acceleration r'' = d²r/ds². Args: s; side from which a switch is seen. # (...)."""
        return self._evaluate(s, 2, side)

    def dddr(self, s: ArrayLike, side: Side = "right") -> Array:
        """Jerk d³r/ds³ inside the pieces. Args: s; side from which a switch is seen. # (...)."""
        return self._evaluate(s, 3, side)

    def _evaluate(self, s: ArrayLike, order: int, side: Side) -> Array:
        s = np.asarray(s, dtype=np.float64)
        if np.any(np.isnan(s)):
            raise MotionError(f"The {self.name} law was asked for s = nan; give a number.")
        inside = np.clip(s, 0.0, 1.0)
        # searchsorted's side means the same as ours: which piece owns a switch.
        index = np.searchsorted(np.array(self.switches), inside, side=side)
        x = inside - np.array([piece.origin for piece in self.pieces])[index]
        table = np.array([piece.derivative(order) for piece in self.pieces])[index]
        value = np.zeros_like(x)
        for power in reversed(range(table.shape[-1])):
            value = value * x + table[..., power]
        return value if order == 0 else np.where(inside == s, value, 0.0)


LINEAR = MotionLaw(
    name="linear",
    pieces=(LawPiece(end=1.0, origin=0.0, coefficients=(0.0, 1.0)),),
    peak_rate=1.0,
    peak_acceleration=0.0,
    peak_acceleration_at=0.0,
    acceleration_fraction=0.0,
)
"""Constant speed; its speed jumps at both ends. Source: [LAMMARI12] §V.3.1 eq. (V.3)."""
CUBIC = MotionLaw(
    name="cubic",
    pieces=(LawPiece(end=1.0, origin=0.0, coefficients=(0.0, 0.0, 3.0, -2.0)),),
    peak_rate=3 / 2,
    peak_acceleration=6.0,
    peak_acceleration_at=0.0,
    acceleration_fraction=0.5,
)
"""Speed zero at both ends. Source: [LAMMARI12] §V.3.1 eqs. (V.4)-(V.5)."""
QUINTIC = MotionLaw(
    name="quintic",
    pieces=(LawPiece(end=1.0, origin=0.0, coefficients=(0.0, 0.0, 0.0, 10.0, -15.0, 6.0)),),
    peak_rate=15 / 8,
    peak_acceleration=10 / math.sqrt(3),
    peak_acceleration_at=0.5 - math.sqrt(3) / 6,
    acceleration_fraction=0.5,
    peak_jerk=60.0,
)
"""Speed and acceleration zero at both ends. Source: [LAMMARI12] §V.3.1 eq. (V.6)."""
BANG_BANG = MotionLaw(
    name="bang-bang",
    pieces=(
        LawPiece(end=0.5, origin=0.0, coefficients=(0.0, 0.0, 2.0)),
        LawPiece(end=1.0, origin=1.0, coefficients=(1.0, 0.0, -2.0)),
    ),
    peak_rate=2.0,
    peak_acceleration=4.0,
    peak_acceleration_at=0.0,
    acceleration_fraction=0.5,
)
"""Constant acceleration, then the same deceleration. Source: [LAMMARI12] §V.3.2 eq. (V.7)."""


def trapezoid(acceleration_fraction: float) -> MotionLaw:
    """Bang-bang with a plateau of constant speed.

    Args:
        acceleration_fraction: t_a / T, above 0 and at most 1/2; 1/2 leaves no plateau.

    Raises:
        MotionError: a fraction out of its domain.

    Source: [LAMMARI12] §V.3.3 eq. (V.8)
    """
    f = acceleration_fraction
    if not 0.0 < f <= 0.5:
        raise MotionError(
            f"The trapezoid's acceleration takes {f!r} of the duration; "
            "it must be above 0 and at most 0.5.",
            acceleration_fraction=f,
        )
    bend = 1.0 / (2.0 * f * (1.0 - f))
    plateau = (LawPiece(end=1.0 - f, origin=0.5, coefficients=(0.5, 1.0 / (1.0 - f), 0.0)),)
    return MotionLaw(
        name="trapezoid",
        pieces=(
            LawPiece(end=f, origin=0.0, coefficients=(0.0, 0.0, bend)),
            *(plateau if f < 0.5 else ()),
            LawPiece(end=1.0, origin=1.0, coefficients=(1.0, 0.0, -bend)),
        ),
        peak_rate=1.0 / (1.0 - f),
        peak_acceleration=2.0 * bend,
        peak_acceleration_at=0.0,
        acceleration_fraction=f,
    )


def double_s(acceleration_fraction: float, jerk_fraction: float) -> MotionLaw:
    """Trapezoid whose acceleration rises and falls at constant jerk: seven pieces at most.

    Args:
        acceleration_fraction: t_a / T, in which the motion speeds up; 1/2 leaves no plateau.
        jerk_fraction: part of T in which the acceleration rises, above 0 and at most half of the
            acceleration fraction; half of it leaves no constant acceleration.

    Raises:
        MotionError: fractions out of their domain.
    """
    f, j = acceleration_fraction, jerk_fraction
    if not 0.0 < 2.0 * j <= f <= 0.5:
        raise MotionError(
            f"The double-S law speeds up in {f!r} of the duration, its acceleration rises in "
            f"{j!r}; the first must be at most 0.5, the second above 0 and at most half of it.",
            acceleration_fraction=f,
            jerk_fraction=j,
        )
    V = 1.0 / (1.0 - f)
    A = V / (f - j)
    J = A / j
    rising = LawPiece(end=j, origin=0.0, coefficients=(0.0, 0.0, 0.0, J / 6.0))
    # About the place where this line of speed would start from rest; the jerk's gain is constant.
    steady = LawPiece(end=f - j, origin=j / 2.0, coefficients=(A * j * j / 24.0, 0.0, A / 2.0, 0.0))
    easing = LawPiece(end=f, origin=f, coefficients=(V * f / 2.0, V, 0.0, -J / 6.0))
    plateau = LawPiece(end=1.0 - f, origin=0.5, coefficients=(0.5, V, 0.0, 0.0))
    start = (rising, *((steady,) if 2.0 * j < f else ()), easing)
    return MotionLaw(
        name="double-s",
        pieces=(*start, *((plateau,) if f < 0.5 else ()), *_mirrored(start)),
        peak_rate=V,
        peak_acceleration=A,
        peak_acceleration_at=j,
        acceleration_fraction=f,
        peak_jerk=J,
    )


def _mirrored(pieces: tuple[LawPiece, ...]) -> tuple[LawPiece, ...]:
    """Pieces of 1 - r(1 - s) for those of r that begin at 0; powers up to three."""
    ends = (1.0, *(1.0 - piece.end for piece in pieces[:-1]))
    found = []
    for end, piece in zip(ends, pieces, strict=True):
        c0, c1, c2, c3 = piece.coefficients
        found.append(
            LawPiece(end=end, origin=1.0 - piece.origin, coefficients=(1.0 - c0, c1, -c2, c3))
        )
    return tuple(reversed(found))


def motion_law(
    name: str, *, acceleration_fraction: float = 0.5, jerk_fraction: float = 0.25
) -> MotionLaw:
    """Law by name.

    Args:
        name: one of ``LAW_NAMES``.
        acceleration_fraction: t_a / T of the trapezoid and the double-S; the other laws have none
            to choose.
        jerk_fraction: of the double-S.

    Raises:
        MotionError: no law of this name; the message lists those that exist.
    """
    if name == "trapezoid":
        return trapezoid(acceleration_fraction)
    if name == "double-s":
        return double_s(acceleration_fraction, jerk_fraction)
    for law in (LINEAR, CUBIC, QUINTIC, BANG_BANG):
        if law.name == name:
            return law
    raise MotionError(
        f"There is no motion law {name!r}; choose one of {', '.join(LAW_NAMES)}.",
        name=name,
        known=LAW_NAMES,
    )


def straight_law(name: str) -> str:
    """Law of a straight joint motion on which no effort binds: none beats the trapezoid."""
    return "trapezoid" if name == TIME_OPTIMAL else name


# --------------------------------------------------------------------------------- Double-S phases
# All joints follow one law r, as with the trapezoid. Their limits bound its rates, r' by 1/v, r''
# by 1/a and r''' by 1/j with v = max |D|/KV, a = max |D|/KA and j = max |D|/KJ. The acceleration
# rises and falls in t_j each; speeding up takes t_a, slowing down as long, and with r' = 1/v in
# between T = v + t_a. Which of the limits are reached decides between four shapes:
#
# - speed and acceleration: t_j = j/a, t_a = t_j + a/v;
# - speed alone, when a² < v·j: t_j = √(j/v), t_a = 2·t_j;
# - acceleration alone, when T would be below 2·t_a: t_a = (t_j + √(t_j² + 4a))/2, T = 2·t_a;
# - neither, when then t_a < 2·t_j: t_j = ∛(j/2), t_a = 2·t_j, T = 2·t_a.
#
# With j = 0 these are the trapezoid's times.

# A rise of the acceleration shorter than this part of the motion is lost in rounding of s.
SHORTEST_RISE = 1e-15


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Phases:
    """Durations of many motions.

    Args:
        jerk: t_j, in which the acceleration rises. # (...) [s]
        acceleration: t_a, in which the motion speeds up. # (...) [s]
        duration: T, zero where nothing moves. # (...) [s]
        reaches_speed: whether the motion runs at its largest speed. # (...)
        reaches_acceleration: whether it keeps its largest acceleration for a time. # (...)
    """

    jerk: Array
    acceleration: Array
    duration: Array
    reaches_speed: Mask
    reaches_acceleration: Mask


def double_s_phases(v: ArrayLike, a: ArrayLike, j: ArrayLike) -> Phases:
    """Least times from rest to rest.

    Args:
        v: largest |D|/KV. # (...) [s]
        a: largest |D|/KA. # (...) [s²]
        j: largest |D|/KJ. # (...) [s³]
    """
    v, a, j = (np.asarray(value, dtype=np.float64) for value in (v, a, j))
    moves = v > 0.0
    v, a, j = (np.where(moves, value, 1.0) for value in (v, a, j))
    rise = j / a
    steady = a * a >= v * j
    jerk = np.where(steady, rise, np.sqrt(j / v))
    acceleration = jerk + np.where(steady, a / v, jerk)
    cruises = acceleration <= v
    # Without plateau.
    held = rise * rise * 2.0 <= a
    short_jerk = np.where(held, rise, np.cbrt(j / 2.0))
    short = np.where(held, 0.5 * (rise + np.sqrt(rise * rise + 4.0 * a)), 2.0 * short_jerk)
    jerk = np.where(cruises, jerk, short_jerk)
    acceleration = np.where(cruises, acceleration, short)
    duration = np.where(cruises, v + acceleration, 2.0 * acceleration)
    return Phases(
        jerk=np.where(moves, jerk, 0.0),
        acceleration=np.where(moves, acceleration, 0.0),
        duration=np.where(moves, duration, 0.0),
        reaches_speed=moves & cruises,
        reaches_acceleration=moves & np.where(cruises, steady, held),
    )
