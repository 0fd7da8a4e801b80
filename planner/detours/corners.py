"""How far the corners of ways may be rounded, so that the motion still keeps its clearance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.clearance.certify import keeps
from planner.detours.motions import DetourMotions
from planner.detours.rounded import WIDEST, Legs, RoundedMotion, without_repeats
from planner.detours.route import TravelSpace
from robots.core.arrays import Array

# Parts of a corner's legs that its rounding may take; at 0 the motion stops there.
_CUTS = (WIDEST, 0.25, 0.12, 0.06, 0.03, 0.015, 0.0)


def rounded(room: TravelSpace, routes: Sequence[Array]) -> DetourMotions:
    """Motions along ways whose legs keep the clearance, each proven to keep it too.

    The more of its legs a corner takes the faster it is; each takes as much as is proven. Where the
    whole motion cannot be proven after all it stops at its corners.

    Args:
        room: what travel may use.
        routes: # (w, n) each [rad]
    """
    rests = np.array([route[0] for route in routes]).reshape(len(routes), room.lower.size)
    legs = [Legs(without_repeats(route), room.limits) for route in routes]
    cuts = _widest(room, legs)
    motions = _motions(room, legs, cuts, rests)
    while True:
        kept = keeps(room.checker, motions, room.required)
        doubtful = [k for k in np.nonzero(~kept)[0] if np.any(cuts[k] > 0.0)]
        if not doubtful:
            return motions
        for k in doubtful:
            halved = 0.5 * cuts[k]
            cuts[k] = np.where(halved < _CUTS[-2], 0.0, halved)
        motions = _motions(room, legs, cuts, rests)


def _motions(
    room: TravelSpace, legs: Sequence[Legs], cuts: Sequence[Array], rests: Array
) -> DetourMotions:
    pieces = [leg.pieces(cut) for leg, cut in zip(legs, cuts, strict=True)]
    return DetourMotions(pieces, rests, room.limits)


def _widest(room: TravelSpace, legs: Sequence[Legs]) -> list[Array]:
    """The widest rounding of each corner that is proven for itself. # (w - 2,) per way."""
    cuts = [np.zeros(max(len(leg.corners) - 2, 0)) for leg in legs]
    owner = [(k, corner) for k, cut in enumerate(cuts) for corner in range(cut.size)]
    waiting = np.ones(len(owner), dtype=bool)
    for cut in _CUTS[:-1]:
        chosen = [owner[k] for k in np.nonzero(waiting)[0]]
        if not chosen:
            break
        arcs = [_arc(legs[k], corner, cut) for k, corner in chosen]
        rests = np.array([legs[k].corners[corner + 1] for k, corner in chosen])
        kept = keeps(room.checker, DetourMotions(arcs, rests, room.limits), room.required)
        for (k, corner), good in zip(chosen, kept, strict=True):
            cuts[k][corner] = cut if good else 0.0
        waiting[waiting] = ~kept
    return cuts


def _arc(legs: Legs, corner: int, cut: float) -> RoundedMotion:
    """One corner at the speed that a cut allows it."""
    arcs = legs.arcs(legs.corner_speeds(np.full(len(legs.corners) - 2, cut)))
    return RoundedMotion(
        duration=arcs.duration[corner : corner + 1],
        q=arcs.q[corner : corner + 1],
        before=arcs.before[corner : corner + 1],
        after=arcs.after[corner : corner + 1],
    )
