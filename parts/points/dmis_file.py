"""DMIS programmes (ISO 22093) → points.

Read are ``UNITS``, nominal ``F(…) = FEAT/…``, ``MEAS/…`` and ``RMEAS/…`` blocks with their
``PTMEAS`` points (``CART`` and ``POL``), datum systems that nominal values determine
(``dmis_systems``) and variables that are assigned numbers; ``FEAT/POINT`` features that no block
measures are points themselves. Vectors point out of the material. Motion, speeds, sensors,
tolerances and output say nothing about points and are passed over.

All points are brought into one datum system: that in which most of them stand, the machine's own
only where there is no other. What is known on the machine alone (branches, loops, macros, computed
coordinates, blocks that leave the points to the machine, alignments to more than nominal values)
is not taken, and said so by name.

Measured points of a result are compensated by ``PRCOMP/ON``: from the ball's centre by its radius
along the nominal vector, whatever the direction of the surface that was touched.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from parts.errors import NotNominalError, PointsError
from parts.points.dmis_systems import DatumFeature, DatumSystem, datum_set, rotated, translated
from parts.points.file_text import (
    SCALES,
    check_count,
    encoding_notes,
    fault,
    is_number,
    lines_of,
    metre,
    numbers,
    shown,
    text_of,
)
from parts.points.probe_points import is_name
from parts.points.raw_points import (
    Compensation,
    PointRow,
    PointSource,
    RawPoints,
    SkippedItem,
    raw_points,
)
from robots.core.caps import Cap

Choice = Literal["nominal", "measured"]

FORMAT = "DMIS"
UNITS = {"MM": "mm", "CM": "cm", "M": "m", "INCH": "in", "FEET": "ft"}
_ANGLES = ("ANGDEC", "ANGDMS", "ANGRAD")
_OPENS = {"IF": "ENDIF", "DO": "ENDDO", "SELECT": "ENDSEL", "MACRO": "ENDMAC", "CALIB": "ENDMES"}
_WHY = {
    "IF": "whether it is run is known on the machine only",
    "DO": "how often it is run is known on the machine only",
    "SELECT": "whether it is run is known on the machine only",
    "MACRO": "it is the body of a macro",
}
_SETS_SYSTEM = ("DATSET", "TRANS", "ROTATE", "LOCATE", "ITERAT", "EQUATE", "ROTAB")
_PLANES = {"XYPLAN": (0, 1, 2), "YZPLAN": (1, 2, 0), "ZXPLAN": (2, 0, 1)}
_SCANS = ("PAMEAS", "SCNPTS", "PATH")
_LONGEST_QUOTE = 60
_VARIABLE = re.compile(r"(?<![\w.])(?!(?i:nan|inf|infinity)\b)[A-Za-z_@]\w*")


def dmis_points(
    raw: bytes, *, origin: str, unit: str | None = None, choice: Choice | None = None
) -> RawPoints:
    """Points from the content of a DMIS programme, or of the results it has written.

    Args:
        raw: content of the file.
        origin: names it in messages.
        unit: for a programme without ``UNITS``: "mm", "cm", "m", "in" or "ft".
        choice: "measured" to take measured points (``FA(…) = FEAT/POINT`` and ``PTDATA``);
            otherwise what is to be touched.

    Raises:
        PointsError: no point that can be taken, no measured point where these are asked for, no
            unit, or a statement with a fault; with file and line.
    """
    statements: list[Statement] = []
    for statement in statements_of(text_of(raw, origin), origin):
        statements.append(statement)
        if statement.major == "ENDFIL":
            break
    programme = _Programme(origin=origin, given_unit=unit, jumps=_jumps(statements))
    for statement in statements:
        programme.take(statement)
    programme.notes += encoding_notes(raw)
    return programme.found(choice)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Touch:
    """A point and the datum system that it stands in."""

    row: PointRow
    system: DatumSystem


@dataclass(frozen=True, slots=True, kw_only=True)
class _Region:
    """Statements that may be run, or not, or more than once."""

    statement: Statement
    end: str
    why: str


@dataclass(slots=True)
class _Block:
    """A ``MEAS`` block."""

    statement: Statement
    feature: str
    expected: int | None
    touches: int = 0
    scanned: str = ""
    lost: list[tuple[Statement, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Programme:
    """State of the programme after the statements read so far."""

    origin: str
    given_unit: str | None
    jumps: tuple[tuple[int, int], ...] = ()  # first and last line of what a JUMPTO leaves open
    unit: str | None = None
    units: list[str] = field(default_factory=list)  # of the points
    angles: str = "ANGDEC"
    plane: tuple[int, int, int] = (0, 1, 2)
    system: DatumSystem = field(default_factory=DatumSystem)
    systems: dict[str, DatumSystem] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)  # nominal features: name → kind
    lines: dict[str, int] = field(default_factory=dict)
    geometry: dict[str, DatumFeature] = field(default_factory=dict)  # by label: F(A), FA(A), DAT(A)
    measured: set[str] = field(default_factory=set)  # features that some statement determines
    variables: dict[str, float] = field(default_factory=dict)
    macros: dict[str, set[str]] = field(default_factory=dict)  # name → words of its statements
    called: set[str] = field(default_factory=set)
    nominals: dict[str, _Touch] = field(default_factory=dict)  # points not yet measured
    touches: list[_Touch] = field(default_factory=list)
    results: list[_Touch] = field(default_factory=list)
    actuals: dict[str, tuple[str, int]] = field(default_factory=dict)  # FA(…) = FEAT: kind, line
    counts: Counter[str] = field(default_factory=Counter)  # touches of each feature
    regions: list[_Region] = field(default_factory=list)
    block: _Block | None = None
    settled: bool = True  # whether coordinates lie on the surface
    ended: bool = False
    lost_systems: dict[int, tuple[str, str]] = field(default_factory=dict)  # line: text, why
    notes: list[str] = field(default_factory=list)
    untaken: list[SkippedItem] = field(default_factory=list)

    def take(self, statement: Statement) -> None:
        """Read one statement."""
        major = statement.major
        if self._opened_or_closed(statement):
            return
        self._remember(statement)
        if self._in("MACRO"):
            return
        if major == "UNITS":
            self._units(statement)
        elif major == "FEAT":
            self._feature(statement)
        elif major in ("MEAS", "RMEAS"):
            self._begin(statement)
        elif major in ("PTMEAS", "PTDATA"):
            self._touch(statement)
        elif major == "ENDMES":
            self._end(statement)
        elif major in _SCANS and self.block is not None:
            self.block.scanned = self.block.scanned or major
        elif major == "PRCOMP":
            off = statement.word(0) == "OFF" or self._open_region(statement.line) is not None
            self.settled = self.settled and not off
        elif major == "WKPLAN":
            self.plane = _PLANES.get(statement.word(0), self.plane)
        elif major in ("CALL", "INCLUD"):
            self._call(statement)
        elif major == "ASSIGN":
            self._assign(statement)
        elif major == "CONST" and statement.words[1:]:
            self._construct(statement)
        elif major == "DATDEF":
            self._datum(statement)
        elif major in (*_SETS_SYSTEM, "RECALL", "SAVE"):
            self._frame(statement)
        self.ended = major == "ENDFIL"

    # What may be run or not.

    def _opened_or_closed(self, statement: Statement) -> bool:
        major = statement.major
        if self.regions and major == self.regions[-1].end:
            self.regions.pop()
            return True
        if major == "CALIB":
            self.untaken.append(
                SkippedItem(
                    name=statement.words[1] if statement.words[1:] else "CALIB",
                    line=statement.line,
                    statement=_quoted(statement),
                    reason="the touches of a probe qualification are not on the part",
                    lost=False,
                )
            )
        if major not in _OPENS:
            return False
        why = _WHY.get(major, "")
        self.regions.append(_Region(statement=statement, end=_OPENS[major], why=why))
        if major == "MACRO":
            self.macros[label_of(statement.label)[1] or statement.label] = set()
        return True

    def _remember(self, statement: Statement) -> None:
        for region in self.regions:
            if region.statement.major == "MACRO":
                name = label_of(region.statement.label)[1] or region.statement.label
                self.macros[name].add(statement.major)

    def _in(self, major: str) -> bool:
        return any(region.statement.major == major for region in self.regions)

    def _open_region(self, line: int) -> str | None:
        """Why a statement may be run or not; None where it is run once."""
        for region in self.regions:
            if region.why:
                begin = region.statement
                return f"it stands within {begin.major} of line {begin.line}: {region.why}"
        for first, last in self.jumps:
            if first < line < last:
                return f"it stands within the JUMPTO of lines {first} to {last}: {_WHY['IF']}"
        return None

    def _call(self, statement: Statement) -> None:
        kind, name = label_of(statement.words[0] if statement.words else "")
        known = self.macros.get(name) if kind == "M" else None
        self.called.add(name)
        if known is not None and not known & {"MEAS", "RMEAS", "PTMEAS", "CALL", *_SETS_SYSTEM}:
            return
        touches = known is None or bool(known & {"MEAS", "RMEAS", "PTMEAS", "CALL"})
        what = f"the macro {name}" if kind == "M" else "another file"
        self.untaken.append(
            SkippedItem(
                name=name or statement.major,
                line=statement.line,
                statement=_quoted(statement),
                reason=f"what {what} measures is not read",
                advice="write the calls out, or export the programme without macros",
                lost=touches,
            )
        )
        if known is None or known & {"CALL", "RECALL", *_SETS_SYSTEM}:
            self._lose_system(statement, f"what {what} does to the datum system is not read")

    # Lengths, angles, variables.

    def _units(self, statement: Statement) -> None:
        unit = UNITS.get(statement.word(0))
        if unit is None:
            known = ", ".join(UNITS)
            raise self._fault(
                statement, f"found {shown(statement.word(0))}; expected one of {known}."
            )
        if self._open_region(statement.line) and unit != self.unit:
            raise self._fault(statement, "the unit depends on a branch; set it once.")
        self.unit = unit
        for word in statement.words[1:]:
            if word.upper() in _ANGLES:
                self.angles = word.upper()

    def _scale(self, statement: Statement) -> str:
        unit = self.unit or self.given_unit
        if unit is None:
            raise self._fault(statement, "no UNITS stands before the first point; give it.")
        return unit

    def _angle(self, word: str) -> float | None:
        """An angle in the programme's unit; None for a text that is none. [rad]."""
        if self.angles == "ANGDMS" or ":" in word:
            parts = word.strip().lstrip("+-").split(":")
            if len(parts) > 3 or not all(map(is_number, parts)):
                return None
            sign = -1.0 if word.strip().startswith("-") else 1.0
            degrees = sum(float(part) / 60.0**place for place, part in enumerate(parts))
            return math.radians(sign * degrees)
        if not is_number(word):
            return None
        return float(word) if self.angles == "ANGRAD" else math.radians(float(word))

    def _assign(self, statement: Statement) -> None:
        name = statement.label.strip().upper()
        value = _value(",".join(statement.words), self.variables)
        if value is None or self._open_region(statement.line):
            self.variables.pop(name, None)
        else:
            self.variables[name] = value

    def _cells(self, words: Sequence[str]) -> tuple[str, ...]:
        """Words with known variables and sums in place of their texts."""
        if all(is_number(word) for word in words):
            return tuple(words)
        known = [None if is_number(word) else _value(word, self.variables) for word in words]
        return tuple(
            word if value is None else repr(value) for word, value in zip(words, known, strict=True)
        )

    # Datum systems.

    def _frame(self, statement: Statement) -> None:
        major = statement.major
        kind, name = label_of(statement.label)
        if major in ("RECALL", "SAVE"):
            kind, name = label_of(statement.words[0] if statement.words else "")
        if major in ("RECALL", "SAVE", "EQUATE") and kind not in ("D", "DA", ""):
            return  # a sensor, a feature or a rotary table
        if major == "SAVE" or (major == "ROTAB" and "ROTTOT" in map(str.upper, statement.words)):
            return
        if why := self._open_region(statement.line):
            self._lose_system(statement, why)
        elif major == "RECALL":
            known = self.systems.get(name)
            if known is None:
                self._lose_system(statement, f"{statement.words[0]} is not set before")
            else:
                self.system = known
            return
        else:
            try:
                self.system = replace(
                    self._next_system(statement),
                    label=statement.label or f"the system of line {statement.line}",
                    line=statement.line,
                )
            except NotNominalError as reason:
                self._lose_system(statement, reason.message)
        if statement.word(0) == "MCS" and not self._open_region(statement.line):
            self.system = DatumSystem()
        if name:
            self.systems[name] = self.system

    def _next_system(self, statement: Statement) -> DatumSystem:
        major, words = statement.major, self._cells(statement.words)
        if major == "DATSET" and statement.word(0) == "MCS":
            return DatumSystem()
        if major == "DATSET":
            made = datum_set(self.system, words, self.geometry, statement.line)
            if made.open_axis is not None:
                why = "its one direction leaves the turn about it open"
                self.lost_systems[statement.line] = (_quoted(statement), why)
            return made
        if major == "TRANS":
            scale = float(SCALES[self._scale(statement)])
            return translated(self.system, words, self.geometry, scale)
        if major == "ROTATE":
            word = words[1] if words[1:] else ""
            return rotated(self.system, words, self.geometry, self._angle(word))
        if major in ("LOCATE", "ITERAT"):
            return self._best_fit(words)
        raise NotNominalError(f"{major} is not computed from nominal values")

    def _best_fit(self, words: Sequence[str]) -> DatumSystem:
        """A part as drawn is where the best fit would bring it, seen from where it was measured."""
        named = [word for word in words if label_of(word)[0] in ("F", "FA", "DAT", "MA")]
        features = [self.geometry[word] for word in named if word in self.geometry]
        if not named or len(features) < len(named):
            raise NotNominalError("it fits to features whose nominals are not known")
        if not all(feature.system.same_as(self.system) for feature in features):
            raise NotNominalError("it fits to features that were measured in another datum system")
        return self.system

    def _lose_system(self, statement: Statement, why: str) -> None:
        label = statement.label if statement.label else ""
        if statement.major == "RECALL" and statement.words:
            label = statement.words[0]
        self.system = DatumSystem(
            label=label or f"the system of line {statement.line}",
            line=statement.line,
            root=statement.line,
        )
        self.lost_systems[statement.line] = (_quoted(statement), why)
        self.notes.append(
            f"Line {statement.line} ({_quoted(statement)}): the datum system is not computed from "
            f"nominal values: {why}."
        )

    # Features.

    def _feature(self, statement: Statement) -> None:
        kind, name = label_of(statement.label)
        if kind == "FA":
            self._actual(statement, name)
            return
        name = self._label(statement, statement.label)
        what = statement.word(0) if statement.word(0).isalnum() else "?"
        check_count(len(self.kinds) + 1, self.origin, statement.line)
        self.kinds[name] = what
        self.lines[name] = statement.line
        self.measured.discard(name)
        why = self._open_region(statement.line)
        self._place(statement, name, what, known=why is None)
        if what != "POINT":
            return
        if why is None:
            row, why = self._row(statement, statement.words[1:], name=name, feature=name)
        if why is not None:
            self._lose(statement, name, why)
            return
        check_count(len(self.nominals) + 1, self.origin, statement.line)
        self.nominals[name] = _Touch(row=row, system=self.system)

    def _place(self, statement: Statement, name: str, kind: str, *, known: bool) -> None:
        """Keep location and direction of a nominal for datum systems, where they are known."""
        for label in (f"F({name})", f"FA({name})"):
            self.geometry.pop(label, None)
        words = [word.upper() for word in statement.words]
        start = words.index("CART") + 1 if "CART" in words else len(words)
        cells = self._cells(statement.words[start:])
        count = next((k for k, cell in enumerate(cells) if not is_number(cell)), len(cells))
        values = [float(cell) for cell in cells[:count]]
        unit = self.unit or self.given_unit
        if not known or len(values) < 3 or unit is None:
            return
        scale = float(SCALES[unit])
        location = scale * np.array(values[:3])
        vector = np.array(values[3:6]) if len(values) >= 6 and kind != "SPHERE" else None
        if kind == "LINE" and "BND" in words and vector is not None:
            vector = vector - np.array(values[:3])
        for label in (f"F({name})", f"FA({name})"):
            self.geometry[label] = DatumFeature(
                label=label, kind=kind, system=self.system, location=location, direction=vector
            )

    def _determined(self, statement: Statement, name: str) -> None:
        """A feature is measured or constructed here: its actual stands in this system."""
        self.measured.add(name)
        label = f"FA({name})"
        if self._open_region(statement.line):
            self.geometry.pop(label, None)
        elif label in self.geometry:
            self.geometry[label] = replace(self.geometry[label], system=self.system)

    def _construct(self, statement: Statement) -> None:
        name = label_of(statement.words[1])[1]
        self.nominals.pop(name, None)  # is computed, not touched
        self._determined(statement, name)
        self.untaken.append(
            SkippedItem(
                name=name,
                line=statement.line,
                reason="it is constructed from others, not touched",
                lost=False,
            )
        )

    def _datum(self, statement: Statement) -> None:
        datums = [word for word in statement.words if label_of(word)[0] == "DAT"]
        features = [word for word in statement.words if label_of(word)[0] in ("F", "FA")]
        for word in datums:
            self.geometry.pop(word, None)
            if len(features) == 1 and features[0] in self.geometry:
                self.geometry[word] = self.geometry[features[0]]

    def _actual(self, statement: Statement, name: str) -> None:
        """A measured feature that the file itself holds, as results do."""
        kind = statement.word(0)
        self.actuals[name] = (kind, statement.line)
        if kind != "POINT" or not is_name(name):
            return
        row, why = self._row(statement, statement.words[1:], name=name, feature=name)
        if why is None:
            self.results.append(_Touch(row=row, system=self.system))

    # Touches.

    def _begin(self, statement: Statement) -> None:
        if self.block is not None:
            raise self._fault(
                statement,
                f"MEAS stands within that of line {self.block.statement.line}; ENDMES is missing.",
            )
        places = [k for k, word in enumerate(statement.words) if label_of(word)[0] == "F"]
        place = places[0] if places else 1
        word = statement.words[place] if statement.words[place:] else ""
        name = self._label(statement, word)
        count = statement.word(place + 1)
        expected = int(count) if count.isdecimal() and len(count) < 10 else None
        self.block = _Block(statement=statement, feature=name, expected=expected)
        self._determined(statement, name)

    def _touch(self, statement: Statement) -> None:
        if self._in("CALIB"):
            return
        block = self.block
        if block is None and statement.major == "PTDATA" and self.actuals:
            name, into = list(self.actuals)[-1], self.results
        elif block is None:
            raise self._fault(statement, f"{statement.major} stands outside MEAS … ENDMES.")
        else:
            name = block.feature
            into = self.touches if statement.major == "PTMEAS" else self.results
        why = self._open_region(statement.line)
        count = self.counts[f"{statement.major} {name}"] + 1
        if why is None:
            row, why = self._row(statement, statement.words, name=f"{name}-{count}", feature=name)
        if why is not None:
            if block is not None:
                block.lost.append((statement, why))
            return
        into.append(_Touch(row=row, system=self.system))
        check_count(len(into), self.origin, statement.line)
        self.counts[f"{statement.major} {name}"] = count
        if block is not None:
            block.touches += 1
        self.nominals.pop(name, None)

    def _end(self, statement: Statement) -> None:
        block = self.block
        if block is None:
            raise self._fault(statement, "ENDMES stands without MEAS.")
        self.block = None
        self.nominals.pop(block.feature, None)
        begin, told = block.statement, f"n = {block.expected}"
        if block.lost:
            blamed, why = block.lost[0]
            self._lose(blamed, block.feature, f"{len(block.lost)} PTMEAS: {why}")
        elif block.scanned:
            why = f"it is scanned ({block.scanned}); there is no PTMEAS"
            self._lose(begin, block.feature, why, "give the touches as PTMEAS")
        elif not block.touches and (branch := self._open_region(begin.line)):
            self._lose(begin, block.feature, branch)
        elif not block.touches and not self._in_results(block.feature):
            advice = "give PTMEAS, or lay points out with palpeur sample"
            why = f"its block has no PTMEAS ({told}): the machine would choose the points"
            self._lose(begin, block.feature, why, advice)
        elif block.touches and block.expected is not None and block.touches < block.expected:
            raise self._fault(
                begin,
                f"found {block.touches} PTMEAS for {block.feature}; expected {block.expected}.",
            )

    def _in_results(self, feature: str) -> bool:
        return any(touch.row.feature == feature for touch in self.results)

    def _row(
        self, statement: Statement, words: tuple[str, ...], *, name: str, feature: str
    ) -> tuple[PointRow, str | None]:
        """A point, or why it cannot be computed here."""
        form = words[0].upper() if words else ""
        if form not in ("CART", "POL"):
            found = shown(words[0]) if words else "nothing"
            raise self._fault(
                statement, f"found {found} after {statement.major}; expected CART or POL."
            )
        cells = self._cells(words[1:7])
        if len(cells) > 3 and not is_number(cells[3]) and is_number(cells[2]):
            cells = cells[:3]  # then come words about the head, not a vector
        if len(cells) not in (3, 6):
            raise self._fault(
                statement, f"found {len(cells)} coordinates; expected x, y, z, i, j, k."
            )
        scale = SCALES[self._scale(statement)]
        none = PointRow(name=name, line=statement.line, position=(0.0, 0.0, 0.0))
        angle = self._angle(cells[1]) if form == "POL" else None
        plain = [cell for k, cell in enumerate(cells) if (form, k) != ("POL", 1)]
        variable = next((cell for cell in plain if _is_computed(cell)), None)
        if variable is None and form == "POL" and angle is None:
            variable = cells[1]
        if variable is not None:
            return none, f"{shown(variable)} is computed on the machine"
        columns = [c for k, c in enumerate("xyzijk"[: len(cells)]) if (form, k) != ("POL", 1)]
        values = numbers(plain, self.origin, statement.line, columns)
        unit = self._scale(statement)
        if unit not in self.units:
            self.units.append(unit)
        if angle is None:
            x, y, z = (metre(cell, scale) for cell in cells[:3])
            position = (x, y, z)
        else:
            position = self._polar(metre(cells[0], scale), angle, metre(cells[2], scale))
        vector = values[-3:] if len(cells) == 6 else None
        return PointRow(
            name=name,
            line=statement.line,
            position=position,
            normal=None if vector is None else (vector[0], vector[1], vector[2]),
            feature=feature,
        ), None

    def _polar(self, radius: float, angle: float, height: float) -> tuple[float, float, float]:
        one, two, along = self.plane
        place = [0.0, 0.0, 0.0]
        place[one], place[two] = radius * math.cos(angle), radius * math.sin(angle)
        place[along] = height
        return (place[0], place[1], place[2])

    def _label(self, statement: Statement, word: str) -> str:
        kind, name = label_of(word)
        name = name.strip("'").strip()
        if kind != "F" or not is_name(name):
            raise self._fault(
                statement, f"found {shown(word)}; expected a feature such as F(PLN1)."
            )
        return name

    def _lose(self, statement: Statement, name: str, why: str, advice: str = "") -> None:
        self.untaken.append(
            SkippedItem(
                name=name,
                line=statement.line,
                statement=_quoted(statement),
                reason=why,
                advice=advice,
            )
        )

    def _fault(self, statement: Statement, sentence: str) -> PointsError:
        return fault(self.origin, sentence, line=statement.line)

    # The end.

    def found(self, choice: Choice | None) -> RawPoints:
        """The points, when all statements are read."""
        if self.block is not None:
            begin = self.block.statement
            raise self._fault(begin, f"{begin.major} has no ENDMES: the file is cut short.")
        if not self.ended:
            self.notes.insert(0, "There is no ENDFIL: the file may be cut short.")
        measured = choice == "measured"
        if measured and not self.results and not self.actuals:
            raise fault(
                self.origin,
                "the file has no measured points (FA(…) = FEAT/POINT or PTDATA): it is a "
                "programme, whose nominal points say nothing about the part. Give the file that "
                "the machine wrote.",
            )
        touches = self.results if measured else [*self.touches, *self.nominals.values()]
        touches = sorted(touches, key=lambda touch: touch.row.line)
        self._leftovers(touches, measured=measured)
        if not self.settled and not measured:
            self.notes.append("PRCOMP/OFF: the file does not say whether its points are centres.")
        rows = self._in_one_system(touches)
        if len(self.units) > 1:
            self.notes.append(
                f"The lengths are in {' and '.join(sorted(self.units))}, each by the UNITS before "
                "it."
            )
        if measured:
            compensation = Compensation.NOMINAL
        else:
            compensation = Compensation.SURFACE if self.settled else Compensation.UNSTATED
        source = PointSource(
            origin=self.origin,
            format=FORMAT,
            unit=", ".join(sorted(self.units)) or "mm",
            unit_from="UNITS" if self.unit else "given by you: the file has no UNITS",
            compensation=compensation,
            contradictable=measured,  # some machines find the surface's own normals
            notes=tuple(self.notes),
            untaken=tuple(sorted(self.untaken, key=lambda one: one.line or 0)),
        )
        return raw_points(rows, source)

    def _leftovers(self, touches: list[_Touch], *, measured: bool) -> None:
        """What is defined, but gives no point and is not told yet."""
        taken = {touch.row.feature for touch in touches} | {one.name for one in self.untaken}
        for name, words in self.macros.items():
            if name not in self.called and words & {"MEAS", "RMEAS", "PTMEAS"}:
                self.untaken.append(
                    SkippedItem(
                        name=name, reason="the macro measures, but is not called", lost=False
                    )
                )
        if measured:
            for name, (kind, line) in self.actuals.items():
                if name not in taken:
                    why = f"the file has its result ({kind}), but not its measured points"
                    self.untaken.append(SkippedItem(name=name, line=line, reason=why))
            return
        for name, kind in self.kinds.items():
            if name not in taken and name not in self.measured:
                why = f"{kind} is defined, but no MEAS touches it"
                self.untaken.append(SkippedItem(name=name, line=self.lines[name], reason=why))
        if self.results:
            self.notes.append(
                f"{len(self.results)} measured points (FA, PTDATA) of the file are not taken: "
                "nominal points are read."
            )
        elif not touches:
            for name, (kind, line) in self.actuals.items():
                why = f"the file has its result ({kind}) only"
                self.untaken.append(SkippedItem(name=name, line=line, reason=why))

    def _in_one_system(self, touches: list[_Touch]) -> list[PointRow]:
        if not touches:
            return []
        target = _main_system([touch.system for touch in touches])
        away = [touch for touch in touches if touch.system.base != target.base]
        rows, moved = [], 0
        for touch in touches:
            if touch.system.base != target.base:
                continue
            if not touch.system.same_as(target):
                moved += 1
                rows.append(_moved(touch, target))
            else:
                rows.append(touch.row)
        for feature in dict.fromkeys(touch.row.feature for touch in away):
            lost = [touch for touch in away if touch.row.feature == feature]
            system = lost[0].system
            blamed = [line for line in (*system.base, *target.base) if line]
            text, why = self.lost_systems.get(blamed[0] if blamed else 0, ("", ""))
            self.untaken.append(
                SkippedItem(
                    name=feature,
                    line=blamed[0] if text else lost[0].row.line,
                    statement=text,
                    reason=f"its {len(lost)} points (line {lost[0].row.line}) stand in "
                    f"{_called(system)}, whose pose to {_called(target)} is not known from nominal "
                    f"values{f': {why}' if why else ''}",
                    advice="read these points from a programme of their own",
                )
            )
        if moved:
            self.notes.append(
                f"The points are given in {_called(target)}, in which {len(rows) - moved} of them "
                f"stand; the other {moved} were brought there by the nominal datum systems."
            )
        elif not target.is_machine:
            self.notes.append(f"The points stand in the datum system that line {target.line} sets.")
        return rows


