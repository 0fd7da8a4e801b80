"""Joint readings at the touches (CSV) → centres of the ball, by the forward model of the arm."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parts.evaluation import MeasuredPoints
from parts.points.decimals import expected_for, is_number
from parts.points.faults import fault, shown
from parts.points.file_text import check_count, text_of
from robots.core.mechanism import JointKind, Mechanism
from robots.core.model import Model

Array = NDArray[np.float64]

_COLUMN = re.compile(r"q(\d+)_(deg|rad|mm|m)")
_SCALES = {"deg": np.pi / 180.0, "rad": 1.0, "mm": 1e-3, "m": 1.0}
_UNITS = {JointKind.REVOLUTE: ("deg", "rad"), JointKind.PRISMATIC: ("mm", "m")}
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
            no row.
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
    _check_names(names, [line for line, _ in rows], origin)
    T = Model(mechanism).forward(q)
    return MeasuredPoints(
        names=names,
        xyz=T[:, :3, 3],
        frame="base",
        compensated=probe_radius == 0.0,
        probe_radius=probe_radius,
        directions=-T[:, :3, 2],
        notes=(f"{origin}: joint readings, by the forward model of {mechanism.name}.",),
        beyond=_beyond(q, names, mechanism),
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


def _beyond(q: Array, names: Sequence[str], mechanism: Mechanism) -> tuple[str, ...]:
    """Names of points at which a joint is outside its range."""
    low = np.array([joint.q_min for joint in mechanism.movable])
    high = np.array([joint.q_max for joint in mechanism.movable])
    outside = ((q < low - _SLACK) | (q > high + _SLACK)).any(axis=1)
    return tuple(names[row] for row in np.flatnonzero(outside).tolist())
