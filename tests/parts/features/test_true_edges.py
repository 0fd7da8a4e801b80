"""Points keep the margin from the true edges of made solids, whatever triangles stand for them.

The solids are known in closed form: a ring whose bore has a chamfer and whose outside a fillet, a
plate with rounds and a bore, a slot in a plate. Their triangles come as of a CAD file, with their
surfaces, and as an STL file, in single precision and without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
import shapely
import trimesh

from parts.features.feature import Feature, feature_of_form
from parts.features.recognition import form_features
from parts.geometry import Geometry, load_geometry
from parts.geometry.surfaces import Cone, Plane, Torus
from parts.sampling.sample import AccessLimits, sample
from robots.core.arrays import Array
from tests.cases import some
from tests.parts.features.test_recognition import OUTLINE, on_surfaces, upright, with_faces
from tests.parts.features.test_rim import CORNERS, rounded
from tests.parts.features.test_slot_patch import RADIUS, slot_plate

Z = np.array([0.0, 0.0, 1.0])
HEIGHT = 0.010
FITTED = 1e-6  # [m] surfaces fitted to single precision, and where they meet
FINE = 4000  # chords to a quarter of a turn, astray by less than 1e-9 m


class Solid(NamedTuple):
    """Args: distances from the true skin and from the nearest true edge. # (k, 3) -> (k,)."""

    geometry: Geometry
    skin: Callable[[Array], Array]
    edges: Callable[[Array], Array]


def quarter(x: float, y: float, radius: float, start: float, steps: int) -> Array:
    t = np.radians(start) + np.linspace(0.0, 0.5 * np.pi, steps + 1)
    return np.column_stack([x + radius * np.cos(t), y + radius * np.sin(t)])


def ring(steps: int) -> Solid:
    def profile(chords: int) -> Array:
        before = [(6e-3, 0.0), (6e-3, 9e-3), (7e-3, HEIGHT)]
        fillet = quarter(12e-3, 7e-3, 3e-3, 0.0, chords)[::-1]
        return np.vstack([before, fillet, [(15e-3, 0.0), before[0]]])

    outline = shapely.LineString(profile(FINE))
    corners = shapely.MultiPoint(profile(1))

    def meridian(points: Array) -> Array:
        return shapely.points(np.hypot(points[:, 0], points[:, 1]), points[:, 2])

    solid = trimesh.creation.revolve(profile(steps), sections=4 * steps)
    solid.fix_normals()
    surfaces = [
        Plane(point=np.zeros(3), axis=-Z),
        Plane(point=HEIGHT * Z, axis=Z),
        upright(0.0, 0.0, 6e-3, inner=True),
        upright(0.0, 0.0, 15e-3, inner=False),
        Cone(apex=3e-3 * Z, axis=Z, half_angle=0.25 * np.pi, reversed=True),
        Torus(centre=7e-3 * Z, axis=Z, major_radius=12e-3, minor_radius=3e-3),
    ]
    return Solid(
        on_surfaces(solid, surfaces),
        lambda points: shapely.distance(meridian(points), outline),
        lambda points: shapely.distance(meridian(points), corners),
    )


def prism(geometry: Geometry, rings: list[Array], tangents: list[tuple[float, float]]) -> Solid:
    """Upright, of true outlines; along the tangents one wall runs on into the next."""
    area = shapely.Polygon(rings[0], rings[1:])
    upright_edges = shapely.MultiPoint(tangents)

    def off(points: Array) -> tuple[Array, Array]:
        flat = shapely.points(points[:, :2])
        return flat, shapely.distance(flat, area.boundary)

    def skin(points: Array) -> Array:
        flat, wall = off(points)
        to_ends = np.abs(points[:, 2, None] - [0.0, HEIGHT]).min(axis=1)
        ends = np.where(shapely.contains(area, flat), to_ends, np.hypot(wall, to_ends))
        over = np.maximum(points[:, 2] - HEIGHT, -points[:, 2]).clip(0.0)
        return np.minimum(ends, np.hypot(wall, over))

    def edges(points: Array) -> Array:
        flat, wall = off(points)
        to_ends = np.abs(points[:, 2, None] - [0.0, HEIGHT]).min(axis=1)
        return np.minimum(np.hypot(wall, to_ends), shapely.distance(flat, upright_edges))

    return Solid(geometry, skin, edges)


