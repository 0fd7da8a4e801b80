"""The piece of a surface that the nominal points of a feature span."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parts.evaluation import NominalFeature
from parts.features import Band, Circle, Patch, Rectangle
from parts.features.band import axis_of, origin_of
from parts.fits import Shape, SpaceCircle
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Torus
from parts.points import ProbePoints

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_OPEN = 1.7  # of the mean gap between neighbours about an axis: a wider one is an opening
_THIN = 1e-6  # of the span: what is narrower is no patch
_FULL = 2.0 * np.pi


def patch_around(nominal: NominalFeature, points: ProbePoints, rows: Indices) -> Patch | None:
    """The piece that some points of a feature span; None where they span none.

    Args:
        nominal: the feature.
        points: of the part, on the surface.
        rows: of those of the feature.
    """
    positions, normals = points.positions[rows], points.normals[rows]
    shape = nominal.shape
    if isinstance(shape, SpaceCircle):
        return _circle(shape, positions)
    if isinstance(shape, Plane):
        return _rectangle(shape, positions)
    if isinstance(shape, Cylinder | Cone | Sphere | Torus):
        return _band(shape, positions, normals)
    return None


def _rectangle(plane: Plane, positions: Array) -> Patch | None:
    """Along the directions in which the points spread most and least."""
    centre = positions.mean(axis=0)
    _, _, Vt = np.linalg.svd(positions - centre, full_matrices=False)
    x_axis = Vt[0] - (Vt[0] @ plane.axis) * plane.axis
    x_axis /= np.linalg.norm(x_axis)
    y_axis = np.cross(plane.axis, x_axis)
    flat = np.column_stack([(positions - centre) @ x_axis, (positions - centre) @ y_axis])
    low, high = flat.min(axis=0), flat.max(axis=0)
    size = (float(high[0] - low[0]), float(high[1] - low[1]))
    if size[1] <= _THIN * size[0]:
        return None
    x, y = 0.5 * (low + high)
    middle = plane.project((centre + x * x_axis + y * y_axis)[None])[0]
    return Rectangle(surface=plane, centre=middle, x_axis=x_axis, size=size)


def _circle(shape: SpaceCircle, positions: Array) -> Patch:
    x_axis = _square_to(shape.axis)
    first, sweep = _swept(_angles(positions - shape.centre, shape.axis, x_axis))
    return Circle(
        centre=shape.centre,
        axis=shape.axis,
        x_axis=x_axis,
        radius=shape.radius,
        inner=shape.reversed,
        first_angle=first,
        sweep=sweep,
    )


def _band(surface: Shape, positions: Array, normals: Array) -> Patch | None:
    if not isinstance(surface, Cylinder | Cone | Sphere | Torus):
        return None
    axis = axis_of(surface, _mean(-normals if surface.reversed else normals))
    origin, x_axis = origin_of(surface), _square_to(axis)
    arms = positions - origin
    heights = arms @ axis
    radii = np.linalg.norm(arms - heights[:, None] * axis, axis=1)
    off_axis = radii > _THIN * radii.max(initial=0.0)
    first, sweep = _swept(_angles(arms[off_axis], axis, x_axis))
    whole = Band(
        surface=surface, origin=origin, axis=axis, x_axis=x_axis, start=0.0, end=_some(surface)
    )
    along = whole.meridian.place(radii, heights)
    start, end = float(along.min()), float(along.max())
    if end - start <= _THIN * _some(surface):
        return None
    return Band(
        surface=surface,
        origin=origin,
        axis=axis,
        x_axis=x_axis,
        start=start,
        end=end,
        first_angle=first,
        sweep=sweep,
    )


def _some(surface: Shape) -> float:
    """A length that every meridian of the surface has."""
    return float(getattr(surface, "minor_radius", getattr(surface, "radius", 1.0)))


def _mean(normals: Array) -> Array:
    total = normals.sum(axis=0)
    length = float(np.linalg.norm(total))
    return total / length if length > 1e-6 * len(normals) else np.array([0.0, 0.0, 1.0])


def _square_to(axis: Array) -> Array:
    """A unit vector square to another. # (3,)."""
    x_axis = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    return np.asarray(x_axis / np.linalg.norm(x_axis))


def _angles(arms: Array, axis: Array, x_axis: Array) -> Array:
    return np.asarray(np.arctan2(arms @ np.cross(axis, x_axis), arms @ x_axis))


def _swept(angles: Array) -> tuple[float, float]:
    """First angle and sweep that hold all points; a full turn where they go all round. [rad]."""
    ordered = np.unique(np.round(angles, 9))
    if ordered.size < 2:
        return 0.0, _FULL
    gaps = np.diff(np.append(ordered, ordered[0] + _FULL))
    widest = int(np.argmax(gaps))
    if ordered.size > 2 and gaps[widest] <= _OPEN * _FULL / ordered.size:
        return 0.0, _FULL
    return float(ordered[(widest + 1) % ordered.size]), float(_FULL - gaps[widest])
