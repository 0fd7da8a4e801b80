"""3MF files → bodies, one for each mesh that the build places."""

from __future__ import annotations

import io
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

import numpy as np

from parts.geometry.source_file import (
    GeometryContent,
    MeshBody,
    SourceFile,
    carried,
    chained,
    turned,
)
from robots.core.arrays import Array, Indices
from robots.core.caps import Cap

RELATIONS = "_rels/.rels"
MODEL = "3dmodel"  # how the type of the relation to the root model ends
_ENTRY = b"PK\x01\x02"  # starts an entry of the directory
CHUNK = 65_536  # [byte] unpacked at a time
SMALL = 100_000  # [byte] below it a high ratio harms nobody: a blank page packs a thousandfold


def read_three_mf(file: SourceFile) -> GeometryContent:
    """Read a 3MF file; transforms of build and components are applied.

    What the build places is counted, with every component expanded, before any of it is made.

    Raises:
        PartError: not 3MF, damaged, over a cap, an object inside itself.
    """
    package = _Package(file)
    root = package.model(_root_name(file, package.archive))
    _check_build(file, package, root)
    bodies = tuple(
        _placed(file, found, T) for found, T in _placements(file, package, root) if found.triangles
    )
    if not bodies:
        raise file.error("its build places no triangle. Export it again, with the mesh.")
    return GeometryContent(bodies=bodies, unit=root.unit)


def _placements(
    file: SourceFile, package: _Package, root: Model
) -> Iterator[tuple[MfObject, Array]]:
    """Every object that the build places, and where."""
    stack = [(item, np.eye(4), root.path) for item in reversed(root.items)]
    while stack:
        placement, T_above, near = stack.pop()
        path = placement.path or near
        found = package.object(path, placement.object)
        T = chained(file, T_above, transform_of(file, placement.transform))
        stack.extend((child, T, path) for child in reversed(found.components))
        yield found, T


def _placed(file: SourceFile, found: MfObject, T: Array) -> MeshBody:
    vertices, faces = found.mesh(file)
    return MeshBody(name=found.name, vertices=carried(vertices, T), faces=turned(faces, T))


@dataclass(frozen=True, slots=True)
class _BuildSize:
    """Size of an object with all its components; the counts may exceed every cap."""

    placements: int
    meshes: int
    vertices: int
    triangles: int


def _check_build(file: SourceFile, package: _Package, root: Model) -> None:
    """Count what the build would place; every object is expanded once.

    Raises:
        PartError: over a cap, an object inside itself.
    """
    known: dict[tuple[str, str], _BuildSize] = {}

    def expanded(placement: Placement, near: str, depth: int) -> _BuildSize:
        file.check_count("levels of components", depth, Cap.DEPTH)
        path = placement.path or near
        key = (path, placement.object)
        if key not in known:
            found = package.object(*key)
            own = found.triangles
            parts = [expanded(child, path, depth + 1) for child in found.components]
            known[key] = _BuildSize(
                1 + sum(part.placements for part in parts),
                (own > 0) + sum(part.meshes for part in parts),
                len(found.coordinates) // 3 + sum(part.vertices for part in parts),
                own + sum(part.triangles for part in parts),
            )
        return known[key]

    built = [expanded(item, root.path, 0) for item in root.items]
    file.check_count("components", sum(one.placements for one in built), Cap.NODES)
    file.check_count("placed meshes", sum(one.meshes for one in built), Cap.INSTANCES)
    file.check_count("vertices", sum(one.vertices for one in built), Cap.VERTICES)
    triangles = sum(one.triangles for one in built)
    file.check_count("triangles", triangles, Cap.TRIANGLES)
    own = {key: package.object(*key).triangles for key in known}
    repeated = triangles - sum(own.values())
    file.check_count("repeated triangles", repeated, Cap.REPEATED_TRIANGLES)


class _Package:
    """Models of an archive, parsed once each; all must have the unit of the first."""

    def __init__(self, file: SourceFile) -> None:
        self.archive = Archive(file)
        self._file = file
        self._models: dict[str, Model] = {}
        self._totals = Totals()

    def model(self, path: str) -> Model:
        key = path.lstrip("/").lower()
        if key not in self._models:
            chunks = self.archive.chunks(path)
            self._models[key] = model_of(self._file, chunks, path, self._totals)
        first = next(iter(self._models.values()))
        found = self._models[key]
        if found.unit != first.unit:
            raise self._file.error(
                f"its models have different units, {first.unit[:40]} and {found.unit[:40]}; "
                "expected one unit. Export it again."
            )
        return found

    def object(self, path: str, identity: str) -> MfObject:
        objects = self.model(path).objects
        if identity not in objects:
            raise self._file.error(
                f"its build or a component names object {identity[:40]!r}, which does not exist. "
                "Export it again.",
                found=identity[:40],
            )
        return objects[identity]


def _root_name(file: SourceFile, archive: Archive) -> str:
    """Name of the root model, from the relations of the package."""
    targets: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        kind = attributes.get("Type", "").lower()
        if name == "Relationship" and kind.endswith(MODEL) and not targets:
            targets.append(attributes.get("Target", ""))

    if RELATIONS in archive.names:
        scan_xml(file, archive.chunks(RELATIONS), RELATIONS, start=start)
        if targets:
            return targets[0]
    models = [name for name in archive.names if name.endswith(".model")]
    if not models:
        raise file.error("it has no 3D model; it is not 3MF. Export it again.")
    return models[0]


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
    """Totals over all models of a package, to which the caps apply."""

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


