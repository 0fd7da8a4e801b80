"""Form features of a part, recognised from its faces: holes, bosses, slots, fillets, planes.

A CAD system cuts a bore into two faces, and a plane into as many as grooves leave of it. Faces of
one surface are joined here, and what they are is told by their neighbours: a bore is concave and
goes all round, a fillet runs on smoothly into what it joins, two half-cylinders between two
parallel planes are the ends of a slot. Names are counted in an order of kind, size and position,
never in that of the file, so that they last when the part is exported again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from parts.features.mesh_patch import shared_edges
from parts.features.mesh_regions import mesh_regions
from parts.geometry.geometry import Geometry
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Surface, Torus, across
from robots.core.arrays import Array, Indices, freeze_fields

FORMS = (
    "plane", "hole", "countersink", "boss", "slot", "cylinder", "cone", "sphere", "torus",
    "fillet", "round", "freeform", "facets",
)  # fmt: skip

SAME = 1e-6  # [m], and [rad]: surfaces that differ by less are one
_SAME_AREA = 1e-4  # ratio of areas of planes that are of one size
FITTED = 5e-6  # [m] the same of surfaces that were fitted to the corners of a mesh
_TILTED = 1e-3  # [rad] axes of those that are one: of short cones they are known no better
ALL_ROUND = np.radians(350.0)  # of a bore or a boss; keyways and slits leave that much
HALF_TURN = np.radians(5.0)  # the end of a slot turns by half a turn within this
SMOOTH = np.radians(1.0)  # neighbours that turn by less run on into each other
_SMOOTH_SHARE = 0.45  # of its edge along which a fillet runs on smoothly
_CLOSED = 0.98  # of a bore's section that a bottom covers; facets cover a little less
_REGULAR = 2e-5  # [m] centres of a bolt circle lie this near to it


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FormFeature:
    """A piece of a part that a drawing would give one dimension.

    Args:
        name: unique in its part; counted by kind, size and position, not in the file's order.
        kind: one of ``FORMS``.
        faces: indices into the geometry's faces.
        triangles: rows of its mesh. # (t,)
        surface: that all its faces share; None for slots, free forms and facets.
        area: [m²]
        point: on its axis where a bore opens, else a point of it that stands for it. # (3,) [m]
        axis: unit: out of the opening of a bore, the outward normal of a plane, the axis of what
            is round; NaN where there is none. # (3,)
        diameter: of what is round, width of a slot; NaN where there is none. [m]
        depth: along the axis; of a slot its whole length, across the axis; NaN. [m]
        span: angle that a cylinder covers. [rad]
        inner: whether the material is outside, as around a bore.
        through: of a bore: whether both its ends are open; None for all else.
        opening: "countersunk" or "counterbored" where a cone or a wider bore opens it.
        neighbours: names of the features that share an edge with it.
        deflection: the farthest that its triangles lie from its surface. [m]
        residual: the farthest that corners of a mesh lie from the surface found in it; NaN where a
            CAD file states the surface. [m]
        pieces: of a slot: its two ends and its walls.
    """

    name: str
    kind: str
    faces: tuple[int, ...]
    triangles: Indices
    surface: Surface | None
    area: float
    point: Array
    axis: Array
    diameter: float = np.nan
    depth: float = np.nan
    span: float = np.nan
    inner: bool = False
    through: bool | None = None
    opening: str = ""
    neighbours: tuple[str, ...] = ()
    deflection: float = 0.0
    residual: float = np.nan
    pieces: tuple[FormFeature, ...] = ()

    def __post_init__(self) -> None:
        freeze_fields(self, "triangles", dtype=np.int64)
        freeze_fields(self, "point", "axis")


@dataclass(frozen=True, slots=True, kw_only=True)
class HolePattern:
    """Bores of one kind and size.

    Args:
        holes: their names.
        diameter: of each. [m]
        circle: diameter of the bolt circle through their centres; NaN where they lie on none. [m]
    """

    holes: tuple[str, ...]
    diameter: float
    circle: float

    def __str__(self) -> str:
        """As on a drawing, in millimetres: "4 × ⌀8 on ⌀60"."""
        text = f"{len(self.holes)} × ⌀{1e3 * self.diameter:.6g}"
        return text if np.isnan(self.circle) else f"{text} on ⌀{1e3 * self.circle:.6g}"


_RECOGNISED: WeakKeyDictionary[Geometry, tuple[FormFeature, ...]] = WeakKeyDictionary()


def form_features(geometry: Geometry) -> tuple[FormFeature, ...]:
    """Features of a part; faces that were not identified belong to none.

    They are recognised once for a geometry, which never changes.

    Args:
        geometry: of the part.
    """
    if geometry not in _RECOGNISED:
        _RECOGNISED[geometry] = _recognised(geometry)
    return _RECOGNISED[geometry]


def _recognised(geometry: Geometry) -> tuple[FormFeature, ...]:
    pieces = _joined(geometry)
    edges = _PieceEdges(geometry, pieces)
    forms = [_form(geometry, piece, edges.beside(number)) for number, piece in enumerate(pieces)]
    openings = _openings(forms, edges)
    forms = [replace(form, **openings.get(number, {})) for number, form in enumerate(forms)]
    forms, members = _with_slots(forms, edges)
    order = _ranked(forms)
    own = _own_names(geometry, forms)
    counts: Counter[str] = Counter()
    names: dict[int, str] = {}
    for number in order:
        counts[forms[number].kind] += 1
        names[number] = own.get(number) or f"{forms[number].kind}-{counts[forms[number].kind]}"
    beside: dict[int, set[int]] = defaultdict(set)
    for one, other in edges.smooth_share:
        a, b = members.get(one), members.get(other)
        if a is not None and b is not None and a != b:
            beside[a].add(b)
            beside[b].add(a)
    return tuple(
        replace(
            forms[number],
            name=names[number],
            neighbours=tuple(sorted((names[b] for b in beside[number]), key=_natural)),
        )
        for number in order
    )


def neighbouring_faces(geometry: Geometry) -> tuple[tuple[int, ...], ...]:
    """Indices of the faces that share an edge with each face.

    Args:
        geometry: of the part.
    """
    one, other, _ = shared_edges(geometry.mesh.faces)
    owner = geometry.face_of_triangle
    pairs = np.unique(np.sort(np.column_stack([owner[one], owner[other]]), axis=1), axis=0)
    beside: list[list[int]] = [[] for _ in geometry.faces]
    for a, b in pairs[pairs[:, 0] != pairs[:, 1]].tolist():
        beside[a].append(b)
        beside[b].append(a)
    return tuple(tuple(sorted(row)) for row in beside)


def hole_patterns(features: Sequence[FormFeature]) -> tuple[HolePattern, ...]:
    """Bores of the same size, depth and direction: two at least.

    Args:
        features: of a part.
    """
    groups: list[list[FormFeature]] = []
    for one in features:
        if one.kind == "hole":
            alike = next((group for group in groups if _alike(group[0], one)), None)
            if alike is None:
                groups.append(alike := [])
            alike.append(one)
    return tuple(
        HolePattern(
            holes=tuple(one.name for one in group),
            diameter=group[0].diameter,
            circle=_bolt_circle(group),
        )
        for group in groups
        if len(group) > 1
    )


def _alike(one: FormFeature, other: FormFeature) -> bool:
    """Whether two bores are of one size and direction, whichever way they open."""
    return (
        (one.through, one.opening) == (other.through, other.opening)
        and abs(one.diameter - other.diameter) <= 2.0 * _slack(one)
        and abs(one.depth - other.depth) <= 2.0 * _slack(one)
        and abs(float(one.axis @ other.axis)) > 1.0 - SAME
    )


def _slack(form: FormFeature) -> float:
    """How far what was fitted to a mesh may be from what a CAD file states. [m]."""
    return SAME if np.isnan(form.residual) else FITTED


def _bolt_circle(holes: Sequence[FormFeature]) -> float:
    """Diameter of the circle through the axes of three holes or more, evenly spread; else NaN."""
    if len(holes) < 3:
        return np.nan
    axis = holes[0].axis
    x = across(axis)
    points = np.array([one.point for one in holes])
    flat = np.column_stack([points @ x, points @ np.cross(axis, x)])
    arms = flat - flat.mean(axis=0)
    radii = np.linalg.norm(arms, axis=1)
    turns = np.diff(np.sort(np.arctan2(arms[:, 1], arms[:, 0])))
    even = np.abs(turns - 2.0 * np.pi / len(holes)).max() * radii.mean() <= _REGULAR
    if not even or np.ptp(radii) > _REGULAR:
        return np.nan
    return 2.0 * float(radii.mean())


# ------------------------------------------------------------------------- Faces of one surface


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Piece:
    """Faces of one surface that are one feature, or a region of a mesh.

    Args:
        faces: their indices.
        kind: of the surface.
        surface: that they share; None where there is none.
        triangles: of all of them. # (t,)
        deflection: the farthest that triangles lie from the surface. [m]
        residual: the farthest that corners of a mesh lie from it; NaN of faces of a CAD file. [m]
    """

    faces: tuple[int, ...]
    kind: str
    surface: Surface | None
    triangles: Indices
    deflection: float
    residual: float = np.nan


def _pieces(geometry: Geometry) -> Iterator[_Piece]:
    """Faces, and the surfaces that are found in meshes."""
    for face in geometry.faces:
        if face.kind == "unidentified" or not len(face.triangles):
            continue
        if face.kind != "facets":
            yield _Piece(
                faces=(face.index,),
                kind=face.kind,
                surface=face.surface,
                triangles=face.triangles,
                deflection=face.deflection,
            )
            continue
        for region in mesh_regions(geometry.mesh, face.triangles):
            yield _Piece(
                faces=(face.index,),
                kind=region.surface.kind if region.surface else "facets",
                surface=region.surface,
                triangles=region.triangles,
                deflection=region.deflection,
                residual=region.residual,
            )


def _joined(geometry: Geometry) -> list[_Piece]:
    pieces = list(_pieces(geometry))
    joined = [piece for piece in pieces if piece.surface is None]
    for kind, signature in _SIGNATURES.items():
        alike = [piece for piece in pieces if isinstance(piece.surface, kind)]
        for same in _equal([signature(piece.surface) for piece in alike]):
            group = [alike[place] for place in same]
            groups = _along_axis(geometry, group) if kind is Cylinder else [group]
            joined += [_one(group) for group in groups]
    return sorted(joined, key=lambda piece: int(piece.triangles.min()))


def _one(group: list[_Piece]) -> _Piece:
    """Pieces of one surface as one; of meshes, whose surfaces differ a little, the largest's."""
    largest = max(group, key=lambda piece: len(piece.triangles))
    return replace(
        largest,
        faces=tuple(sorted({face for piece in group for face in piece.faces})),
        triangles=np.concatenate([piece.triangles for piece in group]),
        deflection=max(piece.deflection for piece in group),
        residual=max(piece.residual for piece in group),
    )


