"""Rims: where a face ends, by the curves that its surface has in common with those beside it.

A mesh has straight pieces for them. How far the true edge bulges from each is found on the two
surfaces that meet there, so that neither how finely the mesh is divided nor how closely its
triangles follow a surface moves the points of a layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parts.features.mesh_patch import CREASE, edges_of
from parts.geometry.geometry import Geometry
from parts.geometry.mesh import TriangleMesh, connected
from parts.geometry.surfaces import Plane, Surface
from robots.core.arrays import Array, Indices, Mask

ROUNDING = 1e-8  # [m] of coordinates in single precision, which CAD viewers write
FACETS = 1e-3  # of the part: how far facets may be from the surface they stand for
_BLOCK = 2_000_000  # point-edge pairs at a time, to bound memory
_NEAR = 4  # pieces, of which one is the nearest
_OTHER_SIDE = 2.0  # of the reach: triangles of the neighbour that stand for this face


class Owner(NamedTuple):
    """Triangles of one surface.

    Args:
        surface: None where none is known.
        triangles: rows of the mesh. # (t,)
        deflection: the farthest that they lie from it. [m]
    """

    surface: Surface | None
    triangles: Indices
    deflection: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rim:
    """Pieces of edge, and which triangles they surround.

    Args:
        geometry: of the part.
        triangles: of the face. # (t,)
        starts: of the pieces. # (e, 3) [m]
        ends: # (e, 3) [m]
        bulges: from the middle of each straight piece to the edge. # (e, 3) [m]
        moves: the farthest that each lies from the triangles' edge. # (e,) [m]
        normals: of the triangle inside of each, of which they are the edge; 0 where the face lies
            on both sides. # (e, 3)
        corners: of the triangles, those at the rim on the true edge. # (c, 3) [m]
        slack: the true edge strays at most this far from the pieces with their bulges. [m]
        reach: a point farther than this from the triangles is not on the part. [m]
    """

    geometry: Geometry
    triangles: Indices
    starts: Array
    ends: Array
    bulges: Array
    moves: Array
    normals: Array
    corners: Array
    slack: float
    reach: float

    def distances(self, points: Array) -> Array:
        """Distance to the nearest piece of edge; infinite where there is none. # (k,) [m]."""
        return self._nearest(points).distances

    def _nearest(self, points: Array) -> _Nearest:
        if not len(self.starts) or not len(points):
            none = np.zeros(len(points))
            return _Nearest(distances=np.full(len(points), np.inf), moves=none, inward=none)
        block = max(1, _BLOCK // len(self.starts))
        parts = [self._to_arcs(points[k : k + block]) for k in range(0, len(points), block)]
        return _Nearest(*(np.concatenate(one) for one in zip(*parts, strict=True)))

    @property
    def middles(self) -> Array:
        """Of the pieces, with their bulges. # (e, 3) [m]."""
        return np.asarray(0.5 * (self.starts + self.ends) + self.bulges)

    def vector_area(self) -> Array:
        """Integral of the normal over what the rim surrounds, whatever lies within. # (3,) [m²].

        Half the moment of its pieces, and two thirds of the boxes of those and their bulges.
        """
        along = self.ends - self.starts
        pieces = 0.5 * np.cross(self.starts, self.ends) + 2.0 / 3.0 * np.cross(self.bulges, along)
        return np.asarray(pieces.sum(axis=0))

    def keeps(self, points: Array, margin: float) -> Mask:
        """Return whether points lie on the face, and at least a margin from its edge. # (k,).

        What lies between the triangles' edge and the true one is judged by the side of that, and
        so is what lies beside it within reach of the triangles.
        """
        if not len(points):
            return np.zeros(0, dtype=bool)
        feet = self.geometry.closest(points)
        on = np.isin(feet.triangles, self.triangles) & (feet.distances <= self.reach)
        some = np.flatnonzero(feet.distances <= _OTHER_SIDE * self.reach)
        near = self._nearest(points[some])
        beside = (near.distances <= near.moves + self.reach) & ~np.isnan(near.inward)
        on[some[beside]] = near.inward[beside] >= -ROUNDING
        on[some] &= near.distances >= margin + (self.slack if margin > 0.0 else -ROUNDING)
        return np.asarray(on)

    def distance(self, margin: float) -> float:
        """Distance from the pieces of edge that is a margin from the true edge at least. [m]."""
        return margin + self.slack + ROUNDING

    def _to_arcs(self, points: Array) -> _Nearest:
        """To parabolas through their ends and bulges."""
        along = self.ends - self.starts
        squares = np.sum(along**2, axis=1)
        offset = points[:, None, :] - self.starts
        share = np.sum(offset * along, axis=2) / np.where(squares > 0.0, squares, 1.0)
        share = np.clip(share, 0.0, 1.0)
        gaps = offset - share[:, :, None] * along
        curved = np.flatnonzero(np.any(self.bulges != 0.0, axis=1))
        rise = 4.0 * share[:, curved] * (1.0 - share[:, curved])
        gaps[:, curved] -= rise[:, :, None] * self.bulges[curved]
        squares = np.sum(gaps**2, axis=2)
        # The foot on a chord is nearly that on its parabola: two steps of Newton's method are left,
        # for the nearest pieces, of which beside a corner the wrong one may seem the nearer one.
        near = np.argpartition(squares, min(_NEAR, len(along)) - 1, axis=1)[:, :_NEAR]
        rows = np.arange(len(points))[:, None]
        t, arm = share[rows, near][:, :, None], offset[rows, near]
        chord, bulge = along[near], self.bulges[near]
        for _ in range(2):
            tangent = chord + 4.0 * (1.0 - 2.0 * t) * bulge
            gap = arm - t * chord - 4.0 * t * (1.0 - t) * bulge
            bend = np.sum(tangent**2 + 8.0 * gap * bulge, axis=2, keepdims=True)
            step = np.sum(gap * tangent, axis=2, keepdims=True) / np.where(bend > 0, bend, np.inf)
            t = np.clip(t + step, 0.0, 1.0)
        gap = arm - t * chord - 4.0 * t * (1.0 - t) * bulge
        distances = np.minimum(np.linalg.norm(gap, axis=2), np.sqrt(squares[rows, near]))
        least = distances.min(axis=1)
        tangent = chord + 4.0 * (1.0 - 2.0 * t) * bulge
        inward = np.cross(self.normals[near], tangent)
        length = np.linalg.norm(inward, axis=2, keepdims=True)
        inward /= np.where(length > 0.0, length, 1.0)
        # in front of a corner the mean of both its pieces tells the side
        nearest = distances <= least[:, None] + ROUNDING
        inward = np.sum(inward * nearest[:, :, None], axis=1)
        inward[~inward.any(axis=1)] = np.nan
        side = np.sum(inward * gap[rows[:, 0], distances.argmin(axis=1)], axis=1)
        moves = np.where(nearest, self.moves[near], 0.0).max(axis=1)
        return _Nearest(distances=least, moves=moves, inward=side)


class _Nearest(NamedTuple):
    """The nearest pieces of edge.

    Args:
        distances: # (k,) [m]
        moves: of those pieces. # (k,) [m]
        inward: how far inside of the edge, along the face; negative outside, NaN where the face
            lies on both sides. # (k,) [m]
    """

    distances: Array
    moves: Array
    inward: Array


def rim_of(
    geometry: Geometry, triangles: Indices, owners: Sequence[Owner], *, sharp: bool = False
) -> Rim:
    """Rim of a set of triangles: their edges without a second triangle of the set.

    Args:
        geometry: of the part.
        triangles: rows of its mesh. # (t,)
        owners: of all triangles; of some that two have, the later one.
        sharp: edges where the surface turns by more than 30 degrees count too.
    """
    mesh = geometry.mesh
    edges, inside = single_edges(mesh.faces[triangles])
    owner = np.full(len(mesh), -1)
    for number, one in enumerate(owners):
        owner[one.triangles] = number
    beside = _beside(mesh, triangles, edges)
    sides = np.column_stack([owner[triangles[inside]], np.where(beside < 0, -1, owner[beside])])
    deflections = np.array([one.deflection for one in owners] + [0.0])
    farthest = float(deflections[np.union1d(owner[triangles], sides)].max())
    used, pieces = np.unique(edges, return_inverse=True)
    pieces = pieces.reshape(-1, 2)
    bare = mesh.vertices[used]
    edge = _true_edges(bare, pieces, sides, owners, _spans(mesh, triangles, used))
    slack = float(deflections[sides[~edge.known]].max(initial=0.0))
    moves = np.linalg.norm(edge.corners - bare, axis=1)[pieces].max(axis=1)
    moves += np.linalg.norm(edge.bulges, axis=1)
    normals = mesh.normals[triangles[inside]]
    inner = mesh.vertices[np.setdiff1d(mesh.faces[triangles], used)]
    corners, bulges = edge.corners[pieces], edge.bulges
    if sharp:
        creases = mesh.vertices[sharp_edges(mesh, triangles)]
        corners, none = np.vstack([corners, creases]), np.zeros_like(creases[:, 0])
        bulges, normals = np.vstack([bulges, none]), np.vstack([normals, none])
        moves = np.append(moves, none[:, 0])
        slack = farthest
    return Rim(
        geometry=geometry,
        triangles=triangles,
        starts=corners[:, 0],
        ends=corners[:, 1],
        bulges=bulges,
        moves=moves,
        normals=normals,
        corners=np.vstack([inner, edge.corners]),
        slack=slack,
        reach=2.0 * farthest + ROUNDING,
    )


def whole_part(geometry: Geometry) -> Rim:
    """Rim of a feature by numbers: none, but points must be on the part.

    Triangles of a mesh file say nothing about their tolerance; 1e-3 of the part's size is taken.
    """
    deflection = max(face.deflection for face in geometry.faces)
    facets = any(face.surface is None for face in geometry.faces)
    loose = FACETS * float(np.linalg.norm(geometry.mesh.size)) if facets else 0.0
    none = np.zeros((0, 3))
    return Rim(
        geometry=geometry,
        triangles=np.arange(len(geometry.mesh)),
        starts=none,
        ends=none,
        bulges=none,
        moves=none[:, 0],
        normals=none,
        corners=geometry.mesh.vertices,
        slack=deflection,
        reach=max(2.0 * deflection + ROUNDING, loose),
    )


# ------------------------------------------------------------------------------- Edges of triangles


def single_edges(faces: Indices) -> tuple[Indices, Indices]:
    """Edges of one triangle only, as it runs round them, and its row: the rim. # (e, 2), (e,).

    At the pole of a sphere CAD kernels leave triangles with a corner twice; those have no edge.
    """
    edges, _ = edges_of(faces)
    turned = np.vstack([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    real = edges[:, 0] != edges[:, 1]
    _, first, counts = np.unique(edges[real], axis=0, return_index=True, return_counts=True)
    place = np.flatnonzero(real)[first[counts == 1]]
    return np.asarray(turned[place]), place % len(faces)


def sharp_edges(mesh: TriangleMesh, triangles: Indices) -> Indices:
    """Edges where neighbours turn by more than ``CREASE``. # vertices (e, 2)."""
    edges, owner = edges_of(mesh.faces[triangles])
    order = np.lexsort(edges.T)
    same = np.flatnonzero(np.all(edges[order[1:]] == edges[order[:-1]], axis=1))
    normals = mesh.normals[triangles]
    turn = np.sum(normals[owner[order[same]]] * normals[owner[order[same + 1]]], axis=1)
    return np.asarray(edges[order[same]][turn < np.cos(CREASE)])


def _beside(mesh: TriangleMesh, triangles: Indices, edges: Indices) -> Indices:
    """Rows of the triangles outside of edges; -1 where there is none. # (e,)."""
    at_rim = np.zeros(len(mesh.vertices), dtype=bool)
    at_rim[edges] = True
    near = np.flatnonzero(np.count_nonzero(at_rim[mesh.faces], axis=1) >= 2)
    near = np.setdiff1d(near, triangles)
    if not len(near):
        return np.full(len(edges), -1)
    sides, row = edges_of(mesh.faces[near])
    keys = sides[:, 0] * len(mesh.vertices) + sides[:, 1]
    wanted = edges.min(axis=1) * len(mesh.vertices) + edges.max(axis=1)
    order = np.argsort(keys, kind="stable")
    place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    return np.asarray(np.where(keys[order][place] == wanted, near[row[order]][place], -1))


def _spans(mesh: TriangleMesh, triangles: Indices, corners: Indices) -> Array:
    """How far facets at corners of a rim reach, on the side where they reach less. # (c,) [m]."""
    at_rim = np.zeros(len(mesh.vertices), dtype=bool)
    at_rim[corners] = True
    near = np.flatnonzero(at_rim[mesh.faces].any(axis=1))
    inside = np.isin(near, triangles)
    sides = np.roll(mesh.triangles[near], 1, axis=1) - mesh.triangles[near]
    longest = np.linalg.norm(sides, axis=2).max(axis=1)
    spans = np.zeros((2, len(mesh.vertices)))
    for column, those in enumerate((inside, ~inside)):
        np.maximum.at(spans[column], mesh.faces[near[those]], longest[those][:, None])
    return np.asarray(spans.min(axis=0)[corners])


# -------------------------------------------------------------------------------- True edges

_SMOOTH = 0.1  # [rad] surfaces that meet at less everywhere have an edge where they are tangent
_LEAST = 0.02  # [rad] what a fit is off moves an edge across it by no more than if they met at this
_STEPS = 4  # of Newton's method, from a chord
_WIDEST = 0.3  # of a piece's length: the bulge of a third of a circle
_NUDGE = 1e-6  # [m] to see how two surfaces turn apart
_ACROSS = 0.2  # of how they turn apart across their edge: along it they do not
_TURN = 0.1  # [rad] over the face's size: what turns apart by less tells no edge
_STEEP = 0.5  # of how they turn apart where they do most
_ROW = 4.0  # of a deflection: corners of the first row of facets lie this far off the other surface
_TOUCH = 2e-6  # [m] between surfaces where one runs on into the other, of which a mesh fits both
_PLANAR = 2e-6  # [m] edges of fillets lie this near to a plane
_CROSSING = 0.8  # cosine between a plane's normal and that of the surfaces it crosses
_ROUNDS = 3  # of moving corners to one edge that ends there and to the other


class _TrueEdges(NamedTuple):
    """Pieces of edge with their bulges.

    Args:
        corners: # (c, 3) [m]
        bulges: from the middle of each piece. # (e, 3) [m]
        known: pieces on both their surfaces; others are left straight. # (e,)
    """

    corners: Array
    bulges: Array
    known: Mask


def _true_edges(
    corners: Array, pieces: Indices, sides: Indices, owners: Sequence[Owner], farthest: Array
) -> _TrueEdges:
    """The edges next to straight pieces.

    Corners that CAD left off them are brought back, and those of a region of a mesh, too, that has
    a row more or less than the face: which of two surfaces that run on into each other facets
    beside their edge belong to, their corners do not tell. No corner is moved that lies off a
    surface by more than the first row of facets does, and none past the facets that it has.

    Args:
        corners: # (c, 3) [m]
        pieces: two corners of each. # (e, 2)
        sides: numbers of the surfaces inside and outside of each; -1 where there is none. # (e, 2)
        owners: their surfaces, with how far the triangles lie from them.
        farthest: corners that would move by more stay. # (c,) [m]
    """
    curves: list[tuple[_Curve, Indices]] = []
    size = float(np.ptp(corners, axis=0).max()) if len(corners) else 0.0
    for one, two in np.unique(sides, axis=0).tolist():
        own, other = (owners[side].surface if side >= 0 else None for side in (one, two))
        if own is None or other is None:
            continue
        rows = np.flatnonzero((sides == (one, two)).all(axis=1))
        ends = corners[pieces[rows]]
        flat = ends.reshape(-1, 3)
        off = np.maximum(np.abs(own.distance(flat)), np.abs(other.distance(flat)))
        row = _ROW * max(owners[one].deflection, owners[two].deflection) + _TOUCH
        near = off.reshape(-1, 2).max(axis=1) <= row
        middles = ends.mean(axis=1)
        met = _meeting(own, other, middles)  # a row of facets beside it the turn tells nothing
        turn = np.linalg.norm(np.cross(own.normal(met), other.normal(met)), axis=1)
        for some in _chains(pieces[rows[near]]):
            own_rows = np.flatnonzero(near)[some]
            points = np.concatenate([middles[own_rows], ends[own_rows, 0], ends[own_rows, 1]])
            curve = _Curve(own, other, size)
            smooth = bool(turn[own_rows].max() < _SMOOTH)
            curves.append((curve.planar(points) if smooth else curve, rows[own_rows]))
    return _settled(corners, pieces, curves, farthest)


def _chains(pieces: Indices) -> Iterator[Indices]:
    """Rows of pieces that hang together. Args: pieces # (e, 2)."""
    used, ends = np.unique(pieces, return_inverse=True)
    starts, stops = ends.reshape(-1, 2).T
    labels = connected(len(used), starts, stops)[starts]
    for label in np.unique(labels).tolist():
        yield np.flatnonzero(labels == label)


def _settled(
    corners: Array,
    pieces: Indices,
    curves: Sequence[tuple[_Curve, Indices]],
    farthest: Array,
) -> _TrueEdges:
    """Corners and bulges on curves, each with its pieces."""
    bare, corners = corners, corners.copy()
    bulges, known = np.zeros((len(pieces), 3)), np.zeros(len(pieces), dtype=bool)
    curves_at = [np.unique(pieces[rows]) for _, rows in curves]
    shared = np.bincount(np.concatenate([[], *curves_at]).astype(int), minlength=len(corners)) > 1
    lost = np.zeros(len(corners), dtype=bool)
    for turn in range(_ROUNDS):
        for (curve, _), at in zip(curves, curves_at, strict=True):
            some = at[shared[at]] if turn else at
            found = curve.nearest(corners[some])
            good = np.isfinite(found).all(axis=1)
            corners[some[good]] = found[good]
            lost[some[~good]] = True
    lost |= np.linalg.norm(corners - bare, axis=1) > farthest
    corners[lost] = bare[lost]
    for curve, rows in curves:
        ends = corners[pieces[rows]]
        middles = ends.mean(axis=1)
        bulge = curve.nearest(middles) - middles
        along = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        good = np.linalg.norm(bulge, axis=1) <= _WIDEST * along + ROUNDING
        good &= ~lost[pieces[rows]].any(axis=1)
        bulges[rows[good]], known[rows[good]] = bulge[good], True
    return _TrueEdges(corners, bulges, known)


class _Curve(NamedTuple):
    """Where two surfaces meet.

    Args:
        own: surface of the face.
        other: on the other side, or a plane through the curve.
        size: of the face. [m]
        smooth: whether one runs on into the other.
    """

    own: Surface
    other: Surface
    size: float
    smooth: bool = False

    def planar(self, points: Array) -> _Curve:
        """The curve along which surfaces run on, through its plane where it has one.

        A cylinder and a torus of one tube turn apart everywhere but on top, where it alone says
        how the edge runs on. A plane that touches them tells nothing.
        """
        curve = self._replace(smooth=True)
        found = _tangent(self.own, self.other, points, self.size)
        touching = found.points[np.isfinite(found.points).all(axis=1)]
        if len(touching) and np.median(np.abs(self.other.distance(touching))) > _TOUCH:
            return self  # there they overlap, or miss each other: they meet at a small angle
        steep = found.steep[np.isfinite(found.points).all(axis=1)]
        if not len(steep):
            return curve
        good = found.points[np.nan_to_num(found.steep) >= _STEEP * steep.max()]
        good = good[np.isfinite(good).all(axis=1)]
        arms = good - good.mean(axis=0)
        _, spread, rows = np.linalg.svd(arms, full_matrices=False)
        if len(good) < 3 or spread[1] < 1e-2 * spread[0] or np.abs(arms @ rows[2]).max() > _PLANAR:
            return curve
        if np.abs(self.own.normal(good) @ rows[2]).max() > _CROSSING:
            return curve
        return self._replace(other=Plane(point=good.mean(axis=0), axis=rows[2]))

    def nearest(self, points: Array) -> Array:
        """Its points near to some; NaN where there are none. # (k, 3) [m]."""
        if self.smooth:
            return _tangent(self.own, self.other, points, self.size).points
        return _meeting(self.own, self.other, points)


def _meeting(own: Surface, other: Surface, points: Array) -> Array:
    """Points where two surfaces meet at an angle, by Newton's method. # (k, 3)."""
    for _ in range(_STEPS):
        n, m = own.normal(points), other.normal(points)
        a, b = own.distance(points)[:, None], other.distance(points)[:, None]
        cosine = np.sum(n * m, axis=1, keepdims=True)
        square = np.maximum(1.0 - cosine**2, _LEAST**2)
        points = points - ((a - cosine * b) * n + (b - cosine * a) * m) / square
    return points


class _Tangent(NamedTuple):
    points: Array  # (k, 3) [m]
    steep: Array  # how the surfaces turn apart there. (k,) [rad/m]


def _tangent(own: Surface, other: Surface, points: Array, size: float) -> _Tangent:
    """Points where one surface runs on into another: their normals are the same.

    NaN where the surfaces hardly turn apart from there: what was fitted to a mesh does not tell
    the place.
    """
    found, steepest = np.ones(len(points), dtype=bool), np.zeros(len(points))
    for _ in range(_STEPS):
        points = own.project(points)
        normals = own.normal(points)
        rows = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
        x = np.cross(normals, rows)
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        frame = np.stack([x, np.cross(normals, x)], axis=1)

        def apart(at: Array, frame: Array = frame) -> Array:
            return np.asarray(np.einsum("kij,kj->ki", frame, other.normal(at) - own.normal(at)))

        slopes = np.stack(
            [
                (apart(points + step) - apart(points - step)) / (2.0 * _NUDGE)
                for step in (_NUDGE * frame[:, 0], _NUDGE * frame[:, 1])
            ],
            axis=2,
        )
        steepest = np.linalg.norm(slopes, ord=2, axis=(1, 2))
        shift = np.einsum("kij,kj->ki", np.linalg.pinv(slopes, rcond=_ACROSS), apart(points))
        shift = np.einsum("kij,ki->kj", frame, shift)
        found &= (steepest * size >= _TURN) & (np.linalg.norm(shift, axis=1) <= size)
        points = np.where(found[:, None], points - shift, points)
    return _Tangent(np.where(found[:, None], own.project(points), np.nan), steepest)
