"""Solids of a cell made light enough to be drawn: decimated, with normals broken at edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.job.solids import Cell, Solid
from reports.scene.model import DrawnShape, SceneSolid
from reports.visible_text import label
from robots.core.arrays import Array, Indices

TRIANGLES = 60_000  # of all solids together
_FEW = 12  # a solid keeps at least the triangles of a box
_ROUNDS = 24
CREASE = np.radians(30.0)  # neighbours that turn more are seen as two faces


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneSolids:
    """Solids, and what was simplified."""

    solids: tuple[SceneSolid, ...]
    notes: tuple[str, ...]


def scene_solids(cell: Cell, most: int = TRIANGLES) -> SceneSolids:
    """The solids of a cell with at most so many triangles in all, a box for each at least.

    Args:
        cell: in the base frame.
        most: triangles.
    """
    counts = [len(solid.mesh) for solid in cell.solids]
    shares = fair_shares(counts, most)
    solids = tuple(_drawn(solid, share) for solid, share in zip(cell.solids, shares, strict=True))
    notes = [
        f"{label(solid.name)} is drawn with {len(solid.faces):,} of {solid.triangles:,} "
        f"triangles; no corner of it is moved by more than {1e3 * solid.moved:.2g} mm."
        for solid in solids
        if solid.moved > 0.0
    ]
    return SceneSolids(solids=solids, notes=tuple(notes))


def fair_shares(counts: list[int], most: int) -> list[int]:
    """Triangles that each solid may keep: small ones all, large ones the same part of theirs."""
    if sum(counts) <= most:
        return counts
    shares, left, open_ = (
        [0] * len(counts),
        most,
        sorted(range(len(counts)), key=counts.__getitem__),
    )
    while open_ and counts[open_[0]] <= left // len(open_):
        index = open_.pop(0)
        shares[index] = counts[index]
        left -= counts[index]
    large = sum(counts[index] for index in open_)
    for index in open_:
        shares[index] = max(left * counts[index] // large, _FEW)
    return shares


def _drawn(solid: Solid, most: int) -> SceneSolid:
    coarse = decimated(solid.mesh.vertices, np.asarray(solid.mesh.faces), most)
    mesh = creased(coarse.vertices, coarse.faces)
    return SceneSolid(
        name=solid.name,
        kind=solid.kind,
        closed=solid.closed,
        vertices=mesh.vertices,
        faces=mesh.faces,
        normals=mesh.normals,
        triangles=len(solid.mesh),
        moved=coarse.moved,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoarseMesh:
    """Triangles that were left.

    Args:
        vertices: # (v, 3) [m]
        faces: # (f, 3)
        moved: the farthest that a corner was moved. [m]
    """

    vertices: Array
    faces: Indices
    moved: float


def decimated(vertices: Array, faces: Indices, most: int) -> CoarseMesh:
    """A mesh with at most so many triangles; the same one where it has no more.

    The edge of the grid's cells grows until few enough triangles keep three corners. Corners of a
    cell meet in their mean, so that a plane stays plane.

    Args:
        vertices: # (v, 3) [m]
        faces: # (f, 3)
        most: triangles to keep, at least 1.
    """
    if len(faces) <= most:
        return CoarseMesh(vertices=vertices, faces=faces, moved=0.0)
    corners = vertices[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = float(np.linalg.norm(across, axis=1).sum()) / 2.0
    size = float(np.ptp(vertices, axis=0).max())
    # A flat skin of squares, each of two triangles; never so small that cells have no number.
    cell = max(np.sqrt(2.0 * area / most), 1e-6 * size, 1e-12)
    for _ in range(_ROUNDS):
        coarse = _clustered(vertices, faces, cell)
        if len(coarse.faces) <= most:
            return coarse
        cell *= max(1.03, np.sqrt(len(coarse.faces) / most))
    return _clustered(vertices, faces, 4.0 * size + 1e-12)


def _clustered(vertices: Array, faces: Indices, cell: float) -> CoarseMesh:
    low = vertices.min(axis=0)
    cells = np.floor((vertices - low) / cell).astype(np.int64)
    spans = cells.max(axis=0) + 1
    key = (cells[:, 0] * spans[1] + cells[:, 1]) * spans[2] + cells[:, 2]
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    means = np.stack(
        [np.bincount(place, weights=vertices[:, axis] - low[axis]) / count for axis in range(3)],
        axis=1,
    )
    means += low
    moved = float(np.linalg.norm(means[place] - vertices, axis=1).max())
    return CoarseMesh(vertices=means, faces=_different(place[faces]), moved=moved)


def _different(faces: Indices) -> Indices:
    """Triangles with three corners, each once."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    # The least corner first keeps the side that the triangle shows.
    turn = np.argmin(faces, axis=1)[:, None] if len(faces) else np.zeros((0, 1), dtype=np.int64)
    turned = np.take_along_axis(faces, (turn + np.arange(3)) % 3, axis=1)
    _, first = np.unique(turned, axis=0, return_index=True)
    return np.asarray(turned[np.sort(first)])


def creased(vertices: Array, faces: Indices) -> DrawnShape:
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
    return DrawnShape(
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
