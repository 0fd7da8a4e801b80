"""Safety: which lines and travels of a job keep their clearance, and how near they come.

Whatever was proven once stays known, because orders and branches are tried again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np

from parts.geometry.mesh import connected
from planner.clearance.certify import Clearance, certify, keeps
from planner.clearance.checker import Checker
from planner.clearance.patch import StylusPlacement
from planner.clearance.paths import StraightPaths
from planner.clearance.probing import ProbingLines
from planner.detours.find import (
    Blocked,
    Detours,
    FreePaths,
    Way,
    corners_between,
    find_ways,
    travel_space,
)
from planner.detours.motions import MixedTravels, TravelSpace
from planner.job import Job
from planner.job.solids import Cell, SolidKind
from planner.motion.assembly import SegmentClearances
from planner.motion.travel import TravelMotions, travel_times
from planner.order.graph import HOME
from planner.plan import PlacedPoints, SegmentClearance
from planner.progress import Progress, silent
from planner.reach.lines import Lines
from planner.reach.margins import home_within
from planner.reach.reach import Candidates
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.motion_law import straight_law

Pair = tuple[int, int]

LINES, TRAVELS = "probing lines", "travels"


class Safety:
    """The clearance of everything that a job's plan may do.

    Args:
        job: for the cell and the clearance to keep.
        model: of the robot.
        limits: of its joints, for the times of detours.
        placed: the points.
        found: the candidates, whose numbers name lines and travels.
        progress: told what is being proven.
    """

    def __init__(
        self,
        job: Job,
        model: Model,
        limits: JointLimits,
        placed: PlacedPoints,
        found: Candidates,
        *,
        progress: Progress = silent,
    ) -> None:
        self.checker = Checker(model, job.cell)
        self.required = job.checks.clearance
        self.refused = np.zeros(found.point.size, dtype=bool)
        self._job, self._model, self._limits = job, model, limits
        self._placed, self._found, self._progress = placed, found, progress
        self._direct: dict[Pair, bool] = {}
        self._ways: dict[Pair, Way | Blocked] = {}
        self._known: dict[Pair, Way | Blocked] = {}
        self._home_seconds: dict[int, float] = {}
        self._detour = job.travel

    def extended(self, found: Candidates, rows: Indices, *, searched: bool) -> Safety:
        """The same of more candidates, with all that is known.

        Args:
            found: candidates, those of this one among them in the same order.
            rows: where these are now, rising. # (c,)
            searched: whether ways that follow no rule are searched for travels that are new.
        """
        other = copy(self)
        other._found = found
        other.refused = np.zeros(found.point.size, dtype=bool)
        other.refused[rows] = self.refused
        now = dict(enumerate(rows.tolist())) | {HOME: HOME}
        other._direct = {(now[a], now[b]): kept for (a, b), kept in self._direct.items()}
        # What is found from here on counts as known, too.
        other._ways = {(now[a], now[b]): way for (a, b), way in self._ways.items()}
        other._known = other._ways
        other._home_seconds = {now[a]: seconds for a, seconds in self._home_seconds.items()}
        if self._job.travel.detour == "auto":
            other._detour = replace(self._job.travel, detour="auto" if searched else "plane")
        return other

    @property
    def empty(self) -> bool:
        """Whether there is nothing that could be touched."""
        return self.checker.empty

    def prove(self, candidates: Indices) -> Mask:
        """Whether lines keep their clearance, and so do their clearance points. # (k,)."""
        lines, point = self._found.lines.take(candidates), self._found.point[candidates]
        kept = self.clear(lines.q_starts)
        rows = np.nonzero(kept)[0]
        kept[rows] = self._probing.keeps(lines.take(rows), point[rows])
        self.refused[candidates[~kept]] = True
        return kept

    def clear(self, q: Array) -> Mask:
        """Whether postures keep their clearance. # (m, n) -> (m,)."""
        return ~self.checker.collides(q, self.required)

    def direct(self, pairs: Sequence[Pair]) -> Mask:
        """Whether straight travels between candidates or ``HOME`` keep their clearance. # (k,)."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._direct]
        if new:
            a, b = (self._postures(ends) for ends in np.array(new).T)
            good = keeps(self.checker, StraightPaths(a, b), self.required)
            self._direct |= {pair: bool(kept) for pair, kept in zip(new, good, strict=True)}
        return np.array([self._direct[pair] for pair in pairs], dtype=bool)

    @cached_property
    def home(self) -> Array | None:
        """Home of the job's controller, where a motion may begin there. # (n,) [rad or m]."""
        home = home_within(self._job.mechanism, self._job.checks.joint_margin)
        return home if home is not None and bool(self.clear(home[None])[0]) else None

    def home_seconds(self, candidate: int) -> float:
        """Time of the way between home and a candidate that programmes take, at full speed. [s].

        They stop at its corners. Infinite where none is found.
        """
        if candidate not in self._home_seconds:
            [home, end] = self._postures(np.array([HOME, candidate]))
            corners = corners_between(self._room, home, end, self._detour)
            seconds = np.inf
            if corners is not None:
                starts, law = np.concatenate([home[None], corners[:-1]]), self._job.travel.law
                times = travel_times(starts, corners, self._limits, straight_law(law))
                seconds = float(np.sum(times))
            self._home_seconds[candidate] = seconds
        return self._home_seconds[candidate]

    def _postures(self, candidates: Indices) -> Array:
        """Postures at the clearance points, or home. # (m,) -> (m, n)."""
        q = np.empty((candidates.size, self._model.dof))
        own = candidates != HOME
        q[own] = self._found.lines.q_starts[candidates[own]]
        q[~own] = self.home
        return q

    @property
    def goes_around(self) -> bool:
        """Whether a travel that does not go straight, and is new, may find another way."""
        travel = self._detour
        by_cube = travel.clearance_cube is not None and self._job.cell.part is not None
        by_rule = travel.clearance_plane is not None or by_cube
        return travel.detour == "auto" or (travel.detour == "plane" and by_rule)

    def unknown(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Pairs of candidates whose straight travel has not been looked at, either way."""
        return [(a, b) for a, b in pairs if not {(a, b), (b, a)} & self._direct.keys()]

    def islands(self, candidates: Indices) -> Indices:
        """Number the islands that candidates lie on: hardly a travel leads from one to another.

        Args:
            candidates: rows. # (k,)

        Returns:
            Equal numbers for one island, -1 for candidates whose clearance point collides. # (k,)
        """
        around = Cell(
            solids=tuple(s for s in self._job.cell.solids if s.kind is not SolidKind.PART)
        )
        checker = Checker(self._model, around)
        q = self._found.lines.q_starts[candidates]
        clear = self.clear(q)
        numbers = np.full(len(q), -1)
        numbers[clear] = islands(checker, q[clear], self._limits.max_speed, self.required)
        return numbers

    def around(self, chosen: Indices) -> Detours | None:
        """Detours for the travels between candidates that do not go straight; None for none."""
        pairs = list(zip(chosen[:-1].tolist(), chosen[1:].tolist(), strict=True))
        rows = np.nonzero(~self.direct(pairs))[0].tolist()
        if not rows:
            return None
        new = [k for k in rows if pairs[k] not in self._known]
        outcomes = {k: self._known[pairs[k]] for k in rows if pairs[k] in self._known}
        if new:
            a, b = chosen[new], chosen[np.array(new) + 1]
            q, room, travel = self._found.lines.q_starts, self._room, self._detour
            free = FreePaths(room, travel.seed)
            found = find_ways(room, q[a], q[b], travel, free, progress=self._progress)
            outcomes |= {new[number]: way for number, way in found.items()}
            self._ways.update((pairs[new[number]], way) for number, way in found.items())
        return Detours.of(room=self._room, outcomes=outcomes)

    def line_clearances(self, lines: Lines, visits: Indices) -> Clearance:
        """How near lines come. Args: lines in visiting order; points they serve."""
        return self._probing.certify(lines, visits, progress=_named(self._progress, LINES))

    def travel_clearances(self, motions: TravelMotions | MixedTravels) -> Clearance:
        """How near travels come."""
        return certify(
            self.checker,
            motions,
            required=self.required,
            grazing=True,
            progress=_named(self._progress, TRAVELS),
        )

    def of_segments(self, lines: Clearance, travels: Clearance) -> SegmentClearances:
        """Clearances as segments carry them."""
        return SegmentClearances(lines=self._segments(lines), travels=self._segments(travels))

    def _segments(self, found: Clearance) -> tuple[SegmentClearance | None, ...]:
        """None for motions on which no pair of bodies has been measured: that is no distance."""
        pairs = self.checker.pairs
        return tuple(
            SegmentClearance(
                certified=float(found.certified[k]),
                seen=float(found.seen[k]),
                moving=pairs[pair].moving,
                against=pairs[pair].against,
                place=_three(found.place[k]),
                at=float(found.lam[k]),
            )
            if pair >= 0
            else None
            for k, pair in enumerate(found.pair.tolist())
        )

    @cached_property
    def _probing(self) -> ProbingLines:
        return ProbingLines(
            self.checker,
            self._job.cell,
            self._model.mechanism,
            touches=StylusPlacement.of(self._placed),
            required=self.required,
            depths=self._placed.depths,
        )

    @cached_property
    def _room(self) -> TravelSpace:
        return travel_space(self._job, self._model, self.checker, self._limits)


def _three(place: Array) -> tuple[float, float, float]:
    x, y, z = place.tolist()
    return x, y, z


def _named(progress: Progress, name: str) -> Progress:
    """Progress of a stage that has its own name here."""

    def told(stage: str, done: int, total: int) -> None:
        del stage
        progress(name, done, total)

    return told


# ------------------------------------------------------------------------------ Islands of postures
# Groups of postures that hardly a travel leads out of, whatever its detour. Past the part there is
# nearly always a way, over it. What separates postures for good is the robot, whose upper arm does
# not pass through its own base, and what stands around it. Islands are therefore told apart without
# the part, by straight joint motions that are proven. Postures that only a winding way joins count
# as two islands: they advise the choice of postures and prove nothing.

_HUBS = 48  # postures far from one another
_NEAR = 8  # hubs that a posture may be joined to
_PLACES = np.linspace(0.0, 1.0, 17)[1:-1]  # of a joint motion that are looked at first


def islands(checker: Checker, q: Array, max_speed: Array, required: float) -> Indices:
    """Number the islands that postures lie on.

    Args:
        checker: of the robot in its cell without the part.
        q: postures that keep the clearance. # (m, n) [rad]
        max_speed: of the joints: distances between postures are times. # (n,) [rad/s]
        required: clearance. [m]

    Returns:
        Equal numbers for one island. # (m,)
    """
    if len(q) < 2:
        return np.zeros(len(q), dtype=np.int64)
    times = q / max_speed
    hubs = _apart(times, min(_HUBS, len(q)))
    gaps = np.max(np.abs(times[:, None] - times[hubs]), axis=2)
    nearest = hubs[np.argsort(gaps, axis=1, kind="stable")]
    joined = [
        _proven(checker, q, hubs[np.stack(np.triu_indices(len(hubs), k=1), axis=1)], required)
    ]
    alone = np.arange(len(q))
    for k in range(min(_NEAR, len(hubs))):
        legs = np.stack([alone, nearest[alone, k]], axis=1)
        joined.append(_proven(checker, q, legs, required))
        alone = np.setdiff1d(alone, joined[-1][:, 0])
    return connected(len(q), *np.concatenate(joined).T)


def _apart(times: Array, count: int) -> Indices:
    """Postures chosen one by one, each the farthest from those before it. # (count,)."""
    chosen = [0]
    gap = np.max(np.abs(times - times[0]), axis=1)
    while len(chosen) < count:
        chosen.append(int(np.argmax(gap)))
        gap = np.minimum(gap, np.max(np.abs(times - times[chosen[-1]]), axis=1))
    return np.array(chosen)


def _proven(checker: Checker, q: Array, legs: Indices, required: float) -> Indices:
    """Legs that keep the clearance; most others collide at one of a few places. # (f, 2)."""
    start, end = q[legs[:, 0], None], q[legs[:, 1], None]
    places = start + _PLACES[:, None] * (end - start)
    hit = checker.collides(places.reshape(-1, q.shape[1]), required)
    legs = legs[~np.any(hit.reshape(len(legs), _PLACES.size), axis=1)]
    return legs[keeps(checker, StraightPaths(q[legs[:, 0]], q[legs[:, 1]]), required)]
