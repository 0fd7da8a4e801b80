"""Ball centres → points on the surface, and word on which of the two points are."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from parts.points.faults import fault
from parts.points.found import FoundPoints
from parts.points.probe_points import ProbePoints
from parts.points.source import Compensation

_DIGITS = 6  # of a diameter in mm, as it is shown
_CALIBRATED = 1e-4  # [m]; a calibrated ball differs from its nominal diameter by less


def same_ball(one: float, other: float) -> bool:
    """Whether two diameters are the same at the precision with which they are shown. [m].

    Half a unit of the last digit shown, so that a diameter copied from a message is the file's.
    """
    if ball_text(one) == ball_text(other):
        return True
    largest = 1e3 * max(abs(one), abs(other))
    unit = 10.0 ** (math.floor(math.log10(largest)) + 1 - _DIGITS)
    return abs(1e3 * one - 1e3 * other) <= 0.5 * unit


def calibrated_ball(one: float, other: float) -> bool:
    """Whether two diameters may be one ball, nominal and calibrated. [m]."""
    return abs(one - other) <= _CALIBRATED


def ball_text(diameter: float) -> str:
    """A ball's diameter as it is shown, in mm."""
    return f"{1e3 * diameter:.{_DIGITS}g}"


def surface_points(
    found: FoundPoints, *, ball_diameter: float | None = None, compensated: bool | None = None
) -> FoundPoints:
    """Bring points to the surface.

    Centres of the ball move against their normals by its radius; points on the surface stay. The
    record tells which was the case.

    Args:
        found: points of a file.
        ball_diameter: of the ball; None where the file says it, or where none is needed. [m]
        compensated: for a file that does not say: True where its points lie on the surface, False
            where they are centres of the ball.

    Raises:
        PointsError: centres without a ball or without normals; a ball for points of which nobody
            says whether they are its centres; another ball or another word than the file's.
    """
    diameter = _ball(found, ball_diameter)
    state = _state(found, compensated, diameter)
    if state is not found.source.compensation:
        found = found.with_source(compensation=state)
    source = found.source
    if state is not Compensation.CENTRE:
        return found
    if diameter is None:
        raise fault(
            source.origin,
            "the coordinates are centres of the ball, not points on the surface; give the ball's "
            "diameter (0 for a point) to move them there along their normals.",
        )
    points = found.points
    centres = np.ones(len(points), dtype=bool) if found.settled is None else ~found.settled
    shift = np.where(centres, 0.5 * diameter, 0.0)[:, None]
    moved = ProbePoints(
        names=points.names,
        positions=points.positions - shift * points.normals,
        normals=points.normals,
        features=points.features,
        warnings=points.warnings,
    )
    note = (
        f"The coordinates were centres of a ball of {ball_text(diameter)} mm; the points were "
        "moved to the surface by its radius, against their normals."
    )
    return replace(found.filled(moved), settled=None).with_source(
        compensation=Compensation.SURFACE, ball_diameter=diameter, notes=(*source.notes, note)
    )


def _state(found: FoundPoints, compensated: bool | None, diameter: float | None) -> Compensation:
    """What the points are, by the file and the caller together."""
    source = found.source
    stated = source.compensation
    if compensated is None:
        if stated is Compensation.UNSTATED and diameter:
            raise fault(
                source.origin,
                "a ball is given, but the file does not say whether its points are centres of it; "
                "say compensated = true for points on the surface, false for centres.",
                choices=(True, False),
            )
        return stated
    given = Compensation.SURFACE if compensated else Compensation.CENTRE
    if stated not in (Compensation.UNSTATED, given) and not source.contradictable:
        raise fault(
            source.origin,
            f"{source.format} files give {stated.value}, but they are said to be {given.value}; "
            "correct what is said.",
            found=stated,
            expected=given,
        )
    return given


def _ball(found: FoundPoints, given: float | None) -> float | None:
    stated = found.source.ball_diameter
    if given is not None and not (math.isfinite(given) and given >= 0.0):
        raise fault(
            found.source.origin,
            f"the ball's diameter is {given} m; expected zero or more.",
            found=given,
        )
    if given is not None and stated is not None and not same_ball(given, stated):
        raise fault(
            found.source.origin,
            f"the file was made with a ball of {ball_text(stated)} mm, but {ball_text(given)} mm "
            "is given; use the same ball.",
            found=given,
            expected=stated,
        )
    return given if stated is None else stated
