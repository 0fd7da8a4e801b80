"""Capsules and convex pieces about a triangle mesh, with a proof that they contain it.

One capsule contains a mesh as soon as it contains its vertices, for it is convex. Several capsules
share the mesh by planes: a plane cuts every triangle that crosses it into convex pieces, and each
piece lies in the capsule of its side as soon as its corners do. So the proof is finite: vertices,
and the points where edges cross the planes. It needs no exact crossing: any two points on two edges
cut a triangle into pieces that are the convex hulls of their corners. So its bound is the greatest
distance by which a corner is outside, and what rounding moves a corner off its edge. Whatever lies
inside a closed mesh is contained as well: each side of a body is in the convex hull of its vertices
and cut points.

A capsule is found by sequential quadratic programming in its two ends and its radius, over the
points that touch it. About what each capsule holds a convex piece is laid as well (``piece_fit``):
the mesh lies in both. So a plane is worth a capsule where the mesh bends away from its convex hull:
it is found by a search over directions and offsets and the Nelder-Mead method, for the minimum
volume of the hulls on its two sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from robots.core.arrays import Array, Indices, Mask, freeze_field
from robots.core.shapes.piece_fit import NONE, face_planes, fit_piece, piece_depth

# What the arithmetic of distances and cuts may lose, in multiples of the mesh's size: coordinates
# and differences have a relative error of 2^-53 each, a dozen of them stand in one distance.
ROUNDING = 1e-14
MOST = 3  # capsules about a mesh: an elbow between two arms
_BLOCK = 4096  # points whose heights over the planes of a piece are found at once


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stadium:
    """All points within a radius of a segment: a capsule in the frame of its mesh, unnamed.

    Args:
        start: one end of the segment. # (3,) [m]
        end: the other. # (3,) [m]
        radius: [m]
        corners: of a convex piece that what the capsule stands for lies in as well; none where
            there is no such piece. # (k, 3) [m]
    """

    start: Array
    end: Array
    radius: float
    corners: Array = field(default_factory=NONE.copy)

    def __post_init__(self) -> None:
        for what in ("start", "end", "corners"):
            freeze_field(self, what, np.array(getattr(self, what), dtype=np.float64))

    @property
    def length(self) -> float:
        """Of the segment. [m]."""
        return float(np.linalg.norm(self.end - self.start))

    @property
    def volume(self) -> float:
        """[m³]."""
        return _volume(self.length, self.radius)

    def distances(self, points: Array) -> Array:
        """Distances of points from the segment. # (n, 3) → (n,) [m]."""
        return np.sqrt(_squares(points, self.start, self.end)[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cut:
    """A plane that splits a cell in two: below it (normal · x ≤ offset), and above.

    Args:
        cell: index of the cell that it splits; the part above becomes a new, last cell.
        normal: unit vector. # (3,)
        offset: [m]
    """

    cell: int
    normal: Array
    offset: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CapsuleFit:
    """Capsules, each with its piece, that together contain a mesh.

    Args:
        capsules: one for each cell.
        cuts: planes that make the cells, in their order; none for one capsule.
        volume: of the union of what each capsule and its piece have in common. [m³]
        hull_volume: of the mesh's convex hull. [m³]
    """

    capsules: tuple[Stadium, ...]
    cuts: tuple[Cut, ...]
    volume: float
    hull_volume: float

    @property
    def excess(self) -> float:
        """Volume of the union over that of the convex hull, minus one."""
        return self.volume / self.hull_volume - 1.0 if self.hull_volume > 0.0 else math.inf


def fit_capsules(
    vertices: Array, faces: Indices, *, most: int = MOST, gain: float = 0.05
) -> CapsuleFit:
    """Fit capsules and pieces of minimum volume about a mesh that contain it.

    Args:
        vertices: # (v, 3) [m]
        faces: corners of the triangles. # (f, 3)
        most: number of capsules allowed.
        gain: share of the convex hulls' volume that another capsule must save to be worth its time.
    """
    whole = _Soup.of_mesh(vertices, faces)
    cells, cuts = _divide(whole, most, gain)
    size = float(np.abs(whole.points).max())
    capsules = tuple(
        replace(_grown(fit_capsule(cell.points), cell.points, size), corners=fit_piece(cell.points))
        for cell in cells
    )
    return CapsuleFit(
        capsules=capsules,
        cuts=tuple(cuts),
        volume=union_volume(capsules),
        hull_volume=hull_volume(whole.points),
    )


def uncovered(vertices: Array, faces: Indices, fit: CapsuleFit) -> float:
    """Bound on how far any point of the mesh lies outside the union of the capsules, or the pieces.

    Negative or zero proves that all of them contain it, whatever rounding does. [m]
    """
    size = float(np.abs(vertices).max(initial=0.0))
    worst = -math.inf
    cells = _cells(_Soup.of_mesh(vertices, faces), fit.cuts)
    for capsule, cell in zip(fit.capsules, cells, strict=True):
        beyond = capsule.distances(cell.points) - capsule.radius
        worst = max(worst, float(beyond.max(initial=-math.inf)))
        if len(capsule.corners):
            worst = max(worst, piece_depth(capsule.corners, cell.points))
    return worst + ROUNDING * size


def union_volume(capsules: Sequence[Stadium], count: int = 1 << 17) -> float:
    """Volume of the union, by a lattice of fixed points in each capsule. [m³].

    Of a capsule with a piece what both have in common counts. What several share is counted once,
    with the first of them. With 131,072 points the error is below 1e-3 of the capsule's volume;
    with one capsule alone there is none.
    """
    total = 0.0
    for index, capsule in enumerate(capsules):
        share = 1.0
        if index or len(capsule.corners):
            points = _lattice(capsule, count)
            own = _within(capsule, points)
            for other in capsules[:index]:
                own &= ~_within(other, points)
            share = float(np.count_nonzero(own)) / len(points)
        total += share * capsule.volume
    return total


def _within(capsule: Stadium, points: Array) -> Mask:
    """Which points lie in a capsule, and in its piece if it has one."""
    inside = _squares(points, capsule.start, capsule.end)[0] <= capsule.radius**2
    if len(capsule.corners):
        planes = face_planes(capsule.corners)
        # The heights of all points over all planes take a hundred megabytes and more.
        for block in range(0, len(points), _BLOCK):
            rows = slice(block, block + _BLOCK)
            inside[rows] &= (points[rows] @ planes[:, :3].T + planes[:, 3] <= 0.0).all(axis=1)
    return np.asarray(inside)


# --------------------------------------------------------------------------------- Pieces of a mesh


def _cells(soup: _Soup, cuts: Sequence[Cut]) -> list[_Soup]:
    """The pieces of all triangles, by cell."""
    cells = [soup]
    for cut in cuts:
        below, above = cells[cut.cell].split(cut)
        cells[cut.cell] = below
        cells.append(above)
    return cells


class _Soup:
    """Convex pieces of triangles: points, and the edges between them that a plane may cross.

    A cut of a convex polygon crosses two of its edges; the new edge between the two crossings is
    kept as well, so that a second plane that crosses the piece there is noticed. Diagonals of a
    polygon need none: a plane that crosses a diagonal crosses edges on its way.
    """

    def __init__(self, points: Array, edges: Indices, face: Indices) -> None:
        self.points, self.edges, self.face = points, edges, face

    @classmethod
    def of_mesh(cls, vertices: Array, faces: Indices) -> _Soup:
        """All triangles of a mesh, whole."""
        used, inverse = np.unique(faces, return_inverse=True)
        corners = inverse.reshape(-1, 3)
        edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
        return cls(np.asarray(vertices)[used], edges, np.tile(np.arange(len(faces)), 3))

    def coarse(self, count: int) -> _Soup:
        """About so many points in place of all, for a search: one of each cell of a grid."""
        if len(self.points) <= count:
            return self
        low = self.points.min(axis=0)
        extent = float((self.points.max(axis=0) - low).max())
        step = extent / math.sqrt(count / 3.0)
        key = np.floor((self.points - low) / step).astype(np.int64) @ (1, 1 << 20, 1 << 40)
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        edges = np.sort(inverse.reshape(-1)[self.edges], axis=1)
        edges = np.unique(edges[edges[:, 0] != edges[:, 1]], axis=0)
        return _Soup(self.points[first], edges, np.arange(len(edges)))

    def split(self, cut: Cut) -> tuple[_Soup, _Soup]:
        """The pieces below and above a plane."""
        height = self.points @ cut.normal - cut.offset
        first, second = height[self.edges[:, 0]], height[self.edges[:, 1]]
        crossing = np.flatnonzero((first < 0.0) != (second < 0.0))
        a, b = self.points[self.edges[crossing, 0]], self.points[self.edges[crossing, 1]]
        share = first[crossing] / (first[crossing] - second[crossing])
        new = a + share[:, None] * (b - a)
        return (
            self._side(height < 0.0, crossing, new),
            self._side(height >= 0.0, crossing, new),
        )

    def _side(self, kept: Mask, crossing: Indices, new: Array) -> _Soup:
        """The pieces on one side: kept points, new ones, kept and shortened edges, chords."""
        place = np.cumsum(kept) - 1
        count = int(np.count_nonzero(kept))
        both = kept[self.edges].all(axis=1)
        whole = place[self.edges[both]]
        ends = self.edges[crossing]
        inner = np.where(kept[ends[:, 0]], ends[:, 0], ends[:, 1])
        fresh = count + np.arange(len(crossing))
        shortened = np.column_stack([place[inner], fresh])
        owners = self.face[crossing]
        order = np.argsort(owners, kind="stable")
        paired = order[: len(order) - len(order) % 2].reshape(-1, 2)
        return _Soup(
            np.concatenate([self.points[kept], new]),
            np.concatenate([whole, shortened, fresh[paired]]),
            np.concatenate([self.face[both], owners, owners[paired[:, 0]]]),
        )


# ----------------------------------------------------------------------------------- Several cells

_SEARCHED_POINTS = 500  # of a mesh while planes are sought
_OFFSETS = np.linspace(0.1, 0.9, 9)
_REFINED = 4  # planes that are refined
_STEPS = 40  # of each refinement
_PROMISING = 0.5  # share of what a plane must save that a plane must save before it is refined


@dataclass(frozen=True, slots=True, eq=False)
class _Division:
    """A plane through a cell, and the volume that the hulls of its sides save. [m³]."""

    saved: float
    cut: Cut | None = None


def _divide(whole: _Soup, most: int, gain: float) -> tuple[list[_Soup], list[Cut]]:
    """Cells with convex hulls of least volume, and the planes between them.

    A cell is cut as long as that saves its share of the volume: where a link bends, its hull holds
    what is not link.
    """
    cells, cuts = [whole], list[Cut]()
    volumes = [hull_volume(whole.points)]
    divisions: list[_Division | None] = [None]
    while len(cells) < most:
        needed = gain * sum(volumes)
        for index, known in enumerate(divisions):
            if known is None:
                divisions[index] = _division(index, cells[index], volumes[index], needed)
        best = max((one for one in divisions if one), key=lambda one: one.saved)
        if best.cut is None or best.saved <= needed:
            break
        index = best.cut.cell
        below, above = cells[index].split(best.cut)
        cells[index] = below
        cells.append(above)
        cuts.append(best.cut)
        volumes[index], divisions[index] = hull_volume(below.points), None
        volumes.append(hull_volume(above.points))
        divisions.append(None)
    return cells, cuts


def _division(index: int, cell: _Soup, volume: float, needed: float) -> _Division:
    """The plane through a cell that saves most; none where none comes near to what is needed."""
    from scipy.optimize import minimize

    coarse = cell.coarse(_SEARCHED_POINTS)
    points = coarse.points
    starts = sorted(
        ((_hulls(coarse, cut), number, cut) for number, cut in enumerate(_planes(index, points))),
        key=lambda one: one[:2],
    )[:_REFINED]
    if hull_volume(points) - starts[0][0] <= _PROMISING * needed:
        return _Division(0.0)
    extent = float(np.ptp(points, axis=0).max())
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    simplex = np.array([[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.06]], dtype=float)
    best = _Division(0.0)
    for start, _, cut in starts:
        if not math.isfinite(start):
            continue
        pivot = middle + (cut.offset - cut.normal @ middle) * cut.normal
        turn = _frame(cut.normal)

        def moved(x: Array, turn: Array = turn, pivot: Array = pivot) -> Cut:
            """The plane tilted by two angles and shifted, about the middle of what it cuts."""
            normal = turn @ np.array([x[0], x[1], 1.0])
            normal /= np.linalg.norm(normal)
            return Cut(cell=index, normal=normal, offset=float(normal @ pivot + x[2] * extent))

        answer = minimize(
            lambda x, moved=moved: _hulls(coarse, moved(x)),
            np.zeros(3),
            method="Nelder-Mead",
            options={
                "initial_simplex": simplex,
                "maxfev": _STEPS,
                "xatol": 1e-3,
                "fatol": 1e-4 * start,
            },
        )
        found = moved(answer.x)
        saved = volume - _hulls(cell, found)
        if saved > best.saved:
            best = _Division(saved, found)
    return best


def _planes(index: int, points: Array) -> Iterator[Cut]:
    """Planes across the axes of the points and across others, at several heights."""
    axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2]
    for normal in np.vstack([axes, _PLANES]):
        height = points @ normal
        low, high = float(height.min()), float(height.max())
        for share in _OFFSETS:
            yield Cut(cell=index, normal=normal, offset=low + share * (high - low))


def _hulls(cell: _Soup, cut: Cut) -> float:
    """Volume of the convex hulls on both sides of a plane; infinite if a side has none. [m³]."""
    volumes = [hull_volume(part.points) for part in cell.split(cut)]
    return sum(volumes) if min(volumes) > 0.0 else math.inf


def _frame(axis: Array) -> Array:
    """Rotation whose z is the axis. # (3, 3)."""
    side = np.eye(3)[int(np.argmin(np.abs(axis)))]
    side = side - (side @ axis) * axis
    side /= np.linalg.norm(side)
    return np.column_stack([side, np.cross(axis, side), axis])


def hull_volume(points: Array) -> float:
    """Volume of the convex hull; zero of what is flat. [m³]."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return float(ConvexHull(points).volume)
    except (QhullError, ValueError):
        return 0.0


def _grown(capsule: Stadium, points: Array, size: float) -> Stadium:
    """The capsule with its radius rounded outward, so that all points are proven to be inside."""
    farthest = float(capsule.distances(points).max(initial=0.0))
    return Stadium(start=capsule.start, end=capsule.end, radius=farthest + 2.0 * ROUNDING * size)


# ------------------------------------------------------------------------------------- One capsule


def _volume(length: float, radius: float) -> float:
    return math.pi * radius * radius * (length + 4.0 / 3.0 * radius)


def _squares(points: Array, start: Array, end: Array) -> tuple[Array, Array, Array]:
    """Squared distances from a segment, shares of the nearest places, vectors from there."""
    along = end - start
    square = float(along @ along)
    share = np.zeros(len(points))
    if square > 0.0:
        share = np.clip((points - start) @ along / square, 0.0, 1.0)
    away = points - start - share[:, None] * along
    return np.einsum("ij,ij->i", away, away), share, away


def _directions(count: int) -> Array:
    """Directions spread over half a sphere by the golden angle. # (count, 3)."""
    k = np.arange(count) + 0.5
    z = 1.0 - k / count
    angle = np.pi * (1.0 + math.sqrt(5.0)) * k
    ring = np.sqrt(1.0 - z * z)
    return np.column_stack([ring * np.cos(angle), ring * np.sin(angle), z])


_AXES = np.vstack([np.eye(3), _directions(24)])
_PLANES = np.vstack([np.eye(3), _directions(12)])
_SUPPORT = np.vstack([_directions(80), -_directions(80)])


def _extreme(points: Array) -> Array:
    """Points that are farthest in one of many directions: enough for a search. # (k, 3)."""
    if len(points) <= len(_SUPPORT):
        return points
    return np.asarray(points[np.unique(np.argmax(points @ _SUPPORT.T, axis=0))])


@dataclass(frozen=True, slots=True, eq=False)
class _Rough:
    volume: float
    start: Array
    end: Array


_GROWTH = np.array([1.0, 1.02, 1.05, 1.1, 1.2])


def _rough(points: Array, axes: Array) -> list[_Rough]:
    """A capsule along each axis, about the middle of the points: a start, not a fit."""
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    local = points - centre
    side = np.eye(3)[np.argmin(np.abs(axes), axis=1)]
    side = side - np.einsum("ij,ij->i", side, axes)[:, None] * axes
    side /= np.linalg.norm(side, axis=1)[:, None]
    along = axes @ local.T
    other = np.cross(axes, side)
    u, v = side @ local.T, other @ local.T
    x, y = (np.zeros(len(axes)) for _ in range(2))
    rows = np.arange(len(axes))
    for step in range(1, 11):  # towards the farthest, by less each time: the smallest circle
        du, dv = u - x[:, None], v - y[:, None]
        farthest = np.argmax(du * du + dv * dv, axis=1)
        x = x + du[rows, farthest] / (step + 1)
        y = y + dv[rows, farthest] / (step + 1)
    square = (u - x[:, None]) ** 2 + (v - y[:, None]) ** 2
    least = np.sqrt(square.max(axis=1))
    volumes, ends = [], []
    for growth in _GROWTH:
        radius = growth * least
        reach = np.sqrt(np.maximum(radius[:, None] ** 2 - square, 0.0))
        high, low = np.max(along - reach, axis=1), np.min(along + reach, axis=1)
        middle, half = 0.5 * (high + low), np.maximum(0.5 * (high - low), 0.0)
        volumes.append(np.pi * radius * radius * (2.0 * half + 4.0 / 3.0 * radius))
        ends.append((middle - half, middle + half))
    chosen = np.argmin(volumes, axis=0)
    found = []
    for row, axis in enumerate(axes):
        volume = float(volumes[chosen[row]][row])
        low, high = (float(end[row]) for end in ends[chosen[row]])
        origin = centre + x[row] * side[row] + y[row] * other[row]
        found.append(_Rough(volume, origin + low * axis, origin + high * axis))
    return sorted(found, key=lambda one: one.volume)


def _polish(points: Array, start: Array, end: Array, *, precise: bool) -> Stadium:
    """The nearest capsule of minimum volume about points.

    Few points touch it: it is found about some, those that it leaves outside most are added, until
    none is.
    """
    from scipy.optimize import minimize

    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    size = float(np.linalg.norm(points - centre, axis=1).max())
    if size == 0.0:
        return Stadium(start=centre, end=centre, radius=0.0)
    local = (points - centre) / size
    x = np.concatenate([(start - centre) / size, (end - centre) / size])
    chosen = np.zeros(len(local), dtype=bool)
    chosen[np.argmax(local @ _SUPPORT[::3].T, axis=0)] = True
    best = math.inf, x
    slack = 1e-12 if precise else 1e-4
    for _ in range(16 if precise else 3):
        square = _squares(local, x[:3], x[3:6])[0]
        radius = math.sqrt(float(square.max()))
        volume = _volume(float(np.linalg.norm(x[3:6] - x[:3])), radius)
        better = volume < best[0]
        if better:
            best = volume, x[:6].copy()
        farthest = np.argsort(-square, kind="stable")[:16]
        fresh = farthest[~chosen[farthest]]
        if len(fresh) == 0 or (not better and radius * radius - square[chosen].max() <= slack):
            break
        chosen[fresh] = True
        answer = minimize(
            _objective,
            np.concatenate([x[:6], [radius]]),
            jac=True,
            method="SLSQP",
            bounds=_BOUNDS,
            constraints={
                "type": "ineq",
                "fun": _inside,
                "jac": _inside_slope,
                "args": (local[chosen],),
            },
            options={"maxiter": 100 if precise else 15, "ftol": 1e-15 if precise else 1e-5},
        )
        if not np.all(np.isfinite(answer.x)):
            break
        x = answer.x
    start, end = centre + size * best[1][:3], centre + size * best[1][3:6]
    radius = math.sqrt(float(_squares(points, start, end)[0].max()))
    return Stadium(start=start, end=end, radius=radius)


_BOUNDS = [(-4.0, 4.0)] * 6 + [(0.0, 4.0)]  # of ends and radius about points in a ball of one


def _objective(x: Array) -> tuple[float, Array]:
    along = x[3:6] - x[:3]
    length = math.sqrt(float(along @ along) + 1e-18)
    radius = float(x[6])
    slope = np.empty(7)
    slope[3:6] = math.pi * radius * radius * along / length
    slope[:3] = -slope[3:6]
    slope[6] = 2.0 * math.pi * radius * length + 4.0 * math.pi * radius * radius
    return _volume(length, radius), slope


def _inside(x: Array, points: Array) -> Array:
    return np.asarray(x[6] * x[6] - _squares(points, x[:3], x[3:6])[0])


def _inside_slope(x: Array, points: Array) -> Array:
    _, share, away = _squares(points, x[:3], x[3:6])
    slope = np.empty((len(points), 7))
    slope[:, :3] = 2.0 * (1.0 - share)[:, None] * away
    slope[:, 3:6] = 2.0 * share[:, None] * away
    slope[:, 6] = 2.0 * x[6]
    return slope


def fit_capsule(points: Array) -> Stadium:
    """Capsule of minimum volume about points. Args: points: # (n, 3) [m]."""
    few = _extreme(points)
    spread = few - few.mean(axis=0)
    axes = np.vstack([np.linalg.svd(spread, full_matrices=False)[2], _AXES])
    fits = [_polish(few, one.start, one.end, precise=False) for one in _rough(few, axes)[:4]]
    best = min(fits, key=lambda one: one.volume)
    return _polish(points, best.start, best.end, precise=True)


def _lattice(capsule: Stadium, count: int) -> Array:
    """Points spread evenly in a capsule, always the same. # (about count, 3)."""
    g = 1.2207440846057596  # root of g⁴ = g + 1: the R₃ sequence
    k = np.arange(count)[:, None]
    unit = np.mod(0.5 + k * np.array([1 / g, 1 / g**2, 1 / g**3]), 1.0)
    length, radius = capsule.length, capsule.radius
    axis = (capsule.end - capsule.start) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    side = np.eye(3)[int(np.argmin(np.abs(axis)))]
    side = side - (side @ axis) * axis
    side /= np.linalg.norm(side)
    along = (length + 2.0 * radius) * unit[:, 0] - radius
    across = radius * (2.0 * unit[:, 1:] - 1.0)
    beyond = along - np.clip(along, 0.0, length)
    inside = np.einsum("ij,ij->i", across, across) + beyond * beyond <= radius * radius
    along, across = along[inside], across[inside]
    frame = np.stack([axis, side, np.cross(axis, side)])
    return np.asarray(capsule.start + np.column_stack([along, across]) @ frame)
