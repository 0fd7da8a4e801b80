"""What every reader hands over: bodies in the file's own numbers, not yet checked or merged."""

from __future__ import annotations

from dataclasses import dataclass

from parts.geometry.surfaces import Surface
from robots.core.arrays import Array, Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patch:
    """A face of a body.

    Args:
        name: the file's own; empty where it has none.
        kind: as in ``Face``.
        surface: analytic surface in the frame of the part; None where there is none. # [m]
        triangles: rows of the body's faces. # (t,)
        deflection: of the triangles from the true surface, where it cannot be measured. # [m]
    """

    name: str
    kind: str
    surface: Surface | None
    triangles: Indices
    deflection: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """A piece of geometry whose vertices may be merged with each other.

    Args:
        name: the file's own; empty where it has none.
        vertices: corners, in the unit of the file. # (v, 3)
        faces: three of them for each triangle. # (f, 3)
        patches: its faces; empty for one face of all triangles.
        normals: of the surface at the vertices; None where none are to be
            trusted. # (v, 3)
        sheet: the file says that it is a surface beside its solids.
    """

    name: str
    vertices: Array
    faces: Indices
    patches: tuple[Patch, ...] = ()
    normals: Array | None = None
    sheet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A geometry file as read.

    Args:
        bodies: at least one.
        unit: that the file states: "mm", "m", "in", …; empty where it carries none.
        in_metres: the translator has already brought the numbers to metres.
        notes: what a reader of the report should know, one sentence each.
        doubts: what may be wrong with the reading, one sentence each.
    """

    bodies: tuple[Body, ...]
    unit: str = ""
    in_metres: bool = False
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
