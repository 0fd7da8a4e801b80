"""STEP files made here: face identity, parameters, normals, units, names, and damage.

The files are written by ``conftest.Revolution`` with all digits of a double, so what is read can
be held to what was drawn: parameters to 1e-9 m, normals to 1e-12.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from parts.errors import PartError
from parts.geometry import load_geometry
from tests.cases import cases, some

LENGTH, DIRECTION = 1e-9, 1e-12  # [m], [1]; what the issue demands
R = Rotation.from_euler("zyx", [0.7, -0.4, 1.1]).as_matrix()
ORIGIN = np.array([13.7, -41.3, 8.9])
AXIS = R[:, 2]


def on_axis(height):
    return (ORIGIN + height * AXIS) * 1e-3


def line_gap(point, axis, wanted):
    """Distance of a point from the line that an axis should be."""
    return np.linalg.norm(np.cross(point - wanted, axis))


@pytest.fixture(scope="module")
def ring_geometry(read, ring, step_text):
    return read("ring.step", step_text(ring))


@pytest.fixture(scope="module")
def round_geometry(read, revolution, step_text):
    """A zone of a sphere, a cone, a quarter of a torus outside, and a groove inside. # [mm]."""
    half = np.sqrt(13.0**2 - 5.0**2)
    corners = [(5, 0), (half, 0), (np.sqrt(105.0), 3), (9, 7), (5, 11), (5, 8), (5, 4)]
    arcs = {1: (0, -5), 3: (5, 7), 5: (5, 6)}
    return read("round.step", step_text(revolution(corners, arcs, {}, tuple(ORIGIN), R)))


def test_faces_keep_kind_order_name_and_side(ring_geometry):
    told = [(f.name, f.kind, f.reversed, f.index) for f in ring_geometry.faces]
    assert told == [
        ("face-0", "plane", True, 0),  # its own normal is the axis, the outside is below
        ("outer wall", "cylinder", False, 1),
        ("face-2", "cone", False, 2),
        ("face-3", "cone", False, 3),
        ("face-4", "plane", False, 4),
        ("BORE Ø14.6", "cylinder", True, 5),
    ]
    assert ring_geometry.face("outer wall").index == 1
    assert len(ring_geometry.faces_of_kind("cone")) == 2
    assert sorted(np.concatenate([f.triangles for f in ring_geometry.faces])) == list(
        range(len(ring_geometry.mesh))
    )
    with pytest.raises(PartError, match="did you mean 'outer wall'"):
        ring_geometry.face("outer wal")


def test_the_skin_is_closed_and_of_the_right_size(ring_geometry):
    audit = ring_geometry.audit
    assert (audit.watertight, audit.consistent, audit.inverted, audit.pieces) == (
        True,
        True,
        False,
        1,
    )
    # Pappus: the area of the profile (shoelace) times the way of its centre
    r, z = np.array(
        [(7.3, 0.0), (20.1, 0.0), (20.1, 10.7), (16.4, 14.9), (12.0, 22.0), (7.3, 22.0)]
    ).T
    r1, z1 = np.roll(r, -1), np.roll(z, -1)
    volume = np.pi / 3 * ((r + r1) * (r * z1 - r1 * z)).sum() * 1e-9
    assert audit.volume == pytest.approx(volume, rel=2e-3)  # the facets cut corners of 0.2 rad
    assert ring_geometry.unit_note == "Lengths are in mm, as the file states."


def test_parameters_of_planes_cylinders_and_cones(ring_geometry):
    below, wall, slope, tip, _, bore = (face.surface for face in ring_geometry.faces)
    for surface in (below, wall, slope, tip, bore):
        assert np.abs(np.cross(surface.axis, AXIS)).max() < DIRECTION
    assert abs(below.distance([on_axis(0.0)])[0]) < LENGTH
    for cylinder, radius in ((wall, 20.1), (bore, 7.3)):
        assert cylinder.radius == pytest.approx(radius * 1e-3, abs=LENGTH)
        assert line_gap(cylinder.point, cylinder.axis, on_axis(0.0)) < LENGTH
    for cone, (r0, z0), (r1, z1) in (
        (slope, (20.1, 10.7), (16.4, 14.9)),
        (tip, (16.4, 14.9), (12.0, 22.0)),
    ):
        assert cone.half_angle == pytest.approx(np.arctan((r0 - r1) / (z1 - z0)), abs=DIRECTION)
        height = z0 + r0 * (z1 - z0) / (r0 - r1)
        assert np.linalg.norm(cone.apex - on_axis(height)) < LENGTH


