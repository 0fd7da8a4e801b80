"""Instances of a STEP file as a reader of its drawing needs them: attributes, links, measures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, pi

from parts.drawing.drawing import UnreadItem
from parts.errors import PartError
from parts.geometry.part21 import (
    UNIT_NAMES,
    UNIT_ROUNDING,
    Enumeration,
    ExchangeFile,
    Instance,
    Reference,
    Typed,
    Value,
)
from robots.core.caps import Cap


class UnreadError(PartError):
    """Why something is not taken; its message is a sentence without a full stop."""


class Instances:
    """Instances of a file, and what of its drawing could not be taken.

    Args:
        text: of the file.
    """

    def __init__(self, text: ExchangeFile) -> None:
        self._text = text
        self._steps = 0
        self._most_steps = Cap.DRAWING_LINKS.limit
        self._unread: dict[int, UnreadItem] = {}

    def instance(self, identity: int) -> Instance:
        """An instance.

        Raises:
            PartError: more of them are read than the cap allows.
            UnreadError: it is missing or damaged.
        """
        self.step()
        try:
            return self._text.instance(identity)
        except PartError as error:
            raise UnreadError(str(error)) from None

    def types(self, identity: int) -> frozenset[str]:
        """Types of an instance; none where it is missing."""
        return self._text.types(identity)

    def identities(self, *types: str) -> list[int]:
        """Numbers of the instances of any of these types."""
        return self._text.of_types(*types)

    def every(self, *types: str) -> Iterator[Instance]:
        """Instances of any of these types; damaged ones are listed as unread."""
        for identity in self._text.of_types(*types):
            try:
                yield self.instance(identity)
            except UnreadError as reason:
                self.skip(identity, reason)

    def links(self, start: int, end: int, *types: str) -> dict[int, list[int]]:
        """Where relationships lead, by the number of what they start from.

        Args:
            start: place of that attribute.
            end: place of that attribute, which may be a list.
            types: of the relationships; in an instance of several the first one holds the ends.
        """
        found: dict[int, list[int]] = defaultdict(list)
        for one in self.every(*types):
            try:
                values = record(one, "SHAPE_ASPECT_RELATIONSHIP", *types)
                ends = references(attribute(one, values, end))
                found[reference(one, values, start)] += ends
            except UnreadError as reason:
                self.skip(one.identity, reason)
        return found

    def step(self, count: int = 1) -> None:
        """Count steps; a hostile file could ask for very many.

        Args:
            count: of them, for work that takes as long.

        Raises:
            PartError: over the cap.
        """
        self._steps += count
        if self._steps > self._most_steps:
            raise self._text.file.error(
                f"its drawing (PMI) has more than {self._most_steps} links; expected at most so "
                "many. Export it without PMI, or, if the file is trusted, "
                f"{Cap.DRAWING_LINKS.advice}.",
                limit=self._most_steps,
            )

    def name(self, identity: int) -> str:
        """Name of a representation item, or of anything simple that begins with its name."""
        one = self.instance(identity)
        return text(one, record(one, "REPRESENTATION_ITEM"), 0)

    # ------------------------------------------------------------------------------ What is unread

    def skip(self, identity: int, reason: UnreadError | str) -> None:
        """List an instance as unread; the first reason stands."""
        if identity not in self._unread:
            self._unread[identity] = UnreadItem(
                name=self._called(identity), reason=str(reason), identity=identity
            )

    @property
    def unread(self) -> tuple[UnreadItem, ...]:
        """In the order of their numbers."""
        return tuple(self._unread[identity] for identity in sorted(self._unread))

    def _called(self, identity: int) -> str:
        """Type and own name of an instance, in words."""
        types = self.types(identity)
        kinds = sorted(types - _GENERAL or types, key=lambda name: (len(name), name))
        kind = kinds[0].lower().replace("_", " ") if kinds else "instance"
        try:
            records = self._text.instance(identity).records.values()
        except PartError:
            return kind
        own = next((v.strip() for r in records for v in r if isinstance(v, str) and v.strip()), "")
        return f"{kind} {own[:100]!r}" if own else kind


_GENERAL = frozenset(
    (
        "COMPOSITE_GROUP_SHAPE_ASPECT",
        "COMPOSITE_SHAPE_ASPECT",
        "GEOMETRIC_TOLERANCE",
        "GEOMETRIC_TOLERANCE_WITH_DATUM_REFERENCE",
        "GEOMETRIC_TOLERANCE_WITH_MODIFIERS",
        "SHAPE_ASPECT",
    )
)  # of an instance of several types, these do not say what it is


# -------------------------------------------------------------------------------------- Attributes


def record(one: Instance, *types: str) -> tuple[Value, ...]:
    """Attributes of the first of these types that an instance has, or of the only one it has."""
    for name in types:
        if name in one.records:
            return one.records[name]
    if len(one.records) == 1:
        return next(iter(one.records.values()))
    raise UnreadError(f"#{one.identity} is no {types[0]}")


def attribute(one: Instance, values: tuple[Value, ...], place: int) -> Value:
    """An attribute by its place; from the end where that is negative."""
    if not -len(values) <= place < len(values):
        raise UnreadError(f"#{one.identity} has {len(values)} attributes, which are too few")
    return values[place]


def text(one: Instance, values: tuple[Value, ...], place: int) -> str:
    """A string; empty where it is left out."""
    value = attribute(one, values, place)
    return value.strip() if isinstance(value, str) else ""


def reference(one: Instance, values: tuple[Value, ...], place: int) -> int:
    """The number of the instance that an attribute refers to."""
    value = attribute(one, values, place)
    if not isinstance(value, Reference):
        raise UnreadError(f"#{one.identity} refers to nothing where it must")
    return value.identity


def references(value: Value) -> list[int]:
    """Numbers of all instances that a value names, in order, at whatever depth."""
    waiting, found = [value], []
    while waiting:
        one = waiting.pop()
        if isinstance(one, Reference):
            found.append(one.identity)
        elif isinstance(one, Typed):
            waiting.append(one.value)
        elif isinstance(one, tuple):
            waiting += reversed(one)
    return found


def coordinates(one: Instance, digits: int = 15) -> tuple[float, ...]:
    """Coordinates of a point in space, in the unit of the file, rounded after the point."""
    numbers = attribute(one, record(one, "CARTESIAN_POINT"), -1)
    found = tuple(
        round(float(number), digits) + 0.0
        for number in (numbers if isinstance(numbers, tuple) else ())
        if isinstance(number, int | float) and isfinite(number)
    )
    if len(found) != 3:
        raise UnreadError(f"#{one.identity} is no point in space")
    return found


def words(name: str) -> str:
    """An enumerated name as words."""
    return name.lower().replace("_", " ")


# ---------------------------------------------------------------------------------------- Measures

_PREFIXES = {"MICRO": 1e-6, "MILLI": 1e-3, "CENTI": 1e-2, "DECI": 1e-1, "KILO": 1e3}
_NAMED = UNIT_NAMES | {"DEGREE": pi / 180.0}
_CONVERSIONS = 4  # of a unit into another, into another …


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with its unit.

    Args:
        value: [m], or [rad] where it is ``angular``.
        angular: whether it is an angle.
    """

    value: float
    angular: bool


