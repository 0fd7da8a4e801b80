"""A drawing as a document, its faces by the names of the features that they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from math import degrees, isfinite
from typing import Any

from parts.drawing.drawing import Datum, Dimension, Drawing, GeometricTolerance
from parts.features.recognition import form_features
from parts.geometry.geometry import Geometry


def drawing_document(drawing: Drawing, geometry: Geometry) -> dict[str, Any]:
    """Datums, dimensions, tolerances and what is unread, of plain values; lengths in millimetres.

    A key that says nothing of a fact is left out.

    Args:
        drawing: of the part.
        geometry: that its faces belong to.
    """
    names = feature_names(geometry)
    return {
        "datums": [_datum(one, names) for one in drawing.datums],
        "dimensions": [_dimension(one, names) for one in drawing.dimensions],
        "tolerances": [
            _tolerance(one, names) | _listed("lower", [_tolerance(low, names) for low in one.lower])
            for one in drawing.tolerances
        ],
        "unread": [
            {"name": one.name, "reason": one.reason, "statement": one.identity}
            for one in drawing.unread
        ],
    }


def feature_names(geometry: Geometry) -> dict[int, str]:
    """The feature of every face by its index; the face's own name where it belongs to none.

    Args:
        geometry: of the part.
    """
    names = {face.index: face.name for face in geometry.faces}
    for feature in form_features(geometry):
        names.update(dict.fromkeys(feature.faces, feature.name))
    return names


def features_of(faces: Iterable[int], names: dict[int, str]) -> list[str]:
    """Features of some faces, each once.

    Args:
        faces: their indices.
        names: of ``feature_names``.
    """
    return list(dict.fromkeys(names[face] for face in faces))


def _datum(one: Datum, names: dict[int, str]) -> dict[str, Any]:
    targets = [
        {
            "name": target.name,
            "type": target.kind,
            "features": features_of(target.faces, names),
        }
        | _listed("point_mm", [_mm(value) for value in target.point])
        | _listed("outline_mm", [[_mm(value) for value in corner] for corner in target.outline])
        | _lengths(diameter=target.diameter, length=target.length, width=target.width)
        for target in one.targets
    ]
    return {"label": one.label, "features": features_of(one.faces, names)} | _listed(
        "targets", targets
    )


def _dimension(one: Dimension, names: dict[int, str]) -> dict[str, Any]:
    values = {"nominal": one.nominal, "lower": one.lower, "upper": one.upper}
    numbers = (
        {f"{name}_deg": _digits(degrees(v)) for name, v in values.items() if isfinite(v)}
        if one.angular
        else _lengths(**values)
    )
    return {
        "type": one.kind,
        **numbers,
        **({"fit": one.fit} if one.fit else {}),
        **_listed("modifiers", list(one.modifiers)),
        "features": features_of(one.faces, names),
        **_listed("origin_features", features_of(one.origin_faces, names)),
        **({"directed": True} if one.directed else {}),
    }


def _tolerance(one: GeometricTolerance, names: dict[int, str]) -> dict[str, Any]:
    flags = {
        "diameter": one.zone != "width",
        "spherical": one.zone == "sphere",
        "all_around": one.all_around,
        "whole_part": one.whole_part,
    }
    boundaries = {
        element.label: list(dict.fromkeys((*element.modifiers, *reference.modifiers)))
        for reference in one.datums
        for element in reference.elements
        if element.modifiers or reference.modifiers
    }
    unit = {"shape": one.unit_shape, "extents_mm": [_mm(value) for value in one.unit]}
    return {
        "type": one.kind,
        "value_mm": _mm(one.value),
        **{name: True for name, said in flags.items() if said},
        **({"modifier": one.material} if one.material else {}),
        **_listed("modifiers", list(one.modifiers)),
        "datums": [reference.label for reference in one.datums],
        **({"datum_modifiers": boundaries} if boundaries else {}),
        **_lengths(projected=one.projected, unequal=one.unequal, maximum=one.maximum),
        **({"unit": unit} if one.unit else {}),
        "features": features_of(one.faces, names),
    }


def _listed(name: str, values: list[Any]) -> dict[str, Any]:
    return {name: values} if values else {}


def _lengths(**values: float) -> dict[str, float]:
    return {f"{name}_mm": _mm(value) for name, value in values.items() if isfinite(value)}


def _mm(value: float) -> float:
    return _digits(1e3 * value)


def _digits(value: float) -> float:
    """Twelve digits: what a file in inches or degrees loses on the way to metres and back."""
    return float(f"{value:.12g}")
