"""Which meshes a glTF scene places, and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from parts.geometry.gltf_document import Document
from parts.geometry.transforms import chained
from robots.core.arrays import Array
from robots.core.caps import Cap


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedMesh:
    """A mesh of the document at a place.

    Args:
        mesh: index in ``meshes``.
        name: of the node, else of the mesh.
        T: from mesh to scene coordinates, possibly with scale. # (4, 4)
    """

    mesh: int
    name: str
    T: Array


def placed_meshes(document: Document) -> list[PlacedMesh]:
    """All meshes of the default scene, transforms of the nodes applied.

    Raises:
        PartError: damaged nodes, a node inside itself, over a cap.
    """
    placed: list[PlacedMesh] = []
    visited = 0
    stack = [(root, np.eye(4), 0) for root in _roots(document)]
    while stack:
        index, T_above, depth = stack.pop()
        visited += 1
        document.file.check_count("levels of nodes", depth, Cap.DEPTH)
        document.file.check_count("nodes in its scene", visited, Cap.NODES)
        node = document.item("nodes", index)
        T = chained(document.file, T_above, _local(document, node, f"nodes[{index}]"))
        if "mesh" in node:
            mesh = document.item("meshes", node["mesh"])
            name = document.text(node, "name") or document.text(mesh, "name")
            placed.append(PlacedMesh(mesh=node["mesh"], name=name, T=T))
            document.file.check_count("placed meshes", len(placed), Cap.INSTANCES)
        children = document.list(node, "children", f"nodes[{index}]")
        document.file.check_count("nodes in its scene", len(stack), Cap.NODES)
        stack.extend((child, T, depth + 1) for child in reversed(children))
    return placed


def _roots(document: Document) -> Iterator[Any]:
    """Roots of the default scene; without scenes all nodes that are nobody's child."""
    if document.items("scenes"):
        scene = document.item("scenes", document.tree.get("scene", 0))
        yield from document.list(scene, "nodes", "the scene")
        return
    nodes = document.items("nodes")
    children: set[int] = set()
    for index in range(len(nodes)):
        node = document.item("nodes", index)
        found = document.list(node, "children", f"nodes[{index}]")
        children.update(child for child in found if type(child) is int)
    yield from (index for index in range(len(nodes)) if index not in children)


def _local(document: Document, node: dict[str, Any], place: str) -> Array:
    """Transform of a node: a matrix by columns, or scale, then rotation, then translation."""
    if "matrix" in node:
        T = _numbers(document, node, "matrix", place, np.eye(4).ravel()).reshape(4, 4).T
        if not np.array_equal(T[3], [0.0, 0.0, 0.0, 1.0]):
            raise document.file.error(f"the matrix of {place} is not affine. Export it again.")
        return np.asarray(T)
    x, y, z, w = _unit(document, node, place)
    T = np.eye(4)
    T[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    T[:3, :3] *= _numbers(document, node, "scale", place, np.ones(3))
    T[:3, 3] = _numbers(document, node, "translation", place, np.zeros(3))
    return T


def _unit(document: Document, node: dict[str, Any], place: str) -> list[float]:
    quaternion = _numbers(document, node, "rotation", place, np.array([0.0, 0.0, 0.0, 1.0]))
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > 1e-3:
        raise document.file.error(
            f"the rotation of {place} is a quaternion of length {length:g}; expected 1. Export it "
            "again.",
            found=length,
        )
    return [float(value) for value in quaternion / length]


def _numbers(
    document: Document, node: dict[str, Any], key: str, place: str, default: Array
) -> Array:
    found = node.get(key)
    if found is None:
        return default
    good = isinstance(found, list) and len(found) == len(default)
    if not good or not all(type(v) in (int, float) and abs(v) < 1e30 for v in found):
        raise document.file.error(
            f"{key!r} of {place} is not {len(default)} numbers; the file is damaged. Export it "
            "again."
        )
    return np.array(found, dtype=np.float64)