def _equal(signatures: Sequence[Array]) -> Iterator[list[int]]:
    """Groups of equal rows."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    if not signatures:
        return
    rows = np.array(signatures)
    pairs = cKDTree(rows).query_pairs(SAME, output_type="ndarray")
    shape = (len(rows), len(rows))
    links = coo_array((np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], pairs[:, 1])), shape=shape)
    labels = connected_components(links, directed=False)[1]
    for label in range(int(labels.max()) + 1):
        yield np.flatnonzero(labels == label).tolist()


def _line(point: Array, axis: Array) -> Array:
    """A line without direction: its foot next to the origin, and a matrix that has no sign."""
    return np.concatenate([point - (point @ axis) * axis, np.outer(axis, axis)[np.triu_indices(3)]])


def _side(surface: Surface) -> float:
    return 1.0 if surface.reversed else 0.0


def _plane_signature(plane: Plane) -> Array:
    outward = -plane.axis if plane.reversed else plane.axis
    return np.array([*outward, plane.point @ outward])


_SIGNATURES: dict[type[Surface], Callable[[Any], Array]] = {
    Plane: _plane_signature,
    Cylinder: lambda s: np.array([*_line(s.point, s.axis), s.radius, _side(s)]),
    Cone: lambda s: np.array([*s.apex, *s.axis, s.half_angle, _side(s)]),
    Sphere: lambda s: np.array([*s.centre, s.radius, _side(s)]),
    Torus: lambda s: np.array(
        [*s.centre, *_line(s.centre, s.axis), s.major_radius, s.minor_radius, _side(s)]
    ),
}


def _along_axis(geometry: Geometry, group: list[_Piece]) -> Iterator[list[_Piece]]:
    """Faces of one cylinder, apart where nothing of it joins them: the bores of a fork are two."""
    axis = group[0].surface.axis  # type: ignore[union-attr]
    ends = [_extent(geometry, piece.triangles, axis) for piece in group]
    order = sorted(range(len(group)), key=lambda place: ends[place])
    run, top = [group[order[0]]], ends[order[0]][1]
    for before, place in pairwise(order):
        del before
        if ends[place][0] > top + SAME:
            yield run
            run = []
        run.append(group[place])
        top = max(top, ends[place][1])
    yield run


def _corners(geometry: Geometry, triangles: Indices) -> Array:
    mesh = geometry.mesh
    return np.asarray(mesh.vertices[np.unique(mesh.faces[triangles])])


def _extent(geometry: Geometry, triangles: Indices, axis: Array) -> tuple[float, float]:
    """Along an axis. [m]."""
    heights = _corners(geometry, triangles) @ axis
    return float(heights.min()), float(heights.max())


# ------------------------------------------------------------------------------ Edges of pieces


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Neighbour:
    """Another piece along an edge.

    Args:
        piece: its number.
        points: middles of the pieces of the edge. # (e, 3) [m]
        smooth: whether the surface runs on without a corner along most of it.
    """

    piece: int
    points: Array
    smooth: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Surroundings:
    """What a piece meets at its edge.

    Args:
        neighbours: other pieces.
        smooth_share: of the length of its edge, along which it runs on smoothly.
    """

    neighbours: tuple[_Neighbour, ...]
    smooth_share: float


@dataclass(eq=False)
class _PieceEdges:
    """Edges of the mesh between different pieces."""

    geometry: Geometry
    pieces: list[_Piece]
    smooth_share: dict[tuple[int, int], float] = field(init=False)

    def __post_init__(self) -> None:
        mesh = self.geometry.mesh
        owner = np.full(len(mesh), -1)
        for number, piece in enumerate(self.pieces):
            owner[piece.triangles] = number
        one, other, ends = shared_edges(mesh.faces)
        apart = (owner[one] != owner[other]) & (owner[one] >= 0) & (owner[other] >= 0)
        one, other, ends = one[apart], other[apart], ends[apart]
        self._owner = owner
        corners = mesh.vertices[ends]
        self._middles = corners.mean(axis=1)
        self._lengths = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
        self._sides = np.column_stack([owner[one], owner[other]])
        turn = self._normals(one) - self._normals(other)
        self._smooth = np.linalg.norm(turn, axis=1) <= 2.0 * np.sin(0.5 * SMOOTH)
        both = np.sort(self._sides, axis=1)
        keys, place = np.unique(both, axis=0, return_inverse=True)
        whole = np.bincount(place.reshape(-1), self._lengths, len(keys))
        smooth = np.bincount(place.reshape(-1), self._lengths * self._smooth, len(keys))
        share = smooth / np.where(whole > 0.0, whole, 1.0)
        self.smooth_share = dict(zip(map(tuple, keys.tolist()), share.tolist(), strict=True))

    def _normals(self, triangles: Indices) -> Array:
        """Outward normals at the middles of the edges, of one side's surface. # (e, 3)."""
        normals = np.array(self.geometry.mesh.normals[triangles])
        corner_normals = self.geometry.corner_normals
        owners = self._owner[triangles]
        for number in np.unique(owners).tolist():
            rows = np.flatnonzero(owners == number)
            surface = self.pieces[number].surface
            if surface is not None:
                normals[rows] = surface.normal(self._middles[rows])
            elif corner_normals is not None:
                mean = corner_normals[triangles[rows]].mean(axis=1)
                lengths = np.linalg.norm(mean, axis=1)
                normals[rows] = np.where(
                    lengths[:, None] > 0.5, mean / np.maximum(lengths, 0.5)[:, None], normals[rows]
                )
        return normals

    @cached_property
    def _rows(self) -> dict[int, Indices]:
        """Edges of every piece."""
        rows = np.tile(np.arange(len(self._sides)), 2)
        owners = self._sides.ravel(order="F")
        order = np.argsort(owners, kind="stable")
        starts = np.searchsorted(owners[order], np.arange(len(self.pieces) + 1))
        return {
            number: rows[order[starts[number] : starts[number + 1]]]
            for number in range(len(self.pieces))
        }

    def beside(self, number: int) -> _Surroundings:
        """What one piece meets at its edge."""
        rows = self._rows[number]
        others = self._sides[rows].sum(axis=1) - number
        whole = float(self._lengths[rows].sum())
        smooth = float(self._lengths[rows[self._smooth[rows]]].sum())
        neighbours = tuple(
            _Neighbour(
                piece=other,
                points=self._middles[rows[others == other]],
                smooth=self.smooth_share[min(number, other), max(number, other)] > 0.5,
            )
            for other in np.unique(others).tolist()
        )
        return _Surroundings(
            neighbours=neighbours, smooth_share=smooth / whole if whole > 0.0 else 0.0
        )