def test_parameters_of_spheres_and_tori(round_geometry):
    kinds = [(face.kind, face.reversed) for face in round_geometry.faces]
    assert kinds == [
        *(("plane", True), ("sphere", False), ("cone", False), ("torus", False)),
        *(("cylinder", True), ("torus", True), ("cylinder", True)),
    ]
    sphere, outer, groove = (round_geometry.faces[i].surface for i in (1, 3, 5))
    assert np.linalg.norm(sphere.centre - on_axis(-5.0)) < LENGTH
    assert sphere.radius == pytest.approx(13e-3, abs=LENGTH)
    for torus, height, minor in ((outer, 7.0, 4.0), (groove, 6.0, 2.0)):
        assert np.linalg.norm(torus.centre - on_axis(height)) < LENGTH
        assert np.abs(np.cross(torus.axis, AXIS)).max() < DIRECTION
        assert torus.major_radius == pytest.approx(5e-3, abs=LENGTH)
        assert torus.minor_radius == pytest.approx(minor * 1e-3, abs=LENGTH)


@pytest.mark.parametrize("name", ["ring_geometry", "round_geometry"])
def test_closest_points_and_normals_are_exact(name, request):
    """Points drawn on the surfaces, moved along the drawn normals, come back."""
    geometry = request.getfixturevalue(name)
    corners, arcs = PROFILES[name]
    rng = np.random.default_rng(3)
    for index, (radial, normal) in enumerate(drawn(corners, arcs, rng)):
        angle = rng.uniform(0, 2 * np.pi, size=len(radial))
        turn = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        points = np.column_stack([radial[:, :1] * turn, radial[:, 1]]) @ R.T + ORIGIN
        normals = np.column_stack([normal[:, :1] * turn, normal[:, 1]]) @ R.T
        for height in (0.0, 1e-6, 3e-4, -3e-4):  # [m]
            found = geometry.closest(points * 1e-3 + height * normals)
            assert found.analytic.all()
            assert (found.faces == index).all()
            assert np.abs(found.points - points * 1e-3).max() < LENGTH
            assert np.abs(found.normals - normals).max() < DIRECTION
            assert found.distances == pytest.approx(abs(height), abs=LENGTH)


HALF = np.sqrt(13.0**2 - 5.0**2)
PROFILES = {
    "ring_geometry": (
        [(7.3, 0.0), (20.1, 0.0), (20.1, 10.7), (16.4, 14.9), (12.0, 22.0), (7.3, 22.0)],
        {},
    ),
    "round_geometry": (
        [(5, 0), (HALF, 0), (np.sqrt(105.0), 3), (9, 7), (5, 11), (5, 8), (5, 4)],
        {1: (0, -5), 3: (5, 7), 5: (5, 6)},
    ),
}


def drawn(corners, arcs, rng):
    """Points and outward normals (radius, height) of every face, away from its rims. # [mm]."""
    for i, start in enumerate(np.array(corners, dtype=float)):
        end = np.array(corners[(i + 1) % len(corners)], dtype=float)
        share = rng.uniform(0.25, 0.75, size=(20, 1))
        if i not in arcs:
            along = (end - start) / np.linalg.norm(end - start)
            normal = np.tile([along[1], -along[0]], (20, 1))
            yield start + share * (end - start), normal
            continue
        centre = np.array(arcs[i], dtype=float)
        a, b = (np.arctan2(*(p - centre)[::-1]) for p in (start, end))
        if i == 5:  # half a turn, on the inner side of the ring's wall
            a, b = np.pi / 2, -np.pi / 2
        angle = a + share * (b - a)
        away = np.column_stack([np.cos(angle), np.sin(angle)])
        sign = -1.0 if i == 5 else 1.0
        yield centre + np.linalg.norm(start - centre) * away, sign * away


def test_a_foot_beyond_the_face_does_not_count(ring_geometry):
    """A point beside the bottom's rim: its foot on the plane is not on the part."""
    beside = ORIGIN + R @ [25.0, 0.0, -3.0]
    found = ring_geometry.closest([beside * 1e-3])
    rim = (ORIGIN + R @ [20.1, 0.0, 0.0]) * 1e-3
    # on the rim the triangles decide: the nearest point may be off by the deflection of the wall
    assert np.linalg.norm(found.points[0] - rim) < 2e-5
    assert found.distances[0] == pytest.approx(np.hypot(4.9, 3.0) * 1e-3, abs=2e-5)


def test_inside_is_towards_the_material(ring_geometry):
    q = np.array([[12.0, 0.0, 5.0], [3.0, 0.0, 5.0], [19.0, 1.0, 13.0], [0.0, 13.0, 21.0]])
    inside = ring_geometry.inside((q @ R.T + ORIGIN) * 1e-3)
    assert inside.tolist() == [True, False, False, False]
    assert ring_geometry.inside(ring_geometry.mesh.vertices + 1.0).sum() == 0


