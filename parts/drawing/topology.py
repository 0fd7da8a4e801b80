"""Faces, edges and curves of a STEP file as its drawing links to them, in the file's coordinates.

CAD systems hang facts on what a designer clicked: a sheet that was extracted from a solid, the rim
of a bore, the outline of a thread. Here such an item becomes the faces of the geometry that it
stands for, where the file leaves one answer; a drawing is never guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from parts.drawing.instances import (
    Instances,
    Measures,
    UnreadError,
    attribute,
    coordinates,
    record,
    reference,
    references,
)
from parts.geometry.part21 import Instance
from robots.core.arrays import Array, Mask

_MOST_FACES = 5_000  # of a part; larger ones are not searched
_AT_ONCE = 16  # faces that are searched in the time of a link
_FEWEST_CORNERS = 3  # of fewer, another face may have the same
_DIGITS = 6  # of corners, after the point, in the unit of the file
_NEAR = 1e-5  # in the unit of the file: coordinates have ten digits
_PARALLEL = 1e-7  # sine between directions, which have ten digits
ROUND = ("CYLINDRICAL_SURFACE", "CONICAL_SURFACE", "SPHERICAL_SURFACE", "TOROIDAL_SURFACE")


@dataclass(frozen=True, slots=True, eq=False)
class FileSurface:
    """The surface of a face.

    Args:
        kind: "PLANE", "CYLINDRICAL_SURFACE", …
        point: of its placement. # (3,) [file's unit]
        axis: normal of a plane, axis of a round surface, unit. # (3,)
        radius: of a cylinder or sphere; zero for planes. [file's unit]
    """

    kind: str
    point: Array
    axis: Array
    radius: float

    def offset(self, point: Array) -> float:
        """Distance of a point from the plane, or from the axis. [file's unit]."""
        apart = point - self.point
        if self.kind == "PLANE":
            return abs(float(apart @ self.axis))
        return float(np.linalg.norm(np.cross(apart, self.axis)))

    def parallel(self, direction: Array) -> bool:
        """Whether a unit direction is that of the axis, either way."""
        return float(np.linalg.norm(np.cross(self.axis, direction))) < _PARALLEL


@dataclass(frozen=True, slots=True, eq=False)
class FileCurve:
    """A circle, or a piece of a line.

    Args:
        start: centre of the circle, or one end. # (3,) [file's unit]
        end: the other end; the centre of a circle. # (3,) [file's unit]
        axis: of the circle, or direction of the line, unit. # (3,)
        radius: of the circle; zero for a line. [file's unit]
    """

    start: Array
    end: Array
    axis: Array
    radius: float


@dataclass(frozen=True, slots=True, eq=False)
class _Surfaces:
    """Planes and cylinders of many faces.

    Args:
        numbers: of the faces.
        round: whether each is a cylinder. # (n,)
        points: # (n, 3) [file's unit]
        axes: # (n, 3)
        radii: zero for planes. # (n,) [file's unit]
    """

    numbers: list[int]
    round: Mask
    points: Array
    axes: Array
    radii: Array

    def parallel(self, direction: Array) -> Mask:
        """Whether a unit direction is that of each axis, either way. # (n,)."""
        return np.asarray(np.linalg.norm(np.cross(self.axes, direction), axis=1) < _PARALLEL)

    def offsets(self, point: Array) -> Array:
        """Distance of a point from each plane or axis. # (n,) [file's unit]."""
        apart = point - self.points
        heights = np.abs(np.einsum("ni,ni->n", apart, self.axes))
        away = np.linalg.norm(np.cross(apart, self.axes), axis=1)
        return np.asarray(np.where(self.round, away, heights))


_Outline: TypeAlias = "frozenset[str | tuple[float, ...]]"


class Topology:
    """What of a file's shape its drawing links to.

    Args:
        instances: of the file.
        faces: indices into the geometry's faces by the number of the face's statement.
        measures: of the file.
    """

    def __init__(
        self, instances: Instances, faces: Mapping[int, tuple[int, ...]], measures: Measures
    ) -> None:
        self._instances, self._measures = instances, measures
        self._faces = faces if len(faces) <= _MOST_FACES else {}

    @cached_property
    def unit(self) -> float:
        """Metres of the unit of the file's shapes.

        Raises:
            UnreadError: it has none, or several.
        """
        found = set()
        for one in self._instances.every("GLOBAL_UNIT_ASSIGNED_CONTEXT"):
            for unit in references(one.records["GLOBAL_UNIT_ASSIGNED_CONTEXT"]):
                if "LENGTH_UNIT" in self._instances.types(unit):
                    found.add(self._measures.unit(unit).value)
        if len(found) != 1:
            raise UnreadError(f"the shapes of the file have {len(found)} units of length")
        return found.pop()

    # ------------------------------------------------------------------------------ Copies of faces

    def copied(self, sheet: int) -> tuple[int, ...]:
        """The face of the geometry that a face beside it is a copy of; none where none is.

        CAD systems extract a face of a solid as a sheet, and hang tolerances and datums on that.
        The sheet has the corners of the face; or those of its outer bound and as many bounds, where
        corners that were computed twice differ.
        """
        for outlines, outline in (
            (self._by_outline, self._outline(sheet)),
            (self._by_outer_bound, self._outline(sheet, outer=True)),
        ):
            same = outlines.get(outline, ()) if outline else ()
            if len(same) == 1 and self._on_one_surface(sheet, same[0]):
                return self._faces[same[0]]
        return ()

    def corners(self, face: int) -> tuple[tuple[float, float, float], ...]:
        """Corners of a face with one bound of straight edges, in their order. [m].

        Raises:
            UnreadError: it has another form.
        """
        one = self._instances.instance(face)
        bounds = references(attribute(one, record(one, "ADVANCED_FACE", "FACE_SURFACE"), 1))
        edges = self._edges(face)
        ends: list[tuple[tuple[float, ...], ...]] = []
        for edge in edges:
            curve = self._instances.instance(self._below([edge], "EDGE_CURVE", 3)[0])
            if "LINE" not in curve.records:
                raise UnreadError(f"face #{face} has an edge that is not straight")
            vertices = [self._below([edge], "EDGE_CURVE", at)[0] for at in (1, 2)]
            ends.append(tuple(self._points(vertices)))
        if len(bounds) != 1 or len(ends) < _FEWEST_CORNERS:
            raise UnreadError(f"face #{face} is not bounded by one polygon")
        ring = [
            next((p for p in here if p in there), None)
            for here, there in zip(ends, ends[1:] + ends[:1], strict=True)
        ]
        found = []
        for corner in ring:
            if corner is None:
                raise UnreadError(f"the edges of face #{face} do not meet")
            x, y, z = (self.unit * value for value in corner)
            found.append((x, y, z))
        return tuple(found)

    @cached_property
    def _by_outline(self) -> Mapping[_Outline, list[int]]:
        return self._listed(outer=False)

    @cached_property
    def _by_outer_bound(self) -> Mapping[_Outline, list[int]]:
        return self._listed(outer=True)

    def _listed(self, *, outer: bool) -> Mapping[_Outline, list[int]]:
        found: dict[_Outline, list[int]] = defaultdict(list)
        for face in self._faces:
            if outline := self._outline(face, outer=outer):
                found[outline].append(face)
        return found

    def _outline(self, face: int, *, outer: bool = False) -> _Outline:
        """Type of a face's surface and the corners of its edges; empty where it is not understood.

        Args:
            face: its number.
            outer: whether only its outer bound is asked for.
        """
        try:
            one = self._instances.instance(face)
            values = record(one, "ADVANCED_FACE", "FACE_SURFACE")
            surface = reference(one, values, 2)
            edges = self._edges(face, outer=outer)
            vertices = self._below(edges, "EDGE_CURVE", 1) + self._below(edges, "EDGE_CURVE", 2)
            corners = frozenset(self._points(list(dict.fromkeys(vertices))))
        except UnreadError:
            return frozenset()
        if len(corners) < _FEWEST_CORNERS:
            return frozenset()
        bounds = str(len(references(values[1]))) if outer else ""
        return frozenset((min(self._instances.types(surface)), bounds, *corners))

    def _on_one_surface(self, first: int, second: int) -> bool:
        """Whether two faces lie on one surface; true where their kind of surface is not known."""
        try:
            one, other = self.surface(first), self.surface(second)
        except UnreadError:
            return True  # all corners agree, on surfaces of one type
        return (
            one.parallel(other.axis)
            and one.offset(other.point) < _NEAR
            and abs(one.radius - other.radius) < _NEAR
        )

    # ---------------------------------------------------------------------------- Edges and curves

    def beside(self, edge: int) -> list[int]:
        """Numbers of the geometry's faces that meet at an edge."""
        return self._by_edge.get(edge, [])

    def indices(self, faces: list[int]) -> tuple[int, ...]:
        """The geometry's faces by their numbers."""
        return tuple(index for face in faces for index in self._faces[face])

    def surface(self, face: int) -> FileSurface:
        """The surface of a face.

        Raises:
            UnreadError: it is neither a plane nor a round one.
        """
        one = self._instances.instance(face)
        surface = self._instances.instance(
            reference(one, record(one, "ADVANCED_FACE", "FACE_SURFACE"), 2)
        )
        for kind in ("PLANE", *ROUND):
            if kind in surface.records:
                values = surface.records[kind]
                point, axis = self._placement(reference(surface, values, 1))
                radius = values[2] if len(values) > 2 else 0.0
                size = float(radius) if isinstance(radius, int | float) else 0.0
                return FileSurface(kind, point, axis, size)
        raise UnreadError(f"face #{face} is neither plane nor round")

    def curve(self, item: int) -> FileCurve:
        """A circle or line: of an edge, by itself, trimmed, or the one circle of a set.

        Raises:
            UnreadError: it is none of these.
        """
        one = self._instances.instance(item)
        if "EDGE_CURVE" in one.records:
            return self.curve(reference(one, one.records["EDGE_CURVE"], 3))
        if "GEOMETRIC_CURVE_SET" in one.records:
            members = references(attribute(one, one.records["GEOMETRIC_CURVE_SET"], 1))
            circles = [found for found in map(self.curve, members) if found.radius > 0.0]
            if len(circles) != 1:
                raise UnreadError(f"curves #{item} have {len(circles)} circles")
            return circles[0]
        if "TRIMMED_CURVE" in one.records:
            return self._trimmed(one)
        if "CIRCLE" in one.records:
            values = one.records["CIRCLE"]
            point, axis = self._placement(reference(one, values, 1))
            radius = attribute(one, values, 2)
            if isinstance(radius, int | float) and radius > 0.0:
                return FileCurve(point, point, axis, float(radius))
        raise UnreadError(f"curve #{item} is neither a line nor a circle")

    def around(self, circle: FileCurve) -> list[int]:
        """Faces of the one cylinder about a circle, which lies between its ends; none for several.

        Halves of a bore are one cylinder.
        """
        faces = self._surfaces
        self._instances.step(1 + len(faces.numbers) // _AT_ONCE)
        coaxial = faces.parallel(circle.axis) & (faces.offsets(circle.start) < _NEAR)
        rows = [
            row
            for row in np.flatnonzero(faces.round & coaxial)
            if self._spans(faces.numbers[row], circle.axis, circle.start, circle.end)
        ]
        radii = {round(float(faces.radii[row]), _DIGITS) for row in rows}
        return [faces.numbers[row] for row in rows] if len(radii) == 1 else []

    def under(self, line: FileCurve) -> list[int]:
        """The one face that a piece of a line lies on; none where there are several."""
        faces = self._surfaces
        self._instances.step(1 + len(faces.numbers) // _AT_ONCE)
        starts, ends = faces.offsets(line.start), faces.offsets(line.end)
        flat = ~faces.round & (starts < _NEAR) & (ends < _NEAR)
        along = faces.round & faces.parallel(line.axis) & (np.abs(starts - faces.radii) < _NEAR)
        found = [faces.numbers[row] for row in np.flatnonzero(flat | along)]
        one = found if len(found) == 1 else []
        return [face for face in one if self._spans(face, line.axis, line.start, line.end)]

    @cached_property
    def _by_edge(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for face in self._faces:
            try:
                for edge in dict.fromkeys(self._edges(face)):
                    found[edge].append(face)
            except UnreadError:
                continue  # a face of triangles
        return found

    @cached_property
    def _surfaces(self) -> _Surfaces:
        """Planes and cylinders of the geometry's faces."""
        numbers: list[int] = []
        found: list[FileSurface] = []
        for face in self._faces:
            try:
                surface = self.surface(face)
            except UnreadError:
                continue  # freeform
            if surface.kind in ("PLANE", "CYLINDRICAL_SURFACE"):
                numbers.append(face)
                found.append(surface)
        return _Surfaces(
            numbers=numbers,
            round=np.array([one.kind != "PLANE" for one in found], dtype=bool),
            points=np.reshape([one.point for one in found], (len(found), 3)),
            axes=np.reshape([one.axis for one in found], (len(found), 3)),
            radii=np.array([one.radius for one in found], dtype=np.float64),
        )

    def _spans(self, face: int, axis: Array, *points: Array) -> bool:
        """Whether points lie between the corners of a face, along an axis."""
        edges = self._edges(face)
        vertices = self._below(edges, "EDGE_CURVE", 1) + self._below(edges, "EDGE_CURVE", 2)
        heights = [float(np.array(p) @ axis) for p in self._points(list(dict.fromkeys(vertices)))]
        if not heights:
            return False
        low, high = min(heights) - _NEAR, max(heights) + _NEAR
        return all(low <= float(point @ axis) <= high for point in points)

    def _trimmed(self, one: Instance) -> FileCurve:
        values = one.records["TRIMMED_CURVE"]
        basis = self._instances.instance(reference(one, values, 1))
        if "CIRCLE" in basis.records:
            return self.curve(basis.identity)
        line = record(basis, "LINE")
        if "LINE" not in basis.records:
            raise UnreadError(f"curve #{basis.identity} is neither a line nor a circle")
        start = np.array(coordinates(self._instances.instance(reference(basis, line, 1))))
        vector = self._instances.instance(reference(basis, line, 2))
        along = record(vector, "VECTOR")
        axis = self._direction(reference(vector, along, 1))
        scale = attribute(vector, along, 2)
        ends = []
        for at in (2, 3):
            trim = attribute(one, values, at)
            if points := references(trim):
                ends.append(np.array(coordinates(self._instances.instance(points[0]))))
                continue
            first = trim[0] if isinstance(trim, tuple) and trim else None
            inner = getattr(first, "value", None)
            number = inner[0] if isinstance(inner, tuple) and len(inner) == 1 else None
            if not isinstance(number, int | float) or not isinstance(scale, int | float):
                raise UnreadError(f"the ends of curve #{one.identity} are not understood")
            ends.append(start + float(number) * float(scale) * axis)
        return FileCurve(ends[0], ends[1], axis, 0.0)

    # ---------------------------------------------------------------------------- What they are of

    def _edges(self, face: int, *, outer: bool = False) -> list[int]:
        """Numbers of the edges of a face."""
        one = self._instances.instance(face)
        bounds = references(attribute(one, record(one, "ADVANCED_FACE", "FACE_SURFACE"), 1))
        if outer:
            bounds = [b for b in bounds if "FACE_OUTER_BOUND" in self._instances.types(b)]
        loops = self._below(bounds, "FACE_BOUND", 1)
        return self._below(self._below(loops, "EDGE_LOOP", 1), "ORIENTED_EDGE", 3)

    def _points(self, vertices: list[int]) -> Iterator[tuple[float, ...]]:
        for point in self._below(vertices, "VERTEX_POINT", 1):
            yield coordinates(self._instances.instance(point), _DIGITS)

    def _placement(self, identity: int) -> tuple[Array, Array]:
        """Origin and z axis."""
        one = self._instances.instance(identity)
        at = 0 if "PLACEMENT" in one.records else 1
        values = record(one, "PLACEMENT", "AXIS2_PLACEMENT_3D")
        point = np.array(coordinates(self._instances.instance(reference(one, values, at))))
        axes = one.records.get("AXIS2_PLACEMENT_3D", ())
        return point, self._direction(reference(one, axes, 0 if at == 0 else 2))

    def _direction(self, identity: int) -> Array:
        one = self._instances.instance(identity)
        ratios = attribute(one, record(one, "DIRECTION"), -1)
        values = ratios if isinstance(ratios, tuple) else ()
        vector = np.array([float(v) for v in values if isinstance(v, int | float)])
        length = float(np.linalg.norm(vector))
        if vector.shape != (3,) or not np.isfinite(length) or not length > 0.0:
            raise UnreadError(f"#{identity} is no direction in space")
        return np.asarray(vector / length)

    def _below(self, owners: list[int], kind: str, place: int) -> list[int]:
        """What an attribute of some instances refers to."""
        found: list[int] = []
        for owner in owners:
            one = self._instances.instance(owner)
            found += references(attribute(one, record(one, kind), place))
        return found
