"""Surfaces found again in a mesh: cylinders, cones, spheres, tori and planes.

Corners of the triangles that a CAD system writes lie on its surfaces, but for rounding, except
along the edges of sloppy faces, where they stray by micrometres. So a surface is accepted where
the median corner of its region lies on it closely, every corner loosely, and those inside of it,
off its rim, exactly: a freeform that is much like it is not. Surfaces that many corners inside
prove come first, wherever they end. Nothing is fitted through the facets in between. A few facets
around a seed give a first surface of each kind; it grows over smooth edges as far as corners lie on
it, and is fitted again. Of the kinds, the simplest is taken that explains nearly as much as any:
one row of a torus's facets is a cylinder, too, but the torus has all rows. What has no such surface
stays facets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from parts.errors import PartError
from parts.features.mesh_patch import shared_edges
from parts.fits.fitting import fit, model_of
from parts.fits.least_squares import minimise
from parts.fits.solver import cloud_of
from parts.geometry.mesh import TriangleMesh
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Surface, Torus, across
from robots.core.arrays import Array, Indices, Mask, freeze_fields

# How far corners may lie from their surface, besides their rounding, and the median corner: shares
# of the part's size and lengths [m], of which the less counts. With more room than its edges need,
# a surface takes in the first facets of its neighbours; with less it covers a part of its face.
TOLERANCES = (((0.0, 0.0), (0.0, 0.0)), ((2e-5, 1e-6), (1e-5, 3e-7)), ((1e-4, 5e-6), (2e-5, 1e-6)))
COARSE, FINE = 2e-6, 1.2e-7  # of the size: six digits of a text file; single precision
SMOOTH = np.radians(31.0)  # neighbours that turn less may be facets of one surface
_ROOM = 6.0  # of the rounding that flat facets show
_FLAT = 3  # coplanar triangles that are no facet of a curved surface
_INSIDE = 3  # corners inside a region that tell whether it is exact
_BROAD = 10.0  # times the area of the facets around it: no facet of a curved surface
_FEWEST = 4  # facets of a curved surface: three lines always lie on a cylinder
_SAG = 4.0  # times the usual distance of facets from their surface: a flat that was cut into it
_BENT = 4.0  # times the loose tolerance that corners leave every plane by
_FLATTEST = 20.0  # times its size: the radius of a region
_NEARLY = 0.85  # of the area that the best surface explains: a simpler one is preferred
_MOSTLY = 0.7  # of the area of a loose region: facets with an exact corner, where it has such
_OPEN = 0.5  # of a region's rim that runs on into facets without a surface: it is none either
_MOST = 2000  # planes, and smooth pieces without a surface: a scan has a piece for each triangle
_RINGS = 2  # about a seed, whose facets give a first surface
_LAYERS = 8  # of facets that change over at the border of a region
_SAME_KIND = 20.0  # times the loose tolerance: regions of one kind are fitted together to see
_LEVEL = 1e-2  # [rad] facets of one plane turn by less, though their corners are sloppy
_LEANS = 0.1  # of a facet's width: corners that stray farther say nothing of its direction
_STRAIGHT = 1e-4  # [rad] facets that turn less do not bend
_SAMPLED = 1500  # corners that a fit uses
_ROUNDS = 4  # of growing and fitting again
_STEPS = (10, 30)  # of a fit that begins near its end: of a patch, and of what grew from it
_UNEVEN = 0.2  # steps of the share by which bends of neighbouring facets differ
_PASSES = (False, False, True, False)  # whether surfaces are taken that run on into their like
_UNITS = (1.0, 1e2, 1e3, 1e3 / 25.4)  # of files, per metre
_NEAR = 20.0  # times the exactness: the median corner of a first surface that may become exact
_SURE = (16, 30)  # corners on a surface that need not end: half of them exact, and not
_AS_OPEN = 0.05  # of the rim: of surfaces that run on as much, the closest
_PROVEN = 12  # corners inside a region that lie on its surface exactly: no other goes through them
_FAILURES = (90, 1500)  # seeds without a surface: in a row in a smooth piece, and in all
_UNPROVEN = 4000  # seeds without an exact surface: a scan has no other


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshRegion:
    """Triangles whose corners lie on one surface.

    Args:
        surface: with its outside; the same object for regions of one surface; None for facets
            that have none.
        triangles: rows of the mesh. # (t,)
        residual: the farthest that a corner lies from it. [m]
        deflection: the farthest that a triangle lies from it. [m]
    """

    surface: Surface | None
    triangles: Indices
    residual: float = 0.0
    deflection: float = 0.0

    def __post_init__(self) -> None:
        freeze_fields(self, "triangles", dtype=np.int64)


def mesh_regions(mesh: TriangleMesh, triangles: Indices) -> tuple[MeshRegion, ...]:
    """Regions of one surface each, and what is left in smooth pieces.

    Args:
        mesh: the part's.
        triangles: rows of it, of a body without faces. # (t,)
    """
    search = _Search(_Facets(mesh, triangles))
    search.find_exact()
    search.settle_borders()
    for open_too in _PASSES:
        search.find_curved(open_too=open_too)
        search.settle_borders()
    search.take_planes()
    search.settle_borders()
    search.give_up_open_regions()
    search.take_corners()
    search.unite()
    return tuple(search.regions())


# ------------------------------------------------------------------------------------- Flat facets


class _Rows(NamedTuple):
    """Numbers that belong to each of several owners, one owner after the other."""

    starts: Indices  # of each owner's, and the end of the last. (n + 1,)
    items: Indices

    @classmethod
    def of(cls, owners: Indices, items: Indices, count: int) -> _Rows:
        order = np.argsort(owners, kind="stable")
        return cls(np.searchsorted(owners[order], np.arange(count + 1)), items[order])

    def places(self, owners: Indices) -> tuple[Indices, Indices]:
        """Places of the items of some owners, and where each owner's begin among them."""
        lengths = self.starts[owners + 1] - self.starts[owners]
        ends = np.cumsum(lengths)
        shift = np.repeat(self.starts[owners] - (ends - lengths), lengths)
        return np.arange(int(ends[-1]) if len(ends) else 0) + shift, ends - lengths

    def take(self, owners: Indices) -> Indices:
        """Items of some owners."""
        return self.items[self.places(owners)[0]]


def _written(vertices: Array, size: float) -> float:
    """How exactly the numbers of a file state the corners: in single precision, or decimals. [m].

    Six digits of the part's size where neither is seen.
    """
    for unit in _UNITS:
        numbers = vertices * unit
        if np.allclose(numbers, numbers.astype(np.float32), rtol=1e-14, atol=0.0):
            return FINE * size
        for step in (1e-2, 1e-3, 1e-4):
            if np.allclose(numbers / step, np.rint(numbers / step), rtol=0.0, atol=1e-6):
                return max(step / unit, FINE * size)
    return COARSE * size


