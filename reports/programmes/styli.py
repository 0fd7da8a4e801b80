"""Directions that the stylus has at the touches of a plan, numbered as they occur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.programmes.plain_numbers import rounded
from reports.programmes.steps import Touch
from robots.core.arrays import Array

_DECIMALS = 5  # of direction cosines: 0.001°, finer than any head


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
