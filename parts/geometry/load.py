"""Geometry files → ``Geometry``."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from parts.geometry.assemble import Sheets, assemble
from parts.geometry.audit_types import Audit
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

WITH_SHEETS = (".step", ".stp")


def load_geometry(
    path: Path | str,
    *,
    unit: str | None = None,
    sheets: Sheets | None = None,
    repair: tuple[str, ...] = (),
) -> Geometry:
    """Read a geometry file.

    Args:
        path: of an STL, OBJ, PLY, GLB, glTF, 3MF or STEP file, told apart by their endings.
        unit: of its numbers, "mm", "m" or "in"; required for STL, OBJ and PLY, which carry none,
            refused for the others where it contradicts the file.
        sheets: of STEP files: "ignore" leaves out surfaces beside closed solids, as None does;
            "include" makes them part.
        repair: of "drop-degenerate", "drop-duplicates", "flip" (turn an open mesh whose volume is
            negative). Without being asked for, vertices that are one but for rounding are merged,
            and closed pieces that are inside out are turned; the audit says so.

    Raises:
        PartError: not readable, not that format, over a cap, no unit, no triangle, damaged.
    """
    return geometry_of(read_source(Path(path)), unit=unit, sheets=sheets, repair=repair)


def geometry_of(
    file: SourceFile,
    *,
    unit: str | None = None,
    sheets: Sheets | None = None,
    repair: tuple[str, ...] = (),
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
    if sheets is not None and ending not in WITH_SHEETS:
        raise file.error(
            f"sheets = {sheets!r} is for STEP files, which tell solids from sheets; leave it out.",
            found=sheets,
        )
    # A damaged file may hold signalling NaN; the mesh refuses it, arithmetic on the way need not.
    with np.errstate(invalid="ignore", over="ignore"):
        content = READERS[ending](file)
        settled = settle(file, content.unit, unit)
        scale = 1.0 if content.in_metres else settled.scale
        parts = assemble(file, content, scale, repair, sheets or "ignore")
    return Geometry(
        mesh=parts.mesh,
        faces=parts.faces,
        unit_note=settled.note,
        audit=parts.audit,
        source=file.name,
        sha256=hashlib.sha256(file.raw).hexdigest(),
        corner_normals=parts.corner_normals,
        notes=(*content.notes, *_sheets_note(parts.audit)),
    )


def _sheets_note(audit: Audit) -> tuple[str, ...]:
    if not audit.sheets:
        return ()
    count = f"{audit.sheets} sheet{'s' * (audit.sheets > 1)} (surfaces that bound no solid)"
    if not audit.sheet_faces:
        return (f"{count} of the file count as part.",)
    faces = f"{audit.sheet_faces} face{'s' * (audit.sheet_faces > 1)}"
    return (
        f"{count} beside the solids of the file, with {faces}, were left out: they are taken for "
        'supplementary geometry, not for part. sheets = "include" makes them part.',
    )
