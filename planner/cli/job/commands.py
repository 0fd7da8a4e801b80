"""The work of the commands about one job: init, plan, check, demo, place, diff, verify, present."""

from __future__ import annotations

import shlex
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, Form, bold, print_json, print_table
from planner.cli.session import Session, progress_of
from planner.errors import OptionError, OutputError
from planner.result_files import (
    REPORT_SET,
    check_file,
    check_folder_place,
    check_set,
    result_set,
    write_result,
)

if TYPE_CHECKING:
    from planner.plan import Plan
    from planner.proof import Proof
    from reports.provenance import SetOptions
    from robots.core.arrays import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """Content of a report set, as the command line requests it.

    Args:
        figures: whether they are drawn.
        pages: whether report, workbook, replay and programmes are made.
        exports: formats of robot programmes, separated by commas.
        partial: whether programmes may leave out points that cannot be measured.
        csv: whether the trajectory is written as CSV, too.
    """

    figures: bool = True
    pages: bool = True
    exports: str = ""
    partial: bool = False
    csv: bool = False

    def options(self) -> SetOptions:
        """The same for the writers.

        Raises:
            OptionError: a format that does not exist.
        """
        from reports.programmes.exports import EXPORTS
        from reports.provenance import SetOptions

        chosen = sorted({name.strip() for name in self.exports.split(",") if name.strip()})
        for name in chosen:
            if name not in EXPORTS:
                raise OptionError(f"--export {name}: there is no such format. {_formats(name)}")
        return SetOptions(
            figures=self.figures,
            pages=self.pages,
            exports=tuple(chosen),
            partial=self.partial,
            csv=self.csv,
        )

    @property
    def words(self) -> str:
        """The options as they would be typed."""
        words = ["" if self.pages else " --data-only"]
        words += ["" if self.figures or not self.pages else " --no-figures"]
        words += [f" --export {self.exports}" if self.exports else ""]
        words += [" --partial" if self.partial else ""]
        words += [" --csv" if self.csv else ""]
        return "".join(words)


def exit_code(proof: Proof) -> ExitCode:
    """Return whether a plan is proven, and feasible."""
    if not proof.passed:
        return ExitCode.NOT_VALIDATED
    return ExitCode.DONE if proof.plan.feasible else ExitCode.FAILED


def run_plan(
    job: str,
    example: str,
    out: str,
    request: ReportRequest,
    *,
    as_json: bool,
    allow_outside: bool,
    session: Session,
) -> int:
    """Plan, validate, print, export.

    Args:
        job: path of the job file; or nothing, and
        example: name of a library job.
        out: folder of the report set, or nothing for the one beside the job.
        request: what the set is to hold.
        as_json: whether the plan is printed as JSON.
        allow_outside: whether files that the job names may lie outside its folder.
        session: of this run.

    Raises:
        JobError: the job cannot be read.
        RobotError: the robot cannot do such a job.
        OutputError: the folder must not be replaced, or cannot be written.
    """
    from planner.library import path_of

    if bool(job) == bool(example):
        raise OptionError(
            "Give a job file or --example NAME; `palpeur examples` lists the names."
            if not job
            else f"{job} and --example {example} are two jobs; give one of them.",
            option="--example",
        )
    options = request.options()
    folder = Path(out) if out else beside(Path(job or example))
    if example:
        job = str(path_of(example))
    if not out and (example or Path(job).is_file()):  # what --out names was looked at already
        check_folder_place(folder)
    check_set(folder, REPORT_SET, force=session.force)  # before the work, not after it
    proof = proven(job, session, allow_outside=allow_outside, exports=options.exports)
    print_proof(proof, as_json=as_json)
    if exit_code(proof) is not ExitCode.NOT_VALIDATED:
        write_set(proof, folder, options, session, Source(job=job, words=request.words))
        session.say(f"Report set written to {folder}")
        _tell_of_programmes(proof.plan, options)
    elif folder.is_dir():
        print(
            f"{folder} still holds the set of an earlier run; its programmes are not of this job.",
            file=sys.stderr,
        )
    return exit_code(proof)


def _tell_of_programmes(plan: Plan, options: SetOptions) -> None:
    """Say on stderr, in a quiet run too, which programmes are missing, or points in them."""
    from reports.verdict import withheld

    if not (options.pages or options.exports):
        return
    refused = withheld(plan, options)
    if refused:
        print(f"No programme is written: {refused}.", file=sys.stderr)
    elif plan.left_out:
        count = f"{len(plan.left_out)} of {len(plan.planned_points)} points"
        print(f"The programmes leave out {count}: {', '.join(plan.left_out)}", file=sys.stderr)


