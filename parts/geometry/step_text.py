"""Facts of a STEP file outside its geometry, and its text without the presentation.

The translator drops the names of faces and which of them make a solid; and it describes faces by
their surfaces only where the whole body has one style. So the statements of the file are read here
too: which faces belong to which shell, solid or sheet, of what kind and size they are, what their
names are. Statements about styles, layers and visibility are taken out before translating.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from parts.geometry.part21 import (
    UNIT_NAMES,
    UNIT_ROUNDING,
    Statement,
    decoded,
    statements,
    without_strings,
)
from parts.geometry.source_file import METRES, SourceFile
from robots.core.arrays import Indices
from robots.core.caps import Cap

_REFERENCE = re.compile(rb"#(\d++)")
_STRING = re.compile(rb"'((?:[^']++|'')*+)'")
_METRIC = re.compile(rb"SI_UNIT\s*+\(\s*+(\$|\.\w++\.)\s*+,\s*+\.METRE\.\s*+\)")
_CONVERTED = re.compile(rb"CONVERSION_BASED_UNIT\s*+\(\s*+''\s*+,\s*+#(\d++)")
_NUMBER = re.compile(rb"(?<![#\w.])[-+]?\d++(?:\.\d*+)?(?:[eE][-+]?\d++)?")

PRESENTATION = frozenset(
    (
        b"STYLED_ITEM",
        b"OVER_RIDING_STYLED_ITEM",
        b"CONTEXT_DEPENDENT_OVER_RIDING_STYLED_ITEM",
        b"PRESENTATION_LAYER_ASSIGNMENT",
        b"PRESENTATION_LAYER_USAGE",
        b"PRESENTATION_STYLE_BY_CONTEXT",
        b"INVISIBILITY",
        b"CONTEXT_DEPENDENT_INVISIBILITY",
        b"MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION",
        b"MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_AREA",
        b"MECHANICAL_DESIGN_SHADED_PRESENTATION_REPRESENTATION",
        b"MECHANICAL_DESIGN_PRESENTATION_REPRESENTATION_WITH_DRAUGHTING",
        b"DRAUGHTING_MODEL",
    )
)
_SURFACES = {
    b"PLANE": "plane",
    b"CYLINDRICAL_SURFACE": "cylinder",
    b"CONICAL_SURFACE": "cone",
    b"SPHERICAL_SURFACE": "sphere",
    b"TOROIDAL_SURFACE": "torus",
    b"DEGENERATE_TOROIDAL_SURFACE": "torus",
}
_FACES = (b"ADVANCED_FACE", b"FACE_SURFACE")
_TRIANGULATED = (b"TRIANGULATED_FACE", b"COMPLEX_TRIANGULATED_FACE")
_SHELLS = (b"CLOSED_SHELL", b"OPEN_SHELL", b"CONNECTED_FACE_SET", b"TESSELLATED_SHELL")
_TURNED = (b"ORIENTED_CLOSED_SHELL", b"ORIENTED_OPEN_SHELL")
_SOLIDS = (b"MANIFOLD_SOLID_BREP", b"FACETED_BREP", b"BREP_WITH_VOIDS", b"TESSELLATED_SOLID")
_SHEETS = (b"SHELL_BASED_SURFACE_MODEL", b"FACE_BASED_SURFACE_MODEL")
_KEPT = frozenset((*_FACES, *_TRIANGULATED, *_SHELLS, *_TURNED, *_SOLIDS, *_SHEETS))
_PREFIXES = {b"$": 1.0, b".MILLI.": 1e-3, b".CENTI.": 1e-2, b".MICRO.": 1e-6}
_UNIT_NAME = re.compile(rb"CONVERSION_BASED_UNIT\s*\(\s*'([^']*)'")
_CONVERSIONS = 4  # of a unit into another, into another …
_NAMELESS = ("", "NONE")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFace:
    """A face as the text describes it.

    Args:
        name: the file's own; empty where it has none.
        kind: as in ``Face``.
        sizes: radii and angle of its surface, as they stand in the file.
        origin: of its surface, as it stands in the file; empty for what is not analytic.
        identity: number of its statement.
    """

    name: str
    kind: str
    sizes: tuple[float, ...] = ()
    origin: tuple[float, ...] = ()
    identity: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepShell:
    """A shell, whose faces the translator keeps together and in order.

    Args:
        faces: in the order of the file.
        solid: whether it bounds a solid.
    """

    faces: tuple[StepFace, ...]
    solid: bool

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of its faces."""
        return tuple(face.kind for face in self.faces)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepText:
    """The text of a file.

    Args:
        shells: those of solids and surface models.
        unit: of length; empty where it is not found.
        extent: largest extent of its vertices, roughly the size of the part. [m]
        plain: its bytes without statements about presentation.
    """

    shells: tuple[StepShell, ...]
    unit: str
    extent: float
    plain: bytes

    @property
    def has_sheets(self) -> bool:
        """Whether some of its shells do not bound a solid."""
        return not all(shell.solid for shell in self.shells)


