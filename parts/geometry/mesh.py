"""Triangle meshes, their edges and pieces, and the merging of coincident vertices."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from parts.errors import PartError
from robots.core.arrays import Array, Indices, Mask, freeze_field

FARTHEST = 1e6  # [m]; beyond it no part is meant, and a double no longer resolves a nanometre


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TriangleMesh:
    """Triangles over shared vertices, in the part's frame.

    Args:
        vertices: corners. # (v, 3) [m]
        faces: three vertices of each triangle, counter-clockwise seen from outside. # (f, 3)

    Attributes:
        normals: unit normals of the triangles; zero where one has no area. # (f, 3)
        areas: of the triangles. # (f,) [m²]
        bounds: least and greatest coordinates of what the triangles use. # (2, 3) [m]

    Raises:
        PartError: no triangle, other shapes, an index out of range, a vertex that is not finite
            or farther out than any part.
    """

    vertices: Array
    faces: Indices
    normals: Array = field(init=False)
    areas: Array = field(init=False)
    bounds: Array = field(init=False)

    def __post_init__(self) -> None:
        vertices = _vertices(self.vertices)
        faces = _faces(self.faces, len(vertices))
        a, b, c = (vertices[faces[:, corner]] for corner in range(3))
        across = np.cross(b - a, c - a)
        lengths = np.linalg.norm(across, axis=1)
        normals = across / np.where(lengths > 0.0, lengths, 1.0)[:, None]
        low = np.minimum(np.minimum(a, b), c).min(axis=0)
        high = np.maximum(np.maximum(a, b), c).max(axis=0)
        freeze_field(self, "vertices", vertices, copy=None)
        freeze_field(self, "faces", faces, copy=None)
        freeze_field(self, "normals", normals, copy=None)
        freeze_field(self, "areas", lengths / 2.0, copy=None)
        freeze_field(self, "bounds", np.stack([low, high]), copy=None)

    def __len__(self) -> int:
        """Number of triangles."""
        return len(self.faces)

    @property
    def triangles(self) -> Array:
        """Corners of every triangle. # (f, 3, 3) [m]."""
        return np.asarray(self.vertices[self.faces])

    def corners(self, rows: Indices) -> Array:
        """Corners of some triangles; those of all are not gathered for it. # (t, 3, 3) [m]."""
        return np.asarray(self.vertices[self.faces[rows]])

    @property
    def size(self) -> Array:
        """Extents along x, y and z. # (3,) [m]."""
        return np.asarray(self.bounds[1] - self.bounds[0])

    @property
    def volume(self) -> float:
        """Signed volume; below zero where the mesh is inside out, without sense if open. # [m³]."""
        a, b, c = np.moveaxis(self.triangles - self.bounds.mean(axis=0), 1, 0)
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def _vertices(values: Array) -> Array:
    vertices = np.array(values, dtype=np.float64)
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise PartError(f"The vertices have shape {vertices.shape}; expected (v, 3).")
    bad = ~np.isfinite(vertices).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        raise PartError(
            f"Vertex {row} of the mesh is {vertices[row].tolist()} ({int(bad.sum())} such vertices "
            "in all); expected finite numbers. Export the geometry again.",
            row=row,
            found=vertices[row].tolist(),
        )
    if vertices.size and np.abs(vertices).max() > FARTHEST:
        row = int(np.argmax(np.abs(vertices).max(axis=1)))
        raise PartError(
            f"Vertex {row} of the mesh is at {vertices[row].tolist()} m; expected coordinates of "
            f"at most {FARTHEST:g} m. Is the unit right?",
            row=row,
            limit=FARTHEST,
        )
    return vertices


def _faces(values: Indices, count: int) -> Indices:
    given = np.asarray(values)
    if given.ndim != 2 or given.shape[1] != 3 or not len(given):
        raise PartError(
            f"The mesh has no triangle (its faces have shape {given.shape}); expected at least "
            "one. Export the surface, not only points or curves.",
            found=given.shape,
        )
    faces = given.astype(np.int64)
    least, most = int(faces.min()), int(faces.max())
    if least < 0 or most >= count:
        wrong = least if least < 0 else most
        raise PartError(
            f"A triangle names vertex {wrong}, but the mesh has vertices 0 to {count - 1}; the "
            "file is damaged. Export it again.",
            found=wrong,
            limit=count - 1,
        )
    return faces


# -------------------------------------------------------------------------------- Edges and pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeCounts:
    """Number of triangles at the edges of a mesh.

    Args:
        edges: different ones.
        open: used by one triangle.
        non_manifold: used by more than two.
        miswound: used by two triangles in the same direction.
    """

    edges: int
    open: int
    non_manifold: int
    miswound: int


