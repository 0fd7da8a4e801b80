"""What ball and shank must keep from the part along probing lines, and where they come nearest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from planner.clearance.certify import deepest
from planner.clearance.checker import Checker
from planner.clearance.patch import Patches
from planner.clearance.stylus_sweep import Stylus, StylusPiece, Sweeps, swept
from planner.job.stylus import BALL, SHANK
from planner.reach.lines import Lines
from robots.core.arrays import Array, Indices

_TOUCH = 1e-5  # [m] facets and rounding: touching the rim of the patch is not passing through it
_SAMPLES = 9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Allowed:
    """Triangles of the part that count less, one group per point.

    Args:
        patch: the probed surface, which the ball touches.
        ball: what the ball may be near: the patch and what lies behind it.
        shank: what the shank may be near.
    """

    patch: Patches
    ball: Patches
    shank: Patches

    def take(self, point: Indices) -> Allowed:
        """For some of the points, in any order. # (m,)."""
        return Allowed(
            patch=self.patch.take(point), ball=self.ball.take(point), shank=self.shank.take(point)
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Demand:
    """What a piece of the stylus must keep along lines.

    Args:
        piece: of the stylus.
        sweeps: its motions.
        share: how far along its line each motion goes. # (k,)
        least: clearance that must be kept. [m]
        stated: clearances from here on tell nothing: they may be those of the probed surface
            itself, beyond the patch. [m]
    """

    piece: StylusPiece
    sweeps: Sweeps
    share: Array
    least: float
    stated: float

    def take(self, rows: Indices) -> Demand:
        """For some of the lines."""
        return replace(self, sweeps=self.sweeps.take(rows), share=self.share[rows])

    def clearance(self, checker: Checker) -> Array:
        """Least clearance along each line. # (k,) [m]."""
        return swept(checker, self.piece, self.sweeps, self.least)


def demands(
    stylus: Stylus, lines: Lines, contacts: Array, allowed: Allowed, limits: tuple[float, float]
) -> Iterator[Demand]:
    """All demands of lines.

    Args:
        stylus: ball and shank.
        lines: geometry.
        contacts: ball centres at contact. # (k, 3) [m]
        allowed: what of the part each line may come near to.
        limits: clearance to be kept from what is not probed; from which on it is not told. [m]
    """
    shifts = lines.ends - lines.starts
    square = np.einsum("ij,ij->i", shifts, shifts)
    travelled = np.einsum("ij,ij->i", contacts - lines.starts, shifts)
    share = np.clip(travelled / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    ball = StylusPiece(name=BALL, radius=stylus.ball, begin=0.0, end=0.0)
    whole = Demand(
        piece=ball,
        sweeps=Sweeps(starts=lines.starts, shifts=shifts, axes=lines.axes, excluded=allowed.ball),
        share=np.ones(len(lines)),
        least=limits[0],
        stated=limits[1],
    )
    up_to_contact = replace(
        whole,
        sweeps=replace(whole.sweeps, shifts=share[:, None] * shifts, excluded=allowed.patch),
        share=share,
        least=-_TOUCH,
        stated=-_TOUCH,
    )
    yield whole
    if stylus.length > 0.0:
        yield from _of_shank(stylus, whole, up_to_contact, allowed.shank)
    yield up_to_contact


def _of_shank(
    stylus: Stylus, whole: Demand, up_to_contact: Demand, allowed: Patches
) -> Iterator[Demand]:
    """The whole shank beside what is allowed; beyond the tip it must not touch that either."""
    shank = StylusPiece(name=SHANK, radius=stylus.shank, begin=0.0, end=stylus.length)
    yield replace(whole, piece=shank, sweeps=replace(whole.sweeps, excluded=allowed))
    tip = max(stylus.ball, stylus.shank)
    if tip < stylus.length:
        none = Patches.none(len(whole.share))
        yield replace(
            up_to_contact,
            piece=replace(shank, begin=tip),
            sweeps=replace(up_to_contact.sweeps, excluded=none),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Located:
    """Where a piece of the stylus comes nearest.

    Args:
        lam: on each line. # (k,)
        place: on the piece's axis, base frame. # (k, 3) [m]
        seen: distance of that very place from the part, less the radius: what was looked at, where
            ``Demand.clearance`` may be a bound below it. # (k,) [m]
    """

    lam: Array
    place: Array
    seen: Array


def located(checker: Checker, demand: Demand) -> Located:
    """Where a piece comes nearest, found by looking; for reports."""
    piece, sweeps = demand.piece, demand.sweeps
    every = np.arange(len(demand.share))

    def on_line(rows: Indices, lam: Array) -> Array:
        return swept(checker, piece, sweeps.take(rows).at(lam), demand.least)

    lam = deepest(on_line, every, np.ones(every.size), _SAMPLES)
    still = sweeps.at(lam)

    def behind(share: Array) -> Array:
        return np.asarray((piece.begin + share * (piece.end - piece.begin))[:, None])

    def on_piece(rows: Indices, share: Array) -> Array:
        some = still.take(rows)
        dots = replace(some, starts=some.starts - behind(share) * some.axes)
        return swept(checker, replace(piece, begin=0.0, end=0.0), dots, demand.least)

    share = np.zeros(every.size)
    if piece.end > piece.begin:
        share = deepest(on_piece, every, share, _SAMPLES)
    return Located(
        lam=lam * demand.share,
        place=still.starts - behind(share) * still.axes,
        seen=on_piece(every, share),
    )