def step_text(file: SourceFile) -> StepText:
    """Read the statements of a STEP file.

    Raises:
        PartError: over a cap.
    """
    found, most = _Statements(), min(Cap.STEP_FACES.limit, Cap.STEP_STATEMENTS.limit)
    dropped: list[tuple[int, int]] = []
    for count, one in enumerate(statements(file), start=1):
        if count > most:
            file.check_count("statements", count, Cap.STEP_STATEMENTS)
        if one.keywords & PRESENTATION:
            dropped.append((one.start, one.end))
            continue
        found.take(one)
        if count > most:
            file.check_count("faces, shells and units", len(found), Cap.STEP_FACES)
    unit = found.unit(file)
    extent = found.extent() * METRES.get(unit, 1e-3)
    return StepText(
        shells=tuple(found.shells()),
        unit=unit,
        extent=extent if 0.0 < extent < 1e6 else 0.0,
        plain=_without(file.raw, dropped),
    )


def _without(raw: bytes, spans: list[tuple[int, int]]) -> bytes:
    if not spans:
        return raw
    kept: list[bytes] = []
    place = 0
    for start, end in spans:
        kept.append(raw[place:start])
        place = end
    return b"".join((*kept, raw[place:]))


@dataclass(slots=True)
class _Statements:
    """The statements that faces need, by identity; points and numbers as arrays."""

    kept: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)
    surfaces: dict[int, tuple[bytes, bytes]] = field(default_factory=dict)
    units: dict[int, bytes] = field(default_factory=dict)
    unit_names: dict[int, str] = field(default_factory=dict)
    contexts: dict[int, list[int]] = field(default_factory=dict)
    models: list[list[int]] = field(default_factory=list)  # items of representations, then context
    placements: _Rows = field(default_factory=lambda: _Rows("q"))  # their points
    points: _Rows = field(default_factory=lambda: _Rows("d"))  # their coordinates
    vertices: array[int] = field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        return len(self.kept) + len(self.surfaces) + len(self.units) + len(self.models)

    def take(self, one: Statement) -> None:
        """Keep what faces need of a statement."""
        keyword = next(iter(one.keywords & _KEPT), b"")
        if keyword:
            self.kept[one.identity] = (keyword, one.body)
            return
        keyword = next(iter(one.keywords & _SURFACES.keys()), b"")
        if keyword:
            self.surfaces[one.identity] = (keyword, one.body)
            return
        if b"CARTESIAN_POINT" in one.keywords:
            self._take_point(one)
        elif b"VERTEX_POINT" in one.keywords:
            self.vertices.extend(_references(one.plain)[:1])
        elif b"AXIS2_PLACEMENT_3D" in one.keywords:
            self.placements.add(one.identity, *_references(one.plain)[:1])
        elif b"LENGTH_UNIT" in one.keywords or b"LENGTH_MEASURE" in one.body:
            self.units[one.identity] = one.plain
            if name := _UNIT_NAME.search(one.body):
                self.unit_names[one.identity] = name[1].decode("latin-1")
        elif b"GLOBAL_UNIT_ASSIGNED_CONTEXT" in one.keywords:
            self.contexts[one.identity] = _references(one.plain)
        elif any(keyword.endswith(b"SHAPE_REPRESENTATION") for keyword in one.keywords):
            self.models.append(_references(one.plain))

    def _take_point(self, one: Statement) -> None:
        try:
            point = tuple(map(float, one.plain.rpartition(b"(")[2].rstrip(b" )").split(b",", 3)))
        except ValueError:
            return  # the translator refuses it
        if len(point) == 3:
            self.points.add(one.identity, *point)

    def unit(self, file: SourceFile) -> str:
        """Length unit of the solids and surfaces; of anything where there are none.

        Raises:
            PartError: its name and its size contradict each other.
        """
        shaped = [
            found[-1]
            for found in self.models
            if any(self.kept.get(one, (b"",))[0] in _SOLIDS + _SHEETS for one in found)
        ]
        for context in (*shaped, *self.contexts):
            for one in self.contexts.get(context, ()):
                if one in self.units and (metres := self._metres(one)):
                    name = self.unit_names.get(one, "")
                    if abs(metres / UNIT_NAMES.get(name.upper(), metres) - 1) > UNIT_ROUNDING:
                        raise file.error(
                            f"its unit of length, #{one}, is called {name!r} but is {metres:.7g} "
                            "m; correct it where the file was made.",
                            found=metres,
                        )
                    return next((u for u, m in METRES.items() if abs(m / metres - 1) < 1e-6), "")
        return ""

    def _metres(self, identity: int) -> float:
        """Metres of a unit, which may be so many of another; 0 for one that is not known."""
        factor = 1.0
        for _ in range(_CONVERSIONS):
            body = self.units.get(identity, b"")
            metric, other = _METRIC.search(body), _CONVERTED.search(body)
            if metric:
                return factor * _PREFIXES.get(metric[1], 0.0)
            measure = self.units.get(int(other[1][:18]), b"") if other else b""
            number, base = _NUMBER.search(measure), _references(measure)
            if not number or not base:
                break
            factor, identity = factor * float(number[0]), base[0]
        return 0.0

    def extent(self) -> float:
        """Largest extent of the vertices, in the file's unit; 0 where there are none."""
        points = np.frombuffer(self.points.values, dtype=np.float64).reshape(-1, 3)
        used = np.isin(np.frombuffer(self.points.identities, dtype=np.int64), self.vertices)
        points = points[used & np.isfinite(points).all(axis=1)]
        return float(np.ptp(points, axis=0).max()) if len(points) else 0.0

    def shells(self) -> Iterator[StepShell]:
        """Shells of solids and of surface models; those that nothing names are not translated."""
        for keyword, body in list(self.kept.values()):
            solid = keyword in _SOLIDS
            if not solid and keyword not in _SHEETS:
                continue
            for shell in self._shells_in(body, keyword):
                faces = tuple(self._face(one) for one in shell)
                if faces:
                    yield StepShell(faces=faces, solid=solid)
        tessellated = [body for kind, body in self.kept.values() if kind == b"TESSELLATED_SOLID"]
        yield from self._loose_tessellated(tessellated)

    def _shells_in(self, body: bytes, keyword: bytes) -> Iterator[list[int]]:
        """Faces of every shell that a solid or surface model names."""
        if keyword == b"TESSELLATED_SOLID":  # it lists its faces itself
            yield [one for one in _references(body) if self._is_face(one)]
            return
        for one in _references(body):
            kind, inner = self.kept.get(one, (b"", b""))
            if kind in _TURNED:
                kind, inner = next(
                    (self.kept[two] for two in _references(inner) if self._is_shell(two)),
                    (b"", b""),
                )
            if kind in _SHELLS:
                yield [two for two in _references(inner) if self._is_face(two)]

    def _loose_tessellated(self, solids: list[bytes]) -> Iterator[StepShell]:
        inside = {one for body in solids for one in _references(body)}
        for keyword, body in list(self.kept.values()):
            if keyword == b"TESSELLATED_SHELL":
                rows = [one for one in _references(body) if self._is_face(one)]
                if rows and not inside.issuperset(rows):
                    yield StepShell(faces=tuple(map(self._face, rows)), solid=False)

    def _is_face(self, identity: int) -> bool:
        kind = self.kept.get(identity, (b"", b""))[0]
        return kind in _FACES or kind in _TRIANGULATED

    def _is_shell(self, identity: int) -> bool:
        return self.kept.get(identity, (b"", b""))[0] in _SHELLS

    def _face(self, identity: int) -> StepFace:
        keyword, body = self.kept[identity]
        text = _STRING.search(body)
        name = _face_name(text[1]) if text else ""
        if keyword in _TRIANGULATED:
            return StepFace(name=name, kind="facets", identity=identity)
        references = _references(without_strings(body))
        surface = next((one for one in reversed(references) if one in self.surfaces), None)
        if surface is None or surface != references[-1]:
            return StepFace(name=name, kind="freeform", identity=identity)
        keyword, body = self.surfaces[surface]
        numbers = without_strings(body)
        return StepFace(
            name=name,
            kind=_SURFACES[keyword],
            sizes=tuple(float(one) for one in _NUMBER.findall(numbers)),
            origin=self._origin(numbers),
            identity=identity,
        )

    def _origin(self, surface: bytes) -> tuple[float, ...]:
        """Coordinates of the point of a surface's placement; none where there is none."""
        for one in _references(surface):
            for point in self.placements.found(one):
                return tuple(self.points.found(int(point)))
        return ()


