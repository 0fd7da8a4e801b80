"""Form features: told by geometry and neighbours, whatever the order of the faces in the file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.features.feature import choose_feature, choose_features
from parts.features.recognition import form_features, hole_patterns
from parts.geometry import Face, Geometry
from parts.geometry.audit import audit
from parts.geometry.mesh import TriangleMesh
from parts.geometry.surfaces import Cone, Cylinder, Plane, Surface
from parts.library import open_part

Z = np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def block():
    return open_part("block").geometry


def with_faces(geometry: Geometry, pieces: list[tuple[Surface | None, np.ndarray]]) -> Geometry:
    """The same mesh, cut into other faces without names."""
    faces = tuple(
        Face(
            name=f"face-{index}",
            index=index,
            kind=surface.kind if surface else "freeform",
            surface=surface,
            triangles=triangles,
            deflection=2e-5,
        )
        for index, (surface, triangles) in enumerate(pieces)
    )
    return replace(geometry, faces=faces)


def cut_in_halves(geometry: Geometry) -> list[tuple[Surface | None, np.ndarray]]:
    """Faces as CAD systems write them: bores and cones in two halves."""
    pieces: list[tuple[Surface | None, np.ndarray]] = []
    for face in geometry.faces:
        rows = face.triangles
        if isinstance(face.surface, Cylinder | Cone):
            foot = getattr(face.surface, "point", getattr(face.surface, "apex", None))
            left = geometry.mesh.triangles[rows].mean(axis=1)[:, 0] < foot[0]
            pieces += [(face.surface, rows[left]), (face.surface, rows[~left])]
        else:
            pieces.append((face.surface, rows))
    return pieces


def facts(geometry: Geometry) -> list[tuple]:
    return [
        (f.name, f.kind, f.inner, f.through, round(f.area, 12), *np.round(f.point, 9) + 0.0)
        for f in form_features(geometry)
    ]


def test_halves_are_one_feature_and_names_do_not_follow_the_order_of_the_file(block):
    pieces = cut_in_halves(block)
    assert len(pieces) == 15  # 11 faces, of which four are cut
    whole = with_faces(block, [(f.surface, f.triangles) for f in block.faces])
    cut = with_faces(block, pieces)
    turned = with_faces(block, pieces[::-1])
    assert facts(cut) == facts(whole) == facts(turned)
    bores = [f for f in form_features(cut) if f.kind == "hole"]
    assert [f.name for f in bores] == ["hole-1", "hole-2", "hole-3"]
    assert [f.diameter for f in bores] == pytest.approx([0.030, 0.020, 0.012], abs=1e-15)
    assert [f.depth for f in bores] == pytest.approx([0.030] * 3, abs=1e-15)
    assert all(len(f.faces) == 2 and f.through and f.inner for f in bores)
    assert np.degrees(bores[0].span) == pytest.approx(360.0)


def test_neighbours_are_mutual(block):
    forms = {one.name: one for one in form_features(block)}
    assert {"top", "bottom"} <= set(forms["hole-30"].neighbours)
    for one in forms.values():
        assert all(one.name in forms[other].neighbours for other in one.neighbours)


def test_a_feature_of_two_halves_is_sampled_all_round(block):
    cut = with_faces(block, cut_in_halves(block))
    patch = choose_feature(cut, "hole-2").patch
    assert patch.full
    assert patch.height == pytest.approx(0.030)
    assert [f.name for f in choose_features(cut, "hole-*")] == ["hole-1", "hole-2", "hole-3"]
    assert [f.name for f in choose_features(cut, "cylinder")] == ["hole-1", "hole-2", "hole-3"]


def test_a_name_of_the_file_stays_unless_it_is_only_numbers(block):
    assert {"top", "hole-20"} <= {f.name for f in form_features(block)}
    numbered = replace(block, faces=tuple(replace(f, name=f"1103|{f.index}") for f in block.faces))
    assert "plane-1" in {f.name for f in form_features(numbered)}


# --------------------------------------------------------------------------------- Extruded plates


def plate(outline, holes, surfaces: list[Surface], height: float = 0.01) -> Geometry:
    """A plate between z = 0 and its height, its faces those of the surfaces that it lies on."""
    import trimesh
    from shapely import Polygon

    solid = trimesh.creation.extrude_polygon(Polygon(outline, holes), height, engine="earcut")
    surfaces = [*surfaces, Plane(point=np.zeros(3), axis=-Z), Plane(point=height * Z, axis=Z)]
    return on_surfaces(solid, surfaces)


def on_surfaces(solid, surfaces: list[Surface]) -> Geometry:
    """A mesh, its faces those of the surfaces that it lies on."""
    mesh = TriangleMesh(vertices=solid.vertices, faces=solid.faces)
    corners, centres = mesh.triangles.reshape(-1, 3), mesh.triangles.mean(axis=1)
    fits = np.array(
        [
            (np.abs(s.distance(corners)).reshape(-1, 3).max(axis=1) < 1e-9)
            & (np.sum(s.normal(centres) * mesh.normals, axis=1) > 0.5)
            for s in surfaces
        ]
    )
    owner = fits.argmax(axis=0)
    assert fits.any(axis=0).all()
    bare = Geometry(
        mesh=mesh,
        faces=(),
        unit_note="",
        audit=audit(mesh),
        source="plate",
        sha256="",
    )
    return with_faces(bare, [(s, np.flatnonzero(owner == k)) for k, s in enumerate(surfaces)])


def arc(x: float, y: float, radius: float, start: float, end: float) -> list[tuple[float, float]]:
    angles = np.radians(np.linspace(start, end, 17))
    return [(x + radius * np.cos(a), y + radius * np.sin(a)) for a in angles]


def upright(x: float, y: float, radius: float, *, inner: bool) -> Cylinder:
    return Cylinder(point=np.array([x, y, 0.0]), axis=Z, radius=radius, reversed=inner)


def wall(x: float, y: float, nx: float, ny: float) -> Plane:
    return Plane(point=np.array([x, y, 0.0]), axis=np.array([nx, ny, 0.0]))


OUTLINE = [(-0.03, -0.02), (0.03, -0.02), (0.03, 0.02), (-0.03, 0.02)]
SIDES = [wall(-0.03, 0, -1, 0), wall(0.03, 0, 1, 0), wall(0, -0.02, 0, -1), wall(0, 0.02, 0, 1)]


def test_a_slot_is_one_feature_and_its_ends_are_no_holes():
    slot = arc(-0.01, 0, 0.004, 90, 270) + arc(0.01, 0, 0.004, -90, 90)
    ends = [upright(x, 0, 0.004, inner=True) for x in (-0.01, 0.01)]
    found = form_features(
        plate(OUTLINE, [slot], [*SIDES, *ends, wall(0, 0.004, 0, -1), wall(0, -0.004, 0, 1)])
    )
    (one,) = [f for f in found if f.kind != "plane"]
    assert (one.name, one.kind, len(one.faces)) == ("slot-1", "slot", 4)
    assert one.deflection > 1e-6  # of its ends, whose chords no neighbour shows
    assert (one.diameter, one.depth) == pytest.approx((0.008, 0.028), abs=1e-12)
    assert one.point == pytest.approx([0.0, 0.0, 0.005], abs=1e-12)


def test_two_grounds_of_one_channel_are_no_slot():
    """Half-cylinders on one axis between the same walls, freeform between them: as in CTC 04."""
    ground = np.array(arc(0.0, 0.0, 0.004, 180.0, 360.0))
    profile = np.vstack([[(-0.004, 0.01)], ground, [(0.004, 0.01)]])
    count, levels = len(profile), 4
    corners = [[x, y, 0.01 * level] for level in range(levels) for x, y in profile]
    cells = np.array([[level * count + k for k in range(count - 1)] for level in range(levels - 1)])
    lower = np.stack([cells, cells + count, cells + 1], axis=-1)
    upper = np.stack([cells + 1, cells + count, cells + count + 1], axis=-1)
    faces = np.stack([lower, upper], axis=2)  # (levels - 1, count - 1, 2, 3)
    rows = np.arange(faces[..., 0].size).reshape(faces.shape[:3])
    mesh = TriangleMesh(vertices=np.array(corners), faces=faces.reshape(-1, 3))
    bare = Geometry(
        mesh=mesh, faces=(), unit_note="", audit=audit(mesh), source="channel", sha256=""
    )
    bore = upright(0.0, 0.0, 0.004, inner=True)
    channel = [
        (wall(-0.004, 0.0, 1.0, 0.0), rows[:, 0].ravel()),
        (wall(0.004, 0.0, -1.0, 0.0), rows[:, -1].ravel()),
        (bore, rows[0, 1:-1].ravel()),
        (None, rows[1, 1:-1].ravel()),
        (bore, rows[2, 1:-1].ravel()),
    ]
    kinds = sorted(form.kind for form in form_features(with_faces(bare, channel)))
    assert kinds == ["fillet", "fillet", "freeform", "plane", "plane"]


def test_corners_of_a_pocket_are_fillets_and_of_the_outline_rounds():
    r = 0.002
    corners = [(-0.01, -0.008, 180), (0.01, -0.008, 270), (0.01, 0.008, 0), (-0.01, 0.008, 90)]
    pocket = [p for x, y, a in corners for p in arc(x, y, r, a, a + 90)]
    walls = [
        wall(-0.012, 0, 1, 0), wall(0.012, 0, -1, 0), wall(0, -0.01, 0, 1), wall(0, 0.01, 0, -1)
    ]  # fmt: skip
    places = [(-0.025, -0.015, 180), (0.025, -0.015, 270), (0.025, 0.015, 0), (-0.025, 0.015, 90)]
    outline = [p for x, y, a in places for p in arc(x, y, 0.005, a, a + 90)]
    round_ = [upright(x, y, 0.005, inner=False) for x, y, _ in places]
    inner = [upright(x, y, r, inner=True) for x, y, _ in corners]
    found = form_features(plate(outline, [pocket], [*SIDES, *walls, *round_, *inner]))
    kinds = [f.kind for f in found]
    assert (kinds.count("fillet"), kinds.count("round"), kinds.count("hole")) == (4, 4, 0)
    assert all(np.degrees(f.span) == pytest.approx(90.0) for f in found if f.kind == "round")


def test_a_row_and_a_bolt_circle_are_patterns():
    centres = [(0.012 * np.cos(a), 0.012 * np.sin(a)) for a in np.radians([20, 110, 200, 290])]
    row = [(-0.022, 0.0), (0.022, 0.0)]
    bores = [arc(x, y, 0.002, 0, 360)[:-1] for x, y in centres]
    bores += [arc(x, y, 0.003, 0, 360)[:-1] for x, y in row]
    walls = [upright(x, y, 0.002, inner=True) for x, y in centres]
    walls += [upright(x, y, 0.003, inner=True) for x, y in row]
    found = form_features(plate(OUTLINE, bores, [*SIDES, *walls]))
    patterns = {str(one): one.holes for one in hole_patterns(found)}
    assert patterns == {
        "2 × ⌀6": ("hole-1", "hole-2"),
        "4 × ⌀4 on ⌀24": ("hole-3", "hole-4", "hole-5", "hole-6"),
    }


def test_two_bores_on_one_axis_stay_two(block):
    """The bores of a fork: one cylinder, nothing of it between them."""
    hole = next(f for f in block.faces if f.name == "hole-20")
    heights = block.mesh.triangles[hole.triangles][:, :, 2]
    assert {float(h.min()) for h in heights} == {0.0}  # one band of triangles over the whole depth
    fork = open_part("block").geometry
    shifted = fork.mesh.vertices + np.array([0.0, 0.0, 0.1])
    count = len(fork.mesh.vertices)
    mesh = TriangleMesh(
        vertices=np.vstack([fork.mesh.vertices, shifted]),
        faces=np.vstack([fork.mesh.faces, fork.mesh.faces + count]),
    )
    up = np.eye(4)
    up[2, 3] = 0.1
    pieces = [(f.surface, f.triangles) for f in fork.faces]
    pieces += [(f.surface.moved(up), f.triangles + len(fork.mesh)) for f in fork.faces if f.surface]
    both = with_faces(replace(fork, mesh=mesh), pieces)
    assert [f.name for f in form_features(both) if f.kind == "hole"] == [
        f"hole-{k}" for k in range(1, 7)
    ]