def _main_system(systems: list[DatumSystem]) -> DatumSystem:
    """The system of most points; the machine's own only alone, of equal ones the later."""
    bases = Counter(system.base for system in systems)
    last = {system.base: system.line for system in systems}
    base = max(bases, key=lambda one: (bases[one], last[one]))
    groups: list[tuple[DatumSystem, int]] = []
    for system in systems:
        if system.base != base:
            continue
        for k, (known, count) in enumerate(groups):
            if known.same_as(system):
                later = max(known, system, key=lambda one: one.line)
                groups[k] = (later, count + 1)
                break
        else:
            groups.append((system, 1))
    ranked = sorted(groups, key=lambda one: (not one[0].is_machine, one[1], one[0].line))
    return ranked[-1][0]


def _called(system: DatumSystem) -> str:
    """A system by its name, and by its line where the name does not say it."""
    if system.is_machine or system.label.startswith("the system of line"):
        return system.label
    return f"{system.label} of line {system.line}"


def _moved(touch: _Touch, target: DatumSystem) -> PointRow:
    """A point in another system of the same base."""
    x, y, z = target.from_root(touch.system.to_root(np.array(touch.row.position))).tolist()
    normal = touch.row.normal
    if normal is not None:
        i, j, k = (target.axes.T @ (touch.system.axes @ np.array(normal))).tolist()
        normal = (i, j, k)
    return replace(touch.row, position=(x, y, z), normal=normal)


