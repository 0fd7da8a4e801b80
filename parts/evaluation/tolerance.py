"""What the drawing asks of a feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from parts.evaluation.errors import EvaluationError

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
