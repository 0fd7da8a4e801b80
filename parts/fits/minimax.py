"""Minimax problems of zones and envelopes: the largest signed distance, minimised.

Sequential linear programmes in a trust region, finished by Newton's method on the contacts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn

import numpy as np

from parts.errors import FitError
from parts.fits.least_squares import FeatureModel, FeatureState, ResidualRows, triangle_of
from robots.core.arrays import Array, Indices

_ENDED = 1e-9  # of the trust radius: gains below it are the programme's rounding
_POLISHING = 10
_ROUNDING = 64.0 * np.finfo(float).eps
_ESCAPES = (1.0, 0.1, 1e-2, 1e-3)  # of the reach, along a direction of negative curvature
_SHARES = (1.0, 0.4, 0.1)  # of a Newton step, which does not see the other points
_LEAST_MULTIPLIER = -1e-9


class Touching(NamedTuple):
    """Points, each with the side on which it touches and its multiplier."""

    points: Indices  # (n,)
    sides: Array  # +1 where the distance is largest, -1 where it is least, (n,)
    multipliers: Array  # not negative, of sum 1, (n,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ended:
    """Final state of the iteration.

    Args:
        state: of the model.
        peak: the largest σ d there.
        touching: contacts and multipliers.
        iterations: programmes and Newton steps.
        ended: no programme promises a smaller peak.
        curvature: least second derivative where the contacts leave the feature free.
    """

    state: FeatureState
    peak: float
    touching: Touching
    iterations: int
    ended: bool
    curvature: float


def minimise(goal: MinimaxGoal, start: FeatureState, scale: Scale, *, limit: int = 80) -> Ended:
    """Make the largest σ d as small as it gets near the start; it never grows.

    Each programme names the contacts; where they are fewer than the unknowns, a Newton step on
    their Kuhn-Tucker equations is tried beside the programme's own.
    Source: the idea of a programme that names the contacts and a Newton step on them is Fletcher's
    and Sainz de la Maza's (1989).
    """
    state, radius = start, scale.reach
    rows = goal.rows(state)
    peak, solved = goal.peak(rows.residuals), 0
    touching: Touching | None = None
    while True:
        solved += 1
        descent = descend(
            goal, ResidualRows(rows.residuals, scale.W.T @ rows.jacobian), radius, touching
        )
        touching = descent.touching
        onward: FeatureState | None
        if descent.gain <= max(_ENDED * radius, _ROUNDING):
            onward = _escape(goal, state, touching, scale, peak)
            if onward is None or solved >= limit:
                return _polished(goal, state, touching, scale, solved)
            radius = 0.1 * scale.reach
            value = goal.peak(goal.distances(onward))
        else:
            onward, value = _better(goal, state, descent, scale)
            ratio = (peak - value) / descent.gain
            radius = _radius(radius, ratio, float(np.abs(descent.step).max()))
        if value < peak:
            state, peak, rows = onward, value, goal.rows(onward)
        if solved >= limit or radius < _ROUNDING or goal.lost(peak):
            return _polished(goal, state, touching, scale, solved)


def _radius(radius: float, ratio: float, length: float) -> float:
    if ratio < 0.25:
        return 0.25 * min(radius, length)
    return 3.0 * radius if ratio > 0.75 and length > 0.9 * radius else radius


def _better(
    goal: MinimaxGoal, state: FeatureState, descent: Descent, scale: Scale
) -> tuple[FeatureState, float]:
    """The programme's step or Newton's, whichever ends lower."""
    steps = [descent.step]
    if len(descent.touching.points) <= goal.count:
        newton = kuhn_step(goal, state, descent.touching, scale.W).step
        if np.abs(newton).max() <= 10.0 * scale.reach:
            steps += [share * newton for share in _SHARES]
    trials = [goal.moved(state, scale.W @ step) for step in steps]
    values = [goal.peak(goal.distances(trial)) for trial in trials]
    best = int(np.argmin(values))
    return trials[best], values[best]


def _escape(
    goal: MinimaxGoal, state: FeatureState, touching: Touching, scale: Scale, peak: float
) -> FeatureState | None:
    """From a saddle: a step along a direction in which the peak bends down."""
    if len(touching.points) > goal.count:
        return None
    bent = bend(goal, state, touching, scale.W)
    if bent.curvature >= 0.0:
        return None
    for size in _ESCAPES:
        for sign in (1.0, -1.0):
            trial = goal.moved(state, scale.W @ (sign * size * scale.reach * bent.direction))
            if goal.peak(goal.distances(trial)) < peak - 1e-6 * size**2 * scale.reach:
                return trial
    return None


def _polished(
    goal: MinimaxGoal, state: FeatureState, touching: Touching, scale: Scale, solved: int
) -> Ended:
    """Newton's steps while each is less than half the one before; kept if no point objects."""
    first, before = goal.peak(goal.distances(state)), np.inf
    now, held = state, touching
    for _ in range(_POLISHING):
        kuhn = kuhn_step(goal, now, held, scale.W)
        length = float(np.abs(kuhn.step).max())
        if length >= 0.5 * before or length > scale.reach:
            break
        before, solved = length, solved + 1
        now = goal.moved(now, scale.W @ kuhn.step)
        held = held._replace(multipliers=kuhn.multipliers)
    held = held._replace(multipliers=balance(goal, now, held, scale.W))
    peak = goal.peak(goal.distances(now))
    sound = bool(held.multipliers.min() >= _LEAST_MULTIPLIER)
    agreed = sound and not goal.lost(first) and peak <= first + max(1e-12 * scale.reach, _ROUNDING)
    if not agreed:
        now, held, peak = state, touching, first
    clipped = np.maximum(held.multipliers, 0.0)
    held = held._replace(multipliers=clipped / clipped.sum())
    curvature = bend(goal, now, held, scale.W).curvature
    tied = all_touching(goal, now, scale.W) if agreed and curvature <= 0.0 else None
    if tied is not None:
        held, curvature = tied, bend(goal, now, tied, scale.W).curvature
    return Ended(
        state=now, peak=peak, touching=held, iterations=solved, ended=agreed, curvature=curvature
    )


