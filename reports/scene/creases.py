"""Normals for drawing: smooth across a face of the solid, broken at its edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices

CREASE = np.radians(30.0)  # neighbours that turn more are seen as two faces


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CreasedMesh:
    """A mesh whose vertices are split at edges.

    Args:
        vertices: # (v, 3) [m]
        faces: # (f, 3)
        normals: # (v, 3) unit
    """

    vertices: Array
    faces: Indices
    normals: Array


def creased(vertices: Array, faces: Indices) -> CreasedMesh:
    """Split vertices where the surface has an edge; triangles without area are left out.

    Corners of triangles that meet in a smooth edge share a vertex; all others get one of their own.

    Args:
        vertices: # (v, 3) [m]
        faces: # (f, 3)
    """
    corners = vertices[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(across, axis=1)
    sound = lengths > 0.0
    faces, across, lengths = faces[sound], across[sound], lengths[sound]
    group = _smooth_groups(faces, across / lengths[:, None])
    count = int(group.max()) + 1 if group.size else 0
    first = np.zeros(count, dtype=np.int64)
    first[group[::-1]] = np.arange(group.size)[::-1]
    weights = np.repeat(across, 3, axis=0)
    sums = np.stack([np.bincount(group, weights=w, minlength=count) for w in weights.T], axis=1)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    own = np.repeat(across / lengths[:, None], 3, axis=0)[first]
    normals = np.where(norms > 0.0, sums / np.where(norms > 0.0, norms, 1.0), own)
    return CreasedMesh(
        vertices=vertices[faces.ravel()[first]], faces=group.reshape(-1, 3), normals=normals
    )


def _smooth_groups(faces: Indices, normals: Array) -> Indices:
    """Number of the vertex that each corner becomes. # (3·f,)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    corner = np.arange(faces.size).reshape(-1, 3)
    # Each triangle's three edges: both corners, the lower vertex first.
    pairs = np.stack([corner, np.roll(corner, -1, axis=1)], axis=-1).reshape(-1, 2)
    ends = faces.ravel()[pairs]
    pairs = np.where((ends[:, 0] > ends[:, 1])[:, None], pairs[:, ::-1], pairs)
    ends = np.sort(ends, axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    pairs, ends = pairs[order], ends[order]
    same = np.nonzero((ends[1:] == ends[:-1]).all(axis=1))[0]
    facing = np.sum(normals[pairs[same, 0] // 3] * normals[pairs[same + 1, 0] // 3], axis=1)
    same = same[facing > np.cos(CREASE)]
    rows, columns = pairs[same].ravel(), pairs[same + 1].ravel()
    links = coo_array((np.ones(rows.size), (rows, columns)), shape=(faces.size, faces.size))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)
