"""Tolerances of the drawing, and the conformance of a value with regard to its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal, get_args

import numpy as np

from parts.errors import EvaluationError

FormKind = Literal["flatness", "straightness", "roundness", "cylindricity"]
OrientationKind = Literal["parallelism", "perpendicularity", "angularity"]
SizeKind = Literal["diameter", "distance"]
ToleranceKind = Literal[FormKind, OrientationKind, "position", "profile", SizeKind]
FORM_KINDS: tuple[str, ...] = get_args(FormKind)
ORIENTATION_KINDS: tuple[str, ...] = get_args(OrientationKind)
SIZE_KINDS: tuple[str, ...] = get_args(SizeKind)
TOLERANCE_KINDS: tuple[str, ...] = (
    *FORM_KINDS,
    *ORIENTATION_KINDS,
    "position",
    "profile",
    *SIZE_KINDS,
)
WITH_DATUM: tuple[str, ...] = (*ORIENTATION_KINDS, "distance")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToleranceSpec:
    """One tolerance.

    Args:
        feature: that it holds.
        kind: one of ``TOLERANCE_KINDS``.
        value: width or diameter of the zone; for ``SIZE_KINDS`` the largest deviation from the
            nominal size, either way. [m]
        datum: feature that orientation and distance are taken from; empty for the other kinds.

    Raises:
        EvaluationError: an unknown kind, a value that is not above zero, a datum that is missing,
            one too many, or the feature itself.
    """

    feature: str
    kind: ToleranceKind
    value: float
    datum: str = ""

    def __post_init__(self) -> None:
        if self.kind not in TOLERANCE_KINDS:
            raise EvaluationError(
                f"There is no tolerance of {self.kind!r}; expected one of "
                f"{', '.join(TOLERANCE_KINDS)}.",
                value=self.kind,
            )
        if not (np.isfinite(self.value) and self.value > 0.0):
            raise EvaluationError(
                f"The {self.label} is {self.value} m; expected above zero.",
                value=self.value,
                limit=0.0,
                unit="m",
            )
        if self.kind in WITH_DATUM and not self.datum:
            raise EvaluationError(f"The {self.label} has no datum; name the datum feature.")
        if self.kind not in WITH_DATUM and self.datum:
            raise EvaluationError(
                f"The {self.label} has the datum {self.datum!r}, but {self.kind} takes none here; "
                "remove it. Position and profile are taken in the frame of the alignment: align "
                'to datums ([evaluation] alignment = "datums") to refer to them.',
                value=self.datum,
            )
        if self.datum == self.feature:
            raise EvaluationError(
                f"The {self.label} is its own datum; name another feature.", value=self.datum
            )

    @property
    def label(self) -> str:
        """Kind and feature, for sentences."""
        return f"{self.kind} of {self.feature!r}"


# ------------------------------------------------------------------------------------- Conformance


class Conformance(Enum):
    """Conformance of a value with its limit."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncertainty:
    """Uncertainty of a value.

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


def conformance_of(
    size: float, limit: float, uncertainty: Uncertainty | None = None
) -> Conformance:
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
        return Conformance.PASS
    return Conformance.FAIL if size > limit + guard else Conformance.UNDECIDED
