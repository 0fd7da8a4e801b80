"""What stands behind the probed face, as a stylus sees it that stands beside that face.

Looking along the stylus, its shank is a dot and the face beside it a curve. At contact the ball has
stopped the motion; whatever is met only after that curve, in the direction in which it is met,
stands further back than the surface that stopped it: the rim of a bore, its chamfer, the top around
it, the outer side of a thin wall. It is looked along a fan of rays, and at every corner.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices, Mask

_FAN = 1440  # rays: at 10 mm they are 0.04 mm apart
_EQUAL = 1e-5  # [m] facets and rounding: as far back as the face is behind it
_ANGLE = 1e-9  # [rad] rounding
_TURN = 2.0 * np.pi


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stand:
    """A stylus at a contact.

    Args:
        ball: centre. # (3,) [m]
        axis: from wrist to ball. # (3,) unit
        length: of the shank. [m]
        within: of the axis, what may have to be kept away from. [m]
        looked: how far it is looked, at least as far. [m]
    """

    ball: Array
    axis: Array
    length: float
    within: float
    looked: float


def hidden(face: Array, others: Array, stand: Stand) -> Mask:
    """Which triangles stand behind the face, wherever they are near the shank.

    One that comes within ``within`` has to be behind the face where it does; one that does not,
    wherever it is looked at.

    Args:
        face: triangles of the probed face; what of them lies below the ball's centre or above the
            wrist hides nothing. # (f, 3, 3) [m]
        others: triangles, none of them of the face. # (m, 3, 3) [m]
        stand: where the stylus is.
    """
    front = _edges_between(_seen_along(face, stand), stand.length)
    corners = _seen_along(others, stand)[..., :2]
    rays = _rays(corners, stand.looked)
    nearest = np.full(rays.size, np.inf)
    met = _meetings(front, rays)
    np.minimum.at(nearest, met.ray, met.distance)
    edges = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 2)
    met = _meetings(edges, rays)
    owner = met.edge // 3
    least = np.full(len(others), np.inf)
    np.minimum.at(least, owner, met.distance)
    limit = np.where(least < stand.within, stand.within, stand.looked)
    seen = met.distance < np.minimum(nearest[met.ray] - _EQUAL, limit[owner])
    result = least < stand.looked
    result[owner[seen]] = False
    return np.asarray(result & ~_around_axis(corners))


def _seen_along(triangles: Array, stand: Stand) -> Array:
    """Corners across the axis, and how far they are from the ball towards the wrist."""
    from parts.geometry.surfaces import across

    side = across(stand.axis)
    frame = np.stack([side, np.cross(stand.axis, side), -stand.axis], axis=1)
    return np.asarray((triangles - stand.ball) @ frame)


def _edges_between(corners: Array, height: float) -> Array:
    """Outlines of triangles between heights 0 and ``height``, seen from above. # (e, 2, 2)."""
    start, end = corners, np.roll(corners, -1, axis=1)
    rise = end[..., 2] - start[..., 2]
    level = rise == 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        cuts = np.stack([-start[..., 2] / rise, (height - start[..., 2]) / rise])
    inside = (start[..., 2] >= 0.0) & (start[..., 2] <= height)
    low = np.where(level, 0.0, np.clip(np.min(cuts, axis=0), 0.0, 1.0))
    high = np.where(level, inside * 1.0, np.clip(np.max(cuts, axis=0), 0.0, 1.0))
    across = (end - start)[..., :2]
    ends = [start[..., :2] + share[..., None] * across for share in (low, high)]
    edges = np.stack(ends, axis=2)[high > low]
    return np.concatenate([edges, _cut(corners, 0.0), _cut(corners, height)])


def _cut(corners: Array, height: float) -> Array:
    """Where triangles meet a plane across the axis. # (c, 2, 2)."""
    above = corners[..., 2] >= height
    corners = corners[above.any(axis=1) & ~above.all(axis=1)]
    start, end = corners, np.roll(corners, -1, axis=1)
    crossed = (start[..., 2] >= height) != (end[..., 2] >= height)
    a, b = start[crossed], end[crossed]
    share = (height - a[:, 2]) / (b[:, 2] - a[:, 2])
    return np.asarray((a + share[:, None] * (b - a))[:, :2].reshape(-1, 2, 2))


def _rays(corners: Array, within: float) -> Array:
    """Directions in which it is looked, rising. # (r,) [rad]."""
    flat = corners.reshape(-1, 2)
    flat = flat[np.einsum("ij,ij->i", flat, flat) < within * within]
    fan = (np.arange(_FAN) / _FAN - 0.5) * _TURN
    return np.unique(np.concatenate([fan, np.arctan2(flat[:, 1], flat[:, 0])]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Meetings:
    """Rays that meet edges. # (m,) each."""

    edge: Indices
    ray: Indices
    distance: Array


def _meetings(edges: Array, rays: Array) -> _Meetings:
    """All meetings of rays from the axis and edges. # (e, 2, 2), (r,)."""
    a, b = edges[:, 0], edges[:, 1]
    first = np.arctan2(a[:, 1], a[:, 0])
    sweep = np.arctan2(_cross(a, b), np.einsum("ij,ij->i", a, b))
    low = first + np.minimum(sweep, 0.0) - _ANGLE
    turns = np.concatenate([rays - _TURN, rays, rays + _TURN])
    starts = np.searchsorted(turns, low)
    counts = np.searchsorted(turns, low + np.abs(sweep) + 2.0 * _ANGLE) - starts
    edge = np.repeat(np.arange(len(edges)), counts)
    inside = np.arange(edge.size) - np.repeat(np.cumsum(counts) - counts, counts)
    ray = (np.repeat(starts, counts) + inside) % rays.size
    way = np.stack([np.cos(rays), np.sin(rays)], axis=1)[ray]
    begin, across = a[edge], (b - a)[edge]
    before, apart = _cross(begin, way), _cross(way, across)
    # An edge that is seen end-on is met at its nearer end.
    nearer = np.einsum("ij,ij->i", b, b) < np.einsum("ij,ij->i", a, a)
    share = np.divide(before, apart, out=1.0 * nearer[edge], where=apart != 0.0)
    np.clip(share, 0.0, 1.0, out=share)
    distance = np.einsum("ij,ij->i", begin, way) + share * np.einsum("ij,ij->i", across, way)
    return _Meetings(edge=edge, ray=ray, distance=distance)


def _around_axis(corners: Array) -> Mask:
    """Triangles that the axis, drawn out, passes through. # (m, 3, 2) -> (m,)."""
    sides = np.stack([_cross(corners[:, k], corners[:, (k + 1) % 3]) for k in range(3)])
    return np.asarray(np.all(sides > 0.0, axis=0) | np.all(sides < 0.0, axis=0))


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
