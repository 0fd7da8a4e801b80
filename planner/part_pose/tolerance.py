"""Tolerance of the part's pose within which the plan's branches still measure all points.

The estimate is the least error found that breaks a limit: along directions spread over the sphere
the first break is looked for from the inside out, then the worst directions are turned towards
still smaller ones. It can only be too large: a singularity may be crossed in a sheet thinner than
the steps. What is proven, and what shows an estimate wrong, is in ``proof``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from planner.findings import Finding, Severity
from planner.findings.finding import Subject
from planner.job import Job
from planner.part_pose.bounds import FixturedLines, FixturingErrorKind, prove
from planner.part_pose.moved import in_order, moved, visiting_order
from planner.part_pose.pose_space import directions_around, even_directions
from planner.plan import Plan
from planner.planning import plan
from planner.progress import Progress, silent
from robots.arm.errors import ArmFamilyError
from robots.arm.inverse import ArmInverse
from robots.core.arrays import Array, Indices
from robots.core.pose import make_pose, rotation_exp

_CORRECTIONS = 12  # of an estimate that a proof shows to be too large
_MOST = 400  # points of a job that is planned anew with errors
_PLANS = 60  # that this usually takes
_INSIDE = 0.995  # of an estimate by limits, where plans are made: at the estimate one limit breaks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FirstFailure:
    """The first limit to be violated.

    Args:
        size: of the error. [m or rad]
        direction: of the error vector, base axes. # (3,) unit
        point: that fails.
        limit: that is broken.
        place: where on the line, 0 at the clearance point, 1 at its end.
    """

    size: float
    direction: Array
    point: str
    limit: str
    place: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MisFixturing:
    """Tolerance of a plan to one kind of error of the part.

    Args:
        kind: translation or rotation.
        size: the largest error that every direction tried tolerates. [m or rad]
        proven: up to this no error breaks a joint limit, the reach or a singularity margin of the
            plan's branches: proven for every direction. None where no proof is made: a robot that
            is no measuring arm, or whose ball lies beside the stylus axis. [m or rad]
        directions: how many were tried by limits; 0 where there is no closed form.
        plans: how many were made with errors, for the clearance and whatever else a plan checks.
        first: what fails first; None where nothing does.
    """

    kind: FixturingErrorKind
    size: float
    proven: float | None
    directions: int
    plans: int
    first: FirstFailure | None


def mis_fixturing(
    plan: Plan, kind: FixturingErrorKind, progress: Progress = silent
) -> MisFixturing:
    """The tolerance of a plan to errors of one kind.

    Args:
        plan: with the part in its place; points that it does not measure are left out.
        kind: of the errors.
        progress: told how far the work is.
    """
    if not any(point.reachable for point in plan.planned_points):
        return MisFixturing(kind=kind, size=0.0, proven=None, directions=0, plans=0, first=None)
    closed = has_closed_form(plan)
    found = _by_limits(plan, kind) if closed else _unknown(kind)
    if closed and (not plan.job.mechanism.capsules or len(plan.planned_points) > _MOST):
        return found
    return _with_clearance(plan, found, progress)


def has_closed_form(plan: Plan) -> bool:
    """Return whether limits and reach under errors follow from a closed form, without plans."""
    try:
        return ArmInverse(plan.job.mechanism, engine="compiled").family.closed_form
    except ArmFamilyError:
        return False


def _unknown(kind: FixturingErrorKind) -> MisFixturing:
    return MisFixturing(
        kind=kind, size=LARGEST[kind], proven=None, directions=0, plans=0, first=None
    )


def _by_limits(plan: Plan, kind: FixturingErrorKind) -> MisFixturing:
    held = FixturedLines(plan, kind)
    found = estimate(held)
    proof = prove(held, found.size)
    for _ in range(_CORRECTIONS):
        wrong = proof.counterexample
        if wrong is None:
            break
        found = closer(held, found, wrong.line, wrong.error)
        proof = prove(held, found.size)
    return MisFixturing(
        kind=kind,
        size=found.size,
        proven=proof.size,
        directions=found.directions,
        plans=0,
        first=found.first,
    )


def _with_clearance(plan: Plan, found: MisFixturing, progress: Progress) -> MisFixturing:
    """The same, or less where a plan with the part off its place loses something before."""
    stage = f"plans with {found.kind.value} errors"
    largest = found.size * (1.0 if found.first is None else _INSIDE)
    again = replanned(
        plan, found.kind, largest, lambda made: progress(stage, made, max(made, _PLANS))
    )
    if again.first is None:
        return replace(found, plans=again.plans)
    proven = None if found.proven is None else float(np.minimum(found.proven, again.size))
    return replace(found, size=again.size, proven=proven, plans=again.plans, first=again.first)


# --------------------------------------------------------------------------------------- Tolerance
# The estimate is the least error found that breaks a limit: along directions spread over the sphere
# the first break is looked for from the inside out, then the worst directions are turned towards
# still smaller ones. It can only be too large: a singularity may be crossed in a sheet thinner than
# the steps. What is proven, and what shows an estimate wrong, is in ``proof``.

LARGEST = {
    FixturingErrorKind.TRANSLATION: 1.0,
    FixturingErrorKind.ROTATION: np.pi / 2,
}  # [m], [rad]: looked no farther
_ROUGH, _EVEN = 20, 194  # directions of the first and second look, besides the axes
_RADII = 24  # places along a direction where the first break is looked for
_GRID = np.linspace(0.0, 1.0, 9)  # places along a line
_FINE = np.linspace(0.0, 1.0, 33)
_WHILE = 1.3  # times the first break: rays that last longer cannot be the worst
_HALVINGS = 40
_ROWS = 16_384  # postures at a time
_KEPT = 8  # directions that are turned
_TURNS, _AROUND = 24, 12
_FIRST_TURN, _SHRINK = 0.3, 0.7  # [rad]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimate:
    """Tolerance to one kind of error.

    Args:
        kind: translation or rotation.
        size: the largest error that every direction tolerates. [m or rad]
        directions: how many were tried, those that were turned included.
        first: what fails there; None where nothing fails up to ``LARGEST``.
    """

    kind: FixturingErrorKind
    size: float
    directions: int
    first: FirstFailure | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rays:
    """Lines with directions of error. # (m,), (m, 3)."""

    line: Indices
    direction: Array

    def take(self, rows: Indices) -> _Rays:
        return _Rays(line=self.line[rows], direction=self.direction[rows])