class _Facets:
    """Coplanar neighbours of a mesh as facets, with their corners and smooth neighbours.

    Args:
        mesh: the part's.
        rows: of its triangles.
    """

    def __init__(self, mesh: TriangleMesh, rows: Indices) -> None:
        self.mesh, self.rows = mesh, rows
        faces = mesh.faces[rows]
        self.size = float(np.ptp(mesh.vertices[np.unique(faces)], axis=0).max())
        one, other, ends = shared_edges(faces)
        self.rounding = COARSE * self.size
        self.facet = self._coplanar(faces, one, other, ends)
        self.rounding = self._measured_rounding()
        self.facet = self._coplanar(faces, one, other, ends)
        self.count = int(self.facet.max()) + 1
        areas = mesh.areas[rows]
        self.areas = np.bincount(self.facet, areas, self.count)
        self.triangles = np.bincount(self.facet, minlength=self.count)
        self.normals = _summed(self.facet, mesh.normals[rows], areas, self.count)
        lengths = np.linalg.norm(self.normals, axis=1)
        self.normals /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
        whole = np.where(self.areas > 0.0, self.areas, 1.0)[:, None]
        middles = mesh.corners(rows).mean(axis=1)
        self.centres = _summed(self.facet, middles, areas, self.count) / whole
        apart = self.facet[one] != self.facet[other]
        a, b = self.facet[one[apart]], self.facet[other[apart]]
        lengths = np.linalg.norm(np.diff(mesh.vertices[ends[apart]], axis=1)[:, 0], axis=1)
        smooth = np.sum(self.normals[a] * self.normals[b], axis=1) >= np.cos(SMOOTH)
        self.rims = np.bincount(a, lengths, self.count) + np.bincount(b, lengths, self.count)
        self.sharp = np.unique(ends[apart][~smooth])
        a, b, lengths = a[smooth], b[smooth], lengths[smooth]
        both, back = np.concatenate([a, b]), np.concatenate([b, a])
        self.beside = _Rows.of(both, back, self.count)
        self.edge_lengths = np.tile(lengths, 2)[np.argsort(both, kind="stable")]

    def _measured_rounding(self) -> float:
        """How far corners of the largest flat facets lie from their planes, with room. [m].

        Half the corners of a plane may be on sloppy edges, and most of the planes of a part.
        """
        counts = np.bincount(self.facet)
        off = []
        for facet in np.argsort(-counts, kind="stable")[:12].tolist():
            if counts[facet] < 6:
                break
            points = self.mesh.vertices[np.unique(self.mesh.faces[self.rows[self.facet == facet]])]
            arms = points - points.mean(axis=0)
            normal = np.linalg.svd(arms, full_matrices=False)[2][-1]
            off.append(float(np.median(np.abs(_plane(points, normal, 0.0).distance(points)))))
        usual = float(np.percentile(off, 25.0)) if off else COARSE * self.size
        return float(np.clip(_ROOM * usual, FINE * self.size, COARSE * self.size))

    def _coplanar(self, faces: Indices, one: Indices, other: Indices, ends: Indices) -> Indices:
        """Number of the facet of every triangle. # (t,)."""
        mesh = self.mesh
        corners = mesh.vertices[faces]
        longest = np.linalg.norm(corners - corners[:, [1, 2, 0]], axis=2).max(axis=1)
        areas, normals = mesh.areas[self.rows], mesh.normals[self.rows]
        height = 2.0 * areas / np.where(longest > 0.0, longest, 1.0)
        needle = height < 8.0 * self.rounding

        def near(own: Indices, neighbour: Indices) -> Mask:
            """Whether a neighbour's far corner lies in the plane of a triangle."""
            third = faces[neighbour].sum(axis=1) - ends.sum(axis=1)
            arm = mesh.vertices[third] - corners[own, 0]
            away = np.abs(np.sum(arm * normals[own], axis=1))
            reach = np.linalg.norm(arm, axis=1)
            # the plane of a low triangle is known the less, the lower it is
            return np.asarray(
                away <= self.rounding * (1.0 + 0.2 * reach / np.maximum(height[own], 1e-12))
            )

        level = np.sum(normals[one] * normals[other], axis=1) > 0.999
        flat = level & near(one, other) & near(other, one) & ~needle[one] & ~needle[other]
        facet = _groups(len(faces), one[flat], other[flat])
        # a needle has no plane of its own: it goes to the neighbour across its longest edge
        length = np.linalg.norm(mesh.vertices[ends[:, 0]] - mesh.vertices[ends[:, 1]], axis=1)
        a, b = np.concatenate([one, other]), np.concatenate([other, one])
        length = np.tile(length, 2)
        for _ in range(4):
            loose = needle[a] & ~needle[b]
            if not loose.any():
                break
            order = np.argsort(length[loose], kind="stable")
            own = a[loose][order]
            facet[own] = facet[b[loose][order]]
            needle[own] = False
        return self._without_bent(np.unique(facet, return_inverse=True)[1].reshape(-1))

    def _without_bent(self, facet: Indices) -> Indices:
        """The same without groups that are not flat: fine meshes bend by less than rounding."""
        mesh, count = self.mesh, int(facet.max()) + 1
        weights = mesh.areas[self.rows]
        corners = mesh.corners(self.rows)
        normals = _summed(facet, mesh.normals[self.rows], weights, count)
        centres = _summed(facet, corners.mean(axis=1), weights, count)
        lengths = np.linalg.norm(normals, axis=1)
        normals /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
        centres = centres / np.maximum(np.bincount(facet, weights, count), 1e-300)[:, None]
        arms = corners - centres[facet][:, None]
        away = np.abs(np.einsum("tij,tj->ti", arms, normals[facet])).max(axis=1)
        worst = np.zeros(count)
        np.maximum.at(worst, facet, away)
        bent = (worst > 16.0 * self.rounding)[facet]
        result = facet.copy()
        result[bent] = count + np.arange(int(bent.sum()))
        return np.unique(result, return_inverse=True)[1].reshape(-1)

    @cached_property
    def owners(self) -> Indices:
        """Whose neighbour each item of ``beside`` is."""
        return np.repeat(np.arange(self.count), np.diff(self.beside.starts))

    @cached_property
    def broad(self) -> Mask:
        """Which facets are much wider than what runs on smoothly into them. # (f,)."""
        owners = self.owners
        summed = np.bincount(owners, self.areas[self.beside.items], minlength=self.count)
        usual = summed / np.maximum(np.diff(self.beside.starts), 1)
        return np.asarray(self.areas > _BROAD * usual)

    @cached_property
    def inside(self) -> Mask:
        """Which facets have a corner that is on no edge of the part that can be seen. # (f,)."""
        corners, owner = self.corners.items, self.corner_owners
        smooth = (np.diff(self.beside.starts) >= 2) & ~self.broad & (self.triangles < _FLAT)
        at_edge = np.zeros(len(self.mesh.vertices), dtype=bool)
        at_edge[self.sharp] = True
        at_edge[corners[~smooth[owner]]] = True
        return np.asarray(smooth & (np.bincount(owner, ~at_edge[corners], self.count) > 0))

    @cached_property
    def widths(self) -> Array:
        """Twice the area of each facet over its rim: its narrower side, about. # (f,) [m]."""
        return np.asarray(2.0 * self.areas / np.maximum(self.rims, 1e-12))

    @cached_property
    def sags(self) -> Array:
        """How far facets would lie inside the surface that they and a neighbour bend along.

        In the order of ``beside``; infinite where the two do not bend at all. [m]
        """
        owners = self.owners
        turn = np.linalg.norm(self.normals[owners] - self.normals[self.beside.items], axis=1)
        across = self.areas[owners] / np.maximum(self.edge_lengths, 1e-12)
        return np.where(turn > _STRAIGHT, 0.125 * across * turn, np.inf)

    @cached_property
    def unevenness(self) -> Array:
        """By how much facets bend differently from those beside them: the least share. # (f,).

        Zero within a surface of constant curvature; at its rims, where a first surface would be
        fitted to facets of two, it is not. Widths say little: CAD leaves the widest facets there.
        """
        owners, beside = self.owners, self.beside.items
        turn = np.linalg.norm(self.normals[owners] - self.normals[beside], axis=1)
        apart = np.linalg.norm(self.centres[owners] - self.centres[beside], axis=1)
        bends = np.zeros(self.count)
        np.maximum.at(bends, owners, turn / np.maximum(apart, 1e-12))
        larger = np.maximum(np.maximum(bends[owners], bends[beside]), 1e-12)
        uneven = np.zeros(self.count)
        np.maximum.at(uneven, owners, np.abs(bends[owners] - bends[beside]) / larger)
        result = uneven.copy()
        np.maximum.at(result, owners, uneven[beside])
        return result

    @cached_property
    def corners(self) -> _Rows:
        """Vertices of each facet."""
        owner = np.repeat(self.facet, 3)
        vertex = self.mesh.faces[self.rows].ravel()
        keys = np.unique(owner * len(self.mesh.vertices) + vertex)
        owner, vertex = np.divmod(keys, len(self.mesh.vertices))
        return _Rows(np.searchsorted(owner, np.arange(self.count + 1)), vertex)

    def points(self, facets: Indices) -> Array:
        """Corners of some facets. # (k, 3) [m]."""
        return np.asarray(self.mesh.vertices[np.unique(self.corners.take(facets))])

    def inner_points(self, facets: Indices) -> Array:
        """Corners of some facets that have no other facets: none is on an edge. # (k, 3) [m]."""
        corners, counts = np.unique(self.corners.take(facets), return_counts=True)
        return np.asarray(
            self.mesh.vertices[corners[counts == np.diff(self.around.starts)[corners]]]
        )

    @cached_property
    def around(self) -> _Rows:
        """Facets at each vertex."""
        return _Rows.of(self.corners.items, self.corner_owners, len(self.mesh.vertices))

    @cached_property
    def corner_owners(self) -> Indices:
        """Whose corner each item of ``corners`` is."""
        return np.repeat(np.arange(self.count), np.diff(self.corners.starts))

    def farthest(self, surface: Surface, facets: Indices) -> Array:
        """The farthest that a corner of each facet lies from a surface. # (f,) [m]."""
        places, starts = self.corners.places(facets)
        away = np.abs(surface.distance(self.mesh.vertices[self.corners.items[places]]))
        return np.asarray(np.maximum.reduceat(away, starts))

    def nearest(self, surface: Surface, facets: Indices) -> Array:
        """The nearest that a corner of each facet lies to a surface. # (f,) [m]."""
        places, starts = self.corners.places(facets)
        away = np.abs(surface.distance(self.mesh.vertices[self.corners.items[places]]))
        return np.asarray(np.minimum.reduceat(away, starts)) if len(facets) else away

    def along(self, surface: Surface, facets: Indices) -> Array:
        """Cosine between the normals of facets and the surface's. # (f,)."""
        return np.asarray(
            np.sum(surface.normal(self.centres[facets]) * self.normals[facets], axis=1)
        )


