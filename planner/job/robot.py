"""``[robot]`` of a job file, with its probe → the mechanism that the job moves."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.job.elements import AssumedAcceleration, JobInput
from planner.job.folder import InputBytes, JobFolder
from planner.job.job_text import JobText
from planner.job.settings import Probe
from planner.job.stylus import with_probe
from robots.core.caps import Cap
from robots.core.errors import RobotError, RobotFileError
from robots.core.file_units import metres, radians
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.remembered import remembered
from robots.core.robot_file.controller_table import controller_of
from robots.core.robot_file.conversion import read_robot
from robots.core.robot_file.joint_tables import pose_of
from robots.core.schema_problems import nearest
from robots.core.shapes.link_shapes import urdf_shapes
from robots.library.catalogue import load, text_of
from robots.library.catalogue import names as library_names
from robots.robot import Robot, RobotSource

if TYPE_CHECKING:
    from planner.job.schema import JobFile, JobRobotTable, LimitsTable

_MODEL = ("robot", "model")
_ROBOTS = 8  # that a process remembers, as files hold them and as jobs move them
_ToSi = Callable[[Decimal], float]
_LIMIT_KEYS: dict[JointKind, dict[str, tuple[str, _ToSi]]] = {
    JointKind.REVOLUTE: {
        "min_deg": ("q_min", radians),
        "max_deg": ("q_max", radians),
        "max_speed_rad_s": ("max_speed", float),
        "max_acceleration_rad_s2": ("max_acceleration", float),
        "max_jerk_rad_s3": ("max_jerk", float),
        "max_torque_nm": ("max_effort", float),
    },
    JointKind.PRISMATIC: {
        "min_mm": ("q_min", metres),
        "max_mm": ("q_max", metres),
        "max_speed_m_s": ("max_speed", float),
        "max_acceleration_m_s2": ("max_acceleration", float),
        "max_jerk_m_s3": ("max_jerk", float),
        "max_force_n": ("max_effort", float),
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRobot:
    """The robot of a job and where it came from.

    Args:
        robot: as it was read.
        mechanism: as the job moves it.
        records: of its file, and of the meshes that shape its links.
        assumed: acceleration limits that the job gives in place of missing ones.
    """

    robot: Robot
    mechanism: Mechanism
    records: tuple[JobInput, ...]
    assumed: tuple[AssumedAcceleration, ...] = ()


def job_robot(file: JobFile, folder: JobFolder, probe: Probe) -> JobRobot:
    """The robot of a job, with the job's tip, tool, limits, scales and probe.

    The tool's z axis is the probe axis, from the wrist to the ball. ``stylus_length_mm`` moves the
    tool's origin along it, so the tool frame is that of the ball. A default acceleration stands
    where file and ``[robot.limits]`` give none; scales apply last, and jerk has none.

    Raises:
        JobError: no such robot, a robot file with a fault, limits of a joint that does not exist
            or that contradict themselves, a probe capsule with the name of a robot's.
    """
    robot, records = _opened(file.robot, folder)
    mechanism, assumed = _laden(robot.mechanism, file, folder.source, probe)
    return JobRobot(robot=robot, mechanism=mechanism, records=records, assumed=assumed)


def _tables(mechanism: Mechanism, file: JobFile, source: JobText, probe: Probe) -> Hashable:
    """All that the mechanism of a job is made from; what is refused alone needs the text."""
    del source, probe  # the probe is that of its table
    tables = (file.robot, file.probe, file.controller)
    return mechanism, *(None if table is None else table.model_dump_json() for table in tables)


# Pairs of capsules, kernels and derived inverses are kept by mechanism: equal robots of many jobs
# are one.
@remembered(_tables, room=_ROBOTS)
def _laden(
    mechanism: Mechanism, file: JobFile, source: JobText, probe: Probe
) -> tuple[Mechanism, tuple[AssumedAcceleration, ...]]:
    """The mechanism as the job moves it, and the acceleration limits that the job assumes."""
    limited = _with_limits(mechanism, file.robot, source)
    assumed = tuple(_assumed(limited, file.robot))
    scaled = _scaled(_with_assumed(limited, assumed), file.robot)
    wrist = scaled.tool if file.robot.tool is None else pose_of(file.robot.tool)
    try:
        laden = with_probe(scaled, wrist, probe)
    except RobotError as error:
        raise source.error(("probe",), f"cannot be used: {error.message}", **error.facts) from error
    if file.controller is not None:
        controller = controller_of(file.controller, laden.movable, source.error)
        laden = replace(laden, controller=controller)
    return laden, assumed


def _opened(table: JobRobotTable, folder: JobFolder) -> tuple[Robot, tuple[JobInput, ...]]:
    model, tip = table.model, table.tip or ""
    suffix = Path(model).suffix.lower()
    try:
        if tip and (model in library_names() or suffix == ".toml"):
            raise folder.source.error(
                ("robot", "tip"),
                f"is {tip!r}, but {model} is no URDF file and has its tool frame in [tool]; leave "
                "tip out, or give robot.tool.",
                tip=tip,
            )
        if table.meshes is not None and (model in library_names() or suffix == ".toml"):
            raise folder.source.error(
                ("robot", "meshes"),
                f"is {table.meshes!r}, but {model} is no URDF file and has its shapes as capsules; "
                "leave meshes out.",
                meshes=table.meshes,
            )
        if model in library_names():
            digest = hashlib.sha256(text_of(model).encode()).hexdigest()
            robot = Robot(load(model), source=RobotSource(model=model))
            return robot, (JobInput(name=model, sha256=digest),)
        if suffix not in (".toml", ".urdf"):
            raise folder.source.error(
                _MODEL,
                f"is {model!r}, which is neither a library robot nor a path ending in .toml or "
                f".urdf; {nearest(model, library_names())}",
                found=model,
            )
        found = folder.read(model, _MODEL, cap=Cap.ROBOT_BYTES)
        name = found.path.name
        if suffix == ".urdf":
            return _urdf(table, found, folder)
        mechanism = _toml(found.raw, name)
    except RobotError as error:
        raise folder.source.error(
            _MODEL, f"is {model!r}, which has a fault.\n{error.message}", **error.facts
        ) from error
    return Robot(mechanism, source=RobotSource(model=name, raw=found.raw)), (found.record,)


def _urdf(
    table: JobRobotTable, found: InputBytes, folder: JobFolder
) -> tuple[Robot, tuple[JobInput, ...]]:
    """The robot of a URDF file, shaped and drawn by meshes that lie in the job's folder."""
    from robots.core.urdf import read_urdf

    name, tip = found.path.name, table.tip or ""
    meshes = folder.mesh_folder(table.model, found, table.meshes)
    shapes = urdf_shapes(found.raw, meshes, origin=name)
    mechanism = read_urdf(found.raw, origin=name, tip=tip, shapes=shapes)
    source = RobotSource(model=name, raw=found.raw, tip=tip, meshes=shapes.files)
    records = (folder.mesh_record(table.model, mesh, table.meshes) for mesh in shapes.files)
    return Robot(mechanism, source=source), (found.record, *records)


