"""Whether points lie in the material: crossings of a ray with a closed mesh."""

from __future__ import annotations

import numpy as np

from parts.geometry.box_tree import BoxTree, Pairs
from parts.geometry.mesh import TriangleMesh
from robots.core.arrays import Array, Mask

ATTEMPTS = 6  # directions tried before a doubtful count is taken as it is
DOUBT = 1e-12  # twice a signed area over the square of the mesh's size, below which a side is open
CHUNK = 50_000  # queries at once; bounds the memory


class InsideTest:
    """Rays against a watertight mesh.

    A ray that passes an edge too close to tell the side is cast again in another direction. Where
    the mesh winds consistently, signed crossings are summed, so that bodies may overlap; else
    crossings are only odd or even.

    Args:
        mesh: watertight.
        consistent: whether its triangles agree on the outside.
    """

    __slots__ = ("_centre", "_consistent", "_corners", "_size")

    def __init__(self, mesh: TriangleMesh, *, consistent: bool) -> None:
        self._centre = mesh.bounds.mean(axis=0)
        self._size = float(np.linalg.norm(mesh.size)) or 1.0
        self._corners = (mesh.triangles - self._centre) / self._size
        self._consistent = consistent

    def inside(self, points: Array) -> Mask:
        """Whether each point is inside. # points (k, 3) [m] → (k,)."""
        crossings = self.crossings(points)
        return np.asarray(crossings != 0.0 if self._consistent else crossings % 2.0 == 1.0)

    def crossings(self, points: Array) -> Array:
        """How often a ray from each point leaves the material, less how often it enters. # (k,).

        Of a mesh that winds consistently this is the winding number: 0 outside, 1 inside, more
        where bodies overlap; below 0 only where the skin is folded through itself.
        """
        local = (points - self._centre) / self._size
        result = np.zeros(len(points))
        open_rows = np.flatnonzero((np.abs(local) <= 0.5 + 1e-9).all(axis=1))
        for attempt in range(ATTEMPTS):
            if not open_rows.size:
                break
            turn = _rotation(attempt)
            sums, doubtful = self._cast(local[open_rows] @ turn, self._corners @ turn)
            result[open_rows] = sums
            open_rows = open_rows[doubtful]
        return result

    def _cast(self, points: Array, corners: Array) -> tuple[Array, Mask]:
        """Cast rays along +z: sums of crossings, and who cannot be sure."""
        low, high = corners.min(axis=1), corners.max(axis=1)
        low[:, 2] = -2.0  # a triangle anywhere above the point is met, so its box reaches down
        tree = BoxTree(low, high)
        sums = np.zeros(len(points))
        doubtful = np.zeros(len(points), dtype=bool)
        for start in range(0, len(points), CHUNK):
            part = points[start : start + CHUNK]
            for pairs in tree.near(part, np.zeros(len(part))):
                crossing, unsure = _crossings(part, corners, pairs)
                weights = crossing if self._consistent else np.abs(crossing)
                owners = start + pairs.queries
                sums += np.bincount(owners, weights=weights, minlength=len(points))
                doubtful[owners[unsure]] = True
        return sums, doubtful


def _crossings(points: Array, corners: Array, pairs: Pairs) -> tuple[Array, Mask]:
    """+1 or -1 where the ray of a query crosses a triangle, and where that is unsure. # (p,)."""
    p = points[pairs.queries]
    t = corners[pairs.items]
    sides = np.stack([_side(t[:, i], t[:, (i + 1) % 3], p) for i in range(3)], axis=1)
    left, right = (sides > DOUBT), (sides < -DOUBT)
    within = np.asarray(left.all(axis=1) | right.all(axis=1))
    outside = np.asarray(left.any(axis=1) & right.any(axis=1))
    total = sides.sum(axis=1)
    weights = sides[:, [1, 2, 0]] / np.where(total != 0.0, total, 1.0)[:, None]
    height = np.einsum("pi,pi->p", weights, t[:, :, 2])
    crossing = np.where(within & (height > p[:, 2]), np.sign(total), 0.0)
    unsure: Mask = np.asarray(~within & ~outside)
    return crossing, unsure


def _side(start: Array, end: Array, points: Array) -> Array:
    """Twice the area of the triangle start, end, point, seen along z."""
    along, offset = end - start, points - start
    return np.asarray(along[:, 0] * offset[:, 1] - along[:, 1] * offset[:, 0])


def _rotation(attempt: int) -> Array:
    """A rotation without relation to the axes that parts are drawn along."""
    generator = np.random.default_rng(20_070_817 + attempt)
    Q, _ = np.linalg.qr(generator.normal(size=(3, 3)))
    return np.asarray(Q * np.sign(np.linalg.det(Q)))