# -------------------------------------------------------------------------------------------- Goal

_LEAST_RADIUS = 1e-13  # of the points' size; steps below it are rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MinimaxGoal:
    """Minimise over the feature x the largest of σ d_i(x) over points i and sides σ.

    With both sides this is the minimum zone, as every feature can shift its surface along its
    normal; with one side and the sizes at zero, d is the distance from the centre or the axis, and
    the goal is the least circumscribed (σ = 1) or largest inscribed (σ = -1) feature.

    Args:
        model: feature.
        points: centred, of size 1. # (3, k)
        sides: σ.
        sized: the sizes are free; else they rest.
    """

    model: FeatureModel
    points: Array
    sides: tuple[float, ...]
    sized: bool

    @property
    def count(self) -> int:
        """Of unknowns."""
        return self.model.count if self.sized else len(self.model.freedoms)

    def distances(self, state: FeatureState) -> Array:
        """Of all points. # (k,)."""
        return self.model.level(state.local(self.points), state.sizes).distance

    def peak(self, distances: Array) -> float:
        """What is to be made least."""
        return max(float((side * distances).max()) for side in self.sides)

    def lost(self, peak: float) -> bool:
        """Return whether an inscribed feature has left the points, where it grows without end.

        One that is held has its centre amid its contacts, and is then no larger than the ball
        about the centroid that holds all points.
        """
        inscribed = not self.sized and self.sides[0] < 0.0
        return inscribed and -peak > self.extent * (1.0 + 1e-9)

    @property
    def extent(self) -> float:
        """Largest distance of a point from the centroid."""
        return float(np.sqrt(np.sum(self.points**2, axis=0).max()))

    def rows(self, state: FeatureState, chosen: Indices | None = None) -> ResidualRows:
        """One distance per point, and its derivatives with the unknowns. # (k,), (p, k)."""
        points = self.points if chosen is None else self.points[:, chosen]
        rows = FeatureModel.local_rows(self.model, state.local(points), state.sizes)
        return ResidualRows(rows.residuals, rows.jacobian[: self.count])

    def moved(self, state: FeatureState, step: Array) -> FeatureState:
        """A step in the unknowns. # (p,)."""
        full = np.zeros(self.model.count)
        full[: self.count] = step
        return state.moved(self.model.freedoms, full)

    def centred(self, state: FeatureState) -> FeatureState:
        """With both sides: shifted along the normal until both are equally far."""
        if len(self.sides) < 2:
            return state
        rows = self.rows(state)
        column = int(np.argmin(np.abs(rows.jacobian + 1.0).max(axis=1)))
        step = np.zeros(self.count)
        step[column] = 0.5 * (rows.residuals.max() + rows.residuals.min())
        return self.moved(state, step)

    def only(self, chosen: Indices) -> MinimaxGoal:
        """The same for some of the points."""
        points = np.ascontiguousarray(self.points[:, chosen])
        return MinimaxGoal(model=self.model, points=points, sides=self.sides, sized=self.sized)

    def extremes(self, distances: Array, count: int) -> tuple[Indices, Array]:
        """The points farthest to each side, and the sides. # (≤ count · sides,) each."""
        count = min(count, len(distances))
        found = [
            np.argpartition(-side * distances, count - 1)[:count].astype(np.intp)
            for side in self.sides
        ]
        return np.concatenate(found), np.repeat(np.array(self.sides), count)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scale:
    """Unknowns in which a unit step changes the distances by a unit, as a root mean square.

    Short arcs and other loose features then need no long walk.

    Args:
        W: the unknowns are W y. # (p, p)
        reach: how far the distances are apart at the start: the first length of a step.
    """

    W: Array
    reach: float


