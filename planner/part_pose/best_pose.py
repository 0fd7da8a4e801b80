"""The best pose of a job's part: searched roughly, planned exactly, then chosen by rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.errors import JobError
from planner.findings import Severity
from planner.job import Job
from planner.part_pose.moved import check_movable, in_order, moved, visiting_order
from planner.part_pose.pose_space import PoseSpace, WrittenPose
from planner.part_pose.rating import PoseRating, Scores, worst_margin
from planner.plan import Plan, PlannedPoint
from planner.planning import plan
from planner.progress import Progress, silent
from planner.reach.margins import joint_units
from robots.core.arrays import Array, Indices
from robots.core.mechanism import Mechanism

_MANY = 400  # points of a job whose plans take long
_BY_TIME, _BY_MARGIN = 6, 2  # finalists of each climb
_MORE = 4  # times as many by time, where the search does not see what plans tell
SHARES = {"margin": 0.98, "time": 0.5, "energy": 0.5}
_ROUNDING = 1e-9  # relative difference that is none


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlannedPose:
    """The part in a pose, with the plan that it gives.

    Args:
        pose: T_base_part.
        plan: the plan of the job with the part there.
    """

    pose: WrittenPose
    plan: Plan

    @property
    def measurable(self) -> tuple[PlannedPoint, ...]:
        """Points that are reached and of which no finding is an error."""
        bad = {f.subject.point for f in self.plan.finding_list if f.severity is Severity.ERROR}
        return tuple(p for p in self.plan.planned_points if p.reachable and p.name not in bad)

    @property
    def rank(self) -> tuple[int, bool]:
        """Points measurable, then whether the plan is feasible as a whole."""
        return len(self.measurable), self.plan.feasible

    @property
    def tightest(self) -> PlannedPoint | None:
        """The measurable point with the smallest joint margin; None where there is none."""
        return min(self.measurable, key=self._comparable, default=None)

    @property
    def joint_margin(self) -> float:
        """Smallest joint margin of the measurable points, comparable; inf for none. [rad]."""
        return min(map(self._comparable, self.measurable), default=np.inf)

    @property
    def singularity_margin(self) -> float:
        """Least distance of the measurable points from a singularity; inf where there are none."""
        return min((point.singularity_margin for point in self.measurable), default=np.inf)

    @property
    def clearance(self) -> float | None:
        """Least certified clearance of the measurable points; None where none was checked. [m]."""
        known = [p.min_clearance for p in self.measurable if p.min_clearance is not None]
        return min(known, default=None)

    @property
    def margin(self) -> float:
        """Worst margin: the angle to the nearest joint limit or singularity. [rad]."""
        joint, singular = np.array(self.joint_margin), np.array(self.singularity_margin)
        return float(worst_margin(joint, singular))

    def cost(self, goal: str) -> float:
        """What is to be small when margins are settled: time [s], or energy [J]."""
        totals = self.plan.totals
        if goal == "energy" and totals.energy is not None:
            return totals.energy
        return totals.duration

    def _comparable(self, point: PlannedPoint) -> float:
        return point.joint_margin / _unit(self.plan.job.mechanism, point.margin_joint)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placing:
    """Result of the search.

    Args:
        job: whose part was placed.
        space: poses that were allowed.
        given: the part where the job has it.
        best: the part where it should be; the given pose itself where none is better.
        tried: number of poses that were judged.
        planned: number of poses that were planned.
        interrupted: whether the search was, so that the best pose is only the best so far.
    """

    job: Job
    space: PoseSpace
    given: PlannedPose
    best: PlannedPose
    tried: int
    planned: int
    interrupted: bool = False

    @property
    def feasible(self) -> bool:
        """Whether the best pose measures every point."""
        return self.best.plan.feasible and len(self.best.measurable) == len(self.job.points)


def best_pose(job: Job, progress: Progress = silent) -> Placing:
    """Place the part of a job; an interrupt ends the search with the best pose so far.

    Args:
        job: with points in the part's frame; its ``place`` says where to look.
        progress: told how far the work is; it may interrupt.

    Raises:
        KeyboardInterrupt: before any pose was judged.
        JobError: the points are given in the base frame; the goal is energy and the masses are not
            known.
        RobotError: the robot cannot do such a job.
    """
    check_movable(job)
    space, goal = PoseSpace.of(job), job.place.goal
    if goal == "energy" and not job.mechanism.masses_known:
        raise JobError(
            f'The goal of [place] is "energy", but the masses of {job.mechanism.name} are not '
            'known; take "time" or "margin", or give the robot file its [joint.body] tables.',
            key="place.goal",
        )
    given = _given(job)
    order = visiting_order(given.plan)
    search = PoseSearch(PoseRating(job, order), space, job.place.seed, progress)
    found = search.run(SHARES[goal], timed=goal != "energy")
    finalists = _Finalists(in_order(job, order), _finalists(found, space), goal, progress)
    planned = finalists.plan_first() if found.interrupted else finalists.plan_all()
    interrupted = found.interrupted or finalists.interrupted
    allowed = [given, *planned] if not np.any(space.nearest) else planned
    best = preferred(given, allowed, goal)
    return Placing(
        job=job,
        space=space,
        given=given,
        best=best if best is given or interrupted else _reordered(job, best),
        tried=len(found.tried.moves),
        planned=1 + len(planned),
        interrupted=interrupted,
    )


def _given(job: Job) -> PlannedPose:
    pose = WrittenPose.of(job.part.T_base_part, mm_digits=9, deg_digits=9)
    return PlannedPose(pose=pose, plan=plan(job))


def _reordered(job: Job, best: PlannedPose) -> PlannedPose:
    """The chosen pose, planned with the order left as open as the job leaves it."""
    if job.travel.order == "as-given":
        return best
    freed = replace(best, plan=plan(moved(job, best.pose.T)))
    return preferred(best, [best, freed], job.place.goal)


def _finalists(found: SearchResult, space: PoseSpace) -> Array:
    """T_base_part of the poses worth a plan: those of the largest margin, then quick ones."""
    tried = found.tried
    wide = distinct(tried, found.bar.by_margin(tried), _BY_MARGIN, space)
    quick = distinct(tried, found.goal.by_time(tried), _MORE * _BY_TIME, space)
    return space.poses(np.concatenate([wide.moves, quick.moves]))


class _Finalists:
    """Plans of the finalists. Args: poses: by falling preference. # (k, 4, 4)."""

    def __init__(self, job: Job, poses: Array, goal: str, progress: Progress) -> None:
        self.job, self.poses, self.goal, self.progress = job, poses, goal, progress
        self.interrupted = False

    def plan_first(self) -> list[PlannedPose]:
        """The first one alone, where nobody waits for the others."""
        return [self._plan(self.poses[0])]

    def plan_all(self) -> list[PlannedPose]:
        """All that may be needed, as far as nobody interrupts: of the later ones only a part."""
        planned: list[PlannedPose] = []
        many = len(self.job.points) > _MANY
        enough = _BY_MARGIN + (1 if many else _BY_TIME)
        poses = self.poses[: len(self.poses) if not many else 2 * enough]
        try:
            for done, T in enumerate(poses):
                self.progress("poses planned", done, len(poses))
                good = sum(standing.plan.feasible for standing in planned)
                settled = good >= enough or not _hidden(planned)
                if done >= enough and settled and self.goal != "energy":
                    break
                planned.append(self._plan(T))
            self.progress("poses planned", len(poses), len(poses))
        except KeyboardInterrupt:
            if not planned:
                raise
            self.interrupted = True
        return planned

    def _plan(self, T: Array) -> PlannedPose:
        pose = WrittenPose.of(T)
        return PlannedPose(pose=pose, plan=plan(moved(self.job, pose.T)))


