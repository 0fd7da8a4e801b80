"""glTF and 3MF: scenes with transforms, and files that reach for more than is theirs."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile

import numpy as np
import pytest

from parts.errors import PartError

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], dtype="<u2")
BINARY = CORNERS.tobytes() + FACES.tobytes()


def gltf(**changes):
    """A tetrahedron; ``changes`` replace parts of the top level."""
    data = base64.b64encode(BINARY).decode()
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "tetra"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"byteLength": 72, "uri": f"data:application/octet-stream;base64,{data}"}],
    }
    return json.dumps(tree | changes)


def refused(read, name, raw, **more) -> str:
    with pytest.raises(PartError) as caught:
        read(name, raw, **more)
    return str(caught.value)


def test_a_tree_of_nodes_places_meshes(read):
    nodes = [
        {"children": [1, 2], "translation": [10, 0, 0]},
        {"mesh": 0, "name": "left", "rotation": [0, 0, np.sin(np.pi / 4), np.cos(np.pi / 4)]},
        {"mesh": 0, "name": "right", "matrix": np.diag([-2.0, 1, 1, 1]).ravel().tolist()},
    ]
    found = read("a.gltf", gltf(nodes=nodes))
    assert [face.name for face in found.faces] == ["left", "right"]
    assert found.mesh.bounds == pytest.approx(np.array([[8, 0, 0], [10, 1, 1]]), abs=1e-15)
    # the mirrored one is turned, so both have their outside outside
    assert found.mesh.volume == pytest.approx(1 / 6 + 2 / 6)
    assert (found.audit.consistent, found.audit.pieces) == (True, 2)
    assert found.unit_note == "Lengths are in m, as the file states."


def test_open_bodies_that_meet_are_one_skin(read):
    """A tetrahedron as two meshes of two triangles each."""
    tree = json.loads(gltf())
    halves = [dict(tree["accessors"][1], count=6, byteOffset=start) for start in (0, 12)]
    accessors = [tree["accessors"][0], *halves]
    meshes = [
        {"primitives": [{"attributes": {"POSITION": 0}, "indices": index}]} for index in (1, 2)
    ]
    nodes = [{"children": [1, 2]}, {"mesh": 0}, {"mesh": 1}]
    found = read("a.gltf", gltf(accessors=accessors, meshes=meshes, nodes=nodes))
    assert (found.audit.watertight, found.audit.pieces, len(found.faces)) == (True, 1, 2)


def test_it_agrees_with_trimesh_on_a_scene(read):
    import trimesh

    scene = trimesh.Scene()
    rng = np.random.default_rng(2)
    for size in (1.0, 2.0):
        T = trimesh.transformations.random_rotation_matrix(rng.random(3))
        T[:3, 3] = rng.normal(size=3)
        scene.add_geometry(trimesh.creation.icosphere(subdivisions=1, radius=size), transform=T)
    found = read("a.glb", scene.export(file_type="glb"))
    peer = scene.to_mesh()
    assert found.mesh.bounds == pytest.approx(peer.bounds, abs=1e-6)  # single precision in the file
    assert found.mesh.volume == pytest.approx(peer.volume, rel=1e-6)


@pytest.mark.parametrize(("mode", "indices"), [(5, [0, 1, 2, 3]), (6, [0, 1, 2, 3])])
def test_strips_and_fans(read, mode, indices):
    import trimesh

    accessor = {"bufferView": 1, "componentType": 5123, "count": 4, "type": "SCALAR"}
    tree = json.loads(gltf())
    tree["meshes"][0]["primitives"][0]["mode"] = mode
    tree["accessors"][1] = accessor
    data = CORNERS.tobytes() + np.array(indices, dtype="<u2").tobytes() + bytes(16)
    tree["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(data).decode()
    found = read("a.gltf", json.dumps(tree))
    expected = {5: [[0, 1, 2], [1, 3, 2]], 6: [[1, 2, 0], [2, 3, 0]]}[mode]
    assert found.mesh.triangles.tolist() == CORNERS[expected].tolist()
    if mode == 5:
        peer = trimesh.util.triangle_strips_to_faces([np.array(indices)])
        assert {frozenset(face) for face in peer.tolist()} == {frozenset(f) for f in expected}


def test_buffers_inside_the_folder_are_read_others_refused(read, tmp_path, monkeypatch):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "my data.bin").write_bytes(BINARY)
    (tmp_path / "secret.bin").write_bytes(BINARY)
    (tmp_path / "job" / "link.bin").symlink_to(tmp_path / "secret.bin")

    def buffers(uri):
        return gltf(buffers=[{"byteLength": 72, "uri": uri}])

    folder = tmp_path / "job"
    assert len(read("a.gltf", buffers("my%20data.bin"), folder=folder).mesh) == 4
    outside = [
        *("../secret.bin", "%2e%2e/secret.bin", "link.bin", str(tmp_path / "secret.bin")),
        *((tmp_path / "secret.bin").as_uri(), "http://example.org/a.bin", "..\\secret.bin", "a\0b"),
    ]
    for uri in outside:
        told = refused(read, "a.gltf", buffers(uri), folder=folder)
        assert "expected a relative path of a file inside the folder" in told, uri
    assert "cannot be read" in refused(read, "a.gltf", buffers("none.bin"), folder=folder)
    monkeypatch.setenv("PALPEUR_CAP_GEOMETRY_BYTES", "71")
    capped = refused(read, "a.gltf", buffers("my data.bin"), folder=folder)
    assert "more than 71 bytes" in capped


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"asset": {"version": "1.0"}}, "expected 2.0"),
        ({"extensionsRequired": ["KHR_draco_mesh_compression"]}, "'KHR_draco_mesh_compression'"),
        ({"nodes": [{"mesh": 0, "children": [0]}]}, "levels of nodes"),
        ({"nodes": [{"mesh": 7}]}, "names item 7 of 'meshes', which has 1"),
        ({"nodes": [{"mesh": 0, "matrix": [1, 2]}]}, "is not 16 numbers"),
        ({"nodes": [{"mesh": 0, "rotation": [0, 0, 0, 0]}]}, "a quaternion of length 0"),
        ({"buffers": [{"byteLength": 72}]}, "promises 72 bytes, but 0 are there"),
        ({"buffers": [{"byteLength": 72, "uri": "data:;base64,####"}]}, "promises 72 bytes"),
        ({"bufferViews": [{"buffer": 0, "byteLength": 23}] * 2}, "they do not fit"),
        ({"bufferViews": [{"buffer": 0, "byteLength": 480}] * 2}, "they do not fit"),
        ({"meshes": [{"primitives": []}]}, "no triangle"),
        ({"scenes": []}, None),
        ({"scene": -1}, "names item -1 of 'scenes'"),
    ],
)
def test_faults_of_gltf(read, changes, told):
    if told is None:
        assert len(read("a.gltf", gltf(**changes)).mesh) == 4
    else:
        assert told in refused(read, "a.gltf", gltf(**changes))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"count": 10**12}, "expected at most 15000000"),
        ({"count": -1}, "expected a whole number of at least 0"),
        ({"count": 10**6}, "they do not fit"),
        ({"componentType": 5120}, "expected VEC3 of 5126"),
        ({"sparse": {}}, "sparse"),
    ],
)
def test_accessors_that_lie(read, change, told):
    accessors = json.loads(gltf())["accessors"]
    accessors[0] |= change
    assert told in refused(read, "a.gltf", gltf(accessors=accessors))


def test_a_tree_that_multiplies_is_stopped(read):
    """Twenty levels of ten children each would be 10²⁰ meshes."""
    nodes = [{"children": [level + 1] * 10} for level in range(20)] + [{"mesh": 0}]
    assert "expected at most" in refused(read, "a.gltf", gltf(nodes=nodes))


def test_glb_lengths_that_lie(read, exported):
    raw = exported[".glb"]
    assert "damaged or cut off" in refused(read, "a.glb", raw[:-4])
    longer = raw[:12] + struct.pack("<I", 10**9) + raw[16:]
    assert "promises 1000000000 bytes" in refused(read, "a.glb", longer)
    assert "JSON cannot be read" in refused(read, "a.gltf", "[" * 100_000)
    assert "JSON cannot be read" in refused(read, "a.gltf", gltf().replace("2.0", "\\ud")[:-9])


MODEL = """<?xml version="1.0"?>{head}
<model unit="{unit}" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
<resources><object id="1" name="tetra" type="model"><mesh><vertices>
<vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>
<vertex x="0" y="0" z="{z}"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>
<triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/>
</triangles></mesh></object>{objects}</resources><build>{items}</build></model>"""
RELATIONS = """<?xml version="1.0"?><Relationships
xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Target=
"/3D/part.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>"""