# ------------------------------------------------------------------------------------- Kinds


def _form(geometry: Geometry, piece: _Piece, around: _Surroundings) -> FormFeature:
    """A piece as a feature, without its name."""
    mesh, surface = geometry.mesh, piece.surface
    corners = _corners(geometry, piece.triangles)
    weights = mesh.areas[piece.triangles]
    area = float(weights.sum())
    centre = geometry.mesh.corners(piece.triangles).mean(axis=1)
    middle = weights @ centre / area if area > 0.0 else corners.mean(axis=0)
    plain = FormFeature(
        name="",
        kind=piece.kind,
        faces=piece.faces,
        triangles=piece.triangles,
        deflection=piece.deflection,
        residual=piece.residual,
        surface=surface,
        area=area,
        point=middle,
        axis=np.full(3, np.nan),
        inner=surface is not None and surface.reversed and not isinstance(surface, Plane),
    )
    if isinstance(surface, Plane):
        outward = -surface.axis if surface.reversed else surface.axis
        return replace(plain, point=surface.project(middle[None])[0], axis=outward + 0.0)
    if isinstance(surface, Cylinder):
        return _cylinder(plain, surface, geometry, around)
    if isinstance(surface, Sphere):
        shape = _blended(plain, around)
        return replace(shape, point=surface.centre, diameter=2.0 * surface.radius)
    if isinstance(surface, Torus):
        shape = _blended(plain, around)
        diameter = 2.0 * (surface.minor_radius if shape.kind != "torus" else surface.major_radius)
        return replace(shape, point=surface.centre, axis=canonical(surface.axis), diameter=diameter)
    if isinstance(surface, Cone):
        heights = (corners - surface.apex) @ surface.axis
        return replace(
            plain,
            point=surface.apex,
            axis=surface.axis,
            depth=float(np.ptp(heights)),
            diameter=2.0 * float(heights.max()) * float(np.tan(surface.half_angle)),
        )
    return plain


