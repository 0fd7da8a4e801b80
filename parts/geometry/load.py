"""Geometry files → ``Geometry``."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from parts.geometry.assemble import assemble
from parts.geometry.body import Content
from parts.geometry.geometry import Geometry
from parts.geometry.gltf import read_gltf
from parts.geometry.obj import read_obj
from parts.geometry.ply import read_ply
from parts.geometry.source_file import SourceFile, read_source
from parts.geometry.step import read_step
from parts.geometry.stl import read_stl
from parts.geometry.three_mf import read_three_mf
from parts.geometry.units import settle

Reader = Callable[[SourceFile], Content]

READERS: dict[str, Reader] = {
    ".stl": read_stl,
    ".obj": read_obj,
    ".ply": read_ply,
    ".glb": read_gltf,
    ".gltf": read_gltf,
    ".3mf": read_three_mf,
    ".step": read_step,
    ".stp": read_step,
}


def load_geometry(
    path: Path | str,
    *,
    unit: str | None = None,
    repair: tuple[str, ...] = (),
) -> Geometry:
    """Read a geometry file.

    Args:
        path: of an STL, OBJ, PLY, GLB, glTF, 3MF or STEP file, told apart by their endings.
        unit: of its numbers, "mm", "m" or "in"; required for STL, OBJ and PLY, which carry none,
            refused for the others where it contradicts the file.
        repair: of "drop-degenerate", "drop-duplicates", "flip" (turn a mesh that is inside out);
            nothing but the merging of identical vertices is done without being asked for.

    Raises:
        PartError: not readable, not that format, over a cap, no unit, no triangle, damaged.
    """
    return geometry_of(read_source(Path(path)), unit=unit, repair=repair)


def geometry_of(
    file: SourceFile, *, unit: str | None = None, repair: tuple[str, ...] = ()
) -> Geometry:
    """The same from bytes in memory; the ending of ``file.name`` tells the format.

    Raises:
        PartError: as for ``load_geometry``.
    """
    ending = Path(file.name).suffix.lower()
    if ending not in READERS:
        raise file.error(
            f"the ending {ending!r} is not known; expected {', '.join(READERS)}.", found=ending
        )
    # A damaged file may hold signalling NaN; the mesh refuses it, arithmetic on the way need not.
    with np.errstate(invalid="ignore", over="ignore"):
        content = READERS[ending](file)
        settled = settle(file, content.unit, unit)
        scale = 1.0 if content.in_metres else settled.scale
        parts = assemble(file, content, scale, repair)
    return Geometry(
        mesh=parts.mesh,
        faces=parts.faces,
        unit_note=settled.note,
        audit=parts.audit,
        source=file.name,
        sha256=hashlib.sha256(file.raw).hexdigest(),
        corner_normals=parts.corner_normals,
        notes=content.notes,
    )
