"""Measured files of any known format → measured points of a job."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parts.evaluation.measured_points import Frame, MeasuredPoints, spread, unit_factor
from parts.points import (
    Compensation,
    RawPoints,
    ball_text,
    calibrated_ball,
    read_raw_points,
    same_ball,
)
from parts.points.file_text import (
    check_count,
    expected_for,
    fault,
    file_bytes,
    is_number,
    shown,
    text_of,
)
from parts.points.tables import frame_csv
from planner.errors import JobError, StatesError
from planner.job import Job
from planner.job.stylus import with_probe
from planner.reach.placement import place
from robots.core.arrays import Array
from robots.core.caps import Cap, read_capped, reason_of
from robots.core.errors import RobotError
from robots.core.file_reading import TipRule
from robots.core.identification.measurements import ArmMeasurements, MeasurementKind
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model
from robots.core.robot_file import read_robot
from robots.core.robot_file.source_text import toml_document
from robots.core.urdf import load_urdf

if TYPE_CHECKING:
    from pandas import DataFrame


_COLUMN = re.compile(r"q(\d+)_(deg|rad|mm|m)")
_SCALES = {"deg": np.pi / 180.0, "rad": 1.0, "mm": 1e-3, "m": 1.0}
_UNITS = {JointKind.REVOLUTE: ("deg", "rad"), JointKind.PRISMATIC: ("mm", "m")}
_WORDS = {"deg": "degrees", "rad": "radians", "mm": "millimetres", "m": "metres"}
_TURN = 2.0 * np.pi + 1e-6  # [rad] a counter that starts a turn too far, and rounding
_SLACK = 1e-6  # [rad, m] of rounding beyond a limit


def read_measured(
    path: Path | str,
    job: Job,
    *,
    frame: Frame | None = None,
    compensated: bool | None = None,
    unit: str | None = None,
    format: str | None = None,
    robot: Path | str | None = None,
) -> MeasuredPoints:
    """Read what came back from the machine.

    Known are the formats of ``parts.points.FORMATS``; joint readings (``name,q1_deg,…``), which
    become centres of the ball by the forward model of the job's arm; and logs of I++ sessions.

    Args:
        path: of the file.
        job: whose points were measured.
        frame: of the coordinates; default that of the job's points. Joint readings give the base.
        compensated: for a file that does not say: True where its points lie on the surface, False
            where they are centres of the ball; default the job's ``[evaluation] compensated``.
            DMIS results are compensated along the nominal normals, unless either says otherwise.
        unit: of a file that carries none.
        format: a key of ``parts.points.FORMATS``, where name and content do not tell; "auto" or
            None to ask them.
        robot: file of the calibrated robot, for joint readings; default the job's.

    Raises:
        PointsError: a file that cannot be read, no unit, nobody says whether it is compensated.
        EvaluationError: points that are not finite or named twice.
        JobError: a calibrated robot of another kind, or for points that need none.
    """
    return _read(
        file_bytes(path),
        Path(path).name,
        job,
        frame=frame,
        compensated=compensated,
        unit=unit,
        format=format,
        robot=robot,
    )


def measured_points(
    table: DataFrame,
    job: Job,
    *,
    frame: Frame | None = None,
    compensated: bool | None = None,
    unit: str | None = None,
    format: str | None = None,
    robot: Path | str | None = None,
) -> MeasuredPoints:
    """Take measured points, or joint readings, from a table with the columns of a measured file.

    Arguments and errors are those of ``read_measured``.
    """
    return _read(
        frame_csv(table),
        "table of measured points",
        job,
        frame=frame,
        compensated=compensated,
        unit=unit,
        format=format,
        robot=robot,
    )


def _read(
    raw: bytes,
    origin: str,
    job: Job,
    *,
    frame: Frame | None,
    compensated: bool | None,
    unit: str | None,
    format: str | None,
    robot: Path | str | None,
) -> MeasuredPoints:
    if format in (None, "auto") and is_joint_readings(raw):
        mechanism = job.mechanism if robot is None else calibrated_mechanism(job, robot)
        return joint_points(
            raw, origin=origin, mechanism=mechanism, probe_radius=job.probe.ball_radius
        )
    if robot is not None:
        raise fault(
            origin,
            "a calibrated robot is given, but these are points, not joint readings (name,q1_deg,…);"
            " leave it out.",
        )
    if format in (None, "auto") and is_ipp_log(raw):
        return ipp_points(raw, origin=origin, job=job)
    found = read_raw_points(raw, origin=origin, unit=unit, format=format, choice="measured")
    return _measured(found, job, frame or job.frame, compensated)


def _measured(found: RawPoints, job: Job, frame: Frame, compensated: bool | None) -> MeasuredPoints:
    state = _state(found, job, compensated)
    if found.source.contradictable:
        found = found.with_source(compensation=state)
    source, radius = found.source, _radius(found, job)
    return MeasuredPoints(
        names=found.names,
        xyz=found.positions,
        frame=frame,
        compensated=state is not Compensation.CENTRE,
        along_nominal=state is Compensation.NOMINAL and radius > 0.0,
        settled=found.settled,
        probe_radius=radius,
        directions=np.where(found.has_normal[:, None], found.checked.normals, np.nan),
        features=found.checked.features,
        notes=(*source.told(), *_calibrated(found, job)),
        doubts=found.checked.warnings,
        untaken=source.untaken,
    )


def _calibrated(found: RawPoints, job: Job) -> tuple[str, ...]:
    """That the file's ball is the job's, calibrated."""
    stated, own = found.source.ball_diameter, job.probe.ball_diameter
    centres = found.source.compensation is Compensation.CENTRE
    if not centres or stated is None or own <= 0.0 or same_ball(stated, own):
        return ()
    return (
        f"The ball is the file's, of {ball_text(stated)} mm, as calibrated; the job's is "
        f"{ball_text(own)} mm.",
    )


def _state(found: RawPoints, job: Job, given: bool | None) -> Compensation:
    """What the points are, by the file, the caller or the job; never unstated."""
    state = found.source.compensation
    said = job.evaluation.compensated if given is None else given
    by_word = Compensation.CENTRE if said is False else Compensation.SURFACE
    if state is not Compensation.UNSTATED:
        if found.source.contradictable:
            return state if said is None else by_word
        stated = state is Compensation.SURFACE
        if given is not None and given != stated:
            raise fault(
                found.source.origin,
                f"{found.source.format} files give {state.value}, but they are said to be "
                f"{'compensated' if given else 'centres of the ball'}; correct what is said.",
                found=stated,
                expected=given,
            )
        return state
    if said is None and job.probe.ball_radius > 0.0:
        raise fault(
            found.source.origin,
            "the file does not say whether its points lie on the surface or are centres of the "
            f"ball of {2e3 * job.probe.ball_radius:g} mm; set compensated = true (surface) or "
            "false (centres) in [evaluation] of the job.",
            choices=(True, False),
        )
    return by_word


def _radius(found: RawPoints, job: Job) -> float:
    stated = found.source.ball_diameter
    own = job.probe.ball_diameter
    if stated is None:
        return 0.5 * own
    centres = found.source.compensation is Compensation.CENTRE
    one = same_ball(stated, own) or calibrated_ball(stated, own)
    if own > 0.0 and not one and centres:
        raise fault(
            found.source.origin,
            f"it was made with a ball of {ball_text(stated)} mm, but the job's is "
            f"{ball_text(own)} mm; use the same ball, or correct probe.ball_diameter_mm.",
            found=stated,
            expected=own,
        )
    return 0.5 * stated


def is_joint_readings(raw: bytes) -> bool:
    """Return whether a file's first line, behind comments, has columns of joint readings."""
    first = _without_comments(raw[:4096].decode("utf-8-sig", errors="replace")).lstrip()
    first = first.split("\n", 1)[0]
    cells = re.split("[,;\t]", first.lower())
    return any(_COLUMN.fullmatch(cell.strip()) for cell in cells)