def _jumps(statements: list[Statement]) -> tuple[tuple[int, int], ...]:
    """Lines between each ``JUMPTO`` and its label."""
    labels = {
        one.text.strip().strip("()").strip().upper(): one.line
        for one in statements
        if re.fullmatch(r"\(\s*\w+\s*\)", one.text.strip())
    }
    spans = []
    for one in statements:
        if one.major == "JUMPTO" and one.words:
            label = one.words[0].strip().strip("()").strip().upper()
            there = labels.get(label, one.line)
            spans.append((min(one.line, there), max(one.line, there)))
    return tuple(spans)


def _is_computed(cell: str) -> bool:
    """Return whether a cell is a variable or an expression, not a number that is mistyped."""
    return not is_number(cell) and _VARIABLE.search(cell) is not None and "'" not in cell


def _value(text: str, variables: dict[str, float]) -> float | None:
    """Value of a sum of numbers and known variables; None where something is not known."""
    if len(text) > 200:
        return None
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = _term(tree.body, variables)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError):
        return None
    return value if math.isfinite(value) else None


def _term(node: ast.expr, variables: dict[str, float]) -> float:
    """Value of a part of an expression.

    Raises:
        ValueError: it is not a number, a known variable, a sign or one of + - * / **.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id.upper() in variables:
        return variables[node.id.upper()]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _term(node.operand, variables)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        one, two = _term(node.left, variables), _term(node.right, variables)
        match node.op:
            case ast.Add():
                return one + two
            case ast.Sub():
                return one - two
            case ast.Mult():
                return one * two
            case ast.Div():
                return one / two
            case ast.Pow():
                power = one**two
                if isinstance(power, float):
                    return power
    raise ValueError


def _quoted(statement: Statement) -> str:
    text = statement.text
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"


_LABEL = re.compile(r"([A-Za-z]+)\s*\(([^()]*)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement ``[label =] MAJOR[/word, word, …]``.

    Args:
        line: where it starts, from 1.
        label: what stands before the equals sign, or nothing.
        major: in capital letters.
        words: after the stroke, without outer spaces, as written.
        text: the whole statement, continued lines joined.
    """

    line: int
    label: str
    major: str
    words: tuple[str, ...]
    text: str = ""

    def word(self, place: int) -> str:
        """A word in capital letters; nothing where there are fewer."""
        return self.words[place].upper() if place < len(self.words) else ""


