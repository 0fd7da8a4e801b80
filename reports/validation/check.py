"""Check and Validation: what an independent road found, beside what was allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# A joint that hardly moves or hardly works is measured against this part of the busiest one.
QUIET = 1e-6


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
    """

    name: str
    value: float
    limit: float
    unit: str
    passed: bool
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """All checks of one plan.

    Args:
        passed: whether every one passed.
        checks: in the order in which they build on each other.
    """

    passed: bool
    checks: tuple[Check, ...]

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.checks if not check.passed)


def check(name: str, residuals: object, limit: float, unit: str, explanation: str) -> Check:
    """A check of the largest absolute residual; no residual at all is zero, NaN does not pass.

    Args:
        name: of the check.
        residuals: any shape.
        limit: the largest that passes.
        unit: of both.
        explanation: see ``Check``.
    """
    found = np.abs(np.asarray(residuals, dtype=np.float64))
    value = float(found.max()) if found.size else 0.0
    return Check(
        name=name,
        value=value,
        limit=limit,
        unit=unit,
        passed=value <= limit,
        explanation=explanation,
    )


class Worst:
    """The largest size of residuals that come in parts; no residual at all is zero, NaN stays."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0.0

    def see(self, residuals: object) -> None:
        """Take in some residuals, any shape."""
        found = np.abs(np.asarray(residuals, dtype=np.float64))
        if found.size:
            self.value = float(np.maximum(self.value, found.max()))


def validation(checks: Sequence[Check]) -> Validation:
    """The verdict over a list of checks."""
    return Validation(passed=all(one.passed for one in checks), checks=tuple(checks))


def scales(peaks: Array, quiet: float = QUIET) -> Array:
    """What residuals of each joint are measured against, given its peak. # (n,).

    Args:
        peaks: zero or more. # (n,)
        quiet: part of the largest peak that is added to all.
    """
    return np.asarray(peaks + quiet * np.max(peaks, initial=0.0) + np.finfo(np.float64).tiny)
