"""Faces of a geometry → features: a box of coordinates around the face, and its rim."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parts.errors import FeatureError
from parts.features.band import Band
from parts.features.feature import Feature
from parts.features.patch import Patch
from parts.features.rectangle import Rectangle
from parts.features.region import cylinder_of
from parts.features.rim import rim_of
from parts.features.skin_patch import RoundSkin, SkinPatch
from parts.features.spanned import Spanned, spanned, swept
from parts.geometry.face import Face
from parts.geometry.geometry import Geometry
from parts.geometry.surfaces import Plane, Sphere, Surface
from parts.geometry.surfaces.surface import across
from robots.core.arrays import Array

_WIDEST_STEP = 0.7  # [rad] between neighbouring corners; a wider gap is an opening


def feature_of_face(geometry: Geometry, face: Face) -> Feature:
    """The whole of a face, with its holes and its true outline, as a feature.

    Args:
        geometry: that has the face.
        face: one of its faces, or a region of a mesh.

    Raises:
        FeatureError: a face that was not identified.
    """
    if face.kind == "unidentified":
        raise FeatureError(
            f"Face #{face.index} ({face.name}) of {geometry.source} was not identified: what "
            "surface it is part of is not known, so nothing is measured on it. Export the part "
            "again, without colours.",
            face=face.index,
        )
    rim = rim_of(geometry, face.triangles, sharp=face.kind == "facets", deflection=face.deflection)
    if face.surface is None:
        patch: Patch = _skin(geometry, face)
    else:
        corners = np.unique(geometry.mesh.faces[face.triangles])
        points = face.surface.project(geometry.mesh.vertices[corners])
        if isinstance(face.surface, Plane):
            patch = _rectangle(face.surface, points, rim.ends - rim.starts)
        else:
            patch = _band(face.surface, points, _middle(geometry, face))
    return Feature(name=face.name, patch=patch, rim=rim)


def _skin(geometry: Geometry, face: Face) -> SkinPatch:
    """Triangles, round ones along the cylinder through their corners."""
    cylinder = cylinder_of(geometry, face.triangles) if face.kind == "facets" else None
    if cylinder is None:
        return SkinPatch(geometry=geometry, triangles=face.triangles, name=face.kind)
    corners = np.unique(geometry.mesh.faces[face.triangles])
    points = cylinder.project(geometry.mesh.vertices[corners])
    guide = _band(cylinder, points, cylinder.axis)
    return RoundSkin(geometry=geometry, triangles=face.triangles, name=face.kind, guide=guide)


def _middle(geometry: Geometry, face: Face) -> Array:
    """Mean direction of a face: axis for a sphere, which has none of its own. # (3,)."""
    mesh = geometry.mesh
    mean = mesh.areas[face.triangles] @ mesh.normals[face.triangles]
    length = float(np.linalg.norm(mean))
    if length <= 1e-6 * float(mesh.areas[face.triangles].sum()):
        return np.array([0.0, 0.0, 1.0])
    return np.asarray((-mean if face.reversed else mean) / length)


def _rectangle(plane: Plane, points: Array, edges: Array) -> Rectangle:
    """The smallest rectangle along one of the edges."""
    best: Rectangle | None = None
    for x_axis in _edge_directions(plane, edges):
        y_axis = np.cross(plane.axis, x_axis)
        flat = np.column_stack([points @ x_axis, points @ y_axis])
        low, high = flat.min(axis=0), flat.max(axis=0)
        size = (float(high[0] - low[0]), float(high[1] - low[1]))
        if best is None or size[0] * size[1] < best.measure * (1 - 1e-9):
            x, y = 0.5 * (low + high)
            centre = x * x_axis + y * y_axis + (plane.point @ plane.axis) * plane.axis
            best = Rectangle(surface=plane, centre=centre, x_axis=x_axis, size=size)
    return best if best is not None else _rectangle(plane, points, across(plane.axis)[None])


def _edge_directions(plane: Plane, edges: Array) -> Array:
    """Different directions of the longest edges, at most 90 of them. # (d, 3)."""
    flat = edges - np.outer(edges @ plane.axis, plane.axis)
    lengths = np.linalg.norm(flat, axis=1)
    order = np.argsort(-lengths, kind="stable")[:90]
    order = order[lengths[order] > 0.0]
    return np.asarray(flat[order] / lengths[order, None])


def _band(surface: Surface, points: Array, middle: Array) -> Band:
    seen = spanned(surface, points, middle)
    first, sweep = swept(seen.angles, _WIDEST_STEP)
    start, end = _ends(seen)
    return replace(seen.band, start=start, end=end, first_angle=first, sweep=sweep)


def _ends(seen: Spanned) -> tuple[float, float]:
    """Range of the corners, widened: triangles of a sphere or tube reach beyond their corners."""
    (low, high), t = seen.band.meridian.bounds, seen.along
    if np.isfinite(low):
        step = _WIDEST_STEP * seen.size
        closed = np.diff(np.sort(t)).max(initial=0.0) < step
        around = float(t.max() - t.min()) > (high - low) - step
        if closed and around and not isinstance(seen.band.surface, Sphere):
            return low, high
    pad = 0.02 * float(np.ptp(t)) if np.isfinite(high) else 0.0
    return max(low, float(t.min()) - pad), min(high, float(t.max()) + pad)