def _blended(form: FormFeature, around: _Surroundings) -> FormFeature:
    """A fillet or a round, where the surface runs on smoothly on both sides; else as it was."""
    runs_on = sum(one.smooth for one in around.neighbours) >= 2
    if not runs_on or around.smooth_share < _SMOOTH_SHARE:
        return form
    return replace(form, kind="fillet" if form.inner else "round")


def _cylinder(
    form: FormFeature, surface: Cylinder, geometry: Geometry, around: _Surroundings
) -> FormFeature:
    axis = canonical(surface.axis)
    low, high = _extent(geometry, form.triangles, axis)
    foot = surface.point - (surface.point @ axis) * axis
    span = _span(geometry, form.triangles, replace(surface, axis=axis))
    form = replace(
        form,
        point=foot + 0.5 * (low + high) * axis,
        axis=axis,
        diameter=2.0 * surface.radius,
        depth=high - low,
        span=span,
    )
    if span >= ALL_ROUND:
        return replace(form, kind="hole" if form.inner else "boss", point=foot + high * axis)
    return _blended(form, around)


def canonical(axis: Array) -> Array:
    """The direction of a line whose largest component is positive; the first of equal ones."""
    large = int(np.argmax(np.abs(axis) > np.abs(axis).max() - 1e-4))  # a fit is not exact
    return np.asarray((axis if axis[large] > 0.0 else -axis) + 0.0)


