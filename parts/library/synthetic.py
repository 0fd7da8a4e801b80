"""Synthetic parts: patches of triangles sewn into a geometry with named faces; STL output."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from parts.geometry.audit import audit
from parts.geometry.geometry import Face, Geometry
from parts.geometry.mesh import TriangleMesh
from parts.geometry.surfaces import Surface
from robots.core.arrays import Array, frozen

_SAME = 1e-9  # [m] corners nearer than this are one
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SewnPatches:
    """One face before sewing.

    Args:
        name: of the face.
        corners: of its triangles, counter-clockwise seen from outside. # (t, 3, 3) [m]
        surface: that the corners lie on; None for a freeform face.
        normals: of the true surface at the corners, for a freeform face. # (t, 3, 3)
        deflection: of the triangles from the true surface, for a freeform face. [m]
    """

    name: str
    corners: Array
    surface: Surface | None = None
    normals: Array | None = None
    deflection: float = 0.0


def sew(name: str, cloths: list[SewnPatches]) -> Geometry:
    """A geometry of faces that meet where their corners do; triangles without area are dropped."""
    solid = [_solid(cloth) for cloth in cloths]
    counts = [len(cloth.corners) for cloth in solid]
    mesh = _mesh(np.concatenate([cloth.corners for cloth in solid]))
    rows = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
    faces = tuple(
        Face(
            name=cloth.name,
            index=index,
            kind="freeform" if cloth.surface is None else cloth.surface.kind,
            surface=cloth.surface,
            triangles=triangles,
            deflection=_deflection(cloth),
        )
        for index, (cloth, triangles) in enumerate(zip(solid, rows, strict=True))
    )
    return Geometry(
        mesh=mesh,
        faces=faces,
        unit_note="The part was made here, in metres.",
        audit=audit(mesh),
        source=name,
        sha256="",
        corner_normals=_corner_normals(solid, mesh),
    )


def grid_triangles(points: Array) -> Array:
    """Two triangles for every cell of a net of points. # (m, n, 3) -> (t, 3, 3).

    Seen from outside, the first index runs to the right of the second.
    """
    a, b = points[:-1, :-1], points[1:, :-1]
    c, d = points[1:, 1:], points[:-1, 1:]
    halves = [np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]
    return np.concatenate([half.reshape(-1, 3, 3) for half in halves])


def fan_triangles(middle: Array, ring: Array) -> Array:
    """Triangles from a point to a closed ring, which runs counter-clockwise. # (n, 3)."""
    following = np.roll(ring, -1, axis=0)
    return np.stack([np.broadcast_to(middle, ring.shape), ring, following], axis=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LibraryPart:
    """A part of the library with what is true of it.

    Args:
        name: of the part.
        summary: one sentence.
        geometry: with named faces; analytic ones carry their surface, which is the truth.
        facts: sizes and figures that hold exactly, in SI.
    """

    name: str
    summary: str
    geometry: Geometry
    facts: dict[str, float] = field(default_factory=dict)


def _solid(cloth: SewnPatches) -> SewnPatches:
    a, b, c = np.moveaxis(cloth.corners, 1, 0)
    good = np.linalg.norm(np.cross(b - a, c - a), axis=1) > _SAME**2
    normals = None if cloth.normals is None else cloth.normals[good]
    return replace(cloth, corners=cloth.corners[good], normals=normals)


def _mesh(corners: Array) -> TriangleMesh:
    flat = corners.reshape(-1, 3)
    _, first, place = np.unique(
        np.rint(flat / _SAME), axis=0, return_index=True, return_inverse=True
    )
    return TriangleMesh(vertices=flat[first], faces=place.reshape(-1, 3))


def _deflection(cloth: SewnPatches) -> float:
    if cloth.surface is None:
        return cloth.deflection
    t = cloth.corners
    probes = np.concatenate([t.mean(axis=1), *(t[:, k] / 2 + t[:, k - 1] / 2 for k in range(3))])
    return float(np.abs(cloth.surface.distance(probes)).max())


def _corner_normals(cloths: list[SewnPatches], mesh: TriangleMesh) -> Array:
    normals = np.repeat(mesh.normals[:, None, :], 3, axis=1)
    start = 0
    for cloth in cloths:
        if cloth.normals is not None:
            normals[start : start + len(cloth.normals)] = cloth.normals
        start += len(cloth.corners)
    return frozen(normals)


def stl_bytes(mesh: TriangleMesh, *, scale: float = 1000.0) -> bytes:
    """Binary STL. Args: scale, units of the file per metre; 1000 gives millimetres."""
    records = np.zeros(len(mesh), dtype=_RECORD)
    records["normal"] = mesh.normals
    records["corners"] = mesh.triangles * scale
    head = b"palpeur".ljust(80) + np.uint32(len(mesh)).tobytes()
    return head + records.tobytes()
