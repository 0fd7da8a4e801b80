"""The touch cycle of a measuring machine, and the directions of its stylus.

A cycle runs along the normal: to the approach distance, on to the surface, past it by the search
distance at most, and back. Where the plan approaches along another direction, only the last
stretch is left to the cycle, and the ball goes to where it begins along the certified line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.programmes.source import Touch
from reports.programmes.text import rounded
from robots.core.arrays import Array

_ALONG = 1.0 - 1e-12  # cosine: the approach is along the normal
_LAST = 2e-3  # [m] of another approach, left to the cycle
_LEAST_COSINE = 0.1  # of an approach that can be said to come from outside
_DECIMALS = 5  # of direction cosines: 0.001°, finer than any head


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TouchCycle:
    """One touch in the words of machines.

    Args:
        near: where the ball goes before, between clearance point and contact; None where the
            cycle begins at the clearance point. # (3,) [m]
        approach: from the surface of the ball to the part, along the normal. [m]
        search: beyond the nominal surface. [m]
    """

    near: Array | None
    approach: float
    search: float


def touch_cycle(touch: Touch) -> TouchCycle:
    """The cycle of a touch."""
    if touch.cosine >= _ALONG:
        return TouchCycle(near=None, approach=touch.approach, search=touch.search_after)
    cosine = max(touch.cosine, _LEAST_COSINE)
    last = min(_LAST, touch.approach)
    return TouchCycle(
        near=touch.contact + last * touch.direction,
        approach=last * cosine,
        search=touch.search_after * cosine,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Styli:
    """Stylus directions of a plan.

    Args:
        axes: each towards the ball, base frame. # (d, 3) unit
        of_touch: which one each touch has, by the touch's place. # (k,)
    """

    axes: Array
    of_touch: tuple[int, ...]


def styli(touches: Sequence[Touch]) -> Styli:
    """The distinct directions, in the order of their first use."""
    numbers: dict[tuple[float, ...], int] = {}
    found = []
    for touch in touches:
        key = tuple(rounded(touch.axis, _DECIMALS).tolist())
        found.append(numbers.setdefault(key, len(numbers)))
    first = [found.index(number) for number in range(len(numbers))]
    axes = np.array([touches[place].axis for place in first]).reshape(-1, 3)
    return Styli(axes=axes, of_touch=tuple(found))
