"""Files that a job names: found beside it, read once, remembered with their hash."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Literal

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
        return self._find(name, key, "file")

    def _find(self, name: str, key: KeyPath, kind: Literal["file", "folder"]) -> Path:
        try:
            root = self.root.resolve()
            path = (root / name).resolve()
            inside = path.is_relative_to(root)
            is_file, is_folder = path.is_file(), path.is_dir()
        except (OSError, ValueError, RuntimeError) as error:
            raise self.source.error(
                key, f"is {name!r}, which is no usable path: {error}."
            ) from None
        right = is_file if kind == "file" else is_folder
        if not right and any(sign in name for sign in _MADE_BY_ESCAPES):
            raise self.source.error(
                key,
                f"is {name!r}, which holds a control character and is no {kind}: in double quotes "
                "a backslash begins an escape; write the path with /, or in single quotes.",
                found=name,
            )
        if not inside and not self.allow_outside:
            raise self.source.error(
                key,
                f"is {name!r}, which leaves the job's folder; move the {kind} into the folder, or "
                "allow it with --allow-outside.",
                found=name,
            )
        if not right:
            reason = "is a folder" if is_folder else "is a file" if is_file else "does not exist"
            raise self.source.error(
                key, f"is {name!r}, but {path} {reason}; give the path of a {kind}.", found=name
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

    def mesh_folder(self, model: str, found: InputBytes, meshes: str | None) -> MeshFolder:
        """Where the meshes of a URDF file are sought: never outside the job's folder.

        Args:
            model: the file, as the job names it.
            found: its content.
            meshes: folder that the job gives for them; None for those beside the file only.

        Raises:
            JobError: a folder that leaves the job's, or that is none.
        """
        if model in self.held:
            bases = (_parent(model), *(() if meshes is None else (meshes_base(meshes),)))
            held = {
                posixpath.relpath(name, base): raw
                for base in bases
                for name, raw in self.held.items()
            }
            return MeshFolder(folder=None, held=held)
        root = self.root.resolve()
        inside = found.path.is_relative_to(root)
        extra = root if inside else None
        if meshes is not None:
            extra = self._find(meshes, ("robot", "meshes"), "folder")
        return MeshFolder(
            folder=found.path.parent,
            extra=extra,
            within=None if self.allow_outside else root,
            advice='name the folder that holds it with meshes = "…" in [robot]',
        )

    def mesh_record(self, model: str, mesh: MeshFile, meshes: str | None) -> JobInput:
        """Record of a mesh of a link: named where a copy of the job would have it."""
        beside = model if meshes is None else meshes_base(meshes)
        name = posixpath.normpath(posixpath.join(_parent(beside), mesh.name))
        if mesh.path is None:
            return JobInput.of_content(name, mesh.raw, beside=beside)
        digest = hashlib.sha256(mesh.raw).hexdigest()
        return JobInput(name=name, sha256=digest, path=mesh.path, beside=beside)

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


def meshes_base(meshes: str) -> str:
    """The folder that a job gives for meshes, as what lies in it is ``beside``: it ends in /."""
    return posixpath.normpath(meshes.replace("\\", "/")) + "/"


def _parent(name: str) -> str:
    """Folder of a file in the words of the job."""
    return posixpath.dirname(name.replace("\\", "/")) or "."


@dataclass(frozen=True, slots=True, kw_only=True)
class InputBytes:
    """Bytes of an input file, and the record of it."""

    raw: bytes = field(repr=False)
    path: Path
    record: JobInput