def scale_of(goal: MinimaxGoal, state: FeatureState) -> Scale:
    """From the triangle of the Jacobian at the start; directions it does not see stay small."""
    rows = goal.rows(state)
    R = triangle_of(rows).R
    values = np.linalg.svd(R, compute_uv=False)
    inverse = np.linalg.pinv(R, rcond=1e-12) if values[-1] < 1e-12 * values[0] else None
    W = np.sqrt(len(rows.residuals)) * (np.linalg.inv(R) if inverse is None else inverse)
    return Scale(W=W, reach=max(float(np.ptp(rows.residuals)), _LEAST_RADIUS))


# ------------------------------------------------------------------------------------------ Starts

_SEED = 1101  # of the starts: the same points give the same answer
_SPREADS = (0.5, 2.0)  # of the reach: how far the other starts are away
_SAME = 1e-6  # relative: peaks so near are one optimum
_SAMPLE = 600  # extreme points to each side that a descent looks at
_DESCENTS_ROUNDING = 4.0 * np.finfo(float).eps  # of the points' size


class Best(NamedTuple):
    """The lowest optimum that was found."""

    ended: Ended
    scale: Scale
    starts: int
    agreeing: int
    rival: float  # peak, of the unit points


def lowest(goal: MinimaxGoal, first: FeatureState, others: int) -> Best:
    """Descend from the first start, and from others about it, and keep the lowest end.

    The other starts look at the extreme points only; an end that promises more than the first is
    then carried on with all that count.

    Args:
        goal: what is to be made least.
        first: where to begin, as a rule least squares.
        others: starts about it.

    Raises:
        FitError: no start ends in an optimum.
    """
    first = goal.centred(first)
    scale = scale_of(goal, first)
    best = _by_extremes(goal, first, scale)
    best = best if _sound(goal, best.state) else _without(best, goal, first)
    ends = [best.peak] if best.ended else []
    few = goal.only(_extremes(goal, goal.distances(first)))
    for start in _about(goal, best.state, scale, others):
        end = minimise(few, few.centred(start), scale)
        if end.peak < best.peak * (1.0 - _SAME) or not best.ended:
            end = _by_extremes(goal, goal.centred(end.state), scale)
            if end.ended and _sound(goal, end.state) and (end.peak < best.peak or not best.ended):
                best = end
        if end.ended:
            ends.append(end.peak)
    if not best.ended:
        _refuse(goal, best, 1 + others)
    apart = np.array(ends) - best.peak
    same = np.abs(apart) <= _SAME * max(scale.reach, abs(apart).min(initial=0.0))
    rivals = np.array(ends)[~same & (apart > 0.0)]
    return Best(best, scale, 1 + others, max(1, int(same.sum())), float(rivals.min(initial=np.inf)))


