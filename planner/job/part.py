"""``[part]`` of a job file → pose and geometry of the workpiece."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from planner.job.elements import JobInput, PlacedPart
from planner.job.folder import JobFolder
from planner.job.job_text import JobText
from robots.core.robot_file.joint_tables import pose_of
from robots.core.schema_problems import KeyPath

if TYPE_CHECKING:
    from planner.job.schema import JobFile

_GEOMETRY = ("part", "geometry")
WITHOUT_UNIT = (".stl", ".obj", ".ply")
WITH_SHEETS = (".step", ".stp")
WITH_UNIT = (".glb", ".3mf", ".step", ".stp")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPart:
    """The part of a job and the files it came from."""

    part: PlacedPart
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
        check_format(table.geometry, table.unit, folder.source, ("part",))
        _check_sheets(table.geometry, table.sheets, folder.source)
        records = (folder.hashed(table.geometry, _GEOMETRY),)
    part = PlacedPart(
        T_base_part=pose_of(table.pose),
        geometry=table.geometry or "",
        unit=table.unit or "",
        posed="pose" in table.model_fields_set,
    )
    return JobPart(part=part, records=records)


def check_format(name: str, unit: str | None, source: JobText, table: KeyPath) -> None:
    """Refuse a geometry file that cannot be read, by its name.

    Args:
        name: of the file.
        unit: that the job gives, or None.
        source: for messages.
        table: where ``geometry`` and ``unit`` stand.

    Raises:
        JobError: an ending that is not known, a unit that is missing.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix not in WITHOUT_UNIT + WITH_UNIT:
        known = ", ".join(WITHOUT_UNIT + WITH_UNIT)
        raise source.error(
            (*table, "geometry"), f"is {name!r}; expected a file ending in one of {known}."
        )
    if suffix in WITHOUT_UNIT and unit is None:
        raise source.error(
            (*table, "unit"),
            f'is missing; {suffix[1:].upper()} files carry no unit. Give "mm", "cm", "m" or "in".',
        )


def _check_sheets(name: str, sheets: str | None, source: JobText) -> None:
    if sheets is not None and PurePath(name).suffix.lower() not in WITH_SHEETS:
        raise source.error(
            ("part", "sheets"),
            f"is {sheets!r}, but {name!r} is no STEP file; only STEP tells solids from sheets. "
            "Remove it.",
            found=sheets,
        )
