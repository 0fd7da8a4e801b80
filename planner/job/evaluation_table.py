"""The tables ``[evaluation]`` and ``[[tolerance]]`` of a job file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from planner.job.value_types import Distance
from robots.core.robot_file.schema import Name, Table


class EvaluationTable(Table):
    """How measured points are compared with the job's."""

    alignment: Literal["none", "points", "normals", "surface", "datums"] = Field(
        default="none",
        description="none: the part stands as the job says; points: best fit of point pairs; "
        "normals: of the deviations along the normals; surface: of the distances to the geometry; "
        "datums: 3-2-1",
    )
    datums: tuple[Name, ...] = Field(
        default=(), description="primary, secondary, tertiary: flat features of the points"
    )
    outliers: Literal["report", "drop"] = Field(
        default="report", description="drop: fits leave them out, and say so"
    )
    compensated: bool | None = Field(
        default=None,
        strict=True,
        description="of measured files that do not say: true: points on the surface; false: "
        "centres of the ball",
    )
    compensation: Literal["nominal", "fitted"] = Field(
        default="nominal", description="normal along which centres of the ball are moved"
    )


class ToleranceTable(Table):
    """What the drawing asks of a feature of the points."""

    feature: Name = Field(description="feature of the points that the tolerance holds")
    kind: Literal[
        "flatness",
        "straightness",
        "roundness",
        "cylindricity",
        "parallelism",
        "perpendicularity",
        "angularity",
        "position",
        "profile",
        "diameter",
        "distance",
    ]
    value_mm: Distance = Field(
        description="width or diameter of the zone; of diameter and distance: ± from nominal"
    )
    datum: Name | None = Field(
        default=None, description="feature that orientation and distance are taken from"
    )