def _hidden(planned: list[PlannedPose]) -> bool:
    """Whether some plan fails although all its points are reached: the search did not see why."""
    return any(
        not standing.plan.feasible
        and all(point.reachable for point in standing.plan.planned_points)
        for standing in planned
    )


def preferred(given: PlannedPose, others: Sequence[PlannedPose], goal: str) -> PlannedPose:
    """The pose to propose.

    Poses that are worse than the given one in the points measurable, in the smallest joint margin
    or in the time (energy) are dropped, unless all are. Of the rest the most points count first;
    then a pose must keep its share of the largest worst margin among them (0.98, or 0.5 where the
    goal is time or energy); then the least time (energy) decides, and the earlier one among equals.

    Args:
        given: the job's own pose.
        others: the poses that are allowed, by falling preference.
        goal: "margin", "time" or "energy".
    """
    kept = [s for s in others if not _worse(s, given, goal)] or list(others)
    most = max(standing.rank for standing in kept)
    kept = [standing for standing in kept if standing.rank == most]
    floor = SHARES[goal] * max(standing.margin for standing in kept)
    kept = [s for s in kept if s.margin >= floor * (1.0 - 1e-6)]
    least = min(standing.cost(goal) for standing in kept)
    return next(s for s in kept if s.cost(goal) <= least * (1.0 + _ROUNDING))


def _worse(standing: PlannedPose, given: PlannedPose, goal: str) -> bool:
    """Whether a pose loses something that the given one has; more points outweigh the rest."""
    if standing.rank != given.rank:
        return standing.rank < given.rank
    slower = standing.cost(goal) > given.cost(goal) * (1.0 + _ROUNDING)
    return slower or standing.joint_margin < given.joint_margin - _ROUNDING