def estimate(held: FixturedLines) -> Estimate:
    """Estimate the tolerance of a plan to one kind of error.

    Args:
        held: the lines, in their branches.
    """
    largest = LARGEST[held.kind]
    rough = _all_rays(np.arange(len(held)), even_directions(_ROUGH))
    sizes = _first_breaks(held, rough, largest)
    size = float(np.min(sizes, initial=largest))
    if size >= largest:
        return Estimate(kind=held.kind, size=largest, directions=6 + _ROUGH, first=None)
    # A line that lasts clearly longer along the rough directions does so along all.
    bound = min(_WHILE * size, largest)
    rays = _all_rays(np.unique(rough.line[sizes <= bound]), even_directions(_EVEN))
    sizes = _first_breaks(held, rays, bound)
    order = np.argsort(sizes, kind="stable")[:_KEPT]
    turned = _turned(held, rays.take(order), sizes[order])
    tried = 6 + _EVEN + order.size * _TURNS * _AROUND
    first = _failure(held, *turned)
    return Estimate(kind=held.kind, size=first.size, directions=tried, first=first)


def closer(held: FixturedLines, found: Estimate, line: int, error: Array) -> Estimate:
    """A better estimate, from an error inside the estimate that breaks a limit all the same.

    Args:
        held: the lines, in their branches.
        found: the estimate that is too large.
        line: that the error breaks.
        error: error vector. # (3,) [m or rad]
    """
    size = float(np.linalg.norm(error))
    if size == 0.0:
        zero = _Rays(line=np.array([line]), direction=np.array([[0.0, 0.0, 1.0]]))
        return replace(found, size=0.0, first=_failure(held, zero, np.zeros(1)))
    ray = _Rays(line=np.array([line]), direction=error[None] / size)
    sizes = np.array([size])
    if slack_at(held, ray.line, error[None])[0] < 0.0:
        sizes = _halved(held, ray, np.zeros(1), sizes)
    first = _failure(held, *_turned(held, ray, sizes))
    tried = found.directions + _TURNS * _AROUND
    return Estimate(kind=found.kind, size=first.size, directions=tried, first=first)


