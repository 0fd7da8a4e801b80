"""The rim of a face: where the surface ends, and how far a point is from there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.features.skin_patch import sharp_edges, single_edges
from parts.geometry.geometry import Geometry
from robots.core.arrays import Array, Indices, Mask

ROUNDING = 1e-8  # [m] of coordinates in single precision, which CAD viewers write
FACETS = 1e-3  # of the part: how far facets may be from the surface they stand for
_BLOCK = 2_000_000  # point-edge pairs at a time, to bound memory


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rim:
    """Straight pieces of edge, and which triangles they surround.

    Args:
        geometry: of the part.
        triangles: of the face. # (t,)
        starts: of the pieces. # (e, 3) [m]
        ends: # (e, 3) [m]
        deflection: the true edge and surface stray at most this far from the triangles. [m]
        reach: a point farther than this from the triangles is not on the part. [m]
    """

    geometry: Geometry
    triangles: Indices
    starts: Array
    ends: Array
    deflection: float
    reach: float

    def distances(self, points: Array) -> Array:
        """Distance to the nearest piece of edge; infinite where there is none. # (k,) [m]."""
        result = np.full(len(points), np.inf)
        block = max(1, _BLOCK // max(len(self.starts), 1))
        for first in range(0, len(points), block):
            some = points[first : first + block]
            if len(self.starts):
                result[first : first + block] = _to_segments(some, self.starts, self.ends)
        return result

    def keeps(self, points: Array, margin: float) -> Mask:
        """Whether points lie on the face, and at least a margin from its edge. # (k,).

        Without a margin a point within the deflection of a curved edge may be judged either way;
        with one it is kept farther away by the deflection, so that the true edge is never nearer
        than the margin.
        """
        if not len(points):
            return np.zeros(0, dtype=bool)
        feet = self.geometry.closest(points)
        on = np.isin(feet.triangles, self.triangles)
        on &= feet.distances <= self.reach
        if margin > 0.0:
            on[on] = self.distances(points[on]) >= margin + self.deflection
        return np.asarray(on)


def rim_of(
    geometry: Geometry, triangles: Indices, *, sharp: bool = False, deflection: float = 0.0
) -> Rim:
    """Rim of a set of triangles: their edges without a second triangle of the set.

    Args:
        geometry: of the part.
        triangles: rows of its mesh. # (t,)
        sharp: edges where the surface turns by more than 30 degrees count too.
        deflection: of these triangles, where it is more than that of any face. [m]
    """
    edges = single_edges(geometry.mesh.faces[triangles])
    if sharp:
        edges = np.vstack([edges, sharp_edges(geometry.mesh, triangles)])
    corners = geometry.mesh.vertices[edges]
    deflection = max(deflection, *(face.deflection for face in geometry.faces))
    return Rim(
        geometry=geometry,
        triangles=triangles,
        starts=corners[:, 0],
        ends=corners[:, 1],
        deflection=deflection,
        reach=2.0 * deflection + ROUNDING,
    )


def whole_part(geometry: Geometry) -> Rim:
    """Rim of a feature by numbers: none, but points must be on the part.

    Triangles of a mesh file say nothing about their tolerance; 1e-3 of the part's size is taken.
    """
    rim = rim_of(geometry, np.arange(len(geometry.mesh)))
    facets = any(face.surface is None for face in geometry.faces)
    loose = FACETS * float(np.linalg.norm(geometry.mesh.size)) if facets else 0.0
    empty = np.zeros((0, 3))
    return replace(rim, starts=empty, ends=empty, reach=max(rim.reach, loose))


def _to_segments(points: Array, starts: Array, ends: Array) -> Array:
    along = ends - starts
    squares = np.sum(along**2, axis=1)
    offset = points[:, None, :] - starts
    share = np.sum(offset * along, axis=2) / np.where(squares > 0.0, squares, 1.0)
    gaps = offset - np.clip(share, 0.0, 1.0)[:, :, None] * along
    return np.asarray(np.sqrt(np.sum(gaps**2, axis=2).min(axis=1)))
