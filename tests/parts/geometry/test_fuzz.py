"""Damaged files: every importer answers with a geometry or a ``PartError``, in little room.

Files are damaged where it hurts: raw bytes anywhere, but also the text inside archives and chunks,
wrapped again so that lengths and check sums are right and the damage reaches the inner readers.
"""

from __future__ import annotations

import base64
import io
import json
import random
import struct
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parts.errors import PartError
from parts.geometry.load import READERS, geometry_of
from parts.geometry.source_file import SourceFile
from tests.cases import cases, some

CASES = cases(gate=80, soak=2_500)  # per kind of file, of which there are nine
MOST_MEMORY = 30_000_000  # [byte] for files of some kilobytes
WORDS = [
    *(b"0", b"-1", b"1", b"7", b"nan", b"inf", b"1e999", b"-1e38", b"99999999999999999999"),
    *(b"4294967295", b"\xff\xff\xff\xff", b"\x00\x00\x00\x80", b"\x00\x00\xc0\x7f", b"[]", b"{}"),
    *(b"null", b'"', b"\n", b" ", b"<", b">", b"../", b"true", b"1.5", b"\\", b"#", b","),
]


def damaged(chance: random.Random, raw: bytes) -> bytes:
    """A few bytes changed in place, and now and then moved, doubled or cut off."""
    data = bytearray(raw)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        place = chance.randrange(len(data)) if data else 0
        kind = chance.random()
        if not data or kind < 0.3:
            data[place : place + 1] = bytes([chance.randrange(256)])
        elif kind < 0.5:
            data[place] ^= 1 << chance.randrange(8)
        elif kind < 0.7:
            word = chance.choice(WORDS)
            data[place : place + len(word)] = word
        elif kind < 0.8:
            # digits for digits: the file stays readable, its numbers change
            digits = [i for i, b in enumerate(data) if 48 <= b < 58]
            for i in chance.sample(digits, min(len(digits), 3)):
                data[i] = 48 + chance.randrange(10)
        elif kind < 0.88:
            data[place:place] = chance.choice(WORDS)
        elif kind < 0.94:
            other = chance.randrange(len(data))
            data[place:place] = data[other : other + chance.randrange(1, 60)]
        elif kind < 0.98:
            del data[place : place + chance.randrange(1, 40)]
        else:
            del data[place:]
    return bytes(data)


def chunks(raw: bytes) -> tuple[bytes, bytes]:
    size = struct.unpack("<I", raw[12:16])[0]
    return raw[20 : 20 + size], raw[28 + size :]


def glb(text: bytes, binary: bytes) -> bytes:
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text
    body += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body


def damaged_glb(chance: random.Random, raw: bytes) -> bytes:
    if chance.random() < 0.2:
        return damaged(chance, raw)
    text, binary = chunks(raw)
    if chance.random() < 0.3:
        return glb(text, damaged(chance, binary))
    return glb(damaged(chance, text), binary)


def damaged_zip(chance: random.Random, raw: bytes) -> bytes:
    if chance.random() < 0.2:
        return damaged(chance, raw)
    source, target = zipfile.ZipFile(io.BytesIO(raw)), io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for info in source.infolist():
            entry = source.read(info)
            hit = info.filename.endswith(".model") or chance.random() < 0.1
            archive.writestr(info.filename, damaged(chance, entry) if hit else entry)
    return target.getvalue()


@pytest.fixture(scope="module")
def seeds(exported):
    files = {name: raw for name, raw in exported.items() if not name.startswith("text")}
    files["text.stl"], files["text.ply"] = exported["text.stl"], exported["text.ply"]
    text, binary = chunks(exported[".glb"])
    tree = json.loads(text)
    data = base64.b64encode(binary).decode()
    tree["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{data}"
    tree["nodes"][0]["translation"] = [1.0, 2.0, 3.0]
    files[".gltf"] = json.dumps(tree).encode()
    files["mixed.ply"] = _mixed_ply()
    return files


def _mixed_ply() -> bytes:
    header = (
        b"ply\nformat binary_big_endian 1.0\nelement vertex 5\nproperty double x\n"
        b"property double y\nproperty double z\nelement face 3\n"
        b"property list uchar int vertex_indices\nproperty uchar red\nend_header\n"
    )
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=">f8")
    faces = b"".join(
        struct.pack(f">B{len(face)}iB", len(face), *face, 200)
        for face in ((0, 1, 2, 3), (0, 1, 4), (1, 2, 4))
    )
    return header + corners.tobytes() + faces