ITEM = '<item objectid="1"/>'


def three_mf(*, head="", unit="millimeter", z="1", objects="", items=ITEM, more=()):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", RELATIONS)
        text = MODEL.format(head=head, unit=unit, z=z, objects=objects, items=items)
        archive.writestr("3D/part.model", text)
        for name, content in more:
            archive.writestr(name, content)
    return target.getvalue()


@pytest.mark.parametrize(
    ("unit", "metres"), [("millimeter", 1e-3), ("inch", 0.0254), ("micron", 1e-6), ("foot", 0.3048)]
)
def test_3mf_states_its_unit(read, unit, metres):
    assert read("a.3mf", three_mf(unit=unit)).mesh.size == pytest.approx([metres] * 3)


def test_3mf_components_and_transforms(read):
    objects = (
        '<object id="2"><components><component objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/>'
        '<component objectid="1" transform="0 1 0 -1 0 0 0 0 1 0 0 0"/></components></object>'
    )
    items = '<item objectid="2" transform="1 0 0 0 1 0 0 0 1 0 0 7"/>'
    found = read("a.3mf", three_mf(objects=objects, items=items), "mm")
    assert found.mesh.bounds * 1e3 == pytest.approx(np.array([[-1, 0, 7], [6, 1, 8]]))
    assert found.audit.pieces == 2
    assert [face.name for face in found.faces] == ["tetra", "face-1"]


