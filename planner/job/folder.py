"""Files that a job names: found beside it, read once, remembered with their hash."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from parts.geometry.source_file import SourceFile, read_source
from planner.errors import JobError
from planner.job.elements import JobInput
from planner.job.job_text import JobText
from robots.core.caps import Cap, read_capped, reason_of
from robots.core.schema_problems import KeyPath
from robots.core.shapes.mesh_files import MeshFile, MeshFolder

_BLOCK = 1 << 20
_MADE_BY_ESCAPES = "\b\t\n\f\r\x1b"  # of "C:\\temp\\new.csv", as no file is called


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFolder:
    """The folder of a job file, which the paths in it start from.

    Args:
        root: the folder.
        source: for messages.
        allow_outside: whether paths may leave the folder.
        held: files that stand in memory, by the names that the job gives them.
    """

    root: Path
    source: JobText
    allow_outside: bool = False
    held: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    def find(self, name: str, key: KeyPath) -> Path:
        """Path of a file that the job names.

        Args:
            name: relative to the folder; links are followed before it is judged.
            key: where the job file says it.

        Raises:
            JobError: a path that leaves the folder, or that is no file.
        """
        try:
            root = self.root.resolve()
            path = (root / name).resolve()
            inside = path.is_relative_to(root)
            is_file = path.is_file()
        except (OSError, ValueError, RuntimeError) as error:
            raise self.source.error(
                key, f"is {name!r}, which is no usable path: {error}."
            ) from None
        if not is_file and any(sign in name for sign in _MADE_BY_ESCAPES):
            raise self.source.error(
                key,
                f"is {name!r}, which holds a control character and is no file: in double quotes "
                "a backslash begins an escape; write the path with /, or in single quotes.",
                found=name,
            )
        if not inside and not self.allow_outside:
            raise self.source.error(
                key,
                f"is {name!r}, which leaves the job's folder; move the file into the folder, or "
                "allow it with --allow-outside.",
                found=name,
            )
        if not is_file:
            reason = "is a folder" if path.is_dir() else "does not exist"
            raise self.source.error(
                key, f"is {name!r}, but {path} {reason}; give the path of a file.", found=name
            )
        return path

    def read(self, name: str, key: KeyPath, *, cap: Cap) -> InputBytes:
        """Content of a file that the job names.

        Args:
            name: relative to the folder.
            key: where the job file says it.
            cap: of its bytes.

        Raises:
            JobError: as for ``find``; not readable; too large.
        """
        if name in self.held:
            raw = self.held[name]
            return InputBytes(
                raw=raw, path=Path(PurePath(name).name), record=JobInput.of_content(name, raw)
            )
        path = self.find(name, key)
        try:
            raw = read_capped(path, cap)
        except OSError as error:
            raise self._unreadable(name, key, reason_of(error)) from error
        return InputBytes(
            raw=raw,
            path=path,
            record=JobInput(name=name, sha256=hashlib.sha256(raw).hexdigest(), path=path),
        )

    def mesh_folder(self, model: str, found: InputBytes) -> MeshFolder:
        """Where the meshes of a URDF file are sought: beside it, never outside the job's folder.

        Args:
            model: the file, as the job names it.
            found: its content.
        """
        if model in self.held:
            held = {posixpath.relpath(name, _parent(model)): raw for name, raw in self.held.items()}
            return MeshFolder(folder=None, held=held)
        root = self.root.resolve()
        inside = found.path.is_relative_to(root)
        return MeshFolder(
            folder=found.path.parent,
            extra=root if inside else None,
            within=None if self.allow_outside else root,
            advice="make a robot file of it: palpeur robot import FILE --meshes FOLDER",
        )

    def mesh_record(self, model: str, mesh: MeshFile) -> JobInput:
        """Record of a mesh that shapes a link: named where a copy of the job would have it."""
        name = posixpath.normpath(posixpath.join(_parent(model), mesh.name))
        if mesh.path is None:
            return JobInput.of_content(name, mesh.raw, beside=model)
        digest = hashlib.sha256(mesh.raw).hexdigest()
        return JobInput(name=name, sha256=digest, path=mesh.path, beside=model)

    def hashed(self, name: str, key: KeyPath) -> JobInput:
        """Hash of a geometry file that is read later.

        Raises:
            JobError: as for ``find``; not readable; too large.
        """
        if name in self.held:
            return JobInput.of_content(name, self.held[name])
        digest, path, cap = hashlib.sha256(), self.find(name, key), Cap.GEOMETRY_BYTES
        size = 0
        try:
            with path.open("rb") as file:
                while size <= cap.limit and (block := file.read(_BLOCK)):
                    digest.update(block)
                    size += len(block)
        except OSError as error:
            raise self._unreadable(name, key, reason_of(error)) from error
        if size > cap.limit:
            reason = f"it has more than {cap.limit} bytes; {cap.advice}"
            raise self._unreadable(name, key, reason)
        return JobInput(name=name, sha256=digest.hexdigest(), path=path)

    def geometry_file(self, name: str, key: KeyPath) -> SourceFile:
        """Content of a geometry file, for its reader.

        Raises:
            JobError: as for ``find``.
            PartError: not readable, empty, too large.
        """
        if name in self.held:
            return SourceFile(name=PurePath(name).name, raw=self.held[name], folder=None)
        return read_source(self.find(name, key))

    def _unreadable(self, name: str, key: KeyPath, reason: str) -> JobError:
        return self.source.error(key, f"is {name!r}, which cannot be read: {reason}.")


def _parent(name: str) -> str:
    """Folder of a file in the words of the job."""
    return posixpath.dirname(name.replace("\\", "/")) or "."


@dataclass(frozen=True, slots=True, kw_only=True)
class InputBytes:
    """Bytes of an input file, and the record of it."""

    raw: bytes = field(repr=False)
    path: Path
    record: JobInput
