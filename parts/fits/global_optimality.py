"""Global optimality of zones and envelopes: enumerated candidates, excluding bounds."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from parts.fits.circle_sphere import FlatCircleModel
from parts.fits.curves import FlatCircle, FlatLine
from parts.fits.least_squares import FeatureState, state_about
from parts.fits.line_plane import FlatLineModel
from parts.fits.minimax import Best, MinimaxGoal, Touching, lowest
from robots.core.arrays import Array, Indices

_FEW = 200  # points: with so few, other optima are near, and starts cost little
_STARTS = 6
_MORE = 12
_RIVALS = 20
_LOWER = 1e-12  # relative
_TRIED = "the neighbourhood, and {} starts about least squares; not a proof for all"


class OptimalityProof(NamedTuple):
    """Evidence that no other answer is better."""

    whole: bool
    sharpness: float
    words: str
    rival: Array | None = None  # centre that may lead to a better answer, (3,)


class ProvenOptimum(NamedTuple):
    """An optimum and what is known of the others."""

    best: Best
    proof: OptimalityProof


def proven_optimum(goal: MinimaxGoal, state: FeatureState) -> ProvenOptimum:
    """From least squares down; then the proof of its kind, or all candidates, or many starts.

    Raises:
        FitError: no optimum was reached.
    """
    kind = goal.model.kind
    if kind in ("line2d", "plane"):
        return _straight(goal, lowest(goal, state, 0))
    others = starts_for(goal)
    if kind in ("circle2d", "sphere"):
        return _round(goal, state, others)
    return ProvenOptimum(
        lowest(goal, state, others), OptimalityProof(False, 0.0, _TRIED.format(1 + others))
    )


def _round(goal: MinimaxGoal, state: FeatureState, others: int) -> ProvenOptimum:
    """A rival that the proof meets is the next start; without proof, many starts are."""
    best = lowest(goal, state, 0)
    for _ in range(_RIVALS):
        proof = round_zone(goal, best.ended.state, best.ended.touching)
        if proof.rival is None:
            break
        other = lowest(goal, replace(best.ended.state, origin=proof.rival), 0)
        if other.ended.peak >= best.ended.peak * (1.0 - _LOWER):
            break
        best = other
    if proof.whole:
        return ProvenOptimum(best, proof)
    other = lowest(goal, best.ended.state, others)
    if goal.model.kind == "circle2d" and goal.points.shape[1] <= MOST:
        return _annulus(goal, other)
    if other.ended.peak < best.ended.peak * (1.0 - _LOWER):
        proof = round_zone(goal, other.ended.state, other.ended.touching)
    if proof.whole:
        return ProvenOptimum(other, proof)
    return ProvenOptimum(other, proof._replace(words=_TRIED.format(1 + others)))


def starts_for(goal: MinimaxGoal) -> int:
    """More starts where points are few."""
    return _MORE if goal.points.shape[1] <= _FEW else _STARTS


def _straight(goal: MinimaxGoal, best: Best) -> ProvenOptimum:
    proof = straight_zone(goal, best.ended.state, best.ended.touching)
    if proof.whole:
        return ProvenOptimum(best, proof)
    found = narrowest(goal.points[: goal.model.dimension].T)
    if np.any(found.normal):
        other = lowest(goal, _facing(found.normal, best.ended.state), 0)
        if other.ended.peak < best.ended.peak:
            best = other
    words = "every edge and face of the convex hull was tried" if found.whole else "contacts only"
    sharp = straight_zone(goal, best.ended.state, best.ended.touching).sharpness
    return ProvenOptimum(best, OptimalityProof(found.whole, sharp, words))


def _facing(normal: Array, like: FeatureState) -> FeatureState:
    """A plane's state, or a line's in a plane, with this normal and the outside as before."""
    if len(normal) == 3:
        return state_about(np.zeros(3), normal if normal @ like.axis >= 0.0 else -normal)
    flipped = np.array([*normal, 0.0]) @ like.axis < 0.0
    x, y = -normal if flipped else normal
    line = FlatLine(point=np.zeros(2), direction=np.array([y, -x]))
    return FlatLineModel().state_of(line)


def _annulus(goal: MinimaxGoal, best: Best) -> ProvenOptimum:
    """Beside every candidate; an annulus without end, which is a strip, is none."""
    points = goal.points[:2].T
    found = narrowest_annulus(points)
    rho = np.linalg.norm(points - found.centre, axis=1)
    circle = FlatCircle(centre=found.centre, radius=float(rho.mean()))
    if found.width < 2.0 * best.ended.peak * (1.0 - 1e-9):
        other = lowest(goal, FlatCircleModel().state_of(circle), 0)
        if other.ended.peak < best.ended.peak:
            best = other
    proof = round_zone(goal, best.ended.state, best.ended.touching)
    return ProvenOptimum(
        best, OptimalityProof(True, proof.sharpness, "every crossing of two bisectors was tried")
    )


# ------------------------------------------------------------------------ Bounds from the contacts
# Let s be the sharpness: for every unit direction e some pair of contacts a (outer), b (inner) has
# (u_b - u_a)·e ≥ s, with u the unit directions from the centre. The derivations are ours.

_MOST = 500  # directions from which the cover is judged; fewer make it smaller, never larger
_SLACKS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3)  # η beside the width
_DIRECTIONS = 32
_NEAR = 1e-9  # of the points' size: what is so near the limit is a contact too


def inradius(vectors: Array) -> float:
    """Radius of the largest ball about zero within the convex hull of vectors; 0 without.

    Args:
        vectors: # (m, d)
    """
    from scipy.spatial import ConvexHull, QhullError

    if vectors.shape[1] == 1:
        return max(0.0, float(min(vectors.max(), -vectors.min())))
    if len(vectors) <= vectors.shape[1]:
        return 0.0
    try:
        hull = ConvexHull(vectors)
    except QhullError:  # flat: zero is not in its interior
        return 0.0
    return max(0.0, float(-hull.equations[:, -1].max()))


class _Contacts(NamedTuple):
    """Coordinates of all points on a limit, those without a multiplier included, from the frame."""

    outer: Array  # (m, 3)
    inner: Array  # (n, 3)


def _contacts(goal: MinimaxGoal, state: FeatureState, touching: Touching) -> _Contacts:
    d = goal.distances(state)
    found = []
    for side in (1.0, -1.0):
        near = side * d >= goal.peak(d) - _NEAR if side in goal.sides else np.zeros(len(d), bool)
        near[touching.points[touching.sides == side]] = True
        rows = np.flatnonzero(near)[:_MOST]
        found.append(state.local(goal.points[:, rows]).T)
    return _Contacts(*found)


def straight_zone(goal: MinimaxGoal, state: FeatureState, touching: Touching) -> OptimalityProof:
    """Planes, and lines in a plane, of width W.

    In the frame of the answer the zone of slope x (tan θ = |x|) has the width w(x) cos θ with
    w(x) = max(z - x·q) - min(z - x·q), which is convex; Kuhn and Tucker's condition makes its
    least value w(0) = W, and w(x) ≥ W + s |x| by the contacts. So a zone tilted by θ is
    W cos θ + s sin θ wide at least: no narrower than W up to tan(θ/2) = s/W, which with s ≥ W is
    every direction. Beyond, points that are within η of being contacts serve: they make it
    (W - η) cos θ + s_η sin θ at least, a concave function of θ, which is above W if it is so at
    both ends, that angle and a right one.
    """
    outer, inner = _contacts(goal, state, touching)
    axes = slice(1, 2) if goal.model.dimension == 2 else slice(0, 2)
    pairs = inner[None, :, axes] - outer[:, None, axes]
    s = inradius(pairs.reshape(-1, pairs.shape[2]))
    width = 2.0 * goal.peak(goal.distances(state))
    words = "the zone widens with any tilt: points on its limits are farther apart than it is wide"
    if s >= width or s == 0.0:
        return OptimalityProof(s > 0.0, s, words)
    angle = 2.0 * float(np.arctan(s / width))
    for share in _SLACKS:
        wide = _slack_sharpness(goal, state, share * width, axes)
        tilted = (1.0 - share) * width * np.cos(angle) + wide * np.sin(angle)
        if min(wide, float(tilted)) >= width:
            return OptimalityProof(True, s, words)
    return OptimalityProof(False, s, "too few points near the limits to rule out a tilted zone")


def _slack_sharpness(goal: MinimaxGoal, state: FeatureState, slack: float, axes: slice) -> float:
    """s_η by the points within η/2 of either limit that are farthest out in some direction."""
    d = goal.distances(state)
    found = []
    for side in (1.0, -1.0):
        rows = np.flatnonzero(side * d >= goal.peak(d) - 0.5 * slack)
        found.append(_farthest(state.local(goal.points[:, rows])[axes].T))
    outer, inner = found
    pairs = inner[None] - outer[:, None]
    return inradius(pairs.reshape(-1, pairs.shape[2]))


def _farthest(points: Array) -> Array:
    """The farthest in each of some directions. # (m, 1 or 2) to fewer rows."""
    angle = np.arange(_DIRECTIONS) * 2.0 * np.pi / _DIRECTIONS
    directions = np.stack([np.cos(angle), np.sin(angle)])[: points.shape[1]]
    return np.asarray(points[np.unique(np.argmax(points @ directions, axis=0))])


