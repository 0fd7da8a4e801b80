"""How long the phases of a jerk-limited motion last: the double-S from rest to rest.

All joints follow one law r, as with the trapezoid. Their limits bound its rates, r' by 1/v, r'' by
1/a and r''' by 1/j with v = max |D|/KV, a = max |D|/KA and j = max |D|/KJ. The acceleration rises
and falls in t_j each; speeding up takes t_a, slowing down as long, and with r' = 1/v in between
T = v + t_a. Which of the limits are reached decides between four shapes:

- speed and acceleration: t_j = j/a, t_a = t_j + a/v;
- speed alone, when a² < v·j: t_j = √(j/v), t_a = 2·t_j;
- acceleration alone, when T would be below 2·t_a: t_a = (t_j + √(t_j² + 4a))/2, T = 2·t_a;
- neither, when then t_a < 2·t_j: t_j = ∛(j/2), t_a = 2·t_j, T = 2·t_a.

With j = 0 these are the trapezoid's times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask

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
