"""Tables of numbers: states of a robot, poses and leg lengths of a platform, measurements.

CSV with a unit in every column's name → arrays in SI. Strict on purpose: a cell is a plain decimal
number, a column is known, complete and given once. Columns of texts, such as names, are read where
the caller says which.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from pathlib import Path

import numpy as np

from planner.errors import OptionError, StatesError
from robots.core.arrays import Array
from robots.core.caps import Cap, read_capped, reason_of
from robots.core.mechanism import Joint, Mechanism
from robots.core.pose import as_rotation, make_pose, rotation_zyx

STANDARD_INPUT = "-"
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_HEADER = re.compile(r"\S[^\r\n]*")

ANGLE = {"rad": 1.0, "deg": np.pi / 180.0}
LENGTH = {"m": 1.0, "mm": 1e-3}
AXES = "xyz"

# Groups of quantities that belong together, of a tool or a platform.
POSITION, POSE = "position", "pose"
VELOCITY, SPIN = "velocity", "angular velocity"
ACCELERATION, SPIN_RATE = "acceleration", "angular acceleration"
WRENCH = "wrench"
# Of the states of a robot, beside its joints' q, qd, qdd and tau.
NORMAL, APPROACH = "normal", "approach"
# Of a platform.
ANGLES, LENGTHS = "angles", "lengths"
LEGS = 6
_PLATFORM_LENGTHS, _PLATFORM_ANGLES = ("mm", "m"), ("deg", "rad")  # the preferred unit first

Advice = Callable[[str], str]
_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)
_COMMA = re.compile(r"[+-]?\d*+,\d++(?:[eE][+-]?\d++)?", re.ASCII)
# The number of an option, and its unit where it has one.
_MEASURED = re.compile(rf"({_NUMBER.pattern})\s*([A-Za-z][A-Za-z0-9/]*)?", re.ASCII)
_LONGEST = 40  # characters of a cell that is told
_NOT_FINITE = ("nan", "inf", "infinity")
# Beyond it sine and cosine lose their digits, and nobody means such a length or force.
_LARGEST = 1e9

_APART = re.compile(r"\d[;\s]+[-+.\d]")  # two numbers in a cell: commas stood for the points
_DECIMAL_POINT = " Decimals are separated by a point, values by a comma: 0.5,1.5."
_PER_TIME = {"q": "", "qd": "_s", "qdd": "_s2"}
_JOINT_COLUMN = re.compile(r"(q|qd|qdd|tau)(\d{1,6})(?:_(\w+))?")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class States:
    """States read from a table.

    Args:
        origin: the file's name, for messages.
        lines: line of every state in the file. # (N,)
        groups: by name, complete ones only. # each (N, size), SI
        headers: preferred headers of every group, for messages.
        texts: cells of the columns of texts, by header, without blanks around them. # each N
        inline: whether options of the command line gave the one state, not a table.
    """

    origin: str
    lines: tuple[int, ...]
    groups: dict[str, Array]
    headers: dict[str, list[str]] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    inline: bool = False

    def __len__(self) -> int:
        """Number of states."""
        return len(self.lines)

    def __contains__(self, group: str) -> bool:
        """Return whether the table has all columns of a group."""
        return group in self.groups

    def require(self, group: str, purpose: str) -> Array:
        """The columns of a group. # (N, size).

        Raises:
            StatesError: the table does not have them.
        """
        if group not in self.groups and self.inline:
            option = STATE_OPTIONS.get(group)
            how = (
                f"{option} beside {self.origin}"
                if option
                else f"{', '.join(self.headers[group])}; give a table with --states"
            )
            raise StatesError(f"{_sentence(purpose)} needs {how}.", missing=self.headers[group])
        if group not in self.groups:
            raise StatesError(
                f"{self.origin}, line 1: {purpose} needs the columns "
                f"{', '.join(self.headers[group])}, which are missing.",
                file=self.origin,
                line=1,
                missing=self.headers[group],
            )
        return self.groups[group]

    def or_zero(self, group: str) -> Array:
        """The columns of a group, or zeros. # (N, size)."""
        if group in self.groups:
            return self.groups[group]
        return np.zeros((len(self), len(self.headers[group])))


# --- states of a robot ----------------------------------------------------------------------------


def read_states(source: str, mechanism: Mechanism) -> States:
    """Read a table of states.

    Args:
        source: path of a CSV file; "-" reads standard input.
        mechanism: whose joints the columns name.

    Raises:
        StatesError: a file that cannot be read, a column or a cell that is not right; with file,
            line, column, what was found and what was expected.
    """
    return states_of(table_text(source), origin_of(source), mechanism)


