"""Support polygon: the hull of the contacts seen along gravity, its edges and margins.

A vertical line meets the ground in one point, so a point of the tilted ground is inside the area of
contact exactly when its projection is inside this polygon.

Source: [GASTEBOIS17] §2.5.6 eqs. (50)-(51), for any convex polygon and two feet as well
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.core.arrays import Array, Indices, freeze_field

FORWARD = (1.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SupportPolygon:
    """A convex polygon in the world's horizontal plane.

    Args:
        corners: strictly convex, counter-clockwise seen from above. # (m, 2) [m]
        edge_names: of the edge from each corner to the next. # m

    Raises:
        BipedError: corners that are no such polygon, or names that do not match them.
    """

    corners: Array
    edge_names: tuple[str, ...]

    def __post_init__(self) -> None:
        corners = np.array(self.corners, dtype=np.float64)
        if not _is_hull(corners):
            raise BipedError(
                f"The {len(corners)} corners of a support polygon are not strictly convex and "
                "counter-clockwise; make the polygon with SupportPolygon.of(points)."
            )
        if len(self.edge_names) != len(corners):
            raise BipedError(
                f"A support polygon of {len(corners)} edges has {len(self.edge_names)} names."
            )
        freeze_field(self, "corners", corners)

    @classmethod
    def of(cls, points: ArrayLike, heading: Sequence[float] | Array = FORWARD) -> SupportPolygon:
        """The hull of points of contact.

        Args:
            points: only the first two coordinates count: gravity is vertical. # (k, 2 or 3) [m]
            heading: where the robot's front is, in the horizontal plane. # (2,)

        Raises:
            BipedError: points that are not finite, or that span no area.
        """
        cloud = np.asarray(points, dtype=np.float64)
        corners = convex_hull(cloud[:, :2] if cloud.ndim == 2 else cloud)
        return cls(corners=corners, edge_names=edge_names(corners, _unit(heading)))

    @property
    def inward_normals(self) -> Array:
        """Unit normals of the edges, into the polygon. # (m, 2)."""
        return inward_normals(self.corners)

    @property
    def area(self) -> float:
        """Area of the projection. [m²]."""
        return 0.5 * _turns(self.corners)

    def inward_distances(self, points: ArrayLike) -> Array:
        """Distance to the line of every edge, positive inside. # (..., 2 or 3) -> (..., m) [m]."""
        return inward_distances(self.corners, _across(points))

    def signed_margin(self, points: ArrayLike) -> Array:
        """Distance to the boundary, positive inside. # (..., 2 or 3) -> (...) [m].

        Raises:
            BipedError: points that are not finite.
        """
        return signed_margin(self.corners, _across(points))

    def nearest_edge(self, points: ArrayLike) -> Indices:
        """Index of the nearest edge. # (..., 2 or 3) -> (...)."""
        return nearest_edge(self.corners, _across(points))

    def nearest_edge_name(self, point: ArrayLike) -> str:
        """Name of the edge nearest to one point. # (2,) or (3,)."""
        return self.edge_names[int(self.nearest_edge(point))]

    def reach(self, point: ArrayLike, direction: Sequence[float] | Array) -> float:
        """How far a point can go in a direction until it meets the boundary. [m].

        Args:
            point: inside. # (2,) or (3,) [m]
            direction: in the horizontal plane. # (2,)
        """
        return reach(self.corners, _across(point), _unit(direction))


def supports_on_tilts(points: ArrayLike, axes: ArrayLike) -> list[SupportPolygon]:
    """What a robot stands on while the ground tilts about the world's origin.

    Edges keep the names that they have on level ground.

    Args:
        points: of contact, on level ground. # (k, 2 or 3) [m]
        axes: of the ground in the world at every instant. # (m, 3, 3)
    """
    level = SupportPolygon.of(points)
    corners = np.pad(level.corners, ((0, 0), (0, 1)))
    seen = corners @ np.swapaxes(np.asarray(axes, dtype=np.float64), -1, -2)
    return [SupportPolygon(corners=c[:, :2], edge_names=level.edge_names) for c in seen]


def _is_hull(corners: Array) -> bool:
    """Return whether corners are those of their own hull, in its order."""
    hull = convex_hull(corners)
    first = int(np.argmax(np.all(corners == hull[0], axis=1)))
    return np.array_equal(np.roll(corners, -first, axis=0), hull)


def _turns(corners: Array) -> float:
    """Twice the signed area, positive counter-clockwise. [m²]."""
    lever = corners - corners[0]  # far from the origin the products would lose their digits
    following = np.roll(lever, -1, axis=0)
    return float(np.sum(lever[:, 0] * following[:, 1] - lever[:, 1] * following[:, 0]))