def statements_of(text: str, origin: str) -> Iterator[Statement]:
    """Statements of a DMIS text.

    Raises:
        PointsError: a text in quotes that does not end, a continuation without a next line, a
            statement that is too long.
    """
    longest = Cap.STATEMENT_CHARACTERS.limit
    start, pieces, length = 0, [""], 0
    for line, raw in enumerate(lines_of(text.rstrip()), start=1):
        piece, continued = _piece(raw, origin, line)
        start = line if len(pieces) == 1 else start
        pieces.append(piece)
        length += len(piece) + 1
        if length > longest:
            raise fault(
                origin,
                f"the statement has more than {longest} characters; "
                f"{Cap.STATEMENT_CHARACTERS.advice}.",
                line=start,
                limit=longest,
            )
        if continued:
            continue
        joined = " ".join(pieces).strip()
        pieces, length = [""], 0
        if joined:
            yield _statement(joined, start)
    if len(pieces) > 1:
        raise fault(
            origin,
            "the last line is continued by $, but nothing follows: the file is cut short.",
            line=start,
        )


def label_of(word: str) -> tuple[str, str]:
    """Kind and name of a label such as ``F(CIRCLE1)``; nothing, twice, where it is none."""
    found = _LABEL.fullmatch(word.strip())
    return (found[1].upper(), found[2].strip()) if found else ("", "")


