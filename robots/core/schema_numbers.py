"""Numbers of the house's TOML formats: kept as the decimals of the file, checked, in JSON Schema.

One rule for every format: a number is an integer or a decimal, never a truth value, finite and
below 1e300; what would round to zero is zero. It stays the decimal that is printed in the file, so
that conversion to SI rounds once (``robots.core.file_units``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
)
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

LARGEST = Decimal("1e300")


def decimal_number(value: object) -> Decimal:
    """Read a number of a document as the decimal that is printed there.

    Raises:
        PydanticCustomError: no number, or none that is finite.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise PydanticCustomError("real", "a number")
    number = Decimal(value)
    if not number.is_finite() or abs(number) >= LARGEST:
        raise PydanticCustomError("real", "a finite number")
    return number if float(number) else Decimal(0)


def is_number(value: object) -> bool:
    """Return whether a value of a document is a number by this rule."""
    try:
        decimal_number(value)
    except PydanticCustomError:
        return False
    return True


def _zero_or_more(value: object) -> Decimal:
    number = decimal_number(value)
    if number < 0:
        raise PydanticCustomError("real", "a number, zero or more")
    return number


def _above_zero(value: object) -> Decimal:
    number = decimal_number(value)
    if number <= 0:
        raise PydanticCustomError("real", "a number above zero")
    return number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checked:
    """An entry of a document that one function checks, and perhaps another one writes.

    pydantic's PlainValidator and PlainSerializer do the same, but read the signature of their
    function wherever the entry stands, which took most of the time of reading a robot.

    Args:
        check: the value in the document to that of the table; raises PydanticCustomError.
        json: the entry in JSON Schema.
        write: the value of the table to that in a document; None writes it as it is.
    """

    check: Callable[[object], object]
    json: Mapping[str, object]
    write: Callable[[Any], object] | None = None

    def __get_pydantic_core_schema__(
        self, _source: object, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """How pydantic validates and writes the entry."""
        written = self.write and core_schema.plain_serializer_function_ser_schema(self.write)
        return core_schema.no_info_plain_validator_function(self.check, serialization=written)

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        """The entry in JSON Schema."""
        return dict(self.json)


Real = Annotated[Decimal, Checked(check=decimal_number, json={"type": "number"}, write=float)]
NonNegative = Annotated[
    Decimal, Checked(check=_zero_or_more, json={"type": "number", "minimum": 0}, write=float)
]
Positive = Annotated[
    Decimal, Checked(check=_above_zero, json={"type": "number", "exclusiveMinimum": 0}, write=float)
]
Triple = tuple[Real, Real, Real]


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
        number = decimal_number(value) if is_number(value) else Decimal("NaN")
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
class WholeWithin:
    """Range of a whole number; ``zero`` says whether it may be zero."""

    low: int
    high: int
    zero: bool = True

    def check(self, value: Any) -> int:
        """The number itself.

        Raises:
            PydanticCustomError: no whole number, or out of the range.
        """
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or not self.low <= value <= self.high or (value == 0 and not self.zero):
            raise PydanticCustomError("whole", "{expected}", {"expected": self.words()})
        return int(value)

    def words(self) -> str:
        """The range for a reader."""
        without = "" if self.zero else ", not 0"
        return f"a whole number from {self.low} to {self.high}{without}"

    def __get_pydantic_core_schema__(
        self, _source: object, _handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """How pydantic validates the number."""
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        """The number in JSON Schema."""
        found: dict[str, object] = {"type": "integer", "minimum": self.low, "maximum": self.high}
        return found if self.zero else {**found, "not": {"const": 0}}


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
        if pair and all(map(is_number, value)):
            low, high = (decimal_number(entry) for entry in value)
            if self.low <= low <= high <= self.high:
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


def json_schema_of(file: type[BaseModel]) -> dict[str, object]:
    """JSON Schema (draft 2020-12) of a format, from the schema of its whole file."""
    schema = file.model_json_schema(schema_generator=_NumberDefaults)
    return {"$schema": _NumberDefaults.schema_dialect, **schema}


class _NumberDefaults(GenerateJsonSchema):
    """JSON Schema with decimal defaults as numbers; pydantic prints them as texts."""

    def encode_default(self, dft: Any) -> Any:
        """A default as it stands in the schema."""
        if isinstance(dft, BaseModel):
            return dft.model_dump(mode="json", exclude_none=True)
        if isinstance(dft, tuple):
            return [self.encode_default(item) for item in dft]
        return float(dft) if isinstance(dft, Decimal) else super().encode_default(dft)
