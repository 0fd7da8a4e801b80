"""The tables of a platform file (TOML, format 1) and their JSON Schema.

As in robot files every key with a dimension carries its unit, and a key that is not listed here is
an error.
"""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from robots.core.robot_file.schema import BodyTable, Name, PoseTable, Table
from robots.core.schema_numbers import NonNegative, Positive, Triple


class StewartTable(Table):
    """Name, provenance, gravity and the pose in which the platform rests."""

    name: Name
    source: str = ""
    gravity_m_s2: Triple | None = Field(default=None, description="default: along -z")
    home: PoseTable = Field(description="T_base_platform at rest")


class LegProperties(Table):
    """What all legs may share: joints, limits, friction and bodies."""

    first_axis: Triple | None = Field(
        default=None,
        description="of the universal joint, fixed in the base; default: level, across the leg",
    )
    end: Literal["spherical", "cardan"] | None = Field(
        default=None, description="the joint at B; default: spherical"
    )
    min_mm: NonNegative | None = Field(default=None, description="shortest length, A to B")
    max_mm: Positive | None = Field(default=None, description="longest length, A to B")
    max_speed_m_s: Positive | None = None
    max_acceleration_m_s2: Positive | None = None
    max_force_n: Positive | None = None
    base_cone_deg: Positive | None = Field(
        default=None, description="largest angle between the leg and base_direction"
    )
    base_direction: Triple | None = Field(
        default=None, description="base frame, from A towards B; default: that at home"
    )
    platform_cone_deg: Positive | None = Field(
        default=None, description="largest angle between the leg and platform_direction"
    )
    platform_direction: Triple | None = Field(
        default=None, description="platform frame, from B towards A; default: that at home"
    )
    radius_mm: NonNegative | None = Field(default=None, description="of the leg as a capsule")
    coulomb_n: NonNegative | None = None
    viscous_n_s_m: NonNegative | None = None
    cross: BodyTable | None = Field(default=None, description="of the universal joint, at A")
    cylinder: BodyTable | None = Field(default=None, description="origin at A, z along the leg")
    piston: BodyTable | None = Field(default=None, description="origin at B, z from A to B")
    end_cross: BodyTable | None = Field(default=None, description="of the joint at B")
    end_body: BodyTable | None = Field(default=None, description="the last small body, at B")


class LegTable(LegProperties):
    """One leg; what it does not say is taken from ``leg_defaults``."""

    name: Name
    base_mm: Triple = Field(description="point A, base frame")
    platform_mm: Triple = Field(description="point B, platform frame")


class PlatformFile(Table):
    """A whole platform file."""

    model_config = ConfigDict(title="Palpeur platform file, format 1")

    format: Literal[1]
    stewart: StewartTable
    platform: BodyTable | None = Field(default=None, description="mass, in the platform frame")
    leg_defaults: LegProperties = LegProperties()
    leg: tuple[LegTable, ...] = Field(description="six of them")
