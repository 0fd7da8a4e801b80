"""What a job is made of beside its settings: its inputs, the part in its place, a presenter."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from planner.errors import JobError
from robots.core.arrays import Array, frozen
from robots.core.errors import PoseError
from robots.core.pose import as_pose

if TYPE_CHECKING:
    from parts.geometry import Audit
    from parts.points import NormalReport
    from robots.stewart.platform import Platform

Frame = Literal["part", "base"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobInput:
    """A file (or library entry) that a job was read with.

    Args:
        name: as the job file says it.
        sha256: of its bytes, in hexadecimal.
        path: where it was read; None for a library entry and for what only memory holds.
        content: its bytes, of a robot, part or points made in Python.
        beside: name of the file that names it, or, with / at its end, of the folder that the job
            gives for such files; empty where the job file names it.
    """

    name: str
    sha256: str
    path: Path | None = None
    content: bytes | None = field(default=None, repr=False)
    beside: str = ""

    @classmethod
    def of_content(cls, name: str, content: bytes, *, beside: str = "") -> JobInput:
        """An input that only memory holds."""
        digest = hashlib.sha256(content).hexdigest()
        return cls(name=name, sha256=digest, content=content, beside=beside)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssumedAcceleration:
    """An acceleration limit that the job gives a joint whose file has none.

    Args:
        joint: its name.
        value: before the job's scale. [rad/s² or m/s²]
        unit: of the value, as readers write it.
    """

    joint: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedPart:
    """The workpiece before the robot.

    Args:
        T_base_part: maps part coordinates into the base frame. # (4, 4)
        geometry: path of its geometry as the job file says it; empty where there is none.
        unit: of a geometry whose format carries none: "mm", "cm", "m", "in" or "".
        posed: whether somebody said where it stands; otherwise its frame is the robot's base.
    """

    T_base_part: Array = field(default_factory=lambda: np.eye(4))
    geometry: str = ""
    unit: str = ""
    posed: bool = True

    def __post_init__(self) -> None:
        try:
            pose = np.array(as_pose(self.T_base_part, "The part's pose"))
        except PoseError as error:
            raise JobError(error.message, **error.facts) from error
        object.__setattr__(self, "T_base_part", frozen(pose))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Presenter:
    """A hexapod that holds the part before the robot.

    Args:
        model: its library name or path, as the job file says it.
        platform: geometry and limits.
        T_base_hexapod: its base in the robot's base frame. # (4, 4)
        T_platform_part: the part on its platform. # (4, 4)
        length_sigma: standard deviation with which a leg comes to a length. [m]
        part_mass: on the platform. [kg]
        most_poses: poses that may be used.
        seed: of everything drawn at random.
    """

    model: str
    platform: Platform
    T_base_hexapod: Array
    T_platform_part: Array
    length_sigma: float = 5e-6
    part_mass: float = 0.0
    most_poses: int = 6
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("T_base_hexapod", "T_platform_part"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64))

    def T_base_part(self, T_hexapod_platform: Array) -> Array:
        """The part before the robot, by poses of the platform. # (..., 4, 4) -> (..., 4, 4)."""
        return np.asarray(self.T_base_hexapod @ T_hexapod_platform @ self.T_platform_part)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartSurface:
    """What the part's geometry is like, and what it says of the points.

    Args:
        audit: of the geometry.
        normals: the points and their normals beside the surface.
    """

    audit: Audit
    normals: NormalReport
