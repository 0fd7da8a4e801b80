"""Which branch serves each point: valid along its whole line, and quickest in a given order.

The sequence with the least total time is found by dynamic programming over the candidates; then the
margins of what was chosen are proven exactly, and a candidate that fails there gives way to the
next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from planner.reach.candidates import Candidates
from planner.reach.margins import Margins, exact_margins
from planner.travel import travel_times
from robots.core.motion.joint_limits import JointLimits

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Weight of a posture's distance from mid range against seconds: decides only between equals.
_TIE_BREAK = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choice:
    """The candidate of each point, and the order in which the points are visited.

    Args:
        candidate: -1 where none is valid. # (points,)
        visits: indices of the points that have one, in visiting order. # (k,)
        margins: exact ones of the chosen candidates, in visiting order.
        cost: seconds of lines and travel that the choice was made for, by the rough line times.
    """

    candidate: Indices
    visits: Indices
    margins: Margins
    cost: float

    @property
    def chosen(self) -> Indices:
        """Candidates in visiting order. # (k,)."""
        return np.asarray(self.candidate[self.visits])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Costs:
    """What a sequence of candidates costs, and what they must keep.

    Args:
        lines: least duration of each candidate's line, on a grid. # (c,) [s]
        limits: for the travel times.
        travel_law: name of the law of travel.
        required: joint margin that the job asks for. [rad]
    """

    lines: Array
    limits: JointLimits
    travel_law: str = "trapezoid"
    required: float = 0.0

    def travel(self, starts: Array, ends: Array) -> Array:
        """Least travel times between configurations; see ``travel_times``. # (...) [s]."""
        return travel_times(starts, ends, self.limits, self.travel_law)


def choose(found: Candidates, costs: Costs, order: Indices) -> Choice:
    """The sequence of least total time in a given visiting order, margins proven exactly.

    Args:
        found: candidates; a grid has judged their margins.
        costs: of lines and travel.
        order: every point once, in the order in which they are visited. # (points,)
    """
    return Chooser(found, costs).choose(order)


class Chooser:
    """Chooses candidates for one visiting order after another; what was proven stays proven.

    Args:
        found: candidates; a grid has judged their margins.
        costs: of lines and travel.
    """

    def __init__(self, found: Candidates, costs: Costs) -> None:
        self.found = found
        self.costs = costs
        self._valid = found.margins.keep(costs.required)
        self._cost = 2.0 * costs.lines + _TIE_BREAK * _from_middle(found)
        self._limit = np.full(found.margins.limit.shape, np.nan)
        self._singularity = np.full(found.point.size, np.nan)

    def choose(self, order: Indices) -> Choice:
        """The sequence of least total time in a visiting order. Args: order. # (points,)."""
        while True:
            usable = np.nonzero(self._valid)[0]
            chosen = _quickest(self._layers(usable, order), self._travel, self._cost)
            if np.all(self._proven(chosen)):
                return self._choice(chosen, order.size)

    def _layers(self, usable: Indices, order: Indices) -> list[Indices]:
        """Usable candidates of each point that has some, in visiting order."""
        point = self.found.point[usable]  # rising, as candidates stand point by point
        first = np.searchsorted(point, np.arange(order.size + 1))
        return [usable[first[k] : first[k + 1]] for k in order if first[k + 1] > first[k]]

    def _travel(self, before: Indices, after: Indices) -> Array:
        q = self.found.lines.q_starts
        return self.costs.travel(q[before][:, None], q[after][None])

    def _proven(self, chosen: Indices) -> Mask:
        """Whether candidates keep their margins exactly; those that do not are never used again."""
        new = chosen[np.isnan(self._singularity[chosen])]
        margins = exact_margins(self.found.lines.take(new))
        self._limit[new], self._singularity[new] = margins.limit, margins.singularity
        self._valid[new] = margins.keep(self.costs.required)
        return self._valid[chosen]

    def _choice(self, chosen: Indices, points: int) -> Choice:
        candidate = np.full(points, -1, dtype=np.int64)
        visits = self.found.point[chosen]
        candidate[visits] = chosen
        q = self.found.lines.q_starts[chosen]
        travel = float(np.sum(self.costs.travel(q[:-1], q[1:])))
        return Choice(
            candidate=candidate,
            visits=visits,
            margins=Margins(limit=self._limit[chosen], singularity=self._singularity[chosen]),
            cost=travel + 2.0 * float(np.sum(self.costs.lines[chosen])),
        )


def _quickest(
    layers: list[Indices], travel: Callable[[Indices, Indices], Array], cost: Array
) -> Indices:
    """Shortest path through layers of candidates, one of each; the first among equals. # (k,)."""
    if not layers:
        return np.zeros(0, dtype=np.int64)
    totals, steps = cost[layers[0]], []
    for before, after in pairwise(layers):
        arrive = totals[:, None] + travel(before, after)
        step = np.argmin(arrive, axis=0)
        totals = arrive[step, np.arange(after.size)] + cost[after]
        steps.append(step)
    best = int(np.argmin(totals))
    chosen = [layers[-1][best]]
    for layer, step in zip(reversed(layers[:-1]), reversed(steps), strict=True):
        best = int(step[best])
        chosen.append(layer[best])
    return np.array(chosen[::-1], dtype=np.int64)


def _from_middle(found: Candidates) -> Array:
    """Mean distance from mid range, 0 in the middle and 1 at a limit; unlimited joints count 0."""
    mechanism = found.lines.model.mechanism
    low, high = mechanism.q_min, mechanism.q_max
    bounded = np.isfinite(low) & np.isfinite(high) & (high > low)
    middle = np.where(bounded, (low + high) / 2.0, 0.0)
    half = np.where(bounded, (high - low) / 2.0, np.inf)
    return np.asarray(np.mean(np.abs(found.lines.q_starts - middle) / half, axis=1))
