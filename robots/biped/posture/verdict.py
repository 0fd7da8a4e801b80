"""Verdict on a posture or a motion: standing, tipping or fallen, when, and over which edge.

A centre of mass outside the support polygon has fallen: gravity alone turns the robot over the
edge. While it is inside, a zero-moment point on an edge means that the robot begins to turn about
this edge, from where it may still come back.

Between two samples the distances to the edges are taken as straight in time, which is exact for
points that move straight over a polygon that rests.

Source: sources.md, decision 7
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.biped.posture.support_polygon import SupportPolygon
from robots.core.arrays import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """First exit of a point from the support polygon.

    Args:
        time: [s]
        edge: name of the edge.
    """

    time: float
    edge: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointVerdict:
    """One point's way over the polygon.

    Args:
        margin: signed distance to the boundary. # (k,) [m]
        crossing: the first one; none while it stays inside.
    """

    margin: Array
    crossing: Crossing | None


def motion_verdict(
    t: ArrayLike,
    com: ArrayLike,
    zmp: ArrayLike | None,
    support: SupportPolygon | Sequence[SupportPolygon],
) -> StanceVerdict:
    """The worst stance of a motion, the time it began, its edge and the least margin.

    Args:
        t: increasing. # (k,) [s]
        com: centre of mass; the height does not count. # (k, 2 or 3) [m]
        zmp: zero-moment point; none for a robot at rest, where it is below the centre of mass.
            # (k, 2 or 3) [m]
        support: of the whole motion, or of every sample.

    Raises:
        BipedError: no sample, times that do not rise, arrays that do not fit together.
    """
    fallen = follow(t, com, support, on_edge_is_out=False)
    if fallen.crossing is not None:
        return _verdict(Stance.FALLEN, fallen)
    tipping = follow(t, com if zmp is None else zmp, support, on_edge_is_out=True)
    if tipping.crossing is not None:
        return _verdict(Stance.TIPPING, tipping)
    return _verdict(Stance.STANDING, tipping)


def gait_verdict(
    t: ArrayLike, zmp: ArrayLike, support: SupportPolygon | Sequence[SupportPolygon]
) -> StanceVerdict:
    """The verdict on a walk, by the zero-moment point alone.

    A walking robot falls from foot to foot on purpose: its centre of mass is outside the polygon of
    the standing foot for a part of every step, and only the zero-moment point tells whether the
    foot stays flat.

    Args:
        t: increasing. # (k,) [s]
        zmp: # (k, 2 or 3) [m]
        support: of the whole walk, or of every sample.

    Raises:
        BipedError: as for ``motion_verdict``.
    """
    found = follow(t, zmp, support, on_edge_is_out=True)
    return _verdict(Stance.STANDING if found.crossing is None else Stance.TIPPING, found)


def posture_verdict(com: ArrayLike, support: SupportPolygon) -> StanceVerdict:
    """The verdict on a robot at rest. # com (2,) or (3,) [m]."""
    return motion_verdict([0.0], np.asarray(com, dtype=np.float64)[None], None, support)


def follow(
    t: ArrayLike,
    points: ArrayLike,
    support: SupportPolygon | Sequence[SupportPolygon],
    *,
    on_edge_is_out: bool,
) -> PointVerdict:
    """Margins of a moving point and the moment when it first leaves the polygon.

    Args:
        t: increasing. # (k,) [s]
        points: # (k, 2 or 3) [m]
        support: one, or one for each sample.
        on_edge_is_out: whether a point on the boundary has left.

    Raises:
        BipedError: as for ``motion_verdict``.
    """
    times, way = _samples(t, points)
    margins = _margins(way, support)
    out = margins <= 0.0 if on_edge_is_out else margins < 0.0
    if not np.any(out):
        return PointVerdict(margin=margins, crossing=None)
    crossing = _crossing(times, way, support, int(np.argmax(out)))
    return PointVerdict(margin=margins, crossing=crossing)


