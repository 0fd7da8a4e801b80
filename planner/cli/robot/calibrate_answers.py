"""``palpeur robot calibrate``: geometric parameters from measurements, printed and written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot, tip_document
from planner.cli.output import FORMAT, print_json, print_table
from planner.cli.robot.measurement_table import read_measurements
from planner.cli.robot.measurement_units import check_measured_unit
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.errors import OptionError
from planner.result_files import check_file, write_result
from planner.tables import STANDARD_INPUT, origin_of
from robots.core.caps import Cap, read_capped
from robots.core.errors import RobotError
from robots.core.identification import (
    ArmCalibration,
    ArmMeasurements,
    ArmNoise,
    Misfit,
    NotIdentifiableError,
    Prior,
    calibrate,
)
from robots.core.mechanism import Mechanism
from robots.core.pose import make_pose
from robots.core.robot_file import write_toml

_COMMAND = "palpeur robot calibrate"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRequest:
    """What ``robot calibrate`` was asked for; SI.

    Args:
        robot: library name or path.
        measurements: table of measurements.
        kind: sphere, length, point, or nothing to take what the columns say.
        out: file of the calibrated arm, or nothing.
        stylus: added to the tool along its z axis. [m]
        encoder: standard deviation of a joint reading. [rad]
        reading: standard deviation of what is known about the ball. [m]
        prior_angle: how far angles may be off beforehand; zero for freely. [rad]
        prior_length: lengths likewise. [m]
        parameters: names, separated by commas, or nothing for all that are told.
        drop_outliers: whether contradicting measurements are left out.
        json: answer in JSON.
        session: of this run.
    """

    robot: RobotReference
    measurements: str = ""
    kind: str = ""
    out: str = ""
    stylus: float = 0.0
    encoder: float = 0.0
    reading: float = 0.0
    prior_angle: float = 0.0
    prior_length: float = 0.0
    parameters: str = ""
    drop_outliers: bool = False
    json: bool = False
    session: Session = field(default_factory=Session)

    @property
    def noise(self) -> ArmNoise | None:
        """Noise of the measurements, where it was given."""
        if self.encoder == 0.0 == self.reading:
            return None
        return ArmNoise(encoder=self.encoder, reading=self.reading)

    @property
    def prior(self) -> Prior | None:
        """Knowledge beforehand, where it was given.

        Raises:
            OptionError: only one half of it.
        """
        if self.prior_angle == 0.0 == self.prior_length:
            return None
        if self.prior_angle == 0.0 or self.prior_length == 0.0:
            raise OptionError("--prior-deg and --prior-mm belong together; give both or none.")
        return Prior(angle=self.prior_angle, length=self.prior_length)


def with_stylus(mechanism: Mechanism, stylus: float) -> Mechanism:
    """The arm with its ball a stylus farther along the tool's z axis. Args: stylus. [m]."""
    if stylus == 0.0:
        return mechanism
    return replace(mechanism, tool=mechanism.tool @ make_pose(translation=[0.0, 0.0, stylus]))


def print_calibration(request: CalibrationRequest) -> int:
    """Identify, print, and write the calibrated arm; 1 where it is no better or cannot be told.

    Raises:
        RobotError: measurements that do not belong to the robot.
        StatesError: a table that cannot be read.
        OutputError: the file cannot be written, or is somebody else's.
    """
    if request.out:  # before the work, not after it
        inputs = [request.robot.model, request.measurements]
        check_file(Path(request.out), _COMMAND, inputs, force=request.session.force)
    nominal = with_stylus(movable_robot(request.robot, request.session), request.stylus)
    given = read_measurements(request.measurements, nominal, request.kind)
    check_measured_unit(given, nominal, origin_of(request.measurements))
    try:
        found = _calibrated(nominal, given, request)
    except NotIdentifiableError as error:
        return _print_refusal(nominal, given, error, as_json=request.json)
    written = _written(nominal, found, given, request)
    if request.json:
        print_json(_document(nominal, found, given, written))
    else:
        _print_text(found, given, request)
    return ExitCode.DONE if found.improved else ExitCode.FAILED


def _calibrated(
    nominal: Mechanism, given: ArmMeasurements, request: CalibrationRequest
) -> ArmCalibration:
    names = [name.strip() for name in request.parameters.split(",") if name.strip()] or None
    found = calibrate(nominal, given, noise=request.noise, prior=request.prior, parameters=names)
    if not (request.drop_outliers and found.outliers):
        return found
    out = {outlier.block for outlier in found.outliers}
    left = [block for block in range(given.count) if block not in out]
    again = calibrate(
        nominal, given.only(left), noise=request.noise, prior=request.prior, parameters=names
    )
    return replace(again, outliers=found.outliers)


def _written(
    nominal: Mechanism, found: ArmCalibration, given: ArmMeasurements, request: CalibrationRequest
) -> str:
    """Name of the file that was written; nothing when none was."""
    if not request.out:
        return ""
    if not found.improved:
        request.session.say(f"{request.out} is not written: the calibrated arm does no better.")
        return ""
    text = calibrated_file(nominal, found, given, _origin(request.measurements))
    write_result(Path(request.out), text, _COMMAND, comment="# {}", force=request.session.force)
    request.session.say(f"calibrated arm written to {request.out}")
    return request.out