def states_of(text: str, origin: str, mechanism: Mechanism, texts: Collection[str] = ()) -> States:
    """States from the text of a table; ``origin`` names it, ``texts`` are columns of texts.

    Raises:
        StatesError: as for ``read_states``.
    """
    known = state_columns(mechanism)
    states = table_of(text, origin, known, partial(_unknown_header, mechanism, known), texts)
    for group in ("q", "qd", "qdd", "tau"):
        states.headers.setdefault(group, [])
    return states


# Options that give one state without a table, by the group that each fills.
STATE_OPTIONS = {
    "q": "--q",
    "qd": "--qd",
    "qdd": "--qdd",
    "tau": "--tau",
    POSITION: "--at",
    NORMAL: "--normal",
    APPROACH: "--axis",
}


def one_state(given: Mapping[str, str], mechanism: Mechanism) -> States:
    """Read one state from options, to the same numbers as a table of one row.

    Joint values stand in the order of q1, q2, …: degrees and millimetres unless a unit stands
    behind the number ("1.5rad", "0.2m"), and the same per second and second squared for rates.
    ``--at`` is in millimetres; directions have no unit.

    Args:
        given: texts by the group that they fill; one at least.
        mechanism: whose joints the values belong to.

    Raises:
        OptionError: a wrong number of values, or a value that is no number or of another unit.
    """
    known = state_columns(mechanism)
    columns: list[Column] = []
    numbers: list[float] = []
    for group, text in given.items():
        entries = _entries(group, mechanism)
        option, cells = STATE_OPTIONS[group], [cell.strip() for cell in text.split(",")]
        if len(cells) != len(entries):
            commas = len(cells) == 2 * len(entries) or _APART.search(text)
            names = ", ".join(f"{entry.name} [{entry.unit}]" for entry in entries)
            raise OptionError(
                f"{option} has {len(cells)} value{'s' * (len(cells) != 1)}; expected "
                f"{len(entries)}, separated by commas: {names}."
                f"{_DECIMAL_POINT if commas else ''}",
                option=option,
                value=text,
                expected=len(entries),
            )
        for entry, cell in zip(entries, cells, strict=True):
            number, factor = entry.read(cell, option)
            numbers.append(number)
            columns.append(Column(group=group, place=entry.place, factor=factor))
    headers = {group: group_headers(group, known) for group in ("q", "qd", "qdd", "tau")}
    headers |= {c.group: group_headers(c.group, known) for c in known.values()}
    return States(
        origin=STATE_OPTIONS[next(iter(given))],
        lines=(1,),
        groups=_groups(columns, np.array([numbers])),
        headers=headers,
        inline=True,
    )


def locked_joints(texts: Sequence[str], mechanism: Mechanism) -> dict[str, float]:
    """Values of joints that are held still, in SI units, from JOINT=VALUE.

    Raises:
        OptionError: no such joint, or a value that is no number or of another unit.
    """
    entries = {entry.name: entry for entry in _entries("q", mechanism)}
    locked: dict[str, float] = {}
    for text in texts:
        name, sign, cell = text.partition("=")
        if not sign or name not in entries:
            raise OptionError(
                f"--lock is {_shown(text)}; expected JOINT=VALUE with one of the joints "
                f"{', '.join(entries)}.",
                option="--lock",
                value=text,
            )
        number, factor = entries[name].read(cell.strip(), "--lock")
        locked[name] = number * factor
    return locked


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One number of an option: its name, its place in the group, its units, the default first."""

    name: str
    place: int
    units: Mapping[str, float]

    @property
    def unit(self) -> str:
        return next(iter(self.units))

    def read(self, cell: str, option: str) -> tuple[float, float]:
        """The number, and what makes it SI."""
        found = _MEASURED.fullmatch(cell)
        unit = (found[2] if found else "") or self.unit
        if found is None or unit not in self.units or not abs(float(found[1])) <= _LARGEST:
            unit = f"a number in {self.unit}" if self.unit else "a number"
            others = ", ".join(f"1{other}" for other in self.units if other)
            raise OptionError(
                f"{option}: {self.name} is {_shown(cell)}; expected {unit}"
                f"{f' (with a unit: {others})' if others else ''}."
                f"{_DECIMAL_POINT if _APART.search(cell) else ''}",
                option=option,
                value=cell,
                joint=self.name,
                unit=self.unit,
            )
        return float(found[1]), self.units[unit]


def _entries(group: str, mechanism: Mechanism) -> list[_Entry]:
    """What an option's values are, in the order in which they are written."""
    if group in (POSITION, NORMAL, APPROACH):
        units = {"mm": LENGTH["mm"], "m": LENGTH["m"]} if group == POSITION else {"": 1.0}
        return [_Entry(name=axis, place=place, units=units) for place, axis in enumerate(AXES)]
    return [
        _Entry(name=joint.name, place=place, units=_option_units(group, joint))
        for _, place, joint in sorted(
            (number, place, joint)
            for place, (number, joint) in enumerate(
                zip(mechanism.numbers, mechanism.movable, strict=True)
            )
        )
    ]