def round_zone(goal: MinimaxGoal, state: FeatureState, touching: Touching) -> OptimalityProof:
    """Circles and spheres of outer radius R, inner radius r, width w = R - r.

    Let the centre be moved by δ. The contacts alone keep the width above w + s δ - δ²/2r, so no
    zone within δ ≤ 2 r s is narrower. Let C be the cover: in every direction some point is seen at
    a cosine ≥ C. The points seen forward and backward then keep the width above
    (4 r C δ - w (R + r)) / (2 (R + δ)), which grows with δ and is w at
    δ₀ = w (3 R + r) / (4 r C - 2 w). Global if δ₀ ≤ 2 r s, or if a search of the centres from
    r s, where the first bound is largest, to δ₀ meets no rival.
    """
    dimension = goal.model.dimension
    outer, inner = _contacts(goal, state, touching)
    pairs = _units(inner[None, :, :dimension]) - _units(outer[:, None, :dimension])
    s = inradius(pairs.reshape(-1, dimension))
    d = goal.distances(state)
    half, radius = goal.peak(d), float(state.sizes[0])
    R, r, w = radius + half, radius - half, 2.0 * half
    C = _cover(goal, state)
    room = 4.0 * r * C - 2.0 * w
    if r <= 0.0 or room <= 0.0 or s <= 0.0:
        return OptimalityProof(False, s, "the points cover too little")
    far, near = w * (3.0 * R + r) / room, 2.0 * r * s
    words = "a far centre sees the points too far apart, a near one the contacts"
    if far <= near:
        return OptimalityProof(True, s, words)
    q = state.local(goal.points)[:dimension].T
    found = rivals(q, w, 0.5 * near, far)
    rival = None
    if found.centre is not None:
        rival = state.origin + state.R[:, :dimension] @ found.centre
    return OptimalityProof(found.none, s, f"{words}; those between were searched", rival)


