"""The subject of a report: an evaluation with its uncertainty, or the uncertainty alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from parts.evaluation.tolerance import ToleranceSpec
    from parts.fits.fit_result import FittedShape
    from planner.evaluation.evaluation import Evaluation
    from planner.evaluation.job_evaluation import JobEvaluation
    from planner.findings import Finding
    from planner.job import Job
    from planner.uncertainty.job_uncertainty import JobUncertainty
    from planner.uncertainty.measuring import Measuring
    from planner.uncertainty.monte_carlo import PointDraws
    from planner.uncertainty.types import PointUncertainty
    from robots.core.arrays import Array, Mask

_PLACES = ("centre", "apex", "point")


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFile:
    """A file that was read, by what makes it the same again.

    Args:
        name: without its folder; untrusted.
        sha256: of its bytes, in hexadecimal.
    """

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSource:
    """Origin of the results.

    Args:
        command: that makes the same again, without the folder that it writes to.
        job: the job file.
        others: measured points, a robot file, what the job was read with.
    """

    command: str
    job: InputFile
    others: tuple[InputFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UncertaintySubject:
    """Uncertainty of the points of a job.

    Args:
        job: whose points they are.
        measuring: the points that are reached, base frame.
        points: in the same order.
        draws: of the worst point, for a histogram; None to first order.
        findings: about branches, and about the plan.
        source: of it all.
    """

    job: Job
    measuring: Measuring
    points: tuple[PointUncertainty, ...]
    draws: PointDraws | None
    findings: tuple[Finding, ...]
    source: ResultSource

    @property
    def worst(self) -> int:
        """Index of the point with the largest standard deviation along its normal."""
        return int(np.argmax([point.sigma_normal for point in self.points]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EvaluationSubject:
    """An evaluation.

    Args:
        job: with its tolerances.
        evaluation: of the measured points.
        uncertainty: of the job's points; None where the job has no [uncertainty].
        source: of it all.
    """

    job: Job
    evaluation: Evaluation
    uncertainty: UncertaintySubject | None
    source: ResultSource

    @property
    def limits(self) -> Array:
        """Largest deviation that the profile tolerance leaves each point; NaN without. # [m]."""
        halves = {spec.feature: spec.value / 2.0 for spec in self._profiles()}
        found = [halves.get(name, np.nan) for name in self.evaluation.points.features]
        return np.array(found, dtype=np.float64)

    @property
    def outside(self) -> Mask:
        """Which points lie outside their profile tolerance. # (n,)."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(self.evaluation.points.profile) > self.limits)

    @property
    def coverage(self) -> float | None:
        """Probability of the intervals; None where no uncertainty is known."""
        known = (item.uncertainty for item in self.evaluation.characteristics)
        return next((one.coverage for one in known if one is not None), None)

    def _profiles(self) -> list[ToleranceSpec]:
        """Profiles in the frame in which the points are shown."""
        settings = self.job.evaluation
        frames = ((), settings.datums)
        return [s for s in settings.tolerances if s.kind == "profile" and s.datums in frames]


def shown_uncertainty(known: JobUncertainty, source: ResultSource) -> UncertaintySubject:
    """Uncertainty of a job as the reports take it, with draws of the worst point."""
    return UncertaintySubject(
        job=known.job,
        measuring=known.measuring,
        points=known.points,
        draws=known.worst_draws(),
        findings=known.findings,
        source=source,
    )


def shown_evaluation(found: JobEvaluation, source: ResultSource) -> EvaluationSubject:
    """An evaluation as the reports take it; of the plan's findings only those on uncertainty."""
    known = found.uncertainty
    if known is not None:
        findings = tuple(finding for finding in known.findings if finding.code == "P150")
        known = replace(known, findings=findings)
    return EvaluationSubject(
        job=found.job,
        evaluation=found.evaluation,
        uncertainty=None if known is None else shown_uncertainty(known, source),
        source=source,
    )


def place_of(shape: FittedShape) -> Array:
    """Centre, apex, or a point of the shape. # (3,) [m]."""
    name = next(name for name in _PLACES if hasattr(shape, name))
    return np.asarray(getattr(shape, name))


def axis_of(shape: FittedShape) -> Array:
    """Axis, normal or direction; z for a sphere, which has none. # (3,) unit."""
    return np.asarray(getattr(shape, "axis", (0.0, 0.0, 1.0)), dtype=np.float64)


def size_of(shape: FittedShape, name: str) -> float:
    """A radius or a half angle by its name. [m] or [rad]."""
    return float(getattr(shape, name))


def is_hole(shape: FittedShape) -> bool:
    """Return whether the material is around it."""
    return bool(getattr(shape, "reversed", False))


_ROUND = np.array([1.0, 2.0, 5.0, 10.0])


def magnification(largest: float, wanted: float) -> float:
    """A round factor by which the largest length is drawn about as long as wanted."""
    if largest <= 0.0 or wanted <= 0.0:
        return 1.0
    ratio = wanted / largest
    power = 10.0 ** np.floor(np.log10(ratio))
    return float(power * _ROUND[int(np.searchsorted(_ROUND * power, ratio * (1 + 1e-12))) - 1])
