"""CAD faces inside the translator's GLB: which triangles are whose, and on what surface."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from parts.geometry.body import Body, Patch
from parts.geometry.gltf import position_accessor, primitives, triangles_of
from parts.geometry.gltf_data import GltfData
from parts.geometry.gltf_document import Document
from parts.geometry.gltf_scene import PlacedMesh
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Surface, Torus
from parts.geometry.transforms import carried, turned
from robots.core.arrays import Array, Indices

EXTENSION = "TM_brep_faces"
# Half of a face's corners, and all of them, lie this near to its surface: sizes of the face, or m.
# Edges of sloppy files lie off their surfaces; a surface farther off is that of another face.
HALF, ALL = (1e-4, 2e-5), (0.03, 1e-4)
SINGLE = 1e-5  # a rotation in single precision is orthogonal to 1e-7; one with scale is not meant


def body_of(document: Document, data: GltfData, place: PlacedMesh, deflection: float) -> Body:
    """A solid or sheet with its faces.

    A face that the translator does not describe, or describes by a surface that its own corners do
    not lie on, is "unidentified"; nothing is ever measured on it.

    Args:
        document: the translator's GLB.
        data: its accessors.
        place: mesh and pose of the body.
        deflection: asked of the translator, for surfaces that cannot be measured. # [m]

    Raises:
        PartError: damaged.
    """
    found = [_primitive(document, data, p) for p in primitives(document, place.mesh)]
    vertices: list[Array] = [np.zeros((0, 3))]
    normals: list[Array] = [np.zeros((0, 3))]
    faces: list[Indices] = [np.zeros((0, 3), dtype=np.int64)]
    patches: list[Patch] = []
    for part in found:
        start = sum(map(len, faces))
        faces.append(part.faces + sum(map(len, vertices)))
        vertices.append(part.vertices)
        normals.append(np.zeros_like(part.vertices) if part.normals is None else part.normals)
        patches += [replace(patch, triangles=patch.triangles + start) for patch in part.patches]
    return _moved(
        Body(
            name=place.name,
            vertices=np.concatenate(vertices),
            faces=np.concatenate(faces),
            patches=tuple(patches),
            normals=np.concatenate(normals),
        ),
        place.T,
        deflection,
    )


def _primitive(document: Document, data: GltfData, primitive: dict[str, Any]) -> Body:
    vertices = data.floats(position_accessor(document, primitive, "POSITION"))
    normal = position_accessor(document, primitive, "NORMAL")
    faces = triangles_of(document, data, primitive)
    extensions = document.object(primitive.get("extensions", {}), "extensions")
    extension = document.object(extensions.get(EXTENSION, {}), EXTENSION)
    normals = np.zeros_like(vertices) if normal is None else data.floats(normal)
    owners = np.full(len(faces), -1)
    if "faceIndices" in extension:
        owners = data.integers(extension["faceIndices"])
    if len(owners) != len(faces) or len(normals) != len(vertices):
        raise document.file.error("the translator's faces do not fit its triangles.")
    entries = document.list(extension, "faces", EXTENSION)
    described = {
        document.count(entry, "face_index", EXTENSION, None): entry
        for entry in entries
        if entry is not None
    }
    patches: list[Patch] = []
    for owner in np.unique(owners).tolist():
        rows = np.flatnonzero(owners == owner)
        if not 0 <= owner < len(entries):
            patches.append(_patch("unidentified", rows))
        elif owner not in described:
            patches.append(_patch("freeform", rows))
        else:
            patches.append(_described(described[owner], vertices, faces, rows))
    return Body(name="", vertices=vertices, faces=faces, patches=tuple(patches), normals=normals)


def _patch(kind: str, rows: Indices) -> Patch:
    return Patch(name="", kind=kind, surface=None, triangles=rows)


def _described(entry: dict[str, Any], vertices: Array, faces: Indices, rows: Indices) -> Patch:
    """A face with its surface, which is reversed where the triangles look the other way."""
    corners = vertices[faces[rows]]
    surface = surface_of(entry, corners.reshape(-1, 3))
    size = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    gaps = np.abs(surface.distance(corners.reshape(-1, 3)))
    for gap, (share, least) in ((np.median(gaps), HALF), (gaps.max(), ALL)):
        if not gap <= max(share * size, least):
            return _patch("unidentified", rows)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    along = np.einsum("ij,ij->", across, surface.normal(corners.mean(axis=1)))
    if along < 0.0:
        surface = replace(surface, reversed=True)  # type: ignore[type-var]
    return Patch(name="", kind=surface.kind, surface=surface, triangles=rows)


def surface_of(entry: dict[str, Any], corners: Array) -> Surface:
    """The surface that the translator describes, its own normal outwards.

    Args:
        entry: parameters in metres.
        corners: of the triangles on it; they tell which nappe of a cone is meant. # (n, 3) [m]
    """
    kind = entry["type"]
    if kind == "plane":
        return Plane(point=entry["origin"], axis=entry["normal"])
    if kind == "cylinder":
        return Cylinder(point=entry["origin"], axis=entry["axis"], radius=entry["radius"])
    if kind == "sphere":
        return Sphere(centre=entry["center"], radius=entry["radius"])
    if kind == "torus":
        return Torus(
            centre=entry["center"],
            axis=entry["axis"],
            major_radius=entry["major_radius"],
            minor_radius=entry["minor_radius"],
        )
    apex, axis = np.array(entry["apex"]), np.array(entry["axis"])
    into = 1.0 if float((corners.mean(axis=0) - apex) @ axis) >= 0.0 else -1.0
    return Cone(apex=apex, axis=into * axis, half_angle=abs(entry["semi_angle"]))


def _moved(body: Body, T: Array, deflection: float) -> Body:
    T = _rigid(T)
    R = T[:3, :3]
    rigid = np.allclose(R @ R.T, np.eye(3), rtol=0.0, atol=1e-12)
    patches = [
        patch
        if patch.surface is None
        else replace(
            patch,
            kind=patch.kind if rigid else "freeform",
            surface=patch.surface.moved(T) if rigid else None,
        )
        for patch in body.patches
    ]
    normals = np.zeros((0, 3)) if body.normals is None else body.normals
    return Body(
        name=body.name,
        vertices=carried(body.vertices, T),
        faces=turned(body.faces, T),
        patches=tuple(replace(patch, deflection=deflection) for patch in patches),
        normals=normals @ np.linalg.inv(R),
    )


def _rigid(T: Array) -> Array:
    """The transform, its rotation made exact: the translator writes it in single precision."""
    U, lengths, Vt = np.linalg.svd(T[:3, :3])
    if np.abs(lengths - 1.0).max() > SINGLE:
        return T
    result = T.copy()
    result[:3, :3] = U @ Vt
    return result