def inscribed_ball(goal: MinimaxGoal, state: FeatureState, touching: Touching) -> OptimalityProof:
    """Inscribed circles and spheres of radius r, with all points within R.

    By the contacts, no centre within δ ≤ 2 r s has a larger clearance. Beyond it, the point seen
    forward is within r for δ ≤ 2 r C and R² - r² + δ² ≤ 2 R C δ. Global among centres amid the
    points (δ ≤ R) if the two ranges join and reach R.
    """
    dimension = goal.model.dimension
    inner = _contacts(goal, state, touching).inner
    s = inradius(_units(inner[:, :dimension]))
    rho = goal.distances(state)
    R, r = float(rho.max()), float(rho.min())
    C = _cover(goal, state)
    under = (R * C) ** 2 - (R * R - r * r)
    root = float(np.sqrt(max(under, 0.0)))
    whole = under >= 0.0 and R * C - root <= 2.0 * r * s and min(2.0 * r * C, R * C + root) >= R
    return OptimalityProof(
        whole or 2.0 * r * s >= R,
        s,
        "every other centre amid the points has a point within the radius",
    )


def convex_ball(goal: MinimaxGoal, state: FeatureState, touching: Touching) -> OptimalityProof:
    """Circumscribed circles and spheres: the largest distance is convex in the centre."""
    outer = _contacts(goal, state, touching).outer
    s = inradius(_units(outer[:, : goal.model.dimension]))
    return OptimalityProof(True, s, "the largest distance is a convex function of the centre")


