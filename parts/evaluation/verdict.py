"""Conformance: whether a value keeps its tolerance, with the doubt that its uncertainty leaves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """What can be said of a value and its limit."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncertainty:
    """How sure a value is.

    Args:
        standard: standard deviation of the value over the draws. [m]
        expanded: half width of the interval about the value. [m]
        coverage: probability of that interval.
        draws: evaluated.
        shift: mean of the draws less the value: what noise adds to a form error. [m]
        first_order: the same by the derivatives of the fit; NaN where they do not hold and draws
            were measured again. [m]
    """

    standard: float
    expanded: float
    coverage: float
    draws: int
    shift: float = 0.0
    first_order: float = float("nan")


def verdict_of(size: float, limit: float, uncertainty: Uncertainty | None = None) -> Verdict:
    """Decide by ISO 14253-1: with uncertainty U, only what is surely within passes.

    A size of at most ``limit`` - U conforms, one beyond ``limit`` + U does not, and between the two
    neither can be said. Without an uncertainty the limit alone decides.

    Args:
        size: of a zone, or of a deviation without its sign. [m]
        limit: of the tolerance. [m]
        uncertainty: of the size.

    Source: [ISO14253-1] §5
    """
    guard = 0.0 if uncertainty is None else uncertainty.expanded
    if size <= limit - guard:
        return Verdict.PASS
    return Verdict.FAIL if size > limit + guard else Verdict.UNDECIDED
