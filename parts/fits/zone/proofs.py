"""Why a local optimum is the global one: bounds from the contacts, for whole neighbourhoods.

Let s be the sharpness: for every unit direction e some pair of contacts a (outer), b (inner) has
(u_b - u_a)·e ≥ s, with u the unit directions from the centre. The derivations are ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parts.fits.frame import State
from parts.fits.zone.goal import Goal, Touching
from parts.fits.zone.rivals import rivals
from robots.core.arrays import Array

_MOST = 500  # directions from which the cover is judged; fewer make it smaller, never larger
_SLACKS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3)  # η beside the width
_DIRECTIONS = 32
_NEAR = 1e-9  # of the points' size: what is so near the limit is a contact too


class Proof(NamedTuple):
    """Whether no other answer is better."""

    whole: bool
    sharpness: float
    words: str
    rival: Array | None = None  # centre that may lead to a better answer, (3,)


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


def _contacts(goal: Goal, state: State, touching: Touching) -> _Contacts:
    d = goal.distances(state)
    found = []
    for side in (1.0, -1.0):
        near = side * d >= goal.peak(d) - _NEAR if side in goal.sides else np.zeros(len(d), bool)
        near[touching.points[touching.sides == side]] = True
        rows = np.flatnonzero(near)[:_MOST]
        found.append(state.local(goal.points[:, rows]).T)
    return _Contacts(*found)


def straight_zone(goal: Goal, state: State, touching: Touching) -> Proof:
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
        return Proof(s > 0.0, s, words)
    angle = 2.0 * float(np.arctan(s / width))
    for share in _SLACKS:
        wide = _slack_sharpness(goal, state, share * width, axes)
        tilted = (1.0 - share) * width * np.cos(angle) + wide * np.sin(angle)
        if min(wide, float(tilted)) >= width:
            return Proof(True, s, words)
    return Proof(False, s, "too few points near the limits to rule out a tilted zone")


def _slack_sharpness(goal: Goal, state: State, slack: float, axes: slice) -> float:
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


def round_zone(goal: Goal, state: State, touching: Touching) -> Proof:
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
        return Proof(False, s, "the points cover too little")
    far, near = w * (3.0 * R + r) / room, 2.0 * r * s
    words = "a far centre sees the points too far apart, a near one the contacts"
    if far <= near:
        return Proof(True, s, words)
    q = state.local(goal.points)[:dimension].T
    found = rivals(q, w, 0.5 * near, far)
    rival = None
    if found.centre is not None:
        rival = state.origin + state.R[:, :dimension] @ found.centre
    return Proof(found.none, s, f"{words}; those between were searched", rival)


def inscribed_ball(goal: Goal, state: State, touching: Touching) -> Proof:
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
    return Proof(
        whole or 2.0 * r * s >= R,
        s,
        "every other centre amid the points has a point within the radius",
    )


def convex_ball(goal: Goal, state: State, touching: Touching) -> Proof:
    """Circumscribed circles and spheres: the largest distance is convex in the centre."""
    outer = _contacts(goal, state, touching).outer
    s = inradius(_units(outer[:, : goal.model.dimension]))
    return Proof(True, s, "the largest distance is a convex function of the centre")


def _units(vectors: Array) -> Array:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def _cover(goal: Goal, state: State) -> float:
    """C of ``round_zone``, from some of the points."""
    stride = -(-goal.points.shape[1] // _MOST)
    q = state.local(goal.points[:, ::stride])[: goal.model.dimension].T
    length = np.linalg.norm(q, axis=1)
    return inradius(_units(q[length > 0.0]))
