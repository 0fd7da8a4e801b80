"""Types of the values in a job file: numbers in a range, and the approach direction."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator
from pydantic import WithJsonSchema as JsonSchema
from pydantic_core import PydanticCustomError

from robots.core.schema_numbers import SpanWithin, Within, decimal_number, is_number

NORMAL = "normal"
# Of a direction, whose length means nothing; shorter ones are zeros with noise.
_LARGEST_ENTRY, _SHORTEST = Decimal("1e100"), Decimal("1e-9")


def _is_entry(value: Any) -> bool:
    return is_number(value) and abs(decimal_number(value)) < _LARGEST_ENTRY


def _direction(value: Any) -> Any:
    if value == NORMAL:
        return value
    triple = isinstance(value, list | tuple) and len(value) == 3
    good = triple and all(map(_is_entry, value))
    if not good or max(abs(decimal_number(entry)) for entry in value) < _SHORTEST:
        raise PydanticCustomError(
            "direction", '"normal", or three numbers in base axes, not all zero, like [0, 0, 1]'
        )
    return tuple(decimal_number(entry) for entry in value)


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
