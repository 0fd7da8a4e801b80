"""The piece of a surface that the nominal points of a feature span."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parts.evaluation import NominalFeature
from parts.features import Patch, Rectangle, SurfaceCircle
from parts.features.band import FULL_TURN, angles_about, band_span, swept
from parts.fits import SpaceCircle
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Surface, Torus, across
from parts.points import ProbePoints
from robots.core.arrays import Array, Indices

_OPEN = 1.7  # of the mean gap between neighbours about an axis: a wider one is an opening
_THIN = 1e-6  # of the span: what is narrower is no patch


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
    first, sweep = _swept(angles_about(shape.axis, positions - shape.centre))
    return SurfaceCircle(
        centre=shape.centre,
        axis=shape.axis,
        x_axis=across(shape.axis),
        radius=shape.radius,
        inner=shape.reversed,
        first_angle=first,
        sweep=sweep,
    )


def _band(surface: Surface, positions: Array, normals: Array) -> Patch | None:
    seen = band_span(surface, positions, _mean(-normals if surface.reversed else normals))
    start, end = float(seen.along.min()), float(seen.along.max())
    if end - start <= _THIN * seen.size:
        return None
    first, sweep = _swept(seen.angles)
    return replace(seen.band, start=start, end=end, first_angle=first, sweep=sweep)


def _mean(normals: Array) -> Array:
    total = normals.sum(axis=0)
    length = float(np.linalg.norm(total))
    return total / length if length > 1e-6 * len(normals) else np.array([0.0, 0.0, 1.0])


def _swept(angles: Array) -> tuple[float, float]:
    """First angle and sweep that hold all points; a full turn where they go all round. [rad]."""
    places = np.unique(np.round(angles, 9))
    return swept(places, _OPEN * FULL_TURN / places.size if places.size > 2 else 0.0)