def joint_points(
    raw: bytes, *, origin: str, mechanism: Mechanism, probe_radius: float
) -> MeasuredPoints:
    """Centres of the ball where the arm stood when it touched.

    Args:
        raw: of a CSV file with a header: ``name``, and for every joint ``q1_deg`` or ``q1_rad``, of
            one that slides ``q1_mm`` or ``q1_m``. Lines that begin with # or // are
            comments; capitals, which some controls print only, are read as small letters.
        origin: its name, for messages.
        mechanism: the arm, as calibrated; its tool frame is the ball.
        probe_radius: of the ball. [m]

    Raises:
        PointsError: a column that is missing, unknown or in a wrong unit, a cell that is no number,
            no row, a reading far outside the joint's range.
    """
    header, rows = _rows(text_of(raw, origin), origin)
    places = _columns(header, mechanism, origin)
    names = tuple(cells[header.index("name")].strip() for _, cells in rows)
    q = np.array(
        [
            [_number(cells[place], origin, line, header[place]) * scale for place, scale in places]
            for line, cells in rows
        ]
    )
    lines = [line for line, _ in rows]
    _check_names(names, lines, origin)
    _check_range(q, lines, [header[place] for place, _ in places], mechanism, origin)
    T = Model(mechanism, "single-use").forward(q)
    return MeasuredPoints(
        names=names,
        xyz=T[:, :3, 3],
        frame="base",
        compensated=probe_radius == 0.0,
        probe_radius=probe_radius,
        directions=-T[:, :3, 2],
        notes=(f"{origin}: joint readings, by the forward model of {mechanism.name}.",),
        beyond=_beyond(q, names, [header[place] for place, _ in places], mechanism),
    )


