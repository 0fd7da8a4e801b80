"""Why mesh files have readers of our own: small files that trimesh reads wrongly or without bounds.

Each is read right or refused here. The last test holds that trimesh still has a case in every
format; where it has none, its reader may replace ours behind the same caps.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
from dataclasses import dataclass

import numpy as np
import pytest

from parts.errors import PartError

REFUSED = -1
CORNERS = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\n"
FACET = (
    "facet normal 0 0 1\nouter loop\nvertex 0 0 {z}\nvertex 1 0 {z}\nvertex 0 1 {z}\n"
    "endloop\nendfacet\n"
)
PLY = (
    "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\n"
    "property float z\nelement face {count}\n{properties}end_header\n"
    "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n{rows}"
)
INDICES = "property list uchar int vertex_indices\n"


@dataclass(frozen=True)
class Case:
    """A file, and the triangles that are in it."""

    name: str
    raw: bytes
    triangles: int = REFUSED


def solid(facets: str, name: str = "a") -> bytes:
    return f"solid {name}\n{facets}endsolid {name}\n".encode()


def ply(rows: str, count: int, properties: str = INDICES) -> bytes:
    return PLY.format(rows=rows, count=count, properties=properties).encode()


def mixed_ply(order: str, sign: str) -> bytes:
    """A square and a triangle, in bytes."""
    head = ply("", 2).decode().replace("ascii", order).partition("0 0 0\n")[0].encode()
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=f"{sign}f4")
    faces = [np.array(face, dtype=f"{sign}i4") for face in ([0, 1, 2, 3], [0, 1, 4])]
    return head + points.tobytes() + b"".join(bytes([len(f)]) + f.tobytes() for f in faces)


def gltf(**changes: object) -> bytes:
    """A tetrahedron in the scene, once."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], dtype="<u2")
    data = base64.b64encode(corners.tobytes() + faces.tobytes()).decode()
    tree: dict[str, object] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [POSITIONS, {"bufferView": 1, "componentType": 5123, "count": 12} | SCALAR],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"byteLength": 72, "uri": f"data:application/octet-stream;base64,{data}"}],
    }
    return json.dumps(tree | changes).encode()


