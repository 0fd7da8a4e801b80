"""Choosing a feature: a face by name, index, kind or nearest point, or a feature by numbers."""

from __future__ import annotations

from dataclasses import replace

from parts.errors import FeatureError
from parts.features.by_numbers import feature_of_numbers
from parts.features.feature import KINDS, Feature
from parts.features.from_face import feature_of_face
from parts.features.phrase import numbers_of
from parts.features.region import region_around
from parts.features.rim import whole_part
from parts.geometry.face import Face
from parts.geometry.geometry import Geometry

_WAYS = "a face's name, #index, a kind such as cylinder, nearest:x,y,z in mm, or kind:key=value;…"


def choose_feature(geometry: Geometry, text: str) -> Feature:
    """The feature that a text names.

    ``top`` (a face's name) · ``#3`` (its index, from 0) · ``cylinder`` (the only face of a kind) ·
    ``nearest:10,0,25`` (the face nearest to a point, in mm) ·
    ``circle:center=0,0,10;normal=0,0,1;diameter=20;inner`` (by numbers, in mm; points are kept
    only where the part has surface).

    Args:
        geometry: of the part.
        text: the choice.

    Raises:
        FeatureError: no such face, or several; the message lists what there is.
    """
    text = text.strip()
    if any(face.name == text for face in geometry.faces):
        return feature_of_face(geometry, geometry.face(text))
    head, colon, rest = text.partition(":")
    if head == "nearest" and colon:
        return feature_of_face(geometry, nearest_face(geometry, rest))
    if colon and head in KINDS:
        feature = feature_of_numbers(text)
        return replace(feature, rim=whole_part(geometry))
    if text.startswith("#"):
        return feature_of_face(geometry, _by_index(geometry, text))
    if text in KINDS:
        return feature_of_face(geometry, _by_kind(geometry, text))
    raise FeatureError(
        f"{geometry.source} has no feature {text!r}; give {_WAYS}. It has {_listed(geometry)}.",
        found=text,
    )


def nearest_face(geometry: Geometry, text: str) -> Face:
    """The face nearest to a point; on a mesh, the smooth region there. Args: "x,y,z" in mm."""
    feet = geometry.closest(numbers_of(text, "nearest", 3)[None] * 1e-3)
    face = geometry.faces[int(feet.faces[0])]
    if face.kind != "facets":
        return face
    return region_around(geometry, int(feet.triangles[0]), face)


def _by_index(geometry: Geometry, text: str) -> Face:
    if not text[1:].isdecimal() or int(text[1:]) >= len(geometry.faces):
        raise FeatureError(
            f"{geometry.source} has no face {text}; it has {_listed(geometry)}, numbered from #0.",
            found=text,
        )
    return geometry.faces[int(text[1:])]


def _by_kind(geometry: Geometry, kind: str) -> Face:
    faces = geometry.faces_of_kind(kind)
    if len(faces) == 1:
        return faces[0]
    which = ", ".join(f"#{face.index} ({face.name})" for face in faces[:8])
    more = ", …" if len(faces) > 8 else ""
    told = (
        f"{len(faces)} faces of kind {kind}: {which}{more}; choose one of them"
        if faces
        else (f"no face of kind {kind}; it has {_listed(geometry)}")
    )
    raise FeatureError(f"{geometry.source} has {told}.", kind=kind, count=len(faces))


def _listed(geometry: Geometry) -> str:
    kinds = {kind: len(geometry.faces_of_kind(kind)) for kind in (*KINDS, "unidentified")}
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    return f"{len(geometry.faces)} faces ({counted})"
