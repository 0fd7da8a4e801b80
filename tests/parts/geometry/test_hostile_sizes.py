"""Hostile files are read or refused within little memory, whatever they promise or unpack to."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import zipfile

import pytest

from tests.cases import cases

BOUND = 1_000_000_000  # [byte] address space, of which Python with NumPy and SciPy takes a third
MOST_TRIANGLES = cases(gate=100_000, soak=500_000)  # of polygons.obj: a cap of its own
# Python with the readers loaded, which makes a process of its own for each file: its memory alone
# is bounded, and what one file leaves behind is no burden of the next.
PROGRAM = """
import os, resource, sys, traceback
from parts.errors import PartError
from parts.geometry import load_geometry

def read(path, unit):
    if path.endswith("polygons.obj"):
        os.environ["PALPEUR_CAP_TRIANGLES"] = sys.argv[2]
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
    try:
        return f"read: {len(load_geometry(path, unit=unit or None).mesh)}"
    except PartError as error:
        return f"refused: {error.message}"

for line in sys.stdin:
    path, unit = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if not child:
        try:
            print(read(path, unit), flush=True)
        except BaseException:
            print("failed:", traceback.format_exc().replace("\\n", " | "), flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        print(f"ended with status {status}", flush=True)
"""
MODEL = (
    '<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">'
    "<resources>{objects}</resources><build>{items}</build></model>"
)
TETRA = (
    '<vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/>'
    '<vertex x="0" y="0" z="1"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>'
    '<triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/>'
    '<triangle v1="2" v2="0" v3="3"/></triangles>'
)


def three_mf(objects: str, items: str = '<item objectid="1"/>', more: int = 0) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/a.model", MODEL.format(objects=objects, items=items))
        for number in range(more):
            archive.writestr(f"{number}", "")
    return target.getvalue()


def many_vertices() -> bytes:
    """40 MB of XML, which a tree of elements would turn into 600 MB and more."""
    rows = "".join(f'<vertex x="{k % 977}" y="{k}" z="{k * 7 % 1013}"/>' for k in range(1_000_000))
    faces = '<triangle v1="0" v2="1" v3="2"/>'
    mesh = f"<mesh><vertices>{rows}</vertices><triangles>{faces}</triangles></mesh>"
    return three_mf(f'<object id="1">{mesh}</object>')


def many_instances() -> bytes:
    """A thousand triangles, placed 20³ times by components within components."""
    mesh = f"<mesh>{TETRA[: TETRA.index('<triangles>')]}<triangles>"
    mesh += '<triangle v1="0" v2="2" v3="1"/>' * 1000 + "</triangles></mesh>"
    levels = "".join(
        f'<object id="{k}"><components>'
        + f'<component objectid="{k - 1}"/>' * 20
        + "</components></object>"
        for k in (2, 3, 4)
    )
    return three_mf(f'<object id="1">{mesh}</object>{levels}', '<item objectid="4"/>')


def many_objects() -> bytes:
    return three_mf("".join(f'<object id="{k}"/>' for k in range(150_000)))


def deep_elements() -> bytes:
    return three_mf("".join(f"<a{k % 977}>" for k in range(100_000)))


def long_tag() -> bytes:
    return three_mf('<object id="1" name="' + "".join(f"{k} " for k in range(600_000)) + '"/>')


def many_entries() -> bytes:
    """A directory of a million entries without files."""
    entry = b"PK\x01\x02" + bytes(24) + struct.pack("<H", 4) + bytes(16)
    directory = b"".join(entry + b"%04d" % (k % 10_000) for k in range(1_000_000))
    size = len(directory)
    return directory + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 16959, 16959, size, 0, 0)


def glb_of(text: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    chunk = struct.pack("<I4s", len(text), b"JSON") + text
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunk)) + chunk


def many_values() -> bytes:
    return glb_of(b'{"asset":{"version":"2.0"},"extras":[' + b"[]," * 10_000_000 + b"0]}")


def shared_bytes() -> bytes:
    """Accessors of one byte per vertex, which overlap."""
    tree = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 14_000_000, "type": "VEC3"}
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 29_000_011, "byteStride": 1}],
        "buffers": [{"byteLength": 29_000_011}],
    }
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    binary = bytes(29_000_012)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def wide_ply() -> bytes:
    """Ten million words of columns that nobody wants."""
    columns = "".join(f"property float p{k}\n" for k in range(2000))
    head = f"ply\nformat ascii 1.0\nelement other 5000\n{columns}element vertex 3\n"
    head += "property float x\nproperty float y\nproperty float z\nelement face 1\n"
    head += "property list uchar int vertex_indices\nend_header\n"
    return head.encode() + b"1 " * 10_000_000 + b"\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"


def long_list() -> bytes:
    head = b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\n"
    head += b"property float y\nproperty float z\nelement face 1\n"
    head += b"property list uint uchar vertex_indices\nend_header\n"
    return head + bytes(36) + struct.pack("<I", 40_000_000) + bytes(40_000_000)


def step_of(statement: str) -> bytes:
    body = "\n".join(statement.format(k, k + 1) for k in range(1, 1_010_000))
    return f"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n{body}\nENDSEC;\nEND-ISO-10303-21;".encode()


FILES = {
    "vertices.3mf": (many_vertices, "read: 1"),
    "instances.3mf": (many_instances, "8000000 triangles; expected at most 5000000"),
    "objects.3mf": (many_objects, "objects; expected at most 100000"),
    "deep.3mf": (deep_elements, "more than 200 deep"),
    "tag.3mf": (long_tag, "tag or text of more than 1000000 bytes"),
    "entries.3mf": (many_entries, "1000000 entries; expected at most 10000"),
    "values.glb": (many_values, "values in its JSON; expected at most 5000000"),
    "shared.glb": (shared_bytes, "they do not fit"),
    "words.obj": (lambda: b"f" + b" 1" * 20_000_000, "line 1 has more than 1000000 bytes"),
    "lines.obj": (lambda: b"v\n" * 20_000_000, "'v' is not OBJ"),
    "polygons.obj": (
        lambda: b"v 0 0 0\nv 1 0 0\nv 0 1 0\n" + b"f 1 2 3\n" * (MOST_TRIANGLES * 6 // 5),
        f"corners; expected at most {3 * MOST_TRIANGLES}",
    ),
    "words.stl": (lambda: b"solid a\n" + b"a a a\n" * 6_000_000, "where 'facet' was expected"),
    "solids.stl": (lambda: b"solid\n" * 3_000_000, "solids; expected at most 10000"),
    "wide.ply": (wide_ply, "read: 1"),
    "list.ply": (long_list, "corners; expected at most 15000000"),
    "faces.step": (lambda: step_of("#{0}=ADVANCED_FACE('',(),#{1},.T.);"), "faces, shells and"),
    "strings.step": (lambda: b"ISO-10303-21;DATA;" + b"#1='" * 5_000_000, "not one face"),
    "comments.step": (
        lambda: b"ISO-10303-21;DATA;" + b"#1=/*" * cases(gate=1_500_000, soak=5_000_000),
        "not one face",
    ),
}


@pytest.fixture(scope="module")
def reader():
    """``reader(path, unit)``: one line of what came of the file, read in a process of its own."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(BOUND), str(MOST_TRIANGLES)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def read(path, unit):
            process.stdin.write(f"{path}\t{unit}\n")
            process.stdin.flush()
            return process.stdout.readline()

        yield read
        process.stdin.close()


# The largest work is for the soak: others of the same format hold its cap in the gate.
LARGEST = ("vertices.3mf", "entries.3mf", "wide.ply", "faces.step", "strings.step")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of the address space")
@pytest.mark.parametrize(
    "name",
    [pytest.param(k, marks=[pytest.mark.soak] if k in LARGEST else []) for k in FILES],
)
def test_hostile_sizes_take_little_memory(name, tmp_path, reader):
    make, told = FILES[name]
    (tmp_path / name).write_bytes(make())
    unit = "mm" if name.endswith(("obj", "stl", "ply")) else ""
    answer = reader(tmp_path / name, unit)
    (tmp_path / name).unlink()
    assert answer.startswith(("read: ", "refused: ")), answer
    assert told in answer