def _piece(raw: str, origin: str, line: int) -> tuple[str, bool]:
    """What a line adds to a statement, and whether the next line continues it."""
    piece = raw.strip()
    if "'" in piece or "$" in piece:
        piece = _without_comment(piece, origin, line)
        if piece.endswith("$"):
            return piece[:-1].strip(), True
    return piece, False


def _without_comment(piece: str, origin: str, line: int) -> str:
    quoted = False
    for place, sign in enumerate(piece):
        if sign == "'":
            quoted = not quoted
        elif not quoted and piece.startswith("$$", place):
            return piece[:place].strip()
    if quoted and not piece.endswith("$"):
        raise _unclosed(piece, origin, line)
    return piece


def _unclosed(piece: str, origin: str, line: int) -> PointsError:
    return fault(origin, f"the text in quotes does not end: {shown(piece)}.", line=line)


def _statement(joined: str, line: int) -> Statement:
    head, stroke, tail = joined.partition("/")
    label, equals, major = head.rpartition("=")
    words = tuple(word.strip() for word in _split(tail)) if stroke else ()
    return Statement(
        line=line,
        label=label.strip() if equals else "",
        major="".join(major.split()).upper(),
        words=words,
        text=joined,
    )


def _split(tail: str) -> list[str]:
    """Words between commas; a comma in quotes or brackets does not split."""
    if "'" not in tail and "(" not in tail:
        return tail.split(",")
    words, start, depth, quoted = [], 0, 0, False
    for place, sign in enumerate(tail):
        if sign == "'":
            quoted = not quoted
        elif not quoted:
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth <= 0:
                words.append(tail[start:place])
                start = place + 1
    return [*words, tail[start:]]
