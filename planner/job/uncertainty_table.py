"""The table ``[uncertainty]`` of a job file."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, PlainValidator
from pydantic import WithJsonSchema as JsonSchema
from pydantic_core import PydanticCustomError

from planner.job.value_types import Length, Seed
from robots.core.robot_file.schema import Table
from robots.core.schema_numbers import Within

MOST_SAMPLES = 10_000_000
MOST_DIGITS = 3

_ZERO = Decimal(0)
# An angle of 45 degrees or a hundredth per kelvin is no small error any more.
SmallAngle = Annotated[Decimal, Within(low=_ZERO, high=Decimal(45))]  # [deg]
Kelvin = Annotated[Decimal, Within(low=_ZERO, high=Decimal(500))]
Expansion = Annotated[Decimal, Within(low=_ZERO, high=Decimal("0.01"))]  # [1/K]
Probability = Annotated[Decimal, Within(low=Decimal("0.5"), high=Decimal("0.9999"))]


def _samples(value: object) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not (value == 0 or 100 <= int(str(value)) <= MOST_SAMPLES):
        raise PydanticCustomError("samples", f"0, or a whole number from 100 to {MOST_SAMPLES}")
    return int(str(value))


def _digits(value: object) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not 1 <= int(str(value)) <= MOST_DIGITS:
        raise PydanticCustomError("digits", f"a whole number from 1 to {MOST_DIGITS}")
    return int(str(value))


Samples = Annotated[
    int,
    PlainValidator(_samples),
    JsonSchema({"type": "integer", "minimum": 0, "maximum": MOST_SAMPLES}),
]
Digits = Annotated[
    int,
    PlainValidator(_digits),
    JsonSchema({"type": "integer", "minimum": 1, "maximum": MOST_DIGITS}),
]


class UncertaintyTable(Table):
    """Standard deviations of what makes a measured point wrong; what is left out is zero."""

    encoder_deg: SmallAngle = Field(default=_ZERO, description="of each reading of a turning joint")
    encoder_mm: Length = Field(default=_ZERO, description="of each reading of a sliding joint")
    encoder_resolution_deg: SmallAngle = Field(
        default=_ZERO, description="step of the reading of a turning joint; evenly within it"
    )
    encoder_resolution_mm: Length = Field(default=_ZERO, description="likewise, sliding joint")
    encoder_offset_deg: SmallAngle = Field(default=_ZERO, description="of a turning joint's zero")
    encoder_offset_mm: Length = Field(default=_ZERO, description="of a sliding joint's zero")
    length_mm: Length = Field(default=_ZERO, description="of every length of the arm")
    angle_deg: SmallAngle = Field(default=_ZERO, description="of every angle between its axes")
    stylus_mm: Length = Field(
        default=_ZERO, description="of each coordinate of the ball on the wrist"
    )
    probe_mm: Length = Field(default=_ZERO, description="of a touch, the same in every direction")
    probe_normal_mm: Length = Field(default=_ZERO, description="of a touch, along the normal only")
    alignment_mm: Length = Field(default=_ZERO, description="of each coordinate of the part's pose")
    alignment_deg: SmallAngle = Field(
        default=_ZERO, description="of the part's turn about each axis, at the middle of the points"
    )
    temperature_k: Kelvin = Field(default=_ZERO, description="of the arm, about its reference")
    expansion_per_k: Expansion = Field(default=_ZERO, description="of the arm's lengths")
    part_temperature_k: Kelvin = Field(default=_ZERO, description="of the part, about its own")
    part_expansion_per_k: Expansion = Field(default=_ZERO, description="of the part's lengths")
    samples: Samples = Field(default=10_000, description="Monte Carlo draws; 0: first order only")
    digits: Digits | None = Field(
        default=None, description="draw until so many digits of every sigma are settled"
    )
    coverage: Probability = Field(default=Decimal("0.95"), description="of the interval")
    interval: Literal["symmetric", "shortest"] = Field(
        default="symmetric", description="equal probability beyond both ends, or the shortest"
    )
    seed: Seed = 1
