"""Library parts: closed bodies with the truth that they state."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import LibraryError
from parts.library import names, open_part, stl_bytes
from parts.library.artefacts import blade_points


@pytest.fixture(scope="module")
def parts():
    return {name: open_part(name) for name in names()}


@pytest.mark.parametrize("name", ["ball", "blade", "block", "inclined-plate"])
def test_every_part_is_a_closed_body_with_its_surfaces_where_it_says(parts, name):
    geometry = parts[name].geometry
    assert geometry.audit.watertight
    assert geometry.audit.consistent
    assert not geometry.audit.inverted
    assert geometry.audit.warnings == ()
    assert sum(len(face.triangles) for face in geometry.faces) == len(geometry.mesh)
    for face in geometry.faces:
        if face.surface is None:
            continue
        corners = geometry.mesh.vertices[np.unique(geometry.mesh.faces[face.triangles])]
        assert np.abs(face.surface.distance(corners)).max() < 1e-15  # of about 0.1 m
        middles = geometry.mesh.triangles[face.triangles].mean(axis=1)
        facing = geometry.mesh.normals[face.triangles] * face.surface.normal(middles)
        assert facing.sum(axis=1).min() > 0.99  # the outside of surface and mesh is the same


def test_volumes(parts):
    plate = parts["inclined-plate"]
    assert plate.geometry.audit.volume == pytest.approx(plate.facts["volume_m3"], rel=1e-12)
    holes = sum(np.pi * r**2 * 0.030 for r in (0.010, 0.006, 0.015))
    cone = np.pi * 0.015 / 3 * (0.012**2 + 0.012 * 0.006 + 0.006**2)
    # 64 segments: a polygon has 1.6e-3 less area than its circle, here of 14 % of the volume.
    assert parts["block"].geometry.audit.volume == pytest.approx(
        0.12 * 0.08 * 0.03 - holes + cone, rel=2.5e-4
    )
    ball = 4 / 3 * np.pi * 0.0125**3
    assert parts["ball"].geometry.audit.volume == pytest.approx(ball, rel=3e-3)


def test_the_blade_is_what_its_formula_says(parts):
    rng = np.random.default_rng(1)
    s, w = rng.uniform(0, 2 * np.pi, 400), rng.uniform(0.02, 0.98, 400)
    true, step = blade_points(s, w), 1e-6
    for ds, dw in ((step, 0.0), (0.0, step)):
        tangent = blade_points(s + ds, w + dw).positions - blade_points(s - ds, w - dw).positions
        lean = np.abs(np.sum(tangent * true.normals, axis=1))
        assert (lean / np.linalg.norm(tangent, axis=1)).max() < 1e-7  # second-order differences
    geometry = parts["blade"].geometry
    feet = geometry.closest(true.positions)
    assert feet.distances.max() < geometry.face("blade").deflection
    # Interpolated normals: the angle between the nets' lines, 1 deg at the edges, squared.
    assert np.sum(feet.normals * true.normals, axis=1).min() > np.cos(np.radians(3.0))


def test_a_binary_stl_has_84_bytes_and_50_for_each_triangle(parts):
    mesh = parts["block"].geometry.mesh
    raw = stl_bytes(mesh)
    assert len(raw) == 84 + 50 * len(mesh)
    assert int.from_bytes(raw[80:84], "little") == len(mesh)
    assert not raw.startswith(b"solid")
    first = np.frombuffer(raw[84 + 12 : 84 + 48], dtype="<f4").reshape(3, 3)
    assert np.abs(first - 1000 * mesh.triangles[0]).max() < 1e-5  # single precision of 120 mm


def test_unknown_part():
    with pytest.raises(LibraryError, match=r"did you mean 'block'.* has ball, blade, block"):
        open_part("blok")
