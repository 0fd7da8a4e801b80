"""Mesh files of a URDF: found inside given folders only, and read as triangles in metres."""

from __future__ import annotations

import posixpath
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import numpy as np

from robots.core.arrays import Array, Indices, freeze_field
from robots.core.caps import Cap, read_capped, reason_of
from robots.core.errors import MeshError, MissingMeshError, UnreadMeshError

_SUFFIXES = (".stl", ".obj", ".dae")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_UNIT = re.compile(rb"<unit\b[^>]*?\bmeter\s*=\s*[\"']([^\"']*)[\"']")
_HEADER = 84  # bytes of a binary STL file before its triangles of 50 bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshFile:
    """A mesh file that a URDF names.

    Args:
        reference: as the URDF names it.
        name: where a copy of the URDF finds it: package/path, or the path, from the URDF's folder.
        raw: its bytes.
        path: where it was read; None where memory holds it.
    """

    reference: str
    name: str
    raw: bytes = field(repr=False)
    path: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Triangles:
    """A triangle mesh.

    Args:
        vertices: # (v, 3) [m]
        faces: corners of each triangle. # (f, 3)
    """

    vertices: Array
    faces: Indices

    def __post_init__(self) -> None:
        freeze_field(self, "vertices", np.asarray(self.vertices, dtype=np.float64))
        freeze_field(self, "faces", np.asarray(self.faces, dtype=np.int64))


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshFolder:
    """Where the meshes of a URDF are sought, and nowhere else.

    ``package://NAME/PATH`` is NAME/PATH or PATH in the folder, or PATH in the nearest of its
    parents that is called NAME; a relative path starts from the URDF's folder. Links are followed
    before it is judged whether a file lies inside.

    Args:
        folder: of the URDF file; None where memory holds it.
        extra: another folder (``--meshes``), sought first.
        within: folder that nothing may leave; None for no further bound.
        held: content of mesh files in memory, by ``MeshFile.name``.
        advice: how the user names another folder, as the end of a sentence.
    """

    folder: Path | None
    extra: Path | None = None
    within: Path | None = None
    held: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    advice: str = "name the folder that holds it with --meshes FOLDER"

    @classmethod
    def beside(cls, urdf: Path, extra: Path | str | None = None) -> MeshFolder:
        """The folders of a URDF file.

        Args:
            urdf: the file.
            extra: another folder that meshes are sought in, first.

        Raises:
            MeshError: the other folder is none.
        """
        if extra is None:
            return cls(folder=urdf.parent)
        folder = Path(extra)
        if not folder.is_dir():
            reason = "is a file" if folder.exists() else "does not exist"
            raise MeshError(
                f"The folder of meshes {str(extra)!r} {reason}; give the folder that holds the "
                "packages or files that the URDF names.",
                folder=str(extra),
            )
        return cls(folder=urdf.parent, extra=folder)

    def read(self, reference: str, *, spent: int = 0) -> MeshFile:
        """Find and read the file that a URDF names.

        Args:
            reference: as the URDF names it.
            spent: bytes that other meshes of the robot took.

        Raises:
            MissingMeshError: it is in none of the folders.
            MeshError: it leads out of them, is of another format or too large.
        """
        package, path = _parts(reference)
        suffix = PurePosixPath(path).suffix.lower()
        if suffix not in _SUFFIXES:
            raise UnreadMeshError(
                f"The mesh {_short(reference)} ends in {suffix or 'nothing'!r}; STL, OBJ and DAE "
                "files are read.",
                mesh=reference,
            )
        name = posixpath.join(package, path) if package else path
        if name in self.held:
            return MeshFile(reference=reference, name=name, raw=self.held[name])
        found = self._find(reference, package, path)
        try:
            raw = read_capped(found, Cap.LINK_MESH_BYTES, spent=spent)
        except OSError as error:
            raise MeshError(
                f"The mesh {_short(reference)} cannot be read: {reason_of(error)}.",
                mesh=reference,
                place=str(found),
            ) from error
        return MeshFile(reference=reference, name=name, raw=raw, path=found)

    def _find(self, reference: str, package: str, path: str) -> Path:
        sought: list[Path] = []
        outside: list[Path] = []
        roots = [root for root in (self.extra, self.folder) if root is not None]
        for candidate, root in self._candidates(package, path):
            inside = [root] if package else roots
            try:
                real = candidate.resolve()
                if not real.is_file():
                    sought.append(candidate)
                    continue
                held = any(real.is_relative_to(one.resolve()) for one in inside)
                bound = self.within is None or real.is_relative_to(self.within.resolve())
            except (OSError, ValueError, RuntimeError) as error:
                raise MeshError(
                    f"The mesh {_short(reference)} is no usable path: {error}.", mesh=reference
                ) from None
            if held and bound:
                return real
            outside.append(candidate)
        if outside:
            # A job says which folder is its own: to leave it is the user's to allow.
            kind = UnreadMeshError if self.within is None else MeshError
            raise kind(
                f"The mesh {_short(reference)} leads out of the folder that meshes may lie in "
                f"({self.within or roots[-1]}); move it there, or {self.advice}.",
                mesh=reference,
                place=str(outside[0]),
            )
        places = tuple(dict.fromkeys(map(str, sought)))
        raise MissingMeshError(
            f"The mesh {_short(reference)} is missing; it was sought as "
            f"{', '.join(places) or 'memory'}. Put it there, or {self.advice}.",
            mesh=reference,
            sought=places,
        )

    def _candidates(self, package: str, path: str) -> Iterator[tuple[Path, Path]]:
        """Places to look in, and the folder that each may not leave."""
        for root in (self.extra, self.folder):
            if root is None:
                continue
            if package:
                yield root / package / path, root
            yield root / path, root
        if package and self.folder is not None:
            folder = self.folder.absolute()
            for parent in (folder, *folder.parents):
                if parent.name == package:
                    yield parent / path, parent
                    break


