"""What QIF says of each kind of feature: its word, its sizes, where it is."""

from __future__ import annotations

import numpy as np

from parts.evaluation import FeatureResult
from parts.fits import FittedShape
from reports.evaluation.shapes import axis_of, is_hole, place_of, size_of
from reports.programmes.plain_numbers import MM, number, numbers
from reports.programmes.xml_text import element, parent
from robots.core.arrays import Array

LENGTH = 9  # decimals of mm
_VECTOR = 12
_ANGLE = 9  # decimals of degrees
_WORDS = {
    "plane": "Plane",
    "circle3d": "Circle",
    "line3d": "Line",
    "sphere": "Sphere",
    "cylinder": "Cylinder",
    "cone": "Cone",
    "torus": "Torus",
}
_FREE = "PointDefinedSurface"
_DIRECTIONS = {
    "plane": "Normal",
    "circle3d": "Normal",
    "line3d": "Direction",
    "torus": "AxisVector",
}


def word_of(one: FeatureResult) -> str:
    """QIF's word for a feature; one that is no simple shape is defined by its points."""
    return _WORDS.get(one.kind, _FREE) if one.nominal is not None else _FREE


def definition_sizes(shape: FittedShape | None) -> list[str]:
    """Nominal sizes, in the order that the schema wants."""
    if shape is None or shape.kind in ("plane", "line3d"):
        return []
    inner = "INTERNAL" if is_hole(shape) else "EXTERNAL"
    return [element("InternalExternal", inner), *_sizes(shape)]


def nominal_place(shape: FittedShape) -> list[str]:
    """Where a nominal feature is."""
    if shape.kind in ("cylinder", "cone"):
        return [_axis(shape)]
    return _place(shape)


def measured_place(shape: FittedShape, form: float | None) -> list[str]:
    """Where a measured feature is, its sizes and its form, in the order of the schema."""
    place = [_axis(shape)] if shape.kind in ("cylinder", "cone") else _place(shape)
    sizes = [] if shape.kind in ("plane", "line3d") else _sizes(shape)
    told = [] if form is None else [element("Form", length(form))]
    return [*place, *sizes, *told]


def length(value: float) -> str:
    """A length in millimetres."""
    return number(MM * value, LENGTH)


def place_text(place: Array) -> str:
    """A place in millimetres."""
    return " ".join(numbers(MM * place, LENGTH))


def vector_text(direction: Array) -> str:
    """A direction."""
    return " ".join(numbers(direction, _VECTOR))


def _sizes(shape: FittedShape) -> list[str]:
    if shape.kind == "torus":
        return [
            element("MinorDiameter", length(2.0 * size_of(shape, "minor_radius"))),
            element("MajorDiameter", length(2.0 * size_of(shape, "major_radius"))),
        ]
    if shape.kind == "cone":  # its locating point is the vertex, where its diameter is zero
        angle = float(np.degrees(2.0 * size_of(shape, "half_angle")))
        return [element("Diameter", "0"), element("FullAngle", number(angle, _ANGLE))]
    return [element("Diameter", length(2.0 * size_of(shape, "radius")))]


def _axis(shape: FittedShape) -> str:
    return parent(
        "Axis",
        element("AxisPoint", place_text(place_of(shape))),
        element("Direction", vector_text(axis_of(shape))),
    )


def _place(shape: FittedShape) -> list[str]:
    told = [element("Location", place_text(place_of(shape)))]
    if shape.kind in _DIRECTIONS:
        outward = -1.0 if shape.kind == "plane" and is_hole(shape) else 1.0
        told.append(element(_DIRECTIONS[shape.kind], vector_text(outward * axis_of(shape))))
    return told
