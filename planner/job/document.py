"""The document of a job: tables as the job file has them, and the files that they name.

A job that is made in Python is written down here and read like every other, so that there is one
set of defaults, one set of checks, and a file that says the same.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike

from parts.part import Part, load_part, ply_bytes
from parts.points import ProbePoints, RawPoints
from parts.points.tables import frame_csv
from parts.sampling.sample import Sample
from planner.errors import JobError, OutputError
from planner.job.elements import JobInput
from planner.job.folder import meshes_base
from planner.job.part import WITH_UNIT, WITHOUT_UNIT
from robots.core.caps import reason_of
from robots.core.file_units import degrees_text, millimetres_text
from robots.core.mechanism import Mechanism
from robots.core.pose import angles_zyx, as_pose
from robots.core.robot_file.source_text import Comments, toml_text
from robots.robot import Robot, load_robot

if TYPE_CHECKING:
    from pandas import DataFrame
    from trimesh import Trimesh

    from parts.geometry import Geometry

PointsLike: TypeAlias = Union[ProbePoints, Sample, RawPoints, "DataFrame", Path, str]

_POSES = ("pose", "tool")  # keys that a (4, 4) array may stand for


class JobDocument:
    """Tables and files of a job while it is put together.

    Args:
        tables: to begin with.
        inputs: files that they name.
        comments: of the job file.
    """

    def __init__(
        self,
        tables: Mapping[str, Any] | None = None,
        inputs: Mapping[str, JobInput] | None = None,
        comments: Comments | None = None,
    ) -> None:
        self._comments = comments
        self.tables: dict[str, Any] = {"format": 1, **(tables or {})}
        self.inputs = dict(inputs or {})
        self.geometry: Geometry | None = None  # of the part, where it is in memory already

    def text(self) -> str:
        """The job file.

        Raises:
            JobError: a value that no job file holds.
        """
        return toml_text(self.tables, self._comments)

    def held(self) -> dict[str, bytes]:
        """Content of the files, by the names that the tables give them.

        Raises:
            OutputError: a file that has changed since the job was read.
        """
        return {
            name: _content(item)
            for name, item in self.inputs.items()
            if item.content is not None or item.path is not None
        }

    # --- what a job is made of -------------------------------------------------------------------

    def set_job(self, **keys: Any) -> None:
        """Set name and errata."""
        table = self.tables.setdefault("job", {})
        table |= _plain({key: list(v) if key == "errata" else v for key, v in keys.items() if v})

    def set_robot(
        self,
        robot: Robot | Mechanism | DataFrame | Path | str | None,
        settings: Mapping[str, object] | None,
    ) -> None:
        """Set the robot, where one is given, and lay the settings over [robot].

        Raises:
            JobError: a folder of meshes for a robot that is not read from a file here.
        """
        table = self.tables.setdefault("robot", {})
        settings = dict(settings or {})
        meshes: Any = settings.pop("meshes", None)  # they are held beside the robot's file
        if meshes is not None and not isinstance(robot, str | Path):
            raise JobError(
                f"meshes is {str(meshes)!r} without the path of a URDF file as robot; give the "
                "path as well, or robot=load_robot(FILE, meshes=FOLDER).",
                key="robot.meshes",
            )
        if robot is not None:
            source = load_robot(robot, meshes=meshes).source
            for key in ("tip", "meshes"):
                table.pop(key, None)
            name = source.model if source.raw is None else self._hold(source.model, source.raw)
            table["model"] = name
            for mesh in source.meshes:
                item = JobInput.of_content(mesh.name, mesh.raw, beside=name)
                self.inputs[item.name] = item
            if source.tip:
                table["tip"] = source.tip
        _lay(table, settings)

    def set_part(self, part: Part | Trimesh | Path | str | None, pose: ArrayLike | None) -> None:
        """Set the part's geometry and its pose, each where it is given."""
        table = self.tables.setdefault("part", {})
        if part is not None:
            loaded = load_part(part)
            table |= self._geometry(loaded)
            for key in ("unit", "sheets"):
                if not table.get(key):
                    table.pop(key, None)
            held, own = self.inputs[table["geometry"]], loaded.geometry
            same = (held.name, held.sha256) == (own.source, own.sha256)
            self.geometry = own if same else None
        if pose is not None:
            table["pose"] = _pose_table(pose)

    def remove_part(self) -> None:
        """Take the part's geometry away; its pose stays, as points may be in its frame."""
        table = self.tables.setdefault("part", {})
        for key in ("geometry", "unit", "sheets"):
            table.pop(key, None)
        self.geometry = None

    def set_points(
        self,
        points: PointsLike | None,
        *,
        frame: str | None = None,
        compensated: bool | None = None,
    ) -> None:
        """Set the points, their frame and what they are, each where it is given."""
        table = self.tables.setdefault("points", {})
        if points is not None:
            for key in ("point", "format", "unit"):
                table.pop(key, None)
            table["file"] = self._hold(*_point_file(points))
        if frame is not None:
            table["frame"] = frame
        if compensated is not None:
            table["compensated"] = compensated

    def set_tables(self, tables: Mapping[str, Any]) -> None:
        """Lay tables over those that are there; None takes one away."""
        for name, given in tables.items():
            if given is None:
                self.tables.pop(name, None)
                continue
            value = self._with_files(name, _plain(given, (name,)))
            if isinstance(value, dict):
                _lay(self.tables.setdefault(name, {}), value)
            else:
                self.tables[name] = value

    def _with_files(self, name: str, value: Any) -> Any:
        """A table whose files are held: obstacles of the cell, the platform of a presenter."""
        if name == "cell" and isinstance(value, dict):
            obstacles = value.get("obstacle")
            if isinstance(obstacles, list):
                return value | {"obstacle": [self._obstacle(one) for one in obstacles]}
        if name == "presenter" and isinstance(value, dict):
            platform = value.get("platform")
            if isinstance(platform, str) and platform.endswith(".toml"):
                held = self._hold(PurePath(platform).name, _read(Path(platform)))
                return value | {"platform": held}
        return value

    def _obstacle(self, table: Any) -> Any:
        if not isinstance(table, dict) or table.get("geometry") is None:
            return table
        geometry, unit = table["geometry"], table.get("unit")
        if isinstance(geometry, str):
            if geometry in self.inputs:
                return table
            held = self._hold(PurePath(geometry).name, _read(Path(geometry)))
            return table | {"geometry": held}
        own = self._geometry(load_part(geometry, unit=unit))
        return {key: v for key, v in (table | own).items() if v and key != "sheets"}

    def _geometry(self, part: Part) -> dict[str, str]:
        """The keys of a part's geometry; one that no job file can name becomes a PLY file."""
        name, raw, unit, sheets = part.file.name, part.file.raw, part.unit, part.sheets
        if PurePath(name).suffix.lower() not in WITHOUT_UNIT + WITH_UNIT:
            mesh = part.geometry.mesh
            name, raw = f"{PurePath(name).stem}.ply", ply_bytes(mesh.vertices, mesh.faces)
            unit, sheets = "m", ""
        carried = PurePath(name).suffix.lower() in WITH_UNIT
        return {
            "geometry": self._hold(name, raw),
            "unit": "" if carried else unit,
            "sheets": sheets,
        }

    def _hold(self, name: str, content: bytes) -> str:
        """Hold a file under its name, or under another where that one has another content."""
        item = JobInput.of_content(name, content)
        number = 1
        while item.name in self.inputs and self.inputs[item.name].sha256 != item.sha256:
            if item.name in self._named():
                number += 1
                other = f"{PurePath(name).stem}-{number}{PurePath(name).suffix}"
                item = JobInput.of_content(other, content)
            else:  # nothing names the earlier one any more
                break
        self.inputs[item.name] = item
        return item.name

    # --- writing ---------------------------------------------------------------------------------

    def write(self, path: Path, text: str, *, overwrite: bool) -> Path:
        """Write the job file and what it names.

        Args:
            path: of the job file.
            text: as it was read, which is kept where every name can stand in the new folder.
            overwrite: whether files of another content are replaced.
        """
        moved = {
            item.name: PurePosixPath(item.name.replace("\\", "/")).name
            for item in self._files()
            if not item.beside and not _stands_inside(item.name)
        }
        for folder in _mesh_folders(self.tables):
            if not _stands_inside(folder):
                moved[folder] = f"{PurePosixPath(folder).name or 'meshes'}/"
        moved |= {
            item.name: _beside(item, moved[item.beside])
            for item in self._files()
            if item.beside in moved
        }
        for old, new in moved.items():
            if any(
                new in (item.name, moved.get(item.name))
                for item in self._files()
                if item.name != old
            ):
                raise OutputError(
                    f"{old!r} of the job cannot be written as {new!r}, which another file of the "
                    "job is called; rename one.",
                    input=old,
                )
        if moved:
            text = toml_text(_renamed(self.tables, moved))
        files = {
            path.parent / moved.get(item.name, item.name): _content(item) for item in self._files()
        }
        files[path] = text.encode("utf-8")
        try:
            fresh = [one for one in files if _is_fresh(one, files[one], overwrite=overwrite)]
            for one in fresh:
                one.parent.mkdir(parents=True, exist_ok=True)
                one.write_bytes(files[one])
        except OSError as error:
            raise OutputError(
                f"The job cannot be written to {path}: {reason_of(error)}.", file=str(path)
            ) from error
        return path

    def _files(self) -> list[JobInput]:
        """The files that the tables name."""
        named = self._named()
        return [
            item
            for item in self.inputs.values()
            if (item.beside or item.name) in named
            and (item.content is not None or item.path is not None)
        ]

    def _named(self) -> set[str]:
        return set(_file_names(self.tables))


