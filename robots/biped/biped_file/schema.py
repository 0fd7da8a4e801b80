"""The tables of a biped file (TOML, format 1) and their JSON Schema.

As in robot files every key with a dimension carries its unit, and a key that is not listed here is
an error.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from robots.core.robot_file.schema import Name, PoseTable, Table
from robots.core.schema_numbers import NonNegative, Positive, Real, Triple

One = tuple[Name]
Two = tuple[Name, Name]
Sense = Literal[1, -1]


class StandingTable(PoseTable):
    """How the robot stands on level ground: T_world_base, and its posture."""

    q_deg: dict[str, Real] = Field(default={}, description="joints that are not at zero")


class FootTable(Table):
    """One sole: a convex polygon fixed to a joint's link, or to the base."""

    name: Name
    link: str = Field(default="", description="joint that carries the foot; default: the base")
    sole_mm: tuple[Triple, ...] = Field(
        description="corners in the link's frame, counter-clockwise seen from above"
    )


class StopTable(Table):
    """A joint's stops, where they are tighter than its limits in the robot file."""

    joint: Name
    min_rad: Real
    max_rad: Real


class FixedRatioTable(Table):
    """A gear between one joint and one motor."""

    name: Name | None = None
    kind: Literal["fixed-ratio"]
    joints: One
    motors: One
    rotor_inertia_kg_m2: tuple[NonNegative]
    ratio: Real = Field(description="motor turns per joint turn, with its sign")


class CrankScrewTable(Table):
    """A screw whose carriage turns a crank through a rod: knee and hip."""

    name: Name | None = None
    kind: Literal["crank-screw"]
    joints: One
    motors: One
    rotor_inertia_kg_m2: tuple[NonNegative]
    pitch_mm: Real = Field(description="per motor turn; negative for a left-handed screw")
    e_mm: Real = Field(description="distance of the screw's line from the joint's axis")
    R_mm: Positive = Field(description="radius of the crank")
    rod_mm: Positive
    gamma_deg: Real = Field(description="angle of the screw in its body")
    phi_deg: Real = Field(description="angle of the crank on the joint")
    offset_deg: Real | None = Field(default=None, description="further angle of the crank")
    crank_sense: Sense = Field(default=1, description="1 where the crank's angle grows with q")
    screw_sense: Sense = Field(default=-1, description="1 where the motor's turn grows with travel")


class CardanScrewsTable(Table):
    """A universal joint moved by two screws with rods: ankle and lumbar joint."""

    name: Name | None = None
    kind: Literal["cardan-screws"]
    joints: Two = Field(description="frontal, then flexion")
    motors: Two
    rotor_inertia_kg_m2: tuple[NonNegative, NonNegative]
    pitch_mm: Real = Field(description="per motor turn; negative for a left-handed screw")
    e_mm: Real = Field(description="distance of the screws' plane from the joint's centre")
    gamma_deg: Real = Field(description="angle of the screws in their body")
    h_mm: Positive = Field(description="half the distance between the screws")
    b_mm: Real = Field(description="how far the anchors are behind the centre, along the screws")
    c_mm: Positive = Field(description="lever of the anchors across")
    d_mm: Positive = Field(description="half the distance between the anchors")
    rod_mm: Positive
    screw_sense: Sense = Field(default=-1, description="1 where the motors' turn grows with travel")


TransmissionTable = Annotated[
    FixedRatioTable | CrankScrewTable | CardanScrewsTable, Field(discriminator="kind")
]

KINDS: dict[str, type[Table]] = {
    "fixed-ratio": FixedRatioTable,
    "crank-screw": CrankScrewTable,
    "cardan-screws": CardanScrewsTable,
}


class BipedFile(Table):
    """A whole biped file."""

    model_config = ConfigDict(title="Palpeur biped file, format 1")

    format: Literal[1]
    robot: str = Field(description="a library robot, or a robot file's path from this file")
    source: str = ""
    standing: StandingTable = StandingTable()
    encoder_counts: Annotated[int, Field(strict=True, ge=1)] = Field(
        default=4096, description="per motor turn"
    )
    foot: tuple[FootTable, ...] = Field(description="one or two")
    transmission: tuple[TransmissionTable, ...] = ()
    stop: tuple[StopTable, ...] = ()
