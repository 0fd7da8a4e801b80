"""The geometry audit: what is good and what is doubtful about a mesh; it changes nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parts.geometry.audit_types import Audit
from parts.geometry.edges import EdgeCounts, count_edges, count_pieces
from parts.geometry.merge import merge_identical
from parts.geometry.mesh import TriangleMesh
from robots.core.arrays import Indices, Mask

SMALLEST_PART = 1e-4  # [m] a smaller part was given in metres but drawn in larger units
LARGEST_PART = 100.0  # [m] a larger one in millimetres but drawn in smaller ones
_INCLUDED = (
    " The file has sheets beside its solids, which count as part and are open by nature; "
    'sheets = "ignore" leaves them out.'
)
FLAT = 1e-14  # area over longest edge squared, below which rounding alone gives the area


def audit(
    mesh: TriangleMesh,
    *,
    repairs: tuple[str, ...] = (),
    duplicated_vertices: int | None = None,
    sheets: int = 0,
    sheet_faces: int = 0,
    turned: int = 0,
    doubts: tuple[str, ...] = (),
) -> Audit:
    """Examine a mesh.

    Args:
        mesh: as it will be used.
        repairs: what was done to it before, one sentence each.
        duplicated_vertices: found when they were merged, so that neighbours share them; None for
            a mesh where this was not done: identical ones then count as shared.
        sheets: beside the solids of a CAD file.
        sheet_faces: faces of them that were left out of the mesh.
        turned: triangles that were turned round.
        doubts: of the reader, one sentence each.
    """
    places, vertices, removed = mesh.faces, len(mesh.vertices), duplicated_vertices
    if removed is None:
        merged = merge_identical(mesh.vertices)
        places, vertices = merged.places[mesh.faces], len(merged.vertices)
        removed = merged.removed
    # a needle over three vertices still closes the skin; one that names a vertex twice does not
    solid = places[(places != places[:, [1, 2, 0]]).all(axis=1)]
    edges = count_edges(solid, vertices)
    used = np.zeros(vertices, dtype=bool)
    used[places.ravel()] = True
    watertight = len(solid) > 0 and edges.open == edges.non_manifold == 0
    consistent = edges.miswound == 0
    volume = mesh.volume
    found = Audit(
        triangles=len(mesh),
        vertices=int(used.sum()),
        size=mesh.size,
        volume=volume,
        area=float(mesh.areas.sum()),
        watertight=watertight,
        consistent=consistent,
        inverted=watertight and consistent and volume < 0.0,
        open_edges=edges.open,
        non_manifold_edges=edges.non_manifold,
        miswound_edges=edges.miswound,
        duplicated_triangles=_repeated(solid, vertices),
        duplicated_vertices=removed,
        degenerate_triangles=int(degenerate(mesh).sum()),
        pieces=count_pieces(places, vertices),
        sheets=sheets,
        sheet_faces=sheet_faces,
        turned=turned,
        repairs=repairs,
    )
    told = (sentence for doubtful, sentence in _doubts(found, edges) if doubtful)
    return replace(found, warnings=(*doubts, *told))


def degenerate(mesh: TriangleMesh) -> Mask:
    """Triangles without area, but for rounding. # (f,)."""
    t = mesh.triangles
    edges = t - t[:, [1, 2, 0]]
    longest = np.einsum("fij,fij->fi", edges, edges).max(axis=1)
    return np.asarray(mesh.areas <= FLAT * longest)


def _repeated(faces: Indices, vertices: int) -> int:
    """Triangles over the same three vertices as an earlier one, either way round."""
    if not len(faces):
        return 0
    low, high = faces.min(axis=1), faces.max(axis=1)
    middle = faces.sum(axis=1) - low - high
    # two triangles are equal if two keys are; a product of three indices would overflow
    order = np.argsort(low * vertices + high, kind="stable")
    outer, inner = (low * vertices + high)[order], middle[order]
    twins = np.flatnonzero(outer[1:] == outer[:-1])
    if not twins.size:
        return 0
    close = np.unique(np.concatenate([twins, twins + 1]))
    pairs = np.stack([outer[close], inner[close]], axis=1)
    return len(pairs) - len(np.unique(pairs, axis=0))


def _doubts(found: Audit, edges: EdgeCounts) -> list[tuple[bool, str]]:
    largest = float(found.size.max())
    return [
        (
            largest < SMALLEST_PART,
            f"The part is only {largest:.3g} m long; is the unit right?",
        ),
        (
            largest > LARGEST_PART,
            f"The part is {largest:.4g} m long; is the unit right?",
        ),
        (
            not found.watertight,
            f"The mesh is not watertight: {edges.open} edges belong to one triangle only and "
            f"{edges.non_manifold} to more than two, of {edges.edges}. Normals that point into "
            "the material cannot be detected."
            + (_INCLUDED if found.sheets and not found.sheet_faces else ""),
        ),
        (
            not found.consistent,
            f"At {edges.miswound} edges the neighbours disagree on which side is outside; normals "
            "taken from this mesh may point into the material.",
        ),
        (
            found.inverted,
            f"The mesh is inside out: its signed volume is {found.volume:.6g} m³. All normals "
            "point into the material. Turn it in the CAD system.",
        ),
        (
            found.duplicated_triangles > 0,
            f"{found.duplicated_triangles} triangles repeat an earlier one.",
        ),
        (
            found.degenerate_triangles > 0,
            f"{found.degenerate_triangles} triangles have no area; they are not probed.",
        ),
    ]