class Measures:
    """Measures of a file, each in its own unit, which may be another one than the model's.

    Args:
        instances: of the file.
    """

    def __init__(self, instances: Instances) -> None:
        self._instances = instances
        self._units: dict[int, Measure] = {}

    def measure(self, identity: int) -> Measure:
        """A measure with unit.

        Raises:
            UnreadError: it is none, or contradicts itself.
        """
        one = self._instances.instance(identity)
        kind, number, unit = self._parts(one)
        found = self.unit(unit)
        for name in (kind, *one.records):
            if ("LENGTH" in name and found.angular) or ("ANGLE" in name and not found.angular):
                quantity = "angle" if found.angular else "length"
                raise UnreadError(f"#{identity} is a {words(name)} in a unit of {quantity}")
        if "LENGTH" not in kind and "ANGLE" not in kind:
            raise UnreadError(f"#{identity} is neither a length nor an angle")
        return Measure(number * found.value, found.angular)

    def length(self, identity: int) -> float:
        """A length in metres.

        Raises:
            UnreadError: it is none.
        """
        found = self.measure(identity)
        if found.angular:
            raise UnreadError(f"#{identity} is an angle where a length belongs")
        return found.value

    def unit(self, identity: int, depth: int = 0) -> Measure:
        """What a unit is in metres or radians.

        Raises:
            UnreadError: it is not understood, or contradicts itself.
        """
        if identity not in self._units:
            self._units[identity] = self._unit(identity, depth)
        return self._units[identity]

    def _parts(self, one: Instance) -> tuple[str, float, int]:
        """Type of the number, the number, and the unit of a measure."""
        values = next((r for n, r in one.records.items() if n.endswith(_WITH_UNIT) and r), ())
        if not values and "MEASURE_REPRESENTATION_ITEM" in one.records:
            values = one.records["MEASURE_REPRESENTATION_ITEM"][1:]
        typed = attribute(one, values, 0)
        inner = typed.value if isinstance(typed, Typed) else ()
        number = inner[0] if isinstance(inner, tuple) and len(inner) == 1 else None
        if not isinstance(typed, Typed) or not isinstance(number, int | float):
            raise UnreadError(f"#{one.identity} is no measure with a unit")
        if not isfinite(number):
            raise UnreadError(f"#{one.identity} is not finite")
        return typed.keyword, float(number), reference(one, values, 1)

    def _unit(self, identity: int, depth: int) -> Measure:
        one = self._instances.instance(identity)
        if "SI_UNIT" in one.records:
            found = self._si_unit(one)
        elif "CONVERSION_BASED_UNIT" in one.records and depth < _CONVERSIONS:
            found = self._converted(one, depth)
        else:
            raise UnreadError(f"its unit #{identity} is not understood")
        for name, angular in (("LENGTH_UNIT", False), ("PLANE_ANGLE_UNIT", True)):
            if name in one.records and found.angular != angular:
                raise UnreadError(f"its unit #{identity} is a unit of length and of angle")
        return found

    def _si_unit(self, one: Instance) -> Measure:
        values = one.records["SI_UNIT"]
        prefix, base = attribute(one, values, -2), attribute(one, values, -1)
        factor = _PREFIXES.get(prefix.name, 0.0) if isinstance(prefix, Enumeration) else 1.0
        angular = base == Enumeration("RADIAN")
        if not factor or not (angular or base == Enumeration("METRE")):
            raise UnreadError(f"its unit #{one.identity} is none of length or angle")
        return Measure(factor, angular)

    def _converted(self, unit: Instance, depth: int) -> Measure:
        values = unit.records["CONVERSION_BASED_UNIT"]
        one = self._instances.instance(reference(unit, values, 1))
        _, number, base_unit = self._parts(one)
        base = self.unit(base_unit, depth + 1)
        found = Measure(number * base.value, base.angular)
        name = text(unit, values, 0).upper()
        if (
            not found.value > 0.0
            or abs(found.value / _NAMED.get(name, found.value) - 1.0) > UNIT_ROUNDING
        ):
            quantity = "rad" if found.angular else "m"
            raise UnreadError(
                f"its unit #{unit.identity} is called {name[:40]!r} but is {found.value:.7g} "
                f"{quantity}"
            )
        return found


_WITH_UNIT = "MEASURE_WITH_UNIT"