def _file_names(tables: Mapping[str, Any]) -> Iterator[str]:
    """Texts in the places where a job file names files."""
    for table, key in (
        *(("robot", "model"), ("part", "geometry"), ("points", "file")),
        ("presenter", "platform"),
    ):
        name = (tables.get(table) or {}).get(key)
        if isinstance(name, str):
            yield name
    yield from _mesh_folders(tables)
    for obstacle in (tables.get("cell") or {}).get("obstacle") or ():
        if isinstance(obstacle.get("geometry"), str):
            yield obstacle["geometry"]


def _mesh_folders(tables: Mapping[str, Any]) -> Iterator[str]:
    """The folder of meshes, where there is one, as what lies in it is ``beside``."""
    folder = (tables.get("robot") or {}).get("meshes")
    if isinstance(folder, str):
        yield meshes_base(folder)


def _renamed(tables: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Tables with other names for files; a library name is never among them."""
    fresh = {
        name: dict(table) if isinstance(table, dict) else table for name, table in tables.items()
    }
    for table, key in (
        *(("robot", "model"), ("part", "geometry"), ("points", "file")),
        ("presenter", "platform"),
    ):
        if table in fresh and fresh[table].get(key) in names:
            fresh[table][key] = names[fresh[table][key]]
    for folder in _mesh_folders(tables):
        if folder in names:
            fresh["robot"]["meshes"] = names[folder].rstrip("/")
    if "obstacle" in (fresh.get("cell") or {}):
        fresh["cell"]["obstacle"] = [
            one | {"geometry": names[one["geometry"]]} if one.get("geometry") in names else one
            for one in fresh["cell"]["obstacle"]
        ]
    return fresh


def _stands_inside(name: str) -> bool:
    """Whether a name leads into the job's own folder wherever that is."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name


def _beside(item: JobInput, name: str) -> str:
    """Where a file goes with the one that names it, which is written under another name.

    Raises:
        OutputError: it does not lie in that file's folder, so that it would not be found again.
    """
    folder = posixpath.dirname(item.beside.replace("\\", "/")) or "."
    path = posixpath.relpath(item.name, folder)
    if path.startswith("../"):
        raise OutputError(
            f"{item.name!r}, a mesh that {item.beside!r} names, lies outside that file's folder, "
            "so a copy of the job would not find it; write the robot as TOML (robot show --as "
            "toml) and name that in the job.",
            input=item.name,
        )
    return posixpath.normpath(posixpath.join(posixpath.dirname(name) or ".", path))


def _content(item: JobInput) -> bytes:
    """Bytes of an input, which must be those that the job was read with."""
    if item.content is not None:
        return item.content
    content = _read(item.path or Path(item.name))
    if hashlib.sha256(content).hexdigest() != item.sha256:
        raise OutputError(
            f"{item.name!r} has changed since the job was read; read the job again.",
            input=item.name,
        )
    return content


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise JobError(f"{path}: the file cannot be read: {reason_of(error)}.") from error


def _is_fresh(path: Path, content: bytes, *, overwrite: bool) -> bool:
    """Whether a file is to be written: it is not there yet, or may be replaced.

    Raises:
        OutputError: it is there with another content.
    """
    if not path.is_file():
        return True
    if path.read_bytes() == content:
        return False
    if not overwrite:
        raise OutputError(
            f"{path} is there already, with another content; choose another folder, or "
            "overwrite = True.",
            file=str(path),
        )
    return True


def _point_file(points: PointsLike) -> tuple[str, bytes]:
    """Name and content of the point file that holds points."""
    if isinstance(points, str | Path):
        return Path(points).name, _read(Path(points))
    if isinstance(points, ProbePoints | Sample):
        from parts.points.csv_file import points_csv

        plain = points if isinstance(points, ProbePoints) else points.points
        return "points.csv", points_csv(plain).encode()
    if isinstance(points, RawPoints):
        if points.has_normal.all():
            return _point_file(points.points)
        return "points.csv", frame_csv(points.to_frame())
    if hasattr(points, "columns"):
        return "points.csv", frame_csv(points)
    raise JobError(
        f"The points are a {type(points).__name__}; expected a DataFrame with the columns of a "
        "point file, probe points, a sample, or the path of a point file.",
        found=type(points).__name__,
    )


def _lay(table: dict[str, Any], over: Mapping[str, Any]) -> None:
    """Lay keys over a table, sub-tables key by key; None takes a key away."""
    for key, value in _plain(over).items():
        if value is None:
            table.pop(key, None)
        elif isinstance(value, dict) and isinstance(table.get(key), dict) and key not in _POSES:
            _lay(table[key], value)
        else:
            table[key] = value


def _plain(value: Any, path: tuple[str, ...] = ()) -> Any:
    """A value as TOML has it: arrays as lists, a pose of sixteen numbers as its table.

    A part or mesh may stand for a geometry file.

    Raises:
        JobError: a value that no job file holds.
    """
    key = path[-1] if path else ""
    if isinstance(value, Mapping):
        return {str(name): _plain(item, (*path, str(name))) for name, item in value.items()}
    if key in _POSES and not isinstance(value, str) and np.shape(value) == (4, 4):
        return _pose_table(value)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist(), path)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, list | tuple):
        return [_plain(item, path) for item in value]
    if value is None or isinstance(value, str | bool | int | float | Decimal):
        return value
    if key == "geometry":
        return value
    raise JobError(
        f"{'.'.join(path)} is {value!r}; a job file holds texts, numbers, lists and tables only.",
        key=".".join(path),
    )


def _pose_table(pose: ArrayLike) -> dict[str, Any]:
    """A pose with every digit, in the keys of a job file.

    Raises:
        PoseError: not a pose.
    """
    T = as_pose(pose, "The pose")
    angles = angles_zyx(T[:3, :3]).angles.tolist()
    return {
        "translation_mm": [Decimal(millimetres_text(value)) for value in T[:3, 3].tolist()],
        "rotation_zyx_deg": [Decimal(degrees_text(value)) for value in angles],
    }
