"""The scene as binary glTF with its motion as an animation.

glTF has y up: the root node turns our axes, which have z up, by a quarter turn about x; below it
everything is in base axes, metres and seconds. Every link is a node that moves in its parent, so
that viewers, which go evenly from key to key, keep it on its circle.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.scene import model
from reports.scene.bodies import failed_mark, placed_shape, reached_mark
from reports.scene.model import Body, DrawnShape, MeshBody, Paint, Scene, SceneLink, SceneSolid
from reports.visible_text import label
from robots.core.arrays import Array, Indices
from robots.core.mechanism import BASE

_LINES = 1  # mode of a primitive
_Z_UP = [-float(np.sqrt(0.5)), 0.0, 0.0, float(np.sqrt(0.5))]  # x, y, z, w
_ROUGH = 0.7
_LONGEST = 200  # characters of a name
JsonObject = dict[str, Any]


def scene_glb(scene: Scene) -> bytes:
    """The scene as a .glb file; the same bytes for the same scene."""
    glb = Glb()
    links = _link_nodes(glb, scene)
    top = [
        _group(glb, "robot", [*_bodies(glb, scene.base), *links.top]),
        _group(glb, "cell", [_solid(glb, solid) for solid in scene.solids]),
        _group(glb, "points", _points(glb, scene)),
        _group(glb, "path", _path(glb, scene)),
    ]
    _animate(glb, scene, links.by_index)
    root = glb.add(
        "nodes",
        {
            "name": label(scene.title, _LONGEST),
            "rotation": _Z_UP,
            "children": [node for node in top if node is not None],
        },
    )
    asset = {
        "version": "2.0",
        "generator": "Palpeur",
        "extras": {"unit": "m", "up": "z below the root node", "notes": list(scene.notes)},
    }
    return glb.encoded({"asset": asset, "scene": 0, "scenes": [{"nodes": [root]}]})


def _group(glb: Glb, name: str, children: list[int]) -> int | None:
    """A node that holds others; none where there is nothing to hold."""
    return glb.add("nodes", {"name": name, "children": children}) if children else None


# --- the robot -----------------------------------------------------------------------------------
class _LinkNodes:
    """Nodes of links: those on the base, and all of them by the link's index."""

    def __init__(self) -> None:
        self.top: list[int] = []
        self.by_index: dict[int, int] = {}


def _link_nodes(glb: Glb, scene: Scene) -> _LinkNodes:
    """Children before parents, for a node names its children."""
    nodes, q, shown = _LinkNodes(), scene.first[None], scene.shown()
    children: dict[int, list[int]] = {}
    for index in reversed(range(len(scene.links))):
        link = scene.links[index]
        if not shown[index]:
            continue
        node: JsonObject = {
            "name": label(link.name, _LONGEST),
            "translation": _numbers(link.translations(q)[0]),
            "rotation": _numbers(_xyzw(link.rotations(q))[0]),
        }
        held = [*_bodies(glb, link.bodies), *children.get(index, [])]
        nodes.by_index[index] = glb.add("nodes", {**node, "children": held})
        children.setdefault(link.parent, []).insert(0, nodes.by_index[index])
    nodes.top = children.get(BASE, [])
    return nodes


def _bodies(glb: Glb, bodies: tuple[Body, ...]) -> list[int]:
    return [_body(glb, body) for body in bodies]


def _body(glb: Glb, body: Body) -> int:
    placed = placed_shape(body)
    # meshes of robots are often open, or turned inside out here and there
    material = _material(glb, body.paint, double=isinstance(body, MeshBody))
    return glb.add(
        "nodes",
        {
            "name": label(body.name, _LONGEST),
            "mesh": _mesh(glb, body.paint.name, placed.shape, material),
            "translation": _numbers(placed.position),
            "rotation": _numbers(_xyzw(placed.wxyz)),
        },
    )


