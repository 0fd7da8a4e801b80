"""Mesh files: trimesh writes, we read; faults by hand, with the words that tell them."""

from __future__ import annotations

import hashlib
import struct

import numpy as np
import pytest

from parts.errors import PartError
from parts.geometry import load_geometry
from parts.geometry.load import READERS
from parts.geometry.source_file import SourceFile

STL, OBJ, PLY = "box.stl", "box.obj", "box.ply"
SOLID = "solid {name}\n{facets}endsolid {name}\n"
FACET = (
    "facet normal 0 0 1\n outer loop\n  vertex 0 0 {z}\n  vertex 1 0 {z}\n  vertex 0 1 {z}\n"
    " endloop\nendfacet\n"
)


def refusal(read, name, raw, unit="mm", **more) -> str:
    with pytest.raises(PartError) as caught:
        read(name, raw, unit, **more)
    assert str(caught.value).startswith(f"{name}: "), caught.value
    return str(caught.value)


@pytest.mark.parametrize("ending", [".stl", "text.stl", ".obj", ".ply", "text.ply", ".glb", ".3mf"])
def test_what_trimesh_writes_is_read(read, exported, cube, ending):
    given = {".glb": "m", ".3mf": "mm"}.get(ending, "m")
    found = read(f"box{ending}", exported[ending], given)
    scale = {".3mf": 1e-3}.get(ending, 1.0)
    assert found.audit.size == pytest.approx(np.array([2.0, 3.0, 4.0]) * scale)
    assert found.audit.watertight
    assert found.audit.volume == pytest.approx(24.0 * scale**3)
    assert len(found.mesh) == len(cube.faces)
    (face,) = found.faces
    assert (face.kind, face.surface, len(face.triangles)) == ("facets", None, 12)
    assert found.sha256 == hashlib.sha256(exported[ending]).hexdigest()


@pytest.mark.parametrize(("unit", "scale"), [("mm", 1e-3), ("m", 1.0), ("in", 0.0254)])
def test_the_stated_unit_scales(read, exported, unit, scale):
    found = read(STL, exported[".stl"], unit)
    assert found.mesh.size == pytest.approx(np.array([2.0, 3.0, 4.0]) * scale, rel=1e-15)
    word = "inches" if unit == "in" else unit
    assert found.unit_note == f"Lengths are in {word}, as stated; the file carries no unit."


def test_units_are_never_guessed_and_never_contradicted(read, exported):
    for name in (STL, OBJ, PLY):
        told = refusal(read, name, exported[name[3:]], None)
        assert "a unit is never guessed; state it: --unit mm on the command line" in told
    assert "the file itself says 'm'" in refusal(read, "box.glb", exported[".glb"], "mm")
    assert "'furlong' is not known" in refusal(read, STL, exported[".stl"], "furlong")


