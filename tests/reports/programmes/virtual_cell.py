"""The part and the arm that interpreters of robot programmes run against.

The part is the true part of ``planner.virtual_measuring``: each point of the job brings the surface
of its own feature, which is there within ``REACH`` of the point. So a hit in the cell is the hit of
``palpeur measure`` where the programme does what the plan says, and something else where it does
not. The probe's input is true while the ball is in the surface.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np

from planner.evaluation.task import nominal_points
from planner.reach.reach import some_points
from planner.virtual_measuring.measuring import Prober, _measuring, injected
from planner.virtual_measuring.true_part import PartErrors, TruePart
from robots.core.model import Model
from robots.core.pose import inverse_pose, make_pose, rotation_exp, transform_points
from tests.reports.programmes.posture import posture

REACH = 2.5e-3  # [m] across the normal, about every point: where its surface is
LEAST_DEPTH = 1e-3  # [m] of material behind a surface
DEPTH = 10e-3  # [m] before and behind a surface that is away
AWAY = 0.5e-3  # [m] about the probing line of a point that is away
STEP = 0.2e-3  # [m] of the ball between two looks
_ROUNDS = 80  # of bisection


class CrashError(AssertionError):
    """What no programme may do: the ball touches outside a search, or stays in the surface."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Expected:
    """A hit as ``palpeur measure`` has it."""

    q: np.ndarray  # (n,) [rad or m]
    centre: np.ndarray  # (3,) [m]


class VirtualCell:
    """A true part before an arm.

    Args:
        plan: whose points the part has.
        part: what is wrong with it.
        shift: of the part, base axes. # (3,) [m]
        turn: of the part about the middle of its points, a rotation vector. # (3,) [rad]
        away: names of points whose surface is not there.
        seed: of form errors.
    """

    def __init__(
        self,
        plan,
        *,
        part=None,
        shift=(0, 0, 0),
        turn=(0, 0, 0),
        away: Collection[str] = (),
        seed=1,
    ):
        self.plan = plan
        job = plan.job
        reached = np.array([k for k, p in enumerate(plan.planned_points) if p.reachable])
        measuring = _measuring(plan)
        self.truth = TruePart(nominal_points(job).take(reached), part or PartErrors(), seed)
        clean = injected(measuring, runs=1, seed=seed)[0]
        self.errors = replace(clean, shift=np.asarray(shift, float), turn=np.asarray(turn, float))
        self._prober = (job, measuring, some_points(plan.placed, reached), self.truth)
        self.names = self.truth.points.names
        self.model = Model(plan.job.mechanism)
        self._to_part = inverse_pose(job.part.T_base_part)
        self._radius = job.probe.ball_radius
        # Behind a surface there is material for less than a ball: the other side of a thin part is
        # not to be taken for it.
        self._depth = max(1.8 * self._radius, LEAST_DEPTH)
        self._lines = plan.placed.directions[reached] @ job.part.T_base_part[:3, :3]
        self._there = np.array([name not in away for name in self.names])

    @property
    def displacement(self) -> np.ndarray:
        """Where the part stands, seen from where the job has it, base frame. # (4, 4)."""
        R, middle = rotation_exp(self.errors.turn), self.errors.middle
        return make_pose(R, middle + self.errors.shift - R @ middle)

    def expected(self) -> dict[str, Expected]:
        """The hits that ``palpeur measure`` has, by name, in the job's order."""
        found = Prober(*self._prober).run(self.errors)
        rows = zip(self.names, found.q, found.centres, strict=True)
        return {name: Expected(q=q, centre=centre) for name, q, centre in rows}

    def ball(self, q: np.ndarray) -> np.ndarray:
        """Centre of the ball. # (..., n) → (..., 3) [m]."""
        q = np.asarray(q, float)
        return self.model.forward(q.reshape(-1, q.shape[-1]))[:, :3, 3].reshape(*q.shape[:-1], 3)

    def gaps(self, centres: np.ndarray) -> np.ndarray:
        """Between the ball and each surface, infinite where that is not. # (m, 3) → (m, k) [m]."""
        nominal = transform_points(self._to_part, self.errors.nominal_place(centres))
        asked = np.repeat(nominal[:, None, :], len(self.names), axis=1)
        gaps = self.truth.distances(asked) - self._radius
        arms = asked - self.truth.points.positions
        normals = self.truth.points.normals
        along = np.sum(arms * normals, axis=2)
        across = np.linalg.norm(arms - along[..., None] * normals, axis=2)
        # Where points stand close together each has the surface that is nearest to its own contact.
        away = np.linalg.norm(arms - self._radius * normals, axis=2)
        there = (across <= REACH) & (gaps >= -self._depth) & self._there
        for k in np.flatnonzero(~self._there):  # nor what others bring on its probing line
            contact = self.truth.points.positions[k] + self._radius * normals[k]
            arm = nominal - contact
            line = self._lines[k]
            off = np.linalg.norm(arm - np.outer(arm @ line, line), axis=1)
            there[(off < AWAY) & (np.abs(arm @ line) < DEPTH)] = False
        nearest = np.where(there, away, np.inf)
        there &= nearest <= nearest.min(axis=1, keepdims=True)
        return np.where(there, gaps, np.inf)

    def deflected(self, centre: np.ndarray) -> bool:
        """Whether the probe's input is true with the ball there. # (3,) [m]."""
        return bool(self.gaps(np.asarray(centre, float)[None]).min() <= 0.0)

    def first_contact(
        self, path: Callable[[np.ndarray], np.ndarray], length: float, end: float = 1.0
    ) -> float | None:
        """Where along a path the input becomes true; None where it does not.

        Args:
            path: ball centre at parameters from 0 to ``end``. # (m,) → (m, 3) [m]
            length: about that of the path, for the number of looks. [m]
            end: of the path's parameter.
        """
        looks = np.linspace(0.0, end, max(int(np.ceil(length / STEP)), 1) + 1)
        least = self.gaps(path(looks)).min(axis=1)
        rising = np.flatnonzero((least[1:] <= 0.0) & (least[:-1] > 0.0))
        if rising.size == 0:
            return None
        low, high = float(looks[rising[0]]), float(looks[rising[0] + 1])
        for _ in range(_ROUNDS):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            if self.deflected(path(np.array([middle]))[0]):
                high = middle
            else:
                low = middle
        return high

    def free(self, path: Callable[[np.ndarray], np.ndarray], length: float, what: str) -> None:
        """Hold that a motion outside a search touches nothing, and ends free.

        Raises:
            CrashError: it does, or it does not.
        """
        if self.first_contact(path, length) is not None:
            raise CrashError(f"{what}: the ball touches outside a search")
        if self.deflected(path(np.array([1.0]))[0]):
            raise CrashError(f"{what}: the ball stays in the surface")


