"""The report set of a job made once more, in a private folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from planner.findings.unchecked import Unchecked
from planner.planning import plan_and_prove
from planner.progress import Progress
from reports.export import export
from reports.provenance import SetOptions, provenance
from reports.verdict import withheld
from reports.verification.record import Record
from reports.verification.stage import NotRecomputedError, read_staged, stage
from robots.core.errors import PalpeurError


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """A report set made again, and the verdict on its plan.

    Args:
        folder: of the new set.
        feasible: whether the plan is.
        unchecked: what the plan does not check.
        withheld: why the set holds no programme that could move a machine; empty where it may.
        left_out: points that no motion touches.
    """

    folder: Path
    feasible: bool
    unchecked: tuple[Unchecked, ...]
    withheld: str
    left_out: tuple[str, ...]


def recompute(
    folder: Path, record: Record, room: Path, progress: Progress, *, pictures: bool
) -> Recomputed:
    """Plan, validate and export from the inputs of a set.

    Args:
        folder: of the report set.
        record: what it claims.
        room: empty, private; the new set stands in it.
        progress: told what is being done.
        pictures: whether what is only looked at is made as well.

    Returns:
        The new set.

    Raises:
        NotRecomputedError: the inputs are not there or not those that are claimed; they give no
            valid plan.
    """
    (room / "job").mkdir()
    job = read_staged(stage(folder, record, room / "job"), record)
    if job.presenter is not None:
        raise NotRecomputedError(
            "its job presents the part on a platform, whose poses are chosen for all points "
            "together; make the presentation again with palpeur stewart present"
        )
    made = room / "set"
    try:
        proof = plan_and_prove(job, progress)
        export(
            proof,
            made,
            options=_options(record.options, pictures=pictures),
            made=provenance(proof.plan, record.command, record.inputs.job.name),
            progress=progress,
        )
    except PalpeurError as error:
        raise NotRecomputedError(f"its job gives no report set: {error.message}") from error
    return Recomputed(
        folder=made,
        feasible=proof.plan.feasible,
        unchecked=proof.plan.unchecked,
        withheld=withheld(proof.plan, record.options),
        left_out=proof.plan.left_out,
    )


def _options(claimed: SetOptions, *, pictures: bool) -> SetOptions:
    return replace(claimed, figures=claimed.figures and pictures, pages=claimed.pages and pictures)
