"""The tables of a job file (TOML, format 1) and their JSON Schema.

Every key with a dimension carries its unit; a key that is not listed here is an error. Numbers are
kept as the decimals of the file, so that conversion to SI rounds once.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema

from planner.job.value_types import (
    NORMAL,
    Direction,
    Distance,
    Length,
    Margin,
    Period,
    Scale,
    Seconds,
)
from robots.core.robot_file.schema import Name, PoseTable, Positive, Real, Table

_ZERO = Decimal(0)
_ONE = Decimal(1)
LawName = Literal["linear", "cubic", "quintic", "bang-bang", "trapezoid"]


class JobTable(Table):
    """What the job is called."""

    name: Name


class LimitsTable(Table):
    """Limits of one joint that replace the robot file's; the keys of the joint's kind."""

    min_deg: Real | None = None
    max_deg: Real | None = None
    max_speed_rad_s: Positive | None = None
    max_acceleration_rad_s2: Positive | None = None
    max_torque_nm: Positive | None = None
    min_mm: Real | None = None
    max_mm: Real | None = None
    max_speed_m_s: Positive | None = None
    max_acceleration_m_s2: Positive | None = None
    max_force_n: Positive | None = None


class RobotTable(Table):
    """The robot, and what this job changes about it."""

    model: str = Field(description="library name, or path of a robot file (.toml, .urdf)")
    tool: PoseTable | None = Field(
        default=None, description="replaces the robot's tool frame, in the joint that carries it"
    )
    limits: dict[str, LimitsTable] = Field(default={}, description="by joint name")
    speed_scale: Scale = Field(default=_ONE, description="part of the speed limits that is used")
    acceleration_scale: Scale = Field(default=_ONE, description="likewise of the accelerations")
    torque_scale: Scale = Field(default=_ONE, description="likewise of the torques")


class ProbeTable(Table):
    """The touch probe."""

    stylus_length_mm: Length = Field(default=_ZERO, description="wrist centre to ball centre")
    ball_diameter_mm: Length = _ZERO


class PartTable(Table):
    """The workpiece: its pose T_base_part and its geometry."""

    geometry: str | None = Field(default=None, description="STL, OBJ, PLY, GLB, 3MF or STEP")
    unit: Literal["mm", "cm", "m", "in"] | None = Field(
        default=None, description="required for formats that carry none (STL, OBJ, PLY)"
    )
    pose: PoseTable = PoseTable()


class PointTable(Table):
    """One point, with the keys of a point file's columns."""

    name: Name
    x_mm: Real
    y_mm: Real
    z_mm: Real
    nx: Real
    ny: Real
    nz: Real
    feature: str = ""


class PointsTable(Table):
    """The points: a file, or ``[[points.point]]`` tables."""

    file: str | None = Field(
        default=None, description="CSV, PC-DMIS .xyz, PowerInspect text, DMIS or QIF 3.0"
    )
    unit: Literal["mm", "cm", "m", "in", "ft"] | None = Field(
        default=None, description="of a point file that carries none (PowerInspect)"
    )
    point: tuple[PointTable, ...] = ()
    frame: Literal["part", "base"] = "part"
    compensated: bool | None = Field(
        default=None,
        description="true: surface points; false: ball centres. Required with a ball",
        strict=True,
    )


class ApproachTable(Table):
    """How a point is touched."""

    distance_mm: Distance = Decimal(50)
    direction: Direction = NORMAL
    law: LawName = "quintic"
    dwell_s: Seconds = _ZERO
    overtravel_mm: Length = _ZERO


class TravelTable(Table):
    """How the robot goes from one clearance point to the next."""

    law: LawName = "trapezoid"
    order: Literal["as-given", "fastest"] = "as-given"


class ChecksTable(Table):
    """What a plan must keep beyond the robot's own limits."""

    joint_margin_deg: Margin = _ZERO
    clearance_mm: Length = _ZERO
    torque_limits_nm: tuple[Positive, ...] = Field(
        default=(), description="one per joint; empty: reported, not limited"
    )


class SamplingTable(Table):
    """Time step of the trajectory that is written out."""

    period_ms: Period = _ONE


class JobFile(Table):
    """A whole job file."""

    model_config = ConfigDict(title="Palpeur job file, format 1")

    format: Literal[1]
    job: JobTable
    robot: RobotTable
    probe: ProbeTable = ProbeTable()
    part: PartTable = PartTable()
    points: PointsTable
    approach: ApproachTable = ApproachTable()
    travel: TravelTable = TravelTable()
    checks: ChecksTable = ChecksTable()
    sampling: SamplingTable = SamplingTable()


class NumberDefaults(GenerateJsonSchema):
    """JSON Schema with decimal defaults as numbers; pydantic prints them as texts."""

    def encode_default(self, dft: Any) -> Any:
        """A default as it stands in the schema."""
        if isinstance(dft, BaseModel):
            return dft.model_dump(mode="json", exclude_none=True)
        if isinstance(dft, tuple):
            return [self.encode_default(item) for item in dft]
        return float(dft) if isinstance(dft, Decimal) else super().encode_default(dft)
