"""What the facts of a drawing hold of: from the shape aspects of a STEP file to its faces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from parts.drawing.instances import (
    Instances,
    UnreadError,
    attribute,
    coordinates,
    record,
    reference,
    references,
    words,
)

SIZES = (
    "DIMENSIONAL_SIZE",
    "ANGULAR_SIZE",
    "DIMENSIONAL_SIZE_WITH_PATH",
    "DIMENSIONAL_SIZE_WITH_DATUM_FEATURE",
)
_FACES = ("ADVANCED_FACE", "FACE_SURFACE", "TRIANGULATED_FACE", "COMPLEX_TRIANGULATED_FACE")
_WHOLE = ("PRODUCT_DEFINITION_SHAPE", "ALL_OVER_SHAPE_ASPECT")


@dataclass(slots=True)
class Target:
    """What a fact holds of.

    Args:
        faces: indices into the geometry's faces, in the order of the links.
        others: what it is linked to beside faces, in words.
        all_around: whether one of its aspects says so.
        whole_part: whether it is the whole part.
    """

    faces: dict[int, None] = field(default_factory=dict)
    others: dict[str, None] = field(default_factory=dict)
    all_around: bool = False
    whole_part: bool = False


class Targets:
    """Targets of the facts of one file.

    Args:
        instances: of the file.
        faces: indices into the geometry's faces by the number of the face's statement.
    """

    def __init__(self, instances: Instances, faces: Mapping[int, tuple[int, ...]]) -> None:
        self._instances = instances
        self._faces = faces
        self._items = instances.links(
            2, 4, "ITEM_IDENTIFIED_REPRESENTATION_USAGE", "GEOMETRIC_ITEM_SPECIFIC_USAGE"
        )
        self._parts = instances.links(
            2, 3, "SHAPE_ASPECT_RELATIONSHIP", "SHAPE_ASPECT_DERIVING_RELATIONSHIP"
        )
        self._by_outline: dict[_Outline, list[int]] | None = None

    def parts(self, aspect: int) -> list[int]:
        """Aspects that an aspect is composed of, derived from, or establishes."""
        return self._parts.get(aspect, [])

    def holds(self, *aspects: int) -> Target:
        """What some aspects are, together; there may be no face among it.

        Raises:
            UnreadError: a link is dangling, or a face is not identified in the geometry.
        """
        found = Target()
        visited: set[int] = set()
        waiting = list(reversed(aspects))
        while waiting:
            one = waiting.pop()
            if one not in visited:
                visited.add(one)
                self._step_into(one, found, waiting)
        return found

    def faces(self, aspect: int) -> Target:
        """What an aspect is, which must be faces.

        Raises:
            UnreadError: it has none, or as ``holds``.
        """
        found = self.holds(aspect)
        if found.whole_part and not found.faces:
            rows = [index for rows in self._faces.values() for index in rows]
            found.faces = dict.fromkeys(sorted(rows))
        if not found.faces and found.others:
            raise UnreadError(f"it is linked to no face but to {' and '.join(found.others)}")
        if not found.faces:
            raise UnreadError("it is linked to no face")
        return found

    def _step_into(self, aspect: int, found: Target, waiting: list[int]) -> None:
        types = self._instances.types(aspect)
        self._instances.step()
        if not types:
            raise UnreadError(f"it is linked to #{aspect}, which is not in the file")
        if "BETWEEN_SHAPE_ASPECT" in types:
            raise UnreadError("it holds between two limits on a surface, which is not read")
        found.all_around |= "ALL_AROUND_SHAPE_ASPECT" in types
        found.whole_part |= not types.isdisjoint(_WHOLE)
        if not types.isdisjoint(SIZES) and "DIMENSIONAL_SIZE_WITH_DATUM_FEATURE" not in types:
            one = self._instances.instance(aspect)  # a tolerance of a size is one of its feature
            waiting.append(reference(one, record(one, *SIZES), 0))
        for item in self._items.get(aspect, ()):
            self._add_item(item, found)
        for part in reversed(self._parts.get(aspect, [])):
            self._instances.step()
            if "DATUM" not in self._instances.types(part):
                waiting.append(part)

    def _add_item(self, item: int, found: Target) -> None:
        self._instances.step()
        types = self._instances.types(item)
        if not types:
            raise UnreadError(f"it is linked to #{item}, which is not in the file")
        if types.isdisjoint(_FACES):
            found.others.setdefault(words(min(types)))
        elif rows := self._faces.get(item) or self._copied(item):
            found.faces.update(dict.fromkeys(rows))
        else:
            raise UnreadError(f"it is linked to face #{item}, which is not in the geometry")

    # ----------------------------------------------------------------------------- Copies of faces

    def _copied(self, sheet: int) -> tuple[int, ...]:
        """The face of the geometry that a face beside it is a copy of; none where none is.

        CAD systems extract a face of a solid as a sheet, and hang tolerances and datums on that.
        """
        if self._by_outline is None:
            self._by_outline = defaultdict(list)
            for face in self._faces if len(self._faces) <= _MOST_OUTLINES else ():
                if outline := self._outline(face):
                    self._by_outline[outline].append(face)
        same = self._by_outline.get(self._outline(sheet), [])
        return self._faces[same[0]] if len(same) == 1 else ()

    def _outline(self, face: int) -> _Outline:
        """Type of a face's surface and the corners of its edges; empty where it is not understood.

        Args:
            face: its number.
        """
        try:
            one = self._instances.instance(face)
            values = record(one, "ADVANCED_FACE", "FACE_SURFACE")
            surface = reference(one, values, 2)
            bounds = references(attribute(one, values, 1))
            loops = self._below(bounds, "FACE_BOUND", 1)
            edges = self._below(self._below(loops, "EDGE_LOOP", 1), "ORIENTED_EDGE", 3)
            vertices = self._below(edges, "EDGE_CURVE", 1) + self._below(edges, "EDGE_CURVE", 2)
            corners = frozenset(
                coordinates(self._instances.instance(point), _CORNER_DIGITS)
                for point in self._below(list(dict.fromkeys(vertices)), "VERTEX_POINT", 1)
            )
        except UnreadError:
            return frozenset()
        if len(corners) < _FEWEST_CORNERS:
            return frozenset()
        return frozenset((min(self._instances.types(surface)), *corners))

    def _below(self, owners: list[int], kind: str, place: int) -> list[int]:
        """What an attribute of some instances refers to."""
        found: list[int] = []
        for owner in owners:
            one = self._instances.instance(owner)
            found += references(attribute(one, record(one, kind), place))
        return found


_Outline: TypeAlias = "frozenset[str | tuple[float, ...]]"
_MOST_OUTLINES = 5_000  # faces of a part; of larger ones no copy is looked for
_FEWEST_CORNERS = 3  # of fewer, another face may have the same
_CORNER_DIGITS = 6  # after the point, in the unit of the file
