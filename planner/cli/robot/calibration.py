"""``palpeur robot calibrate``: read measurements, identify or plan, print and write."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot
from planner.cli.output import Form
from planner.cli.session import Session
from planner.errors import OptionError, StatesError
from planner.evaluation.reading import check_measured_unit
from planner.result_files import check_file, write_result
from planner.tables import POSITION, STANDARD_INPUT, States, origin_of, states_of, table_text
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
from robots.core.errors import NotIdentifiableError
from robots.core.identification.calibration import calibrate
from robots.core.identification.measurements import (
    ArmMeasurements,
    ArmNoise,
    MeasurementKind,
    Prior,
)
from robots.core.identification.posture_plan import DEFAULT_NOISE, Site, plan_postures
from robots.core.mechanism import Mechanism, with_stylus

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


# ------------------------------------------------------------------------------- Measurement table
# The joint columns are those of states files; beside them stand ``sphere`` (a name), or
# ``length_mm`` and ``pair`` (a name; without it rows 1 and 2, 3 and 4 … belong together), or
# ``x_mm,y_mm,z_mm``.

SPHERE, PAIR = "sphere", "pair"
LENGTHS = {"length_mm": 1e-3, "length_m": 1.0}
_OWN = (SPHERE, PAIR, *LENGTHS)


def read_measurements(source: str, mechanism: Mechanism, kind: str) -> ArmMeasurements:
    """Read a table of measurements.

    Args:
        source: path of a CSV file; "-" reads standard input.
        mechanism: whose joints the columns name.
        kind: sphere, length or point; nothing takes what the columns say.

    Raises:
        StatesError: a table that cannot be read; with file, line and column.
        OptionError: a kind that does not exist, or that the columns leave open.
        IdentificationError: measurements that do not fit together.
    """
    table = states_of(table_text(source), origin_of(source), mechanism, _OWN)
    chosen = measurement_kind(kind) if kind else _kind_of(table)
    q = table.require("q", "calibration")
    if chosen is MeasurementKind.POINT:
        points = table.require(POSITION, "calibration by points")
        return ArmMeasurements(kind=chosen, q=q, points=points)
    if chosen is MeasurementKind.SPHERE:
        groups = tuple(table.texts.get(SPHERE, ["1"] * len(q)))
        _check_named(table, SPHERE)
        return ArmMeasurements(kind=chosen, q=q, groups=groups)
    groups = _pairs(table)
    lengths = _lengths(table, groups)
    return ArmMeasurements(kind=chosen, q=q, groups=groups, lengths=lengths)


def measurement_kind(name: str) -> MeasurementKind:
    """The kind that an option names.

    Raises:
        OptionError: there is none.
    """
    names = [kind.value for kind in MeasurementKind]
    if name not in names:
        raise OptionError(
            f"--kind {name!r} is not a kind of measurement; choose one of {', '.join(names)}.",
            option="--kind",
            value=name,
        )
    return MeasurementKind(name)


def _kind_of(table: States) -> MeasurementKind:
    told = {
        MeasurementKind.SPHERE: SPHERE in table.texts,
        MeasurementKind.LENGTH: any(header in table.texts for header in LENGTHS),
        MeasurementKind.POINT: POSITION in table,
    }
    found = [kind for kind, there in told.items() if there]
    if len(found) != 1:
        which = " and ".join(kind.value for kind in found) or "none"
        raise OptionError(
            f"{table.origin}: the columns speak of {which}; say which with --kind sphere, "
            "length or point.",
            option="--kind",
        )
    return found[0]


def _check_named(table: States, column: str) -> None:
    for line, cell in zip(table.lines, table.texts.get(column, []), strict=False):
        if not cell:
            raise StatesError(
                f"{table.origin}, line {line}, column {column}: the cell is empty; name "
                f"the {column} of every row.",
                file=table.origin,
                line=line,
                column=column,
            )


def _pairs(table: States) -> tuple[str, ...]:
    if PAIR in table.texts:
        _check_named(table, PAIR)
        return tuple(table.texts[PAIR])
    return tuple(str(row // 2 + 1) for row in range(len(table)))


def _lengths(table: States, groups: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """One length per pair, in the order of their first rows. [m]."""
    header = next((name for name in LENGTHS if name in table.texts), None)
    if header is None:
        raise StatesError(
            f"{table.origin}, line 1: calibration by lengths needs the column length_mm, "
            "which is missing.",
            file=table.origin,
            line=1,
        )
    found: dict[str, float] = {}
    rows = zip(table.lines, groups, table.texts[header], strict=True)
    for line, name, cell in rows:
        value = LENGTHS[header] * _number(cell)
        if not math.isfinite(value) or found.setdefault(name, value) != value:
            wrong = f"found {cell!r}; expected the length of pair {name!r}"
            raise StatesError(
                f"{table.origin}, line {line}, column {header}: {wrong}, the same in both "
                "of its rows.",
                file=table.origin,
                line=line,
                column=header,
            )
    return np.array(list(found.values()))


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
