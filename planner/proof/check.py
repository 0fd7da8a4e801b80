"""Check: the worst residual that an independent method found, beside its limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from robots.core.arrays import Array

# A joint that hardly moves or hardly works is measured against this part of the busiest one.
QUIET = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where in a plan a residual was found; a field that says nothing is empty, -1 or NaN.

    Args:
        joint: name of the joint.
        point: name of the point.
        segment: index of the segment.
        instant: on the clock of the plan. [s]
    """

    joint: str = ""
    point: str = ""
    segment: int = -1
    instant: float = float("nan")


NOWHERE = Location()

# Location of a residual, given its index in the array of residuals.
Locate = Callable[[tuple[int, ...]], Location]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One residual.

    Args:
        name: short and stable.
        value: the worst residual found; NaN where something could not be computed.
        limit: the largest value that passes.
        unit: of both; "1" for a ratio.
        passed: whether the value is at most the limit.
        explanation: what was compared with what, and on which instants.
        location: of the worst residual.
    """

    name: str
    value: float
    limit: float
    unit: str
    passed: bool
    explanation: str
    location: Location = field(default=NOWHERE)


def check(
    name: str,
    residuals: object,
    limit: float,
    unit: str,
    explanation: str,
    locate: Locate = lambda _: NOWHERE,
) -> Check:
    """Check the largest absolute residual; no residual at all is zero, NaN does not pass.

    Args:
        name: of the check.
        residuals: any shape, or a ``Worst`` that has collected them.
        limit: the largest that passes.
        unit: of both.
        explanation: see ``Check``.
        locate: tells where a residual was found; a ``Worst`` knows by itself.
    """
    worst = residuals if isinstance(residuals, Worst) else Worst()
    if worst is not residuals:
        worst.take(residuals, locate)
    return Check(
        name=name,
        value=worst.value,
        limit=limit,
        unit=unit,
        passed=worst.value <= limit,
        explanation=explanation,
        location=worst.location,
    )


class Worst:
    """The largest size of residuals that come in parts; no residual at all is zero, NaN stays."""

    __slots__ = ("location", "value")

    def __init__(self) -> None:
        self.value = 0.0
        self.location = NOWHERE

    def take(self, residuals: object, locate: Locate = lambda _: NOWHERE) -> None:
        """Take in some residuals of any shape; ``locate`` is asked for the largest only."""
        found = np.abs(np.asarray(residuals, dtype=np.float64))
        if found.size == 0 or np.isnan(self.value):
            return
        place = int(np.argmax(found))  # of the first NaN where there is one
        largest = float(found.ravel()[place])
        if not largest <= self.value:
            self.value = largest
            self.location = locate(tuple(int(k) for k in np.unravel_index(place, found.shape)))


def scales(peaks: Array, quiet: float = QUIET) -> Array:
    """What residuals of each joint are measured against, given its peak. # (n,).

    Args:
        peaks: zero or more. # (n,)
        quiet: part of the largest peak that is added to all.
    """
    return np.asarray(peaks + quiet * np.max(peaks, initial=0.0) + np.finfo(np.float64).tiny)
