"""PlanSide: a plan's document as it is compared; what is no plan is refused with its place."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from planner.errors import OptionError
from reports.comparison.change import ComparedQuantity, Value, ValueKind
from reports.comparison.quantities import CHECK, FINDING, JOINT, POINT, SEGMENT, TOTALS
from reports.visible_text import visible

FORMAT = 1
_SHOWN = 60
Row = dict[str, Value]
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanSide:
    """One of the two plans.

    Args:
        name: of its job; untrusted.
        sha256: of the job file.
        robot: as the job says it.
        palpeur: version that planned it.
        totals: of the whole plan.
        unchecked: what was not checked; None where the plan does not say, as in older ones.
        validated: whether it passed its validation.
        points: by name.
        segments: by point, kind and number among those of the same point and kind.
        joints: by name.
        findings: by code, place and number among those of the same code and place.
        checks: of the validation, by name.
    """

    name: str
    sha256: str
    robot: str
    palpeur: str
    totals: Row
    unchecked: tuple[str, ...] | None
    validated: bool
    points: Mapping[Names, Row]
    segments: Mapping[Names, Row]
    joints: Mapping[Names, Row]
    findings: Mapping[Names, Row]
    checks: Mapping[Names, Row]


def plan_side(document: Mapping[str, object], origin: str) -> PlanSide:
    """Read a plan's document (format 1); keys that are not compared are not looked at.

    Args:
        document: as ``plan_document`` makes it.
        origin: what to call it in errors.

    Raises:
        OptionError: another format, or a key that does not fit; with its place.
    """
    read = _Reader(document, origin, "")
    found = read.value("format")
    if found is True or found != FORMAT:
        raise read.error("format", f"is {_shown(found)}; this version reads format {FORMAT}.")
    job, validation = read.table("job"), read.table("validation")
    segments, visits = _segments(read)
    points = _rows(read, "points", POINT, ("name",))
    for names, row in points.items():
        row["visit"] = visits.get(names[0])
    return PlanSide(
        name=job.text("name"),
        sha256=job.text("sha256"),
        robot=read.text("robot"),
        palpeur=read.text("palpeur"),
        totals={"feasible": read.truth("feasible"), **read.row(TOTALS)},
        unchecked=read.texts("unchecked") if "unchecked" in document else None,
        validated=validation.truth("passed"),
        points=points,
        segments=segments,
        joints=_rows(read, "joints", JOINT, ("name",)),
        findings=_rows(read, "findings", FINDING, ("code", "where"), numbered=True),
        checks=_rows(validation, "checks", CHECK, ("name",)),
    )


def _rows(
    read: _Reader,
    key: str,
    quantities: tuple[ComparedQuantity, ...],
    names: Names,
    *,
    numbered: bool = False,
) -> dict[Names, Row]:
    rows: dict[Names, Row] = {}
    seen: Counter[Names] = Counter()
    for row in read.tables(key):
        own = tuple(row.text(name) for name in names)
        seen[own] += 1
        if seen[own] > 1 and not numbered:
            raise row.error(names[0], f"is {_shown(own[0])} for the second time.")
        rows[(*own, str(seen[own])) if numbered else own] = row.row(quantities)
    return rows


def _segments(read: _Reader) -> tuple[dict[Names, Row], dict[str, float]]:
    """The segments, and which points are visited first, second, and so on."""
    rows: dict[Names, Row] = {}
    visits: dict[str, float] = {}
    seen: Counter[Names] = Counter()
    for row in read.tables("segments"):
        own = (row.text("point"), row.text("kind"))
        seen[own] += 1
        if own[1] == "probe":
            visits.setdefault(own[0], float(len(visits) + 1))
        values = row.row(SEGMENT)
        if row.keys.get("clearance") is not None:
            values.update(row.table("clearance").row(SEGMENT, only=("certified_mm", "pair")))
        rows[(*own, str(seen[own]))] = values
    return rows, visits


@dataclass(frozen=True, slots=True)
class _Reader:
    """Keys of an object, each with its kind."""

    keys: Mapping[str, object]
    origin: str
    where: str

    def error(self, key: str, sentence: str) -> OptionError:
        return OptionError(
            f"{self.origin}: {visible(self.where + key)} {sentence}", origin=self.origin, key=key
        )

    def value(self, key: str) -> object:
        if key not in self.keys:
            raise self.error(key, "is missing; this is no plan of Palpeur's.")
        return self.keys[key]

    def text(self, key: str) -> str:
        value = self.value(key)
        if not isinstance(value, str):
            raise self.error(key, f"is {_shown(value)}; expected a text.")
        return value

    def truth(self, key: str) -> bool:
        value = self.value(key)
        if not isinstance(value, bool):
            raise self.error(key, f"is {_shown(value)}; expected true or false.")
        return value

    def table(self, key: str) -> _Reader:
        value = self.value(key)
        if not isinstance(value, dict):
            raise self.error(key, f"is {_shown(value)}; expected an object.")
        return _Reader(value, self.origin, f"{self.where}{key}.")

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.value(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"is {_shown(value)}; expected a list of texts.")
        return tuple(value)

    def tables(self, key: str) -> list[_Reader]:
        value = self.value(key)
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            raise self.error(key, f"is {_shown(value)}; expected a list of objects.")
        return [
            _Reader(row, self.origin, f"{self.where}{key}[{place}].")
            for place, row in enumerate(value)
        ]

    def row(self, quantities: tuple[ComparedQuantity, ...], only: Names = ()) -> Row:
        """Values of quantities; None where a key is missing, as in plans of other versions."""
        return {
            quantity.key: self._of(quantity)
            for quantity in quantities
            if quantity.key in self.keys and (not only or quantity.key in only)
        }

    def _of(self, quantity: ComparedQuantity) -> Value:
        value = self.keys[quantity.key]
        if value is None and quantity.kind is not ValueKind.TRUTH:
            return None
        number = _number(value)
        fits: dict[ValueKind, Value] = {
            ValueKind.NUMBER: number,
            ValueKind.NUMBERS: _numbers(value),
            ValueKind.TEXT: value if isinstance(value, str) else None,
            ValueKind.TRUTH: value if isinstance(value, bool) else None,
        }
        if fits[quantity.kind] is None:
            expected = quantity.kind.value
            raise self.error(quantity.key, f"is {_shown(value)}; expected {expected}.")
        return fits[quantity.kind]


def _number(value: object) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = float(str(value))
    return number if math.isfinite(number) else None


def _numbers(value: object) -> tuple[float | None, ...] | None:
    if not isinstance(value, list):
        return None
    numbers = tuple(map(_number, value))
    wrong = any(n is None and v is not None for n, v in zip(numbers, value, strict=True))
    return None if wrong else numbers


def _shown(value: object) -> str:
    text = visible(repr(value))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