def _option_units(group: str, joint: Joint) -> dict[str, float]:
    if group == "tau":
        return {"Nm" if joint.kind.angular else "N": 1.0}
    per = {"q": "", "qd": "/s", "qdd": "/s2"}[group]
    units, first = (ANGLE, "deg") if joint.kind.angular else (LENGTH, "mm")
    return {f"{unit}{per}": units[unit] for unit in (first, *(u for u in units if u != first))}


def state_text(states: States, mechanism: Mechanism) -> str:
    """The state that options gave, with units: what was understood, for messages."""
    parts = []
    for group in ("q", "qd", "qdd", "tau"):
        if group in states:
            entries = _entries(group, mechanism)
            values = [states.groups[group][0, e.place] / e.units[e.unit] for e in entries]
            told = (f"{value:.6g} {e.unit}" for value, e in zip(values, entries, strict=True))
            parts.append(f"{group} = {', '.join(told)}")
    return "; ".join(parts)


def _sentence(purpose: str) -> str:
    return purpose[:1].upper() + purpose[1:]


def state_columns(mechanism: Mechanism) -> dict[str, Column]:
    """Every header that makes sense for a mechanism, the preferred unit first."""
    columns: dict[str, Column] = {}
    for place, (number, joint) in enumerate(zip(mechanism.numbers, mechanism.movable, strict=True)):
        columns |= _joint_columns(place, number, joint)
    for place, axis in enumerate(AXES):
        columns[f"n{axis}"] = Column(group=NORMAL, place=place)
        columns[f"a{axis}"] = Column(group=APPROACH, place=place)
    return columns | body_columns(tuple(LENGTH), tuple(ANGLE))


def _joint_columns(place: int, number: int, joint: Joint) -> dict[str, Column]:
    units = ANGLE if joint.kind.angular else LENGTH
    columns = {
        f"{group}{number}_{unit}{per}": Column(group=group, place=place, factor=factor)
        for group, per in _PER_TIME.items()
        for unit, factor in units.items()
    }
    effort = "nm" if joint.kind.angular else "n"
    return columns | {f"tau{number}_{effort}": Column(group="tau", place=place)}


def _unknown_header(mechanism: Mechanism, known: Mapping[str, Column], header: str) -> str:
    """What is wrong with a header that is not known, and what could stand there."""
    found = _JOINT_COLUMN.fullmatch(header)
    if not found:
        return nearest_header(header, known)
    group, number, unit = found.group(1), int(found.group(2)), found.group(3)
    if not 1 <= number <= mechanism.dof:
        last = f"{group}{mechanism.dof}" if mechanism.dof else "none"
        return f"{mechanism.name} has {mechanism.dof} joint variables; the last is {last}"
    place = mechanism.numbers.index(number)
    joint = mechanism.movable[place]
    places = [h for h, c in known.items() if (c.group, c.place) == (group, place)]
    expected = f"expected {' or '.join(places)}"
    if unit is None:
        return f"the column's name carries no unit; {expected}"
    return f"joint {number} ({joint.name}) is {joint.kind.value}; {expected}"


# --- poses and leg lengths of a platform ----------------------------------------------------------


def read_table(source: str, known: dict[str, Column]) -> States:
    """Read a table.

    Args:
        source: path of a CSV file; "-" reads standard input.
        known: headers that may stand in it.

    Raises:
        StatesError: a file that cannot be read, a column or a cell that is not right; with file,
            line, column, what was found and what was expected.
    """
    advice = partial(nearest_header, known=known)
    return table_of(table_text(source), origin_of(source), known, advice)


