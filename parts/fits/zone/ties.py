"""More contacts than are needed: multipliers that lean on as many of them as possible."""

from __future__ import annotations

import numpy as np

from parts.fits.frame import State
from parts.fits.zone.goal import Goal, Touching
from robots.core.arrays import Array

_NEAR = 1e-11  # of the points' size: what is so near the limit touches it
_MOST = 300
_SHARE = 0.1  # of an even share: a multiplier that large counts as leaning
_TAKEN = 1e-9
_BALANCED = 1e-9


def all_touching(goal: Goal, state: State, W: Array) -> Touching | None:
    """Multipliers over all points on the limits; none where these do not balance.

    Even sets (grids, rounded coordinates) touch in more points than hold them, and the multipliers
    are then no single ones. Those of a programme lean on few points, beside which the others only
    seem to leave the feature free.
    """
    from scipy.optimize import linprog

    d = goal.distances(state)
    near = [np.flatnonzero(side * d >= goal.peak(d) - _NEAR) for side in goal.sides]
    points = np.concatenate(near).astype(np.intp)
    sides = np.repeat(np.array(goal.sides), [len(rows) for rows in near])
    n = len(points)
    if n > _MOST:
        return None
    G = W.T @ (sides * goal.rows(state, points).jacobian)
    least = _SHARE / n
    answer = linprog(  # λ, and s ≤ λ with 0 ≤ s ≤ least, whose sum is to be largest
        np.concatenate([np.zeros(n), -np.ones(n)]),
        A_ub=np.hstack([-np.eye(n), np.eye(n)]),
        b_ub=np.zeros(n),
        A_eq=np.hstack([np.vstack([G, np.ones(n)]), np.zeros((len(G) + 1, n))]),
        b_eq=np.append(np.zeros(len(G)), 1.0),
        bounds=[(0.0, None)] * n + [(0.0, least)] * n,
        method="highs-ds",
    )
    if answer.status != 0:
        return None
    multipliers = np.asarray(answer.x[:n])
    taken = multipliers > _TAKEN
    system = np.vstack([G[:, taken], np.ones(int(taken.sum()))])
    miss = np.append(np.zeros(len(G)), 1.0) - system @ multipliers[taken]
    sharp = multipliers[taken] + np.linalg.lstsq(system, miss, rcond=None)[0]
    if sharp.min() < 0.0 or float(np.linalg.norm(G[:, taken] @ sharp)) > _BALANCED:
        return None
    return Touching(points[taken], sides[taken], sharp)
