"""Which family of the arm serves each point: valid along its whole line, and quickest in order.

Candidates are families with whole turns where a joint's range allows. A grid judges their limit and
singularity margins; the sequence with the least total time in the given order is found by dynamic
programming; then the margins of what was chosen are proven exactly, and a candidate that fails
there gives way to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from planner.extremes import Evaluate, highest
from planner.placement import PlacedPoints
from planner.probing_lines import Lines
from planner.travel import travel_times
from robots.arm.inverse import ArmInverse
from robots.arm.solutions import ArmSolutions
from robots.core.joint_limits import JointLimits
from robots.core.mechanism import Mechanism

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

SINGULAR = 1e-3  # singularity margin below which a line is refused: rates grow as its inverse

# Weight of a posture's distance from mid range against seconds: decides only between equals.
_TIE_BREAK = 1e-7

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

    def keep(self, required: float) -> Mask:
        """Lines that keep a joint margin and stay out of singularities. # (c,)."""
        # Rounding of the inverse: a joint exactly on its limit is on it, not beyond.
        kept = np.min(self.limit, axis=1, initial=np.inf) >= required - 1e-12
        return np.asarray(kept & (self.singularity >= SINGULAR))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Ways to serve the points: one row per point and family (with its turns) that hits both ends.

    Args:
        lines: geometry, one per candidate.
        point: index of the point each one serves. # (c,)
        margins: on a grid along each line.
    """

    lines: Lines
    point: Indices
    margins: Margins


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choice:
    """The candidate of each point.

    Args:
        candidate: -1 where none is valid. # (points,)
        margins: exact ones of the chosen candidates, in the order of the served points.
    """

    candidate: Indices
    margins: Margins

    @property
    def served(self) -> Indices:
        """Indices of the points that have one."""
        return np.nonzero(self.candidate >= 0)[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EndSolutions:
    """Inverse solutions at both ends of every line."""

    start: ArmSolutions
    end: ArmSolutions

    @property
    def hit(self) -> Mask:
        """Families that reach both ends. # (k, 8)."""
        return np.asarray(self.start.solved & self.end.solved)


def end_solutions(inverse: ArmInverse, placed: PlacedPoints) -> EndSolutions:
    """Solve clearance points and line ends."""
    return EndSolutions(
        start=inverse.solve(placed.clearances, placed.axes),
        end=inverse.solve(placed.search_ends, placed.axes),
    )


def candidates(inverse: ArmInverse, placed: PlacedPoints, ends: EndSolutions) -> Candidates:
    """All families that hit both ends of each line, with the whole turns that limits allow."""
    point, family = np.nonzero(ends.hit)
    rows, q = _with_turns(ends.start.q[point, family], inverse.model.mechanism)
    point, family = point[rows], family[rows]
    lines = Lines(
        inverse=inverse,
        starts=placed.clearances[point],
        ends=placed.search_ends[point],
        axes=placed.axes[point],
        families=family,
        q_starts=q,
    )
    return Candidates(lines=lines, point=point, margins=rough_margins(lines))


def choose(
    found: Candidates, rough_times: Array, limits: JointLimits, required: float, points: int
) -> Choice:
    """The sequence of least total time, points in the order given, margins proven exactly.

    Args:
        found: candidates; a grid has judged their margins.
        rough_times: least duration of each candidate's line, on a grid. # (c,) [s]
        limits: for the travel times.
        required: joint margin that the job asks for. [rad]
        points: how many points the job has.
    """
    valid = found.margins.keep(required)
    cost = 2.0 * rough_times + _TIE_BREAK * _from_middle(found)
    while True:
        candidate = _quickest(found, np.nonzero(valid)[0], cost, limits, points)
        taken = candidate[candidate >= 0]
        margins = exact_margins(found.lines.take(taken))
        refused = taken[~margins.keep(required)]
        if refused.size == 0:
            return Choice(candidate=candidate, margins=margins)
        valid[refused] = False


