"""``palpeur explain JOB POINT``: every branch of a point, and the smallest fixes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parts.errors import PointsError
from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, bold, print_json, print_table
from planner.cli.progress_bar import progress_of
from planner.cli.session import Session
from planner.errors import JobError
from robots.core.arrays import Array

if TYPE_CHECKING:
    from planner.findings import Finding
    from planner.fixes.branches import BranchReason
    from planner.fixes.reasons import PointReasons
    from planner.fixes.smallest import Search
    from planner.job import Job
    from planner.plan_types import Plan
    from robots.core.mechanism import Mechanism


_WIDTH = 96
_RULE = (
    "Preferred first: what the job allows, what costs no other point, no change of hardware "
    "(limit, approach, distance, tilt, axis, shift, then stylus), the smallest."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Explained:
    """All there is to say of one point.

    Args:
        job: of the point.
        reasons: branch by branch.
        plan: of the whole job; None where no line of the point holds, whatever the plan.
        search: for fixes; None where the point is served.
    """

    job: Job
    reasons: PointReasons
    plan: Plan | None
    search: Search | None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What concerns the point as a whole, and its place in the plan."""
        own = () if self.plan is None else _about(self.plan, self.reasons.name)
        return (*self.reasons.about, *(f for f in own if f not in self.reasons.about))

    @property
    def served(self) -> bool:
        """Whether the point is served, with the way to it."""
        errors = [f for f in self.findings if f.severity.value == "error"]
        return self.reasons.served and not errors


