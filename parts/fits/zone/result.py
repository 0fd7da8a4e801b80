"""What a minimum zone or an envelope answers, and why it is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parts.fits.shape import Shape
from robots.core.arrays import Array, Indices, freeze_fields

Proved = Literal["global", "local"]

_BALANCE = 1e-8
_LEVEL = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneCertificate:
    """Kuhn-Tucker's conditions at the answer, and what is known beyond its neighbourhood.

    Args:
        balance: length of Σ λ σ ∇d in unknowns of which each moves the surface by its length;
            zero at an optimum.
        level: how far the contacts are from being equally far, in sizes of the points.
        excess: how far any other point lies beyond the contacts, in sizes of the points.
        least_multiplier: λ must not be negative.
        curvature: least second derivative along directions in which the contacts hold nothing to
            first order; infinite where they hold the feature, above zero at a strict optimum.
        sharpness: how fast the width grows with the distance from the answer, at least, by the
            contacts alone; zero where that was not asked for or is not so. Global proofs use it.
        proof: in words, why no other answer is better, or what has been tried.
        iterations: linear programmes and Newton steps, from the start that was taken.
        starts: places from which the optimum was searched.
        agreeing: how many of them ended in it.
        rival: the next optimum that a start has ended in; infinite where there is none. [m]
    """

    balance: float
    level: float
    excess: float
    least_multiplier: float
    curvature: float
    sharpness: float
    proof: str
    iterations: int
    starts: int
    agreeing: int
    rival: float

    @property
    def optimal(self) -> bool:
        """Whether every small change makes the answer worse, as far as rounding lets one see."""
        return (
            self.balance <= _BALANCE
            and self.level <= _LEVEL
            and self.excess <= _LEVEL
            and self.least_multiplier >= 0.0
            and self.curvature > 0.0
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Extreme:
    """The fields that zones and envelopes share; see there."""

    kind: str
    geometry: Shape
    residuals: Array
    contacts: Indices
    sides: Array
    multipliers: Array
    certificate: ZoneCertificate
    proved: Proved

    def __post_init__(self) -> None:
        freeze_fields(self, "residuals", "contacts", "sides", "multipliers")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Zone(_Extreme):
    """The narrowest zone of ISO 1101 about a feature that holds all points.

    Args:
        kind: as for the fits.
        geometry: in the middle of the zone; its two limits are half a width to each side.
        width: of the zone; about a line in space, the diameter of the round zone. [m]
        residuals: signed distances from the geometry, positive outside the material; about a line
            in space without sign. # (k,) [m]
        contacts: points on the zone's limits that hold it, by index. # (n,)
        sides: +1 for contacts at the outer limit, -1 at the inner one. # (n,)
        multipliers: Kuhn and Tucker's, of sum 1: how much of a move of each contact the half
            width follows. # (n,)
        certificate: of the optimum.
        proved: "global" where no narrower zone exists, "local" where only the neighbourhood and
            what the certificate's starts have found are known.
    """

    width: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Envelope(_Extreme):
    """The least circumscribed or largest inscribed circle, sphere or cylinder.

    Args:
        kind: as for the fits.
        geometry: the envelope, which touches the contacts.
        diameter: of it. [m]
        residuals: signed distances from it, positive outside the material. # (k,) [m]
        contacts: points on it that hold it, by index. # (n,)
        sides: +1 for contacts of a circumscribed, -1 of an inscribed feature. # (n,)
        multipliers: Kuhn and Tucker's, of sum 1. # (n,)
        certificate: of the optimum.
        proved: as for ``Zone``; an inscribed feature is global among those whose centre is amid
            the points (in their convex hull).
    """

    diameter: float
