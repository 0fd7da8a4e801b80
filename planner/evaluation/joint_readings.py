"""Joint readings at the touches (CSV) → centres of the ball, by the forward model of the arm."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

import numpy as np

from parts.evaluation import MeasuredPoints
from parts.points.file_text import check_count, expected_for, fault, is_number, shown, text_of
from robots.core.arrays import Array
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.model import Model

_COLUMN = re.compile(r"q(\d+)_(deg|rad|mm|m)")
_SCALES = {"deg": np.pi / 180.0, "rad": 1.0, "mm": 1e-3, "m": 1.0}
_UNITS = {JointKind.REVOLUTE: ("deg", "rad"), JointKind.PRISMATIC: ("mm", "m")}
_WORDS = {"deg": "degrees", "rad": "radians", "mm": "millimetres", "m": "metres"}
_TURN = 2.0 * np.pi + 1e-6  # [rad] a counter that starts a turn too far, and rounding
_SLACK = 1e-6  # [rad, m] of rounding beyond a limit


def is_joint_readings(raw: bytes) -> bool:
    """Whether a file's first line has columns of joint readings."""
    first = raw[:4096].decode("utf-8-sig", errors="replace").lstrip().split("\n", 1)[0]
    return any(_COLUMN.fullmatch(cell.strip()) for cell in re.split("[,;\t]", first))


def joint_points(
    raw: bytes, *, origin: str, mechanism: Mechanism, probe_radius: float
) -> MeasuredPoints:
    """Centres of the ball where the arm stood when it touched.

    Args:
        raw: of a CSV file with a header: ``name``, and for every joint ``q1_deg`` or ``q1_rad``, of
            one that slides ``q1_mm`` or ``q1_m``.
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


def _rows(text: str, origin: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
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
    header = [cell.strip() for cell in rows[0][1]]
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
    for place, column in enumerate(header):
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
            found[number] = (place, match[2])
    columns = []
    for number, joint in enumerate(mechanism.movable, start=1):
        if number not in found or found[number][1] not in _UNITS[joint.kind]:
            units = " or ".join(f"q{number}_{unit}" for unit in _UNITS[joint.kind])
            raise fault(origin, f"the {joint.kind.value} joint {joint.name} needs {units}.", line=1)
        place, unit = found[number]
        columns.append((place, _SCALES[unit]))
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
