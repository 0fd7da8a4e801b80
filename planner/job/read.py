"""Job file (TOML) → Job."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from planner.job.approach_of import approach_of
from planner.job.cell import job_cell
from planner.job.evaluation import evaluation_of
from planner.job.folder import JobFolder
from planner.job.job import Job, Part
from planner.job.job_text import JobText, job_text, job_vocabulary, read_job_text
from planner.job.part import job_part
from planner.job.points import JobPoints, job_points
from planner.job.presenter import job_presenter
from planner.job.robot import job_robot
from planner.job.settings_of import checks_of, place_of, probe_of, travel_of
from planner.job.surface import JobGeometry, examined
from planner.job.surface_unit import check_surface_unit
from planner.job.uncertainty import uncertainty_of
from planner.job.unit_guard import check_unit
from planner.job.unit_label import part_label, points_label
from robots.core.file_units import metres
from robots.core.schema_problems import schema_error

if TYPE_CHECKING:
    from planner.job.schema import JobFile
    from robots.core.mechanism import Mechanism


def read_job(path: Path | str, *, allow_outside: bool = False, text: str = "") -> Job:
    """Read a job file and what it names.

    Args:
        path: of the job file.
        allow_outside: whether paths in it may leave its folder.
        text: of a variant that is read in place of the file's, as if it stood there.

    Raises:
        JobError: a file that cannot be read, or a fault in it; with file, line, key, what was
            found and what was expected.
    """
    path = Path(path)
    source = job_text(path, text, in_file=False) if text else read_job_text(path)
    file = _validated(source)
    folder = JobFolder(root=path.parent, source=source, allow_outside=allow_outside)
    probe = probe_of(file, source)
    robot = job_robot(file, folder, probe)
    part = job_part(file, folder)
    held = job_presenter(file, folder, part.part)
    geometry = JobGeometry(file=file, folder=folder)
    points = job_points(file, folder, geometry)
    _check_units(file, (points, geometry), held.part, robot.mechanism, source)
    travel = travel_of(file, points.points, source)
    cell = job_cell(file, folder, held.part, geometry.loaded)
    return Job(
        name=file.job.name,
        text=source.raw.decode("utf-8"),
        errata=file.job.errata,
        sha256=hashlib.sha256(source.raw).hexdigest(),
        inputs=(robot.record, *part.records, *points.records, *cell.records, *held.records),
        robot=file.robot.model,
        assumed_accelerations=robot.assumed,
        mechanism=robot.mechanism,
        points=points.points,
        point_source=points.source,
        frame=file.points.frame,
        part=held.part,
        probe=probe,
        approach=approach_of(file.approach, points.points, source),
        travel=travel,
        checks=checks_of(file.checks, robot.mechanism, source),
        sampling_period=metres(file.sampling.period_ms),  # milli- is 1/1000 of seconds, too
        surface=examined(geometry.loaded, points.points, held.part, file.points.frame),
        geometry=geometry.loaded,
        cell=cell.cell,
        place=place_of(file.place),
        presenter=held.presenter,
        uncertainty=uncertainty_of(file.uncertainty, source),
        evaluation=evaluation_of(file, points.points.features, source),
    )


def _check_units(
    file: JobFile,
    measured: tuple[JobPoints, JobGeometry],
    part: Part,
    mechanism: Mechanism,
    source: JobText,
) -> None:
    """Refuse points in another unit than they are labelled with, by the robot or the surface."""
    (points, geometry), frame = measured, file.points.frame
    label = points_label(source, file, points.source)
    check_unit(points.points, part, frame, mechanism, label)
    of_part = (part, part_label(source, file))
    check_surface_unit(points.points, geometry.loaded, of_part, frame, label)


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of job files."""
    from planner.job.schema import JobFile
    from robots.core.schema_numbers import json_schema_of

    return json_schema_of(JobFile)


def _validated(source: JobText) -> JobFile:
    document = source.document()
    from pydantic import ValidationError

    from planner.job.schema import JobFile

    try:
        return JobFile.model_validate(document)
    except ValidationError as error:
        raise schema_error(source, error, job_vocabulary()) from None