def _span(geometry: Geometry, triangles: Indices, surface: Cylinder) -> float:
    """Angle about the axis that triangles cover. [rad]."""
    arms = geometry.mesh.corners(triangles) - surface.point
    x = across(surface.axis)
    angles = np.arctan2(arms @ np.cross(surface.axis, x), arms @ x)
    turns = angles - angles[:, :1]
    turns -= 2.0 * np.pi * np.round(turns / (2.0 * np.pi))  # no triangle goes half round
    starts = np.mod(angles[:, 0] + turns.min(axis=1), 2.0 * np.pi)
    ends = starts + np.ptp(turns, axis=1)
    past = ends > 2.0 * np.pi  # cut at the full turn
    starts = np.concatenate([starts, np.zeros(int(past.sum()))])
    ends = np.concatenate([np.minimum(ends, 2.0 * np.pi), ends[past] - 2.0 * np.pi])
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    reached = np.maximum.accumulate(np.concatenate([[0.0], ends]))
    gaps = np.maximum(starts - reached[:-1], 0.0).sum() + 2.0 * np.pi - reached[-1]
    return float(2.0 * np.pi - gaps)


# ---------------------------------------------------------------------------- Openings of bores


def _openings(forms: Sequence[FormFeature], edges: _PieceEdges) -> dict[int, dict[str, Any]]:
    """What bores open into, by number: their direction, whether they go through, countersinks."""
    found: dict[int, dict[str, Any]] = {}
    for number, form in enumerate(forms):
        if form.kind != "hole":
            continue
        around = edges.beside(number)
        ends = {side: _bottom(forms, edges, number, side, around) for side in (1.0, -1.0)}
        # the canonical direction where both ends are open, or neither is
        side = -1.0 if ends[1.0] and not ends[-1.0] else 1.0
        axis = side * form.axis
        change: dict[str, Any] = {
            "axis": axis + 0.0,
            "point": form.point if side > 0.0 else form.point - form.depth * form.axis,
            "through": not ends[1.0] and not ends[-1.0],
        }
        for neighbour in around.neighbours:
            other = forms[neighbour.piece]
            if _widens(form, other, neighbour):
                change["opening"] = "countersunk"
                found[neighbour.piece] = {"kind": "countersink"}
            elif other.kind == "plane" and abs(float(other.axis @ form.axis)) > 1.0 - SAME:
                wider = _wider_bore(forms, edges, number, neighbour.piece)
                if wider is not None:
                    change["opening"] = "counterbored"
        found[number] = {**found.get(number, {}), **change}
    return found


