"""From an optimum to its certificate."""

from __future__ import annotations

import numpy as np

from parts.fits.zone.descents import Best
from parts.fits.zone.goal import Goal
from parts.fits.zone.proofs import Proof
from parts.fits.zone.result import ZoneCertificate


def certificate_of(goal: Goal, best: Best, proof: Proof, unit: float) -> ZoneCertificate:
    """Kuhn and Tucker's conditions measured at the answer.

    Args:
        goal: with all points.
        best: the answer.
        proof: what is known beyond the neighbourhood.
        unit: what a peak of 1 is as a rival's width or diameter. [m]
    """
    ended = best.ended
    held = ended.touching
    d = goal.distances(ended.state)
    rows = goal.rows(ended.state, held.points)
    gradient = best.scale.W.T @ (rows.jacobian @ (held.multipliers * held.sides))
    levels = held.sides * rows.residuals
    return ZoneCertificate(
        balance=float(np.linalg.norm(gradient)),
        level=float(np.ptp(levels)),
        excess=max(0.0, goal.peak(d) - float(levels.max())),
        least_multiplier=float(held.multipliers.min()),
        curvature=ended.curvature,
        sharpness=proof.sharpness,
        proof=proof.words,
        iterations=ended.iterations,
        starts=best.starts,
        agreeing=best.agreeing,
        rival=unit * abs(best.rival),
    )


def exact_certificate() -> ZoneCertificate:
    """Of points that lie on the feature as far as rounding lets one see."""
    return ZoneCertificate(
        balance=0.0,
        level=0.0,
        excess=0.0,
        least_multiplier=0.0,
        curvature=float("inf"),
        sharpness=0.0,
        proof="the points lie on the feature to rounding, so that no contact holds it",
        iterations=0,
        starts=1,
        agreeing=1,
        rival=float("inf"),
    )
