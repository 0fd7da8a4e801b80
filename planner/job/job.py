"""Job: one measuring job with everything resolved, in SI and radians."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from parts.points import ProbePoints
from planner.errors import JobError
from planner.job.evaluation import EvaluationSettings
from planner.job.settings import Approach, Checks, PlaceSettings, Probe, Travel
from planner.job.solids import Cell
from planner.job.uncertainty import UncertaintySettings
from robots.core.arrays import Array, frozen
from robots.core.errors import PoseError
from robots.core.mechanism import Mechanism
from robots.core.motion.joint_limits import JointLimits
from robots.core.pose import as_pose
from robots.core.robot_file.toml_document import toml_key

if TYPE_CHECKING:
    from parts.geometry import Audit, Geometry
    from parts.points import NormalReport, PointSource
    from robots.stewart.platform import Platform

Frame = Literal["part", "base"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobInput:
    """A file (or library entry) that a job was read with.

    Args:
        name: as the job file says it.
        sha256: of its bytes, in hexadecimal.
        path: where it was read; None for a library entry.
    """

    name: str
    sha256: str
    path: Path | None = None


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
class Part:
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Job:
    """A measuring job, ready to be placed and planned.

    Args:
        name: as the file says it.
        sha256: of the job file's bytes, in hexadecimal.
        inputs: every other file it was read with; library entries too.
        robot: the robot's library name or path, as the file says it.
        mechanism: the robot with the job's limits and scales; its tool frame is the ball: z from
            wrist to ball, origin moved by the stylus length. The probe's mass is in its bodies, the
            probe's room in its capsules (``planner.job.stylus``).
        points: in the frame ``frame``.
        frame: "part" or "base".
        part: the workpiece's pose and geometry.
        probe: the touch probe.
        approach: how a point is touched.
        travel: how the robot goes between points.
        checks: what a plan must keep.
        sampling_period: of trajectories that are written out. [s]
        text: the job file as it was read.
        errata: what a source that the job reproduces says otherwise, a sentence each.
        surface: the part's geometry beside the points; None where the job names none.
        geometry: of the part, in its own frame; None where the job names none.
        cell: the part and the obstacles, in the base frame.
        place: where a better pose of the part is looked for.
        presenter: the hexapod that holds the part, which is given with the hexapod at home; None
            where the part stands still.
        uncertainty: what makes measured points wrong; None where it is not evaluated.
        evaluation: how measured points are compared with the job's, and their tolerances.
        assumed_accelerations: limits that the job gives in place of missing ones.
        point_source: how the point file was read; None for points in the job file.
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
    text: str = ""
    errata: tuple[str, ...] = ()
    surface: PartSurface | None = None
    geometry: Geometry | None = None
    cell: Cell = field(default_factory=Cell)
    place: PlaceSettings = field(default_factory=PlaceSettings)
    presenter: Presenter | None = None
    uncertainty: UncertaintySettings | None = None
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    assumed_accelerations: tuple[AssumedAcceleration, ...] = ()
    point_source: PointSource | None = None

    def joint_limits(self) -> JointLimits:
        """What the drives may do.

        Raises:
            JobError: a joint without a speed or acceleration limit; the message says which keys of
                the job give one.
        """
        missing = [
            text
            for limit in ("max_speed", "max_acceleration")
            for text in _missing_limits(self.mechanism, limit)
        ]
        if missing:
            raise JobError("\n".join(missing), robot=self.robot)
        return JointLimits.of(self.mechanism)

    @property
    def fingerprint(self) -> str:
        """One hash of the job file and all its inputs, in hexadecimal."""
        lines = [self.sha256, *(f"{item.sha256} {item.name}" for item in self.inputs)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _missing_limits(mechanism: Mechanism, limit: str) -> Iterator[str]:
    """One message per kind of joint without a limit: which joints, which keys, an example."""
    bare = [joint for joint in mechanism.movable if not np.isfinite(getattr(joint, limit))]
    for unit in dict.fromkeys(joint.kind.unit for joint in bare):
        names = [joint.name for joint in bare if joint.kind.unit == unit]
        who = f"Joint {names[0]} of {mechanism.name} has"
        if len(names) > 1:
            who = f"Joints {', '.join(names)} of {mechanism.name} have"
        if limit == "max_speed":
            key, one_for_all, line = f"max_speed_{unit}_s", "", ""
        else:
            key = f"max_acceleration_{unit}_s2"
            default = f"default_acceleration_{unit}_s2"
            one_for_all = f"robot.{default} for all of them, or "
            line = f"{default} = {'10.0' if unit == 'rad' else '1.0'}"
        line = line or f"limits.{toml_key(names[0])}.{key} = 1.0"
        yield (
            f"{who} no {limit.removeprefix('max_')} limit, without which no time can be planned. "
            f"From the drives' data sheets give {one_for_all}robot.limits.{names[0]}.{key}"
            f"{' and so on' if len(names) > 1 else ''}. For example, under [robot]:\n    {line}"
        )
