"""``[part]`` of a job file → pose and geometry of the workpiece."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import numpy as np

from parts.errors import PartError
from parts.points import ProbePoints, check_scale, with_surface_normals
from planner.errors import JobError
from planner.job.elements import Frame, JobInput, PartSurface, PlacedPart, Presenter
from planner.job.folder import JobFolder
from planner.job.job_text import JobText
from planner.job.settings import Probe
from planner.job.solids import Cell, Solid, SolidKind
from robots.core.arrays import Array
from robots.core.caps import Cap
from robots.core.errors import RobotError
from robots.core.file_units import metres
from robots.core.pose import inverse_pose, transform_directions, transform_points
from robots.core.robot_file.joint_tables import pose_of
from robots.core.schema_problems import KeyPath, nearest

if TYPE_CHECKING:
    from parts.geometry import Geometry, Sheets, TriangleMesh
    from planner.job.schema import JobFile, ObstacleTable
    from robots.stewart.platform import Platform

_GEOMETRY = ("part", "geometry")
WITHOUT_UNIT = (".stl", ".obj", ".ply")
WITH_SHEETS = (".step", ".stp")
WITH_UNIT = (".glb", ".3mf", ".step", ".stp")
PART = "part"
_OBSTACLE = ("cell", "obstacle")
# Corners of the cube of edge 1 about its middle, by the bits of their index; outward triangles.
_CORNERS = np.array([[(i >> axis & 1) - 0.5 for axis in range(3)] for i in range(8)])
_SIDES = np.array([[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1],
                   [4, 5, 7, 6]])  # fmt: skip
_TRIANGLES = np.concatenate([_SIDES[:, [0, 1, 2]], _SIDES[:, [0, 2, 3]]])
_PLATFORM = ("presenter", "platform")
_MICRO = 1e-3  # of a millimetre


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPart:
    """The part of a job and the files it came from."""

    part: PlacedPart
    records: tuple[JobInput, ...]


def job_part(file: JobFile, folder: JobFolder) -> JobPart:
    """The part of a job.

    That its geometry exists, that its ending is known and that its unit is settled is checked, and
    its bytes are hashed; ``planner.job.part`` reads it.

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JobCell:
    """The cell of a job and the files its obstacles came from."""

    cell: Cell
    records: tuple[JobInput, ...]


def job_cell(
    file: JobFile, folder: JobFolder, part: PlacedPart, geometry: Geometry | None
) -> JobCell:
    """The cell of a job: the part, if it has a geometry, then the obstacles.

    Args:
        file: the job file.
        folder: where it stands.
        part: its pose.
        geometry: of the part, in the part's frame.

    Raises:
        JobError: an obstacle without a shape or with two, a name twice, a geometry file with a
            fault, a shape that is moved out of any cell.
    """
    solids: list[Solid] = []
    records: list[JobInput] = []
    if geometry is not None:
        mesh = _moved(geometry.mesh, part.T_base_part, folder, ("part", "pose"))
        closed = geometry.audit.watertight
        solids.append(Solid(name=PART, kind=SolidKind.PART, mesh=mesh, closed=closed))
    for place, table in enumerate(file.cell.obstacle):
        path = (*_OBSTACLE, place)
        _check(table, [solid.name for solid in solids], folder, path)
        if table.geometry is not None:
            records.append(folder.hashed(table.geometry, (*path, "geometry")))
        solids.append(_obstacle(table, folder, path))
    return JobCell(cell=Cell(solids=tuple(solids)), records=tuple(records))


def box_mesh(size: Array) -> TriangleMesh:
    """A closed box about the origin. Args: size, its edges along x, y, z. # (3,) [m]."""
    from parts.geometry import TriangleMesh

    return TriangleMesh(vertices=_CORNERS * size, faces=_TRIANGLES)


def _check(table: ObstacleTable, taken: list[str], folder: JobFolder, path: KeyPath) -> None:
    error = folder.source.error
    if table.name in (PART, *taken):
        reason = "the part's name" if table.name == PART else "an earlier obstacle's name"
        raise error((*path, "name"), f"is {table.name!r}, {reason}; rename it.", found=table.name)
    if table.geometry is None and table.box_mm is None:
        raise error((*path, "geometry"), "is missing; give a geometry file, or box_mm = [x, y, z].")
    if table.geometry is not None and table.box_mm is not None:
        raise error((*path, "box_mm"), "stands beside geometry; give one of the two.")
    if table.box_mm is not None and table.unit is not None:
        raise error(
            (*path, "unit"), "is the unit of a geometry file, but there is none; remove it."
        )
    if table.geometry is not None:
        check_format(table.geometry, table.unit, folder.source, path)


def _obstacle(table: ObstacleTable, folder: JobFolder, path: KeyPath) -> Solid:
    kind = SolidKind.KEEP_OUT if table.keep_out else SolidKind.OBSTACLE
    if table.box_mm is not None:
        mesh, closed = box_mesh(np.array([metres(edge) for edge in table.box_mm])), True
    else:
        read = _read(table, folder, (*path, "geometry"))
        mesh, closed = read.mesh, read.audit.watertight
    mesh = _moved(mesh, pose_of(table.pose), folder, (*path, "pose"))
    return Solid(name=table.name, kind=kind, mesh=mesh, closed=closed)


def _read(table: ObstacleTable, folder: JobFolder, key: KeyPath) -> Geometry:
    from parts.geometry.load import geometry_of

    name = table.geometry or ""
    # what an obstacle has beside its solids stands there, too
    sheets: Sheets | None = "include" if PurePath(name).suffix.lower() in WITH_SHEETS else None
    try:
        return geometry_of(folder.geometry_file(name, key), unit=table.unit, sheets=sheets)
    except PartError as error:
        raise folder.source.error(
            key, f"is {name!r}, which cannot be read: {error.message}", **error.facts
        ) from error


def _moved(mesh: TriangleMesh, T: Array, folder: JobFolder, key: KeyPath) -> TriangleMesh:
    from parts.geometry import TriangleMesh

    try:
        return TriangleMesh(vertices=transform_points(T, mesh.vertices), faces=mesh.faces)
    except PartError as error:
        raise folder.source.error(key, f"cannot be used: {error.message}", **error.facts) from error


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
    geometry: Geometry | None, points: ProbePoints, part: PlacedPart, frame: Frame, probe: Probe
) -> PartSurface | None:
    """What the part's surface says of the points; None without geometry.

    Of centres of the ball it is the surface points they stand for that are compared with the part.

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
    if not probe.compensated:
        there = replace(there, positions=there.positions - probe.ball_radius * there.normals)
    return PartSurface(audit=geometry.audit, normals=with_surface_normals(there, geometry)[1])


def _in_part(points: ProbePoints, part: PlacedPart) -> ProbePoints:
    T_part_base = inverse_pose(part.T_base_part)
    return ProbePoints(
        names=points.names,
        positions=transform_points(T_part_base, points.positions),
        normals=transform_directions(T_part_base, points.normals),
        features=points.features,
    )


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