def _refuse(goal: MinimaxGoal, end: Ended, starts: int) -> NoReturn:
    if not goal.sized and goal.sides[0] < 0.0:
        raise FitError(
            f"The points do not close round an inscribed {goal.model.word}: from {starts} starts "
            "it has left them, and grows without end. Measure all round it.",
            value=starts,
        )
    raise FitError(
        f"No optimum of the {goal.model.word} was reached from {starts} starts (the last after "
        f"{end.iterations} steps): the points hold it too loosely. Measure a larger part of it, "
        "or check that they lie on one.",
        value=starts,
    )


def _sound(goal: MinimaxGoal, state: FeatureState) -> bool:
    settled = goal.model.settled(state)
    return not goal.sized or goal.model.sound(goal.points, settled)


def _without(end: Ended, goal: MinimaxGoal, first: FeatureState) -> Ended:
    """An end that is no such feature counts as none: back to the start."""
    return replace(end, state=first, peak=goal.peak(goal.distances(first)), ended=False)


def _by_extremes(goal: MinimaxGoal, start: FeatureState, scale: Scale) -> Ended:
    """Descend with the extreme points, and with those beyond their optimum, until none is.

    An optimum of some points that holds all of them is one of all: the others take no part in Kuhn
    and Tucker's conditions.
    """
    chosen = _extremes(goal, goal.distances(start))
    while len(chosen) < goal.points.shape[1]:
        end = minimise(goal.only(chosen), start, scale)
        if not end.ended:
            break
        d = goal.distances(end.state)
        grown = np.union1d(chosen, _extremes(goal, d))
        if goal.peak(d) <= end.peak + _DESCENTS_ROUNDING:
            held = end.touching._replace(points=chosen[end.touching.points])
            return replace(end, peak=goal.peak(d), touching=held)
        if len(grown) == len(chosen):
            break
        chosen, start = grown, goal.centred(end.state)
    return minimise(goal, start, scale)


def _extremes(goal: MinimaxGoal, distances: Array) -> Indices:
    """The points farthest to each side, or all where they are few. # ascending."""
    if len(distances) <= 2 * _SAMPLE:
        return np.arange(len(distances))
    return np.unique(goal.extremes(distances, _SAMPLE)[0])


def _about(goal: MinimaxGoal, state: FeatureState, scale: Scale, count: int) -> list[FeatureState]:
    rng = np.random.default_rng(_SEED)
    steps = rng.uniform(-1.0, 1.0, (count, goal.count)) * scale.reach
    return [
        goal.moved(state, scale.W @ (_SPREADS[i % len(_SPREADS)] * step))
        for i, step in enumerate(steps)
    ]


# ------------------------------------------------------------------------------- Linear programmes

_TOLERANCES = (1e-10, 1e-9, 1e-8, 1e-7)  # of the programme, in trust radii; HiGHS may give up
_VIOLATED = 1e-9  # likewise: what a point outside the programme may exceed it
_TAKEN = 1e-9  # a multiplier below it is none
_ROUNDS = 200


class Descent(NamedTuple):
    """Answer of the linearised problem."""

    step: Array  # scaled, (p,)
    gain: float  # how much the largest distance falls
    touching: Touching


def descend(
    goal: MinimaxGoal, rows: ResidualRows, radius: float, first: Touching | None
) -> Descent:
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


# ------------------------------------------------------------------------------- Contact equations

_DIFFERENCE = 1e-5  # of the points' size: central differences of the Jacobian
_SHARE = 1e-3  # of the distance from a line, which is the radius of that distance's curvature
_FLAT = 1e-9  # beside the largest: a gradient combination below it leaves a direction free


