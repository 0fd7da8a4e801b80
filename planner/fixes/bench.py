"""Judges whether points can be served, by the rules of a plan.

A point is served when some branch keeps joint limits, singularities and clearances along its whole
line, and every such branch can be held against gravity: a plan does not choose by torque.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from planner.clearance.checker import Checker
from planner.clearance.links import Links
from planner.clearance.patch import StylusPlacement
from planner.clearance.probing import ProbingLines, Stylus
from planner.job import Job
from planner.plan import PlacedPoints
from planner.reach.closed_form import ArmReach
from planner.reach.lines import Lines
from planner.reach.margins import exact_margins
from planner.reach.reach import Candidates, Reach
from planner.reach.robot import reach_of
from planner.reach.serial import SerialReach
from planner.touch.limits import TouchLimits
from planner.touch.timing import timings
from robots.arm.inverse import ArmInverse
from robots.core.arrays import Indices, Mask
from robots.core.mechanism import Mechanism
from robots.core.model import Model

PLACES = np.linspace(0.0, 1.0, 17)  # of a line where torques are looked at
_SLOWER = 3  # fewer variations are tried where postures are searched for numerically
_BETWEEN = (0.5, 1.0)  # places where collisions are looked at first, beside the start


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Usable:
    """Candidates that keep limits and clearances. # rows (m,) of ``found``."""

    found: Candidates
    rows: Indices


class PointCheck:
    """Judges points of a job, or variations of one.

    Args:
        job: for its robot, cell and checks; its own points do not matter.
        reach: of its robot, where that is known.
        checker: of its robot in its cell, where that is known.
        around: judge of the lines of one point of which only variations are judged.
    """

    def __init__(
        self,
        job: Job,
        reach: Reach | None = None,
        *,
        checker: Checker | None = None,
        around: ProbingLines | None = None,
    ) -> None:
        self.job = job
        self._checker, self._around = checker, around
        self.reach = reach_of(job) if reach is None else reach
        self.max_effort = job.effort_limits

    def many(self, count: int) -> int:
        """How many variations are worth trying where a closed form would allow so many."""
        return count if isinstance(self.reach, ArmReach) else (count + 2) // _SLOWER

    @cached_property
    def checker(self) -> Checker:
        """Of the robot in the job's cell."""
        if self._checker is not None:
            return self._checker
        mechanism = self.job.mechanism
        same = mechanism is self.reach.model.mechanism
        return Checker(self.reach.model if same else Model(mechanism, "numpy"), self.job.cell)

    def of_variations(self, one: PlacedPoints) -> PointCheck:
        """A bench for variations of one point alone."""
        around = None if self.checker.empty else self.probing(one)
        return PointCheck(self.job, self.reach, checker=self.checker, around=around)

    def with_stylus(self, job: Job) -> PointCheck:
        """A bench for lines of the same robot with another stylus; reach is that of this one."""
        shared = checker_for(self.checker, self.job.mechanism, job.mechanism)
        return PointCheck(job, self.reach, checker=shared, around=self._around if shared else None)

    def possible(self, placed: PlacedPoints) -> Mask:
        """Points of which a quick look at some places of their lines rules nothing out. # (k,)."""
        served = np.zeros(len(placed), dtype=bool)
        ahead = np.nonzero(placed.approach_cosines > 0.0)[0]
        if ahead.size == 0:
            return served
        found = self.reach.candidates(placed)
        rows = np.nonzero(found.margins.keep(self.job.checks.joint_margin))[0]
        rows = rows[placed.approach_cosines[found.point[rows]] > 0.0]
        rows = self._clear(found.lines, rows)
        rows = rows[~self.heavy(found.lines, rows)]
        served[found.point[rows]] = True
        return served

    def serves(self, placed: PlacedPoints) -> Mask:
        """Points that are served: proven, but for the speed that torque limits leave. # (k,)."""
        return self._served(placed, self.usable(placed))

    def holds(self, one: PlacedPoints) -> bool:
        """Whether the one point is served, at some speed that its torque limits allow."""
        usable = self.usable(one)
        if not self._served(one, usable)[0]:
            return False
        limited = bool(np.any(np.isfinite(self.max_effort)))
        return not (limited and self.too_weak(usable.found.lines, int(usable.rows[0]), one))

    def usable(self, placed: PlacedPoints) -> Usable:
        """Candidates that keep limits, singularities and clearances along their whole lines."""
        found = self.reach.candidates(placed, wide=True)
        required = self.job.checks.joint_margin
        rows = np.nonzero(found.margins.keep(required))[0]
        rows = self._clear(found.lines, rows)
        # Nothing can be proven of a line that passes a singularity: margins come first.
        rows = rows[exact_margins(found.lines.take(rows)).keep(required)]
        if self.job.touch.searching:
            limits = self.job.joint_limits()
            rows = rows[TouchLimits(placed, found, limits, self.job.touch).prove(rows)]
        return Usable(
            found=found, rows=rows[self.clear(found.lines.take(rows), placed, found.point[rows])]
        )

    def clear(self, lines: Lines, placed: PlacedPoints, point: Indices) -> Mask:
        """Lines proven to keep their clearance, clearance points included. # (m,).

        Args:
            lines: that pass no singularity.
            placed: the points.
            point: row of the point that each line serves. # (m,)
        """
        kept = np.ones(len(lines), dtype=bool)
        if len(lines) == 0 or self.checker.empty:
            return kept
        kept = ~self.checker.collides(lines.q_starts, self.job.checks.clearance)
        rows = np.nonzero(kept)[0]
        kept[rows] = self.probing(placed).keeps(lines.take(rows), point[rows])
        return kept

    def too_weak(self, lines: Lines, row: int, one: PlacedPoints) -> str:
        """Why no speed keeps a line of a point within torque limits; empty where one does."""
        limits = replace(self.job.joint_limits(), max_effort=self.max_effort)
        timed = timings(lines.take(np.array([row])), one, limits, self.job)
        reasons = [reason for batch in timed.cycle.values() for reason in batch.impossible.values()]
        return reasons[0] if reasons else ""

    def heavy(self, lines: Lines, rows: Indices) -> Mask:
        """Lines that weight and dry friction alone make too heavy for a joint. # (m,)."""
        if rows.size == 0 or not np.any(np.isfinite(self.max_effort)):
            return np.zeros(rows.size, dtype=bool)
        q = lines.joints(np.repeat(rows, PLACES.size), np.tile(PLACES, rows.size))
        friction = np.array([joint.coulomb for joint in self.job.mechanism.movable])
        held = np.abs(self.reach.model.gravity_torques(q)) + friction
        over = held > self.max_effort
        return np.asarray(np.any(over.reshape(rows.size, -1), axis=1))

    def probing(self, placed: PlacedPoints) -> ProbingLines:
        """Judge of the probing lines of some points."""
        job = self.job
        if self._around is not None:
            return SharedLines(self._around, self.checker, job.mechanism, placed)
        return ProbingLines(
            self.checker,
            job.cell,
            job.mechanism,
            touches=StylusPlacement.of(placed),
            required=job.checks.clearance,
            depths=placed.depths,
        )

    def _served(self, placed: PlacedPoints, usable: Usable) -> Mask:
        found, rows = usable.found, usable.rows
        served = np.zeros(len(placed), dtype=bool)
        served[found.point[rows]] = True
        served[found.point[rows[self.heavy(found.lines, rows)]]] = False
        return np.asarray(served & (placed.approach_cosines > 0.0))

    def _clear(self, lines: Lines, rows: Indices) -> Indices:
        """Rows that collide neither at the clearance point nor at some places on their way."""
        if rows.size == 0 or self.checker.empty:
            return rows
        required = self.job.checks.clearance
        rows = rows[~self.checker.collides(lines.q_starts[rows], required)]
        for lam in _BETWEEN:
            q = lines.joints(rows, np.full(rows.size, lam))
            rows, q = rows[np.isfinite(q).all(axis=1)], q[np.isfinite(q).all(axis=1)]
            rows = rows[~self.checker.collides(q, required, touching=False)]
        return rows


