"""``palpeur robot calibrate``: read measurements, identify or plan, print and write."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot
from planner.cli.output import Form
from planner.cli.robot.measurement_table import measurement_kind, read_measurements
from planner.cli.session import Session
from planner.errors import OptionError
from planner.evaluation.arm_measurements import check_measured_unit
from planner.result_files import check_file, write_result
from planner.tables import STANDARD_INPUT, origin_of
from reports.models.calibration import (
    calibrated_file,
    calibration_document,
    calibration_lines,
    plan_document,
    plan_lines,
    posture_table,
    refusal_document,
)
from robots.core.caps import Cap, read_capped
from robots.core.identification import (
    ArmNoise,
    MeasurementKind,
    NotIdentifiableError,
    Prior,
    Site,
    calibrate,
    plan_postures,
)
from robots.core.identification.plan import DEFAULT_NOISE
from robots.core.payload import with_stylus

_COMMAND = "palpeur robot calibrate"


def print_calibration(
    robot: str,
    tip: str,
    measurements: str,
    *,
    kind: str,
    out: str,
    stylus: float,
    noise: ArmNoise | None,
    prior: tuple[float, float],
    parameters: Sequence[str],
    drop_outliers: bool,
    form: Form,
    session: Session,
) -> int:
    """Identify, print, and write the calibrated arm; 1 where it is no better or cannot be told.

    Raises:
        RobotError: measurements that do not belong to the robot.
        StatesError: a table that cannot be read.
        OptionError: one half of the prior.
        OutputError: the file cannot be written, or is somebody else's.
    """
    if out:  # before the work, not after it
        check_file(Path(out), _COMMAND, [robot, measurements], force=session.force)
    nominal = with_stylus(movable_robot(robot, tip, session), stylus)
    given = read_measurements(measurements, nominal, kind)
    check_measured_unit(given, nominal, origin_of(measurements))
    try:
        found = calibrate(
            nominal,
            given,
            noise=noise,
            prior=_prior(*prior),
            parameters=parameters or None,
            drop_outliers=drop_outliers,
        )
    except NotIdentifiableError as error:
        refusal = error
        return form.show(
            json=lambda: refusal_document(nominal, given, refusal),
            text=lambda: [refusal.message],
            passed=False,
        )
    written = out if out and found.improved else ""
    if written:
        text = calibrated_file(nominal, found, given, _origin(measurements))
        write_result(Path(out), text, _COMMAND, comment="# {}", force=session.force)
        session.say(f"calibrated arm written to {out}")
    elif out:
        session.say(f"{out} is not written: the calibrated arm does no better.")
    return form.show(
        json=lambda: calibration_document(nominal, found, given, written),
        text=lambda: calibration_lines(found, given, weighted=noise is not None),
        passed=found.improved,
    )


def _prior(angle: float, length: float) -> Prior | None:
    if angle == 0.0 == length:
        return None
    if angle == 0.0 or length == 0.0:
        raise OptionError("--prior-deg and --prior-mm belong together; give both or none.")
    return Prior(angle=angle, length=length)


def _origin(source: str) -> str:
    """Name and hash of the measurements."""
    if source == STANDARD_INPUT:
        return "standard input"
    try:
        digest = hashlib.sha256(read_capped(source, Cap.TABLE_BYTES)).hexdigest()
    except OSError:
        return Path(source).name
    return f"{Path(source).name} (sha256 {digest[:16]})"


def print_plan(
    robot: str,
    tip: str,
    count: int,
    *,
    kind: str,
    out: str,
    stylus: float,
    noise: ArmNoise | None,
    spheres: int,
    at: Sequence[str],
    length: float,
    form: Form,
    session: Session,
) -> int:
    """Choose postures to measure, and print or write them as a table to fill in.

    Raises:
        RobotError: too few measurements, or places that nothing reaches.
        OptionError: an option that is not one.
        OutputError: the file cannot be written, or is somebody else's.
    """
    written_by = f"{_COMMAND} --plan"
    if out:
        check_file(
            Path(out), written_by, [robot], force=session.force
        )  # before the work, not after it
    mechanism = with_stylus(movable_robot(robot, tip, session), stylus)
    site = Site(
        kind=measurement_kind(kind or MeasurementKind.SPHERE.value),
        spheres=spheres,
        centres=np.array([_centre(text) for text in at]) if at else None,
        length=length,
        noise=noise or DEFAULT_NOISE,
    )
    plan = plan_postures(mechanism, count, site)
    table = posture_table(mechanism, plan.measurements)
    if out:
        write_result(Path(out), table, written_by, force=session.force)
    if out or form.json:
        return form.show(json=lambda: plan_document(mechanism, plan), text=lambda: plan_lines(plan))
    print(table, end="")
    session.say("\n".join(plan_lines(plan)))
    return ExitCode.DONE


def _centre(text: str) -> list[float]:
    try:
        numbers = [float(cell) / 1e3 for cell in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 3 or not np.all(np.isfinite(numbers)):
        raise OptionError(
            f"--at {text!r} is not a place; give x,y,z in millimetres, base frame.",
            option="--at",
            value=text,
        )
    return numbers
