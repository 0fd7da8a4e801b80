"""``palpeur measure``: virtual runs of a job, written as the machine would."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planner.cli.exit_codes import ExitCode
from planner.cli.output import print_json
from planner.cli.session import Session
from planner.errors import OptionError
from planner.result_files import check_file, write_result

if TYPE_CHECKING:
    from planner.job import Job
    from planner.plan_types import Plan
    from planner.virtual_measuring import PartErrors, VirtualMeasurement

_COMMAND = "palpeur measure"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRequest:
    """What was asked, in SI; the meaning of each field is that of its option."""

    job: str
    session: Session
    out: str = ""
    content: str = "joints"
    seed: int | None = None
    runs: int = 1
    offsets: tuple[str, ...] = ()
    form: float = 0.0
    json: bool = False
    allow_outside: bool = False


def run_measure(request: MeasureRequest) -> int:
    """Plan, measure, write.

    Raises:
        JobError: the job cannot be read or measured.
        RobotError: the robot cannot do such a job.
        OptionError: options that contradict each other.
        OutputError: a file cannot be written, or is somebody else's.
    """
    from planner.virtual_measuring import check_features, measure_virtually, measured_csv
    from reports.virtual_measuring import measurement_document

    errors = part_errors(request)
    _check(request)
    files = _files(request)
    for path in files:
        check_file(
            path, _COMMAND, [request.job], force=request.session.force
        )  # before the work, not after it
    job = job_of(request)
    check_features(job.points, errors)  # before the work, not after it
    planned = plan_of(job, request)
    found = measure_virtually(planned, part=errors, runs=request.runs, seed=request.seed)
    texts = [measured_csv(one, request.content) for one in found]
    for path, text in zip(files, texts, strict=False):
        write_result(path, text, _COMMAND, force=request.session.force)
    if request.json:
        print_json(measurement_document(planned, found, request.content, files))
    elif not files:
        sys.stdout.write(texts[0])
    for sentence in _told(planned, found, files):
        request.session.say(sentence)
    return ExitCode.DONE if len(found[0].names) == len(planned.planned_points) else ExitCode.FAILED


def job_of(request: MeasureRequest) -> Job:
    """The request's job."""
    from planner.job import read_job

    return read_job(request.job, allow_outside=request.allow_outside, fixed_part=True)


def plan_of(job: Job, request: MeasureRequest) -> Plan:
    """Its plan."""
    from planner.cli.progress_bar import progress_of
    from planner.planning import plan

    with progress_of(request.session) as progress:
        return plan(job, progress)


def part_errors(request: MeasureRequest) -> PartErrors:
    """What ``--offset-um`` and ``--form-um`` say.

    Raises:
        OptionError: an offset that is not FEATURE=VALUE, or a value too large for an error.
    """
    from planner.virtual_measuring import PartErrors

    _check_size("--form-um", request.form)

    offsets: dict[str, float] = {}
    for text in request.offsets:
        name, _, value = text.rpartition("=")
        try:
            offsets[name] = float(value) * 1e-6
        except ValueError:
            name = ""
        if not name:
            raise OptionError(
                f"--offset-um {text!r}: expected FEATURE=VALUE in micrometres, such as bore=20.",
                value=text,
            )
        _check_size(f"--offset-um {name}", offsets[name])
    return PartErrors(offsets=offsets, form=request.form)


def _check_size(option: str, value: float) -> None:
    """Args: value, in metres; told in the option's unit."""
    from planner.virtual_measuring import FARTHEST

    if not abs(value) <= FARTHEST:
        raise OptionError(
            f"{option} is {1e6 * value:g} µm; give at most {1e6 * FARTHEST:g} µm: a part that is "
            "farther off is another part.",
            value=value,
            limit=FARTHEST,
            unit="m",
        )


def _check(request: MeasureRequest) -> None:
    from planner.virtual_measuring import CONTENTS, MOST_RUNS

    if request.content not in CONTENTS:
        raise OptionError(
            f"--as {request.content}: choose one of {', '.join(CONTENTS)}.", value=request.content
        )
    if request.runs > MOST_RUNS:
        raise OptionError(
            f"--runs is {request.runs}; give 1 to {MOST_RUNS}.",
            value=request.runs,
            limit=MOST_RUNS,
        )
    if request.runs > 1 and not request.out and not request.json:
        raise OptionError("--runs of several machines needs --out FILE, which is numbered.")


def _files(request: MeasureRequest) -> list[Path]:
    if not request.out:
        return []
    path = Path(request.out)
    if request.runs == 1:
        return [path]
    places = range(1, request.runs + 1)
    return [path.with_name(f"{path.stem}-{place}{path.suffix}") for place in places]


def _told(planned: Plan, found: tuple[VirtualMeasurement, ...], files: list[Path]) -> list[str]:
    """What a reader should know beside the points."""
    first = found[0]
    lines = [f"{len(first.names)} points measured, seed {first.seed}."]
    if files:
        to = str(files[0]) if len(files) == 1 else f"{files[0]} … {files[-1].name}"
        lines[0] = f"{lines[0][:-1]}; written to {to}."
    if planned.job.uncertainty is None:
        lines.append("The job has no [uncertainty]: the machine is perfect.")
    lost = [point.name for point in planned.planned_points if not point.reachable]
    if lost:
        lines.append(f"{len(lost)} points are not reached, the first {lost[0]}.")
    late = sorted({name for one in found for name in one.late})
    if late:
        lines.append(
            f"{len(late)} points are touched only past approach.overtravel_mm, the first "
            f"{late[0]}: the machine would have missed them."
        )
    return lines