def _origin(source: str) -> str:
    """Name and hash of the measurements."""
    if source == STANDARD_INPUT:
        return "standard input"
    try:
        digest = hashlib.sha256(read_capped(source, Cap.TABLE_BYTES)).hexdigest()
    except OSError:
        return Path(source).name
    return f"{Path(source).name} (sha256 {digest[:16]})"


def calibrated_file(
    nominal: Mechanism, found: ArmCalibration, given: ArmMeasurements, origin: str
) -> str:
    """Robot file of the calibrated arm, with what was found in comments."""
    how = (
        f"calibrated by Palpeur from {found.count} {given.kind.value} measurements in {origin}: "
        f"residual {_mm(found.before.rms)} mm RMS before, {_mm(found.after.rms)} mm after"
    )
    source = f"{nominal.source}; {how}" if nominal.source else how
    arm = replace(found.mechanism, name=f"{nominal.name}, calibrated", source=source)
    lines = [
        f"# {nominal.name}, {how}.",
        "# The corrections are in the placements below; the tool ends at the ball's centre.",
        "#",
        *(f"# {name}: {value} {unit} ± {sigma}" for name, value, sigma, unit in _rows(found)),
    ]
    return "\n".join(lines) + "\n\n" + write_toml(arm)


def _print_refusal(
    nominal: Mechanism, given: ArmMeasurements, error: RobotError, *, as_json: bool
) -> int:
    if as_json:
        document = {
            "format": FORMAT,
            "robot": nominal.name,
            **tip_document(nominal),
            "kind": given.kind.value,
            "measurements": given.count,
            "identifiable": False,
            "message": error.message,
            "facts": error.facts,
        }
        print_json(document)
    else:
        print(error.message)
    return ExitCode.FAILED


def _print_text(found: ArmCalibration, given: ArmMeasurements, request: CalibrationRequest) -> None:
    print_table(("parameter", "correction", "deviation", "unit"), _rows(found))
    for dropped in found.dropped:
        print(f"{dropped.name} stays: {dropped.reason}")
    for name, centre in found.centres.items():
        print(f"sphere {name} at {', '.join(f'{1e3 * x:.4f}' for x in centre)} mm")
    print(f"residuals, mm: {_both(found.before, found.after)}, {found.count} {given.kind.value}s")
    if found.validation is None:
        print("validation: too few measurements to keep some out")
    else:
        told = _both(found.validation.before, found.validation.after)
        print(f"kept out, mm:  {told}, {found.validation.folds} folds")
    print(f"condition {found.condition:.4g}, observability {found.observability:.4g}")
    if request.noise is not None:  # without it the squares are no proportion of anything
        print(f"chi² {found.chi_squared:.4g} for {found.freedom} degrees of freedom")
    for outlier in found.outliers:
        print(
            f"outlier: {outlier.label} is {_mm(outlier.misfit)} mm off, {outlier.ratio:.3g} times "
            "the limit"
        )
    if not found.improved:
        print("The calibrated arm does no better than the nominal one.")


def _rows(found: ArmCalibration) -> list[tuple[str, str, str, str]]:
    """Name, correction, deviation and unit of every parameter, for a reader."""
    rows = []
    for parameter, value, sigma in zip(
        found.parameters, found.values, found.deviations, strict=True
    ):
        angular = parameter.unit == "rad"
        factor, unit = (180.0 / np.pi, "deg") if angular else (1e3, "mm")
        rows.append((parameter.name, f"{factor * value:.6f}", f"{factor * sigma:.2g}", unit))
    return rows


def _both(before: Misfit, after: Misfit) -> str:
    return (
        f"RMS {_mm(before.rms)} → {_mm(after.rms)}, "
        f"largest {_mm(before.largest)} → {_mm(after.largest)}"
    )


def _mm(length: float) -> str:
    return f"{1e3 * length:.4g}"


def _document(
    nominal: Mechanism, found: ArmCalibration, given: ArmMeasurements, written: str
) -> dict[str, object]:
    checked = found.validation
    return {
        "format": FORMAT,
        "robot": nominal.name,
        **tip_document(nominal),
        "kind": given.kind.value,
        "measurements": found.count,
        "identifiable": True,
        "improved": found.improved,
        "parameters": [
            {"name": p.name, "unit": p.unit, "correction": value, "deviation": sigma}
            for p, value, sigma in zip(
                found.parameters, found.values, found.deviations, strict=True
            )
        ],
        "covariance": found.covariance,
        "dropped": [
            {"name": d.name, "reason": d.reason, "looks_like": dict(d.looks_like)}
            for d in found.dropped
        ],
        "spheres": [{"name": name, "centre_m": c} for name, c in found.centres.items()],
        "residual": _misfits(found.before, found.after),
        "validation": None
        if checked is None
        else {**_misfits(checked.before, checked.after), "folds": checked.folds},
        "outliers": [
            {"measurement": o.block + 1, "label": o.label, "misfit_m": o.misfit, "ratio": o.ratio}
            for o in found.outliers
        ],
        "condition": found.condition,
        "observability": found.observability,
        "chi_squared": found.chi_squared,
        "freedom": found.freedom,
        "iterations": found.iterations,
        "file": written or None,
    }


def _misfits(before: Misfit, after: Misfit) -> dict[str, object]:
    return {
        "before_rms_m": before.rms,
        "before_max_m": before.largest,
        "after_rms_m": after.rms,
        "after_max_m": after.largest,
    }