class Archive:
    """The entries of an archive, after the checks.

    Args:
        file: a zip file.

    Raises:
        PartError: not a zip file, over a cap, a name that leaves the archive, an encrypted entry.
    """

    __slots__ = ("_file", "_infos", "_zip")

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        # zipfile makes an object of every entry of the directory before it can be asked for them
        file.check_count("entries", file.raw.count(_ENTRY), Cap.ARCHIVE_ENTRIES)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(file.raw))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise file.error(f"it is not a zip archive: {error}. Export it again.") from None
        infos = self._zip.infolist()
        total = sum(info.file_size for info in infos)
        file.check_count("bytes unpacked", total, Cap.ARCHIVE_BYTES)
        for info in infos:
            self._check(info)
        self._infos = {info.filename.lstrip("/").lower(): info for info in infos}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries, in lower case, without a leading slash."""
        return tuple(self._infos)

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of an entry, piece by piece, by a name that is not case-sensitive.

        Raises:
            PartError: there is no such entry, or it is damaged.
        """
        info = self._infos.get(name.lstrip("/").lower())
        if info is None:
            raise self._file.error(
                f"it has no entry {name[:100]!r}; it is not 3MF, or incomplete. Export it again.",
                found=name[:100],
            )
        try:
            with self._zip.open(info) as entry:
                left = info.file_size
                while left > 0 and (chunk := entry.read(min(CHUNK, left))):
                    left -= len(chunk)
                    yield chunk
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise self._file.error(
                f"its entry {name[:100]!r} is damaged: {str(error)[:100]}. Export it again."
            ) from None

    def _check(self, info: zipfile.ZipInfo) -> None:
        parts = info.filename.replace("\\", "/").split("/")
        if ".." in parts or "\\" in info.filename or ":" in parts[0]:
            raise self._file.error(
                f"its entry {info.filename[:100]!r} leaves the archive; it is not to be trusted.",
                found=info.filename[:100],
            )
        ratio = info.file_size / max(info.compress_size, 1)
        if info.file_size > SMALL and ratio > Cap.ARCHIVE_RATIO.limit:
            raise self._file.error(
                f"its entry {info.filename[:100]!r} unpacks {ratio:.0f}-fold, from "
                f"{info.compress_size} to {info.file_size} bytes; expected at most "
                f"{Cap.ARCHIVE_RATIO.limit}-fold. It may be a zip bomb; if the file is trusted, "
                f"{Cap.ARCHIVE_RATIO.advice}.",
                found=ratio,
                limit=Cap.ARCHIVE_RATIO.limit,
            )
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self._file.error(
                f"its entry {info.filename[:100]!r} is packed by method {info.compress_type}; "
                "expected deflate, as 3MF demands. Export it again.",
                found=info.compress_type,
            )
        if info.flag_bits & 1:
            raise self._file.error(
                f"its entry {info.filename[:100]!r} is encrypted. Export it without password."
            )


Attributes = dict[str, str]
NESTED = 200  # levels of elements; formats that are read here need a dozen


def scan_xml(
    file: SourceFile,
    chunks: Iterable[bytes],
    place: str,
    *,
    start: Callable[[str, Attributes], None],
    end: Callable[[str], None] | None = None,
    tags: int = 0,
) -> int:
    """Call back for every tag of a document; nothing is kept.

    Args:
        file: it comes from, for messages.
        chunks: of its bytes.
        place: what it is, for messages.
        start: takes the name of an element without its namespace, and its attributes by their
            names without theirs.
        end: takes the name of an element.
        tags: of documents read before; they count for the cap.

    Returns:
        Number of tags so far.

    Raises:
        PartError: not well formed, with a document type, or over a cap.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    names: list[str] = []
    count, limit = tags, Cap.XML_TAGS.limit
    taken = 0  # bytes up to the last tag

    def started(name: str, attributes: Attributes) -> None:
        nonlocal count, taken
        count += 1
        if count > limit:
            file.check_count("tags", count, Cap.XML_TAGS)
        taken = parser.CurrentByteIndex
        local = name.rpartition(" ")[2]
        names.append(local)
        if len(names) > NESTED:
            raise file.error(f"{place} has elements within elements, more than {NESTED} deep.")
        for key in attributes:
            if " " in key:
                attributes = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
                break
        start(local, attributes)

    def ended(name: str) -> None:
        del name
        local = names.pop()
        if end is not None:
            end(local)

    def refused(*_: Any) -> None:
        raise file.error(
            f"{place} has a document type, which could define entities; it is not to be trusted."
        )

    parser.StartElementHandler = started
    parser.EndElementHandler = ended
    parser.StartDoctypeDeclHandler = refused
    fed = 0
    try:
        for chunk in chunks:
            fed += len(chunk)
            parser.Parse(chunk, False)
            if fed - taken - len(chunk) > Cap.GEOMETRY_LINE.limit:
                raise file.error(
                    f"{place} has a tag or text of more than {Cap.GEOMETRY_LINE.limit} bytes; "
                    f"{Cap.GEOMETRY_LINE.advice}."
                )
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise file.error(f"{place} is not well-formed XML: {str(error)[:150]}.") from None
    except (ValueError, LookupError) as error:  # an encoding that is not known
        raise file.error(f"{place} is not well-formed XML: {str(error)[:150]}.") from None
    return count
