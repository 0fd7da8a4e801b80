"""Where a scene is looked at from first: the whole cell, and as few points as possible hidden."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reports.scene.decimation import decimated
from reports.scene.model import Scene
from robots.core.arrays import Array

FIELD_OF_VIEW = np.radians(40.0)  # vertical
_ASPECT = 0.95  # width over height of the narrowest window that must show everything
_MARGIN = 1.06
# Ways to look, the best liked first: elevation, then the turn from the direction of the work.
_WAYS = np.radians(
    [(24, -55), (24, 55), (40, -55), (40, 55), (24, -110), (24, 110), (40, -110), (40, 110),
     (60, -55), (60, 55)]
)  # fmt: skip
_TARGETS = 24  # points that are looked for
_TRIANGLES = 400  # of each solid, when it is asked what it hides
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Camera:
    """A view. # (3,) [m] each, base frame."""

    position: Array
    look_at: Array


def first_view(scene: Scene) -> Camera:
    """The camera that sees all of a scene, at any time of it."""
    views = [_view(scene, direction) for direction in _directions(scene)]
    triangles = _triangles(scene)
    # A way that is less liked must show one point more.
    cost = [place + _hidden(scene, view, triangles) for place, view in enumerate(views)]
    return views[int(np.argmin(cost))]


def _directions(scene: Scene) -> list[Array]:
    """From the cell to the camera: from beyond the work, turned aside, so that no link hides it."""
    positions = scene.points.positions
    work = positions.mean(axis=0)[:2] if len(positions) else np.zeros(2)
    heading = float(np.arctan2(work[1], work[0])) if np.any(work) else 0.0
    return [
        np.array([np.cos(turn) * np.cos(rise), np.sin(turn) * np.cos(rise), np.sin(rise)])
        for rise, turn in _WAYS + np.array([0.0, heading])
    ]


def _view(scene: Scene, out: Array) -> Camera:
    """The nearest camera in a direction whose pyramid of sight holds every corner of the cell."""
    middle = scene.bounds.mean(axis=0)
    corners = np.stack(np.meshgrid(*scene.bounds.T), axis=-1).reshape(-1, 3) - middle
    right = np.cross(_UP, out)
    right /= np.linalg.norm(right)
    half = np.tan(FIELD_OF_VIEW / 2.0)
    needs = [
        np.abs(corners @ np.cross(out, right)) / half + corners @ out,
        np.abs(corners @ right) / (half * _ASPECT) + corners @ out,
    ]
    distance = _MARGIN * max(float(np.max(needs)), 1e-3)
    return Camera(position=middle + distance * out, look_at=middle)


def _triangles(scene: Scene) -> Array:
    """Corners of what may hide a point. # (f, 3, 3) [m]."""
    coarse = [decimated(s.vertices, s.faces, _TRIANGLES) for s in scene.solids]
    return np.concatenate([np.zeros((0, 3, 3)), *(m.vertices[m.faces] for m in coarse)])


def _hidden(scene: Scene, view: Camera, triangles: Array) -> int:
    """How many of the points' stems have a solid before their end."""
    points = scene.points
    if not points.names:
        return 0
    chosen = np.unique(np.linspace(0, len(points.names) - 1, _TARGETS).astype(np.int64))
    tops = points.positions[chosen] + 4.0 * points.size * points.normals[chosen]
    return sum(_blocked(view.position, top, triangles) for top in tops)


def _blocked(start: Array, end: Array, triangles: Array) -> bool:
    """Whether a line of sight meets a triangle: signed volumes on either side of it."""
    a, b, c = (triangles[:, corner] - start for corner in range(3))
    ray = end - start
    sides = np.stack([np.cross(p, r) @ ray for p, r in ((a, b), (b, c), (c, a))])
    through = (sides > 0.0).all(axis=0) | (sides < 0.0).all(axis=0)
    normals = np.cross(b - a, c - a)
    slope = normals @ ray
    share = np.sum(normals * a, axis=1) / np.where(slope != 0.0, slope, np.inf)
    return bool(np.any(through & (share > 0.0) & (share < 1.0)))
