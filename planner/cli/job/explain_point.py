"""``palpeur explain JOB POINT``: every branch of a point, and the smallest fixes."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parts.errors import PointsError
from planner.cli.exit_codes import ExitCode
from planner.cli.output import bold, print_json, print_table
from planner.cli.session import Session, progress_of
from planner.errors import JobError
from robots.core.arrays import Array

if TYPE_CHECKING:
    from planner.fixes.branches import BranchReason
    from planner.fixes.explanation import Explanation, PointReasons
    from planner.fixes.smallest import FixSearch
    from robots.core.mechanism import Mechanism


_WIDTH = 96
_RULE = (
    "Preferred first: what the job allows, what costs no other point, no change of hardware "
    "(limit, approach, distance, tilt, axis, shift, then stylus), the smallest."
)


def run_explain(
    job: str, point: str, *, as_json: bool, allow_outside: bool, session: Session
) -> int:
    """Say why a point fails and what would make it measurable, or how it is measured.

    Args:
        job: path of the job file.
        point: name of the point.
        as_json: whether a JSON document is printed.
        allow_outside: whether files that the job names may lie outside its folder.
        session: of this run.

    Raises:
        JobError: the job cannot be read, or has no such point.
        RobotError: the robot cannot do such a job.
    """
    from planner.fixes.explanation import explain
    from planner.job import read_job
    from reports.explanation import explanation_document

    read = read_job(job, allow_outside=allow_outside)
    try:
        with progress_of(session) as progress:
            explained = explain(read, point, progress)
    except PointsError as error:
        raise JobError(f"{Path(job).name}: {error.message}", **error.facts) from error
    if as_json:
        print_json(explanation_document(explained))
    else:
        _print(explained)
    return ExitCode.DONE if explained.served else ExitCode.FAILED


def _print(explained: Explanation) -> None:
    from planner.findings.unchecked import unchecked_aspects
    from reports.verdict import not_checked

    reasons = explained.reasons
    verdict = "measurable" if explained.served else "NOT MEASURABLE"
    missing = not_checked(unchecked_aspects(explained.job))
    print(bold(f"{reasons.name}: {verdict} in {explained.job.name!r}"))
    _print_wrapped(missing, "  ", "    ")
    for what, values in _places(explained).items():
        shown = ", ".join(f"{value:.3f}" for value in values)
        print(f"  {what:<16}({shown})")
    from reports.explanation import touch_sentence

    _print_wrapped(f"touch           {touch_sentence(explained)}", "  ", " " * 18)
    for finding in explained.finding_list:
        _print_wrapped(f"{finding.code} {finding.severity.value}: {finding.message}", "  ")
        _print_wrapped(finding.hint, "      ")
    _print_plan(explained)
    _print_branches(explained)
    if explained.search is not None:
        _print_fixes(explained.search)
    elif not explained.served:
        print("\nThe line to the point holds; what fails is told above, with what helps.")


def _places(explained: Explanation) -> dict[str, Array]:
    placed = explained.reasons.placed
    return {
        "surface mm": 1e3 * placed.surfaces[0],
        "normal": placed.normals[0],
        "contact mm": 1e3 * placed.contacts[0],
        "clearance mm": 1e3 * placed.clearances[0],
        "probe axis": placed.axes[0],
    }


def _print_plan(explained: Explanation) -> None:
    if explained.planned_branch:
        print(f"  planned branch  {explained.planned_branch}")
    if explained.planned_inverse_branch not in ("", explained.planned_branch):
        print(f"  of the inverse  {explained.planned_inverse_branch}")


def _print_branches(explained: Explanation) -> None:
    reasons, mechanism = explained.reasons, explained.job.mechanism
    if not reasons.branches:
        return
    known = "" if reasons.complete else ", as far as they have been looked for"
    print("\n" + bold(f"Branches{known}"))
    print_table(
        ("branch", "joint margin", "at", "singularity", "clearance mm", "verdict"),
        [_branch_row(branch, mechanism) for branch in reasons.branches],
    )
    _print_turns(reasons)
    failing: dict[tuple[str, ...], list[str]] = {}
    for branch in reasons.branches:
        told = tuple(f"{failure.code} {failure.sentence}" for failure in branch.failures)
        failing.setdefault(told, []).append(branch.branch)
    for told, names in failing.items():
        if told:
            print()
            _print_wrapped("; ".join(names), "  ")
        for sentence in told:
            _print_wrapped(sentence, "    ")


def _print_turns(reasons: PointReasons) -> None:
    """How far branches that hold may turn about the probe; that none does, at any turn."""
    if reasons.turns is not None and not reasons.turns.intervals:
        text = "At no turn about the probe is any branch within the limits less the margin: exact."
        _print_wrapped(text, "  ")
    best: dict[str, str] = {}  # of postures of one branch the first listed
    for branch in reasons.branches:
        if branch.turn is not None:
            best.setdefault(branch.inverse_branch, branch.turn.sentence)
    for name, sentence in best.items():
        _print_wrapped(f"{name}: {sentence}", "  ", "      ")


def _branch_row(branch: BranchReason, mechanism: Mechanism) -> tuple[str, ...]:
    from reports.explanation import joint_unit

    unit, factor = joint_unit(mechanism, branch.margin_joint)
    verdict = "holds" if branch.holds else " ".join(dict.fromkeys(f.code for f in branch.failures))
    clear = f"{1e3 * branch.clearance:.2f}" if np.isfinite(branch.clearance) else "-"
    return (
        branch.branch,
        f"{factor * branch.joint_margin:.2f} {unit}",
        branch.margin_joint,
        f"{branch.singularity_margin:.3g}",
        clear,
        verdict,
    )


def _print_fixes(search: FixSearch) -> None:
    print("\n" + bold("Fixes, each judged in the changed job"))
    _print_wrapped(_RULE, "  ")
    for number, fix in enumerate(search.fixes, start=1):
        _print_wrapped(f"{number}. {fix.hint}", "  ", "     ")
        for line in fix.line.splitlines():
            print(f"       {fix.place}: {line}")
    if not search.fixes:
        print("  No single change was found that makes the point measurable.")
    for kind, reason in search.without:
        _print_wrapped(f"no {kind.value}: {reason}", "  ", "     ")


def _print_wrapped(text: str, first: str, then: str = "") -> None:
    if text:
        print(textwrap.fill(text, _WIDTH, initial_indent=first, subsequent_indent=then or first))