def rounded_plate(steps: int) -> Solid:
    corners = [quarter(x, y, 5e-3, start, FINE) for x, y, start in CORNERS]
    bore = shapely.Point(4e-3, 2e-3).buffer(6e-3, quad_segs=FINE).exterior.coords
    tangents = [tuple(end) for corner in corners for end in corner[[0, -1]]]
    return prism(rounded(steps), [np.vstack(corners), np.array(bore)], tangents)


def slotted_plate(steps: int) -> Solid:
    middle = shapely.LineString([(-0.01, 0.0), (0.01, 0.0)])
    slot = np.array(middle.buffer(RADIUS, quad_segs=FINE).exterior.coords)
    # of the slot's walls CAD has edges, the slot has none
    return prism(slot_plate(2 * steps), [np.array(OUTLINE), slot], OUTLINE)


def measured(geometry: Geometry) -> Geometry:
    """With how far its triangles do lie from the surfaces."""
    corners = geometry.mesh.triangles
    between = np.concatenate([corners, (corners + np.roll(corners, 1, axis=1)) / 2], axis=1)
    between = np.concatenate([between, corners.mean(axis=1, keepdims=True)], axis=1)
    faces = []
    for face in geometry.faces:
        assert face.surface is not None
        off = np.abs(face.surface.distance(between[face.triangles].reshape(-1, 3)))
        faces.append(replace(face, deflection=float(off.max())))
    return replace(geometry, faces=tuple(faces))


def with_rows_astray(geometry: Geometry) -> Geometry:
    """Facets of rounds and fillets next to a plane that runs on from them are among that's own."""
    owner = geometry.face_of_triangle.copy()
    for number, face in enumerate(geometry.faces):
        if not isinstance(face.surface, Plane):
            continue
        off = np.abs(face.surface.distance(geometry.mesh.triangles.reshape(-1, 3))).reshape(-1, 3)
        least = np.unique(off.max(axis=1).round(9))
        width = least[least > 1e-8].min()
        turn = geometry.mesh.normals @ face.surface.axis
        owner[(off.max(axis=1) < 1.01 * width) & (turn > 0.9)] = number
    pieces = [(f.surface, np.flatnonzero(owner == k)) for k, f in enumerate(geometry.faces)]
    return with_faces(geometry, pieces)


def as_stl(geometry: Geometry, folder) -> Geometry:
    path = folder / "solid.stl"
    mesh = geometry.mesh
    trimesh.Trimesh(1e3 * mesh.vertices, mesh.faces, process=False).export(path)
    return load_geometry(path, unit="mm")


def features_of(geometry: Geometry) -> Iterator[Feature]:
    for form in form_features(geometry):
        yield feature_of_form(geometry, form)


SOLIDS, SOURCES = (ring, rounded_plate, slotted_plate), ("cad", "astray", "stl")
CHORDS = (5, 8, 13, 24)  # to a quarter of a turn; they stray by up to 218 µm


@pytest.mark.parametrize(
    ("make", "source", "steps"), some([*product(SOLIDS, SOURCES, CHORDS)], gate=5)
)
def test_no_point_is_nearer_to_a_true_edge_than_the_margin(make, source, steps, tmp_path):
    solid = make(steps)
    geometry = measured(solid.geometry)
    if source == "astray":
        geometry = measured(with_rows_astray(geometry))
    elif source == "stl":
        geometry = as_stl(geometry, tmp_path)
    laid_out = 0
    for feature in features_of(geometry):
        for margin in (4e-4, 5e-5):
            limits = AccessLimits(edge_margin=margin)
            points = sample(feature, count=24, reach=limits).points.positions
            assert solid.skin(points).max() < FITTED, feature.name
            assert solid.edges(points).min() > margin - FITTED, feature.name
            laid_out += len(points)
    assert laid_out >= 6 * 2 * 24
