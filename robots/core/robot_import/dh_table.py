"""Tables of Denavit-Hartenberg parameters (CSV) in either convention, as robot files.

The same four letters mean two things. *Standard* (Denavit and Hartenberg, Paul): row i is
Rz(θ)·Tz(d)·Tx(a)·Rx(α), and joint i acts about the z axis *before* it. *Modified* (Khalil, Craig):
row i is Rx(α)·Tx(a)·Rz(θ)·Tz(d), and joint i acts about its own z axis. A table that does not say
which it is cannot be read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from robots.core.errors import RobotFileError
from robots.core.file_units import decimal_of
from robots.core.mechanism import Mechanism
from robots.core.robot_file.conversion import PRISMATIC_KEYS, REVOLUTE_KEYS, read_source
from robots.core.robot_file.source_text import SourceText, check_size, toml_text
from robots.core.schema_problems import nearest


class Convention(Enum):
    """Whose rows they are."""

    STANDARD = "standard"
    MODIFIED = "modified"


_ROW = ("a_mm", "alpha_deg", "d_mm", "theta_deg")
_LIMITS = ("min_deg", "max_deg", "min_mm", "max_mm")
_DRIVES = (*REVOLUTE_KEYS.values(), *PRISMATIC_KEYS.values())
_COM = ("com_x_mm", "com_y_mm", "com_z_mm")
_INERTIA = {f"i{pair}_kg_m2": pair for pair in ("xx", "yy", "zz", "xy", "xz", "yz")}
_BODY = ("mass_kg", *_COM, *_INERTIA)
_TEXTS = ("name", "type", "convention", "at")
_COLUMNS = (*_TEXTS, *_ROW, *_LIMITS, *_DRIVES, *_BODY)
_COMMENT = re.compile(r"#\s*convention\s*[=:]\s*[\"']?([\w-]+)[\"']?\s*$", re.IGNORECASE)
_STATE_IT = (
    'state it: a comment line "# convention = standard" (Rz(theta) Tz(d) Tx(a) Rx(alpha)) or '
    '"# convention = modified" (Rx(alpha) Tx(a) Rz(theta) Tz(d)), or a column convention'
)
_VARIABLE = re.compile(r"(?:q|theta|th|d)_?\d*", re.IGNORECASE)  # a cell that names the variable


@dataclass(frozen=True, slots=True, kw_only=True)
class DhTable:
    """A table that has been read.

    Args:
        convention: that it states.
        mechanism: of its rows.
    """

    convention: Convention
    mechanism: Mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A row of the table. Args: number: of its line; cells: those that are not empty."""

    origin: str
    number: int
    cells: Mapping[str, str]

    def error(self, column: str, sentence: str) -> RobotFileError:
        return RobotFileError(
            f"{self.origin}, line {self.number}, column {column}: {sentence}",
            file=self.origin,
            line=self.number,
            key=column,
        )

    def value(self, column: str) -> Decimal:
        """A number; zero where the cell is empty or names the joint's variable."""
        text = self.cells.get(column, "0")
        if column in ("theta_deg", "d_mm") and _VARIABLE.fullmatch(text):
            return Decimal(0)
        number = decimal_of(text)
        if not number.is_finite():
            point = text.replace(",", ".")
            comma = decimal_of(point).is_finite() and point != text
            hint = f" Decimals are separated by a point: {point[:40]}." if comma else ""
            raise self.error(column, f"{text[:40]!r} is no finite number.{hint}")
        return number


def read_dh_table(text: str, *, origin: str = "table", name: str = "") -> DhTable:
    """Read a table of Denavit-Hartenberg rows.

    Args:
        text: CSV with a header; lines that begin with # are comments, one of which may state the
            convention.
        origin: the name that messages give it.
        name: of the robot; empty for that of the file.

    Raises:
        RobotFileError: no convention, a column that is not known, a cell that is no number, or not
            a robot; the message names line and column.
    """
    check_size(origin, len(text.encode("utf-8", "surrogatepass")))
    stated, lines = _lines(text, origin)
    convention = _convention(stated, lines, origin)
    joints = [_joint(line, number) for number, line in enumerate(lines, start=1)]
    rows = [{key: line.value(key) for key in _ROW} for line in lines]
    tool: dict[str, object] = {}
    placed = zip(joints, rows, strict=True)
    if convention is Convention.MODIFIED:
        for joint, row in placed:
            joint.update(_dh_keys(row["alpha_deg"], row["a_mm"], row))
    else:
        # Rz·Tz of a row follows Tx·Rx of the row before: the same row, counted from between them.
        alpha, a = Decimal(0), Decimal(0)
        for joint, row in placed:
            joint.update(_dh_keys(alpha, a, row))
            alpha, a = row["alpha_deg"], row["a_mm"]
        if alpha or a:
            tool = {"translation_mm": [a, 0, 0], "rotation_zyx_deg": [0, 0, alpha]}
    weighed = any("body" in joint for joint in joints)
    if weighed and convention is Convention.STANDARD:
        number = next(line for line in lines if "mass_kg" in line.cells)
        raise number.error(
            "mass_kg",
            "masses are read from tables in the modified convention only, where a row's frame is "
            "the joint's; give them in the robot file that the import writes.",
        )
    robot: dict[str, object] = {"name": name or origin.rpartition(".")[0] or origin}
    robot["source"] = f"Denavit-Hartenberg table {origin}, {convention.value} convention"
    if not weighed:
        robot["masses"] = "unknown"
    document: dict[str, object] = {"format": 1, "robot": robot, "joint": joints}
    if tool:
        document["tool"] = tool
    source = SourceText(origin=origin, text=toml_text(document), in_file=False)
    return DhTable(convention=convention, mechanism=read_source(source))


