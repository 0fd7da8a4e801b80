"""What a geometry audit found: facts, and the sentences that a report shows."""

from __future__ import annotations

from dataclasses import dataclass

from robots.core.arrays import Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Audit:
    """Health of a mesh, as found after the repairs that are named.

    Args:
        triangles: their number.
        vertices: different ones in use.
        size: extents along x, y and z. # (3,) [m]
        volume: signed; without sense unless watertight. # [m³]
        area: of all triangles. # [m²]
        watertight: every edge joins exactly two triangles.
        consistent: neighbours wind the same way round.
        inverted: watertight and consistent, but inside out.
        open_edges: edges of one triangle only.
        non_manifold_edges: edges of more than two triangles.
        miswound_edges: edges whose two triangles disagree on the outside.
        duplicated_triangles: beyond the first of the same three vertices.
        duplicated_vertices: corners at the same place, beyond the first, before any merging.
        degenerate_triangles: without area.
        pieces: groups of triangles that share no vertex.
        sheets: surfaces beside the solids of a CAD file, which have no inside.
        sheet_faces: faces of them that were left out; 0 where they count as part.
        turned: triangles that were turned round, as their closed piece was inside out.
        repairs: what was done to the mesh and how, one sentence each.
        warnings: what is doubtful, one sentence each.
    """

    triangles: int
    vertices: int
    size: Array
    volume: float
    area: float
    watertight: bool
    consistent: bool
    inverted: bool
    open_edges: int
    non_manifold_edges: int
    miswound_edges: int
    duplicated_triangles: int
    duplicated_vertices: int
    degenerate_triangles: int
    pieces: int
    sheets: int = 0
    sheet_faces: int = 0
    turned: int = 0
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
