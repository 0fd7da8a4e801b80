"""The touch cycle of a measuring machine, and the directions of its stylus.

A machine's own cycle is a touch of the plan in its words: from the approach distance before the
surface at touch speed to the search distance past it at most, and back by the retract distance.
DMIS runs it along the normal of the surface. Where the plan approaches along another direction,
the ball goes along the certified line to where the search starts; only the search itself, a few
millimetres, is then the machine's, along the normal. I++ takes the direction of the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.job import Job
from reports.programmes.source import Touch
from reports.programmes.text import rounded
from robots.core.arrays import Array

_ALONG = 1.0 - 1e-12  # cosine: the approach is along the normal
_LEAST_COSINE = 0.1  # of an approach that can be said to come from outside
_DECIMALS = 5  # of direction cosines: 0.001°, finer than any head
_CAREFUL = 0.05  # [m/s] where the plan has no speed: to the first clearance point


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TouchCycle:
    """One touch along the normal of the surface.

    Args:
        near: where the ball goes before, the start of the search; None where the cycle begins at
            the clearance point, which is on the normal. # (3,) [m]
        approach: from the surface of the ball to the part, where touch speed begins. [m]
        search: beyond the nominal surface. [m]
        retract: after the touch, from the surface. [m]
    """

    near: Array | None
    approach: float
    search: float
    retract: float


def touch_cycle(touch: Touch) -> TouchCycle:
    """The cycle of a touch."""
    along = touch.cosine >= _ALONG
    cosine = 1.0 if along else max(touch.cosine, _LEAST_COSINE)
    return TouchCycle(
        near=None if along else touch.search_start,
        approach=touch.search_before * cosine,
        search=touch.search_after * cosine,
        retract=float((touch.back_off - touch.contact) @ touch.direction) * cosine,
    )


def positioning_speed(job: Job, speed: float) -> float:
    """A speed of the plan as a machine is asked for it: no more than the job allows. [m/s].

    Args:
        job: whose ``touch.positioning_speed`` is the limit; zero or infinite for none.
        speed: of the ball in the plan; zero where it has none.
    """
    limit = job.touch.positioning_speed
    asked = speed if speed > 0.0 else _CAREFUL
    return min(asked, limit) if limit > 0.0 else asked


def approach_speed(job: Job, touch: Touch) -> float:
    """Mean speed of the plan from the clearance point to the start of the search. [m/s]."""
    length = touch.approach - touch.search_before
    return positioning_speed(
        job, length / touch.approach_time if touch.approach_time > 0.0 else 0.0
    )


def retract_speed(job: Job, touch: Touch) -> float:
    """Mean speed of the plan from the back-off point to the clearance point. [m/s]."""
    length = float(np.linalg.norm(touch.clearance - touch.back_off))
    return positioning_speed(job, length / touch.retract_time if touch.retract_time > 0.0 else 0.0)


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
    found, first = [], []
    for touch in touches:
        key = tuple(rounded(touch.axis, _DECIMALS).tolist())
        if key not in numbers:
            numbers[key] = len(numbers)
            first.append(touch.axis)
        found.append(numbers[key])
    return Styli(axes=np.array(first).reshape(-1, 3), of_touch=tuple(found))


def tool_names(job: Job, styli: Styli) -> list[str]:
    """Name of the machine's tool for each stylus direction.

    That of the job, ``probe.name``, with a number behind it where there are several directions;
    TIP1 and so on where the job has none.
    """
    name = job.probe.name
    if name and len(styli.axes) == 1:
        return [name]
    return [f"{name or 'TIP'}{place}" for place in range(1, len(styli.axes) + 1)]