def poses_of(states: States) -> Array:
    """T_base_platform of every row. # (N, 4, 4).

    Raises:
        StatesError: neither ``x_mm,y_mm,z_mm`` nor ``T11..T34``, or both; a matrix that is none.
    """
    if POSE in states:
        if POSITION in states or ANGLES in states:
            raise StatesError(
                f"{states.origin}, line 1: T11..T34 and x_mm, rz_deg … say the same; keep one."
            )
        return _matrices(states)
    place = states.require(POSITION, "a pose")
    return make_pose(rotation_zyx(states.or_zero(ANGLES)), place)


def rates_of(states: States) -> tuple[Array, Array]:
    """Velocity and acceleration of the platform; zero where the table has none. # (N, 6) each."""
    V = [states.or_zero(VELOCITY), states.or_zero(SPIN)]
    A = [states.or_zero(ACCELERATION), states.or_zero(SPIN_RATE)]
    return np.hstack(V), np.hstack(A)


def _matrices(states: States) -> Array:
    T = np.tile(np.eye(4), (len(states), 1, 1))
    T[:, :3, :] = states.groups[POSE].reshape(-1, 3, 4)
    for line, matrix in zip(states.lines, T, strict=True):
        as_rotation(matrix[:3, :3], f"{states.origin}, line {line}: the rotation in T11..T33")
    return T


def pose_columns() -> dict[str, Column]:
    """Headers of a pose, its rates and the wrench on the platform; the preferred unit first."""
    turns = {
        f"r{AXES[2 - place]}_{unit}": Column(group=ANGLES, place=place, factor=ANGLE[unit])
        for place in range(3)  # z first, as the turns follow each other
        for unit in _PLATFORM_ANGLES
    }
    return body_columns(_PLATFORM_LENGTHS, _PLATFORM_ANGLES) | turns


def length_columns() -> dict[str, Column]:
    """Headers of the six leg lengths."""
    return {
        f"l{leg + 1}_{unit}": Column(group=LENGTHS, place=leg, factor=LENGTH[unit])
        for leg in range(LEGS)
        for unit in _PLATFORM_LENGTHS
    }


# --- any table ------------------------------------------------------------------------------------


def table_of(
    text: str, origin: str, known: Mapping[str, Column], advice: Advice, texts: Collection[str] = ()
) -> States:
    """States from the text of a table.

    Args:
        text: header, then one state per line; what separates the header's names separates all.
        origin: names the file in messages.
        known: headers that may stand in it.
        advice: what could stand in place of a header that is not known.
        texts: headers of columns of texts that may stand in it, too.

    Raises:
        StatesError: a column or a cell that is not right; with file, line, column, what was found
            and what was expected.
    """
    separator = separator_of(text, origin)
    records = _records(text, origin, separator)
    try:
        line, header = next(records)
    except StopIteration:
        raise StatesError(f"{origin}: the file is empty; give a header and states.") from None
    names = [name.strip() for name in header]
    place = _Place(origin, line)
    for name in texts:
        if names.count(name) > 1:
            raise place.error("it stands twice; remove one.", name)
    columns = _columns([name for name in names if name not in texts], place, known, advice)
    worded: dict[str, list[str]] = {name: [] for name in names if name in texts}
    lines, numbers = _rows(records, names, origin, SEPARATORS[separator], worded)
    headers = {c.group: group_headers(c.group, known) for c in known.values()}
    return States(
        origin=origin,
        lines=tuple(lines),
        groups=_groups(columns, numbers),
        headers=headers,
        texts=worded,
    )


def origin_of(source: str) -> str:
    """The name that messages give a table."""
    return "standard input" if source == STANDARD_INPUT else Path(source).name


def table_text(source: str) -> str:
    """Read a table.

    Args:
        source: path of a file; "-" reads standard input.

    Raises:
        StatesError: not readable, too large, not UTF-8.
    """
    origin = origin_of(source)
    raw = _input_bytes() if source == STANDARD_INPUT else _file_bytes(source)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StatesError(
            f"{origin}, line {line}: byte {error.start + 1} is not UTF-8; save the file as UTF-8."
        ) from None


def _file_bytes(source: str) -> bytes:
    try:
        return read_capped(source, Cap.TABLE_BYTES)
    except OSError as error:
        raise StatesError(f"{source}: the table cannot be read: {reason_of(error)}.") from error


