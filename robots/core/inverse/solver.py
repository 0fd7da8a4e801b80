"""Numerical inverse geometry: from a target to postures, each with its own verdict.

Newton-Raphson as in the source starts at one posture and finds one solution. Here many starts run
together, spread evenly over the joint ranges, and distinct solutions are collected. A solution out
of limits or above tolerance is never a success.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Counts, Mask, freeze_fields
from robots.core.errors import InverseError
from robots.core.inverse.limits import inside_limits, limit_breaches, limit_margins, wrapped
from robots.core.inverse.pseudo_inverse import damped_inverse, pseudo_inverse
from robots.core.inverse.task import (
    ROUNDING,
    Gap,
    Target,
    column_scale,
    flattened,
    row_scale,
    scale_length,
)
from robots.core.joint_samples import joint_ranges, joint_samples

if TYPE_CHECKING:
    from robots.core.mechanism import Mechanism
    from robots.core.model import Model

# All branches of the measuring arm are found with 64 starts; 32 lose one in a hundred.
DEFAULT_STARTS = 64
# Two postures closer than this in every joint are one: at a double root, joints are only known to
# the root of the tolerance. [rad, or scale lengths]
SEPARATION = 1e-4
# Sine below which a joint adds nothing at the last iterate, for the wording of a failure.
_NEARLY_SINGULAR = 1e-3


def solve(
    model: Model,
    target: Target,
    *,
    start: ArrayLike | None = None,
    starts: int = DEFAULT_STARTS,
    settings: Settings | None = None,
) -> Solutions:
    """Postures that bring the tool to one target.

    Where the mechanism has more joints than the task needs, solutions form families; what is
    returned are samples of them.

    Args:
        model: of the mechanism.
        target: a single one.
        start: first posture to try; solutions are ordered by their distance from it. Mid-range,
            for the order only, when None. # (n,) [rad or m]
        starts: how many postures to start from; with 1 the search follows the start only.
        settings: tolerances and method.

    Raises:
        InverseError: several targets, fewer than one start, a start that is not finite or has a
            wrong length.

    Source: [LAMMARI12] §II.6.2 eqs. (II.29)-(II.34)
    """
    if target.batch != ():
        raise InverseError(
            f"There are targets of shape {target.batch}; use solve_many for more than one.",
            found=target.batch,
        )
    return solve_many(model, target, start=start, starts=starts, settings=settings)[0]


def solve_many(
    model: Model,
    targets: Target,
    *,
    start: ArrayLike | None = None,
    starts: int = DEFAULT_STARTS,
    settings: Settings | None = None,
    locked: Mapping[str, float] | None = None,
) -> tuple[Solutions, ...]:
    """The same for a batch of targets, all starts of all targets at once.

    Targets without a success are tried again with the joints held within their limits, which helps
    a mechanism that can move on without moving the tool.

    Args:
        model: of the mechanism.
        targets: any batch; the answers follow their flattened order.
        start: one for all, or one per target. # (n,) or (N, n) [rad or m]
        starts: per target.
        settings: tolerances and method.
        locked: joints held still, by name. [rad or m]

    Raises:
        InverseError: as in ``solve``.
    """
    targets, settings = flattened(targets), settings or Settings()
    mechanism = model.mechanism
    near = _references(mechanism, len(targets.T), start)
    begun = _starts(mechanism, near, starts, given=start is not None)
    tries = _Tries(model=model, targets=targets, near=near, settings=settings)
    held = np.array([(locked or {}).get(joint.name, np.nan) for joint in mechanism.movable])
    low, high = (np.where(np.isnan(held), bound, held) for bound in (-np.inf, np.inf))
    everywhere = np.ones(len(near), dtype=np.bool_)
    first = tries.solved(everywhere, np.clip(begun, low, high), low, high)
    poor = np.array([not found.success for found in first])
    if not np.any(poor):
        return first
    low, high = (np.where(np.isnan(held), q, held) for q in (mechanism.q_min, mechanism.q_max))
    second = iter(tries.solved(poor, np.clip(begun, low, high), low, high))
    return tuple(
        _better(found, next(second)) if wanting else found
        for found, wanting in zip(first, poor, strict=True)
    )


class Method(Enum):
    """Method of computing a step from the gap and the Jacobian."""

    NEWTON = "newton"
    DAMPED = "damped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """When to stop, and how far to step.

    Args:
        method: ``DAMPED`` is safe anywhere; ``NEWTON`` is the sources' own, for starts near a
            solution.
        position_tolerance: [m]
        angle_tolerance: [rad]
        most_iterations: per start.
        longest_step: of any joint in one iteration; scale lengths for a sliding joint. [rad]

    Raises:
        InverseError: a setting that is not above zero.
    """

    method: Method = Method.DAMPED
    position_tolerance: float = 1e-10
    angle_tolerance: float = 1e-10
    most_iterations: int = 100
    longest_step: float = 0.7

    def __post_init__(self) -> None:
        for name in ("position_tolerance", "angle_tolerance", "most_iterations", "longest_step"):
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise InverseError(
                    f"The setting {name} is {value!r}; it must be finite and above zero.",
                    setting=name,
                    value=value,
                )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Tries:
    """State shared by all searches of one call."""

    model: Model
    targets: Target
    near: Array  # (N, n)
    settings: Settings

    def solved(self, chosen: Mask, begun: Array, low: Array, high: Array) -> tuple[Solutions, ...]:
        """Solutions of the chosen targets from all their starts, within bounds."""
        starts = begun.shape[1]
        search = NewtonSearch(
            model=self.model,
            targets=Target(
                task=self.targets.task, T=np.repeat(self.targets.T[chosen], starts, axis=0)
            ),
            settings=self.settings,
            q=begun[chosen].reshape(-1, self.model.dof).copy(),
            low=low,
            high=high,
        )
        attempt = Attempt.of(search, np.repeat(self.near[chosen], starts, axis=0))
        return tuple(
            attempt.solutions(np.arange(i * starts, (i + 1) * starts), posture)
            for i, posture in enumerate(self.near[chosen])
        )


def _better(first: Solutions, second: Solutions) -> Solutions:
    """The success, else the failure that reached the target, else the one that came nearer."""
    if second.success or (second.best.converged and not first.best.converged):
        return second
    gaps = [s.best.position_residual + s.best.angle_residual for s in (first, second)]
    return second if not first.best.converged and gaps[1] < gaps[0] else first


def _references(mechanism: Mechanism, count: int, start: ArrayLike | None) -> Array:
    n = mechanism.dof
    if start is None:
        low, high = joint_ranges(mechanism, scale_length(mechanism))
        return np.broadcast_to(0.5 * (low + high), (count, n))
    given = np.asarray(start, dtype=np.float64)
    if given.shape not in ((n,), (count, n)):
        raise InverseError(
            f"The start has shape {given.shape}; give ({n},) or ({count}, {n}).", found=given.shape
        )
    if not np.all(np.isfinite(given)):
        raise InverseError("The start holds a value that is not finite.")
    return np.broadcast_to(given, (count, n))


def _starts(mechanism: Mechanism, near: Array, starts: int, *, given: bool) -> Array:
    """Start postures: the given one first, then an even spread. # (N, starts, n)."""
    if starts < 1:
        raise InverseError(f"The number of starts is {starts}; it must be one or more.")
    # The spread's own first point is mid-range, a singular posture of many arms: skip it.
    spread = joint_samples(mechanism, starts, slide=scale_length(mechanism), skip=1)
    begun = np.broadcast_to(spread, (len(near), *spread.shape)).copy()
    if given:
        begun[:, 1:] = spread[:-1]
        begun[:, 0] = near
    return begun


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """One posture for one target.

    Args:
        q: revolute joints brought within their limits by whole turns where possible.
            # (n,) [rad or m]
        converged: whether the tool is at the target, within the tolerances.
        within_limits: whether every joint is.
        position_residual: [m]
        angle_residual: [rad]
        iterations: that were made.
        rank: of the task Jacobian at q.
        limit_margins: distance of each joint to its nearer limit, negative beyond it.
            # (n,) [rad or m]
        reason: why this is not a success; empty when it is.
        branch: name of the branch, where a closed form gives it.
    """

    q: Array
    converged: bool
    within_limits: bool
    position_residual: float
    angle_residual: float
    iterations: int
    rank: int
    limit_margins: Array
    reason: str
    branch: str = ""

    def __post_init__(self) -> None:
        freeze_fields(self, "q", "limit_margins", dtype=np.float64)

    @property
    def success(self) -> bool:
        """At the target and within limits; nothing else counts."""
        return self.converged and self.within_limits


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solutions:
    """Every distinct posture found for one target.

    Args:
        answers: successes only, nearest to the start posture first.
        best: the first success, or the least bad attempt with its reason.
        starts: postures that the search began from.
    """

    answers: tuple[Answer, ...]
    best: Answer
    starts: int

    @property
    def success(self) -> bool:
        """Whether there is a posture at the target within limits."""
        return self.best.success

    @property
    def q(self) -> Array:
        """Joints of the postures at the target. # (k, n) [rad or m]."""
        return np.array([answer.q for answer in self.answers]).reshape(-1, len(self.best.q))

    def __len__(self) -> int:
        """Number of postures at the target."""
        return len(self.answers)

    def __repr__(self) -> str:
        """How many, or why none."""
        if not self.answers:
            return f"Solutions: none. {self.best.reason}"
        branches = ", ".join(filter(None, (answer.branch for answer in self.answers[:4])))
        more = ", …" if len(self.answers) > 4 else ""
        return f"Solutions: {len(self)} postures{f' ({branches}{more})' if branches else ''}"


