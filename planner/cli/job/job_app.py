"""Commands about one job: plan, check, place, diff, verify, init, examples, demo, explain."""

from __future__ import annotations

import shlex
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from parts.errors import PointsError
from planner.cli.exit_codes import ExitCode
from planner.cli.options import (
    AllowOutside,
    Force,
    Job,
    Json,
    NoFigures,
    argument,
    file_option,
    flag,
    option,
    out_option,
)
from planner.cli.output import bold, print_json, print_table
from planner.cli.session import Session, progress_of
from planner.errors import JobError
from robots.core.arrays import Array

if TYPE_CHECKING:
    from planner.fixes.branches import BranchReason
    from planner.fixes.explanation import Explanation, PointReasons
    from planner.fixes.smallest import FixSearch
    from robots.core.mechanism import Mechanism


_SIDE = "Job file (TOML), report set, or plan.json; a job is planned on the fly."


def plan(
    context: typer.Context,
    job: Annotated[str, argument("[JOB]", "Job file (TOML).")] = "",
    *,
    example: Annotated[
        str, option("--example", "NAME", "Instead of JOB: a job of `palpeur examples`.")
    ] = "",
    out: Annotated[
        str,
        out_option(
            "DIR",
            "Folder of the report set; default: the job file's name with -plan, beside it; of an "
            "example, here.",
        ),
    ] = "",
    as_json: Json = False,
    no_figures: NoFigures = False,
    data_only: Annotated[
        bool,
        flag("--data-only", "Only plan.json and tables: no pages, no programmes."),
    ] = False,
    exports: Annotated[
        list[str] | None,
        option(
            "--export",
            "FORMATS",
            "Robot programmes, separated by commas or given one by one: csv, ros, ros2, krl, "
            "rapid, urscript, fanuc, linuxcnc, fanuc-gcode.",
        ),
    ] = None,
    partial: Annotated[
        bool,
        flag(
            "--partial",
            "Write programmes although some points cannot be measured; they name them first.",
        ),
    ] = False,
    csv: Annotated[
        bool, flag("--csv", "Write trajectory.csv, too: the rows of trajectory.parquet, as text.")
    ] = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Plan a job, prove the plan by independent methods, and write its report set.

    No programme is written from a motion that is not proven.

    Exit codes: 0 feasible; 1 not feasible, with every reason in the findings; 2 bad input; 3 the
    plan failed its own validation and nothing was written.
    """
    from planner.cli.job.commands import ReportRequest, run_plan

    return run_plan(
        job,
        example,
        out,
        ReportRequest(
            figures=not (no_figures or data_only),
            pages=not data_only,
            exports=",".join(exports or ()),
            partial=partial,
            csv=csv,
        ),
        as_json=as_json,
        allow_outside=allow_outside,
        session=context.obj.forced(force),
    )


def check(
    context: typer.Context, job: Job, as_json: Json = False, allow_outside: AllowOutside = False
) -> int:
    """Plan and prove a job without writing anything; exit codes as for `plan`."""
    from planner.cli.job.commands import run_check

    return run_check(job, as_json=as_json, allow_outside=allow_outside, session=context.obj)


def init(
    context: typer.Context,
    folder: Annotated[str, argument("[DIR]", "Where to write it; made if it is not there.")] = ".",
    *,
    part: Annotated[
        str, option("--part", "FILE", "The part; with --points, or with --from-pmi or --qif.")
    ] = "",
    points: Annotated[
        str, option("--points", "FILE", "Points that you have, in part axes; needs --robot.")
    ] = "",
    robot: Annotated[
        str, option("--robot", "ROBOT", "Name from `palpeur robot list`, or a robot file.")
    ] = "",
    unit: Annotated[str, flag("--unit", "Of a part's file that carries none: mm, cm, m, in.")] = "",
    from_pmi: Annotated[
        bool,
        flag("--from-pmi", "For the drawing in the part's file (AP242 semantic PMI)."),
    ] = False,
    qif: Annotated[
        str,
        option(
            "--qif",
            "FILE",
            "In place of --from-pmi: for the drawing in this QIF 3.0 document, in part axes.",
        ),
    ] = "",
    pose: Annotated[
        str,
        option(
            "--pose",
            "X,Y,Z[,RZ[,RY,RX]]",
            "Of the part, seen from the robot's base, mm and degrees; a guess where left out.",
        ),
    ] = "",
    uncertainty: Annotated[
        str,
        option(
            "--uncertainty",
            "JOB",
            "Take [uncertainty] from this job: as many points as the tolerances need.",
        ),
    ] = "",
    share: Annotated[
        float | None,
        flag("--share", "Of each tolerance that the expanded uncertainty may take; default 0.2."),
    ] = None,
    touch_um: Annotated[
        float | None,
        flag(
            "--touch-um", "Without --uncertainty: scatter of a touch, µm (deviation); default 10."
        ),
    ] = None,
    as_json: Json = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Write a commented job that is ready to run; without --force nothing is overwritten.

    With --points and --robot, and --part where there is one: a job of these points.

    With --part, --robot and --from-pmi (or --qif): the job that the drawing asks for, with its
    points, stylus, approaches and tolerances. What is left out stands in it as comments.
    """
    from planner.cli.job.commands import ProposalRequest, run_init

    request = ProposalRequest(
        part=part,
        points=points,
        robot=robot,
        unit=unit,
        from_pmi=from_pmi,
        qif=qif,
        pose=pose,
        uncertainty=uncertainty,
        share=share,
        touch_um=touch_um,
    )
    return run_init(
        folder,
        request,
        as_json=as_json,
        allow_outside=allow_outside,
        session=context.obj.forced(force),
    )


examples_app = typer.Typer(
    invoke_without_command=True,
    rich_markup_mode=None,
    help="The jobs that come with Palpeur: list them, or copy one to go on from.",
)


@examples_app.callback()
def list_examples(context: typer.Context, as_json: Json = False) -> int:
    """List the jobs that come with Palpeur; `palpeur examples copy NAME` writes one."""
    if context.invoked_subcommand is not None:
        return 0
    from planner.cli.output import Form
    from planner.library import facts_of, names
    from reports.answers import table_lines

    rows = {name: facts_of(name) for name in names()}
    return Form(json=as_json).show(
        json=lambda: {
            "format": 1,
            "examples": [
                {"name": name, "job": one.job, "robot": one.robot} for name, one in rows.items()
            ],
        },
        text=lambda: [
            *table_lines(
                ("name", "robot", "job"), [(name, one.robot, one.job) for name, one in rows.items()]
            ),
            "\nPlan one with: palpeur plan --example NAME",
            "Copy one with: palpeur examples copy NAME",
        ],
    )


@examples_app.command("copy")
def copy_example(
    context: typer.Context,
    name: Annotated[str, argument("NAME", "Of `palpeur examples`.")],
    folder: Annotated[
        str, argument("[DIR]", "Where to write it; default: a folder of the same name here.")
    ] = "",
    *,
    as_json: Json = False,
    force: Force = False,
) -> int:
    """Copy a job that comes with Palpeur, and the files it names; nothing is overwritten."""
    from planner.cli.output import Form
    from planner.job import read_job
    from planner.library import path_of

    source = path_of(name)
    place = Path(folder or name) / source.name
    session = context.obj.forced(force)
    job = read_job(source)
    job.write(place, overwrite=session.force)
    copied = (place.with_name(one.name) for one in job.inputs)
    files = [str(place), *(str(one) for one in copied if one.is_file())]
    run = f"\nRun it with: palpeur plan {shlex.quote(str(place))}"
    return Form(json=as_json).show(
        json=lambda: {"format": 1, "job": str(place), "files": files}, text=lambda: [*files, run]
    )


def demo(
    context: typer.Context,
    out: Annotated[str, out_option("DIR", "Folder of the two report sets.")] = "palpeur-demo",
    as_json: Json = False,
    no_figures: NoFigures = False,
    force: Force = False,
) -> int:
    """Plan the published nine-point job twice, as printed and corrected, and say what differs."""
    from planner.cli.job.commands import run_demo

    return run_demo(out, as_json=as_json, figures=not no_figures, session=context.obj.forced(force))


def place(
    context: typer.Context,
    job: Job,
    *,
    out: Annotated[
        str,
        out_option(
            "DIR", "Folder of the results; default: the job file's name with -place, beside it."
        ),
    ] = "",
    as_json: Json = False,
    no_figures: NoFigures = False,
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Find the best pose of the part before the robot, and how far off it the part may be.

    [place] in the job says where to look. Exit codes: 0 every point is measurable from the best
    pose; 1 not every point; 2 bad input.
    """
    from planner.cli.job.commands import run_place

    return run_place(
        job,
        out,
        as_json=as_json,
        figures=not no_figures,
        allow_outside=allow_outside,
        session=context.obj.forced(force),
    )


def diff(
    context: typer.Context,
    a: Annotated[str, argument("A", _SIDE)],
    b: Annotated[str, argument("B", "Likewise.")],
    *,
    fail_on: Annotated[
        list[str] | None,
        option(
            "--fail-on",
            "RULE",
            'Exit with 1 if the change from A to B is beyond this, such as "duration>+2%" or '
            '"clearance<-0.5mm"; may be given several times. Quantities: duration, energy, '
            "net_work, peak_power, joint_margin, singularity_margin, clearance (minima), "
            "points (measured), findings (errors and warnings).",
        ),
    ] = None,
    as_json: Json = False,
    html: Annotated[
        str,
        option("--html", "FILE", "Write a page as well.", callback=file_option),
    ] = "",
    allow_outside: AllowOutside = False,
    force: Force = False,
) -> int:
    """Compare two plans: totals, points, motions, joints, findings, validation.

    Exit codes: 0 compared, whatever differs; 1 a rule of --fail-on is broken; 2 bad input.
    """
    from planner.cli.job.commands import run_diff

    return run_diff(
        a,
        b,
        rules=fail_on or (),
        as_json=as_json,
        html=html,
        allow_outside=allow_outside,
        session=context.obj.forced(force),
    )


def verify(
    context: typer.Context,
    folder: Annotated[str, argument("DIR", "Folder of a report set.")],
    as_json: Json = False,
) -> int:
    """Plan a report set again from its inputs and say whether it is what it claims.

    Exit codes: 0 it is; 1 files changed or numbers differ; 2 it is no report set, or cannot be
    recomputed.
    """
    from planner.cli.job.commands import run_verify

    return run_verify(folder, as_json=as_json, session=context.obj)


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
    from planner.fixes.branches import turn_sentence
    from robots.core.chain_inverse.rolls import SAMPLES

    if reasons.within_at_no_turn:
        text = f"At none of {SAMPLES} turns about the probe is any branch within the limits less "
        text += "the margin."
        _print_wrapped(text, "  ")
    best: dict[str, str] = {}  # of postures of one branch the first listed
    for branch in reasons.branches:
        if branch.turn is not None:
            best.setdefault(branch.inverse_branch, turn_sentence(branch.turn))
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
