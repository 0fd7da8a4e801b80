"""``[points]`` of a job file → probe points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parts.errors import PointsError
from parts.point_file import MAX_BYTES, points_of
from parts.points import ProbePoints
from planner.errors import JobError
from planner.job.folder import JobFolder
from planner.job.job import JobInput
from robots.core.file_units import metres

if TYPE_CHECKING:
    from planner.job.schema import JobFile, PointTable

_FILE = ("points", "file")
_POINT = ("points", "point")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPoints:
    """The points of a job and the files they came from."""

    points: ProbePoints
    records: tuple[JobInput, ...]


def job_points(file: JobFile, folder: JobFolder) -> JobPoints:
    """The points of a job, from its point file or its ``[[points.point]]`` tables.

    Raises:
        JobError: neither or both; a point file or a point with a fault; a ball without word on
            whether points are compensated for it.
    """
    table = file.points
    if table.compensated is None and file.probe.ball_diameter_mm:
        raise folder.source.error(
            ("points", "compensated"),
            f"is missing; with a ball of {file.probe.ball_diameter_mm} mm it must be said: true if "
            "the points lie on the surface, false if they are centres of the ball.",
        )
    if table.file is not None and table.point:
        raise folder.source.error(_FILE, "stands beside [[points.point]]; give one of the two.")
    if table.file is not None:
        return _of_file(table.file, folder)
    if not table.point:
        raise folder.source.error(
            _FILE, "is missing; give a point file, or points as [[points.point]] tables."
        )
    return JobPoints(points=_of_tables(table.point, folder), records=())


def _of_file(name: str, folder: JobFolder) -> JobPoints:
    found = folder.read(name, _FILE, most=MAX_BYTES)
    try:
        points = points_of(found.raw, origin=found.path.name)
    except PointsError as error:
        raise JobError(error.message, **error.facts) from error
    return JobPoints(points=points, records=(found.record,))


def _of_tables(tables: Sequence[PointTable], folder: JobFolder) -> ProbePoints:
    try:
        return ProbePoints(
            names=tuple(table.name for table in tables),
            positions=np.array([[metres(v) for v in (t.x_mm, t.y_mm, t.z_mm)] for t in tables]),
            normals=np.array([[float(v) for v in (t.nx, t.ny, t.nz)] for t in tables]),
            features=tuple(table.feature for table in tables),
        )
    except PointsError as error:
        row = error.facts.get("row")
        path = (*_POINT, row) if isinstance(row, int) else _POINT
        raise folder.source.error(
            path, f"cannot be used: {error.message}", **error.facts
        ) from error
