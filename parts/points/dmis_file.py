"""DMIS programmes (ISO 22093) → points.

The subset: ``UNITS``, nominal ``F(…) = FEAT/…``, ``MEAS/…`` blocks and their ``PTMEAS/CART``
points; ``FEAT/POINT`` features that no block measures are points themselves. Vectors point out of
the material. All other motion and all settings (both forms of ``GOTO``, speeds, sensors,
tolerances, output) are ignored; programmes that branch, compute or change coordinate systems
between their points are refused, since a list of points cannot say what they mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from parts.errors import PointsError
from parts.points.decimals import SCALES, metre, numbers
from parts.points.dmis_statements import Statement, label_of, statements_of
from parts.points.faults import fault, shown
from parts.points.file_text import check_count, text_of
from parts.points.found import FoundPoints, PointRow, found_in
from parts.points.probe_points import is_name
from parts.points.source import Compensation, PointSource

FORMAT = "DMIS"
UNITS = {"MM": "mm", "CM": "cm", "M": "m", "INCH": "in", "FEET": "ft"}
_BRANCHING = ("CALL", "CASE", "DO", "IF", "INCLUD", "JUMPTO", "MACRO", "RMEAS", "SELECT")
_FRAMES = ("DATSET", "ITERAT", "LOCATE", "RECALL", "ROTATE", "TRANS")


def dmis_points(raw: bytes, *, origin: str, unit: str | None = None) -> FoundPoints:
    """Points from the content of a DMIS programme.

    Args:
        raw: content of the file.
        origin: names it in messages.
        unit: for a programme without ``UNITS``: "mm", "cm", "m", "in" or "ft".

    Raises:
        PointsError: outside the subset, no unit, or a statement with a fault; with file and line.
    """
    programme = _Programme(origin=origin, given_unit=unit)
    for statement in statements_of(text_of(raw, origin), origin):
        programme.take(statement)
        if programme.ended:
            break
    return programme.found()


@dataclass(slots=True)
class _Programme:
    """What is known after the statements so far."""

    origin: str
    given_unit: str | None
    unit: str | None = None
    features: dict[str, str] = field(default_factory=dict)  # name → kind
    nominals: dict[str, PointRow] = field(default_factory=dict)  # points not yet measured
    rows: list[PointRow] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)  # touches of each feature
    block: Statement | None = None
    feature: str = ""
    expected: int | None = None
    touches: int = 0
    frame: int = 0  # line of the statement that set the coordinate system; 0 is the machine's
    frame_of_points: int | None = None
    settled: bool = True  # whether coordinates lie on the surface
    ended: bool = False
    notes: list[str] = field(default_factory=list)

    def take(self, statement: Statement) -> None:
        """Read one statement."""
        major = statement.major
        if major == "UNITS":
            self._units(statement)
        elif major == "FEAT":
            self._feature(statement)
        elif major == "MEAS":
            self._begin(statement)
        elif major == "PTMEAS":
            self._touch(statement)
        elif major == "ENDMES":
            self._end(statement)
        elif major == "PRCOMP":
            self.settled = self.settled and statement.word(0) != "OFF"
        elif major in _BRANCHING:
            raise self._fault(
                statement, f"{major} is outside what is read: a list of points cannot branch."
            )
        elif major in _FRAMES:
            self._frame(statement)
        elif major == "CONST" and statement.words[1:]:
            self.nominals.pop(label_of(statement.words[1])[1], None)  # is computed, not touched
        self.ended = major == "ENDFIL"

    def found(self) -> FoundPoints:
        """The points, when all statements are read."""
        if self.block is not None:
            raise self._fault(
                self.block, f"{self.block.major} has no ENDMES: the file is cut short."
            )
        if not self.ended:
            self.notes.append("There is no ENDFIL: the file may be cut short.")
        if not self.settled:
            self.notes.append("PRCOMP/OFF: the file does not say whether its points are centres.")
        if self.frame_of_points:
            self.notes.append(
                f"The points stand in the datum system that line {self.frame_of_points} sets."
            )
        others = [f"{name} ({kind})" for name, kind in self.features.items() if kind != "POINT"]
        if others:
            more = ", …" if len(others) > 8 else ""
            self.notes.append(f"Nominal features: {', '.join(others[:8])}{more}.")
        source = PointSource(
            origin=self.origin,
            format=FORMAT,
            unit=self.unit or self.given_unit or "mm",
            unit_from="UNITS" if self.unit else "given by you: the file has no UNITS",
            compensation=Compensation.SURFACE if self.settled else Compensation.UNSTATED,
            notes=tuple(self.notes),
        )
        rows = sorted([*self.rows, *self.nominals.values()], key=lambda row: row.line)
        return found_in(rows, source)

    def _units(self, statement: Statement) -> None:
        unit = UNITS.get(statement.word(0))
        if unit is None:
            known = ", ".join(UNITS)
            raise self._fault(
                statement, f"found {shown(statement.word(0))}; expected one of {known}."
            )
        if self.unit not in (None, unit) and (self.rows or self.nominals):
            raise self._fault(
                statement, f"the unit changes from {self.unit} to {unit} between points; use one."
            )
        self.unit = unit

    def _frame(self, statement: Statement) -> None:
        if statement.major == "RECALL" and label_of(",".join(statement.words))[0] not in (
            "D",
            "DA",
        ):
            return  # a sensor, a feature or a rotary table
        self.frame = 0 if statement.word(0) == "MCS" else statement.line

    def _feature(self, statement: Statement) -> None:
        if label_of(statement.label)[0] == "FA":
            return  # a measured feature
        name = self._label(statement, statement.label)
        kind = statement.word(0)
        check_count(len(self.features) + 1, self.origin, statement.line)
        self.features[name] = kind if kind.isalnum() else "?"
        if kind == "POINT":
            row = self._row(statement, statement.words[1:], name=name, feature=name)
            check_count(len(self.nominals) + 1, self.origin, statement.line)
            self.nominals[name] = row

    def _begin(self, statement: Statement) -> None:
        if self.block is not None:
            raise self._fault(
                statement, f"MEAS stands within that of line {self.block.line}; ENDMES is missing."
            )
        self.block, self.touches = statement, 0
        self.feature = self._label(statement, statement.words[1] if statement.words[1:] else "")
        count = statement.word(2)
        self.expected = int(count) if count.isdecimal() and len(count) < 10 else None

    def _touch(self, statement: Statement) -> None:
        if self.block is None:
            raise self._fault(statement, "PTMEAS stands outside MEAS … ENDMES.")
        number = self.counts.get(self.feature, 0) + 1
        name = f"{self.feature}-{number}"
        self.rows.append(self._row(statement, statement.words, name=name, feature=self.feature))
        check_count(len(self.rows), self.origin, statement.line)
        self.counts[self.feature] = number
        self.touches += 1
        self.nominals.pop(self.feature, None)

    def _end(self, statement: Statement) -> None:
        if self.block is None:
            raise self._fault(statement, "ENDMES stands without MEAS.")
        if self.touches and self.expected is not None and self.touches < self.expected:
            raise self._fault(
                self.block,
                f"found {self.touches} PTMEAS for {self.feature}; expected {self.expected}.",
            )
        self.block, self.feature = None, ""

    def _row(
        self, statement: Statement, words: tuple[str, ...], *, name: str, feature: str
    ) -> PointRow:
        if not words or words[0].upper() != "CART":
            found = shown(words[0]) if words else "nothing"
            raise self._fault(
                statement, f"found {found} after {statement.major}; only CART coordinates are read."
            )
        if self.frame_of_points not in (None, self.frame):
            raise self._fault(
                statement,
                f"the coordinate system is that of {_system(self.frame)}, but earlier points stand "
                f"in that of {_system(self.frame_of_points)}; split the programme.",
            )
        unit = self.unit or self.given_unit
        if unit is None:
            raise self._fault(statement, "no UNITS stands before the first point; give it.")
        cells = words[1:7]
        if len(cells) not in (3, 6):
            raise self._fault(
                statement, f"found {len(cells)} coordinates; expected x, y, z, i, j, k."
            )
        values = numbers(cells, self.origin, statement.line, "xyzijk"[: len(cells)])
        x, y, z = (metre(cell, SCALES[unit]) for cell in cells[:3])
        normal = (values[3], values[4], values[5]) if len(values) == 6 else None
        self.frame_of_points = self.frame
        return PointRow(
            name=name, line=statement.line, position=(x, y, z), normal=normal, feature=feature
        )

    def _label(self, statement: Statement, word: str) -> str:
        kind, name = label_of(word)
        if kind != "F" or not is_name(name):
            raise self._fault(
                statement, f"found {shown(word)}; expected a feature such as F(PLN1)."
            )
        return name

    def _fault(self, statement: Statement, sentence: str) -> PointsError:
        return fault(self.origin, sentence, line=statement.line)


def _system(frame: int | None) -> str:
    return f"line {frame}" if frame else "the machine"
