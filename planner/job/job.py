"""Job: one measuring job with everything resolved, in SI and radians."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from parts.points import ProbePoints
from planner.errors import JobError
from robots.core.errors import PoseError
from robots.core.mechanism import Mechanism
from robots.core.pose import as_pose, unit_direction

if TYPE_CHECKING:
    from parts.geometry import Audit
    from parts.points import NormalReport

Array = NDArray[np.float64]
Frame = Literal["part", "base"]
Order = Literal["as-given", "fastest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobInput:
    """A file (or library entry) that a job was read with.

    Args:
        name: as the job file says it.
        sha256: of its bytes, in hexadecimal.
    """

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The touch probe.

    Args:
        stylus_length: wrist centre to ball centre, along the probe axis. [m]
        ball_diameter: 0 for a point. [m]
        compensated: whether the job's points are surface points; otherwise ball centres.
    """

    stylus_length: float = 0.0
    ball_diameter: float = 0.0
    compensated: bool = True

    @property
    def ball_radius(self) -> float:
        """Half the ball's diameter. [m]."""
        return self.ball_diameter / 2.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """The workpiece before the robot.

    Args:
        T_base_part: maps part coordinates into the base frame. # (4, 4)
        geometry: path of its geometry as the job file says it; empty where there is none.
        unit: of a geometry whose format carries none: "mm", "cm", "m", "in" or "".
    """

    T_base_part: Array = field(default_factory=lambda: np.eye(4))
    geometry: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        try:
            pose = np.array(as_pose(self.T_base_part, "The part's pose"))
        except PoseError as error:
            raise JobError(error.message, **error.facts) from error
        object.__setattr__(self, "T_base_part", _fixed(pose))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartSurface:
    """What the part's geometry is like, and what it says of the points.

    Args:
        audit: of the geometry.
        normals: the points and their normals beside the surface.
    """

    audit: Audit
    normals: NormalReport


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Approach:
    """How a point is touched.

    Args:
        distance: from contact to the clearance point. [m]
        direction: from contact to the clearance point, in base axes; None for each point's own
            normal. # (3,) unit
        law: name of the motion law of probing lines.
        dwell: rest at contact. [s]
        overtravel: search past the nominal surface. [m]
    """

    distance: float = 0.05
    direction: Array | None = None
    law: str = "quintic"
    dwell: float = 0.0
    overtravel: float = 0.0

    def __post_init__(self) -> None:
        if self.direction is None:
            return
        try:
            unit = unit_direction(self.direction, "The approach direction")
        except PoseError as error:
            raise JobError(error.message, **error.facts) from error
        object.__setattr__(self, "direction", _fixed(unit))

    @property
    def along_normal(self) -> bool:
        """Whether every point is approached along its own normal."""
        return self.direction is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Travel:
    """How the robot goes from one clearance point to the next.

    Args:
        law: name of the motion law, in joint space.
        order: "as-given" or "fastest".
    """

    law: str = "trapezoid"
    order: Order = "as-given"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checks:
    """What a plan must keep, beyond the robot's own limits.

    Args:
        joint_margin: distance to every joint limit. [rad]
        clearance: distance to the part and other obstacles. [m]
        torque_limits: largest torque of every joint, inf where it is only reported. # (n,) [N m]
    """

    joint_margin: float
    clearance: float
    torque_limits: Array

    def __post_init__(self) -> None:
        limits = np.array(self.torque_limits, dtype=np.float64)
        object.__setattr__(self, "torque_limits", _fixed(limits))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Job:
    """A measuring job, ready to be placed and planned.

    Args:
        name: as the file says it.
        sha256: of the job file's bytes, in hexadecimal.
        inputs: every other file it was read with; library entries too.
        robot: the robot's library name or path, as the file says it.
        mechanism: the robot with the job's limits and scales; its tool frame is the ball: z from
            wrist to ball, origin moved by the stylus length.
        points: in the frame ``frame``.
        frame: "part" or "base".
        part: the workpiece's pose and geometry.
        probe: the touch probe.
        approach: how a point is touched.
        travel: how the robot goes between points.
        checks: what a plan must keep.
        sampling_period: of trajectories that are written out. [s]
        surface: the part's geometry beside the points; None where the job names none.
    """

    name: str
    sha256: str
    inputs: tuple[JobInput, ...]
    robot: str
    mechanism: Mechanism
    points: ProbePoints
    frame: Frame
    part: Part
    probe: Probe
    approach: Approach
    travel: Travel
    checks: Checks
    sampling_period: float
    surface: PartSurface | None = None

    @property
    def fingerprint(self) -> str:
        """One hash of the job file and all its inputs, in hexadecimal."""
        lines = [self.sha256, *(f"{item.sha256} {item.name}" for item in self.inputs)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _fixed(array: Array) -> Array:
    array.flags.writeable = False
    return array
