"""The linearised problem: a small linear programme, grown by exchange until all points agree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parts.fits.errors import FitError
from parts.fits.model import Rows
from parts.fits.zone.goal import Goal, Touching
from robots.core.arrays import Array, Indices

_TOLERANCES = (1e-10, 1e-9, 1e-8, 1e-7)  # of the programme, in trust radii; HiGHS may give up
_VIOLATED = 1e-9  # likewise: what a point outside the programme may exceed it
_TAKEN = 1e-9  # a multiplier below it is none
_ROUNDS = 200


class Descent(NamedTuple):
    """Answer of the linearised problem."""

    step: Array  # scaled, (p,)
    gain: float  # how much the largest distance falls
    touching: Touching


def descend(goal: Goal, rows: Rows, radius: float, first: Touching | None) -> Descent:
    """Minimise the largest σ (d + yᵀJ) with every |y| within the trust radius.

    Only a few points are in the programme at first; those that its answer violates most enter, as
    in Remez's exchange, until none does. The answer is then that of all points.

    Args:
        goal: which sides count.
        rows: distances and derivatives with the scaled unknowns.
        radius: of the trust region, in units of distance.
        first: points to begin with beside the extremes.

    Raises:
        FitError: the programme has no answer, which its form excludes.
    """
    d, J = rows
    peak = goal.peak(d)
    few = 2 * (len(J) + 1)
    points, sides = goal.extremes(d, few)
    if first is not None:
        points = np.concatenate([points, first.points])
        sides = np.concatenate([sides, first.sides])
    points, sides = _distinct(points, sides)
    for _ in range(_ROUNDS):
        y, v, multipliers = _programme(peak - sides * d[points], sides * J[:, points], radius)
        line = d + y @ J
        more, others = goal.extremes(line, few)
        broken = others * line[more] > peak + v + _VIOLATED * radius
        grown = _distinct(
            np.concatenate([points, more[broken]]), np.concatenate([sides, others[broken]])
        )
        if len(grown[0]) == len(points):  # none broken, or only by the programme's rounding
            return Descent(y, -v, _taken(points, sides, multipliers))
        points, sides = grown
    raise FitError("The exchange of contact points does not end; report these points.")


def _taken(points: Indices, sides: Array, multipliers: Array) -> Touching:
    """The points that hold the answer. The trust region alone may hold it: then there are none."""
    taken = multipliers > _TAKEN
    share = multipliers[taken] / max(float(multipliers[taken].sum()), _TAKEN)
    return Touching(points[taken], sides[taken], share)


def _distinct(points: Indices, sides: Array) -> tuple[Indices, Array]:
    _, kept = np.unique(2 * points + (sides < 0.0), return_index=True)
    return points[kept], sides[kept]


def _programme(slack: Array, G: Array, radius: float) -> tuple[Array, float, Array]:
    """Least v with yᵀG - v ≤ slack and |y| ≤ radius; the multipliers are those of the points."""
    from scipy.optimize import linprog

    p, n = G.shape
    for tolerance in _TOLERANCES:
        answer = linprog(
            np.append(np.zeros(p), 1.0),
            A_ub=np.column_stack([G.T, -np.ones(n)]),
            b_ub=slack / radius,
            bounds=[(-1.0, 1.0)] * p + [(None, None)],
            method="highs-ds",
            options={
                "primal_feasibility_tolerance": tolerance,
                "dual_feasibility_tolerance": tolerance,
                "presolve": False,
            },
        )
        if answer.status == 0:
            break
    else:
        raise FitError(
            f"The linear programme of a zone ends without an answer ({answer.message}); check that "
            "the points are not many orders of magnitude apart.",
            value=int(answer.status),
        )
    multipliers = -np.asarray(answer.ineqlin.marginals)
    return radius * np.asarray(answer.x[:p]), radius * float(answer.x[p]), multipliers
