"""Merging of vertices that are one but for rounding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parts.geometry.edges import open_ends
from robots.core.arrays import Array, Indices


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
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
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
    links = coo_array((np.ones(len(one), dtype=np.int8), (one, other)), shape=(count, count))
    groups, group = connected_components(links, directed=False)
    first = np.full(groups, count)
    np.minimum.at(first, group, np.arange(count))
    return Merged(vertices=merged.vertices[first], places=group.astype(np.int64)[merged.places])


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
