"""What can be told of a measured file before any work: other points, a wrong unit, too few."""

from __future__ import annotations

from parts.errors import PartError
from parts.evaluation import MeasuredPoints, match_points
from planner.errors import JobError
from planner.evaluation.task import check_units, in_part_frame, nominal_points
from planner.job import Job

_LEAST = {"points": 3, "normals": 6, "surface": 6}  # points that hold a part, by alignment


def check_measured(job: Job, measured: MeasuredPoints, origin: str) -> None:
    """Refuse measured points that cannot be evaluated, by the name of their file.

    Args:
        job: with its ``[evaluation]``.
        measured: what was read.
        origin: name of the file.

    Raises:
        JobError: points of another job, in a wrong unit, in a frame that is not settled, or fewer
            than the alignment needs.
    """
    try:
        _check(job, measured)
    except (PartError, JobError) as error:
        facts = {**error.facts, "file": origin}
        raise JobError(f"{origin}: {error.message}", **facts) from error


def _check(job: Job, measured: MeasuredPoints) -> None:
    nominal = nominal_points(job)
    pairs = match_points(nominal.names, nominal.features, measured)
    some = in_part_frame(job, measured, pairs.measured)
    check_units(nominal.positions[pairs.nominal], some.xyz)
    method = job.evaluation.alignment
    found, least = len(some.xyz), _LEAST.get(method, 0)
    if found < least:
        raise JobError(
            f'{found} of the job\'s {len(nominal)} points are measured; alignment = "{method}" '
            f"([evaluation], or --align {method}) needs at least {least}, {least - found} more. "
            'Measure them, or align by "none".',
            found=found,
            limit=least,
            key="evaluation.alignment",
        )
