"""SupportPolygon: what a robot stands on, projected along gravity on the horizontal plane.

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
from robots.biped.posture import margin
from robots.biped.posture.convex_hull import convex_hull
from robots.biped.posture.edge_names import edge_names
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
        return margin.inward_normals(self.corners)

    @property
    def area(self) -> float:
        """Area of the projection. [m²]."""
        return 0.5 * _turns(self.corners)

    def inward_distances(self, points: ArrayLike) -> Array:
        """Distance to the line of every edge, positive inside. # (..., 2 or 3) -> (..., m) [m]."""
        return margin.inward_distances(self.corners, _across(points))

    def signed_margin(self, points: ArrayLike) -> Array:
        """Distance to the boundary, positive inside. # (..., 2 or 3) -> (...) [m].

        Raises:
            BipedError: points that are not finite.
        """
        return margin.signed_margin(self.corners, _across(points))

    def nearest_edge(self, points: ArrayLike) -> Indices:
        """Index of the nearest edge. # (..., 2 or 3) -> (...)."""
        return margin.nearest_edge(self.corners, _across(points))

    def nearest_edge_name(self, point: ArrayLike) -> str:
        """Name of the edge nearest to one point. # (2,) or (3,)."""
        return self.edge_names[int(self.nearest_edge(point))]

    def reach(self, point: ArrayLike, direction: Sequence[float] | Array) -> float:
        """How far a point can go in a direction until it meets the boundary. [m].

        Args:
            point: inside. # (2,) or (3,) [m]
            direction: in the horizontal plane. # (2,)
        """
        return margin.reach(self.corners, _across(point), _unit(direction))


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
    """Whether corners are those of their own hull, in its order."""
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
            f"A margin is asked of an array of shape {across.shape}; give points of two or three "
            "finite coordinates in metres.",
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