def _crossing(
    times: Array, way: Array, support: SupportPolygon | Sequence[SupportPolygon], out: int
) -> Crossing:
    """The crossing on the way to the first sample outside."""
    there = _at(support, out)
    nearest = there.nearest_edge_name(way[out])
    if out == 0:
        return Crossing(time=float(times[0]), edge=nearest)
    here = _at(support, out - 1)
    if len(here.corners) != len(there.corners):
        here = there  # another foot came down or left: the new polygon holds since the last sample
    before = np.roll(here.inward_distances(way[out - 1]), _turn_between(here, there))
    after = there.inward_distances(way[out])
    if np.any(before < 0.0):
        return Crossing(time=float(times[out]), edge=nearest)
    fall = before - after
    crossed = np.where((after <= 0.0) & (fall > 0.0), before / np.where(fall > 0.0, fall, 1.0), 2.0)
    edge = int(np.argmin(crossed))
    part = min(float(crossed[edge]), 1.0)
    time = times[out - 1] + part * (times[out] - times[out - 1])
    return Crossing(time=float(time), edge=there.edge_names[edge])


def _turn_between(here: SupportPolygon, there: SupportPolygon) -> int:
    """By how many places the edges of one polygon are numbered later in the other.

    A polygon begins with its lowest x, so the same edge gets another number when the ground tilts.
    """
    first, second = here.inward_normals, there.inward_normals
    likeness = [np.sum(np.roll(first, k, axis=0) * second) for k in range(len(first))]
    return int(np.argmax(likeness))


def _margins(way: Array, support: SupportPolygon | Sequence[SupportPolygon]) -> Array:
    if isinstance(support, SupportPolygon):
        return support.signed_margin(way)
    if len(support) != len(way):
        raise BipedError(
            f"{len(way)} points are judged by {len(support)} support polygons; "
            "give one polygon, or one for each sample.",
            points=len(way),
            polygons=len(support),
        )
    return np.array([one.signed_margin(p) for one, p in zip(support, way, strict=True)])


def _at(support: SupportPolygon | Sequence[SupportPolygon], sample: int) -> SupportPolygon:
    return support if isinstance(support, SupportPolygon) else support[sample]


def _samples(t: ArrayLike, points: ArrayLike) -> tuple[Array, Array]:
    times, way = np.asarray(t, dtype=np.float64), np.asarray(points, dtype=np.float64)
    if times.ndim != 1 or len(times) == 0 or way.ndim != 2 or len(way) != len(times):
        raise BipedError(
            f"Times of shape {times.shape} and points of shape {way.shape} do not belong together; "
            "give k times and k points, at least one.",
            times=times.shape,
            points=way.shape,
        )
    if not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0.0):
        raise BipedError("The times of a judged motion must be finite and rise from each to next.")
    return times, way


def _verdict(stance: Stance, found: PointVerdict) -> StanceVerdict:
    crossing = found.crossing or Crossing(time=float("nan"), edge="")
    return StanceVerdict(
        stance=stance, time=crossing.time, edge=crossing.edge, margin=float(np.min(found.margin))
    )


class Stance(Enum):
    """Stance of a robot."""

    STANDING = "standing"  # the point judged stays inside the support polygon
    TIPPING = "tipping"  # it reached an edge, the robot could still come back
    FALLEN = "fallen"  # its centre of mass left the polygon: nothing brings it back


@dataclass(frozen=True, slots=True, kw_only=True)
class StanceVerdict:
    """The worst stance of a motion and where it began.

    Args:
        stance: the worst.
        time: when it began; zero for a posture; nan while standing. [s]
        edge: name of the edge reached first ("toe", "heel", "left", "right", or "edge 3").
        margin: least signed distance from the judged point to the polygon's edges, positive
            inside. [m]
    """

    stance: Stance
    time: float
    edge: str
    margin: float
