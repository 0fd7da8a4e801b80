"""Dimensions that the shape of the part contradicts: their links lead to other faces than meant."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

from parts.drawing.drawing import Dimension, Drawing, UnreadItem
from parts.geometry.geometry import Geometry
from parts.geometry.surfaces import Cylinder, Plane, Sphere, Surface

_AGREES = (
    0.01  # relative; a model need not stand at the nominal size, nor a drawing show all digits
)
_PARALLEL = 1e-6  # 1 less the cosine between normals


def without_contradictions(drawing: Drawing, geometry: Geometry) -> Drawing:
    """The drawing without dimensions that cannot be those of their faces, which are listed.

    Args:
        drawing: of the part.
        geometry: that its faces belong to.
    """
    kept: list[Dimension] = []
    unread = list(drawing.unread)
    for one in drawing.dimensions:
        found = _contradiction(one, geometry)
        if not found:
            kept.append(one)
            continue
        unread.append(
            UnreadItem(
                name=f"{one.kind} of {1e3 * _size(one):.6g} mm",
                reason=f"the faces that it is linked to have {found}",
                identity=one.identity,
            )
        )
    unread.sort(key=lambda item: item.identity)
    return replace(drawing, dimensions=tuple(kept), unread=tuple(unread))


def _contradiction(one: Dimension, geometry: Geometry) -> str:
    """What the faces have instead; empty where they agree, or nothing can be said."""
    surfaces, starts = (
        [geometry.faces[index].surface for index in faces]
        for faces in (one.faces, one.origin_faces)
    )
    if one.kind in ("diameter", "spherical diameter", "radius", "spherical radius"):
        scale = 2.0 if "diameter" in one.kind else 1.0
        radii = [s.radius for s in surfaces if isinstance(s, Cylinder | Sphere)]
        if all(isinstance(s, Plane) for s in surfaces):
            return f"no {one.kind}"
        others = [scale * radius for radius in radii if not _agrees(scale * radius, one)]
        return f"{1e3 * others[0]:.6g} mm" if others else ""
    if one.kind == "distance" and len(surfaces) == len(starts) == 1:
        return _other_distance(starts[0], surfaces[0], one)
    return ""


def _other_distance(first: Surface | None, second: Surface | None, one: Dimension) -> str:
    if not isinstance(first, Plane) or not isinstance(second, Plane):
        return ""
    if 1.0 - abs(float(first.axis @ second.axis)) > _PARALLEL:
        return "no distance, as they are not parallel"
    apart = abs(float((second.point - first.point) @ first.axis))
    return "" if _agrees(apart, one) else f"a distance of {1e3 * apart:.6g} mm"


def _agrees(found: float, one: Dimension) -> bool:
    """Whether a size is within the limits, or near enough to the value that is said."""
    if one.lower <= found <= one.upper:
        return True
    return abs(found - _size(one)) <= _AGREES * _size(one) or "maximum" in one.modifiers


def _size(one: Dimension) -> float:
    """Nominal value, or a limit where there is none. [m]."""
    return next(v for v in (one.nominal, one.upper, one.lower) if isfinite(v))
