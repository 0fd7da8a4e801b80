"""``[points]`` of a job file → probe points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from parts.errors import PartError, PointsError
from parts.points import (
    Compensation,
    PointSource,
    ProbePoints,
    RawPoints,
    check_scale,
    read_raw_points,
    surface_points,
    with_surface_normals,
)
from planner.errors import JobError
from planner.job.elements import JobInput
from planner.job.folder import JobFolder
from robots.core.caps import Cap
from robots.core.file_units import metres

if TYPE_CHECKING:
    from planner.job.schema import JobFile, PointTable
    from planner.job.surface import JobGeometry

_FILE = ("points", "file")
_POINT = ("points", "point")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPoints:
    """The points of a job and the files they came from.

    Args:
        points: of the job.
        records: of the files.
        source: how the point file was read; None for points in the job file.
    """

    points: ProbePoints
    records: tuple[JobInput, ...]
    source: PointSource | None = None


def job_points(file: JobFile, folder: JobFolder, geometry: JobGeometry) -> JobPoints:
    """The points of a job, from its point file or its ``[[points.point]]`` tables.

    Raises:
        JobError: neither or both; a point file or a point with a fault; a ball without word on
            whether points are compensated for it; a point file that says otherwise; normals that
            are missing where no surface gives them.
    """
    table = file.points
    if table.compensated is None and file.probe.ball_diameter_mm:
        raise folder.source.error(
            ("points", "compensated"),
            f"is missing; with a ball of {file.probe.ball_diameter_mm} mm it must be said: true if "
            "the points lie on the surface, false if they are centres of the ball.",
        )
    if table.file is None and table.unit is not None:
        raise folder.source.error(
            ("points", "unit"), "is the unit of a point file, but there is none; remove it."
        )
    if table.file is None and table.format != "auto":
        raise folder.source.error(
            ("points", "format"), "is the format of a point file, but there is none; remove it."
        )
    if table.file is not None and table.point:
        raise folder.source.error(_FILE, "stands beside [[points.point]]; give one of the two.")
    if table.file is not None:
        return _of_file(table.file, file, folder, geometry)
    if not table.point:
        raise folder.source.error(
            _FILE, "is missing; give a point file, or points as [[points.point]] tables."
        )
    return JobPoints(points=_of_tables(table.point, folder), records=())


def _of_file(name: str, file: JobFile, folder: JobFolder, geometry: JobGeometry) -> JobPoints:
    content = folder.read(name, _FILE, cap=Cap.POINT_BYTES)
    unit = file.points.unit
    try:
        found = read_raw_points(
            content.raw,
            origin=content.path.name,
            unit=unit,
            format=file.points.format,
            choice="nominal",
        )
        found, told = _with_normals(found, file, geometry)
        found = _settled(found, file, folder)
        points = found.points
    except PartError as error:
        raise JobError(error.message, **error.facts) from error
    source = replace(found.source, notes=(*found.source.notes, *told))
    return JobPoints(points=points, records=(content.record,), source=source)


def _settled(found: RawPoints, file: JobFile, folder: JobFolder) -> RawPoints:
    """Points of which file and job say the same: on the surface, or centres of the job's ball."""
    if found.source.compensation is Compensation.CENTRE and found.source.ball_diameter is not None:
        found = surface_points(found)  # the ball they were measured with may be another one
    source, stated = found.source, file.points.compensated
    if source.contradictable:
        return found
    if source.compensation is Compensation.SURFACE and stated is False:
        raise folder.source.error(
            ("points", "compensated"),
            f"is false, but the points of {source.origin} lie on the surface, as {source.format} "
            "files give them; set it to true.",
        )
    if source.compensation is Compensation.CENTRE and stated is not False:
        raise folder.source.error(
            ("points", "compensated"),
            f"must be false: the coordinates of {source.origin} are centres of the ball, as "
            f"{source.format} files give them; give probe.ball_diameter_mm too.",
        )
    return found


def _with_normals(
    found: RawPoints, file: JobFile, geometry: JobGeometry
) -> tuple[RawPoints, tuple[str, ...]]:
    """Points with the part's normals where their own are missing, and what the surface says."""
    if found.has_normal.all() or file.points.frame != "part" or geometry.loaded is None:
        return found, ()
    check_scale(found, geometry.loaded)
    points, report = with_surface_normals(found, geometry.loaded)
    return found.filled(points), report.sentences()


def _of_tables(tables: Sequence[PointTable], folder: JobFolder) -> ProbePoints:
    try:
        return ProbePoints(
            names=tuple(table.name for table in tables),
            positions=np.array([[metres(v) for v in (t.x_mm, t.y_mm, t.z_mm)] for t in tables]),
            normals=np.array([[float(v) for v in (t.nx, t.ny, t.nz)] for t in tables]),
            features=tuple(table.feature for table in tables),
        )
    except PointsError as error:
        row = error.fact("row", int)
        path = (*_POINT, row) if row is not None else _POINT
        raise folder.source.error(
            path, f"cannot be used: {error.message}", **error.facts
        ) from error