def _lines(text: str, origin: str) -> tuple[str, list[_Line]]:
    """The convention that a comment states, and the rows."""
    stated, kept = "", []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        if line.lstrip().startswith("#"):
            found = _COMMENT.match(line.strip())
            stated = found[1] if found else stated
        elif line.strip(" ,;\t"):
            kept.append((number, line))
    if len(kept) < 2:
        raise RobotFileError(
            f"{origin}: the table has no rows; give a header with {', '.join(_ROW)} and a row for "
            "each joint.",
            file=origin,
        )
    delimiter = ";" if ";" in kept[0][1] else ","
    header = [cell.strip() for cell in _cells(kept[0][1], delimiter)]
    _check_header(header, origin, kept[0][0])
    rows = []
    for number, line in kept[1:]:
        cells = [cell.strip() for cell in _cells(line, delimiter)]
        if len(cells) > len(header):
            raise RobotFileError(
                f"{origin}, line {number}: {len(cells)} cells; the header has {len(header)}.",
                file=origin,
                line=number,
            )
        given = {key: cell for key, cell in zip(header, cells, strict=False) if cell}
        rows.append(_Line(origin=origin, number=number, cells=given))
    return stated, rows


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader(io.StringIO(line), delimiter=delimiter))


def _check_header(header: list[str], origin: str, number: int) -> None:
    place = f"{origin}, line {number}"
    if "r_mm" in header:
        raise RobotFileError(
            f"{place}: the column r_mm belongs to robot files, whose d_mm is a length along x; in "
            "a table of a_mm, alpha_deg, d_mm, theta_deg the length along z is d_mm.",
            file=origin,
            key="r_mm",
        )
    units = {key.rpartition("_")[0]: key for key in _ROW}
    bare = [column for column in header if column.lower() in units]
    if bare:
        named = ", ".join(f"{units[column.lower()]} for {column}" for column in bare)
        raise RobotFileError(
            f"{place}: the columns {', '.join(bare)} do not say their unit; write {named}, and the "
            "numbers in millimetres and degrees.",
            file=origin,
            key=bare[0],
        )
    for column in header:
        if column not in _COLUMNS:
            raise RobotFileError(
                f"{place}: there is no column {column!r}; {nearest(column, _COLUMNS)}",
                file=origin,
                key=column,
            )
        if header.count(column) > 1:
            raise RobotFileError(
                f"{place}: the column {column!r} stands twice; keep one.", file=origin, key=column
            )
    for column in _ROW:
        if column not in header:
            raise RobotFileError(
                f"{place}: there is no column {column}; a table of Denavit-Hartenberg rows has "
                f"{', '.join(_ROW)}.",
                file=origin,
                key=column,
            )


def _convention(stated: str, lines: list[_Line], origin: str) -> Convention:
    """The convention of the comment or the column; both must agree."""
    said = {stated.lower()} if stated else set()
    said |= {line.cells["convention"].lower() for line in lines if "convention" in line.cells}
    known = [one.value for one in Convention]
    if not said:
        raise RobotFileError(
            f"{origin}: the table does not state its convention, and the same numbers mean two "
            f"different arms; {_STATE_IT}.",
            file=origin,
            key="convention",
        )
    if len(said) > 1 or not said <= set(known):
        raise RobotFileError(
            f"{origin}: the convention is {' and '.join(sorted(map(repr, said)))}; expected one of "
            f"{', '.join(known)} for the whole table.",
            file=origin,
            key="convention",
        )
    return Convention(said.pop())


def _joint(line: _Line, number: int) -> dict[str, object]:
    """Keys of a joint's table, without its placement."""
    kind = {"r": "revolute", "p": "prismatic"}.get(
        line.cells.get("type", "r").lower(), line.cells.get("type", "").lower()
    )
    if kind not in ("revolute", "prismatic", "fixed"):
        raise line.error("type", f"{kind!r} is no type of joint; give R, P or fixed.")
    joint: dict[str, object] = {"name": line.cells.get("name", f"q{number}"), "type": kind}
    for column in (*_LIMITS, *_DRIVES):
        if column in line.cells:
            own = REVOLUTE_KEYS if kind == "revolute" else PRISMATIC_KEYS
            fits = column.endswith("_deg") if kind == "revolute" else column.endswith("_mm")
            if kind == "fixed" or not (fits if column in _LIMITS else column in own.values()):
                raise line.error(column, f"does not fit a {kind} joint; leave the cell empty.")
            joint[column] = line.value(column)
    if any(column in line.cells for column in _BODY):
        joint["body"] = _body(line)
    return joint


def _body(line: _Line) -> dict[str, object]:
    body: dict[str, object] = {"mass_kg": line.value("mass_kg")}
    body["com_mm"] = [line.value(key) for key in _COM]
    if any(key in line.cells for key in _INERTIA):
        body["inertia_kg_m2"] = {pair: line.value(key) for key, pair in _INERTIA.items()}
        if "at" not in line.cells:
            raise line.error("at", "is empty; give com or origin: the point of the tensor.")
        body["at"] = line.cells["at"]
    return body


def _dh_keys(alpha: Decimal, a: Decimal, row: Mapping[str, Decimal]) -> dict[str, object]:
    """Placement by the keys of robot files, whose d_mm is along x and r_mm along z."""
    keys = {"alpha_deg": alpha, "d_mm": a, "theta_deg": row["theta_deg"], "r_mm": row["d_mm"]}
    return {key: value for key, value in keys.items() if value}
