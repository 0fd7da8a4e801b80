"""How much a geometry file may ask for: said here only, tested before anything is allocated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Caps of the importers.

    Args:
        file_bytes: of the geometry file, and of all files together that a glTF names. # [byte]
        triangles: of all meshes together, instances of a scene counted each time.
        vertices: of all meshes together.
        archive_entries: files in a 3MF archive.
        archive_bytes: of all of them unpacked. # [byte]
        archive_ratio: unpacked over packed bytes, per file; models in XML shrink some 10 times.
        instances: meshes placed by a scene, assembly or build.
        depth: of a tree of nodes or components.
        step_seconds: of the STEP translator, which runs in a process of its own. # [s]
        step_memory: address space of that process. # [byte]
    """

    file_bytes: int = 1_000_000_000
    triangles: int = 10_000_000
    vertices: int = 30_000_000
    archive_entries: int = 10_000
    archive_bytes: int = 500_000_000
    archive_ratio: float = 200.0
    instances: int = 10_000
    depth: int = 64
    step_seconds: float = 600.0
    step_memory: int = 8_000_000_000


LIMITS = Limits()

FARTHEST = 1e6  # [m]; beyond it no part is meant, and a double no longer resolves a nanometre
