"""evaluate_job(job, measured): measured points compared, with the uncertainties the job gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parts.evaluation.measured_points import Frame, MeasuredPoints
from planner.evaluation.evaluate import check_measured, evaluate
from planner.evaluation.evaluation import Evaluation
from planner.evaluation.reading import measured_points, read_measured
from planner.job import Job
from planner.progress import Progress, silent
from planner.uncertainty.job_uncertainty import JobUncertainty, uncertainty_of
from robots.core.views import Shown

if TYPE_CHECKING:
    from pandas import DataFrame

_NAMED = 4  # characteristics that a short text names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class JobEvaluation(Shown):
    """An evaluation, and what was known of its points before they were measured.

    Args:
        job: with its tolerances.
        evaluation: of the measured points.
        uncertainty: of the job's points; None where the job has no [uncertainty].
    """

    job: Job
    evaluation: Evaluation
    uncertainty: JobUncertainty | None

    @property
    def passed(self) -> bool:
        """Whether every characteristic conforms, and none is undecided."""
        return self.evaluation.conforms and not self.evaluation.undecided

    @property
    def points(self) -> DataFrame:
        """Deviations of the points in the part frame: the columns of deviations.csv, no limits."""
        import pandas as pd

        found = self.evaluation.points
        lengths = np.column_stack(
            [found.nominal * 1e3, found.normals, found.measured * 1e3]
            + [1e3 * column for column in (found.profile, found.along, found.offsets)]
        )
        columns = [
            *("x_mm", "y_mm", "z_mm", "nx", "ny", "nz"),
            *("measured_x_mm", "measured_y_mm", "measured_z_mm"),
            *("deviation_mm", "along_normal_mm", "beside_mm"),
        ]
        table = pd.DataFrame(lengths, columns=columns)
        table.insert(0, "point", list(found.names))
        table.insert(1, "feature", list(found.features))
        return table

    @property
    def characteristics(self) -> DataFrame:
        """What is compared with its tolerance, in metres, with its expanded uncertainty."""
        import pandas as pd

        rows = [
            {
                "name": one.name,
                "feature": one.feature,
                "kind": one.kind,
                "nominal_m": one.nominal,
                "measured_m": one.measured,
                "deviation_m": one.deviation,
                "tolerance_m": np.nan if one.tolerance is None else one.tolerance,
                "datums": one.system,
                "bonus_m": one.bonus,
                "datum_shift_m": one.datum_shift,
                "limit_m": np.nan if one.limit is None else one.limit,
                "expanded_m": np.nan if one.uncertainty is None else one.uncertainty.expanded,
                "verdict": "" if one.verdict is None else one.verdict.value,
                "decided_by": one.worst,
            }
            for one in self.evaluation.characteristics
        ]
        columns = (
            *("name", "feature", "kind", "nominal_m", "measured_m", "deviation_m"),
            *("tolerance_m", "datums", "bonus_m", "datum_shift_m", "limit_m"),
            *("expanded_m", "verdict", "decided_by"),
        )
        return pd.DataFrame(rows, columns=list(columns))

    @property
    def findings(self) -> DataFrame:
        """What is doubtful or out of tolerance; columns as in a plan."""
        import pandas as pd

        rows = [finding.document() for finding in self.evaluation.findings]
        return pd.DataFrame(rows, columns=["code", "severity", "where", "message", "hint"])

    def _tables(self) -> Iterator[str]:
        yield self.characteristics.to_html(index=False, na_rep="")

    def _lines(self) -> Iterator[str]:
        found = self.evaluation
        asked = any(one.tolerance is not None for one in found.characteristics)
        verdict = ("passed" if asked else "no tolerance") if self.passed else "NOT PASSED"
        points = f"{len(found.points)} of {len(self.job.points)} points measured"
        yield f"Evaluation of {self.job.name[:80]!r}: {verdict}, {points}"
        alignment = found.alignment
        yield (
            f"  alignment {alignment.method}: rms {1e3 * alignment.rms_before:.4g} mm before, "
            f"{1e3 * alignment.rms_after:.4g} mm after"
        )
        wrong = (*found.failed, *found.undecided)
        for one in wrong[:_NAMED]:
            told = "" if one.verdict is None else one.verdict.value
            yield f"  {one.name[:60]}: {told}, deviation {1e3 * one.deviation:.4g} mm"
        if len(wrong) > _NAMED:
            yield f"  and {len(wrong) - _NAMED} more"


def evaluate_job(
    job: Job,
    measured: MeasuredPoints | DataFrame | Path | str,
    progress: Progress = silent,
    *,
    frame: Frame | None = None,
    compensated: bool | None = None,
    unit: str | None = None,
    format: str | None = None,
    robot: Path | str | None = None,
) -> JobEvaluation:
    """Compare measured points with the job's, with uncertainties where the job gives them.

    Characteristics have an uncertainty only where the plan reaches every point of the job.

    Args:
        job: with its ``[evaluation]``, ``[[tolerance]]`` and ``[uncertainty]``.
        measured: points as they were read; or the path of a measured file, or a DataFrame with the
            columns of one (name, x_mm …, or joint readings q1_deg …), which the other arguments
            say how to read, as those of ``read_measured``.
        progress: told how far the work is.
        frame: of the coordinates; default that of the job's points.
        compensated: whether they lie on the surface, for a file that does not say, and for DMIS
            results, which are taken for compensated along the nominal normals.
        unit: of a file that carries none.
        format: of a file whose name and content do not tell.
        robot: file of the calibrated robot, for joint readings.

    Raises:
        PartError: a file or table that cannot be read.
        JobError: points of another job, in a wrong unit, or in a frame that is not settled; an
            alignment that they do not hold; an [uncertainty] that says nothing.
        RobotError: the robot cannot do such a job.
    """
    if not isinstance(measured, MeasuredPoints):
        how: dict[str, Any] = {"frame": frame, "compensated": compensated, "unit": unit}
        how |= {"format": format, "robot": robot}
        if isinstance(measured, str | Path):
            origin, measured = Path(measured).name, read_measured(measured, job, **how)
        else:
            origin, measured = "table of measured points", measured_points(measured, job, **how)
        check_measured(job, measured, origin)
    known = None if job.uncertainty is None else uncertainty_of(job, progress)
    errors = None
    if known is not None and set(known.measuring.names) == set(job.points.names):
        errors = known.errors(job.points.names)
    return JobEvaluation(
        job=job, evaluation=evaluate(job, measured, errors=errors), uncertainty=known
    )