@pytest.mark.parametrize(
    ("unit", "told", "scale"), some([("inch", "in", 0.0254), ("m", "m", 1.0)], gate=1)
)
def test_other_units(read, revolution, unit, told, scale, step_text):
    small = revolution([(0.3, 0.0), (0.5, 0.0), (0.5, 0.4), (0.3, 0.4)])
    text = step_text(small, unit=unit)
    found = read("a.stp", text, told)
    assert found.faces[1].surface.radius == pytest.approx(0.5 * scale, abs=LENGTH)
    assert found.mesh.size == pytest.approx(np.array([1.0, 1.0, 0.4]) * scale, rel=1e-3)
    word = "inches" if told == "in" else told
    assert found.unit_note == f"Lengths are in {word}, as the file states."
    with pytest.raises(PartError, match=f"the file itself says '{told}'"):
        read("a.stp", text, "mm")


def test_a_unit_whose_name_contradicts_its_size(read, ring, step_text):
    text = step_text(ring, unit="inch")
    text = text.replace("LENGTH_MEASURE(25.4)", "LENGTH_MEASURE(1.)")
    with pytest.raises(
        PartError, match=r"a\.stp: its unit of length, #\d+, is called 'INCH' but is 0\.001 m"
    ):
        read("a.stp", text)


def test_two_solids_that_touch_stay_apart(read, revolution, step_text):
    lower = revolution([(3, 0), (5, 0), (5, 2), (3, 2)], names={1: "low"})
    upper = revolution([(3, 2), (5, 2), (5, 4), (3, 4)], names={1: "high", 2: "low"})
    found = read("a.step", step_text(lower, upper))
    assert (found.audit.watertight, found.audit.pieces, len(found.faces)) == (True, 2, 8)
    # a name that comes twice stays with the first
    assert [f.name for f in found.faces if "-" not in f.name] == ["low", "high"]
    assert found.faces[6].name == "face-6"


def test_flipping_turns_the_surfaces_too(ring_geometry):
    from parts.geometry.load import _turned

    surface = ring_geometry.faces[5].surface
    assert _turned(surface).normal([[0, 0, 0]]) == pytest.approx(-surface.normal([[0, 0, 0]]))


def test_names_that_cannot_be_matched_are_left_out(read, ring, step_text):
    text = step_text(ring)
    lone = text.replace("ENDSEC;\nEND-ISO", "#9999 = OPEN_SHELL('',(#20));\nENDSEC;\nEND-ISO")
    assert read("a.step", lone).faces[1].name in ("outer wall", "face-1")
    hidden = text.replace("CYLINDRICAL_SURFACE", "CYLINDRICAL_SURFACE ", 1).replace(
        "CLOSED_SHELL('',(", "CLOSED_SHELL('',( /* order */ "
    )
    assert read("a.step", hidden).faces[1].name == "outer wall"


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"solid box", "does not start with ISO-10303-21"),
        (b"ISO-10303-21;\nHEADER;\nnonsense", "not one face stands in it"),
    ],
)
def test_what_is_not_step_is_refused(read, raw, told):
    with pytest.raises(PartError, match=told):
        read("a.step", raw)


def test_damaged_step_is_read_or_refused(read, ring, capfd, step_text):
    text = step_text(ring)
    chance = random.Random(5)
    outcomes = []
    count = cases(gate=2, soak=6)
    for _ in range(count):
        data = bytearray(text.encode())
        for _ in range(30):
            place = chance.randrange(300, len(data))
            data[place : place + 1] = chance.choice([b"0", b"9", b"#", b",", b".", b"("])
        try:
            outcomes.append(len(read("a.step", bytes(data)).mesh))
        except PartError as error:
            outcomes.append(str(error))
    assert len(outcomes) == count
    assert capfd.readouterr().out == ""  # the translator's chatter stays in its own process


def test_the_translator_is_stopped_in_time(read, ring, step_text, tmp_path, monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_STEP_MEMORY", "50000000")
    told = r"needs more than 50000000 bytes.*raise it with PALPEUR_CAP_STEP_MEMORY"
    with pytest.raises(PartError, match=told):
        read("a.step", step_text(ring))
    monkeypatch.setenv("PALPEUR_CAP_STEP_SECONDS", "1")
    (tmp_path / "endless.py").write_text("import time\n\ntime.sleep(60)\n")
    monkeypatch.setattr("parts.geometry.step.WORKER", tmp_path / "endless.py")
    told = r"did not finish within 1 s.*raise it with PALPEUR_CAP_STEP_SECONDS"
    with pytest.raises(PartError, match=told):
        read("a.step", step_text(ring))


def test_the_same_file_gives_the_same_mesh(tmp_path, ring, ring_geometry, step_text):
    path = tmp_path / "ring.STP"
    path.write_bytes(step_text(ring).encode())
    again = load_geometry(path)
    assert again.mesh.vertices.tobytes() == ring_geometry.mesh.vertices.tobytes()
    assert again.sha256 == ring_geometry.sha256
