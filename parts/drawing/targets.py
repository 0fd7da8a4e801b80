"""What the facts of a drawing hold of: from the shape aspects of a STEP file to its faces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from parts.drawing.instances import Instances, UnreadError, record, reference, words
from parts.drawing.topology import ROUND, FileCurve, Topology

SIZES = (
    "DIMENSIONAL_SIZE",
    "ANGULAR_SIZE",
    "DIMENSIONAL_SIZE_WITH_PATH",
    "DIMENSIONAL_SIZE_WITH_DATUM_FEATURE",
)
_SAME = 1e-4  # relative: nominal values are written with few digits
_FACES = ("ADVANCED_FACE", "FACE_SURFACE", "TRIANGULATED_FACE", "COMPLEX_TRIANGULATED_FACE")
_WHOLE = ("PRODUCT_DEFINITION_SHAPE", "ALL_OVER_SHAPE_ASPECT")


FacesOfCurves: TypeAlias = Callable[[list[int]], list[int]]
# numbers of the faces that curves stand for, by their numbers; none where that is not sure


@dataclass(slots=True)
class Target:
    """What a fact holds of.

    Args:
        faces: indices into the geometry's faces, in the order of the links.
        others: what it is linked to beside faces, in words by its number.
        sheets: faces that are not in the geometry, nor copies of ones that are.
        all_around: whether one of its aspects says so.
        whole_part: whether it is the whole part.
    """

    faces: dict[int, None] = field(default_factory=dict)
    others: dict[int, str] = field(default_factory=dict)
    sheets: dict[int, None] = field(default_factory=dict)
    all_around: bool = False
    whole_part: bool = False


class Targets:
    """Targets of the facts of one file.

    Args:
        instances: of the file.
        faces: indices into the geometry's faces by the number of the face's statement.
        topology: of these faces.
    """

    def __init__(
        self, instances: Instances, faces: Mapping[int, tuple[int, ...]], topology: Topology
    ) -> None:
        self._instances = instances
        self._faces = faces
        self.topology = topology
        self._items = instances.links(
            2, 4, "ITEM_IDENTIFIED_REPRESENTATION_USAGE", "GEOMETRIC_ITEM_SPECIFIC_USAGE"
        )
        self._parts = instances.links(
            2, 3, "SHAPE_ASPECT_RELATIONSHIP", "SHAPE_ASPECT_DERIVING_RELATIONSHIP"
        )

    def parts(self, aspect: int) -> list[int]:
        """Aspects that an aspect is composed of, derived from, or establishes."""
        return self._parts.get(aspect, [])

    def holds(self, *aspects: int) -> Target:
        """What some aspects are, together; there may be no face among it.

        Raises:
            UnreadError: a link is dangling, or a face is not identified in the geometry.
        """
        found = self.linked(*aspects)
        if found.sheets:
            face = next(iter(found.sheets))
            raise UnreadError(f"it is linked to face #{face}, which is not in the geometry")
        return found

    def linked(self, *aspects: int) -> Target:
        """What some aspects are, together, sheets beside the geometry included.

        Raises:
            UnreadError: a link is dangling.
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

    def faces(self, aspect: int, curves: FacesOfCurves | None = None) -> Target:
        """What an aspect is, which must be faces.

        Args:
            aspect: its number.
            curves: which faces curves stand for, where it is linked to no face.

        Raises:
            UnreadError: it has none, or as ``holds``.
        """
        found = self.holds(aspect)
        if found.whole_part and not found.faces:
            rows = [index for rows in self._faces.values() for index in rows]
            found.faces = dict.fromkeys(sorted(rows))
        if not found.faces and found.others and curves is not None:
            found.faces = dict.fromkeys(self.topology.indices(curves(list(found.others))))
        if not found.faces:
            raise UnreadError(no_face(found))
        return found

    # ------------------------------------------------------------------- What curves stand for

    def of_rims(self, size: float) -> FacesOfCurves:
        """Round faces at rims of a diameter: of bores, or of cones, but not of either.

        Args:
            size: diameter of the rims. [m]
        """

        def faces(rims: list[int]) -> list[int]:
            found: list[int] = []
            for rim in rims:
                circle = self._curve(rim)
                held = [face for face in self.topology.beside(rim) if self._kind(face) in ROUND]
                if circle is None or len(held) != 1 or not self._is(2.0 * circle.radius, size):
                    return []
                found += held
            return found if len({self._kind(face) for face in found}) == 1 else []

        return faces

    def of_outlines(self, items: list[int]) -> list[int]:
        """Bores that circles lie about, as the outlines of threads do; one bore for each."""
        found: list[int] = []
        for item in items:
            circle = self._curve(item)
            held = self.topology.around(circle) if circle is not None and circle.radius else []
            if not held:
                return []
            found += held
        return found

    def of_elements(self, items: list[int]) -> list[int]:
        """The face that pieces of lines lie on."""
        found: dict[int, None] = {}
        for item in items:
            line = self._curve(item)
            held = self.topology.under(line) if line is not None and not line.radius else []
            if not held:
                return []
            found.update(dict.fromkeys(held))
        return list(found) if len(found) == 1 else []

    def between(self, origin: int, end: int, size: float) -> tuple[Target, Target, bool]:
        """Faces that a distance leads between.

        Where an end of it is linked to edges only, these are two parallel planes, the only two so
        far apart of all that meet at the edges; or it leads from a plane to the rims of bores, so
        deep below it.

        Args:
            origin: aspect that it starts from.
            end: aspect that it leads to.
            size: the distance. [m]

        Returns:
            What it starts from, what it leads to, and whether it is the depth of bores.

        Raises:
            UnreadError: the file leaves no answer, or several.
        """
        ends = self.holds(origin), self.holds(end)
        if all(one.faces or one.whole_part for one in ends):
            return self.faces(origin), self.faces(end), False
        refused = UnreadError(no_face(next(one for one in ends if not one.faces)))
        if any(not one.faces and not one.others for one in ends):
            raise refused
        starts, stops = (self._planes(one) for one in ends)
        pairs = [
            (first, second)
            for first in starts
            for second in stops
            if first != second and self._apart(first, second, size)
        ]
        if len(pairs) == 1:
            for one, face in zip(ends, pairs[0], strict=True):
                one.faces = dict.fromkeys(self.topology.indices([face]))
            return *ends, False
        depth = self._deep(starts, ends[1], size) if ends[0].faces and not pairs else []
        if not depth:
            raise refused
        ends[1].faces = dict.fromkeys(self.topology.indices(depth))
        return *ends, True

    def _planes(self, target: Target) -> list[int]:
        """Numbers of the planes that an end of a distance may be."""
        if target.faces:
            linked = target.faces.keys()
            held = [n for n, rows in self._faces.items() if not linked.isdisjoint(rows)]
        else:
            held = [face for edge in target.others for face in self.topology.beside(edge)]
        return [face for face in dict.fromkeys(held) if self._kind(face) == "PLANE"]

    def _apart(self, first: int, second: int, size: float) -> bool:
        one, other = self.topology.surface(first), self.topology.surface(second)
        return one.parallel(other.axis) and self._is(one.offset(other.point), size)

    def _deep(self, planes: list[int], target: Target, size: float) -> list[int]:
        """Cylinders at right angles to a plane whose rims lie in a depth below it."""
        found: list[int] = []
        for rim in target.others:
            circle = self._curve(rim)
            held = [
                face
                for face in self.topology.beside(rim)
                if self._kind(face) == "CYLINDRICAL_SURFACE"
            ]
            if circle is None or not circle.radius or len(held) != 1:
                return []
            for plane in planes:
                surface = self.topology.surface(plane)
                if not surface.parallel(circle.axis):
                    return []
                if not self._is(surface.offset(circle.start), size):
                    return []
            found += held
        return found if planes else []

    def _kind(self, face: int) -> str:
        try:
            return self.topology.surface(face).kind
        except UnreadError:
            return ""

    def _curve(self, item: int) -> FileCurve | None:
        try:
            return self.topology.curve(item)
        except UnreadError:
            return None

    def _is(self, found: float, size: float) -> bool:
        """Whether a length in the file's unit is a size, to the digits that files have."""
        return abs(found * self.topology.unit - size) <= _SAME * size

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
            found.others[item] = words(min(types))
        elif rows := self._faces.get(item) or self.topology.copied(item):
            found.faces.update(dict.fromkeys(rows))
        else:
            found.sheets.setdefault(item)


def no_face(target: Target) -> str:
    """Why something that has no face cannot be taken."""
    if not target.others:
        return "it is linked to no face"
    return f"it is linked to no face but to {' and '.join(dict.fromkeys(target.others.values()))}"