def _widens(bore: FormFeature, cone: FormFeature, edge: _Neighbour) -> bool:
    """Whether a cone is coaxial with a bore and wider than it from their edge on.

    The tip of a drill meets its bore at the wide end, which in a mesh may seem the wider one, too.
    """
    if not isinstance(cone.surface, Cone) or not cone.inner:
        return False
    if not _coaxial(bore, cone.axis, cone.point):
        return False
    to_edge = float(np.median((edge.points - cone.point) @ cone.axis))
    to_wide_end = 0.5 * cone.diameter / np.tan(cone.surface.half_angle)
    at_narrow_end = to_edge < to_wide_end - 0.5 * cone.depth
    return bool(at_narrow_end and cone.diameter > bore.diameter + 2.0 * _slack(bore))


def _coaxial(bore: FormFeature, axis: Array, point: Array) -> bool:
    arm = point - bore.point
    off = float(np.linalg.norm(arm - (arm @ bore.axis) * bore.axis))
    tilt = SAME if np.isnan(bore.residual) else _TILTED
    return float(np.linalg.norm(np.cross(axis, bore.axis))) <= tilt and off <= 10.0 * SAME


def _wider_bore(
    forms: Sequence[FormFeature], edges: _PieceEdges, number: int, step: int
) -> int | None:
    """A coaxial bore of more diameter on the other side of a plane step."""
    bore = forms[number]
    for one in edges.beside(step).neighbours:
        other = forms[one.piece]
        if (
            other.kind == "hole"
            and other.diameter > bore.diameter + 2.0 * _slack(bore)
            and _coaxial(bore, other.axis, other.point)
        ):
            return one.piece
    return None


