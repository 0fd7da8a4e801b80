"""The smallest change that serves a point: coarse along rays, then finer, then beside them.

A change is a ray (which way) and an amount (how far). Nothing proves that there is no smaller one:
what serves may lie between the steps that are tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from robots.core.arrays import Array, Indices, Mask

_ANGLES = np.radians([25.0, 12.0, 6.0, 3.0, 1.5])  # of rays beside the best one
_SHORTER = np.array([0.7, 0.85, 0.93, 0.97, 0.99])  # of the best amount, tried beside it
_TURNS = 4  # at one angle, while it helps
_FOLLOWED = 6  # rays from the coarse grid
_PER_STEP = 4


class ChangeSpace(Protocol):
    """Changes of one kind."""

    @property
    def finer(self) -> tuple[int, int]:
        """Amounts tried between two at once, and in how many rounds."""

    @property
    def rays(self) -> Array:
        """Ways to change. # (r, d)."""

    @property
    def steps(self) -> Array:
        """Amounts that are tried first, rising. # (s,)."""

    def longest(self, rays: Array) -> Array:
        """Largest amount along rays. # (m, d) -> (m,)."""

    def possible(self, rays: Array, amounts: Array) -> Mask:
        """Changes that a quick look does not rule out. # (m, d), (m,) -> (m,)."""

    def serves(self, rays: Array, amounts: Array) -> Mask:
        """Changes that serve the point. # (m, d), (m,) -> (m,)."""

    def around(self, ray: Array, angle: float) -> Array:
        """Rays at an angle from one; none where there are no others. # (d,) -> (m, d)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChangeCandidate:
    """A change.

    Args:
        ray: which way. # (d,)
        amount: how far.
    """

    ray: Array
    amount: float


def smallest(changes: ChangeSpace, *, per_step: int = _PER_STEP) -> ChangeCandidate | None:
    """The smallest change found that serves; None where none does.

    Args:
        changes: of one kind.
        per_step: rays that are judged of those that pass the quick look, at every amount.
    """
    grid = _grid(changes)
    some = grid.thinned(per_step)
    served = some[changes.serves(grid.rays[some], grid.amounts[some])]
    if served.size == 0:
        return None
    # At that amount every ray gets its chance, not only those that stood for the others.
    least = grid.amounts[served[0]]
    same = np.nonzero(grid.amounts == least)[0]
    rest = np.setdiff1d(same, some)
    others = rest[changes.serves(grid.rays[rest], grid.amounts[rest])]
    follow = np.concatenate([served[grid.amounts[served] == least], others])[:_FOLLOWED]
    return _beside(changes, _finer(changes, grid.rays[follow], grid.amounts[follow]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Grid:
    """Changes that pass the quick look, by rising amount. # (m, d), (m,)."""

    rays: Array
    amounts: Array

    def thinned(self, most: int) -> Indices:
        """Rows with at most so many of every amount, spread evenly over them."""
        _, first, count = np.unique(self.amounts, return_index=True, return_counts=True)
        rows = [
            start + np.unique(np.linspace(0, size - 1, min(size, most)).round().astype(np.int64))
            for start, size in zip(first.tolist(), count.tolist(), strict=True)
        ]
        return np.concatenate([np.zeros(0, dtype=np.int64), *rows])


def _grid(changes: ChangeSpace) -> _Grid:
    rays, steps = changes.rays, changes.steps
    ray = np.tile(np.arange(len(rays)), steps.size)
    amount = np.repeat(steps, len(rays))
    short = amount <= changes.longest(rays)[ray]
    ray, amount = ray[short], amount[short]
    good = changes.possible(rays[ray], amount)
    return _Grid(rays=rays[ray[good]], amounts=amount[good])


def _finer(changes: ChangeSpace, rays: Array, amounts: Array) -> ChangeCandidate:
    """The smallest change along some rays, between what serves and the step before it."""
    before = np.searchsorted(changes.steps, amounts * (1.0 - 1e-12)) - 1
    low = np.where(before >= 0, changes.steps[np.maximum(before, 0)], 0.0)
    high = amounts.copy()
    count, rounds = changes.finer
    shares = np.arange(1, count + 1) / (count + 1)
    for _ in range(rounds):
        tried = low[:, None] + (high - low)[:, None] * shares
        good = changes.serves(np.repeat(rays, count, axis=0), tried.ravel()).reshape(tried.shape)
        tried = np.concatenate([low[:, None], tried, high[:, None]], axis=1)
        first = np.argmax(np.concatenate([good, np.ones((len(good), 1), bool)], axis=1), axis=1) + 1
        each = np.arange(len(rays))
        low, high = tried[each, first - 1], tried[each, first]
        # Rays that cannot win any more are left.
        keep = low < high.min()
        rays, low, high = rays[keep], low[keep], high[keep]
    best = int(np.argmin(high))
    return ChangeCandidate(ray=rays[best], amount=float(high[best]))


def _beside(changes: ChangeSpace, best: ChangeCandidate) -> ChangeCandidate:
    """A smaller change along rays beside the best one."""
    for angle in _ANGLES:
        for _ in range(_TURNS):
            rays = changes.around(best.ray, float(angle))
            if len(rays) == 0:
                return best
            amounts = np.tile(best.amount * _SHORTER, len(rays))
            rays = np.repeat(rays, _SHORTER.size, axis=0)
            amounts = np.where(amounts <= changes.longest(rays), amounts, np.inf)
            rows = np.nonzero(np.isfinite(amounts))[0]
            served = rows[changes.serves(rays[rows], amounts[rows])]
            if served.size == 0:
                break
            k = served[np.argmin(amounts[served])]
            best = ChangeCandidate(ray=rays[k], amount=float(amounts[k]))
    return best
