"""Numerical inverse geometry: from a target to postures, each with its own verdict.

Newton-Raphson as in the source starts at one posture and finds one solution. Here many starts run
together, spread evenly over the joint ranges, and distinct solutions are collected. A solution out
of limits or above tolerance is never a success.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask
from robots.core.errors import InverseError
from robots.core.inverse.answer import Solutions
from robots.core.inverse.attempt import Attempt
from robots.core.inverse.newton import Search
from robots.core.inverse.scaling import scale_length
from robots.core.inverse.settings import Settings
from robots.core.inverse.target import Target, flattened
from robots.core.joint_samples import joint_ranges, joint_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Model

# All branches of the measuring arm are found with 64 starts; 32 lose one in a hundred.
DEFAULT_STARTS = 64


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

    Raises:
        InverseError: as in ``solve``.
    """
    targets, settings = flattened(targets), settings or Settings()
    mechanism = model.mechanism
    near = _references(mechanism, len(targets.T), start)
    begun = _starts(mechanism, near, starts, given=start is not None)
    tries = _Tries(model=model, targets=targets, near=near, settings=settings)
    free = np.full(mechanism.dof, np.inf)
    first = tries.solved(np.ones(len(near), dtype=np.bool_), begun, -free, free)
    poor = np.array([not found.success for found in first])
    if not np.any(poor):
        return first
    low, high = mechanism.q_min, mechanism.q_max
    second = iter(tries.solved(poor, np.clip(begun, low, high), low, high))
    return tuple(
        _better(found, next(second)) if wanting else found
        for found, wanting in zip(first, poor, strict=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Tries:
    """What all searches of one call share."""

    model: Model
    targets: Target
    near: Array  # (N, n)
    settings: Settings

    def solved(self, chosen: Mask, begun: Array, low: Array, high: Array) -> tuple[Solutions, ...]:
        """Solutions of the chosen targets from all their starts, within bounds."""
        starts = begun.shape[1]
        search = Search(
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
