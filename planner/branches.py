"""Which family of the arm serves each point: valid along its whole line, and quickest in order.

Candidates are families with whole turns where a joint's range allows. Their worst limit and
singularity margins are exact along the line; among the valid ones, the sequence with the least
total time in the given order is found by dynamic programming.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from planner.extremes import highest
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Ways to serve the points: one row per point and family (with its turns) that hits both ends.

    Args:
        lines: geometry, one per candidate.
        point: index of the point each one serves. # (c,)
        limit_margin: least distance to a limit along the line, negative beyond it. # (c, n) [rad]
        singularity_margin: least distance from a singularity. # (c,)
        required: margin that the job asks for. [rad]
    """

    lines: Lines
    point: Indices
    limit_margin: Array
    singularity_margin: Array
    required: float

    @property
    def valid(self) -> Mask:
        """Candidates that keep limits and singularities along the whole line. # (c,)."""
        # Rounding of the inverse: a joint exactly on its limit is on it, not beyond.
        kept = np.min(self.limit_margin, axis=1) >= self.required - 1e-12
        return np.asarray(kept & (self.singularity_margin >= SINGULAR))


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


def candidates(
    inverse: ArmInverse, placed: PlacedPoints, ends: EndSolutions, required: float
) -> Candidates:
    """All candidates with their margins along the whole line."""
    mechanism = inverse.model.mechanism
    point, family = np.nonzero(ends.hit)
    rows, q = _with_turns(ends.start.q[point, family], mechanism)
    point, family = point[rows], family[rows]
    lines = Lines(
        inverse=inverse,
        starts=placed.clearances[point],
        ends=placed.search_ends[point],
        axes=placed.axes[point],
        families=family,
        q_starts=q,
    )
    limit_margin, singularity_margin = _margins(lines, mechanism)
    return Candidates(
        lines=lines,
        point=point,
        limit_margin=limit_margin,
        singularity_margin=singularity_margin,
        required=required,
    )


def choose(found: Candidates, line_times: Array, limits: JointLimits, points: int) -> Indices:
    """The sequence of least total time, points in the order given.

    Args:
        found: candidates.
        line_times: least duration of each candidate's line. # (c,) [s]
        limits: for the travel times.
        points: how many points the job has.

    Returns:
        Index of the candidate of each point, -1 where none is valid. # (points,)
    """
    usable = np.nonzero(found.valid)[0]
    cost = 2.0 * line_times + _TIE_BREAK * _from_middle(found)
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


def _margins(lines: Lines, mechanism: Mechanism) -> tuple[Array, Array]:
    """Least limit margins (c, n) and singularity margin (c,) along each line."""
    n = mechanism.dof

    def closeness(index: Indices, _: Indices, x: Array) -> Array:
        q = lines.joints(index, x)
        over, under = q - mechanism.q_max, mechanism.q_min - q
        singular = -lines.inverse.margins(q).least[:, None]
        return np.concatenate([over, under, singular], axis=1)

    worst = highest(closeness, len(lines), 1).value
    if len(lines) == 0:
        return np.zeros((0, n)), np.zeros(0)
    return -np.maximum(worst[:, :n], worst[:, n : 2 * n]), -worst[:, 2 * n]


def _from_middle(found: Candidates) -> Array:
    """Mean distance from mid range, 0 in the middle and 1 at a limit; unlimited joints count 0."""
    mechanism = found.lines.inverse.model.mechanism
    low, high = mechanism.q_min, mechanism.q_max
    bounded = np.isfinite(low) & np.isfinite(high) & (high > low)
    middle = np.where(bounded, (low + high) / 2.0, 0.0)
    half = np.where(bounded, (high - low) / 2.0, np.inf)
    return np.asarray(np.mean(np.abs(found.lines.q_starts - middle) / half, axis=1))
