"""Types of the values in a job file: numbers in a range, and the approach direction."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, PlainSerializer, PlainValidator
from pydantic import WithJsonSchema as JsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

NORMAL = "normal"
# Of a direction, whose length means nothing; shorter ones are zeros with noise.
_LARGEST_ENTRY, _SHORTEST = Decimal("1e100"), Decimal("1e-9")


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """Range of a number; ``above`` leaves the lower end out."""

    low: Decimal
    high: Decimal
    above: bool = False

    def check(self, value: Any) -> Decimal:
        """The number itself, as a decimal.

        Raises:
            PydanticCustomError: not a number, or out of the range.
        """
        number = Decimal(value) if _is_real(value) else Decimal("NaN")
        inside = number.is_finite() and self.low <= number <= self.high
        if not inside or (self.above and number == self.low):
            raise PydanticCustomError("real", "{expected}", {"expected": self.words()})
        return number

    def words(self) -> str:
        """The range for a reader."""
        if self.above:
            return f"a number above {self.low}, at most {self.high}"
        return f"a number from {self.low} to {self.high}"

    def __get_pydantic_core_schema__(
        self, _source: object, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """How pydantic validates and writes the number."""
        return core_schema.no_info_plain_validator_function(
            self.check, serialization=core_schema.plain_serializer_function_ser_schema(float)
        )

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        """The number in JSON Schema."""
        lower = "exclusiveMinimum" if self.above else "minimum"
        return {"type": "number", lower: float(self.low), "maximum": float(self.high)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanWithin:
    """Two numbers of a range, the first not above the second."""

    low: Decimal
    high: Decimal

    def check(self, value: Any) -> tuple[Decimal, Decimal]:
        """The two numbers, as decimals.

        Raises:
            PydanticCustomError: not two numbers, out of the range, exchanged.
        """
        pair = isinstance(value, list | tuple) and len(value) == 2
        if pair and all(map(_is_real, value)):
            low, high = (Decimal(entry) for entry in value)
            if low.is_finite() and high.is_finite() and self.low <= low <= high <= self.high:
                return low, high
        raise PydanticCustomError("span", "{expected}", {"expected": self.words()})

    def words(self) -> str:
        """The range for a reader."""
        return f"[least, greatest], two numbers from {self.low} to {self.high}"

    def __get_pydantic_core_schema__(
        self, _source: object, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """How pydantic validates and writes the two numbers."""
        return core_schema.no_info_plain_validator_function(
            self.check,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda pair: [float(entry) for entry in pair]
            ),
        )

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        """The two numbers in JSON Schema."""
        entry = {"type": "number", "minimum": float(self.low), "maximum": float(self.high)}
        return {"type": "array", "items": entry, "minItems": 2, "maxItems": 2}


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _is_entry(value: Any) -> bool:
    if not _is_real(value) or not Decimal(value).is_finite():
        return False
    return abs(Decimal(value)) < _LARGEST_ENTRY


def _direction(value: Any) -> Any:
    if value == NORMAL:
        return value
    triple = isinstance(value, list | tuple) and len(value) == 3
    good = triple and all(map(_is_entry, value))
    if not good or max(abs(Decimal(entry)) for entry in value) < _SHORTEST:
        raise PydanticCustomError(
            "direction", '"normal", or three numbers in base axes, not all zero, like [0, 0, 1]'
        )
    return tuple(Decimal(entry) for entry in value)


def _sentence(value: Any) -> str:
    if not (isinstance(value, str) and value.isprintable() and 0 < len(value) <= _LONGEST_SENTENCE):
        raise PydanticCustomError(
            "sentence", f"a sentence of 1 to {_LONGEST_SENTENCE} printable characters"
        )
    return value


def _written(value: Any) -> Any:
    return value if value == NORMAL else [float(entry) for entry in value]


def _seed(value: Any) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not 0 <= value <= LARGEST_SEED:
        raise PydanticCustomError("seed", f"a whole number from 0 to {LARGEST_SEED}")
    return int(value)


def _poses(value: Any) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not 1 <= value <= MOST_POSES:
        raise PydanticCustomError("poses", f"a whole number from 1 to {MOST_POSES}")
    return int(value)


MOST_POSES = 50
_LONGEST_SENTENCE = 1000
LARGEST_SEED = 2**31 - 1
_SEED = {"type": "integer", "minimum": 0, "maximum": LARGEST_SEED}
_TRIPLE = {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}

# A hundred metres is beyond any measuring robot; an hour beyond any dwell.
Length = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(100_000))]  # [mm]
Distance = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(100_000), above=True)]  # [mm]
Seconds = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(3600))]
Scale = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(1), above=True)]
Margin = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(180))]  # [deg]
Period = Annotated[Decimal, Within(low=Decimal("0.01"), high=Decimal(10_000))]  # [ms]
Mass = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(1000))]  # [kg]
Cone = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(90))]  # [deg]
Coordinate = Annotated[Decimal, Within(low=Decimal(-100_000), high=Decimal(100_000))]  # [mm]
Place = tuple[Coordinate, Coordinate, Coordinate]
ShiftSpan = Annotated[Any, SpanWithin(low=Decimal(-100_000), high=Decimal(100_000))]  # [mm]
TurnSpan = Annotated[Any, SpanWithin(low=Decimal(-180), high=Decimal(180))]  # [deg]
Sentence = Annotated[
    str,
    PlainValidator(_sentence),
    JsonSchema({"type": "string", "minLength": 1, "maxLength": _LONGEST_SENTENCE}),
]
Seed = Annotated[int, PlainValidator(_seed), JsonSchema(_SEED)]
Poses = Annotated[
    int,
    PlainValidator(_poses),
    JsonSchema({"type": "integer", "minimum": 1, "maximum": MOST_POSES}),
]
Direction = Annotated[
    Any,
    PlainValidator(_direction),
    PlainSerializer(_written),
    JsonSchema({"anyOf": [{"const": NORMAL}, _TRIPLE]}),
]
