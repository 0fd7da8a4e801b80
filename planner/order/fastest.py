"""In which order the points are visited when the job leaves it open.

Branches and order are chosen in turns: with the branches given, the order is shortened by reversing
and moving runs of points; with the order given, dynamic programming chooses the branches anew. The
result is a local optimum and the same in every run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.order.chooser import Choice, Chooser
from planner.order.tour import nearest_first, shortened

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_ROUNDS = 10
_GAIN = 1e-9  # relative gain below which nothing has been gained


def fastest(chooser: Chooser, given: Choice) -> Choice:
    """Visiting order and branches of least total time, as far as exchanges find it.

    Args:
        chooser: knows the candidates of all points and what they cost.
        given: the best choice in the job's own order; the result costs no more.
    """
    best = given
    for _ in range(_ROUNDS):
        better = min((_reordered(chooser, best, anew=anew) for anew in (False, True)), key=_cost)
        if better.cost >= best.cost * (1.0 - _GAIN):
            break
        best = better
    return best


def _reordered(chooser: Chooser, choice: Choice, *, anew: bool) -> Choice:
    """Shorten the order of a choice, from its own tour or anew, then choose branches again."""
    q, costs = chooser.found.lines.q_starts[choice.chosen], chooser.costs
    start = nearest_first(q, costs.travel) if anew else np.arange(len(q))
    tour = shortened(q, start, costs.travel, scale=1.0 / costs.limits.max_acceleration)
    rest = np.nonzero(choice.candidate < 0)[0]
    return chooser.choose(np.concatenate([choice.visits[tour], rest]))


def _cost(choice: Choice) -> float:
    return choice.cost
