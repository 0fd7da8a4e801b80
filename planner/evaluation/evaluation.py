"""Result of `palpeur evaluate`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.alignment.alignment import Alignment
from parts.evaluation.measured_points import MeasuredPoints
from parts.evaluation.results import Characteristic, FeatureResult, PointDeviations
from parts.evaluation.tolerance import Conformance
from planner.findings import Finding, Severity
from planner.job.evaluation import AlignmentMethod
from robots.core.arrays import Array, freeze_fields


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EvaluationAlignment:
    """The rigid motion that the measured points were moved by before they were compared.

    Args:
        method: of the job's ``[evaluation]``.
        T_part_measured: maps points as measured, in the part frame of the job, to where they are
            compared. # (4, 4)
        rms_before: of the deviations along the normals. [m]
        rms_after: [m]
        datums: features that it rests on.
        fit: residuals, condition and certificate; None for "none".
    """

    method: AlignmentMethod
    T_part_measured: Array
    rms_before: float
    rms_after: float
    datums: tuple[str, ...] = ()
    fit: Alignment | None = None

    def __post_init__(self) -> None:
        freeze_fields(self, "T_part_measured", dtype=np.float64)

    @property
    def shift(self) -> float:
        """Length of the motion's translation. [m]."""
        return float(np.linalg.norm(self.T_part_measured[:3, 3]))

    @property
    def turn(self) -> float:
        """Angle of the motion's rotation. [rad]."""
        R = self.T_part_measured[:3, :3]
        axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        return float(np.arctan2(np.linalg.norm(axial), np.trace(R) - 1.0))


_MISPLACED = ("E106", "E110", "E116")  # in the material, at another's place, beside its own


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """A job's measured points compared with what they should be.

    Args:
        job_name: of the job.
        measured: as they were read.
        points: every matched point with its deviation, in the order of the job.
        features: in the order of the job's points.
        characteristics: of all features, tolerances first, in the order of the job file.
        alignment: how the points were brought to the part.
        compensation: what was done about the probe's ball, a sentence.
        findings: what is doubtful or out of tolerance.
    """

    job_name: str
    measured: MeasuredPoints
    points: PointDeviations
    features: tuple[FeatureResult, ...]
    characteristics: tuple[Characteristic, ...]
    alignment: EvaluationAlignment
    compensation: str
    findings: tuple[Finding, ...]

    @property
    def conforms(self) -> bool:
        """Whether nothing is wrong: no finding that is an error."""
        return not any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def failed(self) -> tuple[Characteristic, ...]:
        """Characteristics that do not keep their tolerance."""
        return tuple(item for item in self.characteristics if item.verdict is Conformance.FAIL)

    @property
    def undecided(self) -> tuple[Characteristic, ...]:
        """Characteristics whose uncertainty is too large to say."""
        return tuple(item for item in self.characteristics if item.verdict is Conformance.UNDECIDED)

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """Points of the job that nobody measured: what passes, passes without them."""
        return tuple(one.where for one in self.findings if one.code == "E101")

    @property
    def misplaced(self) -> tuple[str, ...]:
        """Points that were not touched where the job touches them: what passes is in doubt."""
        found = (one.where for one in self.findings if one.code in _MISPLACED)
        return tuple(dict.fromkeys(found))

    def feature(self, name: str) -> FeatureResult:
        """The feature called ``name``.

        Raises:
            KeyError: there is none.
        """
        for feature in self.features:
            if feature.name == name:
                return feature
        raise KeyError(name)
