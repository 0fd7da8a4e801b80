"""``[presenter]`` of a job file → the hexapod that holds the part before the robot."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from planner.job.elements import JobInput, PlacedPart, Presenter
from planner.job.folder import JobFolder
from robots.core.caps import Cap
from robots.core.errors import RobotError
from robots.core.file_units import metres
from robots.core.robot_file.joint_tables import pose_of
from robots.core.schema_problems import nearest

if TYPE_CHECKING:
    from planner.job.schema import JobFile
    from robots.stewart.platform import Platform


_PLATFORM = ("presenter", "platform")
_MICRO = 1e-3  # of a millimetre


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPresenter:
    """The presenter of a job, the part on it, and the file or library entry it came from.

    Args:
        presenter: None where the job has none.
        part: its pose is that before the robot, the platform at home.
        records: of the platform.
    """

    presenter: Presenter | None
    part: PlacedPart
    records: tuple[JobInput, ...] = ()


def job_presenter(file: JobFile, folder: JobFolder, part: PlacedPart) -> JobPresenter:
    """The presenter of a job. ``part`` comes with T_platform_part where there is one.

    Raises:
        JobError: points in the base frame, no such platform, a platform file with a fault.
    """
    table = file.presenter
    if table is None:
        return JobPresenter(presenter=None, part=part)
    if file.points.frame != "part":
        raise folder.source.error(
            ("points", "frame"),
            'is "base", but a presenter moves the part and its points with it; give the points in '
            'part axes with frame = "part", or remove [presenter].',
            found=file.points.frame,
        )
    platform, record = _opened(table.platform, folder)
    presenter = Presenter(
        model=table.platform,
        platform=platform,
        T_base_hexapod=pose_of(table.pose),
        T_platform_part=part.T_base_part,
        length_sigma=metres(table.length_sigma_um) * _MICRO,
        part_mass=float(table.part_mass_kg),
        most_poses=table.most_poses,
        seed=table.seed,
    )
    placed = replace(part, T_base_part=presenter.T_base_part(platform.home))
    return JobPresenter(presenter=presenter, part=placed, records=(record,))


def _opened(model: str, folder: JobFolder) -> tuple[Platform, JobInput]:
    from robots.stewart.library import names, text_of
    from robots.stewart.platform_file import read_platform

    try:
        if model in names():
            text, record = text_of(model), None
        elif Path(model).suffix.lower() == ".toml":
            found = folder.read(model, _PLATFORM, cap=Cap.ROBOT_BYTES)
            text, record = found.raw.decode("utf-8-sig"), found.record
        else:
            raise folder.source.error(
                _PLATFORM,
                f"is {model!r}, which is neither a library platform nor a path ending in .toml; "
                f"{nearest(model, names())}",
                found=model,
            )
        platform = read_platform(text, origin=f"{Path(model).stem}.toml")
    except UnicodeDecodeError as error:
        raise folder.source.error(
            _PLATFORM, f"is {model!r}, of which byte {error.start + 1} is not UTF-8."
        ) from None
    except RobotError as error:
        raise folder.source.error(
            _PLATFORM, f"is {model!r}, which has a fault.\n{error.message}", **error.facts
        ) from error
    own = JobInput(name=model, sha256=hashlib.sha256(text.encode()).hexdigest())
    return platform, record or own