def _units(vectors: Array) -> Array:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def _cover(goal: MinimaxGoal, state: FeatureState) -> float:
    """C of ``round_zone``, from some of the points."""
    stride = -(-goal.points.shape[1] // _MOST)
    q = state.local(goal.points[:, ::stride])[: goal.model.dimension].T
    length = np.linalg.norm(q, axis=1)
    return inradius(_units(q[length > 0.0]))


# ------------------------------------------------------------------------------ Search for a rival

_RIVALS_MOST = 100_000  # cubes at one time
_POINTS = 400  # that judge; fewer make the bound smaller, never larger
_BLOCK = 2_000_000  # numbers in one table


class Rivals(NamedTuple):
    """Rival answers met by the search."""

    none: bool  # every centre was ruled out
    centre: Array | None  # of a narrower shell about the points that judge, (d,)


def rivals(points: Array, width: float, near: float, far: float) -> Rivals:
    """Return whether no centre between two distances from zero has a shell narrower than the width.

    A shell narrows by at most twice the way its centre moves. So a cube of centres, of half
    diagonal ε about b, is ruled out when the shell about b is wider than the width by 2 ε; else it
    is halved each way.

    Args:
        points: from the centre of the shell in question. # (k, d)
        width: of that shell.
        near: within it no rival is possible.
        far: beyond it neither.
    """
    rho = np.linalg.norm(points, axis=1)
    order = np.argsort(rho)
    chosen = points[np.unique(np.concatenate([order[: _POINTS // 2], order[-_POINTS // 2 :]]))]
    d = points.shape[1]
    corners = 0.5 * np.array(list(product((-1.0, 1.0), repeat=d)))
    cubes, half = np.zeros((1, d)), far
    while 0 < len(cubes) <= _RIVALS_MOST:
        reach = half * np.sqrt(d)
        distance = np.linalg.norm(cubes, axis=1)
        open_ = (distance + reach > near) & (distance - reach < far)
        cubes = cubes[open_]
        spare = _shells(chosen, cubes) - width
        outside = np.linalg.norm(cubes, axis=1) > near
        if np.any(spare[outside] < 0.0):
            return Rivals(False, cubes[np.argmin(np.where(outside, spare, np.inf))])
        cubes = cubes[spare < 2.0 * reach]
        cubes = (cubes[:, None] + half * corners).reshape(-1, d)
        half *= 0.5
    return Rivals(len(cubes) == 0, None)


def _shells(points: Array, centres: Array) -> Array:
    """Widths about each centre. # (m,)."""
    size = max(1, _BLOCK // points.size)
    found = [
        np.ptp(np.linalg.norm(points - centres[i : i + size, None], axis=2), axis=1)
        for i in range(0, len(centres), size)
    ]
    return np.concatenate([np.zeros(0), *found])


# ------------------------------------------------------------------------------- Narrowest annulus

MOST = 24
_PARALLEL = 1e-12


class Annulus(NamedTuple):
    """About a centre."""

    centre: Array  # (2,)
    width: float


def narrowest_annulus(points: Array) -> Annulus:
    """Try every crossing of two bisectors of pairs of points.

    A local optimum has two points on each circle: with one on either, Kuhn and Tucker's condition
    would write a unit vector as a mean of others. So its centre is on two bisectors.

    Args:
        points: # (k, 2), k ≤ ``MOST``
    """
    i, j = np.triu_indices(len(points), 1)
    a = points[j] - points[i]
    b = 0.5 * (np.sum(points[j] ** 2, axis=1) - np.sum(points[i] ** 2, axis=1))
    m, n = np.triu_indices(len(a), 1)
    area = a[m, 0] * a[n, 1] - a[m, 1] * a[n, 0]
    size = np.linalg.norm(a[m], axis=1) * np.linalg.norm(a[n], axis=1)
    good = np.abs(area) > _PARALLEL * size
    m, n, area = m[good], n[good], area[good]
    x = (b[m] * a[n, 1] - b[n] * a[m, 1]) / area
    y = (a[m, 0] * b[n] - a[n, 0] * b[m]) / area
    rho = np.hypot(x[:, None] - points[:, 0], y[:, None] - points[:, 1])
    widths = np.ptp(rho, axis=1)
    best = int(np.argmin(widths))
    return Annulus(np.array([x[best], y[best]]), float(widths[best]))


# --------------------------------------------------------------------------------- Narrowest width

_MOST_EDGES = 2500
_MOST_WORK = 100_000_000  # heights of corners over faces
_ROUNDING = 1e-12


class Narrowest(NamedTuple):
    """The direction across which points spread least."""

    normal: Array  # (d,)
    whole: bool  # every candidate has been tried


def narrowest(points: Array) -> Narrowest:
    """Try all directions in which the least width can lie.

    In a plane, the narrowest strip has an edge of the hull in one limit. In space, the narrowest
    slab has a face in one limit, or an edge in each, whose arcs on the sphere of normals cross
    (Houle and Toussaint, 1988).

    Args:
        points: # (k, d), d 2 or 3
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except QhullError:  # flat to rounding; then the local answer is the only one
        return Narrowest(np.zeros(points.shape[1]), False)
    corners = points[hull.vertices]
    if len(corners) * len(hull.equations) > _MOST_WORK:
        return Narrowest(np.zeros(points.shape[1]), False)
    normals, whole = hull.equations[:, :-1], True
    if points.shape[1] == 3:
        arcs = _arcs(points, hull.simplices, hull.neighbors, normals)
        whole = len(arcs.along) <= _MOST_EDGES
        if whole:
            normals = np.concatenate([normals, _crossing(arcs)])
    widths = _widths(normals, corners)
    return Narrowest(np.asarray(normals[np.argmin(widths)]), whole)


def _widths(normals: Array, corners: Array) -> Array:
    size = max(1, _BLOCK // len(corners))
    parts = (normals[i : i + size] for i in range(0, len(normals), size))
    return np.concatenate([np.ptp(part @ corners.T, axis=1) for part in parts])


class _Arcs(NamedTuple):
    """Edges of a hull in space, and the normals of the two faces at each."""

    along: Array  # (e, 3)
    one: Array  # (e, 3)
    other: Array  # (e, 3)


def _arcs(points: Array, faces: Indices, neighbours: Indices, normals: Array) -> _Arcs:
    """A face's neighbour i lies opposite its corner i."""
    face, corner = np.nonzero(neighbours > np.arange(len(faces))[:, None])
    ends = faces[face, (corner + 1) % 3], faces[face, (corner + 2) % 3]
    along = points[ends[1]] - points[ends[0]]
    return _Arcs(along, normals[face], normals[neighbours[face, corner]])


def _crossing(arcs: _Arcs) -> Array:
    """Normals of the pairs of edges e, f such that e's arc and the antipode of f's cross."""
    e = len(arcs.along)
    size = max(1, _BLOCK // (4 * max(1, e)))
    # sides on which f's face normals lie of e's great circle, and e's of f's
    found = [np.zeros((0, 3))]
    for i in range(0, e, size):
        part = slice(i, i + size)
        first = (arcs.along[part] @ arcs.one.T) * (arcs.along[part] @ arcs.other.T)
        second = (arcs.one[part] @ arcs.along.T) * (arcs.other[part] @ arcs.along.T)
        rows, columns = np.nonzero((first <= _ROUNDING) & (second <= _ROUNDING))
        normal = np.cross(arcs.along[part][rows], arcs.along[columns])
        length = np.linalg.norm(normal, axis=1)
        good = length > _ROUNDING
        found.append(normal[good] / length[good, None])
    return np.concatenate(found)
