"""Tolerances of the drawing, and the conformance of a value with regard to its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal, get_args

import numpy as np

from parts.drawing.drawing import DatumReference
from parts.errors import EvaluationError

Association = Literal["least-squares", "contact"]

FormKind = Literal["flatness", "straightness", "roundness", "cylindricity"]
OrientationKind = Literal["parallelism", "perpendicularity", "angularity"]
LocationKind = Literal["position", "coaxiality", "profile"]
RunoutKind = Literal["circular runout", "total runout"]
SizeKind = Literal["diameter", "width", "distance"]
ToleranceKind = Literal[FormKind, OrientationKind, LocationKind, RunoutKind, SizeKind]
Material = Literal["", "M", "L"]
FORM_KINDS: tuple[str, ...] = get_args(FormKind)
ORIENTATION_KINDS: tuple[str, ...] = get_args(OrientationKind)
LOCATION_KINDS: tuple[str, ...] = get_args(LocationKind)
RUNOUT_KINDS: tuple[str, ...] = get_args(RunoutKind)
SIZE_KINDS: tuple[str, ...] = get_args(SizeKind)
TOLERANCE_KINDS: tuple[str, ...] = (
    *FORM_KINDS,
    *ORIENTATION_KINDS,
    *LOCATION_KINDS,
    *RUNOUT_KINDS,
    *SIZE_KINDS,
)
WITH_DATUM: tuple[str, ...] = (*ORIENTATION_KINDS, "distance")
WITH_SYSTEM: tuple[str, ...] = (*ORIENTATION_KINDS, *LOCATION_KINDS, *RUNOUT_KINDS)
OF_AXES: tuple[str, ...] = ("coaxiality", *RUNOUT_KINDS)
WITH_PROJECTION: tuple[str, ...] = (*ORIENTATION_KINDS, "position")
WITH_MATERIAL: tuple[str, ...] = (*ORIENTATION_KINDS, "position", "coaxiality")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToleranceSpec:
    """One tolerance.

    Args:
        feature: that it holds.
        kind: one of ``TOLERANCE_KINDS``.
        value: width or diameter of the zone, zero only with a material requirement; for
            ``SIZE_KINDS`` half the distance of the limits. [m]
        datum: feature that orientation and distance are taken from; empty for the other kinds, and
            where there is a datum system.
        datums: datum system, primary first; their labels are those of the task's datums, or names
            of features. Empty for the frame of the alignment.
        material: "M" or "L", for the maximum or least material requirement.
        nominal: of ``SIZE_KINDS``, as the drawing has it; None for that of the nominal points. [m]
        middle: of ``SIZE_KINDS``, the middle of the limits less the nominal value. [m]
        projected: length of a projected zone, which stands on the primary datum outside the
            material; 0 for none. [m]

    Raises:
        EvaluationError: an unknown kind, a value that is not above zero, a datum that is missing,
            one too many, or the feature itself; a material requirement or limits of a kind that
            has none.
    """

    feature: str
    kind: ToleranceKind
    value: float
    datum: str = ""
    datums: tuple[DatumReference, ...] = ()
    material: Material = ""
    nominal: float | None = None
    middle: float = 0.0
    projected: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in TOLERANCE_KINDS:
            raise EvaluationError(
                f"There is no tolerance of {self.kind!r}; expected one of "
                f"{', '.join(TOLERANCE_KINDS)}.",
                value=self.kind,
            )
        if self.material and self.kind not in WITH_MATERIAL:
            raise EvaluationError(
                f"The {self.label} has material = {self.material!r}, which {self.kind} does not "
                f"take; remove it. It is for {', '.join(WITH_MATERIAL)}.",
                value=self.material,
            )
        if not (np.isfinite(self.value) and (self.value > 0.0 or self._zero_at_material)):
            raise EvaluationError(
                f"The {self.label} is {self.value} m; expected above zero"
                f"{', or zero with material' if self.kind in WITH_MATERIAL else ''}.",
                value=self.value,
                limit=0.0,
                unit="m",
            )
        if self.projected and (self.kind not in WITH_PROJECTION or not self.datums):
            raise EvaluationError(
                f"The {self.label} has a projected zone, which "
                + (
                    "needs datums: it stands on the primary one."
                    if self.kind in WITH_PROJECTION
                    else f"is for {', '.join(WITH_PROJECTION)}; remove it."
                ),
                value=self.projected,
                unit="m",
            )
        self._check_datums()

    @property
    def _zero_at_material(self) -> bool:
        return self.value == 0.0 and bool(self.material)

    def _check_datums(self) -> None:
        if self.datums and self.kind not in WITH_SYSTEM:
            raise EvaluationError(
                f"The {self.label} has datums, but {self.kind} takes none; remove them.",
                value=self.system,
            )
        if self.datum and self.datums:
            raise EvaluationError(
                f"The {self.label} has datum and datums; keep one of the two.", value=self.datum
            )
        if self.kind in WITH_DATUM and not (self.datum or self.datums):
            raise EvaluationError(f"The {self.label} has no datum; name the datum feature.")
        if self.kind in OF_AXES and not self.datums:
            raise EvaluationError(
                f'The {self.label} has no datums; name the datum axis, such as datums = ["A"].'
            )
        if self.kind not in WITH_DATUM and self.datum:
            raise EvaluationError(
                f"The {self.label} has the datum {self.datum!r}, but {self.kind} takes none here; "
                "remove it. Position and profile are taken in a datum system: datums = [...] in "
                "the [[tolerance]], or that of the alignment.",
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

    @property
    def system(self) -> str:
        """Its datum system as in a feature control frame: "A|B(M)|C"; or its datum."""
        return system_text(self.datums) or self.datum


def system_text(datums: tuple[DatumReference, ...]) -> str:
    """A datum system as in a feature control frame: "A|B(M)|C"."""
    return "|".join(f"{one.label}{_boundary_text(one)}" for one in datums)


def _boundary_text(one: DatumReference) -> str:
    return "(M)" if "MMB" in one.all_modifiers else "(L)" if "LMB" in one.all_modifiers else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatumFeature:
    """A datum of a drawing, and how it is taken from its feature.

    Args:
        label: its letter; of a common datum those of its elements, "A-B".
        feature: that it is taken from; empty for a common datum.
        association: "least-squares", or "contact": the largest inscribed, the smallest
            circumscribed cylinder, the nearest plane outside the material.
        boundary: diameter of its maximum or least material boundary; None for that which its
            own tolerances give. [m]
        elements: of a common datum, each of one feature.
    """

    label: str
    feature: str
    association: Association = "least-squares"
    boundary: float | None = None
    elements: tuple[DatumFeature, ...] = ()

    @property
    def singles(self) -> tuple[DatumFeature, ...]:
        """Its elements, or itself."""
        return self.elements or (self,)

    @property
    def features(self) -> tuple[str, ...]:
        """All that it is taken from."""
        return tuple(one.feature for one in self.singles)


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