def run_check(job: str, *, as_json: bool, allow_outside: bool, session: Session) -> int:
    """Plan, validate and print; nothing is written."""
    proof = proven(job, session, allow_outside=allow_outside)
    print_proof(proof, as_json=as_json)
    return exit_code(proof)


def proven(
    job: str | Path, session: Session, *, allow_outside: bool = False, exports: Sequence[str] = ()
) -> Proof:
    """Plan a job file, and prove the plan.

    Args:
        job: path of the job file.
        session: of this run.
        allow_outside: whether files that the job names may lie outside its folder.
        exports: formats of programmes that the robot must fit.

    Raises:
        OutputError: a format that cannot hold the robot's joints.
    """
    from planner.budget import budget
    from planner.cli.session import progress_of
    from planner.job import read_job
    from planner.planning import plan_and_prove

    read = read_job(job, allow_outside=allow_outside, fixed_part=True)
    if exports:
        from reports.programmes.exports import check_formats

        check_formats(exports, read)  # before the work, not after it
    with budget(f"the job {read.name!r}"), progress_of(session) as progress:
        return plan_and_prove(read, progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Origin of a report set.

    Args:
        job: path of the job file.
        words: options of the command that change what the set holds.
        verb: the command.
    """

    job: str
    words: str = ""
    verb: str = "plan"

    @property
    def name(self) -> str:
        """Name of the job file."""
        return Path(self.job).name

    @property
    def command(self) -> str:
        """What makes the same set again, whatever the folders."""
        return f"palpeur {self.verb} {self.name}{self.words}"


def write_set(
    proof: Proof, folder: Path, options: SetOptions, session: Session, source: Source
) -> None:
    """Write the report set of a proven plan."""
    from planner.cli.session import progress_of
    from reports.export import export
    from reports.provenance import provenance

    with progress_of(session) as progress:
        export(
            proof,
            folder,
            options=options,
            made=provenance(proof.plan, source.command, source.name),
            progress=progress,
            force=session.force,
        )


def beside(job: Path) -> Path:
    """Where the report set of a job goes when nobody says: ``plate.toml`` → ``plate-plan``."""
    return job.with_name(f"{job.stem}-plan")


def print_proof(proof: Proof, *, as_json: bool) -> None:
    """Print a plan and its checks on stdout; failed checks on stderr as well."""
    from reports.plan_document import document_text, plan_document
    from reports.terminal import print_summary

    if as_json:
        sys.stdout.write(document_text(plan_document(proof)))
    else:
        print_summary(proof, sys.stdout)
    if not proof.passed:
        print_rejection(proof)


def print_rejection(proof: Proof, what: str = "the plan") -> None:
    """Tell on stderr which checks failed and where, and keep the evidence in a file."""
    from reports.rejection import failed_check_text, write_evidence
    from robots.core.kernels.cache import cache_folder

    evidence = write_evidence(proof, cache_folder().parent / "rejected")
    kept = f" and {evidence}" if evidence else ""
    lines = "".join(f"  {failed_check_text(proof.plan, one)}\n" for one in proof.failures)
    print(
        f"Error: {what} failed its own validation; nothing is exported.\n{lines}"
        f"This is a fault of Palpeur's, not of the job: please report it with the job file{kept}.",
        file=sys.stderr,
    )


def _formats(name: str) -> str:
    from difflib import get_close_matches

    from reports.programmes.exports import EXPORTS

    close = get_close_matches(name, EXPORTS, n=1, cutoff=0.5)
    known = ", ".join(EXPORTS)
    return f"Did you mean {close[0]}?" if close else f"There are {known}."


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
    from reports.terminal import difference_paragraphs, difference_rows

    print(bold("What differs between the two, and why"))
    for paragraph in difference_paragraphs(published):
        print(textwrap.fill(paragraph, _WIDTH) + "\n")
    print_table(("", "as published", "corrected"), difference_rows(published, corrected))


def run_place(
    job: str, out: str, *, as_json: bool, figures: bool, allow_outside: bool, session: Session
) -> int:
    """Search, work out the tolerance, print, write.

    Args:
        job: path of the job file.
        out: folder of the results, or nothing for the one beside the job.
        as_json: whether the document is printed as JSON.
        figures: whether the reach map is drawn.
        allow_outside: whether files that the job names may lie outside its folder.
        session: of this run.

    Raises:
        JobError: the job cannot be read, or its points do not go with its part.
        RobotError: the robot cannot do such a job.
        OutputError: the folder must not be replaced, or cannot be written.
    """
    from planner.job import read_job
    from planner.part_pose.place import place
    from reports.place import KIND, place_document, place_lines, reach_map_png, write_place_set
    from reports.plan_document import document_text

    folder = Path(out) if out else Path(job).parent / f"{Path(job).stem}-place"
    if not out and Path(job).is_file():  # what --out names was looked at already
        check_folder_place(folder)
    check_set(folder, KIND, force=session.force)  # before the work, not after it
    read = read_job(job, allow_outside=allow_outside, fixed_part=True)
    with progress_of(session) as progress:
        found = place(read, progress, maps=figures)
    text = document_text(place_document(found.placing, found.tolerances))
    lines = "\n".join(place_lines(found.placing, found.tolerances)) + "\n"
    sys.stdout.write(text if as_json else lines)
    figure = None if found.maps is None else reach_map_png(found.maps, read.name)
    write_place_set(folder, text, figure, force=session.force)
    session.say(f"Placing written to {folder}")
    return ExitCode.DONE if found.feasible else ExitCode.FAILED


PRESENTATION = "presentation"  # kind of its set of files


def run_present(
    job: str, out: str, *, as_json: bool, figures: bool, allow_outside: bool, session: Session
) -> int:
    """Search, plan, validate, print, write.

    Args:
        job: path of the job file.
        out: folder of the results, or nothing for none.
        as_json: whether the document is printed as JSON.
        figures: whether they are drawn.
        allow_outside: whether files that the job names may lie outside its folder.
        session: of this run.

    Raises:
        JobError: the job cannot be read, or has no presenter.
        RobotError: the robot cannot do such a job.
        OutputError: the folder must not be replaced, or cannot be written.
    """
    from planner.job import read_job
    from planner.presenting.present import present
    from planner.proof import prove
    from reports.plan_document import document_text
    from reports.presentation import presentation_document, presentation_lines

    folder = Path(out) if out else None
    if folder is not None:
        check_set(folder, PRESENTATION, force=session.force)  # before the work, not after it
    read = read_job(job, allow_outside=allow_outside)
    with progress_of(session) as progress:
        found = present(read, progress)
    proofs = [prove(pose.plan) for pose in found.poses]
    text = document_text(presentation_document(found))
    sys.stdout.write(text if as_json else "\n".join(presentation_lines(found)) + "\n")
    failed = [k for k, proof in enumerate(proofs, start=1) if not proof.passed]
    if failed:
        print_rejection(proofs[failed[0] - 1], f"the plan of pose {failed[0]}")
        return ExitCode.NOT_VALIDATED
    if folder is not None:
        options = ReportRequest(figures=figures).options()
        if not found.feasible:  # programmes of single poses would do what is not promised
            reason = "the presentation is not feasible, and this is one of its poses"
            options = replace(options, withheld=reason)
        source = Source(job=job, verb="stewart present")
        with result_set(folder, PRESENTATION, force=session.force) as fresh:
            (fresh / "presentation.json").write_text(text, encoding="utf-8", newline="")
            for number, proof in enumerate(proofs, start=1):
                write_set(proof, fresh / f"pose-{number}", options, session, source)
        session.say(f"Presentation written to {folder}")
    return ExitCode.DONE if found.feasible else ExitCode.FAILED


_COMMAND = "palpeur diff"


def run_diff(
    a: str,
    b: str,
    *,
    rules: Sequence[str],
    as_json: bool,
    html: str,
    allow_outside: bool,
    session: Session,
) -> int:
    """Compare, print, write the page, judge.

    Args:
        a: path of a job file, a report set or a plan.json.
        b: likewise.
        rules: such as ``duration>+2%``.
        as_json: whether the comparison is printed as JSON.
        html: file of the page; empty for none.
        allow_outside: whether files that a job names may lie outside its folder.
        session: of this run.

    Raises:
        OptionError: a rule that cannot be read, or a file that is no plan.
        JobError: a job that cannot be read.
        RobotError: a robot that cannot do such a job.
        OutputError: the page cannot be written, or would replace another file.
    """
    from reports.comparison.compare import compare
    from reports.comparison.document import comparison_document, comparison_page, print_comparison
    from reports.comparison.rules import judged, parse_rule
    from reports.plan_document import document_text

    parsed = [parse_rule(text) for text in rules]  # before the work, not after it
    if html:
        _check_page(Path(html), force=session.force)
    mine, other = (_document(Path(side), session, allow_outside=allow_outside) for side in (a, b))
    found = compare(mine, other, (a, b))
    judgements = [judged(rule, found) for rule in parsed]
    if as_json:
        sys.stdout.write(document_text(comparison_document(found, judgements)))
    else:
        print_comparison(found, judgements, sys.stdout)
    if html:
        write_result(
            Path(html),
            comparison_page(found, judgements),
            _COMMAND,
            comment="<!-- {} -->",
            force=session.force,
            option="--html",
        )
        session.say(f"Page written to {html}")
    return ExitCode.FAILED if any(one.fired for one in judgements) else ExitCode.DONE


def _document(path: Path, session: Session, *, allow_outside: bool) -> dict[str, object]:
    """A plan's document; a job is planned."""
    from reports.comparison.compare import read_plan
    from reports.plan_document import plan_document

    if path.is_dir() or path.suffix.lower() == ".json":
        return read_plan(path)
    if not path.is_file():
        raise OptionError(
            f"{path} does not exist; give a job file, a report set or a plan.json.", path=str(path)
        )
    session.say(f"Planning {path}")
    return plan_document(proven(path, session, allow_outside=allow_outside))


def _check_page(path: Path, *, force: bool) -> None:
    """Whether a page may take the place: nothing is there, or an earlier page; and no report set.

    Raises:
        OutputError: something else is.
    """
    _refuse_report_set(path)
    check_file(path, _COMMAND, force=force, option="--html")


def _refuse_report_set(path: Path) -> None:
    """A set holds what its record lists: its own page is no earlier one, and a new one is foreign.

    Raises:
        OutputError: the page would be in a report set.
    """
    from planner.result_files import RECORD

    room = path.parent.resolve()
    for folder in (room, *room.parents):
        if (folder / RECORD).is_file():
            raise OutputError(
                f"{path}: the page cannot be written: {folder} is a report set, whose {RECORD} "
                f"lists its files; give a file outside it with --html, such as "
                f"{folder.parent / 'diff.html'}.",
                file=str(path),
            )


def run_verify(folder: str, *, as_json: bool, session: Session) -> int:
    """Verify a report set and print the verdict.

    Args:
        folder: of the set.
        as_json: whether the result is printed as JSON.
        session: of this run.

    Raises:
        OptionError: no report set, or of another format.
    """
    from reports.plan_document import document_text
    from reports.verification.document import verified_document, verified_lines
    from reports.verification.verified import VerificationVerdict, verify

    with progress_of(session) as progress:
        found = verify(Path(folder), progress)
    lines = "".join(f"{line}\n" for line in verified_lines(found))
    sys.stdout.write(document_text(verified_document(found)) if as_json else lines)
    if found.verdict is VerificationVerdict.GENUINE:
        return ExitCode.DONE
    return ExitCode.BAD_INPUT if found.verdict is VerificationVerdict.UNKNOWN else ExitCode.FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRequest:
    """Options of ``palpeur init``, as they were typed."""

    part: str = ""
    points: str = ""
    robot: str = ""
    unit: str = ""
    from_pmi: bool = False
    qif: str = ""
    pose: str = ""
    uncertainty: str = ""
    share: float | None = None
    touch_um: float | None = None

    @property
    def template(self) -> bool:
        """Whether nothing is asked but the template."""
        return self == ProposalRequest()


def run_init(
    folder: str,
    request: ProposalRequest,
    *,
    as_json: bool,
    allow_outside: bool,
    session: Session,
) -> int:
    """Write the template's files or a proposed job, and say how to run them.

    Raises:
        OutputError: a file is there already, or the folder cannot be written.
    """
    from planner.job import write_template

    if request.points:
        return _start(Path(folder), request, as_json=as_json, session=session)
    if not request.template:
        return _propose(
            Path(folder), request, as_json=as_json, allow_outside=allow_outside, session=session
        )
    paths = [str(path) for path in write_template(folder, force=session.force)]
    run = f"\nRun it with: palpeur plan {shlex.quote(paths[0])}"
    return Form(json=as_json).show(
        json=lambda: {"format": 1, "job": paths[0], "files": paths}, text=lambda: [*paths, run]
    )


def _start(folder: Path, request: ProposalRequest, *, as_json: bool, session: Session) -> int:
    """Write a job of a list of points."""
    from parts.part import load_part
    from planner.proposal.proposal import start_job

    odd = [
        option
        for option, given in (
            ("--from-pmi", request.from_pmi),
            ("--qif", request.qif),
            ("--uncertainty", request.uncertainty),
            ("--share", request.share is not None),
            ("--touch-um", request.touch_um is not None),
        )
        if given
    ]
    if odd:
        raise OptionError(
            f"{odd[0]} lays points out by a drawing, and --points gives them; leave one out.",
            option=odd[0],
        )
    if not request.robot:
        raise OptionError(
            "A job of points needs --robot ROBOT, a name of `palpeur robot list` or a robot file.",
            option="--robot",
        )
    place = _free_place(folder, session)
    job = start_job(
        request.robot,
        request.points,
        part=load_part(request.part, unit=request.unit or None) if request.part else None,
        pose=_pose(request.pose) if request.pose else None,
    )
    job.write(place, overwrite=session.force)
    files = [
        str(place),
        *(str(folder / one.name) for one in job.inputs if (folder / one.name).is_file()),
    ]
    check = f"palpeur check {shlex.quote(files[0])}"
    run = f"\nComments in the job say what is left to be given. Check it with: {check}"
    return Form(json=as_json).show(
        json=lambda: {"format": 1, "job": files[0], "files": files}, text=lambda: [*files, run]
    )


def _free_place(folder: Path, session: Session) -> Path:
    """The job file in a folder, where none is yet.

    Raises:
        OutputError: one is there, and is not to be replaced.
    """
    place = folder / "job.toml"
    if (place.exists() or place.is_symlink()) and not session.force:
        raise OutputError(
            f"{place} exists already and is not overwritten; give another folder, or --force to "
            "replace it.",
            file=str(place),
        )
    return place


def _propose(
    folder: Path,
    request: ProposalRequest,
    *,
    as_json: bool,
    allow_outside: bool,
    session: Session,
) -> int:
    """Propose a job for a part and write it."""
    from parts.part import load_part
    from planner.job import read_job
    from planner.proposal.proposal import SHARE, TOUCH, propose
    from reports.proposal import proposal_document, proposal_lines

    missing = [
        name
        for name, given in (
            ("--part", request.part),
            ("--robot", request.robot),
            ("--from-pmi", request.from_pmi or request.qif),
        )
        if not given
    ]
    if missing:
        raise OptionError(
            f"A proposed job needs --part FILE, --robot ROBOT and --from-pmi; {missing[0]} is "
            "missing. A job of points that you have needs --points FILE and --robot ROBOT; "
            "`palpeur sample` lays points out. Without any of them the template is written.",
            option=missing[0],
        )
    place = _free_place(folder, session)
    table = None
    if request.uncertainty:
        stated = read_job(request.uncertainty, allow_outside=allow_outside).document()
        table = stated.get("uncertainty")
        if table is None:
            raise OptionError(f"--uncertainty {request.uncertainty}: it has no [uncertainty].")
    if table is not None and request.touch_um is not None:
        raise OptionError(
            "--touch-um goes without --uncertainty, which states the scatter of a touch.",
            option="--touch-um",
        )
    part = load_part(request.part, unit=request.unit or None)
    with progress_of(session) as progress:
        found = propose(
            part,
            request.robot,
            drawing=part.read_drawing(request.qif) if request.qif else None,
            pose=_pose(request.pose) if request.pose else None,
            uncertainty=table,
            share=SHARE if request.share is None else request.share,
            scatter=TOUCH if request.touch_um is None else 1e-6 * request.touch_um,
            progress=progress,
        )
    found.job.write(place, overwrite=session.force)
    written = f"\nWritten to {place}. Run it with: palpeur plan {shlex.quote(str(place))}"
    return Form(json=as_json).show(
        json=lambda: proposal_document(found, place),
        text=lambda: [*proposal_lines(found), written],
    )


def _pose(text: str) -> Array:
    """A pose of ``--pose``. # (4, 4)."""
    import numpy as np

    from robots.core.pose import make_pose, rotation_zyx

    try:
        numbers = [float(cell) for cell in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (3, 4, 6) or not np.isfinite(numbers).all():
        raise OptionError(
            f"--pose {text!r} is no pose; expected 3, 4 or 6 numbers, mm and degrees, such as "
            "500,0,-100,90.",
            value=text,
        )
    turns = [*numbers[3:], 0.0, 0.0, 0.0][:3]
    return make_pose(rotation_zyx(np.radians(turns)), 1e-3 * np.array(numbers[:3]))