def _unit(mechanism: Mechanism, joint: str) -> float:
    names = [movable.name for movable in mechanism.movable]
    return float(joint_units(mechanism)[names.index(joint)])


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
class PoseTrials:
    """Trial poses of a search with their scores.

    Args:
        moves: from the given pose. # (p, 6) [m, rad]
        scores: what they are worth.
    """

    moves: Array
    scores: Scores

    def take(self, rows: Indices) -> PoseTrials:
        """Some of the poses, in the order given."""
        return PoseTrials(moves=self.moves[rows], scores=self.scores.take(rows))

    @staticmethod
    def joined(parts: list[PoseTrials]) -> PoseTrials:
        """All poses, one list after another."""
        return PoseTrials(
            moves=np.concatenate([part.moves for part in parts]),
            scores=Scores.joined([part.scores for part in parts]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredPose:
    """Requirements set by the given pose: as many points, no less joint margin, no more time.

    Args:
        points: that it measures.
        joint: its least distance to a joint limit. [rad]
        time: of its motions, inf where time is free. [s]
    """

    points: float
    joint: float
    time: float

    @classmethod
    def of(cls, given: Scores, *, timed: bool) -> RequiredPose:
        """The bar of the given pose, which sets none where it measures no point."""
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

    def by_margin(self, tried: PoseTrials) -> Array:
        """Value of poses: the points, not under the bar, the worst margin. # (p,)."""
        missed = self.missed(tried.scores)
        under = -np.minimum(missed, _POINT / 2.0)
        value = np.where(missed > 0.0, under, tried.scores.margin)
        return np.asarray(_POINT * tried.scores.points + value)

    def goal(self, tried: PoseTrials, share: float) -> PoseGoal:
        """What the second climb has to keep."""
        best = int(np.argmax(self.by_margin(tried)))
        floor = share * float(tried.scores.margin[best])
        return PoseGoal(bar=self, points=float(tried.scores.points[best]), floor=floor)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseGoal:
    """Requirements on quick poses.

    Args:
        bar: that the given pose sets.
        points: that are measurable.
        floor: of the worst margin. [rad]
    """

    bar: RequiredPose
    points: float
    floor: float

    def by_time(self, tried: PoseTrials) -> Array:
        """Value of poses: the points, the bar and the floor kept, then less time. # (p,)."""
        scores = tried.scores
        missing = np.maximum(self.floor - scores.margin, 0.0) + self.bar.missed(scores)
        short = (scores.points < self.points) | (missing > 0.0)
        lost = np.minimum(missing, _POINT / 2.0)
        return np.where(short, _POINT * (scores.points - self.points - 1.0) - lost, -scores.time)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchResult:
    """Poses tried by a search, and their values; interrupted: not all that were meant to be."""

    tried: PoseTrials
    bar: RequiredPose
    goal: PoseGoal
    interrupted: bool = False


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
        self._judged: list[PoseTrials] = []
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
        interrupted = False
        try:
            tried = self._try(np.concatenate([self.space.nearest[None], spread]))
            tried = PoseTrials.joined([tried, self._climb(tried, bar.by_margin, 2)])
            goal = bar.goal(tried, share)
            tried = PoseTrials.joined([tried, self._climb(tried, goal.by_time, 1)])
        except KeyboardInterrupt:
            if not self._judged:
                raise
            interrupted, tried = True, PoseTrials.joined(self._judged)
            goal = bar.goal(tried, share)
        return SearchResult(tried=tried, bar=bar, goal=goal, interrupted=interrupted)

    def _climbs(self, count: int, starts: int) -> int:
        """Poses of some climbs."""
        return count * self._rounds * starts * cloud_size(self._free.size)

    def _climb(
        self, tried: PoseTrials, value: Callable[[PoseTrials], Array], left: int
    ) -> PoseTrials:
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
        return PoseTrials.joined(way)

    def _worth(self, tried: PoseTrials, value: Callable[[PoseTrials], Array]) -> Array:
        return np.asarray(value(tried) - _NEAR * self.space.size(tried.moves))

    def _try(self, moves: Array) -> PoseTrials:
        scores = self.judge(self.space.poses(moves))
        self._judged.append(PoseTrials(moves=moves, scores=scores))
        self._done += len(moves)
        self.progress("poses tried", self._done, max(self._total, self._done))
        return self._judged[-1]


def distinct(tried: PoseTrials, value: Array, count: int, space: PoseSpace) -> PoseTrials:
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


# ------------------------------------------------------------------------------------------ Clouds
# The worst of many margins has kinks and long crooked ridges, on which steps along fixed directions
# stall. A normal distribution is sampled instead; its mean follows the better half of the sample,
# its covariance the steps that succeed. Several clouds climb at once, so that every round is one
# batch.
#
# Source: N. Hansen, "The CMA Evolution Strategy: A Tutorial" (2016), with its default parameters,
# positive weights only


def cloud_size(d: int) -> int:
    """Trials of a cloud in each round, for d coordinates."""
    return 8 + int(3.0 * np.log(d + 1.0))


class Clouds:
    """Clouds in the unit box of d coordinates.

    Args:
        means: where each stands at first. # (s, d)
        width: standard deviation at first.
        random: numbers are drawn from it.
    """

    def __init__(self, means: Array, width: float, random: np.random.Generator) -> None:
        self.means = means.copy()
        self._random = random
        s, d = means.shape
        self.size = cloud_size(d)
        self._width = np.full(s, width)
        self._shape = np.tile(np.eye(d), (s, 1, 1))
        self._step_path, self._shape_path = np.zeros((s, d)), np.zeros((s, d))
        self._rates = _Rates(d, self.size)
        self._turn = self._axes = self._back = self._shape
        self._round = 0

    def draw(self) -> Array:
        """The next trials, kept in the box. # (s, size, d)."""
        s, d = self.means.shape
        values, self._turn = np.linalg.eigh(self._shape)
        roots = np.sqrt(np.maximum(values, 1e-20))[:, None]
        self._axes, self._back = self._turn * roots, self._turn / roots
        normal = self._random.normal(size=(s, self.size, d))
        steps = np.einsum("sij,skj->ski", self._axes, normal)
        trials = self.means[:, None] + self._width[:, None, None] * steps
        return np.asarray(np.clip(trials, 0.0, 1.0))

    def learn(self, trials: Array, values: Array) -> None:
        """Move towards the better trials. Args: trials (s, size, d), values (s, size)."""
        rates, d = self._rates, self.means.shape[1]
        self._round += 1
        best = np.argsort(-values, axis=1, kind="stable")[:, : rates.weights.size]
        chosen = np.take_along_axis(trials, best[:, :, None], axis=1)
        steps = (chosen - self.means[:, None]) / self._width[:, None, None]
        step = np.einsum("k,skd->sd", rates.weights, steps)
        self.means = self.means + self._width[:, None] * step
        whitened = np.einsum("sij,skj,sk->si", self._turn, self._back, step)
        self._step_path = _mixed(self._step_path, whitened, rates.step, rates.mass)
        length = np.linalg.norm(self._step_path, axis=1)
        settled = np.sqrt(1.0 - (1.0 - rates.step) ** (2 * self._round))
        moving = (length / settled < (1.4 + 2.0 / (d + 1.0)) * rates.norm)[:, None]
        moved = np.where(moving, step, 0.0)
        self._shape_path = _mixed(self._shape_path, moved, rates.path, rates.mass)
        one = self._shape_path[:, :, None] * self._shape_path[:, None]
        many = np.einsum("k,ski,skj->sij", rates.weights, steps, steps)
        keep = 1.0 - rates.one - rates.many
        self._shape = keep * self._shape + rates.one * one + rates.many * many
        growth = rates.step / rates.damping * (length / rates.norm - 1.0)
        self._width = self._width * np.exp(np.clip(growth, -1.0, 1.0))


class _Rates:
    """Weights and learning rates, from the number of coordinates and the size of the sample."""

    def __init__(self, d: int, size: int) -> None:
        half = size // 2
        weights = np.log(half + 0.5) - np.log(np.arange(1.0, half + 1.0))
        self.weights = weights / weights.sum()
        self.mass = 1.0 / float(np.sum(self.weights**2))
        self.path = (4.0 + self.mass / d) / (d + 4.0 + 2.0 * self.mass / d)
        self.step = (self.mass + 2.0) / (d + self.mass + 5.0)
        self.one = 2.0 / ((d + 1.3) ** 2 + self.mass)
        many = 2.0 * (self.mass - 2.0 + 1.0 / self.mass) / ((d + 2.0) ** 2 + self.mass)
        self.many = min(1.0 - self.one, many)
        root = np.sqrt((self.mass - 1.0) / (d + 1.0)) - 1.0
        self.damping = 1.0 + 2.0 * max(0.0, float(root)) + self.step
        self.norm = np.sqrt(d) * (1.0 - 1.0 / (4.0 * d) + 1.0 / (21.0 * d * d))


def _mixed(path: Array, step: Array, rate: float, mass: float) -> Array:
    """A fading sum of steps that keeps its size where steps are random. # (s, d)."""
    return np.asarray((1.0 - rate) * path + np.sqrt(rate * (2.0 - rate) * mass) * step)