def _bottom(
    forms: Sequence[FormFeature],
    edges: _PieceEdges,
    number: int,
    side: float,
    around: _Surroundings,
) -> bool:
    """Whether a bore is closed at one end: faces no wider than it cover its section there.

    Those are found from edge to edge, through a smaller bore behind a step to its bottom, too.
    """
    bore, mesh = forms[number], edges.geometry.mesh
    middle = bore.point - 0.5 * bore.depth * bore.axis  # its point lies at the end of its axis
    radius = 0.5 * bore.diameter

    def inside(piece: int) -> bool:
        arms = _corners(edges.geometry, edges.pieces[piece].triangles) - middle
        heights = arms @ bore.axis
        away = np.linalg.norm(arms - np.outer(heights, bore.axis), axis=1)
        return bool(away.max() <= radius * (1.0 + 1e-4) + SAME)

    def beyond(points: Array) -> bool:
        return bool(np.median((points - middle) @ bore.axis) * side > 0.0)

    waiting = [n.piece for n in around.neighbours if beyond(n.points)]
    seen, covered = {number}, 0.0
    while waiting:
        piece = waiting.pop()
        if piece in seen:
            continue
        seen.add(piece)
        if not inside(piece):
            continue
        triangles = edges.pieces[piece].triangles
        facing = -side * (mesh.normals[triangles] @ bore.axis)
        covered += float(mesh.areas[triangles] @ facing)
        waiting += [n.piece for n in edges.beside(piece).neighbours]
    return covered >= _CLOSED * np.pi * radius**2


# ------------------------------------------------------------------------------------------ Slots


def _with_slots(
    forms: list[FormFeature], edges: _PieceEdges
) -> tuple[list[FormFeature], dict[int, int]]:
    """Half-cylinders and the planes between them as slots; where each piece went."""
    ends: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, form in enumerate(forms):
        if not (isinstance(form.surface, Cylinder) and form.inner):
            continue
        if abs(form.span - np.pi) > HALF_TURN:
            continue
        walls = [
            one.piece
            for one in edges.beside(number).neighbours
            if one.smooth and forms[one.piece].kind == "plane"
        ]
        for a, b in ((a, b) for a in walls for b in walls if a < b):
            gap = abs(float((forms[a].point - forms[b].point) @ forms[a].axis))
            slack = 2.0 * _slack(form)
            if forms[a].axis @ forms[b].axis < -1.0 + SAME and abs(gap - form.diameter) <= slack:
                ends[a, b].append(number)
    joined: list[FormFeature] = []
    gone: dict[int, int] = {}
    for (a, b), halves in sorted(ends.items()):
        for pair in _facing(forms, halves):
            pieces = [*pair, *(wall for wall in (a, b) if wall not in gone)]
            gone |= dict.fromkeys(pieces, len(joined))
            joined.append(_slot(forms, pieces, pair))
    kept = [number for number in range(len(forms)) if number not in gone]
    places = {number: place for place, number in enumerate(kept)}
    places |= {number: len(kept) + place for number, place in gone.items()}
    return [forms[number] for number in kept] + joined, places


