"""The search over the poses of a part: spread over the box, then climb from the best few.

Two climbs, one after the other: for the worst margin, then for the least time among poses that keep
their share of that margin. Every number is drawn from the job's seed, so a search repeats exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.part_pose.clouds import Clouds, cloud_size
from planner.part_pose.judge import PoseRating, Scores
from planner.part_pose.pose_space import PoseSpace
from planner.progress import Progress
from robots.core.arrays import Array, Indices

_FIRST = 2000  # poses spread over the box
_LEAST = 200  # of them, where a job has many points
_EVALUATIONS = 50_000  # points of poses judged in each of three stages, at most
_FEWEST, _FEWEST_ROUNDS = 30, 3  # of each, where every pose takes long
_STARTS = 4
_ROUNDS = 50
_LOOKED = 5000  # of the best poses, when distinct ones are picked
_WIDTH = 0.08  # of the trials about a start, as a part of the box
_POINT = 1e3  # a point counts more than any margin [rad] or time [s]
_NEAR = 1e-4  # what a metre of moving the part counts, in rad or s: decides between equals
_APART = 0.05  # poses nearer than this are the same start [m]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tried:
    """Poses that a search has judged.

    Args:
        moves: from the given pose. # (p, 6) [m, rad]
        scores: what they are worth.
    """

    moves: Array
    scores: Scores

    def take(self, rows: Indices) -> Tried:
        """Some of the poses, in the order given."""
        return Tried(moves=self.moves[rows], scores=self.scores.take(rows))

    @staticmethod
    def joined(parts: list[Tried]) -> Tried:
        """All poses, one list after another."""
        return Tried(
            moves=np.concatenate([part.moves for part in parts]),
            scores=Scores.joined([part.scores for part in parts]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredPose:
    """What the given pose sets: as many points, no less joint margin, no more time.

    Args:
        points: that it serves.
        joint: its least distance to a joint limit. [rad]
        time: of its motions, inf where time is free. [s]
    """

    points: float
    joint: float
    time: float

    @classmethod
    def of(cls, given: Scores, *, timed: bool) -> RequiredPose:
        """The bar of the given pose, which sets none where it serves no point."""
        points = float(given.points[0])
        return cls(
            points=points,
            joint=float(given.joint[0]) if points else -np.inf,
            time=float(given.time[0]) if points and timed else np.inf,
        )

    def missed(self, scores: Scores) -> Array:
        """By how much poses are under the bar, zero for those that are not. # (p,) [rad + s]."""
        less = np.maximum(self.joint - scores.joint, 0.0)
        slower = np.maximum(scores.time - self.time, 0.0)
        return np.where(scores.points > self.points, 0.0, less + slower)

    def by_margin(self, tried: Tried) -> Array:
        """Value of poses: the points, not under the bar, the worst margin. # (p,)."""
        missed = self.missed(tried.scores)
        under = -np.minimum(missed, _POINT / 2.0)
        value = np.where(missed > 0.0, under, tried.scores.margin)
        return np.asarray(_POINT * tried.scores.points + value)

    def goal(self, tried: Tried, share: float) -> PoseGoal:
        """What the second climb has to keep."""
        best = int(np.argmax(self.by_margin(tried)))
        floor = share * float(tried.scores.margin[best])
        return PoseGoal(bar=self, points=float(tried.scores.points[best]), floor=floor)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseGoal:
    """What quick poses must keep.

    Args:
        bar: that the given pose sets.
        points: that are served.
        floor: of the worst margin. [rad]
    """

    bar: RequiredPose
    points: float
    floor: float

    def by_time(self, tried: Tried) -> Array:
        """Value of poses: the points, the bar and the floor kept, then less time. # (p,)."""
        scores = tried.scores
        missing = np.maximum(self.floor - scores.margin, 0.0) + self.bar.missed(scores)
        short = (scores.points < self.points) | (missing > 0.0)
        lost = np.minimum(missing, _POINT / 2.0)
        return np.where(short, _POINT * (scores.points - self.points - 1.0) - lost, -scores.time)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchResult:
    """What a search leaves: the poses it tried, and how they are valued."""

    tried: Tried
    bar: RequiredPose
    goal: PoseGoal


