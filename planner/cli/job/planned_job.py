"""``palpeur plan`` and ``palpeur check``: from a job file to a proven plan and its files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.exit_codes import ExitCode
from planner.cli.session import Session
from planner.errors import OptionError
from planner.result_files import REPORT_SET, check_folder_place, check_set

if TYPE_CHECKING:
    from planner.plan import Plan
    from planner.proof import Proof
    from reports.provenance import SetOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """What a report set is to hold, as the command line says it.

    Args:
        figures: whether they are drawn.
        pages: whether report, workbook, replay and programmes are made.
        exports: formats of robot programmes, separated by commas.
        partial: whether programmes may leave out points that cannot be measured.
    """

    figures: bool = True
    pages: bool = True
    exports: str = ""
    partial: bool = False

    def options(self) -> SetOptions:
        """The same for the writers.

        Raises:
            OptionError: a format that does not exist.
        """
        from reports.programmes import EXPORTS
        from reports.provenance import SetOptions

        chosen = sorted({name.strip() for name in self.exports.split(",") if name.strip()})
        for name in chosen:
            if name not in EXPORTS:
                raise OptionError(f"--export {name}: there is no such format. {_formats(name)}")
        return SetOptions(
            figures=self.figures, pages=self.pages, exports=tuple(chosen), partial=self.partial
        )

    @property
    def words(self) -> str:
        """The options as they would be typed."""
        words = ["" if self.pages else " --data-only"]
        words += ["" if self.figures or not self.pages else " --no-figures"]
        words += [f" --export {self.exports}" if self.exports else ""]
        words += [" --partial" if self.partial else ""]
        return "".join(words)


def exit_code(proof: Proof) -> ExitCode:
    """Whether a plan is proven, and feasible."""
    if not proof.passed:
        return ExitCode.NOT_VALIDATED
    return ExitCode.DONE if proof.plan.feasible else ExitCode.FAILED


def run_plan(
    job: str,
    out: str,
    request: ReportRequest,
    *,
    as_json: bool,
    allow_outside: bool,
    session: Session,
) -> int:
    """Plan, validate, print, export.

    Args:
        job: path of the job file.
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
    options = request.options()
    folder = Path(out) if out else beside(Path(job))
    if not out and Path(job).is_file():  # what --out names was looked at already
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
    job: str | Path,
    session: Session,
    *,
    allow_outside: bool = False,
    exports: Sequence[str] = (),
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
        from reports.programmes import check_formats

        check_formats(exports, read)  # before the work, not after it
    with budget(f"the job {read.name!r}"), progress_of(session) as progress:
        return plan_and_prove(read, progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a report set comes from.

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

    from reports.programmes import EXPORTS

    close = get_close_matches(name, EXPORTS, n=1, cutoff=0.5)
    known = ", ".join(EXPORTS)
    return f"Did you mean {close[0]}?" if close else f"There are {known}."
