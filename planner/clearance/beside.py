"""What of the part a shank may stand beside: the probed face, drawn out, and what is behind it.

A shank that leans from the normal stays near the surface after the patch of the ball has ended;
where it is parallel to the wall, in a bore or along a side, it does for its whole length. There the
smooth face beside the whole shank is the probed surface: the shank may be nearer to it than the
clearance, as it must, but does not touch it. What stands further back than that face as the stylus
sees it (``shadow``) cannot be reached but through it. All else counts, as does the wall across.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.clearance.patch import Patches, Probed, ProbedSurface, StylusPlacement, rising
from planner.clearance.shadow import Stand, hidden
from robots.core.arrays import Array, Indices


@dataclass(frozen=True, slots=True, kw_only=True)
class Shank:
    """How far a shank reaches.

    Args:
        length: [m]
        within: of its axis, what may have to be kept away from. [m]
        reach: of the ball's patch. [m]
    """

    length: float
    within: float
    reach: float


def beside(
    surface: ProbedSurface, touches: StylusPlacement, probed: Probed, shank: Shank
) -> Patches:
    """Triangles that a shank may be near at each point.

    Where it stands up from the surface they are those that the ball may be near.

    Args:
        surface: of the part.
        touches: the points.
        probed: the surface around them.
        shank: its reach.
    """
    ways = _along_face(touches, shank)
    lengths = np.linalg.norm(ways, axis=1)
    rows = np.flatnonzero(lengths > 0.0)
    if rows.size == 0:
        return probed.ignored
    some = touches.take(rows)
    near = _near(surface, some, ways[rows], shank.reach)
    face = surface.face(near, some)
    behind = _behind(surface, some, (face, near[~np.isin(near, face, kind="sort")]), shank)
    drawn_out = surface.grouped(rising(np.concatenate([face, behind])), rows.size)
    place = np.arange(len(touches.points))
    place[rows] = len(place) + np.arange(rows.size)
    return probed.ignored.joined(drawn_out).take(place)


def _along_face(touches: StylusPlacement, shank: Shank) -> Array:
    """How far the patch goes on along the face, under the shank. # (k, 3) [m].

    The shank leaves the tangent plane at an angle whose sine is the cosine of that between it and
    the normal; it is near that plane until it has risen by ``within``.
    """
    up = -touches.axes
    cosine = np.einsum("ij,ij->i", up, touches.normals)
    flat = up - cosine[:, None] * touches.normals
    sine = np.linalg.norm(flat, axis=1)
    leaves = cosine > 0.0
    need = np.where(leaves, shank.within / np.where(leaves, cosine, 1.0), np.inf)
    longer = np.clip(need - shank.reach, 0.0, shank.length * sine)
    return np.asarray(flat * (longer / np.where(sine > 0.0, sine, 1.0))[:, None])


def _near(surface: ProbedSurface, touches: StylusPlacement, ways: Array, reach: float) -> Indices:
    """Triangles within reach of ways from the points, or a little farther."""
    lengths = np.linalg.norm(ways, axis=1)
    steps = np.ceil(2.0 * lengths / reach).astype(np.int64)
    owners = np.repeat(np.arange(len(ways)), steps + 1)
    first = np.cumsum(steps + 1) - steps - 1
    share = (np.arange(owners.size) - first[owners]) / steps[owners]
    places = touches.points[owners] + share[:, None] * ways[owners]
    return surface.near(places, owners, float(np.hypot(reach, 0.25 * reach)))


def _behind(
    surface: ProbedSurface, touches: StylusPlacement, parts: tuple[Indices, Indices], shank: Shank
) -> Indices:
    """What of the second part stands behind the face, the first, of its point."""
    count, size = len(touches.points), len(surface.mesh)
    face, others = (surface.grouped(keys, count) for keys in parts)
    corners = surface.mesh.triangles
    found = [np.zeros(0, dtype=np.int64)]
    for k in range(count):
        stand = Stand(
            ball=touches.contacts[k],
            axis=touches.axes[k],
            length=shank.length,
            within=shank.within,
            looked=2.0 * shank.reach,
        )
        rows = others.of(k)
        found.append(k * size + rows[hidden(corners[face.of(k)], corners[rows], stand)])
    return np.concatenate(found)