def _parts(reference: str) -> tuple[str, str]:
    """Package, empty for none, and path of a reference, without dots that lead nowhere."""
    package, path = "", reference.replace("\\", "/")
    if match := _SCHEME.fullmatch(path):
        scheme, path = match[1].lower(), unquote(match[2])
        if scheme in ("package", "model"):
            package, _, path = path.partition("/")
            path = posixpath.normpath(path) if path else ""
            if package in ("", ".", "..") or not path or path.split("/")[0] in ("..", ""):
                raise UnreadMeshError(
                    f"The mesh {_short(reference)} leads out of its package; expected "
                    "package://NAME/PATH.",
                    mesh=reference,
                )
        elif scheme != "file":
            raise UnreadMeshError(
                f"The mesh {_short(reference)} is named by {scheme}://; only files and package:// "
                "are read.",
                mesh=reference,
            )
    if "\0" in path or not path:
        raise UnreadMeshError(f"The mesh {_short(reference)} is no usable path.", mesh=reference)
    return package, posixpath.normpath(path)


def _short(reference: str) -> str:
    return repr(reference if len(reference) <= 200 else f"{reference[:200]}…")


# ------------------------------------------------------------------------------------------ Reading


def read_triangles(file: MeshFile, *, spent: int = 0) -> Triangles:
    """Read a mesh file in its own axes, DAE in metres by its unit; other files state none.

    The "up" axis of a DAE file is not applied, as in the viewers that URDF is written for.

    Args:
        file: STL, OBJ or DAE.
        spent: triangles that other meshes of the robot took.

    Raises:
        UnreadMeshError: no triangles.
        MeshError: not a mesh, or too many triangles.
    """
    import trimesh

    suffix = PurePosixPath(file.name).suffix.lower().lstrip(".")
    scale = 1.0
    _check_count(file, _stated_triangles(file.raw) if suffix == "stl" else 0, spent)
    if suffix == "dae":
        scale = _dae_unit(file)
    try:
        scene = trimesh.load_scene(
            BytesIO(file.raw), file_type=suffix, process=False, maintain_order=True
        )
        mesh = scene.to_mesh()
        vertices = np.asarray(mesh.vertices, dtype=np.float64).reshape(-1, 3) * scale
        faces = np.asarray(mesh.faces, dtype=np.int64).reshape(-1, 3)
    except _reader_errors() as error:
        raise _unreadable(file, f"{type(error).__name__}: {error}") from None
    _check_count(file, len(faces), spent)
    if len(faces) == 0:
        raise UnreadMeshError(
            f"The mesh {_short(file.reference)} holds no triangles.", mesh=file.reference
        )
    if not np.all(np.isfinite(vertices)):
        raise _unreadable(file, "it has a coordinate that is not finite")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise _unreadable(file, "a triangle names a vertex that does not exist")
    return Triangles(vertices=vertices, faces=faces)


def _reader_errors() -> tuple[type[Exception], ...]:
    """What the readers raise at files that are none."""
    from collada.common import DaeError
    from lxml.etree import LxmlError
    from trimesh.exchange.stl import HeaderError

    values = (ValueError, KeyError, IndexError, TypeError, AttributeError, RuntimeError)
    files = (struct.error, SyntaxError, EOFError, OSError, OverflowError, ZeroDivisionError)
    return (*values, *files, DaeError, LxmlError, HeaderError)


def _unreadable(file: MeshFile, reason: str) -> MeshError:
    return MeshError(
        f"The mesh {_short(file.reference)} cannot be read: {reason[:200]}.", mesh=file.reference
    )


def _check_count(file: MeshFile, count: int, spent: int) -> None:
    if spent + count > Cap.LINK_TRIANGLES.limit:
        raise MeshError(
            f"The mesh {_short(file.reference)} brings the robot to {spent + count} triangles, "
            f"more than {Cap.LINK_TRIANGLES.limit}; {Cap.LINK_TRIANGLES.advice}",
            mesh=file.reference,
        )


def _stated_triangles(raw: bytes) -> int:
    """Number of triangles of a binary STL file; zero of a text."""
    if len(raw) < _HEADER:
        return 0
    count = int.from_bytes(raw[80:84], "little")
    return count if len(raw) >= _HEADER + 50 * count else 0


def _dae_unit(file: MeshFile) -> float:
    """Metres of a DAE file's unit; one where it states none."""
    if b"<!DOCTYPE" in file.raw or b"<!ENTITY" in file.raw:
        raise _unreadable(file, "it has a document type, which may hold entities; remove it")
    match = _UNIT.search(file.raw)
    if match is None:
        return 1.0
    try:
        unit = float(match[1])
    except ValueError:
        unit = 0.0
    if not 0.0 < unit < np.inf:
        raise _unreadable(file, f"its unit is {match[1][:40]!r} metres")
    return unit
