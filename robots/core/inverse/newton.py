"""The iteration behind the numerical inverse: Newton-Raphson, and its damped form.

Both work on a batch of (target, start) pairs at once, in units of the scale length.

Source: [LAMMARI12] §II.6.2 eqs. (II.31)-(II.34). Corrected: (II.34) prints q + J⁻¹F; (II.32) and
(II.33) give q - J⁻¹F, which is what is done here with the gap -F.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from robots.core.arrays import Array, Counts, Mask
from robots.core.inverse.damped import damped_inverse
from robots.core.inverse.greville import pseudo_inverse
from robots.core.inverse.scaling import ROUNDING, column_scale, row_scale, scale_length
from robots.core.inverse.settings import Method, Settings
from robots.core.inverse.target import Gap, Target
from robots.core.model import Model

# Of the damped form: λ² = α·|gap|². α falls while steps do what the Jacobian predicts, and rises
# when they do not.
_DAMPING_FACTOR = 4.0
_LEAST_DAMPING = 1e-9  # of a Jacobian without units: keeps a singular one invertible
_MOST_ALPHA = 1e12
_NUDGE = 0.05  # [rad, or scale lengths] off a start where every joint's slope is zero
_STANDSTILL = 1e-9  # relative gain of a step, and slope, below which nothing more will come
_TINY = 1e-300  # keeps a quotient of zeros defined


@dataclass(slots=True, kw_only=True, eq=False)
class Search:
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