ENTITIES = (
    '<!DOCTYPE model [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">'
    '<!ENTITY c SYSTEM "file:///etc/passwd">]>'
)
LOOP = '<object id="2"><components><component objectid="2"/></components></object>'
BOMB_OBJECTS = "".join(
    f'<object id="{level}"><components>{f"""<component objectid="{level - 1}"/>""" * 10}'
    "</components></object>"
    for level in range(2, 22)
)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"unit": "cubit"}, "the unit 'cubit', which is not known"),
        ({"z": "nan"}, "expected finite numbers"),
        ({"z": "1,5"}, "a vertex is damaged"),
        ({"head": ENTITIES}, "has a document type"),
        ({"head": ENTITIES, "z": "&c;"}, "a.3mf"),
        ({"items": '<item objectid="9"/>'}, "names object '9', which does not exist"),
        ({"items": ""}, "places no triangle"),
        ({"items": '<item objectid="1" transform="1 2 3"/>'}, "is not twelve numbers"),
        ({"objects": BOMB_OBJECTS, "items": '<item objectid="21"/>'}, "expected at most"),
        (
            {
                "objects": LOOP,
                "items": '<item objectid="2"/>',
            },
            "levels of components; expected at most 64",
        ),
        ({"more": [("../evil.txt", "x")]}, "'../evil.txt' leaves the archive"),
        ({"more": [("/../evil.txt", "x")]}, "leaves the archive"),
        ({"more": [("C:/evil.txt", "x")]}, "leaves the archive"),
        ({"more": [("a\\evil.txt", "x")]}, "leaves the archive"),
        ({"more": [("zeros", bytes(10_000_000))]}, "It may be a zip bomb"),
    ],
)
def test_faults_of_3mf(read, changes, told):
    assert told in refused(read, "a.3mf", three_mf(**changes))


def test_caps_of_archives(read, monkeypatch):
    raw = three_mf(more=[(f"{i}.txt", "x") for i in range(9)])
    with monkeypatch.context() as patch:
        patch.setenv("PALPEUR_CAP_ARCHIVE_ENTRIES", "10")
        told = refused(read, "a.3mf", raw)
        assert "11 entries; expected at most 10" in told
        assert "raise it with PALPEUR_CAP_ARCHIVE_ENTRIES=…" in told
    with monkeypatch.context() as patch:
        patch.setenv("PALPEUR_CAP_ARCHIVE_BYTES", "100")
        assert "bytes unpacked" in refused(read, "a.3mf", raw)
    assert "not a zip archive" in refused(read, "a.3mf", b"PK" + raw[20:-30])


def test_an_entry_longer_than_it_says_is_not_read(read):
    """The size in the directory is what was checked; the reader takes no more than that."""
    raw = bytearray(three_mf(z="1" + "0" * 50_000))
    true = struct.pack(
        "<I",
        next(
            info.file_size
            for info in zipfile.ZipFile(io.BytesIO(bytes(raw))).infolist()
            if info.filename.endswith("model")
        ),
    )
    assert raw.count(true) >= 2
    told = refused(read, "a.3mf", bytes(raw).replace(true, struct.pack("<I", 500)))
    assert "is damaged" in told
