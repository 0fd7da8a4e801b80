"""The table ``[presenter]`` of a job file."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from planner.job.value_types import Length, Mass, Poses, Seed
from robots.core.robot_file.schema import PoseTable, Table


class PresenterTable(Table):
    """A hexapod that holds the part; ``[part] pose`` is then T_platform_part."""

    platform: str = Field(description="library name, or path of a platform file (.toml)")
    pose: PoseTable = Field(default=PoseTable(), description="T_base_hexapod")
    length_sigma_um: Length = Field(
        default=Decimal(5), description="standard deviation of a leg's length"
    )
    part_mass_kg: Mass = Field(default=Decimal(0), description="for the forces of the legs")
    most_poses: Poses = Field(default=6, description="of the platform, that may be used")
    seed: Seed = 1
