"""compare(a, b): two plans, quantity by quantity, from their documents."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from planner.errors import OptionError
from reports.comparison import change as known
from reports.comparison.change import (
    CHECK,
    FINDING,
    JOINT,
    POINT,
    SEGMENT,
    TOTALS,
    Change,
    ChangeVerdict,
    ComparedQuantity,
    Counterparts,
    Presence,
    Section,
    Value,
    ValueKind,
)
from reports.visible_text import visible
from robots.core.caps import Cap, read_capped, reason_of

_COUNTED = ("error", "warning")
FORMAT = 1
_SHOWN = 60
Row = dict[str, Value]
Names = tuple[str, ...]
_DOCUMENT = "plan.json"


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanComparison:
    """Comparison of two plans.

    Args:
        a: the first plan.
        b: the second one.
        summary: of the whole plans.
        sections: points, segments, joints, findings, checks of the validation.
    """

    a: PlanSide
    b: PlanSide
    summary: tuple[Change, ...]
    sections: tuple[Section, ...]

    @property
    def equal(self) -> bool:
        """Whether nothing that is compared differs; names and versions may."""
        same = all(change.verdict is ChangeVerdict.SAME for change in self.summary)
        return same and not any(section.differing for section in self.sections)

    def change(self, key: str) -> Change:
        """A quantity of the summary. Args: key, in JSON."""
        return next(change for change in self.summary if change.quantity.key == key)


def compare(
    a_document: Mapping[str, object],
    b_document: Mapping[str, object],
    origins: tuple[str, str] = ("A", "B"),
) -> PlanComparison:
    """Compare two plans.

    Points are matched by name, motions by point and kind, findings by code and place.

    Args:
        a_document: the first plan, as ``plan_document`` makes it.
        b_document: the second one.
        origins: what to call them in errors.

    Raises:
        OptionError: a document that is no plan, or of another format.
    """
    a, b = plan_side(a_document, origins[0]), plan_side(b_document, origins[1])
    checks = _telling(a.checks, b.checks)
    motion = ("point", "kind", "number")
    finding = ("code", "where", "number")
    return PlanComparison(
        a=a,
        b=b,
        summary=summary(a, b),
        sections=(
            _section("points", "Points", ("name",), POINT, (a.points, b.points)),
            _section("segments", "Motions", motion, SEGMENT, (a.segments, b.segments)),
            _section("joints", "Joints", ("name",), JOINT, (a.joints, b.joints)),
            _section("findings", "Findings", finding, FINDING, (a.findings, b.findings)),
            _section("validation", "Validation", ("name",), CHECK, checks),
        ),
    )


def _section(
    key: str,
    title: str,
    labels: Names,
    quantities: tuple[ComparedQuantity, ...],
    rows: tuple[Mapping[Names, Row], Mapping[Names, Row]],
) -> Section:
    a, b = rows
    names = [*a, *(name for name in b if name not in a)]
    return Section(
        key=key,
        title=title,
        labels=labels,
        pairs=tuple(_pair(name, quantities, a.get(name), b.get(name)) for name in names),
    )


def _telling(
    a: Mapping[Names, Row], b: Mapping[Names, Row]
) -> tuple[Mapping[Names, Row], Mapping[Names, Row]]:
    """The checks; residuals that are within their limit in both plans are rounding, no news."""
    quiet = {name for name in a if name in b and a[name].get("passed") and b[name].get("passed")}

    def told(rows: Mapping[Names, Row]) -> Mapping[Names, Row]:
        return {
            name: {key: row[key] for key in row if key != "value" or name not in quiet}
            for name, row in rows.items()
        }

    return told(a), told(b)


def _pair(
    names: Names, quantities: tuple[ComparedQuantity, ...], a: Row | None, b: Row | None
) -> Counterparts:
    presence = Presence.NEW if a is None else Presence.GONE if b is None else Presence.BOTH
    a, b = a or {}, b or {}
    return Counterparts(
        names=names,
        presence=presence,
        changes=tuple(
            Change(quantity=quantity, a=a.get(quantity.key), b=b.get(quantity.key))
            for quantity in quantities
            if quantity.key in a or quantity.key in b
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _SmallestMargin:
    value: float | None = None
    where: str = ""


def summary(a: PlanSide, b: PlanSide) -> tuple[Change, ...]:
    """Everything that is said of whole plans, in reading order."""
    plain = (known.FEASIBLE, *known.TOTALS)
    slides = (known.LEAST_SLIDE,) if _slides(a) or _slides(b) else ()
    return (
        *(Change(quantity=q, a=a.totals.get(q.key), b=b.totals.get(q.key)) for q in plain),
        _of(known.UNCHECKED, _unchecked(a), _unchecked(b)),
        _of(known.SERVED, _SmallestMargin(value=_served(a)), _SmallestMargin(value=_served(b))),
        *(
            _of(quantity, _least(a.points, quantity.key), _least(b.points, quantity.key))
            for quantity in (known.LEAST_MARGIN, *slides, known.LEAST_SINGULARITY)
        ),
        _of(known.LEAST_CLEARANCE, _clearance(a), _clearance(b)),
        _of(known.COUNTED, _SmallestMargin(value=_found(a)), _SmallestMargin(value=_found(b))),
        Change(quantity=known.VALIDATED, a=a.validated, b=b.validated),
    )


def _of(quantity: ComparedQuantity, a: _SmallestMargin, b: _SmallestMargin) -> Change:
    return Change(quantity=quantity, a=a.value, b=b.value, where_a=a.where, where_b=b.where)


def _unchecked(side: PlanSide) -> _SmallestMargin:
    """How many aspects were not checked, by name; unknown in plans that do not say."""
    if side.unchecked is None:
        return _SmallestMargin()
    return _SmallestMargin(value=float(len(side.unchecked)), where=", ".join(side.unchecked))


def _served(side: PlanSide) -> float:
    return float(sum(row.get("reachable") is True for row in side.points.values()))


def _found(side: PlanSide) -> float:
    return float(sum(row.get("severity") in _COUNTED for row in side.findings.values()))


def _slides(side: PlanSide) -> bool:
    return any("joint_margin_mm" in row for row in side.points.values())


def _clearance(side: PlanSide) -> _SmallestMargin:
    """The least of all motions, and of all points where motions tell none."""
    motions = _least(side.segments, "certified_mm")
    points = _least(side.points, "min_clearance_mm")
    if motions.value is None or (points.value is not None and points.value < motions.value):
        return points
    return motions


def _least(rows: Mapping[Names, Row], key: str) -> _SmallestMargin:
    return min(_values(rows, key), key=lambda one: one.value or 0.0, default=_SmallestMargin())


def _values(rows: Mapping[Names, Row], key: str) -> Iterator[_SmallestMargin]:
    for names, row in rows.items():
        value = row.get(key)
        if isinstance(value, float):
            pair = row.get("pair")
            where = " ".join(reversed(names[:2]))
            yield _SmallestMargin(value=value, where=f"{where}: {pair}" if pair else where)


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


def read_plan(path: Path) -> dict[str, object]:
    """The document of a plan that was exported.

    Args:
        path: of the file, or of the report set that holds it.

    Raises:
        OptionError: no such file, too large, or no JSON object.
    """
    file = path / _DOCUMENT if path.is_dir() else path
    try:
        if path.is_dir() and not file.is_file():
            raise OptionError(
                f"{path} holds no {_DOCUMENT}; give a report set, a plan.json or a job file.",
                path=str(path),
            )
        raw = read_capped(file, Cap.PLAN_BYTES)
    except OSError as error:
        raise OptionError(f"{file} cannot be read: {reason_of(error)}.", path=str(file)) from error
    try:
        document = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise OptionError(f"{file} is not JSON: {error}.", path=str(file)) from None
    if not isinstance(document, dict):
        raise OptionError(f"{file} must hold one JSON object, a plan.", path=str(file))
    return document