@remembered(lambda raw, name: (raw, name), room=_ROBOTS)
def _toml(raw: bytes, name: str) -> Mechanism:
    try:
        return read_robot(raw.decode("utf-8-sig"), origin=name)
    except UnicodeDecodeError as error:
        raise RobotFileError(
            f"{name}: byte {error.start + 1} is not UTF-8; save the file as UTF-8.", file=name
        ) from None


def _with_limits(mechanism: Mechanism, table: JobRobotTable, source: JobText) -> Mechanism:
    known = [joint.name for joint in mechanism.movable]
    for name in table.limits:
        if name not in known:
            raise source.error(
                ("robot", "limits", name),
                f"is no movable joint of {mechanism.name}; {nearest(name, known)}",
            )
    joints = tuple(
        _limited(joint, table.limits, source) if joint.movable else joint
        for joint in mechanism.joints
    )
    return replace(mechanism, joints=joints)


def _limited(joint: Joint, limits: Mapping[str, LimitsTable], source: JobText) -> Joint:
    """A joint with the limits that the job gives it."""
    if joint.name not in limits:
        return joint
    given = limits[joint.name]
    path = ("robot", "limits", joint.name)
    keys = _LIMIT_KEYS[joint.kind]
    changes: dict[str, Any] = {}
    for key in sorted(given.model_fields_set):
        if key not in keys:
            raise source.error(
                (*path, key), f"does not fit a {joint.kind.value} joint; {', '.join(keys)} do."
            )
        field, to_si = keys[key]
        changes[field] = to_si(getattr(given, key))
    try:
        return replace(joint, **changes)
    except RobotError as error:
        raise source.error(path, f"cannot be used: {error.message}", **error.facts) from error


def _assumed(mechanism: Mechanism, table: JobRobotTable) -> Iterator[AssumedAcceleration]:
    """Acceleration limits of joints that have none, as far as the job gives a default."""
    for joint in mechanism.movable:
        default = (
            table.default_acceleration_rad_s2
            if joint.kind.angular
            else table.default_acceleration_m_s2
        )
        if default is not None and math.isinf(joint.max_acceleration):
            yield AssumedAcceleration(
                joint=joint.name, value=float(default), unit=f"{joint.kind.unit}/s²"
            )


def _with_assumed(mechanism: Mechanism, assumed: Sequence[AssumedAcceleration]) -> Mechanism:
    values = {item.joint: item.value for item in assumed}
    joints = tuple(
        replace(joint, max_acceleration=values[joint.name]) if joint.name in values else joint
        for joint in mechanism.joints
    )
    return replace(mechanism, joints=joints)


def _scaled(mechanism: Mechanism, table: JobRobotTable) -> Mechanism:
    """Speed, acceleration and effort limits by the job's scales."""
    joints = tuple(
        replace(
            joint,
            max_speed=joint.max_speed * float(table.speed_scale),
            max_acceleration=joint.max_acceleration * float(table.acceleration_scale),
            max_effort=joint.max_effort * float(table.torque_scale),
        )
        if joint.movable
        else joint
        for joint in mechanism.joints
    )
    return replace(mechanism, joints=joints)