def run_explain(
    job: str, point: str, *, as_json: bool, allow_outside: bool, session: Session
) -> int:
    """Say why a point fails and what would serve it, or how it is served.

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
    from planner.job import read_job

    read = read_job(job, allow_outside=allow_outside)
    try:
        read.points.index(point)  # before the work, not after it
    except PointsError as error:
        raise JobError(f"{Path(job).name}: {error.message}", **error.facts) from error
    explained = _explained(read, point, session)
    if as_json:
        print_json(_document(explained))
    else:
        _print(explained)
    return ExitCode.DONE if explained.served else ExitCode.FAILED


def _explained(job: Job, point: str, session: Session) -> Explained:
    from planner.fixes.bench import Bench
    from planner.fixes.reasons import reasons_of
    from planner.fixes.smallest import Finder
    from planner.planning import plan

    bench = Bench(job)
    reasons = reasons_of(job, point, bench)
    finder = Finder(job, bench)
    planned = None
    if reasons.served:
        with progress_of(session) as progress:
            planned = plan(job, progress)
    search = None if finder.serves(point) else finder.search(point)
    return Explained(job=job, reasons=reasons, plan=planned, search=search)


def _about(plan: Plan, name: str) -> tuple[Finding, ...]:
    """Findings of a plan at a point, or on a travel that leads to it."""
    from planner.findings.subjects import Travel

    return tuple(
        f
        for f in plan.findings
        if f.subject.point == name or (isinstance(f.subject, Travel) and f.subject.goal == name)
    )


# --- for a reader --------------------------------------------------------------------------------


def _print(explained: Explained) -> None:
    from planner.findings.unchecked import unchecked_aspects
    from reports.verdict import not_checked

    reasons = explained.reasons
    verdict = "served" if explained.served else "NOT SERVED"
    missing = not_checked(unchecked_aspects(explained.job))
    print(bold(f"{reasons.name}: {verdict} in {explained.job.name!r}"))
    _print_wrapped(missing, "  ", "    ")
    for what, values in _places(explained).items():
        shown = ", ".join(f"{value:.3f}" for value in values)
        print(f"  {what:<16}({shown})")
    for finding in explained.findings:
        _print_wrapped(f"{finding.code} {finding.severity.value}: {finding.message}", "  ")
        _print_wrapped(finding.hint, "      ")
    _print_plan(explained)
    _print_branches(explained)
    if explained.search is not None:
        _print_fixes(explained.search)
    elif not explained.served:
        print("\nThe line to the point holds; what fails is told above, with what helps.")


def _places(explained: Explained) -> dict[str, Array]:
    placed = explained.reasons.placed
    return {
        "surface mm": 1e3 * placed.surfaces[0],
        "normal": placed.normals[0],
        "contact mm": 1e3 * placed.contacts[0],
        "clearance mm": 1e3 * placed.clearances[0],
        "probe axis": placed.axes[0],
    }


def _print_plan(explained: Explained) -> None:
    if explained.plan is None:
        return
    row = explained.job.points.index(explained.reasons.name)
    point = explained.plan.points[row]
    if point.reachable:
        print(f"  planned branch  {point.branch}")


def _print_branches(explained: Explained) -> None:
    reasons, mechanism = explained.reasons, explained.job.mechanism
    if not reasons.branches:
        return
    known = "" if reasons.complete else ", as far as a numerical search has found them"
    print("\n" + bold(f"Branches{known}"))
    print_table(
        ("branch", "joint margin", "at", "singularity", "clearance mm", "verdict"),
        [_branch_row(branch, mechanism) for branch in reasons.branches],
    )
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


def _branch_row(branch: BranchReason, mechanism: Mechanism) -> tuple[str, ...]:
    unit, factor = _unit(mechanism, branch.margin_joint)
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


def _unit(mechanism: Mechanism, name: str) -> tuple[str, float]:
    joint = next(joint for joint in mechanism.movable if joint.name == name)
    return ("deg", 180.0 / np.pi) if joint.kind.angular else ("mm", 1e3)


def _print_fixes(search: Search) -> None:
    print("\n" + bold("Fixes, each judged in the changed job"))
    _print_wrapped(_RULE, "  ")
    for number, fix in enumerate(search.fixes, start=1):
        _print_wrapped(f"{number}. {fix.hint}", "  ", "     ")
        for line in fix.line.splitlines():
            print(f"       {fix.place}: {line}")
    if not search.fixes:
        print("  No single change was found that serves the point.")
    for kind, reason in search.without:
        _print_wrapped(f"no {kind.value}: {reason}", "  ", "     ")


def _print_wrapped(text: str, first: str, then: str = "") -> None:
    if text:
        print(textwrap.fill(text, _WIDTH, initial_indent=first, subsequent_indent=then or first))


# --- for a program -------------------------------------------------------------------------------


def _document(explained: Explained) -> dict[str, object]:
    from planner.findings.unchecked import unchecked_aspects
    from reports.verdict import aspect_names

    reasons, search = explained.reasons, explained.search
    placed, mechanism = reasons.placed, explained.job.mechanism
    return {
        "format": FORMAT,
        "job": explained.job.name,
        "point": reasons.name,
        "served": explained.served,
        "unchecked": aspect_names(unchecked_aspects(explained.job)),
        "surface_mm": 1e3 * placed.surfaces[0],
        "normal": placed.normals[0],
        "contact_mm": 1e3 * placed.contacts[0],
        "clearance_point_mm": 1e3 * placed.clearances[0],
        "probe_axis": placed.axes[0],
        "planned_branch": _planned_branch(explained),
        "findings": [finding.document() for finding in explained.findings],
        "all_branches_known": reasons.complete,
        "branches": [_branch_document(branch, mechanism) for branch in reasons.branches],
        "fixes": [] if search is None else [fix.document() for fix in search.fixes],
        "no_fix_by": []
        if search is None
        else [{"kind": kind.value, "reason": reason} for kind, reason in search.without],
    }


def _planned_branch(explained: Explained) -> str | None:
    if explained.plan is None:
        return None
    return explained.plan.points[explained.job.points.index(explained.reasons.name)].branch or None


def _branch_document(branch: BranchReason, mechanism: Mechanism) -> dict[str, object]:
    unit, factor = _unit(mechanism, branch.margin_joint)
    return {
        "branch": branch.branch,
        "holds": branch.holds,
        "q_clearance": dict(_joints(branch, mechanism)),
        "joint_margin": factor * branch.joint_margin,
        "joint_margin_unit": unit,
        "margin_joint": branch.margin_joint,
        "singularity_margin": branch.singularity_margin,
        "clearance_mm": 1e3 * branch.clearance,
        "failures": [
            {
                "code": failure.code,
                "what": failure.what,
                "amount": failure.amount,
                "unit": failure.unit,
                "before_contact_mm": 1e3 * failure.before,
                "message": failure.sentence,
            }
            for failure in branch.failures
        ],
    }


def _joints(branch: BranchReason, mechanism: Mechanism) -> Iterator[tuple[str, float]]:
    for joint, value in zip(mechanism.movable, branch.q_clearance.tolist(), strict=True):
        unit, factor = _unit(mechanism, joint.name)
        yield f"{joint.name}_{unit}", factor * value
