"""``[part]`` of a job file → pose and geometry of the workpiece."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from planner.job.folder import JobFolder
from planner.job.job import JobInput, Part
from robots.core.robot_file.joints import pose_of

if TYPE_CHECKING:
    from planner.job.schema import JobFile

_GEOMETRY = ("part", "geometry")
WITHOUT_UNIT = (".stl", ".obj", ".ply")
WITH_UNIT = (".glb", ".3mf", ".step", ".stp")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPart:
    """The part of a job and the files it came from."""

    part: Part
    records: tuple[JobInput, ...]


def job_part(file: JobFile, folder: JobFolder) -> JobPart:
    """The part of a job.

    That its geometry exists, that its ending is known and that its unit is settled is checked, and
    its bytes are hashed; ``planner.job.surface`` reads it.

    Raises:
        JobError: a file that does not exist, an ending that is not known, a unit that is missing.
    """
    table = file.part
    records: tuple[JobInput, ...] = ()
    if table.geometry is not None:
        suffix = PurePath(table.geometry).suffix.lower()
        if suffix not in WITHOUT_UNIT + WITH_UNIT:
            known = ", ".join(WITHOUT_UNIT + WITH_UNIT)
            raise folder.source.error(
                _GEOMETRY, f"is {table.geometry!r}; expected a file ending in one of {known}."
            )
        if suffix in WITHOUT_UNIT and table.unit is None:
            raise folder.source.error(
                ("part", "unit"),
                f'is missing; {suffix[1:].upper()} files carry no unit. Give "mm", "cm", "m" or '
                '"in".',
            )
        records = (folder.hashed(table.geometry, _GEOMETRY),)
    part = Part(
        T_base_part=pose_of(table.pose), geometry=table.geometry or "", unit=table.unit or ""
    )
    return JobPart(part=part, records=records)