class Kuhn(NamedTuple):
    """A step of Newton's method on the contacts."""

    step: Array  # scaled, (p,)
    multipliers: Array  # (n,)


class Bend(NamedTuple):
    """The least second derivative along the contacts' free directions."""

    curvature: float  # infinite where there is none
    direction: Array  # scaled, of length 1 or 0, (p,)


def hessian(goal: MinimaxGoal, state: FeatureState, touching: Touching, W: Array) -> Array:
    """Σ λ σ ∇²d with the scaled unknowns, from central differences of the Jacobian.

    The frames of the shifted states are turned a little, which adds multiples of Σ λ σ ∇d only:
    nothing at a Kuhn-Tucker point. # (p, p)
    """
    weights = touching.multipliers * touching.sides
    h = _DIFFERENCE
    if goal.model.components > 1:
        h = min(h, _SHARE * goal.peak(goal.rows(state, touching.points).residuals))
    H = np.empty((goal.count, goal.count))
    for column, unit in enumerate(h * np.eye(goal.count)):
        ahead = goal.rows(goal.moved(state, unit), touching.points).jacobian
        back = goal.rows(goal.moved(state, -unit), touching.points).jacobian
        H[:, column] = (ahead - back) @ weights / (2.0 * h)
    return np.asarray(W.T @ (0.5 * (H + H.T)) @ W)


def kuhn_step(goal: MinimaxGoal, state: FeatureState, touching: Touching, W: Array) -> Kuhn:
    """Solve H y + A λ = 0, Σ λ = 1, c + Aᵀ y = τ for the step, the multipliers and τ."""
    rows = goal.rows(state, touching.points)
    A = W.T @ (touching.sides * rows.jacobian)
    c = touching.sides * rows.residuals
    p, n = A.shape
    K = np.zeros((p + 1 + n, p + 1 + n))
    K[:p, :p] = hessian(goal, state, touching, W)
    K[:p, p + 1 :] = A
    K[p, p + 1 :] = 1.0
    K[p + 1 :, :p] = A.T
    K[p + 1 :, p] = -1.0
    right = np.concatenate([np.zeros(p), [1.0], c.max() - c])
    solved = np.linalg.lstsq(K, right, rcond=1e-13)[0]
    return Kuhn(np.asarray(solved[:p]), np.asarray(solved[p + 1 :]))


def balance(goal: MinimaxGoal, state: FeatureState, touching: Touching, W: Array) -> Array:
    """Multipliers of sum 1 whose Σ λ σ ∇d is least, where the contacts are. # (n,)."""
    rows = goal.rows(state, touching.points)
    A = np.vstack([W.T @ (touching.sides * rows.jacobian), np.ones(len(touching.points))])
    right = np.append(np.zeros(goal.count), 1.0)
    return np.asarray(np.linalg.lstsq(A, right, rcond=1e-13)[0])


def bend(goal: MinimaxGoal, state: FeatureState, touching: Touching, W: Array) -> Bend:
    """Second derivative of the Lagrangian where the contacts hold nothing to first order."""
    rows = goal.rows(state, touching.points)
    A = W.T @ (touching.sides * rows.jacobian)
    U, s, _ = np.linalg.svd(A)
    rank = int(np.sum(s > _FLAT * s[0])) if len(s) else 0
    Z = U[:, rank:]
    if Z.shape[1] == 0:
        return Bend(float("inf"), np.zeros(goal.count))
    values, vectors = np.linalg.eigh(Z.T @ hessian(goal, state, touching, W) @ Z)
    return Bend(float(values[0]), np.asarray(Z @ vectors[:, 0]))


# -------------------------------------------------------------------------------------------- Ties

_NEAR = 1e-11  # of the points' size: what is so near the limit touches it
_MOST = 300
_TIES_SHARE = 0.1  # of an even share: a multiplier that large counts as leaning
_BALANCED = 1e-9


def all_touching(goal: MinimaxGoal, state: FeatureState, W: Array) -> Touching | None:
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
    least = _TIES_SHARE / n
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