def _summed(owners: Indices, vectors: Array, weights: Array, count: int) -> Array:
    """Weighted sums of the vectors of each owner. # (count, 3)."""
    return np.column_stack([np.bincount(owners, weights * v, count) for v in vectors.T])


def _groups(count: int, one: Indices, other: Indices) -> Indices:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(one), dtype=np.int8), (one, other)), shape=(count, count))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)


# ----------------------------------------------------------------------------------------- Search


class _Guess(NamedTuple):
    """A surface through a few facets, and the farthest that a corner of theirs lies from it."""

    surface: Surface
    facets: Indices
    residual: float


class _Grown(NamedTuple):
    """A surface and the facets on it."""

    surface: Surface
    facets: Indices
    area: float
    open: float  # share of its rim that does not end at an edge, a known surface or a large flat


class _Search:
    """Which facets belong to which surface, as far as it is found.

    Args:
        facets: of the mesh.
    """

    def __init__(self, facets: _Facets) -> None:
        self._facets = facets
        self._owner = np.full(facets.count, -1)
        self._surfaces: list[Surface] = []
        self._failed: dict[int, int] = {}  # seeds without a surface, and facets around them
        self._visited = np.zeros(facets.count, dtype=np.int64)
        self._visit = 0
        self._room = [
            (
                facets.rounding + min(loose[0] * facets.size, loose[1]),
                facets.rounding + min(close[0] * facets.size, close[1]),
            )
            for loose, close in TOLERANCES
        ]
        self._loose, self._close = self._room[-1]
        self._exact = max(facets.rounding, _written(facets.mesh.vertices, facets.size))

    def find_exact(self) -> None:
        """Find surfaces that many corners lie on exactly, wherever they end.

        CAD states corners inside a face as exactly as the file can; only those along its edges
        stray. So such a surface is proven by what is inside of it, and then has the facets at its
        rim whose corners lie on it loosely.
        """
        facets = self._facets
        loose = self._room[-1][0]
        if self._exact > self._room[1][1] - facets.rounding:  # too coarse to prove anything
            return
        self._loose = self._close = self._exact
        tried = ~facets.inside
        seeds, failures = np.flatnonzero(facets.inside), 0
        for seed in seeds[self._turns(seeds)].tolist():
            if self._owner[seed] >= 0 or tried[seed]:
                continue
            best = self._proven(seed, tried)
            if best is None:
                tried[self._around(seed, 1)] = True
                if (failures := failures + 1) >= _UNPROVEN:
                    break
                continue
            own = self._with_rim(best, loose)
            self._take(best._replace(facets=own))

    def _proven(self, seed: int, tried: Mask) -> _Grown | None:
        """The simplest surface through a seed that corners around it lie on exactly.

        Facets of what too few corners prove are noted as tried.
        """
        facets = self._facets
        found = []
        for guess in self._guesses(seed, _NEAR * self._exact):
            if (grown := self._settled(guess)) is None:
                continue
            if len(facets.inner_points(grown.facets)) >= _PROVEN:
                found.append(grown)
            else:
                tried[grown.facets] = True
        most = max((one.area for one in found), default=0.0)
        return next((one for one in found if one.area >= _NEARLY * most), None)

    def _with_rim(self, grown: _Grown, loose: float) -> Indices:
        """Facets of a surface and those around its exact corners, where all of them lie loosely."""
        facets, surface = self._facets, grown.surface
        lies = np.full(facets.count, -1, dtype=np.int8)  # not known
        deepest = self._deepest(surface, grown.facets)
        own = front = grown.facets
        lies[own] = 1
        while len(front):
            corners = np.unique(facets.corners.take(front))
            away = np.abs(surface.distance(facets.mesh.vertices[corners]))
            corners = corners[away <= self._exact]
            if not len(corners):
                break
            places, starts = facets.around.places(corners)
            fan = facets.around.items[places]
            some = np.unique(fan[lies[fan] < 0])
            if len(some):
                near = facets.farthest(surface, some) <= loose
                near &= np.abs(surface.distance(facets.centres[some])) <= deepest
                smooth = facets.along(surface, some) >= np.cos(2.0 * SMOOTH)  # slivers lean
                lies[some] = near & smooth & (self._owner[some] < 0)
            inner = np.logical_and.reduceat(lies[fan] > 0, starts)
            front = np.setdiff1d(facets.around.take(corners[inner]), own)
            own = np.union1d(own, front)
        return own

    def find_curved(self, *, open_too: bool) -> None:
        """Find curved surfaces from seeds, facets that bend as those beside them first, by width.

        Args:
            open_too: take those, too, that end neither at edges of the part, nor at surfaces that
                are known or at large flats, where many corners lie on them. What runs on into its
                like may be a part of a face, or more than one.
        """
        facets = self._facets
        tried = np.zeros(facets.count, dtype=bool)
        seeds = np.flatnonzero((np.diff(facets.beside.starts) >= 2) & ~facets.broad)
        piece = self._pieces()
        failures = np.zeros(facets.count, dtype=np.int64)
        for seed in seeds[self._turns(seeds)].tolist():
            if self._owner[seed] >= 0 or tried[seed]:
                continue
            if failures[piece[seed]] >= _FAILURES[0] or failures.sum() >= _FAILURES[1]:
                continue
            if self._lies_beside(seed):
                continue
            patch = self._around(seed, _RINGS)
            if self._failed.get(seed) == len(patch):  # as in an earlier pass
                tried[patch] = True
                continue
            best = self._best(seed)
            if best is None:
                failures[piece[seed]] += 1
                tried[patch] = True
                self._failed[seed] = len(patch)
            elif best.open <= 0.0 or (open_too and self._is_sure(best)):
                failures[piece[seed]] = 0
                self._take(best)
            else:
                tried[best.facets] = True

    def _turns(self, seeds: Indices) -> Indices:
        """Order of seeds: in turn the most even one, of those the widest, and the widest of all.

        Even facets are not at a rim, where a first surface would be fitted to facets of two; wide
        ones are not of the many small facets of a freeform, which may be even, too.
        """
        wide = -self._facets.areas[seeds]
        even = np.lexsort([wide, self._facets.unevenness[seeds] // _UNEVEN])
        ranks = [
            2 * np.argsort(order, kind="stable")
            for order in (even, np.argsort(wide, kind="stable"))
        ]
        return np.argsort(np.minimum(ranks[0], ranks[1] + 1), kind="stable")

    def _lies_beside(self, seed: int) -> bool:
        """Whether a facet lies loosely on a known surface next to it: it begins no other."""
        one = np.array([seed])
        beside = np.unique(self._owner[self._facets.beside.take(one)])
        self._loose = self._room[-1][0]
        return any(
            self._lies(self._surfaces[number], one)[0] for number in beside.tolist() if number >= 0
        )

    def _best(self, seed: int) -> _Grown | None:
        """The simplest surface through a seed that explains nearly as much as any.

        With the closest of the tolerances with which it ends; else with which it runs on least.
        """
        guesses, fresh = list[_Guess](), self._guesses(seed)
        chosen: list[_Grown] = []
        for room in self._room:
            self._loose, self._close = room
            settled = map(self._settled, chain(tuple(guesses), _kept(fresh, guesses)))
            found = [one for one in settled if one is not None]
            most = max((one.area for one in found), default=0.0)
            best = next((one for one in found if one.area >= _NEARLY * most), None)
            if best is None:
                continue
            if best.open <= 0.0:
                return best
            chosen.append(best)
        least = min((one.open for one in chosen), default=0.0)
        return next((one for one in chosen if one.open <= least + _AS_OPEN), None)

    def _is_sure(self, grown: _Grown) -> bool:
        """Whether so many corners lie on a surface that it is one wherever it ends."""
        points = self._facets.points(grown.facets)
        return len(points) >= _SURE[0 if self._is_exact(grown.surface, points) else 1]

    def _pieces(self) -> Indices:
        """Number of the smooth piece that every facet without a surface belongs to. # (f,)."""
        facets = self._facets
        free = self._owner < 0
        owners = facets.owners
        both = free[owners] & free[facets.beside.items]
        return _groups(facets.count, owners[both], facets.beside.items[both])

    def _take(self, grown: _Grown) -> None:
        self._owner[grown.facets] = len(self._surfaces)
        self._surfaces.append(grown.surface)

    def _around(self, seed: int, rings: int) -> Indices:
        """Facets without a surface about a seed, over smooth edges."""
        found = np.array([seed])
        for _ in range(rings):
            beside = self._facets.beside.take(found)
            found = np.unique(np.append(found, beside[self._owner[beside] < 0]))
            if len(found) > 200:
                break
        return found

    def _guesses(self, seed: int, near: float = np.inf) -> Iterator[_Guess]:
        """First surfaces through a seed and facets around it, the simplest kinds first.

        Args:
            seed: a facet.
            near: the farthest that corners lie from one, the median of those of a patch that it is
                to be fitted to. [m]
        """
        facets = self._facets
        beside = np.unique(facets.beside.take(np.array([seed])))
        beside = beside[self._owner[beside] < 0]
        widest = beside[np.argsort(-facets.areas[beside], kind="stable")][:4].tolist()
        rows = [np.array([a, seed, b]) for a, b in combinations(widest, 2)]
        for guess in (_cylinder, _cone):
            for row in rows:
                surface = guess(facets.points(row), facets.normals[row])
                first = None if surface is None else self._guess(surface, row)
                if first is not None and first.residual <= near:
                    yield first
                    break
        yield from self._revolved(self._around(seed, _RINGS), near)

    def _revolved(self, patch: Indices, near: float) -> Iterator[_Guess]:
        """Spheres, cones and tori that corners of a patch lie on exactly.

        Args:
            patch: facets.
            near: the farthest that the median corner lies from one before it is fitted. [m]
        """
        facets = self._facets
        if len(patch) < 2 * _FEWEST:
            return
        points = facets.points(patch)
        for surface in _revolved(points, facets.centres[patch], facets.normals[patch]):
            if np.median(np.abs(surface.distance(points))) > near:
                continue
            fitted = _minimised(surface, _sampled(surface, points), _STEPS[0])
            if fitted is None or np.median(np.abs(fitted.distance(points))) > self._exact:
                continue
            if first := self._guess(fitted, patch):
                yield first

    def _guess(self, surface: Surface, facets: Indices) -> _Guess | None:
        residual = float(self._facets.farthest(surface, facets).max())
        return _Guess(surface, facets, residual) if residual <= self._room[-1][0] else None

    def _settled(self, guess: _Guess) -> _Grown | None:
        """Grow a surface and fit it again to what it covers, until both stay."""
        if guess.residual > self._loose:
            return None
        surface, start = guess.surface, guess.facets
        covered: Indices = start
        for _ in range(_ROUNDS):
            grown = self._grown(surface, start)
            if len(grown) < len(start):
                return None
            if len(grown) < _FEWEST:
                return None
            fitted = _fitted(surface, self._facets.points(grown))
            if fitted is None:
                return None
            surface = fitted
            if np.array_equal(grown, covered):
                break
            covered = grown
        covered = self._without_flats(surface, covered)
        if len(covered) >= _FEWEST and not self._exact_inside(surface, covered):
            surface, covered = self._exact_part(surface, covered)
        if len(covered) < _FEWEST or not self._accepted(surface, covered):
            return None
        surface = self._turned(surface, covered)
        area = float(self._facets.areas[covered].sum())
        return _Grown(surface, covered, area, self._open(covered))

    def _grown(self, surface: Surface, seeds: Indices) -> Indices:
        """Facets around the seeds whose corners lie on a surface, over smooth edges."""
        facets = self._facets
        self._visit += 1
        seeds = seeds[self._lies(surface, seeds)]
        if not len(seeds):
            return seeds
        side = float(np.sign(facets.along(surface, seeds).sum()))
        self._visited[seeds] = self._visit
        layers, front = [seeds], seeds
        while len(front):
            beside = facets.beside.take(front)
            fresh = (self._owner[beside] < 0) & (self._visited[beside] != self._visit)
            beside = np.unique(beside[fresh])
            if not len(beside):
                break
            self._visited[beside] = self._visit
            front = beside[self._lies(surface, beside)]
            if len(front):
                front = front[side * facets.along(surface, front) > 0.0]
            layers.append(front)
        return np.sort(np.concatenate(layers))

    def _lies(self, surface: Surface, some: Indices) -> Mask:
        facets = self._facets
        room = np.minimum(self._loose, facets.rounding + _LEANS * facets.widths[some])
        near = facets.farthest(surface, some) <= room
        return np.asarray(near & (np.abs(facets.along(surface, some)) >= np.cos(SMOOTH)))

    def _without_flats(self, surface: Surface, some: Indices) -> Indices:
        """Facets but for those much farther inside than the usual one: flats cut into a shaft."""
        facets = self._facets
        sag = np.abs(surface.distance(facets.centres[some]))
        return some[sag <= self._deepest(surface, some)]

    def _depths(self) -> Array:
        """How far inside each surface facets may lie that are like its own. [m]."""
        depths = np.full(len(self._surfaces), np.inf)
        for number, own in self._rows().items():
            depths[number] = self._deepest(self._surfaces[number], own)
        return depths

    def _deepest(self, surface: Surface, some: Indices | Mask) -> float:
        """How far inside a surface facets may lie that are like some of its own. [m]."""
        sag = np.abs(surface.distance(self._facets.centres[some]))
        return _SAG * float(np.percentile(sag, 75.0)) + self._loose if len(sag) else np.inf

    def _accepted(self, surface: Surface, some: Indices) -> bool:
        facets = self._facets
        points = facets.points(some)
        away = np.abs(surface.distance(points))
        if np.median(away) > self._close or not self._exact_inside(surface, some):
            return False
        try:
            fit(surface.kind, _sampled(surface, points[away <= self._close]), hint=surface)
        except PartError:  # it could as well be another: too short an arc, or a plane
            return False
        centred = points - points.mean(axis=0)
        if not self._bends_along(surface, some):
            return False
        radius = getattr(surface, "radius", getattr(surface, "major_radius", 0.0))
        if radius > _FLATTEST * np.ptp(points, axis=0).max():
            return False
        normal = np.linalg.svd(centred, full_matrices=False)[2][-1]
        return bool(np.ptp(centred @ normal) > _BENT * self._loose)

    def _exact_inside(self, surface: Surface, some: Indices) -> bool:
        """Whether corners inside a region lie on a surface but for their rounding.

        Only on edges are corners of CAD sloppy. Inside, those of a freeform that is much like a
        surface tell it from one.
        """
        inner = self._facets.inner_points(some)
        if len(inner) < _INSIDE:
            return True
        return bool(np.percentile(np.abs(surface.distance(inner)), 90.0) <= self._exact)

    def _exact_part(self, surface: Surface, some: Indices) -> tuple[Surface, Indices]:
        """Fit to the closer half of the corners, and leave out facets without an exact one.

        The facets of a face have corners inside it or along an edge of it that is exact; what a
        loose surface takes in of its neighbours, behind an edge that is not, has none.
        """
        facets = self._facets
        surface = self._closely_fitted(surface, facets.points(some))
        on = facets.nearest(surface, some) <= self._exact
        own = some[on & (facets.farthest(surface, some) <= self._loose)]
        mostly = facets.areas[own].sum() >= _MOSTLY * facets.areas[some].sum()
        exact = mostly and self._is_exact(surface, facets.points(own))
        return surface, own if exact else own[:0]

    def _closely_fitted(self, surface: Surface, points: Array) -> Surface:
        """The surface through the closer half of some corners."""
        for _ in range(_ROUNDS):
            away = np.abs(surface.distance(points))
            used = points[away <= np.median(away)]
            fitted = _minimised(surface, _sampled(surface, used), _STEPS[1])
            if fitted is None:
                break
            surface = fitted
        return surface

    def _is_exact(self, surface: Surface, points: Array) -> bool:
        """Whether half of some corners lie on a surface but for their rounding."""
        return bool(np.median(np.abs(surface.distance(points))) <= self._exact)

    def _bends_along(self, surface: Surface, some: Indices) -> bool:
        """Whether facets lie no farther inside a surface than their bends explain.

        Corners of straight strips lie on a barrel as well as on a cylinder.
        """
        facets = self._facets
        places, _ = facets.beside.places(some)
        own = np.isin(facets.beside.items[places], some)
        bends = facets.sags[places[own]]
        bends = bends[np.isfinite(bends)]
        inside = np.abs(surface.distance(facets.centres[some]))
        explained = _SAG * float(bends.max(initial=0.0)) + self._loose
        return bool(np.percentile(inside, 75.0) <= explained)

    def _open(self, covered: Indices) -> float:
        """Share of the rim of facets along which they run on into others of their like."""
        facets = self._facets
        usual = float(np.median(facets.areas[covered]))
        places, _ = facets.beside.places(covered)
        beside, lengths = facets.beside.items[places], facets.edge_lengths[places]
        own = np.isin(beside, covered)
        open_ = (self._owner[beside] < 0) & ~own & (facets.areas[beside] < _BROAD * usual)
        whole, running = float(facets.rims[covered].sum()), float(lengths[open_].sum())
        if running <= 0.01 * whole:
            return 0.0
        return running / (whole - float(lengths[own].sum()))

    def _turned(self, surface: Surface, some: Indices) -> Surface:
        """With the outside of the facets."""
        along = self._facets.along(surface, some)
        if float(along @ self._facets.areas[some]) < 0.0:
            return replace(surface, reversed=not surface.reversed)  # type: ignore[type-var]
        return surface

    def take_planes(self) -> None:
        """What is flat and no facet of something curved: of several triangles, large, or alone."""
        facets = self._facets
        self._loose, self._close = self._room[-1]
        free = self._owner < 0
        alone = np.bincount(self._pieces(), minlength=facets.count)[self._pieces()] == 1
        flat = (
            (facets.triangles >= _FLAT) | alone | facets.broad | (self._sag() > 4.0 * self._chord())
        )
        flat &= free & np.any(facets.normals != 0.0, axis=1)
        if flat.sum() > _MOST:  # a scan: its triangles are no planes
            flat &= facets.areas > _BROAD * np.median(facets.areas)
        chosen = np.flatnonzero(flat)
        chosen = chosen[np.argsort(-facets.areas[chosen], kind="stable")][:_MOST]
        for one in chosen.tolist():
            own = np.array([one])
            plane = _plane(facets.points(own), facets.normals[one], self._close)
            self._take(_Grown(plane, own, 0.0, 0.0))

    def _sag(self) -> Array:
        """How far facets would lie inside the surface that they and a neighbour bend along. # (f,).

        The least of all free neighbours; infinite without any. [m]
        """
        facets = self._facets
        owners = facets.owners
        free = (self._owner[owners] < 0) & (self._owner[facets.beside.items] < 0)
        sag = np.full(facets.count, np.inf)
        np.minimum.at(sag, owners[free], facets.sags[free])
        return sag

    def _chord(self) -> float:
        """The farthest that facets lie inside the surfaces that were found: what the mesh is like.

        A thousandth of the part where there are none. [m]
        """
        facets = self._facets
        sags = [
            float(np.abs(surface.distance(facets.centres[self._owner == number])).max())
            for number, surface in enumerate(self._surfaces)
            if np.any(self._owner == number)
        ]
        return max(sags, default=1e-3 * facets.size)

    def settle_borders(self) -> None:
        """Give facets along borders to the surface that they lie on best, and fit again.

        A sloppy surface takes in the first facets of its neighbours, and a close one leaves the
        last of its own: which of two it is shows once both surfaces are known.
        """
        self._loose, self._close = self._room[-1]
        depths = self._depths()
        changed = self._contested(depths) | self._left_over(depths) | self._joined()
        for number, own in self._rows().items():
            if number in changed:
                self._surfaces[number] = self._fitted_again(self._surfaces[number], own)

    def _rows(self) -> dict[int, Indices]:
        """Facets of every surface that has some."""
        order = np.argsort(self._owner, kind="stable")
        numbers, starts = np.unique(self._owner[order], return_index=True)
        rows = dict(zip(numbers.tolist(), np.split(order, starts[1:]), strict=True))
        rows.pop(-1, None)
        return rows

    def _fitted_again(self, surface: Surface, own: Indices) -> Surface:
        if isinstance(surface, Plane):
            return surface
        points = self._facets.points(own)
        away = np.abs(surface.distance(points))
        close = points[away <= max(4.0 * float(np.median(away)), self._facets.rounding)]
        fitted: Surface | None = self._closely_fitted(surface, points)
        if fitted is None or not self._is_exact(fitted, points):
            fitted = _fitted(surface, close)
        if fitted is None or self._facets.farthest(fitted, own).max() > self._loose:
            return surface
        return self._turned(fitted, own)

    def _away(self, some: Indices, numbers: Indices, depths: Array) -> Array:
        """How far facets lie from a surface each; infinite where they do not lie on it. [m]."""
        facets, result = self._facets, np.full(len(some), np.inf)
        order = np.argsort(numbers, kind="stable")
        wanted, starts = np.unique(numbers[order], return_index=True)
        for number, rows in zip(wanted.tolist(), np.split(order, starts[1:]), strict=False):
            if number >= 0:
                surface = self._surfaces[number]
                away = facets.farthest(surface, some[rows])
                inside = np.abs(surface.distance(facets.centres[some[rows]]))
                on = (away <= self._loose) & (inside <= depths[number])
                on &= facets.along(surface, some[rows]) >= np.cos(SMOOTH)
                result[rows] = np.where(on, away, np.inf)
        return result

    def _nearest(
        self, owner: Indices, among: Mask, depths: Array
    ) -> tuple[Indices, Indices, Array]:
        """Facets at borders, the surface beside each that it lies on best, and how far from it."""
        facets = self._facets
        own = facets.owners
        number = owner[facets.beside.items]
        apart = among[own] & (number >= 0) & (number != owner[own])
        some, numbers = np.unique(np.column_stack([own[apart], number[apart]]), axis=0).T
        away = self._away(some, numbers, depths)
        order = np.lexsort([away, some])
        first = order[np.unique(some[order], return_index=True)[1]]
        return some[first], numbers[first], away[first]

    def _contested(self, depths: Array) -> set[int]:
        """Facets that lie much better on the surface beside them change over to it."""
        changed: set[int] = set()
        among = self._owner >= 0
        for _ in range(_LAYERS):
            some, numbers, away = self._nearest(self._owner, among, depths)
            now = self._away(some, self._owner[some], depths)
            better = (now > self._facets.rounding) & (away < 0.5 * now)
            if not better.any():
                break
            some, numbers = some[better], numbers[better]
            changed |= {*self._owner[some].tolist(), *numbers.tolist()}
            self._owner[some] = numbers
        return changed

    def _left_over(self, depths: Array) -> set[int]:
        """Facets between surfaces that all lie loosely on them: their sloppy edges.

        First those that lie closely on one: a surface that others lie on loosely would cut them off
        from their own.
        """
        owner, pieces = self._owner.copy(), self._pieces()
        for room in (self._close, self._loose):
            for _ in range(_LAYERS):
                some, numbers, away = self._nearest(owner, owner < 0, depths)
                on = away <= room
                if not on.any():
                    break
                owner[some[on]] = numbers[on]
        left = np.bincount(pieces[owner < 0], minlength=self._facets.count)
        taken = (self._owner < 0) & (left[pieces] == 0)
        self._owner[taken] = owner[taken]
        return set(owner[taken].tolist())

    def _joined(self) -> set[int]:
        """Regions beside each other that lie on one surface become one: the larger one's number."""
        facets, owner = self._facets, self._owner
        owners = owner[facets.owners]
        beside = owner[facets.beside.items]
        apart = (owners >= 0) & (beside >= 0) & (owners != beside)
        pairs = np.unique(np.column_stack([owners[apart], beside[apart]]), axis=0)
        area = np.bincount(owner[owner >= 0], facets.areas[owner >= 0], len(self._surfaces))
        rows = self._rows()
        pairs = pairs[area[pairs[:, 0]] >= area[pairs[:, 1]]]
        changed: set[int] = set()
        for large, small in pairs[np.argsort(-area[pairs[:, 0]], kind="stable")].tolist():
            if large not in rows or small not in rows:
                continue
            both = np.concatenate([rows[large], rows[small]])
            surface = self._of_both(large, small, rows[small], both)
            if surface is None:
                continue
            self._surfaces[large] = surface
            owner[rows.pop(small)], rows[large] = large, both
            changed.add(large)
        return changed

    def _of_both(self, large: int, small: int, own: Indices, both: Indices) -> Surface | None:
        """The surface of two regions, the facets of the smaller given; None where they have two."""
        facets, surface, other = self._facets, self._surfaces[large], self._surfaces[small]
        away = facets.farthest(surface, own).max()
        if isinstance(surface, Plane) or isinstance(other, Plane):
            level = facets.along(surface, own).min() >= np.cos(_LEVEL)
            same = isinstance(surface, type(other)) and away <= self._loose and level
            return surface if same else None
        if away > (_SAME_KIND if isinstance(other, type(surface)) else 1.0) * self._loose:
            return None
        fitted = _fitted(surface, facets.points(both))
        if fitted is None or not self._on(fitted, both):
            return None
        return self._turned(fitted, both)

    def _on(self, surface: Surface, some: Indices) -> bool:
        """Whether all corners of facets lie on a surface loosely, and the median one closely."""
        away = np.abs(surface.distance(self._facets.points(some)))
        turned = np.abs(self._facets.along(surface, some))
        return bool(
            away.max() <= self._loose
            and np.median(away) <= self._close
            and turned.min() >= np.cos(SMOOTH)
        )

    def give_up_open_regions(self) -> None:
        """Curved regions most of whose rim runs on smoothly into facets without a surface.

        Not those that many corners inside prove, which may lie amid a freeform.
        """
        facets = self._facets
        number = len(self._surfaces)
        owners = facets.owners
        own, other = self._owner[owners], self._owner[facets.beside.items]
        inner = (own == other) & (own >= 0)
        into = (own >= 0) & (other < 0)
        whole = np.bincount(
            self._owner[self._owner >= 0], facets.rims[self._owner >= 0], minlength=number
        ) - np.bincount(own[inner], facets.edge_lengths[inner], minlength=number)
        lost = np.bincount(own[into], facets.edge_lengths[into], minlength=number)
        curved = np.array([not isinstance(one, Plane) for one in self._surfaces], dtype=bool)
        given_up = [
            number
            for number in np.flatnonzero(curved & (lost > _OPEN * whole)).tolist()
            if len(facets.inner_points(np.flatnonzero(self._owner == number))) < _PROVEN
        ]
        self._owner[np.isin(self._owner, given_up)] = -1

    def take_corners(self) -> None:
        """Give single facets to the surface that they lie on closely, where most of their rim is.

        At a corner of a face all of a facet's corners lie on edges, which may be sloppy; of it a
        freeform beside the face has nothing but one side.
        """
        facets = self._facets
        depths = self._depths()
        free = self._owner < 0
        open_ = facets.edge_lengths * free[facets.beside.items]
        free &= np.bincount(facets.owners, open_, facets.count) < 0.5 * facets.rims
        some, numbers, away = self._nearest(self._owner, free, depths)
        on = away <= self._close
        self._owner[some[on]] = numbers[on]

    def unite(self) -> None:
        """Give regions whose corners lie on one surface that of the largest of them."""
        facets = self._facets
        rows = self._rows()
        area = {number: float(facets.areas[own].sum()) for number, own in rows.items()}
        leaders: dict[type[Surface], list[int]] = {}
        for number in sorted(rows, key=lambda one: -area[one]):
            surface = self._surfaces[number]
            points = facets.points(rows[number])
            points = points[:: max(1, len(points) // 50)]
            for leader in leaders.setdefault(type(surface), []):
                if self._is_one(self._surfaces[leader], surface, points, rows[number]):
                    self._surfaces[number] = self._surfaces[leader]
                    break
            else:
                leaders[type(surface)].append(number)

    def _is_one(self, leader: Surface, own: Surface, points: Array, some: Indices) -> bool:
        facets = self._facets
        if np.abs(leader.distance(points[:1]))[0] > self._loose:
            return False
        away = np.abs(leader.distance(points))
        if away.max() > self._loose or np.median(away) > self._close:
            return False
        turn = np.sum(
            leader.normal(facets.centres[some]) * own.normal(facets.centres[some]), axis=1
        )
        return bool(turn.min() > np.cos(1e-2))

    def regions(self) -> Iterator[MeshRegion]:
        """All of them; facets without a surface in smooth pieces."""
        facets = self._facets
        owner = self._owner.copy()
        free = owner < 0
        pieces = self._pieces()
        if len(np.unique(pieces[free])) > _MOST:
            pieces[:] = 0
        owner[free] = len(self._surfaces) + pieces[free]
        owner = owner[facets.facet]
        order = np.argsort(owner, kind="stable")
        numbers, starts = np.unique(owner[order], return_index=True)
        for number, own in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True):
            rows = facets.rows[own]
            if number >= len(self._surfaces):
                yield MeshRegion(surface=None, triangles=rows)
                continue
            surface = self._surfaces[number]
            corners = facets.mesh.corners(rows)
            between = np.concatenate(
                [corners.mean(axis=1), (0.5 * (corners + corners[:, [1, 2, 0]])).reshape(-1, 3)]
            )
            residual = float(np.abs(surface.distance(corners.reshape(-1, 3))).max())
            yield MeshRegion(
                surface=surface,
                triangles=rows,
                residual=residual,
                deflection=max(residual, float(np.abs(surface.distance(between)).max())),
            )


def _kept(fresh: Iterator[_Guess], seen: list[_Guess]) -> Iterator[_Guess]:
    """The rest of some guesses, each noted as it is made."""
    for guess in fresh:
        seen.append(guess)
        yield guess


# ------------------------------------------------------------------------------------------- Fits


def _fitted(start: Surface, points: Array) -> Surface | None:
    """A surface fitted to corners, those of sloppy edges left out; None where none goes through."""
    points, surface = _sampled(start, points), start
    for _ in range(2):
        away = np.abs(surface.distance(points))
        used = points
        if surface is not start:
            used = points[away <= max(4.0 * float(np.median(away)), 1e-9)]
            if len(used) == len(points) or 2 * len(used) < len(points):
                break
        fitted = _minimised(surface, used, _STEPS[1])
        if fitted is None:
            return surface if surface is not start else None
        surface = fitted
    return surface


def _sampled(surface: Surface, points: Array) -> Array:
    """Corners for a fit: not too many, and none at the tip of a cone, which has no normal there."""
    if isinstance(surface, Cone):
        height = (points - surface.apex) @ surface.axis
        points = points[height > 1e-3 * height.max()]
    if len(points) > _SAMPLED:
        points = points[np.linspace(0, len(points) - 1, _SAMPLED).astype(int)]
    return points


def _minimised(start: Surface, points: Array, steps: int) -> Surface | None:
    """Least squares in few steps from near; ``fits.fit`` would look into what the answer is worth.

    None where no such surface goes through the points.
    """
    model = model_of(start.kind)
    try:
        cloud = cloud_of(points, model)
    except PartError:  # too few points, or spread in too few directions
        return None
    near = cloud.unitary(model.state_of(start), model.size_units)
    state = model.settled(minimise(model, cloud.unit, near, limit=steps).state)
    if not model.sound(cloud.unit, state):
        return None
    shape = model.shape(cloud.physical(state, model.size_units), start.reversed)
    return shape if isinstance(shape, type(start)) else None


def _plane(points: Array, normal: Array, close: float) -> Plane:
    """The plane through corners, those of sloppy edges left out."""
    centre, axis = points.mean(axis=0), normal
    for _ in range(2):
        away = np.abs((points - centre) @ axis)
        used = points[away <= max(float(np.median(away)), close)]
        if len(used) > 3:
            centre = used.mean(axis=0)
            axis = np.linalg.svd(used - centre, full_matrices=False)[2][-1]
    return Plane(point=centre, axis=axis if axis @ normal > 0.0 else -axis)


# ----------------------------------------------------------------------- From three facets in a row


class _Circle(NamedTuple):
    """Circles of one centre at some levels. Args: centre (2,); radii of the levels."""

    centre: Array
    radii: Array


def _circles(flat: Array, level: Indices) -> _Circle | None:
    """Circles about one centre through points of several levels; None where there are none."""
    levels = int(level.max()) + 1
    A = np.column_stack([2.0 * flat, np.eye(levels)[level]])
    solution, _, rank, _ = np.linalg.lstsq(A, np.sum(flat**2, axis=1), rcond=None)
    squares = solution[2:] + solution[:2] @ solution[:2]
    if rank < 2 + levels or np.any(squares <= 0.0):
        return None
    return _Circle(centre=solution[:2], radii=np.sqrt(squares))


def _frame(axis: Array) -> Array:
    x = across(axis)
    return np.column_stack([x, np.cross(axis, x)])


def _cylinder(points: Array, normals: Array) -> Surface | None:
    """The cylinder of three facets, whose normals lie in one plane."""
    crossed = np.cross(normals[[0, 1, 0]], normals[[1, 2, 2]])
    lengths = np.linalg.norm(crossed, axis=1)
    if lengths.max() < 1e-3:
        return None
    axis = crossed[lengths.argmax()] / lengths.max()
    if np.abs(normals @ axis).max() > _LEANING:
        return None
    frame, origin = _frame(axis), points.mean(axis=0)
    circle = _circles((points - origin) @ frame, np.zeros(len(points), dtype=np.int64))
    if circle is None:
        return None
    return Cylinder(point=origin + frame @ circle.centre, axis=axis, radius=float(circle.radii[0]))


_LEANING = 4e-3  # cosine between axis and normals of facets


def _cone(points: Array, normals: Array) -> Surface | None:
    """The cone of three facets between two circles, whose normals lean alike to its axis."""
    axis = np.cross(normals[0] - normals[1], normals[2] - normals[1])
    length = float(np.linalg.norm(axis))
    if length < 1e-6:
        return None
    axis = axis / length
    if not 0.01 < abs(float(normals[1] @ axis)) < 0.9999:
        return None
    frame, origin = _frame(axis), points.mean(axis=0)
    flat, heights = (points - origin) @ frame, (points - origin) @ axis
    size = float(np.abs(heights).max())
    if size <= 0.0:
        return None
    # (x - a)² + (y - b)² = r², with r² of the second degree in the height
    powers = np.stack([np.ones(len(heights)), heights / size, (heights / size) ** 2], axis=1)
    A = np.column_stack([2.0 * flat, powers])
    solved = np.linalg.lstsq(A, np.sum(flat**2, axis=1), rcond=None)[0]
    ends = np.array([heights.min(), heights.max()]) / size
    squares = solved[:2] @ solved[:2] + np.polynomial.polynomial.polyval(ends, solved[2:])
    if np.any(squares <= 0.0):
        return None
    low, high = np.sqrt(squares).tolist()
    slope = (high - low) / (size * float(ends[1] - ends[0]))
    if slope == 0.0:
        return None
    return _cone_of(origin + frame @ solved[:2], axis, slope, size * float(ends[0]) - low / slope)


def _cone_of(foot: Array, axis: Array, slope: float, height: float) -> Cone | None:
    """The cone about an axis whose radius grows with a slope from a height on."""
    if not 1e-4 < abs(slope) < 1e4:
        return None
    return Cone(
        apex=foot + height * axis,
        axis=axis if slope > 0.0 else -axis,
        half_angle=float(np.arctan(abs(slope))),
    )


# ------------------------------------------------------------------- From the normals around a seed


def _revolved(points: Array, feet: Array, normals: Array) -> Iterator[Surface]:
    """Spheres, cones and tori that a patch may lie on.

    The normals of a surface of revolution meet its axis: n·m + (p × n)·d = 0 for an axis of
    direction d and moment m, which are linear equations. Seen along the axis its meridian is a
    line or a circle. Source: the kinematic surfaces of Pottmann and Randrup, 1998.

    Args:
        points: corners of the patch. # (k, 3) [m]
        feet: of the normals. # (f, 3) [m]
        normals: unit. # (f, 3)
    """
    origin = points.mean(axis=0)
    size = float(np.abs(points - origin).max())
    p, q = (feet - origin) / size, (points - origin) / size
    A = np.column_stack([2.0 * q, np.ones(len(q))])
    solved = np.linalg.lstsq(A, np.sum(q**2, axis=1), rcond=None)[0]
    square = float(solved[3] + solved[:3] @ solved[:3])
    if 0.0 < square < 1e6:
        yield Sphere(centre=origin + size * solved[:3], radius=size * float(np.sqrt(square)))
    lines = np.column_stack([normals, np.cross(p, normals)])
    for row in np.linalg.svd(lines)[2][::-1][:2]:
        moment, direction = row[:3], row[3:]
        length = float(np.linalg.norm(direction))
        if length < 1e-6:
            continue
        axis = direction / length
        foot = np.cross(axis, moment / length)
        yield from _meridians(q, axis, foot, origin, size)


def _meridians(q: Array, axis: Array, foot: Array, origin: Array, size: float) -> Iterator[Surface]:
    """A cone and a torus about an axis, from the meridian of points."""
    arms = q - foot
    heights = arms @ axis
    radii = np.linalg.norm(arms - np.outer(heights, axis), axis=1)
    slope, radius = np.polyfit(heights, radii, 1) if np.ptp(heights) > 1e-6 else (0.0, 1.0)
    if abs(slope) > 1e-4:
        cone = _cone_of(origin + size * foot, axis, float(slope), -size * float(radius / slope))
        if cone is not None:
            yield cone
    circle = _circles(np.column_stack([heights, radii]), np.zeros(len(q), dtype=np.int64))
    if circle is not None and circle.centre[1] > 1e-6 and circle.radii[0] < 1e3:
        yield Torus(
            centre=origin + size * (foot + circle.centre[0] * axis),
            axis=axis,
            major_radius=size * float(circle.centre[1]),
            minor_radius=size * float(circle.radii[0]),
        )