def _across(points: ArrayLike) -> Array:
    across = np.asarray(points, dtype=np.float64)
    if across.ndim == 0 or across.shape[-1] not in (2, 3) or not np.all(np.isfinite(across)):
        raise BipedError(
            f"A margin was requested of an array of shape {across.shape}; give points of two or "
            "three finite coordinates in metres.",
            shape=across.shape,
        )
    return across[..., :2]


def _unit(direction: Sequence[float] | Array) -> Array:
    vector = np.asarray(direction, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if vector.shape != (2,) or not np.isfinite(length) or length == 0.0:
        raise BipedError(
            f"A horizontal direction is {direction!r}; give two finite numbers, not both zero."
        )
    return np.asarray(vector / length)


# ----------------------------------------------------------------------------------------- Margins
# Positive inside, negative outside; outside it is the exact distance to the nearest edge or corner,
# not that to the edge's line. So the margin changes by no more than the point moves.

_TIE = 1e-12  # [m] distances nearer to each other than this are one: a corner belongs to two edges


def inward_distances(corners: Array, points: Array) -> Array:
    """Distance of points to the line of every edge, positive on the polygon's side.

    Args:
        corners: counter-clockwise; edge k runs from corner k to the next. # (m, 2) [m]
        points: # (..., 2) [m]

    Returns:
        Distances. # (..., m) [m]
    """
    normals = inward_normals(corners)
    return np.asarray(points @ normals.T - np.sum(normals * corners, axis=1))


def inward_normals(corners: Array) -> Array:
    """Unit normals of the edges, into the polygon. # (m, 2)."""
    along = np.roll(corners, -1, axis=0) - corners
    turned = np.stack([-along[:, 1], along[:, 0]], axis=1)
    return np.asarray(turned / np.linalg.norm(along, axis=1)[:, None])


def edge_distances(corners: Array, points: Array) -> Array:
    """Distance of points to every edge, from corner to corner. # (..., 2) -> (..., m) [m]."""
    along = np.roll(corners, -1, axis=0) - corners
    lever = points[..., None, :] - corners
    part = np.sum(lever * along, axis=-1) / np.sum(along * along, axis=-1)
    miss = lever - np.clip(part, 0.0, 1.0)[..., None] * along
    return np.asarray(np.hypot(miss[..., 0], miss[..., 1]))


def signed_margin(corners: Array, points: Array) -> Array:
    """Distance to the boundary, positive inside, zero on it. # (..., 2) -> (...) [m]."""
    inward = np.min(inward_distances(corners, points), axis=-1)
    outside = np.min(edge_distances(corners, points), axis=-1)
    return np.asarray(np.where(inward >= 0.0, inward, -outside))


def nearest_edge(corners: Array, points: Array) -> Indices:
    """Index of the nearest edge; beyond a corner, of the edge that is overstepped more. # (...)."""
    distance = edge_distances(corners, points)
    near = distance <= np.min(distance, axis=-1, keepdims=True) + _TIE
    overstepped = np.where(near, inward_distances(corners, points), np.inf)
    return np.asarray(np.argmin(overstepped, axis=-1))


def reach(corners: Array, point: Array, direction: Array) -> float:
    """How far a point can go in a direction before it meets the boundary.

    Negative where an edge that lies in this direction is overstepped already.

    Args:
        corners: counter-clockwise. # (m, 2) [m]
        point: # (2,) [m]
        direction: unit vector. # (2,)
    """
    rate = -inward_normals(corners) @ direction
    ahead = rate > _TIE
    return float(np.min(inward_distances(corners, point)[ahead] / rate[ahead]))


# ------------------------------------------------------------------------------------- Convex hull

# A corner that stands out by less than this part of the set's width is rounding, not a corner.
_FLAT = 1e-9


def convex_hull(points: ArrayLike) -> Array:
    """Corners of the hull, counter-clockwise, beginning with the lowest x.

    Points on an edge, or out of it by rounding, are no corners.

    Args:
        points: # (k, 2) [m]

    Returns:
        The corners. # (m, 2) [m], 3 ≤ m ≤ k

    Raises:
        BipedError: points that are not finite, or that span no area.
    """
    cloud = np.asarray(points, dtype=np.float64)
    if cloud.ndim != 2 or cloud.shape[1] != 2 or not np.all(np.isfinite(cloud)):
        raise BipedError(
            f"A convex hull was requested of an array of shape {cloud.shape}; "
            "give points of two finite coordinates in metres.",
            shape=cloud.shape,
        )
    if len(cloud) < 3:
        raise BipedError(f"A support polygon of {len(cloud)} points has no area; give three.")
    width = float(np.ptp(cloud, axis=0).max())
    ordered = cloud[np.lexsort((cloud[:, 1], cloud[:, 0]))]
    lower = _chain(ordered, width)
    upper = _chain(ordered[::-1], width)
    corners = np.array([*lower[:-1], *upper[:-1]])
    if len(corners) < 3:
        raise BipedError(
            f"The {len(cloud)} points of contact lie on one line, {1e3 * width:.4g} mm long: they "
            "span no area to stand on; bring another corner of a sole to the ground.",
            width=width,
        )
    return corners


def _chain(ordered: Array, width: float) -> list[Array]:
    """The right-hand side of the set on the way from its first point to its last."""
    chain: list[Array] = []
    for point in ordered:
        while len(chain) > 1 and _left_by(chain[-2], chain[-1], point) <= _FLAT * width:
            chain.pop()
        if chain and float(np.abs(point - chain[-1]).max()) <= _FLAT * width:
            continue  # the same point again
        chain.append(point)
    return chain


def _left_by(a: Array, b: Array, point: Array) -> float:
    """How far ``b`` stands out to the right of the line from ``a`` to ``point``. [m]."""
    along = point - a
    length = float(np.hypot(along[0], along[1]))
    if length == 0.0:
        return 0.0
    return float((b[0] - a[0]) * along[1] - (b[1] - a[1]) * along[0]) / length


# ---------------------------------------------------------------------------------- Names of edges

_SIDES = ("toe", "left", "heel", "right")  # quarter turns of the outward normal from the heading


def edge_names(corners: Array, heading: Array) -> tuple[str, ...]:
    """A name for each edge.

    An edge is called after the side that its outward normal looks to. Where two edges look to one
    side the names would not tell them apart, and all are numbered from 1.

    Args:
        corners: counter-clockwise. # (m, 2) [m]
        heading: where the robot's front is. # (2,)
    """
    outward = -inward_normals(corners)
    forward = outward @ heading
    left = outward @ np.array([-heading[1], heading[0]])
    quarters = np.round(np.arctan2(left, forward) / (0.5 * np.pi)).astype(int) % 4
    if len(set(quarters.tolist())) == len(quarters):
        return tuple(_SIDES[quarter] for quarter in quarters.tolist())
    return tuple(f"edge {number}" for number in range(1, len(corners) + 1))


def edge_words(edge: str) -> str:
    """An edge within a sentence: "the heel", "the left edge", "edge 3"."""
    if any(sign.isdigit() for sign in edge):
        return edge
    return f"the {edge} edge" if edge in ("left", "right") else f"the {edge}"


# --------------------------------------------------------------------------- Distance between feet
# A leg stands over every sole, so a foot that is swung over another one meets its leg: how high it
# is swung does not part them, and the distance of the two convex polygons is the judge.


def polygon_distance(first: Array, second: Array) -> Array:
    """Distance of two convex polygons; negative is the least way that parts them.

    Args:
        first: corners, counter-clockwise. # (k, m, 2) [m]
        second: # (k, n, 2) [m]
    """
    # Overlapping polygons part most easily along the normal of an edge of one of them; polygons
    # that are apart are nearest at a corner of one of them.
    gap = np.maximum(_beyond(first, second), _beyond(second, first))
    near = np.minimum(_to_edges(first, second), _to_edges(second, first))
    return np.asarray(np.where(gap > 0.0, near, gap))


def _beyond(first: Array, second: Array) -> Array:
    """Most that the second is beyond one edge of the first as a whole. # (k,) [m]."""
    along = np.roll(first, -1, axis=-2) - first
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    outward = outward / np.linalg.norm(along, axis=-1, keepdims=True)
    out = np.einsum("...ec,...pc->...ep", outward, second)
    own = np.sum(outward * first, axis=-1)
    return np.asarray((out.min(axis=-1) - own).max(axis=-1))


def _to_edges(first: Array, second: Array) -> Array:
    """Least distance of the second's corners from the edges of the first. # (k,) [m]."""
    along = np.roll(first, -1, axis=-2) - first
    lever = second[..., None, :] - first[..., None, :, :]
    part = np.einsum("...pec,...ec->...pe", lever, along) / np.sum(along**2, axis=-1)[..., None, :]
    miss = lever - np.clip(part, 0.0, 1.0)[..., None] * along[..., None, :, :]
    return np.asarray(np.linalg.norm(miss, axis=-1).min(axis=(-1, -2)))
