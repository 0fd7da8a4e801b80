"""``palpeur measure`` and ``palpeur machine-test``: measuring without a machine."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, radians
from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.options import AllowOutside, Force, Job, Json, Robot, Tip, flag, option, out_option

if TYPE_CHECKING:
    from planner.cli.session import Session
    from planner.job import Job as MeasuringJob
    from planner.plan import Plan
    from planner.virtual_measuring.true_part import PartErrors

Seed = Annotated[int | None, flag("--seed", "Of everything drawn; default the job's, or 1.", min=0)]


def measure(
    context: typer.Context,
    job: Job,
    *,
    out: Annotated[
        str,
        out_option(
            "FILE", "Write the measured points there; several runs are numbered: FILE-1.csv, …"
        ),
    ] = "",
    content: Annotated[
        str,
        option("--as", "WHAT", "joints (readings), centres (of the ball), surface."),
    ] = "joints",
    seed: Seed = None,
    runs: Annotated[int, flag("--runs", "How many machines measure the same part.", min=1)] = 1,
    offset: Annotated[
        list[str] | None,
        option(
            "--offset-um",
            "FEATURE=VALUE",
            "The true feature lies so far out along its normals; repeat.",
        ),
    ] = None,
    form_um: Annotated[
        float,
        flag("--form-um", "Form error of the true part, 1 sigma per point.", min=0.0),
    ] = 0.0,
    target_um: Annotated[
        float | None,
        flag(
            "--target-um",
            "Instead: how many points know --feature to this expanded uncertainty.",
            min=0.0,
        ),
    ] = None,
    feature: Annotated[str, option("--feature", "NAME", "Of --target-um.")] = "",
    characteristic: Annotated[
        str,
        option(
            "--characteristic",
            "KIND",
            "diameter, flatness, position, …; default the first that the job tolerances.",
        ),
    ] = "",
    datum: Annotated[str, option("--datum", "NAME", "Of orientation and distance.")] = "",
    strategy: Annotated[
        str,
        flag("--strategy", "How --target-um lays points out: one of `palpeur sample`, or repeat."),
    ] = "hammersley",
    force: Force = False,
    as_json: Json = False,
    allow_outside: AllowOutside = False,
) -> int:
    """Measure a job without a machine: readings as it would give them, errors and all.

    The arm's errors are those of the job's [uncertainty], drawn anew for every run; without the
    table it is perfect. `palpeur evaluate JOB FILE` reads the file back.

    With --target-um and --feature: the smallest number of points that reaches it. Exit codes: 0
    done; 1 points that are not reached, or no number of points reaches the target; 2 bad input.
    """
    from pathlib import Path

    from planner.cli.exit_codes import ExitCode
    from planner.cli.output import Form, print_json
    from planner.errors import OptionError
    from planner.result_files import check_file, write_result
    from planner.virtual_measuring.enough_points import PointCountRequest, points_for
    from planner.virtual_measuring.layout import check_layout
    from planner.virtual_measuring.measuring import measure_virtually, measured_csv
    from planner.virtual_measuring.true_part import check_features
    from reports import virtual_measuring as answers

    session, written_by = context.obj, "palpeur measure"
    if bool(feature) != (target_um is not None):
        raise OptionError("--feature and --target-um belong together; give both, or neither.")
    if target_um is not None:
        if not 0.0 < target_um < inf:
            raise OptionError(
                f"--target-um is {target_um:g}; give a finite target uncertainty above 0 µm.",
                value=target_um,
                limit=0.0,
            )
        if out:
            raise OptionError("--target-um only counts points, it writes no --out; leave one out.")
        wanted = PointCountRequest(
            feature=feature,
            target=target_um * 1e-6,
            kind=characteristic,
            datum=datum,
            strategy=strategy,
        )
        read = measurable_job(job, allow_outside=allow_outside)
        check_layout(read, feature, strategy)  # before the work, not after it
        count = points_for(planned_job(read, session), wanted, seed=seed)
        return Form(json=as_json).show(
            json=lambda: answers.count_document(count),
            text=lambda: answers.count_lines(count),
            passed=count.reached,
        )
    errors = part_errors(offset or (), form_um * 1e-6)
    check_measurement_options(content, runs, is_listed=bool(out) or as_json)
    files = measured_files(out, runs)
    for file in files:
        check_file(Path(file), written_by, [job], force=force)  # before the work, not after it
    read = measurable_job(job, allow_outside=allow_outside)
    check_features(read.points, errors)  # before the work, not after it
    planned = planned_job(read, session)
    found = measure_virtually(planned, part=errors, runs=runs, seed=seed)
    texts = [measured_csv(one, content) for one in found]
    for file, text in zip(files, texts, strict=False):
        write_result(Path(file), text, written_by, force=force)
    if as_json:
        print_json(answers.measurement_document(planned, found, content, files))
    elif not files:
        print(texts[0], end="")
    for sentence in answers.measurement_sentences(planned, found, files):
        session.say(sentence)
    return ExitCode.DONE if len(found[0].names) == len(planned.planned_points) else ExitCode.FAILED


def machine_test(
    context: typer.Context,
    robot: Robot,
    *,
    tip: Tip = "",
    job: Annotated[
        str,
        option(
            "--job",
            "JOB",
            "Take [uncertainty] and [probe] from this job; what is given here goes before.",
        ),
    ] = "",
    stylus_mm: Annotated[
        float | None, flag("--stylus-mm", "From the wrist to the ball.", min=0.0)
    ] = None,
    ball_diameter_mm: Annotated[
        float | None, flag("--ball-diameter-mm", "Of the probe.", min=0.0)
    ] = None,
    sphere_diameter_mm: Annotated[
        float, flag("--sphere-diameter-mm", "Of the test sphere.", min=0.0)
    ] = 25.0,
    places: Annotated[int, flag("--places", "Of the sphere in the reach.")] = 3,
    encoder_deg: Annotated[
        float | None, flag("--encoder-deg", "Noise of a joint reading.", min=0.0)
    ] = None,
    encoder_offset_deg: Annotated[
        float | None, flag("--encoder-offset-deg", "Of a reading's zero.", min=0.0)
    ] = None,
    length_mm: Annotated[
        float | None, flag("--length-mm", "Of every length of the arm.", min=0.0)
    ] = None,
    angle_deg: Annotated[
        float | None, flag("--angle-deg", "Of every angle of the arm.", min=0.0)
    ] = None,
    probe_mm: Annotated[
        float | None, flag("--probe-mm", "Of a touch, every direction.", min=0.0)
    ] = None,
    runs: Annotated[int, flag("--runs", "Machines that are drawn.")] = 1000,
    seed: Seed = None,
    as_json: Json = False,
    allow_outside: AllowOutside = False,
) -> int:
    """Predict tests in the style of ISO 10360-12: PSize, PForm, LDia and length errors.

    Errors are standard deviations. Test pieces are perfect; a limit is what 95 % of machines with
    such errors keep (or the job's coverage). This replaces no acceptance test.
    """
    from planner.cli.opening import movable_robot
    from planner.cli.output import Form
    from planner.job import read_job
    from planner.uncertainty.measuring import settings_of
    from planner.virtual_measuring.machine_tests import bench_of, machine_tests
    from reports.answers import tip_document
    from reports.virtual_measuring import machine_test_document, machine_test_lines
    from robots.core.mechanism import with_stylus

    mechanism = movable_robot(robot, tip, context.obj)
    read = read_job(job, allow_outside=allow_outside) if job else None
    if read is not None:
        settings_of(read)  # it is given for this table
    given = {
        "encoder": None if encoder_deg is None else radians(encoder_deg),
        "encoder_offset": None if encoder_offset_deg is None else radians(encoder_offset_deg),
        "length": None if length_mm is None else length_mm / 1e3,
        "angle": None if angle_deg is None else radians(angle_deg),
        "probe": None if probe_mm is None else probe_mm / 1e3,
    }
    arm = with_stylus(mechanism, stylus_length(stylus_mm, read))
    found = machine_tests(
        arm,
        bench_of(
            read,
            errors={name: value for name, value in given.items() if value is not None},
            sphere_diameter=sphere_diameter_mm / 1e3,
            ball_diameter=None if ball_diameter_mm is None else ball_diameter_mm / 1e3,
            places=places,
            count=runs,
            seed=seed,
        ),
    )
    return Form(json=as_json).show(
        json=lambda: machine_test_document(found) | tip_document(mechanism),
        text=lambda: machine_test_lines(found),
    )


# ------------------------------------------------------------------------------------ Options in SI

_LONGEST = 10.0  # [m]


def measurable_job(path: str, *, allow_outside: bool) -> MeasuringJob:
    """A job that one arm measures.

    Raises:
        JobError: the job cannot be read, or has a presenter.
    """
    from planner.job import read_job

    return read_job(path, allow_outside=allow_outside, fixed_part=True)


def planned_job(job: MeasuringJob, session: Session) -> Plan:
    """Its plan, with progress where somebody watches."""
    from planner.cli.session import progress_of
    from planner.planning import plan

    with progress_of(session) as progress:
        return plan(job, progress)


def part_errors(offsets: Sequence[str], form: float) -> PartErrors:
    """What ``--offset-um`` and ``--form-um`` say. Args: form. [m].

    Raises:
        OptionError: an offset that is not FEATURE=VALUE, or a value too large for an error.
    """
    from planner.errors import OptionError
    from planner.virtual_measuring.true_part import PartErrors

    _check_size("--form-um", form)
    found: dict[str, float] = {}
    for text in offsets:
        name, _, value = text.rpartition("=")
        try:
            found[name] = float(value) * 1e-6
        except ValueError:
            name = ""
        if not name:
            raise OptionError(
                f"--offset-um {text!r}: expected FEATURE=VALUE in micrometres, such as bore=20.",
                value=text,
            )
        _check_size(f"--offset-um {name}", found[name])
    return PartErrors(offsets=found, form=form)


def _check_size(option: str, value: float) -> None:
    """Args: value, in metres; told in the option's unit."""
    from planner.errors import OptionError
    from planner.virtual_measuring.true_part import FARTHEST

    if not abs(value) <= FARTHEST:
        raise OptionError(
            f"{option} is {1e6 * value:g} µm; give at most {1e6 * FARTHEST:g} µm: a part that is "
            "farther off is another part.",
            value=value,
            limit=FARTHEST,
            unit="m",
        )


def check_measurement_options(content: str, runs: int, *, is_listed: bool) -> None:
    """Raise where the options contradict each other.

    Args:
        content: what is written of each point.
        runs: how many machines measure.
        is_listed: whether several runs have a place to go.

    Raises:
        OptionError: they do.
    """
    from planner.errors import OptionError
    from planner.virtual_measuring.measuring import CONTENTS, MOST_RUNS

    if content not in CONTENTS:
        raise OptionError(f"--as {content}: choose one of {', '.join(CONTENTS)}.", value=content)
    if runs > MOST_RUNS:
        raise OptionError(f"--runs is {runs}; give 1 to {MOST_RUNS}.", value=runs, limit=MOST_RUNS)
    if runs > 1 and not is_listed:
        raise OptionError("--runs of several machines needs --out FILE, which is numbered.")


def measured_files(out: str, runs: int) -> list[str]:
    """Names of the files, one per run; none without ``--out``."""
    from pathlib import Path

    if not out or runs == 1:
        return [str(Path(out))] if out else []
    path = Path(out)
    return [str(path.with_name(f"{path.stem}-{k}{path.suffix}")) for k in range(1, runs + 1)]


def stylus_length(stylus_mm: float | None, job: MeasuringJob | None) -> float:
    """Length of the stylus: as given, else the job's, else none. [m].

    Raises:
        OptionError: no length of a stylus.
    """
    from planner.errors import OptionError

    if stylus_mm is not None:
        length = stylus_mm / 1e3
    else:
        length = 0.0 if job is None else job.probe.stylus_length
    if not 0.0 <= length <= _LONGEST:
        raise OptionError(
            f"--stylus-mm is {1e3 * length:g}; expected 0 to {1e3 * _LONGEST:g}.", value=length
        )
    return length