def imported(name: str, raw: bytes) -> str:
    """Reads a file; everything but a geometry or a ``PartError`` goes through."""
    ending = name[name.rindex(".") :]
    unit = None if ending in (".glb", ".gltf", ".3mf") else "mm"
    file = SourceFile(name=f"fuzz{ending}", raw=raw, folder=None)
    try:
        geometry = geometry_of(file, unit=unit)
    except PartError as error:
        return "refused" if str(error) else "refused without a word"
    good = np.isfinite(geometry.mesh.vertices).all() and geometry.audit.triangles > 0
    return "read" if good else "read, but wrong"


@pytest.fixture(autouse=True, scope="module")
def small_caps():
    """A header that promises millions of triangles is refused before they cost time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PALPEUR_CAP_TRIANGLES", "100000")
        patch.setenv("PALPEUR_CAP_VERTICES", "100000")
        yield


def run(seeds, name: str, cases: int, seed: int) -> dict[str, int]:
    chance = random.Random(f"{name} {seed}")
    damage = {".glb": damaged_glb, ".3mf": damaged_zip}.get(name, damaged)
    outcomes: dict[str, int] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(cases):
            outcome = imported(name, damage(chance, seeds[name]))
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes


ENDINGS = sorted(set(READERS) - {".step", ".stp"})
KEYS = [
    *("scene", "scenes", "nodes", "meshes", "mesh", "children", "primitives", "attributes"),
    *("POSITION", "indices", "accessors", "bufferViews", "bufferView", "buffers", "buffer"),
    *("count", "byteLength", "matrix", "translation"),
]
NAMES = [".stl", ".obj", ".ply", ".glb", ".3mf", "text.stl", "text.ply", ".gltf", "mixed.ply"]


@pytest.mark.parametrize("name", NAMES)
def test_damaged_files_are_read_or_refused(seeds, name):
    assert imported(name, seeds[name]) == "read"
    outcomes = run(seeds, name, CASES, seed=1)
    assert set(outcomes) == {"read", "refused"}, outcomes
    # both ends of the importer are reached: neither is all damage found at the first byte, nor none
    assert min(outcomes.values()) > CASES // 50, outcomes


@pytest.mark.parametrize("name", NAMES)
def test_damaged_files_take_little_memory(seeds, name):
    run(seeds, name, 20, seed=2)  # imports of libraries are not counted
    tracemalloc.start()
    try:
        run(seeds, name, cases(gate=8, soak=300), seed=3)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MOST_MEMORY


@settings(max_examples=cases(gate=12, soak=100), deadline=None, derandomize=True)
@given(ending=st.sampled_from(ENDINGS), raw=st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(ending, raw):
    assert imported(ending, raw or b"\0") in ("read", "refused")


@settings(max_examples=cases(gate=12, soak=150), deadline=None, derandomize=True)
@given(
    tree=st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(KEYS),
                inner,
                max_size=6,
            )
        ),
        max_leaves=20,
    )
)
def test_any_json_is_read_or_refused_as_gltf(tree):
    text = json.dumps(
        {
            "asset": {"version": "2.0"},
            "nodes": [tree],
            "scenes": [tree],
            **(tree if isinstance(tree, dict) else {}),
        }
    )
    assert imported(".gltf", text.encode()) in ("read", "refused")


@pytest.mark.soak
@pytest.mark.parametrize("seed", some(range(8), gate=4))
@pytest.mark.parametrize("name", NAMES)
def test_many_damaged_files_are_read_or_refused(seeds, name, seed):
    assert set(run(seeds, name, 20_000, seed=100 + seed)) <= {"read", "refused"}