class _Rows:
    """Many short rows of numbers by identity, without an object for each.

    Args:
        kind: of ``array``.
    """

    __slots__ = ("_order", "identities", "values")

    def __init__(self, kind: str) -> None:
        self.identities: array[int] = array("q")
        self.values: array[Any] = array(kind)
        self._order: Indices = np.zeros(0, dtype=np.int64)

    def add(self, identity: int, *row: float) -> None:
        """Add a row; all must be of one length."""
        if row:
            self.identities.append(identity)
            self.values.extend(row)

    def found(self, identity: int) -> list[float]:
        """The row of an identity; nothing where there is none."""
        identities = np.frombuffer(self.identities, dtype=np.int64)
        if len(self._order) != len(identities):
            self._order = np.argsort(identities, kind="stable")
        place = int(np.searchsorted(identities, identity, sorter=self._order))
        if place == len(identities) or identities[self._order[place]] != identity:
            return []
        width, row = len(self.values) // len(identities), int(self._order[place])
        return list(self.values[width * row : width * (row + 1)])


def _references(body: bytes) -> list[int]:
    return [int(one[:18]) for one in _REFERENCE.findall(body)]


def _face_name(raw: bytes) -> str:
    """A string as the name of a face."""
    name = decoded(raw[:2000]).strip()[:100]
    return "" if name.upper() in _NAMELESS else name