def _facing(forms: Sequence[FormFeature], halves: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of half-cylinders that are the two ends of one slot: next to each other in a row.

    On one axis they are the ground of a channel, not the ends of a slot.
    """
    if len(halves) < 2:
        return
    first = forms[halves[0]]
    points = np.array([forms[number].point for number in halves])
    row = points - first.point
    row -= np.outer(row @ first.axis, first.axis)
    direction = row[np.argmax(np.linalg.norm(row, axis=1))]
    order = np.argsort(row @ direction, kind="stable")
    for one, other in zip(order[::2], order[1::2], strict=False):
        if np.linalg.norm(row[other] - row[one]) > 2.0 * _slack(first):
            yield halves[int(one)], halves[int(other)]


def _slot(
    forms: Sequence[FormFeature], pieces: Sequence[int], pair: tuple[int, int]
) -> FormFeature:
    one, other = (forms[number] for number in pair)
    width = 0.5 * (one.diameter + other.diameter)
    along = other.point - one.point
    length = float(np.linalg.norm(along - (along @ one.axis) * one.axis)) + width
    return FormFeature(
        name="",
        kind="slot",
        faces=tuple(sorted(face for number in pieces for face in forms[number].faces)),
        triangles=np.concatenate([forms[number].triangles for number in pieces]),
        surface=None,
        area=sum(forms[number].area for number in pieces),
        point=0.5 * (one.point + other.point),
        axis=one.axis,
        diameter=width,
        depth=length,
        inner=True,
        pieces=tuple(forms[number] for number in pieces),
        deflection=max(forms[number].deflection for number in pieces),
    )


# ------------------------------------------------------------------------------------------ Names


def _ranked(forms: Sequence[FormFeature]) -> list[int]:
    """Numbers by kind, then size, the largest first, then position.

    Sizes and places that differ by what a fit may be off are the same: a part and its mesh have
    the same order.
    """
    if not forms:
        return []
    kinds = np.array([FORMS.index(form.kind) for form in forms])
    diameters = np.array([form.diameter for form in forms])
    areas = np.array([form.area for form in forms])
    sized = ~np.isnan(diameters)
    size = np.where(sized, _steps(np.where(sized, diameters, 0.0), FITTED), 0)
    size += np.where(sized, 0, _steps(np.log(np.maximum(areas, 1e-30)), _SAME_AREA))
    places = [_steps(column, 2.0 * FITTED) for column in np.array([f.point for f in forms]).T]
    axes = np.array([np.nan_to_num(form.axis) for form in forms]).T
    turns = [_steps(column, _TILTED) for column in axes]
    order: list[int] = np.lexsort([*turns[::-1], *places, -size, kinds]).tolist()
    return order


def _steps(values: Array, gap: float) -> Indices:
    """Numbers of values in rising order, the same for those without a gap between. # (n,)."""
    order = np.argsort(values, kind="stable")
    result = np.zeros(len(values), dtype=np.int64)
    result[order] = np.cumsum(np.diff(values[order], prepend=values[order[0]]) > gap)
    return result


def _own_names(geometry: Geometry, forms: Sequence[FormFeature]) -> dict[int, str]:
    """Names of the file, for features whose one face has one; numbers of its writer are none."""
    names = {}
    for number, form in enumerate(forms):
        face = geometry.faces[form.faces[0]]
        if len(form.faces) == 1 and face.named and len(form.triangles) == len(face.triangles):
            names[number] = face.name
    return {number: name for number, name in names.items() if any(map(str.isalpha, name))}


def _natural(name: str) -> tuple[str, int, str]:
    """hole-2 before hole-10."""
    head, _, tail = name.rpartition("-")
    return (head, int(tail), "") if tail.isdecimal() else (name, -1, tail)