def exact_margins(lines: Lines) -> Margins:
    """Least margins along each line, exactly."""
    n = lines.inverse.model.dof
    if len(lines) == 0:
        return Margins(limit=np.zeros((0, n)), singularity=np.zeros(0))
    worst = highest(_closeness(lines), len(lines), 1).value
    return _as_margins(worst, n)


def rough_margins(lines: Lines) -> Margins:
    """Least margins on a grid along each line; the true ones may be a little smaller."""
    n = lines.inverse.model.dof
    k, grid = len(lines), np.linspace(0.0, 1.0, _GRID)
    index, x = np.repeat(np.arange(k), _GRID), np.tile(grid, k)
    values = _closeness(lines)(index, np.zeros_like(index), x).reshape(k, _GRID, 2 * n + 1)
    return _as_margins(np.max(values, axis=1), n)


def _closeness(lines: Lines) -> Evaluate:
    """Negative margins as functions along the lines: above, below, singularity. # (m, 2n + 1)."""
    mechanism = lines.inverse.model.mechanism

    def closeness(index: Indices, _: Indices, x: Array) -> Array:
        q = lines.joints(index, x)
        over, under = q - mechanism.q_max, mechanism.q_min - q
        singular = -lines.inverse.margins(q).least[:, None]
        return np.concatenate([over, under, singular], axis=1)

    return closeness


def _as_margins(worst: Array, n: int) -> Margins:
    return Margins(
        limit=-np.maximum(worst[:, :n], worst[:, n : 2 * n]), singularity=-worst[:, 2 * n]
    )


def _quickest(
    found: Candidates, usable: Indices, cost: Array, limits: JointLimits, points: int
) -> Indices:
    """Shortest path through the layers of usable candidates, one layer per point. # (points,)."""
    chosen = np.full(points, -1, dtype=np.int64)
    layers = [usable[found.point[usable] == k] for k in np.unique(found.point[usable])]
    if not layers:
        return chosen
    q = found.lines.q_starts
    totals, steps = cost[layers[0]], []
    for before, after in pairwise(layers):
        arrive = totals[:, None] + travel_times(q[before][:, None], q[after][None], limits)
        steps.append(np.argmin(arrive, axis=0))
        totals = np.min(arrive, axis=0) + cost[after]
    best = int(np.argmin(totals))
    for layer, step in zip(reversed(layers), [*reversed(steps), None], strict=True):
        chosen[found.point[layer[best]]] = layer[best]
        best = int(step[best]) if step is not None else best
    return chosen


def _with_turns(q: Array, mechanism: Mechanism) -> tuple[Indices, Array]:
    """Each posture with the whole turns that its joints' ranges allow."""
    turns = [
        (-2.0 * np.pi, 0.0, 2.0 * np.pi) if high - low > 2.0 * np.pi else (0.0,)
        for low, high in zip(mechanism.q_min, mechanism.q_max, strict=True)
    ]
    shifts = np.array(list(product(*turns)))
    shifted = q[:, None, :] + shifts
    # A shifted posture must start within the range; the unshifted one is kept to be reported on.
    inside = np.all((shifted >= mechanism.q_min) & (shifted <= mechanism.q_max), axis=2)
    inside[:, np.all(shifts == 0.0, axis=1)] = True
    rows, columns = np.nonzero(inside)
    return rows, shifted[rows, columns]


def _from_middle(found: Candidates) -> Array:
    """Mean distance from mid range, 0 in the middle and 1 at a limit; unlimited joints count 0."""
    mechanism = found.lines.inverse.model.mechanism
    low, high = mechanism.q_min, mechanism.q_max
    bounded = np.isfinite(low) & np.isfinite(high) & (high > low)
    middle = np.where(bounded, (low + high) / 2.0, 0.0)
    half = np.where(bounded, (high - low) / 2.0, np.inf)
    return np.asarray(np.mean(np.abs(found.lines.q_starts - middle) / half, axis=1))
