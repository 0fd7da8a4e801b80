"""The lowest optimum of a zone, with a proof where there is one, else from many starts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parts.fits.circle import FlatCircleModel
from parts.fits.curves import FlatCircle, FlatLine
from parts.fits.frame import State, state_about
from parts.fits.line import FlatLineModel
from parts.fits.zone.annuli import MOST, narrowest_annulus
from parts.fits.zone.descents import Best, lowest
from parts.fits.zone.goal import Goal
from parts.fits.zone.proofs import Proof, round_zone, straight_zone
from parts.fits.zone.widths import narrowest
from robots.core.arrays import Array

_FEW = 200  # points: with so few, other optima are near, and starts cost little
_STARTS = 6
_MORE = 12
_RIVALS = 20
_LOWER = 1e-12  # relative
_TRIED = "the neighbourhood, and {} starts about least squares; not a proof for all"


class Proved(NamedTuple):
    """An optimum and what is known of the others."""

    best: Best
    proof: Proof


def proved_lowest(goal: Goal, state: State) -> Proved:
    """From least squares down; then the proof of its kind, or all candidates, or many starts.

    Raises:
        FitError: no optimum was reached.
    """
    kind = goal.model.kind
    if kind in ("line2d", "plane"):
        return _straight(goal, lowest(goal, state, 0))
    others = starts_for(goal)
    if kind in ("circle2d", "sphere"):
        return _round(goal, state, others)
    return Proved(lowest(goal, state, others), Proof(False, 0.0, _TRIED.format(1 + others)))


def _round(goal: Goal, state: State, others: int) -> Proved:
    """A rival that the proof meets is the next start; without proof, many starts are."""
    best = lowest(goal, state, 0)
    for _ in range(_RIVALS):
        proof = round_zone(goal, best.ended.state, best.ended.touching)
        if proof.rival is None:
            break
        other = lowest(goal, best.ended.state.shifted(proof.rival), 0)
        if other.ended.peak >= best.ended.peak * (1.0 - _LOWER):
            break
        best = other
    if proof.whole:
        return Proved(best, proof)
    other = lowest(goal, best.ended.state, others)
    if goal.model.kind == "circle2d" and goal.points.shape[1] <= MOST:
        return _annulus(goal, other)
    if other.ended.peak < best.ended.peak * (1.0 - _LOWER):
        proof = round_zone(goal, other.ended.state, other.ended.touching)
    if proof.whole:
        return Proved(other, proof)
    return Proved(other, proof._replace(words=_TRIED.format(1 + others)))


def starts_for(goal: Goal) -> int:
    """More starts where points are few."""
    return _MORE if goal.points.shape[1] <= _FEW else _STARTS


def _straight(goal: Goal, best: Best) -> Proved:
    proof = straight_zone(goal, best.ended.state, best.ended.touching)
    if proof.whole:
        return Proved(best, proof)
    found = narrowest(goal.points[: goal.model.dimension].T)
    if np.any(found.normal):
        other = lowest(goal, _facing(found.normal, best.ended.state), 0)
        if other.ended.peak < best.ended.peak:
            best = other
    words = "every edge and face of the convex hull was tried" if found.whole else "contacts only"
    sharp = straight_zone(goal, best.ended.state, best.ended.touching).sharpness
    return Proved(best, Proof(found.whole, sharp, words))


def _facing(normal: Array, like: State) -> State:
    """A plane's state, or a line's in a plane, with this normal and the outside as before."""
    if len(normal) == 3:
        return state_about(np.zeros(3), normal if normal @ like.axis >= 0.0 else -normal)
    flipped = np.array([*normal, 0.0]) @ like.axis < 0.0
    x, y = -normal if flipped else normal
    line = FlatLine(point=np.zeros(2), direction=np.array([y, -x]))
    return FlatLineModel().state_of(line)


def _annulus(goal: Goal, best: Best) -> Proved:
    """Beside every candidate; an annulus without end, which is a strip, is none."""
    points = goal.points[:2].T
    found = narrowest_annulus(points)
    rho = np.linalg.norm(points - found.centre, axis=1)
    circle = FlatCircle(centre=found.centre, radius=float(rho.mean()))
    if found.width < 2.0 * best.ended.peak * (1.0 - 1e-9):
        other = lowest(goal, FlatCircleModel().state_of(circle), 0)
        if other.ended.peak < best.ended.peak:
            best = other
    proof = round_zone(goal, best.ended.state, best.ended.touching)
    return Proved(best, Proof(True, proof.sharpness, "every crossing of two bisectors was tried"))