def slack_at(held: FixturedLines, line: Indices, error: Array, grid: Array = _FINE) -> Array:
    """Least slack along lines under errors; below zero: the branch cannot be used. # (m,)."""
    size = max(1, _ROWS // grid.size)
    parts = [
        _slack_block(held, line[k : k + size], error[k : k + size], grid)
        for k in range(0, line.size, size)
    ]
    return np.concatenate([np.zeros(0), *parts])


def _slack_block(held: FixturedLines, line: Indices, error: Array, grid: Array) -> Array:
    m, g = line.size, grid.size
    found = held.at(np.repeat(line, g), np.repeat(error, g, axis=0), np.tile(grid, m)).slack
    return np.asarray(np.min(found.reshape(m, g * found.shape[1]), axis=1))


def _all_rays(lines: Indices, directions: Array) -> _Rays:
    return _Rays(
        line=np.repeat(lines, len(directions)), direction=np.tile(directions, (lines.size, 1))
    )


def _first_breaks(held: FixturedLines, rays: _Rays, bound: float) -> Array:
    """Size at which rays first break a limit; the bound for those that last clearly longer. # (m,).

    Rays are followed outwards together, until a while after the first of them has broken.
    """
    low, high = np.zeros(rays.line.size), np.full(rays.line.size, bound)
    unbroken, end = np.arange(rays.line.size), np.inf
    for radius in bound * np.arange(1, _RADII + 1) / _RADII:
        if radius > end or not unbroken.size:
            break
        some = rays.take(unbroken)
        broken = slack_at(held, some.line, radius * some.direction, _GRID) < 0.0
        high[unbroken[broken]] = radius
        end = min(end, _WHILE * radius) if np.any(broken) else end
        unbroken = unbroken[~broken]
        low[unbroken] = radius
    failing = np.nonzero(high > low)[0]
    failing = failing[np.isin(failing, unbroken, invert=True)]
    high[failing] = _halved(held, rays.take(failing), low[failing], high[failing])
    return high


def _halved(held: FixturedLines, rays: _Rays, low: Array, high: Array) -> Array:
    """Where rays break, between a size that passes and one that does not. # (m,)."""
    low, high = low.copy(), high.copy()
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        broken = slack_at(held, rays.line, middle[:, None] * rays.direction) < 0.0
        high, low = np.where(broken, middle, high), np.where(broken, low, middle)
    return high


def _turned(held: FixturedLines, rays: _Rays, sizes: Array) -> tuple[_Rays, Array]:
    """Turn directions towards smaller breaks."""
    line, direction, angle = rays.line, rays.direction, _FIRST_TURN
    for _ in range(_TURNS):
        around = directions_around(direction, angle, _AROUND)
        lines = np.repeat(line, _AROUND)
        error = (sizes[:, None, None] * around).reshape(-1, 3)
        slack = slack_at(held, lines, error).reshape(len(line), -1)
        best = np.argmin(slack, axis=1)
        rows = np.nonzero(slack[np.arange(len(line)), best] < 0.0)[0]
        direction = direction.copy()
        direction[rows] = around[rows, best[rows]]
        some = _Rays(line=line[rows], direction=direction[rows])
        sizes = sizes.copy()
        sizes[rows] = _halved(held, some, np.zeros(rows.size), sizes[rows])
        angle *= _SHRINK if rows.size < len(line) else 1.0
    return _Rays(line=line, direction=direction), sizes


def _failure(held: FixturedLines, rays: _Rays, sizes: Array) -> FirstFailure:
    """The first of all: its point, the limit it breaks and where on its line."""
    k = int(np.argmin(sizes))
    line, size = rays.line[k : k + 1], float(sizes[k])
    error = np.repeat(size * (1.0 + 1e-9) * rays.direction[k : k + 1], _FINE.size, axis=0)
    slack = held.at(np.repeat(line, _FINE.size), error, _FINE).slack
    place, column = np.unravel_index(int(np.argmin(slack)), slack.shape)
    return FirstFailure(
        size=size,
        direction=rays.direction[k],
        point=held.names[int(line[0])],
        limit=held.limits[int(column)],
        place=float(_FINE[place]),
    )


# --------------------------------------------------------------------------------------- Replanned
# The order of the visit is kept; branches and detours may change, as they do when the job is
# planned with the part's measured place.

_THIRDS = 6
_REPLANNED_HALVINGS = 4
_DIAGONALS = np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3, indexing="ij"), axis=-1).reshape(8, 3)
DIRECTIONS = np.concatenate([np.eye(3), -np.eye(3), _DIAGONALS / np.sqrt(3.0)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replanned:
    """Result of planning again.

    Args:
        size: the largest error tried that every direction tolerates. [m or rad]
        first: what fails at a slightly larger one; None where nothing fails up to the largest.
        plans: how many were made.
    """

    size: float
    first: FirstFailure | None
    plans: int


def replanned(
    good: Plan, kind: FixturingErrorKind, largest: float, tell: Callable[[int], None]
) -> Replanned:
    """The largest error for which the job can be planned without losing a point, by bisection.

    Args:
        good: the plan with the part in its place.
        kind: of the errors.
        largest: error to start from. [m or rad]
        tell: called with the number of plans made so far.
    """
    trials = _Trials(good, kind, tell)
    first, low, high = trials.first_failure(largest), 0.0, largest
    if first is None:
        return Replanned(size=largest, first=None, plans=trials.made)
    for _ in range(_THIRDS):  # failures are found quickly: the direction that failed is tried first
        failure = trials.first_failure(high / 3.0)
        if failure is None:
            low = high / 3.0
            break
        first, high = failure, high / 3.0
    for _ in range(_REPLANNED_HALVINGS if low > 0.0 else 0):
        middle = 0.5 * (low + high)
        failure = trials.first_failure(middle)
        low, high = (middle, high) if failure is None else (low, middle)
        first = first if failure is None else failure
    return Replanned(size=low, first=first, plans=trials.made)


def erroneous_pose(job: Job, kind: FixturingErrorKind, error: Array, reference: Array) -> Array:
    """T_base_part with an error of the part. # (4, 4).

    Args:
        job: with the part in its place.
        kind: of the error.
        error: error vector. # (3,) [m or rad]
        reference: what rotations turn about. # (3,) [m]
    """
    if kind is FixturingErrorKind.TRANSLATION:
        shift = make_pose(np.eye(3), error)
    else:
        R = rotation_exp(error)
        shift = make_pose(R, reference - R @ reference)
    return np.asarray(shift @ job.part.T_base_part)


class _Trials:
    """Plans under errors; the direction that failed last is tried first."""

    def __init__(self, good: Plan, kind: FixturingErrorKind, tell: Callable[[int], None]) -> None:
        self.good = good
        self.kind = kind
        self.tell = tell
        self.made = 0
        self._order = list(range(len(DIRECTIONS)))
        self._reference = np.mean(good.placed.contacts[_reached(good)], axis=0)
        self._known = _errors(good)
        self._visited = visiting_order(good)

    def first_failure(self, size: float) -> FirstFailure | None:
        """A direction in which an error of that size makes the plan worse; None for none."""
        for place, k in enumerate(self._order):
            failure = self._failure(size, DIRECTIONS[k])
            if failure is not None:
                self._order.insert(0, self._order.pop(place))
                return failure
        return None

    def _failure(self, size: float, direction: Array) -> FirstFailure | None:
        job = self.good.job
        pose = erroneous_pose(job, self.kind, size * direction, self._reference)
        found = plan(in_order(moved(job, pose), self._visited))
        self.made += 1
        self.tell(self.made)
        fresh = [f for key, f in _errors(found).items() if key not in self._known]
        if not fresh:
            return None
        return FirstFailure(
            size=size,
            direction=direction,
            point=fresh[0].where,
            limit=f"{fresh[0].code} {fresh[0].message}",
            place=np.nan,
        )


def _reached(good: Plan) -> list[int]:
    return [k for k, point in enumerate(good.planned_points) if point.reachable]


def _errors(planned: Plan) -> dict[tuple[str, Subject], Finding]:
    return {(f.code, f.subject): f for f in planned.finding_list if f.severity is Severity.ERROR}
