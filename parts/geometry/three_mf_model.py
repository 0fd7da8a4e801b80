"""The models of a 3MF package: objects with meshes or components, and what is built."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from parts.geometry.safe_xml import Attributes, scan_xml
from parts.geometry.source_file import SourceFile
from robots.core.arrays import Array, Indices
from robots.core.caps import Cap


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """An object at a place: a component of another one, or an item of the build.

    Args:
        object: its identity.
        path: of its model; empty for the model that this stands in.
        transform: twelve numbers; empty for none.
    """

    object: str
    path: str
    transform: str


@dataclass(slots=True, kw_only=True, eq=False)
class MfObject:
    """An object of a model.

    Args:
        name: of the object; empty where it has none.
        coordinates: of its vertices, in the unit of the model, one after the other.
        corners: vertices of its triangles, one after the other.
        components: that it is made of.
    """

    name: str
    coordinates: array[float] = field(default_factory=lambda: array("d"))
    corners: array[float] = field(default_factory=lambda: array("d"))
    components: list[Placement] = field(default_factory=list)

    @property
    def triangles(self) -> int:
        """Number of its own triangles."""
        return len(self.corners) // 3

    def mesh(self, file: SourceFile) -> tuple[Array, Indices]:
        """Vertices (v, 3) and triangles over them (f, 3).

        Raises:
            PartError: a vertex that does not exist.
        """
        vertices = np.array(self.coordinates, dtype=np.float64).reshape(-1, 3)
        corners = np.array(self.corners, dtype=np.float64).reshape(-1, 3)
        return vertices, _faces(file, corners, len(vertices))


@dataclass(slots=True, kw_only=True, eq=False)
class Totals:
    """What the models of a package hold together, so that caps count over all of them."""

    tags: int = 0
    objects: int = 0
    placements: int = 0
    vertices: int = 0
    triangles: int = 0


@dataclass(slots=True, kw_only=True, eq=False)
class Model:
    """A model part.

    Args:
        path: of its entry in the archive.
        unit: "millimeter", …
        objects: by identity.
        items: of the build.
    """

    path: str
    unit: str = "millimeter"
    objects: dict[str, MfObject] = field(default_factory=dict)
    items: list[Placement] = field(default_factory=list)


def model_of(file: SourceFile, chunks: Iterable[bytes], path: str, totals: Totals) -> Model:
    """Read a model part, tag by tag.

    Args:
        file: the package.
        chunks: of the part's bytes.
        path: of the part.
        totals: of the models read before; what this one holds is added.

    Raises:
        PartError: damaged, or over a cap.
    """
    reader = _Reader(file, path, totals)
    totals.tags = scan_xml(file, chunks, path, start=reader.start, end=reader.end, tags=totals.tags)
    return reader.model


class _Reader:
    """Takes the tags of a model."""

    __slots__ = ("_file", "_most", "_object", "_parents", "_totals", "model")

    def __init__(self, file: SourceFile, path: str, totals: Totals) -> None:
        self._file = file
        self._totals = totals
        self._most = min(Cap.VERTICES.limit, Cap.TRIANGLES.limit)
        self._parents: list[str] = []
        self._object: MfObject | None = None
        self.model = Model(path=path)

    def start(self, name: str, attributes: Attributes) -> None:
        parents, thing = self._parents, self._object
        above = parents[-1] if parents else ""
        parents.append(name)
        if name == "vertex" and above == "vertices" and thing is not None:
            self._take_vertex(thing, attributes)
        elif name == "triangle" and above == "triangles" and thing is not None:
            self._take_triangle(thing, attributes)
        elif name == "component" and above == "components" and thing is not None:
            thing.components.append(self._placement(attributes))
        elif name == "object" and above == "resources":
            self._totals.objects += 1
            self._file.check_count("objects", self._totals.objects, Cap.NODES)
            self._object = MfObject(name=attributes.get("name", "")[:100])
            self.model.objects[attributes.get("id", "")] = self._object
        elif name == "item" and above == "build":
            self.model.items.append(self._placement(attributes))
        elif not above:
            if name != "model":
                raise self._file.error(f"{self.model.path} is not a 3MF model but {name[:40]!r}.")
            self.model.unit = attributes.get("unit", "millimeter")

    def end(self, name: str) -> None:
        self._parents.pop()
        if name == "object" and self._parents[-1:] == ["resources"]:
            self._object = None

    def _take_vertex(self, thing: MfObject, attributes: Attributes) -> None:
        self._totals.vertices += 1
        if self._totals.vertices > self._most:
            self._file.check_count("vertices", self._totals.vertices, Cap.VERTICES)
        try:
            row = (float(attributes["x"]), float(attributes["y"]), float(attributes["z"]))
        except (KeyError, ValueError) as error:
            raise self._damaged("vertex", error) from None
        thing.coordinates.extend(row)

    def _take_triangle(self, thing: MfObject, attributes: Attributes) -> None:
        self._totals.triangles += 1
        if self._totals.triangles > self._most:
            self._file.check_count("triangles", self._totals.triangles, Cap.TRIANGLES)
        try:
            row = (float(attributes["v1"]), float(attributes["v2"]), float(attributes["v3"]))
        except (KeyError, ValueError) as error:
            raise self._damaged("triangle", error) from None
        thing.corners.extend(row)

    def _placement(self, attributes: Attributes) -> Placement:
        self._totals.placements += 1
        self._file.check_count("components", self._totals.placements, Cap.NODES)
        return Placement(
            object=attributes.get("objectid", "")[:200],
            path=attributes.get("path", "")[:1000],
            transform=attributes.get("transform", "")[:1000],
        )

    def _damaged(self, what: str, error: Exception) -> Exception:
        missing = isinstance(error, KeyError)
        told = f"{error} is missing" if missing else str(error)[:80]
        return self._file.error(f"a {what} is damaged: {told}. Export it again.")


def transform_of(file: SourceFile, text: str) -> Array:
    """Transform from twelve numbers; points are rows that stand before the matrix. # (4, 4)."""
    T = np.eye(4)
    if text:
        try:
            values = np.array([float(word) for word in text.split()])
        except ValueError:
            values = np.zeros(0)
        if len(values) != 12 or not np.isfinite(values).all():
            raise file.error(f"the transform {text[:80]!r} is not twelve numbers.")
        T[:3] = values.reshape(4, 3).T
    return T


def _faces(file: SourceFile, corners: Array, count: int) -> Indices:
    good = (corners >= 0.0) & (corners < count) & (corners == np.floor(corners))
    if not good.all():
        row = int(np.argmax(~good.all(axis=1)))
        raise file.error(
            f"triangle {row + 1} names vertices {corners[row].tolist()}, but they are 0 to "
            f"{count - 1}. Export it again.",
            triangle=row + 1,
            limit=count - 1,
        )
    return corners.astype(np.int64)