class PoseSearch:
    """One search.

    Args:
        judge: of poses.
        space: of moves.
        seed: of everything drawn.
        progress: told how far it is.
    """

    def __init__(self, judge: PoseRating, space: PoseSpace, seed: int, progress: Progress) -> None:
        self.judge = judge
        self.space = space
        self.progress = progress
        self._free, self._span = space.free, (space.high - space.low)[space.free]
        self._random = np.random.default_rng(seed)
        budget = judge.effort * np.clip(_EVALUATIONS / max(judge.points, 1), _LEAST, _FIRST)
        self._first = max(int(budget), _FEWEST) if space.free.size else 1
        self._rounds = self._affordable(judge) if space.free.size else 0
        self._done = 0
        self._total = 1 + self._first + self._climbs(2, _STARTS)
        self._seed = seed

    def _affordable(self, judge: PoseRating) -> int:
        """Rounds of each climb."""
        a_round = _STARTS * cloud_size(self._free.size) * max(judge.points, 1)
        rounds = judge.effort * min(_ROUNDS, _EVALUATIONS / a_round)
        return max(int(rounds), _FEWEST_ROUNDS)

    def run(self, share: float, *, timed: bool) -> SearchResult:
        """All poses tried, the ends of both climbs among them.

        Args:
            share: of the largest worst margin that a quicker pose must keep.
            timed: whether a pose may not be slower than the given one.
        """
        bar = RequiredPose.of(self.judge(self.space.T_given[None]), timed=timed)
        spread = self.space.spread(self._first, self._seed)
        tried = self._try(np.concatenate([self.space.nearest[None], spread]))
        tried = Tried.joined([tried, self._climb(tried, bar.by_margin, 2)])
        goal = bar.goal(tried, share)
        tried = Tried.joined([tried, self._climb(tried, goal.by_time, 1)])
        return SearchResult(tried=tried, bar=bar, goal=goal)

    def _climbs(self, count: int, starts: int) -> int:
        """Poses of some climbs."""
        return count * self._rounds * starts * cloud_size(self._free.size)

    def _climb(self, tried: Tried, value: Callable[[Tried], Array], left: int) -> Tried:
        """Climb from the best poses, all of them at once; every pose on the way."""
        starts = distinct(tried, value(tried), _STARTS, self.space)
        if not self._rounds:
            return starts
        low, span = self.space.low[self._free], self._span
        clouds = Clouds((starts.moves[:, self._free] - low) / span, _WIDTH, self._random)
        self._total = self._done + self._climbs(left, len(starts.moves))
        way, base = [starts], np.repeat(starts.moves, clouds.size, axis=0)
        for _ in range(self._rounds):
            trials = clouds.draw()
            moves = base.copy()
            moves[:, self._free] = low + span * trials.reshape(-1, self._free.size)
            found = self._try(moves)
            clouds.learn(trials, self._worth(found, value).reshape(trials.shape[:2]))
            way.append(found)
        return Tried.joined(way)

    def _worth(self, tried: Tried, value: Callable[[Tried], Array]) -> Array:
        return np.asarray(value(tried) - _NEAR * self.space.size(tried.moves))

    def _try(self, moves: Array) -> Tried:
        scores = self.judge(self.space.poses(moves))
        self._done += len(moves)
        self.progress("poses tried", self._done, max(self._total, self._done))
        return Tried(moves=moves, scores=scores)


def distinct(tried: Tried, value: Array, count: int, space: PoseSpace) -> Tried:
    """The best poses, none next to a better one."""
    order = np.argsort(-value, kind="stable")
    places = tried.moves * space.weights
    chosen: list[int] = []
    for row in order[:_LOOKED].tolist():
        if all(np.linalg.norm(places[row] - places[k]) > _APART for k in chosen):
            chosen.append(row)
        if len(chosen) == count:
            break
    return tried.take(np.array(chosen, dtype=np.int64))
