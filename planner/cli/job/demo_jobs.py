"""``palpeur demo``: the published nine-point job, as printed and corrected, and what differs."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.exit_codes import ExitCode
from planner.cli.job.planned_job import (
    ReportRequest,
    Source,
    exit_code,
    print_proof,
    proven,
    write_set,
)
from planner.cli.output import FORMAT, bold, print_json, print_table
from planner.cli.session import Session

if TYPE_CHECKING:
    from planner.plan import Plan
    from planner.proof import Proof

PUBLISHED, CORRECTED = "nine-points-as-published", "nine-points-corrected"
_WIDTH = 88


def run_demo(out: str, *, as_json: bool, figures: bool, session: Session) -> int:
    """Plan both jobs, write both report sets, compare them.

    Args:
        out: folder that gets one folder for each job.
        as_json: whether both plans are printed as JSON.
        figures: whether they are drawn.
        session: of this run.

    Raises:
        OutputError: a folder must not be replaced, or cannot be written.
    """
    from planner.library import path_of
    from planner.result_files import REPORT_SET, check_set

    folders = {name: Path(out) / name for name in (PUBLISHED, CORRECTED)}
    for folder in folders.values():
        check_set(folder, REPORT_SET, force=session.force)
    done = {}
    for name in session.watched(tuple(folders), "planning"):
        done[name] = proven(path_of(name), session)
    _print(done, as_json=as_json)
    worst = max(exit_code(item) for item in done.values())
    if worst is ExitCode.NOT_VALIDATED:
        return worst
    for name in session.watched(tuple(folders), "writing"):
        options = ReportRequest(figures=figures).options()
        write_set(done[name], folders[name], options, session, Source(job=str(path_of(name))))
    _tell_where(folders, as_json=as_json, session=session)
    return worst


def _print(done: dict[str, Proof], *, as_json: bool) -> None:
    from reports.plan_document import plan_document

    if as_json:
        plans = {name: plan_document(item) for name, item in done.items()}
        print_json({"format": FORMAT, "plans": plans})
        return
    for item in done.values():
        print_proof(item, as_json=False)
        print()
    _print_difference(done[PUBLISHED].plan, done[CORRECTED].plan)


def _tell_where(folders: dict[str, Path], *, as_json: bool, session: Session) -> None:
    if as_json:
        session.say("\n".join(f"Report set written to {folder}" for folder in folders.values()))
        return
    print("\n" + bold("Report sets"))
    for name, folder in folders.items():
        print(f"  {name}: {folder}")


def _print_difference(published: Plan, corrected: Plan) -> None:
    from reports.nine_points import difference_paragraphs, difference_rows

    print(bold("What differs between the two, and why"))
    for paragraph in difference_paragraphs(published):
        print(textwrap.fill(paragraph, _WIDTH) + "\n")
    print_table(("", "as published", "corrected"), difference_rows(published, corrected))