def test_merging_and_turning_are_done_and_told(read, exported):
    found = read(STL, exported[".stl"], "mm")
    assert found.audit.repairs == ("28 of 36 vertices repeated another one exactly; merged.",)
    assert found.audit.duplicated_vertices == 28
    inside_out = bytearray(exported[".stl"])
    records = np.frombuffer(inside_out, "V50", offset=84).view(
        [("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]
    )
    records["v"] = records["v"][:, ::-1].copy()
    turned = read(STL, bytes(inside_out), "mm")
    assert not turned.audit.inverted
    assert "1 of 1 closed pieces were inside out; turned." in turned.audit.repairs
    assert turned.mesh.normals == pytest.approx(found.mesh.normals)


@pytest.mark.parametrize(("gap", "closed"), [(3e-16, True), (0.9e-9, True), (4e-9, False)])
def test_vertices_that_differ_by_rounding_are_one(read, cube, gap, closed):
    """A text STL whose corners differ where triangles meet, as exporters round them."""
    size = 4.0
    facets = []
    for k, triangle in enumerate(np.array(cube.triangles)):
        rows = triangle + size * gap * (k % 3 - 1) * np.array([0.5, 0, 0])
        corners = " ".join(f"vertex {x:.17g} {y:.17g} {z:.17g}" for x, y, z in rows)
        facets.append(f"facet normal 0 0 0 outer loop {corners} endloop endfacet")
    found = read(STL, "solid a\n" + "\n".join(facets) + "\nendsolid a", "mm")
    assert found.audit.watertight == closed
    told = [line for line in found.audit.repairs if "but for rounding" in line]
    assert len(told) == closed
    if closed:
        assert found.audit.vertices == 8


def test_stl_headers_that_lie(read, exported):
    raw = exported[".stl"]
    told = refusal(read, STL, raw[:-1])
    assert "promises 12 triangles, so 84 + 50 × 12 = 684 bytes, but the file has 683" in told
    many = raw[:80] + struct.pack("<I", 4_000_000_000) + raw[84:]
    assert "200000000084 bytes, but the file has 684" in refusal(read, STL, many)
    assert "too few for a binary STL file" in refusal(read, STL, raw[:83])
    none = refused(read, STL, raw[:80] + b"\0\0\0\0")
    assert str(none).startswith(f"{STL}: The mesh has no triangle")


def refused(read, name, raw, unit="mm") -> PartError:
    with pytest.raises(PartError) as caught:
        read(name, raw, unit)
    return caught.value


def test_binary_stl_may_start_with_solid(read, exported):
    raw = b"solid" + exported[".stl"][5:]
    assert len(read(STL, raw, "mm").mesh) == 12


def test_text_stl_of_two_solids_has_two_faces(read):
    raw = SOLID.format(name="top side", facets=FACET.format(z=1) + FACET.format(z=2))
    raw += SOLID.format(name="", facets=FACET.format(z="3e0"))
    found = read(STL, raw.replace("facet", "FACET"), "m")
    assert [(f.name, f.triangles.tolist()) for f in found.faces] == [
        ("top side", [0, 1]),
        ("face-1", [2]),
    ]
    assert found.mesh.bounds[:, 2].tolist() == [1.0, 3.0]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("0 1 1\n", "0 1\n", "triangle 1 is incomplete: found 20 of its 21 words"),
        ("outer", "inner", "triangle 1: found 'inner' where 'outer' was expected"),
        ("vertex 1 0", "vertex 1,5 0", "found '1,5' where a coordinate was expected"),
        ("vertex 1 0", "vertex nan 0", "expected finite numbers"),
        ("vertex 1 0", "vertex 1e300 0", "Is the unit right?"),
    ],
)
def test_faults_of_text_stl(read, old, new, told):
    raw = SOLID.format(name="a", facets=FACET.format(z=1)).replace(old, new)
    assert told in str(refused(read, STL, raw))


def test_obj_groups_polygons_and_backward_indices(read):
    raw = (
        "# a comment\nmtllib a.mtl\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0 1.0\nv 0 1 0\nvn 0 0 1\n"
        "g lid\nf 1//1 2//1 3//1 \\\n 4//1\no post\nf -1/7 -2 -3\ng lid\nf 1 2 3\n"
    )
    found = read(OBJ, raw, "m")
    assert [(f.name, f.triangles.tolist()) for f in found.faces] == [
        ("lid", [0, 1, 3]),
        ("post", [2]),
    ]
    assert found.mesh.triangles[2].tolist() == [[0, 1, 0], [1, 1, 0], [1, 0, 0]]
    assert found.notes[0].startswith("1 polygons of more than three corners were cut")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("f 1 2", "line 4: 'f 1 2' is not OBJ"),
        ("f 1 2 0", "line 4"),
        ("f 1 2 -4", "line 4"),
        ("f 1 2 9", "names vertex 9, but there are 3"),
        ("f 1 2 x", "line 4"),
        ("v 1 2", "line 4"),
        ("v 1 2 nan\nf 1 2 4", "expected finite numbers"),
        ("v 1 2,5 3", "line 4"),
        ("v 1 2 3 0.5", "line 4"),
        ("surf 0 1 0 1 1 2 3", "free-form geometry ('surf')"),
        ("hello", "line 4"),
        ("l 1 2", "no triangle"),
    ],
)
def test_faults_of_obj_that_others_pass_over(read, line, told):
    raw = f"v 0 0 0\nv 1 0 0\nv 0 1 0\n{line}\n"
    assert told in str(refused(read, OBJ, raw))


PLY_TEXT = (
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\n"
    "property float y\nproperty float z\nelement face 2\nproperty list uchar int vertex_index\n"
    "end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2\n"
)


def test_ply_of_triangles_and_quadrangles(read):
    found = read(PLY, PLY_TEXT, "m")
    assert len(found.mesh) == 3
    assert found.audit.duplicated_triangles == 1
    assert "1 polygons of more than three corners" in found.notes[0]