def _without_comments(text: str) -> str:
    """The text with empty lines where comments are, as programmes of robots write them."""
    return re.sub(r"(?m)^[ \t]*(#|//).*$", "", text)


def _rows(text: str, origin: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    text = _without_comments(text)
    first = text.lstrip().split("\n", 1)[0]
    separator = next((sign for sign in ";\t" if sign in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise fault(origin, f"this is not CSV: {error}.", line=reader.line_num) from None
    if len(rows) < 2:
        raise fault(origin, "there is a header but no joint reading; give at least one line.")
    check_count(len(rows) - 1, origin)
    header = [cell.strip().lower() for cell in rows[0][1]]
    for line, cells in rows[1:]:
        if len(cells) != len(header):
            raise fault(
                origin,
                f"found {len(cells)} cells; expected {len(header)}, as in the header.",
                line=line,
                found=len(cells),
                expected=len(header),
            )
    return header, rows[1:]


def _columns(header: Sequence[str], mechanism: Mechanism, origin: str) -> list[tuple[int, float]]:
    """Place and scale of every joint's column."""
    if "name" not in header:
        raise fault(origin, "column name is missing; it names the point that was touched.", line=1)
    found: dict[int, tuple[int, str]] = {}
    for index, column in enumerate(header):
        match = _COLUMN.fullmatch(column)
        number = int(match[1]) if match else 0
        if column != "name" and not (match and 1 <= number <= mechanism.dof):
            raise fault(
                origin,
                f"column {shown(column)} is not known; expected name and {_expected(mechanism)}.",
                line=1,
                column=column,
            )
        if match and number in found:
            raise fault(origin, f"joint q{number} has two columns; give one.", line=1)
        if match:
            found[number] = (index, match[2])
    columns = []
    for number, joint in enumerate(mechanism.movable, start=1):
        if number not in found or found[number][1] not in _UNITS[joint.kind]:
            units = " or ".join(f"q{number}_{unit}" for unit in _UNITS[joint.kind])
            raise fault(origin, f"the {joint.kind.value} joint {joint.name} needs {units}.", line=1)
        index, unit = found[number]
        columns.append((index, _SCALES[unit]))
    return columns


def _expected(mechanism: Mechanism) -> str:
    return ", ".join(
        f"q{number}_{_UNITS[joint.kind][0]}"
        for number, joint in enumerate(mechanism.movable, start=1)
    )


def _number(text: str, origin: str, line: int, column: str) -> float:
    if not is_number(text):
        raise fault(
            origin,
            f"found {shown(text.strip())}; expected {expected_for(text.strip())}.",
            line=line,
            column=column,
        )
    return float(text)


def _check_names(names: Sequence[str], lines: Sequence[int], origin: str) -> None:
    seen: set[str] = set()
    for name, line in zip(names, lines, strict=True):
        if not name or name in seen:
            what = f"the name {name!r} is given a second time" if name else "the name is missing"
            raise fault(origin, f"{what}; give every touch its own.", line=line, column="name")
        seen.add(name)


def _check_range(
    q: Array, lines: Sequence[int], headers: Sequence[str], mechanism: Mechanism, origin: str
) -> None:
    """Refuse readings that no arm has shown: more than a turn, or its stroke, beyond a limit.

    What is nearer may be a counter that was not reset, and is told as a finding.
    """
    far = [
        (row, place)
        for place, joint in enumerate(mechanism.movable)
        for row in np.flatnonzero(_excess(q[:, place], joint) > _farthest(joint)).tolist()
    ]
    if not far:
        return
    row, place = min(far)
    joint, unit = mechanism.movable[place], headers[place].rpartition("_")[2]
    value = float(q[row, place]) / _SCALES[unit]
    others = f" (and {len(far) - 1} more readings)" if len(far) > 1 else ""
    raise fault(
        origin,
        f"{_told(value, joint, unit, 'far outside')}{others}"
        f"{_unit_doubt(value, joint, headers[place])}.",
        line=lines[row],
        column=headers[place],
        joint=joint.name,
        value=value,
        limits=_limits(joint, unit),
        unit=unit,
    )


def _excess(q: Array, joint: Joint) -> Array:
    """How far readings lie beyond the nearer limit, negative within. # (k,) [rad or m]."""
    return np.maximum(joint.q_min - q, q - joint.q_max)


def _farthest(joint: Joint) -> float:
    """How far beyond a limit a reading may lie and still be believed. [rad or m]."""
    return _TURN if joint.kind.angular else joint.q_max - joint.q_min


def _unit_doubt(value: float, joint: Joint, header: str) -> str:
    """The unit in which the reading would be one of the joint's, as a question."""
    name, _, unit = header.rpartition("_")
    for other, word in _WORDS.items():
        fits = joint.q_min - _SLACK <= value * _SCALES[other] <= joint.q_max + _SLACK
        if other != unit and other in _UNITS[joint.kind] and fits:
            return f"; {word}? Then name the column {name}_{other}, and the others likewise"
    return "; correct it, or its column"


def _beyond(
    q: Array, names: Sequence[str], headers: Sequence[str], mechanism: Mechanism
) -> dict[str, str]:
    """By the name of a point, the joint that lies farthest beyond its range there, in words."""
    excess = np.column_stack(
        [_excess(q[:, place], joint) for place, joint in enumerate(mechanism.movable)]
    )
    found: dict[str, str] = {}
    for row in np.flatnonzero((excess > _SLACK).any(axis=1)).tolist():
        place = int(np.argmax(excess[row]))
        unit = headers[place].rpartition("_")[2]
        value = float(q[row, place]) / _SCALES[unit]
        told = _told(value, mechanism.movable[place], unit, "outside")
        outside = np.flatnonzero(excess[row] > _SLACK).tolist()
        others = ", ".join(mechanism.movable[k].name for k in outside if k != place)
        found[names[row]] = f"{told}; {others} likewise" if others else told
    return found


def _told(value: float, joint: Joint, unit: str, where: str) -> str:
    low, high = _limits(joint, unit)
    return (
        f"joint {joint.name} reads {value:.6g} {unit}, {where} its range of {low:.4g} to "
        f"{high:.4g} {unit}"
    )


def _limits(joint: Joint, unit: str) -> tuple[float, float]:
    return joint.q_min / _SCALES[unit], joint.q_max / _SCALES[unit]


def calibrated_mechanism(job: Job, path: Path | str) -> Mechanism:
    """A robot file in place of the job's robot, with the job's probe on it.

    A tool that the job gives itself stays; otherwise the file's tool is the calibrated one.

    Args:
        job: whose robot is replaced.
        path: of the robot file (.toml, .urdf).

    Raises:
        JobError: a file that cannot be read, or a robot with other joints.
    """
    path = Path(path)
    try:
        raw = read_capped(path, Cap.ROBOT_BYTES)
        mechanism = (
            load_urdf(path, tip=_given_tip(job.mechanism))
            if path.suffix.lower() == ".urdf"
            else read_robot(raw.decode("utf-8-sig"), origin=path.name)
        )
    except OSError as error:
        raise JobError(
            f"{path}: the calibrated robot cannot be read: {reason_of(error)}."
        ) from error
    except UnicodeDecodeError as error:
        raise JobError(f"{path}: the calibrated robot cannot be read: {error}.") from error
    except RobotError as error:
        raise JobError(
            f"{path}: the calibrated robot has a fault.\n{error.message}", **error.facts
        ) from error
    _check_same(job.mechanism, mechanism, path)
    return with_probe(mechanism, _wrist(job, mechanism), job.probe)


def _given_tip(mechanism: Mechanism) -> str:
    """The link that the job itself gives as tip; a calibrated file has the same links."""
    tip = mechanism.tip
    return tip.link if tip is not None and tip.rule is TipRule.GIVEN else ""


def _wrist(job: Job, mechanism: Mechanism) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The tool frame before the stylus. # (4, 4)."""
    if "tool" not in toml_document(job.text).get("robot", {}):
        return mechanism.tool
    back = np.eye(4)
    back[2, 3] = -job.probe.stylus_length
    return np.asarray(job.mechanism.tool @ back)


def _check_same(own: Mechanism, other: Mechanism, path: Path) -> None:
    kinds = [[joint.kind.value for joint in robot.movable] for robot in (own, other)]
    if kinds[0] != kinds[1]:
        raise JobError(
            f"{path}: the calibrated robot has the joints {', '.join(kinds[1])}; the job's "
            f"{own.name} has {', '.join(kinds[0])}. Give the calibration of this robot.",
            found=kinds[1],
            expected=kinds[0],
        )


def check_measured_unit(given: ArmMeasurements, mechanism: Mechanism, origin: str) -> None:
    """Refuse coordinates or lengths that are off by the ratio of two units.

    Args:
        given: joint readings and what was measured.
        mechanism: nominal arm; no arm is built so wrongly that it is taken for another unit.
        origin: of the measurements, for the message.

    Raises:
        StatesError: they are.
    """
    if given.kind is MeasurementKind.SPHERE:  # joint readings alone have no length
        return
    balls = Model(mechanism, "single-use").forward(given.q)[:, :3, 3]
    if given.kind is MeasurementKind.POINT:
        what, expected, seen = "points spread", spread(balls), spread(given.points)
    else:
        apart = np.linalg.norm(balls[given.pairs[:, 0]] - balls[given.pairs[:, 1]], axis=1)
        what, expected, seen = "lengths are", _size(apart), _size(given.lengths)
    factor = unit_factor(expected, seen)
    if factor is not None:
        raise StatesError(
            f"{origin}: the measured {what} {1e3 * seen:.4g} mm, by the nominal arm "
            f"{1e3 * expected:.4g} mm (root mean square): a factor of "
            f"{max(factor, 1.0 / factor):g}. Correct the unit in the columns' names, such as _mm "
            "or _m.",
            file=origin,
            factor=factor,
            value=seen,
            limit=expected,
            unit="m",
        )


def _size(lengths: Array) -> float:
    return float(np.sqrt(np.mean(lengths**2)))


# ----------------------------------------------------------------------------------------- I++ logs
# A log is what a client sent and received, line by line, whatever stands before it on a line
# (times, "Sent:"). The protocol knows no names of points: a report (``00016 # X(…), Y(…), Z(…)``)
# is that of the PtMeas with its tag, and that one's nominal place and direction are the job's
# point. Coordinates are the machine's, mm; the place is the centre of the ball (I++ DME 1.4.3,
# §6.3.2.13).

_NUMBER = r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"
_TOUCH = re.compile(r"(\d{5}) PtMeas\((.*)\)")
_NOMINAL = re.compile(
    rf"X\({_NUMBER}\),\s*Y\({_NUMBER}\),\s*Z\({_NUMBER}\),\s*IJK\({_NUMBER},{_NUMBER},{_NUMBER}\)"
)
_REPORT = re.compile(r"(\d{5}) #(.*)")
_VALUE = re.compile(rf"\b([XYZ])\({_NUMBER}\)")
_MM = 1e-3
_SAME = 1e-6  # [m] between the nominal place of a touch and that of a point
_AGREES = 1e-6  # of direction cosines


def is_ipp_log(raw: bytes) -> bool:
    """Whether a file is the log of a session with touches."""
    head = raw[:65536].decode("utf-8-sig", errors="replace")
    return (
        "StartSession()" in head and _TOUCH.search(raw.decode("utf-8-sig", "replace")) is not None
    )


def ipp_points(raw: bytes, *, origin: str, job: Job) -> MeasuredPoints:
    """Centres of the ball that a server has reported.

    Args:
        raw: of the log.
        origin: its name, for messages.
        job: whose points were touched.

    Raises:
        PointsError: a touch that cannot be read or is none of the job's points, a report without
            X, Y or Z, none.
    """
    names: list[str] = []
    rows: list[list[float]] = []
    waiting: dict[str, str] = {}
    points = _Nominals(job)
    for line, text in enumerate(text_of(raw, origin).splitlines(), start=1):
        if touch := _TOUCH.search(text):
            waiting[touch[1]] = points.name_of(touch[2], origin, line)
        elif (report := _REPORT.search(text)) and report[1] in waiting:
            values = {axis: float(value) for axis, value in _VALUE.findall(report[2])}
            if set(values) != {"X", "Y", "Z"}:
                raise fault(
                    origin,
                    "the report of a touch has not all of X, Y and Z; ask for them with "
                    "OnPtMeasReport(X(),Y(),Z()).",
                    line=line,
                )
            names.append(waiting.pop(report[1]))
            rows.append([_MM * values[axis] for axis in "XYZ"])
    if not rows:
        raise fault(origin, "no touch of the session was reported; there is nothing to evaluate.")
    return MeasuredPoints(
        names=tuple(names),
        xyz=np.array(rows),
        frame="base",
        compensated=job.probe.ball_radius == 0.0,
        probe_radius=job.probe.ball_radius,
        notes=(f"{origin}: reports of an I++ session, centres of the ball.",),
    )


class _Nominals:
    """Places and directions of a job's points, as PtMeas names them.

    Args:
        job: with its points.
    """

    def __init__(self, job: Job) -> None:
        placed = place(job)
        self._names = placed.names
        self._places: Array = placed.contacts - job.probe.ball_radius * placed.directions
        self._directions = placed.directions

    def name_of(self, asked: str, origin: str, line: int) -> str:
        """The point of a touch, by what stands in the brackets of its PtMeas."""
        nominal = _NOMINAL.fullmatch(asked)
        if nominal is None:
            raise fault(
                origin,
                f"PtMeas({asked}) is no touch of a point; expected X(…), Y(…), Z(…), IJK(i,j,k) "
                "with a number for each.",
                line=line,
            )
        numbers = np.array([float(value) for value in nominal.groups()])
        there, direction = _MM * numbers[:3], numbers[3:]
        away = np.linalg.norm(self._places - there, axis=1)
        turned = np.abs(self._directions - direction).max(axis=1)
        found = np.flatnonzero((away <= _SAME) & (turned <= _AGREES))
        if found.size != 1:
            nearest = int(np.argmin(away))
            raise fault(
                origin,
                f"the touch is {'no point' if not found.size else 'more than one point'} of the "
                f"job; the nearest is {self._names[nearest]!r}, {1e3 * away[nearest]:.4g} mm away. "
                "Was it sent from a programme of another job or pose?",
                line=line,
            )
        return self._names[int(found[0])]
