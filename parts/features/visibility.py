"""What of a part can be seen from outside: its skin as a cloud of points, looked at from far away.

A feature that nothing outside sees cannot be probed, however its faces lie; one that is seen may
still be too narrow for a stylus, which ``parts.sampling`` and a plan find out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parts.features.recognition import FormFeature
from parts.geometry.geometry import Geometry
from parts.geometry.mesh import TriangleMesh
from parts.geometry.surfaces import across
from robots.core.arrays import Array, Indices, Mask, freeze_fields

_PIXELS = 240  # across the part
_DENSITY = 2.0  # points for each pixel of area
_TILT = np.radians(8.0)  # off the axis of a bore: what is seen from there is its wall
_AXES = 24  # different directions of features that are looked along
_GRAZING = 0.02  # cosine: seen flatter than this is not seen
_GOLDEN = (0.7548776662466927, 0.5698402909980532)  # spread pairs of numbers evenly


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Splats:
    """Points spread over triangles by area.

    Args:
        points: # (n, 3) [m]
        triangles: that each lies on. # (n,)
        spacing: side of the square that each stands for. [m]
    """

    points: Array
    triangles: Indices
    spacing: float

    def __post_init__(self) -> None:
        freeze_fields(self, "points", copy=None)
        freeze_fields(self, "triangles", dtype=np.int64, copy=None)


def splats(mesh: TriangleMesh, spacing: float) -> Splats:
    """Spread points over a mesh, one at least for each triangle.

    Args:
        mesh: any.
        spacing: of neighbours. [m]
    """
    counts = np.maximum(1, np.ceil(mesh.areas / spacing**2)).astype(np.int64)
    rows = np.repeat(np.arange(len(mesh)), counts)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    u = np.sqrt(np.mod(0.5 + (place + 1) * _GOLDEN[0], 1.0))[:, None]
    v = np.mod(0.5 + (place + 1) * _GOLDEN[1], 1.0)[:, None]
    a, b, c = (mesh.vertices[mesh.faces[rows, corner]] for corner in range(3))
    return Splats(points=a + u * (b - a) + u * v * (c - b), triangles=rows, spacing=spacing)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """A look at a part from far away.

    Args:
        column: of the pixel of each point. # (n,)
        row: of it, from the top. # (n,)
        depth: towards the eye. # (n,) [m]
        front: points that nothing stands before. # (n,)
        shape: rows and columns of pixels.
        projection: from a point and 1 to its column and row, from the middle of the first pixel.
            # (2, 4)
    """

    column: Indices
    row: Indices
    depth: Array
    front: Mask
    shape: tuple[int, int]
    projection: Array


def view_of(mesh: TriangleMesh, cloud: Splats, towards: Array, pixel: float) -> View:
    """Look at points from a direction.

    Args:
        mesh: that they lie on.
        cloud: the points.
        towards: unit, from the part to the eye. # (3,)
        pixel: side of a pixel. [m]
    """
    from scipy.ndimage import maximum_filter

    up = np.array([0.0, 0.0, 1.0]) if abs(towards[2]) < 0.99 else np.array([0.0, 1.0, 0.0])
    right = np.cross(up, towards)
    right /= np.linalg.norm(right)
    up = np.cross(towards, right)
    x, y, depth = cloud.points @ right, cloud.points @ up, cloud.points @ towards
    column = ((x - x.min()) / pixel).astype(np.int64)
    row = ((y.max() - y) / pixel).astype(np.int64)
    shape = (int(row.max()) + 1, int(column.max()) + 1)
    key = row * shape[1] + column
    nearest = np.full(shape[0] * shape[1], -np.inf)
    np.maximum.at(nearest, key, depth)
    # points leave gaps, through which what is behind must not be seen: a point stands for the
    # pixels about its own, too, a little farther away
    around = maximum_filter(nearest.reshape(shape), 3).ravel() - 3.0 * pixel
    nearest = np.maximum(nearest, around)
    facing = mesh.normals[cloud.triangles] @ towards
    # a steep surface falls off by this within one pixel
    slope = np.minimum(1.0 / np.maximum(facing, _GRAZING), 8.0)
    front = (facing > _GRAZING) & (depth >= nearest[key] - pixel * slope)
    projection = np.array([[*right, -x.min()], [*-up, y.max()]]) / pixel
    projection[:, 3] -= 0.5
    return View(
        column=column, row=row, depth=depth, front=front, shape=shape, projection=projection
    )


def visible_shares(geometry: Geometry, features: Sequence[FormFeature]) -> Array:
    """Share of each feature's area that can be seen from outside from some direction. # (k,).

    Looked at from the 26 directions of a cube's faces, edges and corners, and from either end of
    the features' axes, a little beside them. Resolves a 240th of the part.

    Args:
        geometry: of the part.
        features: of it.
    """
    mesh = geometry.mesh
    pixel = float(mesh.size.max()) / _PIXELS
    cloud = splats(mesh, pixel / np.sqrt(_DENSITY))
    seen = np.zeros(len(cloud.points), dtype=bool)
    for towards in _directions(features):
        seen |= view_of(mesh, cloud, towards, pixel).front
    owner = np.full(len(mesh), -1)
    for number, feature in enumerate(features):
        owner[feature.triangles] = number
    of = owner[cloud.triangles]
    known = of >= 0
    # where a triangle has one point only, that stands for its area
    counts = np.bincount(cloud.triangles, minlength=len(mesh))
    weights = (mesh.areas / np.maximum(counts, 1))[cloud.triangles]
    whole = np.bincount(of[known], weights[known], len(features))
    visible = np.bincount(of[known], (weights * seen)[known], len(features))
    return np.asarray(visible / np.where(whole > 0.0, whole, 1.0))


def _directions(features: Sequence[FormFeature]) -> list[Array]:
    steps = (-1.0, 0.0, 1.0)
    cube = [np.array([x, y, z]) for x in steps for y in steps for z in steps if x or y or z]
    found = [one / np.linalg.norm(one) for one in cube]
    axes: list[Array] = []
    for feature in features:
        axis = feature.axis
        if np.isnan(axis).any() or feature.kind == "plane":
            continue
        if all(abs(float(axis @ other)) < np.cos(_TILT) for other in axes):
            axes.append(axis)
    for axis in axes[:_AXES]:
        x = across(axis)
        for side in (axis, -axis):
            for beside in (x, -x, np.cross(axis, x), -np.cross(axis, x)):
                found.append(np.cos(_TILT) * side + np.sin(_TILT) * beside)
    return found