@pytest.mark.parametrize("order", [">", "<"])
def test_binary_ply_in_both_orders_with_lists_of_any_length(read, order):
    name = "big" if order == ">" else "little"
    header = (
        f"ply\nformat binary_{name}_endian 1.0\nelement vertex 4\nproperty double x\n"
        "property uchar red\nproperty double y\nproperty float z\nelement face 2\n"
        "property list ushort uint vertex_indices\nend_header\n"
    ).encode()
    corners = [(0.0, 9, 0.0, 0.0), (1.0, 9, 0.0, 0.0), (1.0, 9, 1.0, 0.5), (0.0, 9, 1.0, 0.0)]
    body = b"".join(struct.pack(f"{order}dBdf", *corner) for corner in corners)
    body += struct.pack(f"{order}H3IH4I", 3, 0, 1, 2, 4, 0, 1, 2, 3)
    found = read(PLY, header + body, "m")
    assert found.mesh.bounds[1].tolist() == [1.0, 1.0, 0.5]
    assert len(found.mesh) == 3
    assert "ends at byte" in str(refused(read, PLY, (header + body)[:-2]))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("ply\n", "plx\n", "no PLY header"),
        ("vertex 4", "vertex 4000000000000", "promises 4000000000000 rows of 'vertex'"),
        ("face 2", "face 3", "element 'face' is damaged or cut off"),
        ("4 0 1 2 3", "999999 0 1 2 3", "element 'face' is damaged"),
        ("4 0 1 2 3", "-4 0 1 2 3", "element 'face' is damaged"),
        ("3 0 1 2", "3 0 1 4", "names vertex 4, but they are 0 to 3"),
        ("3 0 1 2", "2 0 1 2", "fewer than three corners"),
        ("1 1 0", "1 inf 0", "expected finite numbers"),
        ("property float z", "property float w", "no vertices with x, y and z"),
        ("property float z", "property float x", "property twice"),
        ("property float z", "property real z", "'property real z' is not PLY"),
        ("vertex_index", "strip", "a cloud of points"),
        ("format ascii 1.0\n", "", "does not say how numbers are written"),
    ],
)
def test_faults_of_ply(read, old, new, told):
    assert old in PLY_TEXT
    assert told in str(refused(read, PLY, PLY_TEXT.replace(old, new)))


@pytest.mark.parametrize(
    ("cap", "told"),
    [
        ("TRIANGLES", "12 triangles; expected at most 11"),
        ("VERTICES", "36 vertices; expected at most 33"),
    ],
)
def test_caps_of_stl(read, exported, monkeypatch, cap, told):
    monkeypatch.setenv(f"PALPEUR_CAP_{cap}", "11")
    refused = refusal(read, STL, exported[".stl"])
    assert told in refused
    assert f"raise it with PALPEUR_CAP_{cap}=…" in refused


def test_files_on_disk(tmp_path, exported, monkeypatch):
    path = tmp_path / "Box.STL"
    path.write_bytes(exported[".stl"])
    assert load_geometry(path, unit="mm").source == "Box.STL"
    monkeypatch.setenv("PALPEUR_CAP_GEOMETRY_BYTES", "99")
    cases = {
        "more than 99 bytes": lambda: load_geometry(path, unit="mm"),
        "cannot be read: No such file": lambda: load_geometry(tmp_path / "no.stl", unit="mm"),
        "Is a directory": lambda: load_geometry(tmp_path, unit="mm"),
    }
    (tmp_path / "empty.stl").touch()
    cases["the file is empty"] = lambda: load_geometry(tmp_path / "empty.stl", unit="mm")
    (tmp_path / "part.iges").write_bytes(b"x")
    cases["'.iges' is not known; expected .stl"] = lambda: load_geometry(tmp_path / "part.iges")
    for told, call in cases.items():
        with pytest.raises(PartError) as caught:
            call()
        assert told in str(caught.value)


def test_importing_loads_nothing_heavy():
    import subprocess
    import sys

    code = "import sys, parts.geometry; print([m for m in ('trimesh', 'scipy', 'lxml', 'cascadio')"
    code += " if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert set(READERS) == {".stl", ".obj", ".ply", ".glb", ".gltf", ".3mf", ".step", ".stp"}
    assert SourceFile.__slots__