def changed_bench(base: PointCheck, job: Job) -> PointCheck:
    """A bench for a changed job; what does not depend on the change is taken over."""
    if job.mechanism is base.job.mechanism:
        same = job.cell is base.job.cell
        return PointCheck(job, base.reach, checker=base.checker if same else None)
    # Compiling equations for a robot that is judged once takes longer than running them slowly.
    if isinstance(base.reach, ArmReach):
        return PointCheck(job, ArmReach(ArmInverse(job.mechanism, engine="numpy")))
    return PointCheck(job, SerialReach(job.mechanism, seed=job.travel.seed))


class SharedChecker(Checker):
    """A checker whose robot has its capsules elsewhere on its links.

    Args:
        base: of a robot with the same joints, capsules (names, carriers, radii) and self pairs.
        mechanism: the robot.
    """

    def __init__(self, base: Checker, mechanism: Mechanism) -> None:
        vars(self).update(vars(base))
        self._links = Links(mechanism)


class SharedLines(ProbingLines):
    """Judge of lines to variations of one point, which all touch the same patch.

    Args:
        base: of that one point.
        checker: of the robot in its cell.
        mechanism: the robot with its stylus, the ball and the shank as thick as they were.
        placed: the variations.
    """

    def __init__(
        self, base: ProbingLines, checker: Checker, mechanism: Mechanism, placed: PlacedPoints
    ) -> None:
        vars(self).update(vars(base))
        self._checker = checker
        self._stylus = Stylus.of(mechanism)
        self._contacts = placed.contacts
        if self._allowed is not None:
            self._allowed = self._allowed.take(np.zeros(len(placed), dtype=np.int64))


def checker_for(base: Checker, known: Mechanism, mechanism: Mechanism) -> Checker | None:
    """A checker that shares what another one has built; None where robots differ in more.

    Args:
        base: checker of the known robot.
        known: that robot.
        mechanism: the robot to be checked.
    """
    capsules, others = known.capsules, mechanism.capsules
    same = len(capsules) == len(others) and known.self_pairs == mechanism.self_pairs
    same = same and all(
        (a.name, a.joint, a.radius) == (b.name, b.joint, b.radius)
        for a, b in zip(capsules, others, strict=True)
    )
    return SharedChecker(base, mechanism) if same else None