@dataclass(slots=True, kw_only=True, eq=False)
class NewtonSearch:
    """State of the iteration; it lives inside one call, so it changes in place.

    Args:
        model: of the mechanism.
        targets: one per posture. # (N,)
        settings: when to stop.
        q: postures. # (N, n) [rad or m]
        low: bounds that no iterate passes. # (n,) [rad or m]
        high: likewise.
    """

    model: Model
    targets: Target
    settings: Settings
    q: Array
    low: Array
    high: Array
    length: float = field(init=False)
    rows: Array = field(init=False)  # gap without units (N, m)
    position: Array = field(init=False)  # (N,) [m]
    angle: Array = field(init=False)  # (N,) [rad]
    alpha: Array = field(init=False)
    iterations: Counts = field(init=False)
    settled: Mask = field(init=False)  # converged, or nothing more will come

    def __post_init__(self) -> None:
        count = len(self.q)
        self.length = scale_length(self.model.mechanism)
        self.rows = np.empty((count, self.targets.task.size))
        self.position, self.angle = np.empty(count), np.empty(count)
        self.alpha = np.ones(count)
        self.iterations = np.zeros(count, dtype=np.int64)
        self._move(np.arange(count), self.q)
        self.settled = self.converged

    @property
    def converged(self) -> Mask:
        """Which postures reach their target within tolerance. # (N,)."""
        settings = self.settings
        close = self.position <= settings.position_tolerance
        return np.asarray(close & (self.angle <= settings.angle_tolerance))

    @property
    def unit(self) -> Array:
        """Size of each joint variable's unit step. # (n,) [rad or m]."""
        return column_scale(self.model.mechanism, self.length)

    def run(self) -> None:
        """Iterate until every posture is settled or has used its iterations."""
        for count in range(self.settings.most_iterations):
            active = np.flatnonzero(~self.settled)
            if not active.size:
                return
            self._advance(active, first=count == 0)

    def jacobian(self, index: Counts) -> Array:
        """Task Jacobian without units at some of the postures. # (k, m, n)."""
        task = self.targets.task
        J = task.jacobian(self.model, self.q[index])
        unitless = row_scale(task, self.length)[:, None] * J * self.unit
        return np.where(np.abs(unitless) <= ROUNDING, 0.0, unitless)

    def _advance(self, active: Counts, *, first: bool) -> None:
        J, rows = self.jacobian(active), self.rows[active]
        slope = np.linalg.norm((rows[:, None, :] @ J)[:, 0], axis=-1)
        flat = slope <= _STANDSTILL * np.linalg.norm(rows, axis=-1)
        if first:
            self._nudge(active[flat])
        else:
            self.settled[active[flat]] = True
        moving = active[~flat]
        if moving.size:
            self.iterations[moving] += 1
            self._step(moving, J[~flat])

    def _nudge(self, index: Counts) -> None:
        """Leave a start where the gap is normal to everything the tool can do."""
        pattern = _NUDGE / (1.0 + np.arange(len(self.unit)) % 3)
        self._move(index, np.clip(self.q[index] + pattern * self.unit, self.low, self.high))

    def _step(self, index: Counts, J: Array) -> None:
        step, trial = self._trial(index, J)
        if self.settings.method is Method.NEWTON:
            self._move(index, trial)
            standing = np.max(np.abs(step), axis=-1) <= np.finfo(np.float64).eps
        else:
            standing = self._try(index, trial, self.rows[index] - (J @ step[..., None])[..., 0])
        self.settled[index] = standing
        self.settled |= self.converged

    def _try(self, index: Counts, trial: Array, predicted_rows: Array) -> Mask:
        """Move where that brings the tool nearer, adapt the damping; say who stands still."""
        before = np.sum(self.rows[index] ** 2, axis=-1)
        gap = self._gap(index, trial)
        gain = before - np.sum(self._unitless(gap) ** 2, axis=-1)
        ratio = gain / np.maximum(before - np.sum(predicted_rows**2, axis=-1), _TINY)
        factor = np.where(ratio < 0.25, _DAMPING_FACTOR, 1.0)
        factor[ratio > 0.75] = 1.0 / _DAMPING_FACTOR
        self.alpha[index] *= factor
        better = gain > 0.0
        self._move(index[better], trial[better])
        slow = better & (gain <= _STANDSTILL * before)
        return np.asarray(slow | (self.alpha[index] > _MOST_ALPHA))

    def _trial(self, index: Counts, J: Array) -> tuple[Array, Array]:
        """Step without units, and the posture it leads to, joints at a bound being held there."""
        free = np.ones((len(index), J.shape[-1]), dtype=np.bool_)
        trial = self.q[index]
        for _ in range(J.shape[-1]):
            step = self._limited(self._solved(J * free[:, None, :], index))
            trial = self.q[index] + step * self.unit
            out = free & ((trial < self.low) | (trial > self.high))
            if not np.any(out):
                break
            free &= ~out
        trial = np.clip(trial, self.low, self.high)
        return (trial - self.q[index]) / self.unit, trial

    def _solved(self, J: Array, index: Counts) -> Array:
        rows = self.rows[index]
        if self.settings.method is Method.NEWTON:
            inverse = pseudo_inverse(J).inverse
        else:
            damping = np.sqrt(self.alpha[index]) * np.linalg.norm(rows, axis=-1)
            inverse = damped_inverse(J, np.maximum(damping, _LEAST_DAMPING)).inverse
        return np.asarray((inverse @ rows[..., None])[..., 0])

    def _limited(self, step: Array) -> Array:
        longest = np.max(np.abs(step), axis=-1, keepdims=True)
        shrink = np.minimum(1.0, self.settings.longest_step / np.maximum(longest, _TINY))
        return np.asarray(step * shrink)

    def _gap(self, index: Counts, q: Array) -> Gap:
        return self.targets.gap(self.model.forward(q), index)

    def _unitless(self, gap: Gap) -> Array:
        return gap.rows * row_scale(self.targets.task, self.length)

    def _move(self, index: Counts, q: Array) -> None:
        if not index.size:
            return
        gap = self._gap(index, q)
        self.q[index] = q
        self.rows[index] = self._unitless(gap)
        self.position[index], self.angle[index] = gap.position, gap.angle


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Attempt:
    """A finished search with its verdicts, one row per (target, start)."""

    search: NewtonSearch
    q: Array  # (N, n), whole turns taken off
    converged: Mask  # (N,)
    inside: Mask  # (N,) within limits

    @classmethod
    def of(cls, search: NewtonSearch, near: Array) -> Attempt:
        """Run a search; of equivalent postures take those near to ``near``. # (N, n)."""
        search.run()
        mechanism = search.model.mechanism
        q = wrapped(mechanism, search.q, near)
        # A joint whose bounds are one value is locked there, not a whole turn away.
        q = np.where(search.low == search.high, search.q, q)
        return cls(
            search=search, q=q, converged=search.converged, inside=inside_limits(mechanism, q)
        )

    @property
    def success(self) -> Mask:
        """At the target and within limits. # (N,)."""
        return self.converged & self.inside

    def solutions(self, rows: Counts, near: Array) -> Solutions:
        """Distinct successes among some rows, nearest to ``near`` first."""
        unit = self.search.unit
        good = rows[self.success[rows]]
        distance = np.linalg.norm((self.q[good] - near) / unit, axis=-1)
        kept: list[int] = []
        for row in good[np.argsort(distance, kind="stable")]:
            if not any(self._same(int(row), other) for other in kept):
                kept.append(int(row))
        answers = tuple(self._answer(row, len(rows)) for row in kept)
        best = answers[0] if answers else self._answer(self._least_bad(rows), len(rows))
        return Solutions(answers=answers, best=best, starts=len(rows))

    def _least_bad(self, rows: Counts) -> int:
        """The row that reached its target with least excess over limits, else the nearest."""
        excess = -np.minimum(limit_margins(self._mechanism, self.q[rows]), 0.0) / self.search.unit
        missing = np.linalg.norm(self.search.rows[rows], axis=-1)
        reached = self.converged[rows]
        measure = np.where(reached, np.sum(excess, axis=-1), missing)
        return int(rows[np.lexsort((measure, ~reached))[0]])

    @property
    def _mechanism(self) -> Mechanism:
        return self.search.model.mechanism

    def _same(self, first: int, second: int) -> bool:
        angular = np.array([joint.kind.angular for joint in self._mechanism.movable])
        apart = (self.q[first] - self.q[second]) / self.search.unit
        turned = np.remainder(apart + np.pi, 2.0 * np.pi) - np.pi
        return bool(np.max(np.abs(np.where(angular, turned, apart))) < SEPARATION)

    def _answer(self, row: int, starts: int) -> Answer:
        search = self.search
        J = search.jacobian(np.array([row]))[0]
        return Answer(
            q=self.q[row],
            converged=bool(self.converged[row]),
            within_limits=bool(self.inside[row]),
            position_residual=float(search.position[row]),
            angle_residual=float(search.angle[row]),
            iterations=int(search.iterations[row]),
            rank=int(pseudo_inverse(J).rank),
            limit_margins=limit_margins(self._mechanism, self.q[row]),
            reason=self._reason(row, J, starts),
        )

    def _reason(self, row: int, J: Array, starts: int) -> str:
        search = self.search
        if self.converged[row]:
            breach = limit_breaches(self._mechanism, self.q[row])
            return f"The target is reached out of limits only: {breach}." if breach else ""
        tried = "the start" if starts == 1 else f"{starts} starts"
        where = f"{search.position[row]:.6g} m and {search.angle[row]:.6g} rad from the target"
        if not search.settled[row]:
            most = search.settings.most_iterations
            return f"Not converged after {most} iterations from {tried}; the nearest is {where}."
        full = min(J.shape)
        rank = int(pseudo_inverse(J, _NEARLY_SINGULAR).rank)
        singular = f"; there the posture is singular, rank {rank} of {full}" if rank < full else ""
        return f"Unreachable from {tried}: the nearest point is {where}{singular}."


# --------------------------------------------------------------------------------------- Iteration
# Both work on a batch of (target, start) pairs at once, in units of the scale length.
#
# Source: [LAMMARI12] §II.6.2 eqs. (II.31)-(II.34). Corrected: (II.34) prints q + J⁻¹F; (II.32) and
# (II.33) give q - J⁻¹F, which is what is done here with the gap -F.

# Of the damped form: λ² = α·|gap|². α falls while steps do what the Jacobian predicts, and rises
# when they do not.
_DAMPING_FACTOR = 4.0
_LEAST_DAMPING = 1e-9  # of a Jacobian without units: keeps a singular one invertible
_MOST_ALPHA = 1e12
_NUDGE = 0.05  # [rad, or scale lengths] off a start where every joint's slope is zero
_STANDSTILL = 1e-9  # relative gain of a step, and slope, below which nothing more will come
_TINY = 1e-300  # keeps a quotient of zeros defined
