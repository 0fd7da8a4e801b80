"""Which of all branches are worth following, before an order is known and once it is.

A change of branch takes seconds and mostly a detour. Before there is an order those postures are
followed that lie on few sheets: all of a sheet are joined by short travels.

The order and the branches of a tour are chosen among candidates that are few. Beside them stands
every branch of every point, at close turns about the probe: one layer of postures for each point.
The least travel along the order through each posture of a layer, there and on, tells which of them
may shorten the tour; only these are followed, timed and proven.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from parts.geometry.mesh import connected
from planner.job import Job
from planner.order.chooser import Choice
from planner.order.graph import JointTimes, nearest
from planner.plan import PlacedPoints, PlannedPoint, SegmentClearance
from planner.reach.branches import Postures
from planner.reach.margins import joint_units, required_margins
from planner.reach.reach import Candidates
from planner.reach.serial import signatures, spread
from planner.reach.serial_search import SerialTask
from robots.core.arrays import Array, Indices, Mask
from robots.core.motion.joint_limits import JointLimits

_NEAREST = 160  # postures of a layer, by travel from and to the neighbours as they are
_LAYER = 96  # of those that touch nothing
_QUICK, _SPREAD = 4, 3  # followed: by travel alone, and of different branches
_HARD = 24  # of different branches, where a point or a travel has no way yet

_SAMPLED = 40_000  # postures that sheets are made of, at most
_JOINED = 2.0  # typical travels to the nearest posture of another point, within a sheet
_SHEETS = 8  # at most
_ON_SHEETS, _LEAST, _MOST = 6_000, 4, 24  # followed: in all, and of each point

Clear = Callable[[Array], Mask]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownTour:
    """An order with its postures, and where it fails.

    Args:
        placed: all points.
        visits: those that are served, in visiting order. # (k,)
        q: their postures at the clearance points. # (k, n) [rad or m]
        hard: points that are not served, or whose travels have no way.
        home: posture that the motion comes from and returns to; None for none. # (n,) [rad or m]
    """

    placed: PlacedPoints
    visits: Indices
    q: Array
    hard: Indices
    home: Array | None

    @property
    def order(self) -> Indices:
        """All points; one that is not served stands behind the nearest that is. # (points,)."""
        count, places = len(self.placed), self.placed.clearances
        left = np.setdiff1d(np.arange(count), self.visits)
        if self.visits.size == 0:
            return left
        away = np.linalg.norm(places[left][:, None] - places[self.visits][None], axis=2)
        behind = np.argmin(away, axis=1)
        place = np.concatenate([np.arange(self.visits.size) + 0.0, behind + 0.5])
        rank = np.argsort(place, kind="stable")
        return np.concatenate([self.visits, left])[rank]