def _animate(glb: Glb, scene: Scene, nodes: dict[int, int]) -> None:
    """One channel for each link that moves."""
    if scene.motion is None:
        return
    # Instants that single precision cannot tell apart are one.
    t = scene.motion.t.astype("<f4")
    keys = np.nonzero(np.append(True, t[1:] > np.maximum.accumulate(t)[:-1]))[0]
    q = scene.motion.q[keys]
    tracks = [
        (nodes[index], path, values)
        for index in sorted(nodes)
        for path, values in _tracks(scene.links[index], q)
        if np.any(values != values[0])
    ]
    if not tracks:
        return
    times = glb.samples(scene.motion.t[keys])
    samplers = [{"input": times, "output": glb.samples(values)} for _, _, values in tracks]
    channels = [
        {"sampler": number, "target": {"node": node, "path": path}}
        for number, (node, path, _) in enumerate(tracks)
    ]
    glb.add("animations", {"name": "motion", "samplers": samplers, "channels": channels})


def _tracks(link: SceneLink, q: Array) -> tuple[tuple[str, Array], tuple[str, Array]]:
    return ("rotation", _xyzw(link.rotations(q))), ("translation", link.translations(q))


# --- what stands around it -----------------------------------------------------------------------
def _solid(glb: Glb, solid: SceneSolid) -> int:
    shape = DrawnShape(vertices=solid.vertices, faces=solid.faces, normals=solid.normals)
    material = _material(glb, model.SOLIDS[solid.kind], double=not solid.closed)
    return glb.add(
        "nodes",
        {
            "name": label(solid.name, _LONGEST),
            "mesh": _mesh(glb, solid.kind.value, shape, material),
            "extras": {"kind": solid.kind.value, "triangles": solid.triangles},
        },
    )


def _points(glb: Glb, scene: Scene) -> list[int]:
    """A node for each point, with a mark for those that are reached and one for the others."""
    points = scene.points
    marks = {
        True: (reached_mark(points.size), model.REACHED),
        False: (failed_mark(points.size), model.FAILED),
    }
    meshes = {
        bool(reached): _mesh(glb, paint.name, shape, _material(glb, paint))
        for reached, (shape, paint) in marks.items()
        if np.any(points.reached == reached)
    }
    turns = _xyzw(model.from_z(points.normals))
    rows = zip(points.names, points.reached.tolist(), points.positions, turns, strict=True)
    return [
        glb.add(
            "nodes",
            {
                "name": label(name, _LONGEST),
                "mesh": meshes[reached],
                "translation": _numbers(place),
                "rotation": _numbers(turn),
                "extras": {"reached": reached},
            },
        )
        for name, reached, place, turn in rows
    ]


def _path(glb: Glb, scene: Scene) -> list[int]:
    ways = (
        ("probing lines", scene.probing, model.PROBING),
        ("travel", scene.travel, model.TRAVEL),
    )
    return [_lines(glb, name, ends, paint) for name, ends, paint in ways if len(ends)]


def _lines(glb: Glb, name: str, ends: Array, paint: Paint) -> int:
    primitive = {
        "mode": _LINES,
        "attributes": {"POSITION": glb.vertices(ends.reshape(-1, 3))},
        "material": _material(glb, paint),
    }
    mesh = glb.add("meshes", {"name": name, "primitives": [primitive]})
    return glb.add("nodes", {"name": name, "mesh": mesh})


# --- meshes and materials ------------------------------------------------------------------------
def _mesh(glb: Glb, name: str, shape: DrawnShape, material: int) -> int:
    primitive = {
        "attributes": {
            "POSITION": glb.vertices(shape.vertices),
            "NORMAL": glb.vertices(shape.normals),
        },
        "indices": glb.indices(shape.faces),
        "material": material,
    }
    return glb.add("meshes", {"name": name, "primitives": [primitive]})


