"""The part's geometry beside the points: loaded once, examined, and remembered on the job."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from parts.errors import PartError
from parts.points import ProbePoints, check_scale, with_surface_normals
from planner.errors import JobError
from planner.job.elements import Frame, PartSurface, PlacedPart
from planner.job.folder import JobFolder
from robots.core.pose import inverse_pose, transform_directions, transform_points

if TYPE_CHECKING:
    from parts.geometry import Geometry
    from planner.job.schema import JobFile


@dataclass(frozen=True, kw_only=True, eq=False)
class JobGeometry:
    """The geometry that a job names, loaded when it is first asked for."""

    file: JobFile
    folder: JobFolder
    given: Geometry | None = None  # of a part that is in memory already

    @cached_property
    def loaded(self) -> Geometry | None:
        """The geometry; None where the job names none.

        Raises:
            JobError: a file that cannot be read as geometry.
        """
        name = self.file.part.geometry
        if name is None:
            return None
        if self.given is not None:
            return self.given
        from parts.geometry.load import geometry_of

        try:
            return geometry_of(
                self.folder.geometry_file(name, ("part", "geometry")),
                unit=self.file.part.unit,
                sheets=self.file.part.sheets,
            )
        except PartError as error:
            raise JobError(error.message, **error.facts) from error


def examined(
    geometry: Geometry | None, points: ProbePoints, part: PlacedPart, frame: Frame
) -> PartSurface | None:
    """What the part's surface says of the points; None without geometry.

    Raises:
        JobError: points and geometry that differ by a factor of about 1000.
    """
    if geometry is None:
        return None
    there = points if frame == "part" else _in_part(points, part)
    try:
        check_scale(there, geometry)
    except PartError as error:
        raise JobError(error.message, **error.facts) from error
    return PartSurface(audit=geometry.audit, normals=with_surface_normals(there, geometry)[1])


def _in_part(points: ProbePoints, part: PlacedPart) -> ProbePoints:
    T_part_base = inverse_pose(part.T_base_part)
    return ProbePoints(
        names=points.names,
        positions=transform_points(T_part_base, points.positions),
        normals=transform_directions(T_part_base, points.normals),
        features=points.features,
    )