@dataclass(frozen=True, kw_only=True, eq=False)
class Search:
    """One search that an arm made."""

    speed: float  # [m/s] largest of the ball, as programmed
    start: np.ndarray  # (3,) [m]
    goal: np.ndarray  # (3,) [m]
    hit: np.ndarray | None  # (n,) [rad or m], None for a miss
    overrun: float  # [m]


@dataclass(frozen=True, kw_only=True, eq=False)
class Motion:
    """One motion outside a search."""

    goal: np.ndarray  # (3,) [m] of the ball
    q: np.ndarray  # (n,) [rad or m] there
    duration: float  # [s] as programmed; NaN where only a share of the speed is
    speed: float  # [m/s] largest of the ball, as programmed; NaN where only times are


class Arm:
    """The arm in the cell, which a controller moves.

    Args:
        cell: with its part.
        q: where it stands. # (n,) [rad or m]
        latency: from the trigger to the begin of the stop. [s]
        deceleration: of the ball. [m/s²]
        stuck: after how many hits the probe stays deflected; None for never.
        nudge: after which motion outside a search somebody pushes the arm, and how far.
    """

    def __init__(self, cell, q, *, latency=2e-3, deceleration=0.25, stuck=None, nudge=None):
        self.cell, self.q = cell, np.array(q, float)
        self.latency, self.deceleration, self.stuck = latency, deceleration, stuck
        self.nudge = nudge
        self.events: list[Search | Motion] = []
        self.rests: list[float] = []

    @property
    def searches(self):
        """In order of time."""
        return [event for event in self.events if isinstance(event, Search)]

    @property
    def motions(self):
        """Those outside a search, in order of time."""
        return [event for event in self.events if isinstance(event, Motion)]

    @property
    def deflected(self) -> bool:
        """The probe's input."""
        if self.stuck is not None and sum(s.hit is not None for s in self.searches) >= self.stuck:
            return True
        return self.cell.deflected(self.cell.ball(self.q))

    def joint_path(self, goals):
        """``path(x)`` → joints along straight joint moves, x from 0 to their number."""
        corners = np.vstack([self.q, np.asarray(goals, float).reshape(-1, len(self.q))])

        def path(x):
            x = np.atleast_1d(x)
            row = np.clip(x.astype(int), 0, len(corners) - 2)
            return corners[row] + (x - row)[:, None] * (corners[row + 1] - corners[row])

        return path, float(len(corners) - 1)

    def line_path(self, q_goal):
        """The same for a straight line of the ball to a posture, the stylus held."""
        start, goal = self.cell.model.forward(np.array([self.q, q_goal]))
        apart = np.abs(goal[:3, :3] - start[:3, :3])
        if len(self.q) < 6:
            apart = np.abs(goal[:3, 2] - start[:3, 2])
        if apart.max() > 1e-7:
            raise CrashError("the stylus turns along a straight line")
        q0, q1 = self.q, np.asarray(q_goal, float)

        def path(x):
            x = np.atleast_1d(x)
            places = start[:3, 3] + x[:, None] * (goal[:3, 3] - start[:3, 3])
            near = q0 + x[:, None] * (q1 - q0)
            return np.array(
                [posture(self.cell.model, q, p, start) for q, p in zip(near, places, strict=True)]
            )

        def balls(x):
            return start[:3, 3] + np.atleast_1d(x)[:, None] * (goal[:3, 3] - start[:3, 3])

        return path, balls

    def go_joints(self, goals, duration=np.nan, speed=np.nan):
        """Straight joint moves outside a search."""
        path, end = self.joint_path(goals)
        self._go(path, lambda x: self.cell.ball(path(end * np.atleast_1d(x))), end)
        self.events.append(
            Motion(goal=self.cell.ball(self.q), q=self.q, duration=duration, speed=speed)
        )
        self._nudged()

    def go_line(self, q_goal, speed):
        """A straight line outside a search."""
        path, balls = self.line_path(q_goal)
        length = float(np.linalg.norm(np.diff(balls(np.array([0.0, 1.0])), axis=0)))
        self._go(path, balls, 1.0)
        self.q = np.asarray(q_goal, float)
        self.events.append(
            Motion(goal=self.cell.ball(self.q), q=self.q, duration=length / speed, speed=speed)
        )
        self._nudged()

    def _nudged(self):
        if self.nudge is not None and len(self.motions) == self.nudge[0]:
            self.q = self.q + self.nudge[1]

    def _go(self, path, balls, end):
        places = balls(np.linspace(0.0, 1.0, 9))
        length = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
        if not length < 20.0:
            raise CrashError("a motion of tens of metres")
        self.cell.free(balls, max(length, 1e-6), f"motion {len(self.motions) + 1}")
        self.q = path(np.array([end]))[0]

    def search_joints(self, goals, speed):
        """Straight joint moves until the input is true → joints at the hit, or None."""
        path, end = self.joint_path(goals)
        return self._search(path, lambda x: self.cell.ball(path(x)), end, speed)

    def search_line(self, q_goal, speed):
        """A straight line until the input is true → joints at the hit, or None."""
        path, balls = self.line_path(q_goal)
        found = self._search(path, balls, 1.0, speed)
        if found is None:
            self.q = np.asarray(q_goal, float)
        return found

    def _search(self, path, balls, end, speed):
        ends = balls(np.array([0.0, end]))
        length = float(np.linalg.norm(ends[1] - ends[0]))
        x = self.cell.first_contact(balls, length, end) if length < 1.0 else None
        overrun, hit = 0.0, None
        if x is not None:
            hit = path(np.array([x]))[0]
            overrun = speed * self.latency + speed * speed / (2.0 * self.deceleration)
            stop = min(x + end * overrun / length, end)
            self.q = path(np.array([stop]))[0]
        else:
            self.q = path(np.array([end]))[0]
        self.events.append(
            Search(speed=speed, start=ends[0], goal=ends[1], hit=hit, overrun=overrun)
        )
        return hit