def _material(glb: Glb, paint: Paint, *, double: bool = False) -> int:
    material: JsonObject = {
        "name": paint.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": model.linear(paint),
            "metallicFactor": 0.0,
            "roughnessFactor": _ROUGH,
        },
    }
    if paint.opacity < 1.0:
        material["alphaMode"] = "BLEND"
    if double:
        material["doubleSided"] = True
    return glb.share("materials", material)


def _xyzw(wxyz: Array) -> Array:
    """The scalar last, as glTF has it."""
    return np.roll(wxyz, -1, axis=-1)


def _numbers(values: Array) -> list[float]:
    return [float(value) for value in values]


# --------------------------------------------------------------------------------------------- Glb
# Source: Khronos, glTF 2.0 specification (ISO/IEC 12113:2022), §3.6 (binary data), §4 (GLB).

_MAGIC, _VERSION = b"glTF", 2
_JSON, _BINARY = b"JSON", b"BIN\0"
_FLOAT, _UINT16, _UINT32 = 5126, 5123, 5125
_VERTICES, _INDICES = 34962, 34963  # targets of buffer views
_SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_UINT16_END = 65535  # itself reserved


class Glb:
    """A document with its binary chunk."""

    def __init__(self) -> None:
        self._objects: dict[str, list[JsonObject]] = {}
        self._known: dict[tuple[str, str], int] = {}
        self._binary = bytearray()

    def add(self, kind: str, thing: JsonObject) -> int:
        """Append to "nodes", "meshes", … and tell its number."""
        things = self._objects.setdefault(kind, [])
        things.append(thing)
        return len(things) - 1

    def share(self, kind: str, thing: JsonObject) -> int:
        """The same, but an equal one that was shared before is used again."""
        key = (kind, json.dumps(thing, sort_keys=True))
        if key not in self._known:
            self._known[key] = self.add(kind, thing)
        return self._known[key]

    def vertices(self, values: Array) -> int:
        """An accessor of vertex data. # (v, 3)."""
        return self._floats(values, _VERTICES)

    def samples(self, values: Array) -> int:
        """An accessor of animation data. # (k,) or (k, 3) or (k, 4)."""
        return self._floats(values, None)

    def indices(self, values: Indices) -> int:
        """An accessor of vertex numbers. # any shape."""
        small = int(values.max()) < _UINT16_END
        kind, component = ("<u2", _UINT16) if small else ("<u4", _UINT32)
        return self._accessor(np.ascontiguousarray(values.reshape(-1), kind), component, _INDICES)

    def _floats(self, values: Array, target: int | None) -> int:
        return self._accessor(np.ascontiguousarray(values, "<f4"), _FLOAT, target)

    def _accessor(self, values: NDArray[Any], component: int, target: int | None) -> int:
        rows = values.reshape(len(values), -1)
        view: JsonObject = {
            "buffer": 0,
            "byteOffset": len(self._binary),
            "byteLength": values.nbytes,
        }
        if target is not None:
            view["target"] = target
        self._binary += values.tobytes()
        self._binary += b"\0" * (-len(self._binary) % 4)
        return self.add(
            "accessors",
            {
                "bufferView": self.add("bufferViews", view),
                "componentType": component,
                "count": len(rows),
                "type": _SHAPES[rows.shape[1]],
                "min": rows.min(axis=0).tolist(),
                "max": rows.max(axis=0).tolist(),
            },
        )

    def encoded(self, head: JsonObject) -> bytes:
        """The file.

        Args:
            head: "asset", "scene" and the like, before the lists of objects.
        """
        document = {**head, **self._objects}
        if self._binary:
            document["buffers"] = [{"byteLength": len(self._binary)}]
        text = json.dumps(document, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
        data = text.encode("ascii")
        chunks = _chunk(_JSON, data + b" " * (-len(data) % 4))
        if self._binary:
            chunks += _chunk(_BINARY, bytes(self._binary))
        return _MAGIC + struct.pack("<II", _VERSION, 12 + len(chunks)) + chunks


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + kind + data