SCALAR = {"type": "SCALAR"}
POSITIONS = {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}
FACES = {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}
SPARSE = {
    "count": 1,
    "indices": {"bufferView": 1, "componentType": 5123},
    "values": {"bufferView": 0},
}
FAN = {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": 6}]}
TREE = [{"children": [level + 1] * 10} for level in range(20)] + [{"mesh": 0}]

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
MODEL = (
    f'<?xml version="1.0"?>{{head}}<model unit="millimeter" xmlns="{CORE}"><resources>'
    '<object id="1" type="model"><mesh><vertices><vertex x="0" y="0" z="0"/>'
    '<vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/>'
    '{vertices}</vertices><triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3='
    '"3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/></triangles></mesh>'
    '</object>{objects}</resources><build><item objectid="{item}"/></build></model>'
)
RELATIONS = (
    '<?xml version="1.0"?><Relationships '
    'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
    'Target="/{path}" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>'
    "</Relationships>"
)


def three_mf(
    path: str = "3D/3dmodel.model",
    *,
    head: str = "",
    vertices: str = "",
    objects: str = "",
    item: int = 1,
) -> bytes:
    """A tetrahedron of 1 mm, built once."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", RELATIONS.format(path=path))
        text = MODEL.format(head=head, vertices=vertices, objects=objects, item=item)
        archive.writestr(path, text)
    return target.getvalue()


def nested(levels: int, times: int) -> str:
    """Objects of components, each several times the one before."""
    return "".join(
        f'<object id="{level}"><components>{f"""<component objectid="{level - 1}"/>""" * times}'
        "</components></object>"
        for level in range(2, levels + 2)
    )


CASES = [
    # text STL: corners of facets with four are dealt out anew, the name of a solid is a vertex
    Case("corners.stl", solid(3 * FACET.format(z=1).replace("endloop", "vertex 1 1 1\nendloop"))),
    Case("name.stl", solid(FACET.format(z=1), "vertex 1") + solid(FACET.format(z=2), "facet"), 2),
    # OBJ: vertex 0 is taken for the last one, a face that was cut off is left out
    Case("zero.obj", f"{CORNERS}f 1 2 0\n".encode()),
    Case("cut.obj", f"{CORNERS}f 1 2 3\nf 1 2 5\nf 1 2".encode()),
    Case("freeform.obj", f"{CORNERS}f 1 2 3\ncstype bspline\ncurv 0 1 1 2 3\n".encode()),
    Case("tabs.obj", f"{CORNERS}f\t1\t2\t3\n".encode(), 1),
    Case("remark.obj", f"{CORNERS}f 1 2 3 # the last\n".encode(), 1),
    # PLY: promised rows that are missing or torn are left out, other rows confuse it
    Case("cut.ply", ply("3 0 1 2\n", 3)),
    Case("torn.ply", ply("3 0 1 2\n3 0 1\n", 2)),
    Case("half.ply", ply("3 0 1.5 2\n", 1)),
    Case("count.ply", ply("4 0 1 2\n", 1)),
    Case("little.ply", mixed_ply("binary_little_endian", "<"), 3),
    Case("big.ply", mixed_ply("binary_big_endian", ">"), 3),
    Case(
        "texture.ply",
        ply("6 0 0 1 0 1 1 3 0 1 2\n", 1, f"property list uchar float texcoord\n{INDICES}"),
        1,
    ),
    # glTF: what replaces coordinates or packs them is passed over
    Case("sparse.gltf", gltf(accessors=[POSITIONS | {"sparse": SPARSE}, FACES])),
    Case("quantised.gltf", gltf(accessors=[POSITIONS | {"componentType": 5120}, FACES])),
    Case("packed.gltf", gltf(extensionsRequired=["KHR_draco_mesh_compression"])),
    Case("fan.gltf", gltf(meshes=[FAN], accessors=[POSITIONS, FACES | {"count": 4}]), 2),
    Case("tree.gltf", gltf(nodes=TREE)),
    # 3MF: a model of another name, a type of document, copies of copies
    Case("name.3mf", three_mf("3D/part.model"), 4),
    Case("doctype.3mf", three_mf(head='<!DOCTYPE model [<!ENTITY a "1">]>')),
    Case("copies.3mf", three_mf(objects=nested(2, 10), item=3), 400),
]


def triangles(read, case: Case) -> int:
    """Those that our reader finds."""
    unit = "mm" if case.name.endswith((".stl", ".obj", ".ply")) else None
    try:
        return len(read(case.name, case.raw, unit).mesh)
    except PartError:
        return REFUSED


def peers(case: Case) -> int:
    """Those that trimesh finds; an index that no vertex has is refused."""
    import trimesh

    kind = case.name.rpartition(".")[2]
    try:
        loaded = trimesh.load_scene(io.BytesIO(case.raw), file_type=kind, process=False)
        mesh = loaded.to_mesh()
        mesh.vertices[mesh.faces]
    except (ValueError, KeyError, IndexError, TypeError, StopIteration, AttributeError):
        return REFUSED
    return len(mesh.faces) or REFUSED


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_is_read_right_or_refused(read, case):
    assert triangles(read, case) == case.triangles


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "gltf", "3mf"])
def test_trimesh_still_reads_some_of_them_wrongly(ending):
    wrong = [c.name for c in CASES if c.name.endswith(ending) and peers(c) != c.triangles]
    assert wrong != []


def test_a_file_that_would_unpack_to_gigabytes_is_refused_before(read):
    """11 MB of vertices in 27 kB; trimesh unpacks whatever there is, then builds a tree of it."""
    raw = three_mf(vertices='<vertex x="0" y="0" z="0"/>' * 400_000)
    with pytest.raises(PartError, match="zip bomb"):
        read("bomb.3mf", raw)


def test_a_file_whose_end_is_missing_is_refused(read):
    with pytest.raises(PartError, match="ends after 1 triangles without 'endsolid'"):
        read("cut.stl", b"solid a\n" + FACET.format(z=1).encode(), "mm")


@pytest.mark.parametrize("raw", [ply("3 0 1 2\n3 0 1 4\n", 1), mixed_ply("binary_big_endian", ">")])
def test_a_header_that_promises_too_little_is_refused(read, raw):
    fewer = raw.replace(b"element face 2", b"element face 1")
    with pytest.raises(PartError, match="promises less than the file holds"):
        read("more.ply", fewer, "mm")
    assert len(read("enough.ply", ply("3 0 1 2\n \n\n", 1), "mm").mesh) == 1
