"""Job file (TOML) → Job."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from planner.job.folder import JobFolder
from planner.job.job import Approach, Checks, Job, Probe, Travel
from planner.job.job_text import JobText, read_job_text
from planner.job.part import job_part
from planner.job.points import job_points
from planner.job.problems import job_error
from planner.job.robot import job_robot
from planner.job.surface import JobGeometry, examined
from planner.job.unit_guard import check_unit
from robots.core.file_units import metres, radians
from robots.core.mechanism import Mechanism

if TYPE_CHECKING:
    from planner.job.schema import ApproachTable, ChecksTable, JobFile

Array = NDArray[np.float64]


def read_job(path: Path | str, *, allow_outside: bool = False) -> Job:
    """Read a job file and what it names.

    Args:
        path: of the job file.
        allow_outside: whether paths in it may leave its folder.

    Raises:
        JobError: a file that cannot be read, or a fault in it; with file, line, key, what was
            found and what was expected.
    """
    path = Path(path)
    source = read_job_text(path)
    file = _validated(source)
    folder = JobFolder(root=path.parent, source=source, allow_outside=allow_outside)
    robot = job_robot(file, folder)
    part = job_part(file, folder)
    geometry = JobGeometry(file=file, folder=folder)
    points = job_points(file, folder, geometry)
    check_unit(points.points, part.part, file.points.frame, robot.mechanism, source)
    return Job(
        name=file.job.name,
        sha256=hashlib.sha256(source.raw).hexdigest(),
        inputs=(robot.record, *part.records, *points.records),
        robot=file.robot.model,
        mechanism=robot.mechanism,
        points=points.points,
        frame=file.points.frame,
        part=part.part,
        probe=_probe(file),
        approach=_approach(file.approach),
        travel=Travel(law=file.travel.law, order=file.travel.order),
        checks=_checks(file.checks, robot.mechanism, source),
        sampling_period=metres(file.sampling.period_ms),  # milli- is 1/1000 of seconds, too
        surface=examined(geometry.loaded, points.points, part.part, file.points.frame),
    )


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of job files."""
    from planner.job.schema import JobFile, NumberDefaults

    schema = JobFile.model_json_schema(schema_generator=NumberDefaults)
    return {"$schema": NumberDefaults.schema_dialect, **schema}


def _validated(source: JobText) -> JobFile:
    document = source.document()
    from pydantic import ValidationError

    from planner.job.schema import JobFile

    try:
        return JobFile.model_validate(document)
    except ValidationError as error:
        raise job_error(source, error) from None


def _probe(file: JobFile) -> Probe:
    return Probe(
        stylus_length=metres(file.probe.stylus_length_mm),
        ball_diameter=metres(file.probe.ball_diameter_mm),
        compensated=file.points.compensated is not False,
    )


def _approach(table: ApproachTable) -> Approach:
    along_normal = isinstance(table.direction, str)
    return Approach(
        distance=metres(table.distance_mm),
        direction=None if along_normal else np.array([float(v) for v in table.direction]),
        law=table.law,
        dwell=float(table.dwell_s),
        overtravel=metres(table.overtravel_mm),
    )


def _checks(table: ChecksTable, mechanism: Mechanism, source: JobText) -> Checks:
    return Checks(
        joint_margin=radians(table.joint_margin_deg),
        clearance=metres(table.clearance_mm),
        torque_limits=_torque_limits(table, mechanism, source),
    )


def _torque_limits(table: ChecksTable, mechanism: Mechanism, source: JobText) -> Array:
    """The job's limits, or else the robot's own, which are infinite where it gives none. # (n,)."""
    given = table.torque_limits_nm
    if not given:
        return mechanism.max_effort
    if len(given) != mechanism.dof:
        raise source.error(
            ("checks", "torque_limits_nm"),
            f"has {len(given)} entries; expected {mechanism.dof}, one for each joint of "
            f"{mechanism.name}, or none.",
            found=len(given),
            expected=mechanism.dof,
        )
    return np.array([float(limit) for limit in given])