def _input_bytes() -> bytes:
    cap = Cap.TABLE_BYTES
    try:
        raw = sys.stdin.buffer.read(cap.limit + 1)
    except OSError as error:
        raise StatesError(f"standard input cannot be read: {reason_of(error)}.") from error
    if len(raw) > cap.limit:
        raise StatesError(f"standard input has more than {cap.limit} bytes; {cap.advice}.")
    return raw


def separator_of(text: str, origin: str) -> str:
    """What separates the names of the header, and so all columns; a comma where there is one name.

    Args:
        text: of the table; its first line that is not empty is the header.
        origin: names the file in messages.

    Raises:
        StatesError: two of them occur.
    """
    header = _HEADER.search(text)
    if header is None:
        return ","
    found = [sign for sign in SEPARATORS if sign in header[0].rstrip()]
    if len(found) > 1:
        line = len(text[: header.start()].splitlines()) + 1
        names = " and ".join(SEPARATORS[sign] for sign in found)
        raise StatesError(
            f"{origin}, line {line}: the header has {names}; separate all columns by one of them.",
            file=origin,
            line=line,
        )
    return found[0] if found else ","


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: which entry of which group it fills.

    Args:
        group: one of the groups above, or of those that a table adds.
        place: entry of the group's vector.
        factor: what its numbers are multiplied by to become SI.
    """

    group: str
    place: int
    factor: float = 1.0


def body_columns(lengths: tuple[str, ...], angles: tuple[str, ...]) -> dict[str, Column]:
    """Headers of a body's place, rates, wrench and pose.

    Args:
        lengths: units of lengths, the preferred one first.
        angles: units of angles, likewise.
    """
    columns: dict[str, Column] = {}
    for place, axis in enumerate(AXES):
        for unit in lengths:
            factor = LENGTH[unit]
            columns[f"{axis}_{unit}"] = Column(group=POSITION, place=place, factor=factor)
            columns[f"v{axis}_{unit}_s"] = Column(group=VELOCITY, place=place, factor=factor)
            columns[f"a{axis}_{unit}_s2"] = Column(group=ACCELERATION, place=place, factor=factor)
        for unit in angles:
            factor = ANGLE[unit]
            columns[f"w{axis}_{unit}_s"] = Column(group=SPIN, place=place, factor=factor)
            columns[f"wd{axis}_{unit}_s2"] = Column(group=SPIN_RATE, place=place, factor=factor)
        columns[f"f{axis}_n"] = Column(group=WRENCH, place=place)
        columns[f"m{axis}_nm"] = Column(group=WRENCH, place=place + 3)
    for row in range(3):
        for column in range(4):
            columns[f"T{row + 1}{column + 1}"] = Column(group=POSE, place=4 * row + column)
    return columns


def unit_of(header: str) -> str:
    """The unit in a header's name, with what it is per; empty for none."""
    return header.partition("_")[2]


def group_headers(group: str, known: Mapping[str, Column]) -> list[str]:
    """Preferred header of every entry of a group, in order."""
    chosen: dict[int, str] = {}
    for header, column in known.items():
        if column.group == group:
            chosen.setdefault(column.place, header)
    return [chosen[place] for place in sorted(chosen)]


def nearest_header(header: str, known: Mapping[str, Column]) -> str:
    """What could stand in place of a header that is not known."""
    if not header:
        return "the column has no name"
    lowered = {name.lower(): name for name in known}
    close = get_close_matches(header.lower(), lowered, n=1, cutoff=0.6)
    if close:
        return f"did you mean {lowered[close[0]]}?"
    return f"known columns: {', '.join(list(known)[:6])}, …"


@dataclass(frozen=True, slots=True)
class _Place:
    origin: str
    line: int

    def error(self, sentence: str, column: str = "", **facts: object) -> StatesError:
        where = f"{self.origin}, line {self.line}" + (f", column {column}" if column else "")
        return StatesError(
            f"{where}: {sentence}", file=self.origin, line=self.line, column=column, **facts
        )