def on_few_sheets(
    lacking: Indices,
    every: Postures,
    task: SerialTask,
    limits: JointLimits,
    *,
    law: str,
    margin: float,
    clear: Clear | None,
) -> Postures:
    """Postures on the sheet that serves most points, and on those near to it that serve the others.

    None where that serves no point more, or where points are so far apart that no short travel
    joins them.

    Args:
        lacking: points that have no candidate yet.
        every: see ``worth_following``, as are the others.
        task: of the robot.
        limits: for the travel times.
        law: of the travel.
        margin: that turning joints must keep. [rad]
        clear: whether postures touch nothing; None where there is nothing.
    """
    keep = required_margins(task.mechanism, margin)
    low, high = task.mechanism.q_min + keep, task.mechanism.q_max - keep
    rows = np.flatnonzero(np.all((every.q >= low) & (every.q <= high), axis=1))
    more = rows[np.isin(every.point[rows], lacking)]
    if not more.size or (clear is not None and not np.any(clear(every.q[more]))):
        return Postures.none(task.mechanism.dof)
    rows = rows[:: max(1, -(-rows.size // _SAMPLED))]
    found = every.take(rows if clear is None else rows[clear(every.q[rows])])
    served = np.unique(found.point).size
    if served < 2:
        return Postures.none(task.mechanism.dof)
    times = JointTimes.of(found.q, limits, law)
    near = nearest(times, found.point, np.zeros_like(found.point))
    closest = near.seconds[:, 0]
    typical = float(np.median(closest))
    if not np.isfinite(typical):  # points so far apart that the next posture is mostly a turn
        return Postures.none(task.mechanism.dof)
    start, place = np.nonzero(near.seconds <= _JOINED * typical)
    sheet = connected(closest.size, start, near.candidate[start, place])
    rows = np.flatnonzero(_on_sheets(found, sheet, limits.max_speed))
    most = int(np.clip(_ON_SHEETS // served, _LEAST, _MOST))
    return found.take(rows[_first(found.point[rows], closest[rows], np.full(rows.size, most))])


def _on_sheets(found: Postures, sheet: Indices, max_speed: Array) -> Mask:
    """Postures on the sheet of most points, and on those that serve the others near to it."""
    from scipy.spatial import cKDTree

    times = found.q / max_speed  # the largest difference is a time of travel
    kept = np.asarray(sheet == np.argmax(_points_of(found.point, sheet)))
    for _ in range(_SHEETS - 1):
        left = np.flatnonzero(~np.isin(found.point, found.point[kept]))
        if not left.size:
            break
        gap = np.full(sheet.max() + 1, np.inf)
        np.minimum.at(gap, sheet[left], cKDTree(times[kept]).query(times[left], p=np.inf)[0])
        count = _points_of(found.point[left], sheet[left])
        gap[: count.size] /= np.maximum(count, 1)
        kept |= sheet == np.argmin(gap)
    return kept


def _points_of(point: Indices, sheet: Indices) -> Indices:
    """Number of points that each sheet serves."""
    return np.bincount(np.unique(np.stack([sheet, point]), axis=1)[0])


def worth_following(
    tour: KnownTour,
    every: Postures,
    task: SerialTask,
    limits: JointLimits,
    *,
    law: str,
    margin: float,
    clear: Clear | None,
) -> Postures:
    """Postures that may shorten a tour, or serve what it leaves out, whole turns settled.

    Args:
        tour: as it is.
        every: all branches of its points, whole turns nearest to mid-range.
        task: of the robot.
        limits: for the travel times.
        law: of the travel.
        margin: that turning joints must keep. [rad]
        clear: whether postures touch nothing; None where there is nothing.
    """
    order = tour.order
    before, after = _neighbours(tour, order)
    found = _turned_towards(every, (before, after), task, margin)
    travel = _Travel(limits, law)
    beside = travel.between_rows(before[found.point], found.q) + travel.between_rows(
        found.q, after[found.point]
    )
    hard = np.isin(found.point, tour.hard)
    rows = _first(found.point, np.where(hard, 0.0, beside), np.where(hard, len(hard), _NEAREST))
    rows = rows if clear is None else rows[clear(found.q[rows])]
    rows = rows[_first(found.point[rows], beside[rows], np.full(rows.size, _LAYER))]
    layers = found.take(np.sort(rows))
    through = _through(layers, order, travel, tour.home)
    return layers.take(_chosen(layers, through, np.isin(layers.point, tour.hard), task))


def _neighbours(tour: KnownTour, order: Indices) -> tuple[Array, Array]:
    """Postures of the served points before and after each point. # (points, n) each."""
    q = np.full((order.size, tour.q.shape[1]), np.nan)
    q[tour.visits] = tour.q
    sides = []
    for way in (order, order[::-1]):
        side, last = np.empty_like(q), np.full(q.shape[1], np.nan)
        last = last if tour.home is None else tour.home
        for point in way.tolist():
            side[point] = last
            last = q[point] if np.isfinite(q[point, 0]) else last
        sides.append(side)
    # Without home the ends of a tour have one neighbour, and a tour of nothing has none.
    before, after = (
        np.where(np.isnan(one), np.where(np.isnan(other), 0.0, other), one)
        for one, other in (sides, sides[::-1])
    )
    return before, after


def _turned_towards(
    every: Postures, sides: tuple[Array, Array], task: SerialTask, margin: float
) -> Postures:
    """Postures within limits by the whole turns that bring them nearest to either neighbour."""
    mechanism = task.mechanism
    keep = required_margins(mechanism, margin)
    low, high = mechanism.q_min + keep, mechanism.q_max - keep
    parts = []
    for side in sides:
        turns = np.round((every.q - side[every.point]) / (2.0 * np.pi))
        q = np.where(task.angular, every.q - 2.0 * np.pi * turns, every.q)
        parts.append(np.where((q >= low) & (q <= high), q, every.q))
    inside = [np.all((q >= low) & (q <= high), axis=1) for q in parts]
    inside[1] &= np.any(parts[0] != parts[1], axis=1)
    point = np.concatenate([every.point[kept] for kept in inside])
    q = np.concatenate([q[kept] for q, kept in zip(parts, inside, strict=True)])
    rank = np.argsort(point, kind="stable")
    return Postures(point=point[rank], q=q[rank])


class _Travel:
    """Times of travel between postures."""

    def __init__(self, limits: JointLimits, law: str) -> None:
        self._limits, self._law = limits, law

    def between_rows(self, start: Array, end: Array) -> Array:
        """From each posture to its own end. # (m,) [s]."""
        times = JointTimes.of(np.concatenate([start, end]), self._limits, self._law)
        return times.between(np.arange(len(start)), len(start) + np.arange(len(end)))

    def between_all(self, start: Array, end: Array) -> Array:
        """From each posture to each end. # (a, b) [s]."""
        times = JointTimes.of(np.concatenate([start, end]), self._limits, self._law)
        return times.between(
            np.arange(len(start))[:, None], len(start) + np.arange(len(end))[None, :]
        )


def _through(layers: Postures, order: Indices, travel: _Travel, home: Array | None) -> Array:
    """Least travel along the order through each posture; points without any are passed by. [s]."""
    first = np.searchsorted(layers.point, np.arange(order.size + 1))
    rows = [np.arange(first[k], first[k + 1]) for k in order.tolist() if first[k] < first[k + 1]]
    forward, backward = np.zeros(layers.point.size), np.zeros(layers.point.size)
    if home is not None and rows:
        forward[rows[0]] = travel.between_all(home[None], layers.q[rows[0]])[0]
        backward[rows[-1]] = travel.between_all(home[None], layers.q[rows[-1]])[0]
    legs = [(a, b, travel.between_all(layers.q[a], layers.q[b])) for a, b in pairwise(rows)]
    for a, b, seconds in legs:
        forward[b] = np.min(forward[a][:, None] + seconds, axis=0)
    for a, b, seconds in reversed(legs):
        backward[a] = np.min(seconds + backward[b], axis=1)
    return forward + backward


def _chosen(layers: Postures, through: Array, hard: Mask, task: SerialTask) -> Indices:
    """Rows to follow, by point: some by travel alone, some of different branches."""
    quick = _first(layers.point, through, np.full(through.size, _QUICK))
    apart = signatures(task, layers.q)
    rows = np.concatenate(
        [
            quick,
            spread(layers.point, apart, -through, _SPREAD),
            np.flatnonzero(hard)[spread(layers.point[hard], apart[hard], -through[hard], _HARD)],
        ]
    )
    return np.unique(rows)


def _first(point: Indices, value: Array, most: Indices) -> Indices:
    """Rows of least value, at most so many of each point, rising."""
    rank = np.lexsort((value, point))
    place = np.arange(point.size) - np.searchsorted(point, point)
    return np.sort(rank[place < most[rank]])


# --- points of a tour ----------------------------------------------------------------------------


def planned_points(
    job: Job,
    placed: PlacedPoints,
    found: Candidates,
    choice: Choice,
    overruns: Array,
    clearances: Sequence[SegmentClearance | None] = (),
) -> tuple[PlannedPoint, ...]:
    """Every point of the job, in the job's order.

    Args:
        job: for the names of the joints and the approach.
        placed: the points.
        found: the candidates.
        choice: which of them serve the points.
        overruns: of the ball after a trigger, in visiting order. # (k,) [m]
        clearances: of the probing lines in visiting order, None where a line states none; empty
            where they were not checked.
    """
    names = [joint.name for joint in job.mechanism.movable]
    points = [_unreached(name, job.mechanism.dof) for name in placed.names]
    rows, limit = choice.chosen, choice.margins.limit
    units = joint_units(job.mechanism)
    contacts, *others = _cycle_joints(placed, found, choice)
    for visit, (k, row) in enumerate(zip(choice.visits.tolist(), rows.tolist(), strict=True)):
        joint = int(np.argmin(limit[visit] / units))
        points[k] = PlannedPoint(
            name=placed.names[k],
            reachable=True,
            branch=found.lines.branch(row),
            inverse_branch=found.lines.inverse_branch(row),
            q_clearance=found.lines.q_starts[row],
            q_contact=contacts[visit],
            joint_margin=float(limit[visit, joint]),
            margin_joint=names[joint],
            singularity_margin=float(choice.margins.singularity[visit]),
            q_search_start=others[0][visit],
            q_search_end=others[1][visit],
            q_back_off=others[2][visit],
            touch_speed=float(placed.touch_speeds[k]),
            overrun=float(overruns[visit]),
            min_clearance=None if (stated := _of(clearances, visit)) is None else stated.certified,
        )
    return tuple(points)


def _of(clearances: Sequence[SegmentClearance | None], visit: int) -> SegmentClearance | None:
    return clearances[visit] if clearances else None


def _unreached(name: str, dof: int) -> PlannedPoint:
    unknown = np.full(dof, np.nan)
    return PlannedPoint(
        name=name,
        reachable=False,
        branch="",
        q_clearance=unknown,
        q_contact=unknown,
        joint_margin=np.nan,
        margin_joint="",
        singularity_margin=np.nan,
        q_search_start=unknown,
        q_search_end=unknown,
        q_back_off=unknown,
        touch_speed=np.nan,
        overrun=np.nan,
    )


def _cycle_joints(placed: PlacedPoints, found: Candidates, choice: Choice) -> list[Array]:
    """Joints at contact, start and end of the search and after the back-off. # (k, n) each."""
    visits, rows = choice.visits, choice.chosen
    lengths = placed.lengths
    outside = (np.zeros(len(placed)), placed.search_before, -placed.search_after, placed.back_off)
    places = [
        np.divide(placed.distances - d, lengths, out=np.ones(len(placed)), where=lengths > 0.0)
        for d in outside
    ]
    return [found.lines.joints(rows, np.clip(at, 0.0, 1.0)[visits]) for at in places]
