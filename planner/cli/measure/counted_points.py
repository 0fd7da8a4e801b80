"""``palpeur measure --target-um``: how many points a target uncertainty needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.cli.exit_codes import ExitCode
from planner.cli.measure.measured_job import MeasureRequest, job_of, plan_of
from planner.cli.output import print_json, print_table

if TYPE_CHECKING:
    from planner.virtual_measuring import PointCount, Wanted


def run_count(request: MeasureRequest, wanted: Wanted) -> int:
    """Search and print.

    Raises:
        JobError: no [uncertainty], no such feature or characteristic, points out of reach.
    """
    from planner.virtual_measuring import check_layout, points_for
    from reports.virtual_measuring import point_count_document

    job = job_of(request)
    check_layout(job, wanted.feature, wanted.strategy)  # before the work, not after it
    found = points_for(plan_of(job, request), wanted, seed=request.seed)
    if request.json:
        print_json(point_count_document(found))
    else:
        _print(found)
    return ExitCode.DONE if found.reached else ExitCode.FAILED


def _print(found: PointCount) -> None:
    print(found.sentence)
    if found.trials:
        print()
        trials = sorted(found.trials, key=lambda trial: trial.count)
        rows = [(str(t.count), f"{1e6 * t.expanded:.2f}", f"{1e6 * t.shift:+.2f}") for t in trials]
        print_table(("points", "U um", "shift um"), rows)
    if found.sources:
        print()
        floor = [(name, f"{1e6 * size:.2f}") for name, size in found.sources.items()]
        print_table(("shared by all points", "U alone um"), floor)