def _records(text: str, origin: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _Place(origin, reader.line_num).error(f"this is not CSV: {error}.") from None
        if cells and not (len(cells) == 1 and not cells[0].strip()):
            yield reader.line_num, cells


def _columns(
    names: Sequence[str], place: _Place, known: Mapping[str, Column], advice: Advice
) -> list[Column]:
    cap = Cap.TABLE_COLUMNS
    if len(names) > cap.limit:
        raise place.error(
            f"there are {len(names)} columns; at most {cap.limit} are read; {cap.advice}."
        )
    taken: dict[tuple[str, int], str] = {}
    for position, name in enumerate(names, start=1):
        if name not in known:
            shown = _shown(name) if name else f"number {position}"
            told = advice(name)
            end = "" if told.endswith("?") else "."
            raise place.error(f"this column is not known: {told}{end}", shown, found=name)
        entry = (known[name].group, known[name].place)
        if entry in taken:
            raise place.error(f"it says the same as column {taken[entry]}; remove one.", name)
        taken[entry] = name
    _check_complete(taken, place, known)
    return [known[name] for name in names]


def _check_complete(
    taken: dict[tuple[str, int], str], place: _Place, known: Mapping[str, Column]
) -> None:
    for group in dict.fromkeys(group for group, _ in taken):
        given = [name for (other, _), name in taken.items() if other == group]
        places = range(len(group_headers(group, known)))
        lacking = [index for index in places if (group, index) not in taken]
        if lacking:
            found = [_nearest_units((group, index), given, known) for index in lacking]
            missing = [units[0] for units in found]
            columns = "column {} is" if len(missing) == 1 else "columns {} are"
            told = columns.format(", ".join(missing))
            raise place.error(
                f"{told} missing beside {', '.join(given)}{_mixture(found[0])}.", missing=missing
            )


def _nearest_units(
    entry: tuple[str, int], given: Sequence[str], known: Mapping[str, Column]
) -> list[str]:
    """Headers of one entry in the units that were given, the most frequent one first."""
    headers = [h for h, column in known.items() if (column.group, column.place) == entry]
    counts = Counter(map(unit_of, given))
    ordered = sorted(headers, key=lambda header: -counts[unit_of(header)])
    return [h for h in ordered if counts[unit_of(h)]] or ordered[:1]


def _mixture(headers: Sequence[str]) -> str:
    """What is said where the given columns have several units that would do."""
    if len(headers) == 1:
        return ""
    units = " and ".join(map(unit_of, headers))
    return f", whose units are mixed ({units}); either will do"


def _rows(
    records: Iterator[tuple[int, list[str]]],
    names: Sequence[str],
    origin: str,
    separators: str,
    texts: Mapping[str, list[str]],
) -> tuple[list[int], Array]:
    """Lines and numbers of all rows; the cells of columns of texts are appended to ``texts``."""
    most = Cap.TABLE_ROWS.limit
    lines: list[int] = []
    numbers = array("d")  # a list of a million rows would take four times the memory
    numeric = [(place, name) for place, name in enumerate(names) if name not in texts]
    worded = [(place, texts[name]) for place, name in enumerate(names) if name in texts]
    for line, cells in records:
        place = _Place(origin, line)
        if len(lines) == most:
            raise place.error(
                f"there are more than {most} states; split the file, or {Cap.TABLE_ROWS.advice}."
            )
        if len(cells) != len(names):
            raise place.error(
                f"{len(cells)} cells where the header has {len(names)} columns; "
                f"separate by {separators} and write decimals with a point."
            )
        numbers.extend(_number(cells[at], place, name) for at, name in numeric)
        for at, column in worded:
            column.append(cells[at].strip())
        lines.append(line)
    if not lines:
        raise StatesError(f"{origin}: there is a header but no state; give at least one line.")
    return lines, np.array(numbers).reshape(len(lines), len(numeric))


def _number(cell: str, place: _Place, name: str) -> float:
    text = cell.strip()
    if not _NUMBER.fullmatch(text):
        found = _shown(text) if text else "an empty cell"
        raise place.error(f"found {found}; expected {_expected(text)}.", name, found=text)
    value = float(text)
    if not abs(value) <= _LARGEST:
        raise place.error(f"found {_shown(text)}; expected at most {_LARGEST:g}.", name, found=text)
    return value


def _expected(text: str) -> str:
    if text.lower().lstrip("+-") in _NOT_FINITE:
        return "a finite number"
    if len(text) <= _LONGEST and _COMMA.fullmatch(text):
        return f"a number with a decimal point, as {text.replace(',', '.')}"
    return "a number"


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")


def _groups(columns: Sequence[Column], numbers: Array) -> dict[str, Array]:
    sizes: dict[str, int] = {}
    for column in columns:
        sizes[column.group] = sizes.get(column.group, 0) + 1
    groups = {group: np.empty((len(numbers), size)) for group, size in sizes.items()}
    for position, column in enumerate(columns):
        groups[column.group][:, column.place] = numbers[:, position] * column.factor
    return groups
