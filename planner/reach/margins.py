"""How far probing lines stay from joint limits and singularities: on a grid, and exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.extremes import Evaluate, highest
from planner.reach.lines import Lines
from robots.arm.limits import ROUNDING

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

SINGULAR = 1e-3  # singularity margin below which a line is refused: rates grow as its inverse

_GRID = 9  # places along a line where candidates are judged first


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Margins:
    """How far lines stay from what they must not reach.

    Args:
        limit: least distance to each joint's limits, negative beyond. # (c, n) [rad]
        singularity: least distance from a singularity, 0 to 1. # (c,)
    """

    limit: Array
    singularity: Array

    def take(self, chosen: Indices) -> Margins:
        """Margins of some of the lines, in the order given."""
        return Margins(limit=self.limit[chosen], singularity=self.singularity[chosen])

    def keep(self, required: float) -> Mask:
        """Lines that keep a joint margin and stay out of singularities. # (c,)."""
        kept = np.min(self.limit, axis=1, initial=np.inf) >= required - ROUNDING
        return np.asarray(kept & (self.singularity >= SINGULAR))


def exact_margins(lines: Lines) -> Margins:
    """Least margins along each line, exactly."""
    n = lines.model.dof
    if len(lines) == 0:
        return Margins(limit=np.zeros((0, n)), singularity=np.zeros(0))
    worst = highest(_closeness(lines), len(lines), 1).value
    return _as_margins(worst, n)


def rough_margins(lines: Lines) -> Margins:
    """Least margins on a grid along each line; the true ones may be a little smaller."""
    n = lines.model.dof
    k, grid = len(lines), np.linspace(0.0, 1.0, _GRID)
    index, x = np.repeat(np.arange(k), _GRID), np.tile(grid, k)
    values = _closeness(lines)(index, np.zeros_like(index), x).reshape(k, _GRID, 2 * n + 1)
    return _as_margins(np.max(values, axis=1), n)


def _closeness(lines: Lines) -> Evaluate:
    """Negative margins as functions along the lines: above, below, singularity. # (m, 2n + 1)."""
    mechanism = lines.model.mechanism

    def closeness(index: Indices, _: Indices, x: Array) -> Array:
        q = lines.joints(index, x)
        over, under = q - mechanism.q_max, mechanism.q_min - q
        singular = -lines.singularity_margins(q)[:, None]
        return np.concatenate([over, under, singular], axis=1)

    return closeness


def _as_margins(worst: Array, n: int) -> Margins:
    return Margins(
        limit=-np.maximum(worst[:, :n], worst[:, n : 2 * n]), singularity=-worst[:, 2 * n]
    )
