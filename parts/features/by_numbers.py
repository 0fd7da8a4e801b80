"""Features by numbers: ``kind:key=value;…``, lengths in millimetres, angles in degrees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from parts.errors import FeatureError
from parts.features.band import Band
from parts.features.curves import Circle, Line
from parts.features.feature import Feature
from parts.features.patch import Patch
from parts.features.phrase import Values, numbers_of, values_of
from parts.features.rectangle import Rectangle
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Surface, Torus
from parts.geometry.surfaces.surface import across
from robots.core.arrays import Array

_MM = 1e-3


def feature_of_numbers(text: str) -> Feature:
    """The feature that a phrase describes, in the part frame.

    ========  =====================================================================
    plane     center, normal, size=a,b [, x=direction of a] or diameter [, hole]
    line      from, to, normal
    circle    center, normal, diameter [, inner, from-deg, sweep-deg]
    cylinder  base, axis, diameter, height [, inner, from-deg, sweep-deg]
    cone      base, axis, diameter (at the base), top (diameter there), height [, inner]
    sphere    center, diameter [, axis, from-deg, to-deg (latitudes), inner]
    torus     center, axis, major, minor (diameters) [, from-deg, to-deg (tube), inner]
    ========  =====================================================================

    Args:
        text: such as ``cylinder:base=0,0,0;axis=0,0,1;diameter=20;height=30;inner``.

    Raises:
        FeatureError: an unknown kind or key, a key that is missing, numbers that make no feature.
    """
    kind, _, rest = text.strip().partition(":")
    if kind not in _BUILDERS:
        raise FeatureError(
            f"{kind!r} cannot be given by numbers; expected one of {', '.join(_BUILDERS)}.",
            found=kind,
        )
    values = values_of(kind, rest)
    patch = _BUILDERS[kind](values)
    values.require_all_used()
    return Feature(name=kind, patch=patch)


def _plane(v: Values) -> Patch:
    centre, normal = v.point("center"), v.direction("normal")
    plane = Plane(point=centre, axis=normal)
    if v.has("diameter"):
        inner = v.length("hole") / 2 if v.has("hole") else 0.0
        return Band(
            surface=plane,
            origin=centre,
            axis=normal,
            x_axis=across(normal),
            start=inner,
            end=v.length("diameter") / 2,
        )
    size = numbers_of(v.text("size"), "size", 2) * _MM
    x_axis = v.direction("x", across(normal))
    x_axis = x_axis - (x_axis @ normal) * normal
    length = float(np.linalg.norm(x_axis))
    if length < 1e-6:
        raise FeatureError("The plane's x lies along its normal; give a direction in the plane.")
    sides = (float(size[0]), float(size[1]))
    return Rectangle(surface=plane, centre=centre, x_axis=x_axis / length, size=sides)


def _line(v: Values) -> Patch:
    return Line(start=v.point("from"), end=v.point("to"), normal=v.direction("normal"))


def _circle(v: Values) -> Patch:
    axis = v.direction("normal")
    return Circle(
        centre=v.point("center"),
        axis=axis,
        x_axis=across(axis),
        radius=v.length("diameter") / 2,
        inner=v.has("inner"),
        first_angle=v.angle("from-deg", 0.0),
        sweep=v.angle("sweep-deg", 2.0 * np.pi),
    )


def _cylinder(v: Values) -> Patch:
    base, axis = v.point("base"), v.direction("axis")
    radius = v.length("diameter") / 2
    surface = Cylinder(point=base, axis=axis, radius=radius, reversed=v.has("inner"))
    return _about(v, surface, base, axis, (0.0, v.length("height")))


def _cone(v: Values) -> Patch:
    base, axis = v.point("base"), v.direction("axis")
    lower, height = v.length("diameter") / 2, v.length("height")
    upper = numbers_of(v.text("top"), "top", 1)[0] * _MM / 2
    if upper < 0.0 or abs(upper - lower) < 1e-9:
        raise FeatureError("The cone's top diameter must not be negative, nor that of its base.")
    slope = abs(lower - upper) / height
    inward = -axis if lower > upper else axis  # from the apex into the cone
    apex = base - inward * lower / slope
    half_angle = float(np.arctan(slope))
    surface = Cone(apex=apex, axis=inward, half_angle=half_angle, reversed=v.has("inner"))
    ends = sorted(float(radius / np.sin(half_angle)) for radius in (lower, upper))
    return _about(v, surface, apex, inward, (ends[0], ends[1]))


def _sphere(v: Values) -> Patch:
    centre, radius = v.point("center"), v.length("diameter") / 2
    surface = Sphere(centre=centre, radius=radius, reversed=v.has("inner"))
    return _about(
        v, surface, centre, v.direction("axis", np.array([0, 0, 1.0])), _arc(v, radius, 1)
    )


def _torus(v: Values) -> Patch:
    centre, axis = v.point("center"), v.direction("axis")
    major, minor = v.length("major") / 2, v.length("minor") / 2
    surface = Torus(
        centre=centre,
        axis=axis,
        major_radius=major,
        minor_radius=minor,
        reversed=v.has("inner"),
    )
    return _about(v, surface, centre, axis, _arc(v, minor, 2))


def _arc(v: Values, radius: float, quarters: int) -> tuple[float, float]:
    """Ends of a meridian's arc, given as angles; the whole where they are left out. [m]."""
    whole = quarters * np.pi / 2
    return radius * v.angle("from-deg", -whole), radius * v.angle("to-deg", whole)


def _about(
    v: Values, surface: Surface, origin: Array, axis: Array, ends: tuple[float, float]
) -> Band:
    tube = isinstance(surface, Sphere | Torus)  # their from-deg runs along the meridian
    return Band(
        surface=surface,
        origin=origin,
        axis=axis,
        x_axis=across(axis),
        start=ends[0],
        end=ends[1],
        first_angle=0.0 if tube else v.angle("from-deg", 0.0),
        sweep=v.angle("sweep-deg", 2.0 * np.pi),
    )


_BUILDERS: dict[str, Callable[[Values], Patch]] = {
    "plane": _plane,
    "line": _line,
    "circle": _circle,
    "cylinder": _cylinder,
    "cone": _cone,
    "sphere": _sphere,
    "torus": _torus,
}