def count_edges(faces: Indices, vertices: int) -> EdgeCounts:
    """Count the edges of triangles.

    Args:
        faces: without degenerate ones. # (f, 3)
        vertices: their number, above every index.
    """
    if not len(faces):
        return EdgeCounts(edges=0, open=0, non_manifold=0, miswound=0)
    keys, forward = _keys(faces, vertices)
    # the direction is the lowest bit, so that one sort of plain integers groups and orders
    keys = np.sort(keys * 2 + forward)
    edge, forward = keys >> 1, keys & 1
    starts = np.flatnonzero(np.concatenate([[True], edge[1:] != edge[:-1]]))
    uses = np.diff(np.append(starts, len(edge)))
    ahead = np.add.reduceat(forward, starts)
    return EdgeCounts(
        edges=len(starts),
        open=int((uses == 1).sum()),
        non_manifold=int((uses > 2).sum()),
        miswound=int(((uses == 2) & (ahead != 1)).sum()),
    )


def open_ends(faces: Indices, vertices: int) -> Indices:
    """Vertices at the ends of edges that belong to one triangle only, in order.

    Args:
        faces: any; one that names a vertex twice has no edges. # (f, 3)
        vertices: their number, above every index.
    """
    solid = faces[(faces != faces[:, [1, 2, 0]]).all(axis=1)]
    if not len(solid):
        return np.zeros(0, dtype=np.int64)
    edge, uses = np.unique(_keys(solid, vertices)[0], return_counts=True)
    lonely = edge[uses == 1]
    return np.unique(np.concatenate([lonely // vertices, lonely % vertices]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshPieces:
    """Groups of triangles that share edges of two triangles.

    Args:
        piece: of every triangle; those that name a vertex twice are pieces of their own. # (f,)
        closed: pieces whose every edge joins exactly two of their triangles. # (p,)
        turned: triangles that wind against the first of their piece, if it has two sides. # (f,)
        sided: pieces with two sides; a Klein bottle and a Möbius strip have one. # (p,)
    """

    piece: Indices
    closed: Mask
    turned: Mask
    sided: Mask


def pieces_of(faces: Indices, vertices: int) -> MeshPieces:
    """Group triangles by their edges, and find those that wind against their neighbours.

    Every triangle stands for two sides. Neighbours that wind alike join equal sides, others
    opposite ones; where both sides of a triangle come together, the piece has but one.

    Args:
        faces: any. # (f, 3)
        vertices: their number, above every index.
    """
    count = len(faces)
    solid = np.flatnonzero((faces != faces[:, [1, 2, 0]]).all(axis=1))
    keys, forward = _keys(faces[solid], vertices)
    order = np.argsort(keys, kind="stable")
    edge = np.cumsum(np.diff(keys[order], prepend=-1) != 0)
    forward, owner = forward[order], np.tile(solid, 3)[order]
    pairs = np.flatnonzero((np.bincount(edge)[edge[:-1]] == 2) & (edge[1:] == edge[:-1]))
    one, other = owner[pairs], owner[pairs + 1]

    piece = connected(count, one, other)
    number = int(piece.max()) + 1
    uses = np.unique(edge * number + piece[owner], return_counts=True)
    closed = np.zeros(number, dtype=bool)
    closed[piece[solid]] = True
    closed[uses[0][uses[1] != 2] % number] = False
    across = np.where(forward[pairs] == forward[pairs + 1], count, 0)  # to the opposite side
    side = connected(
        2 * count,
        np.concatenate([one, one + count]),
        np.concatenate([other + across, (other + count + across) % (2 * count)]),
    )
    sided = np.zeros(number, dtype=bool)
    sided[piece[solid]] = True
    sided[piece[side[:count] == side[count:]]] = False
    first = np.full(number, count)
    np.minimum.at(first, piece, np.arange(count))
    turned = (side[:count] != side[first[piece]]) & sided[piece]
    return MeshPieces(piece=piece, closed=closed, turned=turned, sided=sided)


def _keys(faces: Indices, vertices: int) -> tuple[Indices, Indices]:
    """One integer per edge without direction, and 1 where it runs from low to high vertex."""
    start = faces.ravel(order="F")
    end = np.roll(faces, -1, axis=1).ravel(order="F")
    low, high = np.minimum(start, end), np.maximum(start, end)
    return low * vertices + high, (start < end).astype(np.int64)


def count_pieces(faces: Indices, vertices: int) -> int:
    """Number of groups of triangles that share vertices.

    Args:
        faces: any. # (f, 3)
        vertices: their number, above every index; those of no triangle do not count.
    """
    start = np.concatenate([faces[:, 0], faces[:, 1]])
    end = np.concatenate([faces[:, 1], faces[:, 2]])
    used = np.zeros(vertices, dtype=bool)
    used[faces.ravel()] = True
    groups = int(connected(vertices, start, end).max(initial=-1)) + 1
    return groups - int(vertices - used.sum())


def connected(count: int, one: Indices, other: Indices) -> Indices:
    """Number of the connected group of each of some items; groups count from their first items.

    Scipy's ``connected_components`` gives the same numbers, and takes 0.1 s to import.

    Args:
        count: of the items.
        one: an item of each link. # (k,)
        other: the other one. # (k,)
    """
    root = np.arange(count)
    while True:
        a, b = root[one], root[other]
        apart = a != b
        if not apart.any():
            break
        one, other, a, b = one[apart], other[apart], a[apart], b[apart]
        np.minimum.at(root, np.maximum(a, b), np.minimum(a, b))
        above = root[root]
        while not np.array_equal(above, root):
            root, above = above, above[above]
    return np.asarray(np.cumsum(root == np.arange(count))[root] - 1)


# ----------------------------------------------------------------------------- Merging of vertices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Merged:
    """Vertices without repetition.

    Args:
        vertices: different ones. # (u, 3) [m]
        places: of each old vertex among them. # (v,)
    """

    vertices: Array
    places: Indices

    @property
    def removed(self) -> int:
        """Number of vertices that were repetitions."""
        return len(self.places) - len(self.vertices)


def merge_identical(vertices: Array) -> Merged:
    """Give the same index to vertices with exactly the same coordinates.

    Args:
        vertices: finite. # (v, 3) [m]
    """
    if not len(vertices):
        return Merged(vertices=vertices, places=np.zeros(0, dtype=np.int64))
    bits = _bits(vertices)
    order = np.argsort(_hash(bits), kind="stable")
    ordered = bits[order]
    fresh = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    group = np.cumsum(fresh) - 1
    places = np.empty(len(vertices), dtype=np.int64)
    places[order] = group
    return _without_collisions(Merged(vertices=vertices[order[fresh]], places=places))


def merge_near(merged: Merged, faces: Indices, distance: float) -> Merged:
    """Give the same index to the ends of open edges that lie within a distance of each other.

    Exporters that transform a mesh triangle by triangle round its corners differently.

    Args:
        merged: vertices without exact repetition.
        faces: over the old vertices. # (f, 3)
        distance: below which vertices differ by rounding only; 0 merges nothing. [m]
    """
    from scipy.spatial import cKDTree

    if distance == 0.0:
        return merged
    ends = open_ends(merged.places[faces], len(merged.vertices))
    if not ends.size:
        return merged
    pairs = cKDTree(merged.vertices[ends]).query_pairs(distance, output_type="ndarray")
    if not len(pairs):
        return merged
    one, other = ends[pairs.T]
    count = len(merged.vertices)
    group = connected(count, one, other)
    first = np.unique(group, return_index=True)[1]
    return Merged(vertices=merged.vertices[first], places=group[merged.places])


def _bits(vertices: Array) -> NDArray[np.uint64]:
    """Patterns that are equal exactly where the coordinates are; -0 is 0."""
    return np.ascontiguousarray(vertices + 0.0).view(np.uint64)


def _hash(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix three words into one; sorting one integer is many times faster than sorting rows."""
    mixed = np.zeros(len(bits), dtype=np.uint64)
    for axis, odd in enumerate((0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)):
        mixed = (mixed ^ (bits[:, axis] * np.uint64(odd))) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
    return mixed


def _without_collisions(merged: Merged) -> Merged:
    """Undo the rare splits where different vertices with one hash stood interleaved."""
    bits = _bits(merged.vertices)
    hashes = _hash(bits)
    if not (hashes[1:] == hashes[:-1]).any():
        return merged
    unique, inverse = np.unique(merged.vertices + 0.0, axis=0, return_inverse=True)
    return Merged(vertices=unique, places=inverse.reshape(-1)[merged.places])


def fanned(corners: Indices, sizes: Indices) -> tuple[Indices, Indices]:
    """Cut polygons into triangles that share the first corner; right for convex ones.

    Args:
        corners: vertices of all polygons, one after the other. # (c,)
        sizes: corners of each polygon, at least 3. # (p,)

    Returns:
        Triangles (f, 3), and the polygon of each (f,).
    """
    pieces = sizes - 2
    polygon = np.repeat(np.arange(len(sizes)), pieces)
    starts = np.cumsum(sizes) - sizes
    first = starts[polygon]
    step = np.arange(len(polygon)) - (np.cumsum(pieces) - pieces)[polygon]
    return corners[np.stack([first, first + step + 1, first + step + 2], axis=1)], polygon


def fan_note(sizes: Indices) -> tuple[str, ...]:
    """A sentence about polygons that were cut; none where all were triangles."""
    cut = int((sizes > 3).sum())
    if not cut:
        return ()
    return (
        f"{cut} polygons of more than three corners were cut into triangles from their first "
        "corner, which is right for flat convex ones only.",
    )
